"""How hard the package is to find one's way in: size, import circles, shared names, dialect, and what commands enter.

    python benchmarks/house.py [--json] [--package FOLDER] [--moves FILE] [--vfcc PROGRAM]
    python benchmarks/house.py --removals COMMIT [--json]

An import counts anywhere in a file, except below `TYPE_CHECKING`. A circle is a set of files of which each
imports each other, directly or not. An upward import is one against the order of the capabilities; `--moves` names a
JSON object (path today → path in the order's folders) for a tree that has other folders. A name is shared if another
class or module of the package has it, too; `__init__` and `__main__` do not count. A comment counts if it is on a line
of its own or behind code, and no directive to a tool. What commands enter is read by `benchmarks/entered.py`.
`--removals` lists the commits since COMMIT that took more lines from the package than they added, each with its
subject; the reason is in its message.
"""

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.entered import entered_by_commands
from benchmarks.measure import machine

ROOT = Path(__file__).resolve().parents[1]
RANKS = (
    ("base", 0),
    ("items", 1),
    ("code", 2),
    ("sprint", 2),
    ("memory", 3),
    ("trace", 3),
    ("history", 4),
    ("gates", 5),
    ("prompt", 6),
    ("clients", 7),
    ("mcp", 8),
    ("run", 8),
    ("report", 9),
    ("cli", 10),
)
"""The capabilities, lowest first; equals do not import each other. `fast` is beside them.

Gates are above the history: a gate asks it who edited a file outside of its stage.
"""
DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|pragma|ruff:|fmt:|mypy:|!)")


@dataclass(frozen=True)
class FileFacts:
    """What one look at a module of the package shows."""

    path: str
    """Below the package."""
    lines: int
    comments: int
    imported: tuple[str, ...]
    """Dotted names, those below `TYPE_CHECKING` left out."""
    classes: tuple[str, ...]
    avoided: int
    """Words that the project avoids, in names and first lines."""

    @property
    def module(self) -> str:
        """The dotted name."""
        return "verifflowcc." + self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def main() -> None:
    """Print the table, or the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=Path, default=ROOT / "verifflowcc")
    parser.add_argument("--moves", type=Path)
    parser.add_argument("--vfcc", default=str(Path(sys.executable).with_name("vfcc")))
    parser.add_argument("--removals", metavar="COMMIT")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.removals:
        rows = removals(options.removals)
        total = sum(net for _, net, _ in rows)
        if options.json:
            print(json.dumps({"lines": total, "commits": rows}, indent=2))
            return
        print(*(f"{commit[:10]} {net:>6,}  {subject}" for commit, net, subject in rows), sep="\n")
        print(f"{total:,} lines in {len(rows)} commits")
        return
    moves = json.loads(options.moves.read_text(encoding="utf-8")) if options.moves else {}
    figures = {
        **structure(options.package, moves),
        **{f"{name}: {key}": count for name, each in entered_by_commands(options.vfcc).items() for key, count in each},
    }
    if options.json:
        print(json.dumps({"machine": machine(), "figures": figures}, indent=2))
        return
    print(*(f"{key}: {value}" for key, value in machine().items()), "", sep="\n")
    print(*(f"{name:44} {value:>10,}" for name, value in figures.items()), sep="\n")


def removals(base: str) -> list[tuple[str, int, str]]:
    """Return the commits since `base` that made the package smaller: name, net lines, subject; the largest first."""
    command = [
        "git",
        "log",
        "--no-merges",
        "-M",
        "--numstat",
        "--format=%x00%H%x09%s",
        f"{base}..HEAD",
        "--",
        "verifflowcc",
    ]
    found = []
    for part in subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")[1:]:
        head, *rows = part.strip().splitlines()
        commit, _, subject = head.partition("\t")
        counts = [row.split("\t")[:2] for row in rows if row and not row.startswith("-")]
        net = sum(int(added) - int(gone) for added, gone in counts)
        if net < 0:
            found.append((commit, net, subject))
    return sorted(found, key=lambda each: each[1])


def structure(package: Path, moves: Mapping[str, str]) -> dict[str, float]:
    """Return what the source alone shows, name → figure."""
    files = _facts(package)
    lines = sum(file.lines for file in files)
    imports = _imports(package)
    circles = circles_of(imports)
    classes = Counter(name for file in files for name in file.classes)
    modules = Counter(stem for file in files if not (stem := Path(file.path).stem).startswith("__"))
    return {
        "files": len(files),
        "lines": lines,
        "files of more than 600 lines": sum(file.lines > 600 for file in files),
        "import pairs": sum(len(each) for each in imports.values()),
        "circles of files": len(circles),
        "files in circles": sum(len(each) for each in circles),
        "upward imports": len(_upward(imports, moves)),
        "files outside of the capabilities": sum(_rank(file.path, moves) is None for file in files),
        "modules with one importer": _single(imports),
        "classes": sum(classes.values()),
        "classes with a shared name": sum(count for count in classes.values() if count > 1),
        "percent of class names shared": _percent(sum(count > 1 for count in classes.values()), len(classes)),
        "module names shared": sum(count > 1 for count in modules.values()),
        "banned words in names and first lines": sum(file.avoided for file in files),
        "comments per 1,000 lines": round(1000 * sum(file.comments for file in files) / lines, 1),
    }


def import_circles(package: Path) -> list[set[str]]:
    """Return the sets of files that import each other, as paths below the package."""
    return circles_of(_imports(package))


def upward_imports(package: Path) -> list[tuple[str, str]]:
    """Return the pairs (importer, imported) against the order of the capabilities, as paths below the package."""
    return _upward(_imports(package), {})


def import_statements(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    """Yield each import, whether it is in a function, and whether only type checkers see it."""
    blocks: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while blocks:
        block, late, typing = blocks.pop()
        late = late or isinstance(block, ast.FunctionDef | ast.AsyncFunctionDef)
        typing = typing or (isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test))
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            # The body of a lambda and of a conditional is an expression: neither is a block.
            for each in getattr(block, name, ()):
                if isinstance(each, ast.Import | ast.ImportFrom):
                    yield each, late, typing
                else:
                    blocks.append((each, late, typing))


def names_in(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the dotted names that an import names."""
    above = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [above + alias.name for alias in node.names]


@cache
def _facts(package: Path) -> tuple[FileFacts, ...]:
    return tuple(_looked_at(path.relative_to(package).as_posix(), path) for path in sorted(package.rglob("*.py")))


def _looked_at(name: str, path: Path) -> FileFacts:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    classes, words = [], [_spaced(path.stem)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            classes.append(node.name)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            words.append((ast.get_docstring(node) or "").partition("\n")[0])
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words.append(_spaced(node.name))
        elif isinstance(node, ast.arg):
            words.append(_spaced(node.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            words.append(_spaced(node.id))
    imported = tuple(name for node, _, typing in import_statements(tree) if not typing for name in names_in(node))
    avoided = len(_avoided().findall("\n".join(words)))
    return FileFacts(name, len(text.splitlines()), _comments(text), imported, tuple(classes), avoided)


def _imports(package: Path) -> dict[str, frozenset[str]]:
    """Return path → the paths of the package's files that it imports, itself left out."""
    files = _facts(package)
    paths = {each.module: each.path for each in files}
    found = {}
    for file in files:
        targets = {paths.get(name) or paths.get(name.rpartition(".")[0]) for name in file.imported}
        found[file.path] = frozenset(target for target in targets if target and target != file.path)
    return found


def circles_of(imports: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """Return the strongly connected sets of more than one file (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in imports:
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        work = [(start, iter(sorted(imports[start])))]
        while work:
            node, left = work[-1]
            child = next(left, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(set(stack[at:]))
                    del stack[at:]
            elif child not in order:
                order[child] = low[child] = len(order)
                stack.append(child)
                work.append((child, iter(sorted(imports[child]))))
            elif child in stack:
                low[node] = min(low[node], order[child])
    return found


def _rank(path: str, moves: Mapping[str, str]) -> tuple[str, int] | None:
    moved = moves.get(f"verifflowcc/{path}", f"verifflowcc/{path}").removeprefix("verifflowcc/")
    top = moved.partition("/")[0]
    return next((each for each in RANKS if each[0] == top), None)


def _upward(imports: Mapping[str, frozenset[str]], moves: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the pairs of which the importer is below what it imports, or beside it in another capability."""
    found = []
    for path, targets in imports.items():
        own = _rank(path, moves)
        for target in sorted(targets):
            other = _rank(target, moves)
            if own and other and own[0] != other[0] and own[1] <= other[1]:
                found.append((path, target))
    return found


def _single(imports: Mapping[str, frozenset[str]]) -> int:
    importers: dict[str, int] = defaultdict(int)
    for targets in imports.values():
        for target in targets:
            importers[target] += 1
    return sum(count == 1 for path, count in importers.items() if not path.endswith("__init__.py"))


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")


@cache
def _avoided() -> re.Pattern[str]:
    convention = (ROOT / ".memory" / "project" / "conventions" / "words.md").read_text(encoding="utf-8")
    words = "|".join(re.escape(word) for word in re.findall(r"^- `([a-z ]+)`", convention, re.MULTILINE))
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _comments(text: str) -> int:
    if "#" not in text:
        return 0
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and not DIRECTIVE.match(token.string) for token in tokens)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1)


if __name__ == "__main__":
    main()
