"""What is read of Python definitions, beside Universal Ctags, on whole source trees: every difference is explained.

    python benchmarks/code_definitions.py FOLDER... [--data FOLDER] [--ctags PROGRAM] [--json]

FOLDER is a source tree, for instance an unpacked source distribution; with --data it is looked for in there. Both
read the same files. A definition is the same where kind, name and line are; ends are compared too. Differences are
sorted into classes that are recognised in the source; one that fits none is told with its place, and the program fails.
"""

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine
from verifflowcc.code.rules.grammars import read_facts
from verifflowcc.code.rules.graph import Definition, SymbolKind

KINDS = {
    SymbolKind.CLASS: "class",
    SymbolKind.FUNCTION: "function",
    SymbolKind.METHOD: "member",
    SymbolKind.VARIABLE: "variable",
    SymbolKind.FIELD: "variable",
}
AGAIN = "theirs: assigned again in the same scope (ours keeps the first assignment)"
OF_OBJECT = "ours: a field that a method gives to self or cls (theirs has no such kind)"
NO_VALUE = "ours: annotated without a value (theirs wants a value)"
UNION = "ours: annotated with A | B and given a value (theirs loses these)"
CHAINED = "ours: a later target of a chain, a = b = 1 (theirs takes the first)"
FIRST = "ours: the first line after else: or try: (theirs misses it)"
LATER = "ends: ours counts comments after the last statement that are indented as it is"

Key = tuple[str, str, int]
"""Kind in the words of ctags, name, line."""


@dataclass
class Compared:
    """One source tree: how many definitions of each kind are in both and in one, and the differences by class."""

    tree: str
    files: int = 0
    both: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    theirs: Counter[str] = field(default_factory=Counter)
    ends_equal: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)


def main() -> None:
    """Compare each tree, print the table, fail where a difference has no class."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--data", type=Path, default=Path())
    parser.add_argument("--ctags", default="ctags")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    trees = [_compare(options.data / folder, options.ctags) for folder in options.folders]
    if options.json:
        print(json.dumps([asdict(each) for each in trees], indent=2))
    else:
        version = subprocess.run([options.ctags, "--version"], capture_output=True, text=True, check=True).stdout
        print("; ".join((*machine().values(), version.partition(",")[0])))
        for each in trees:
            _show(each)
    if any(each.unexplained for each in trees):
        raise SystemExit(1)


def _compare(tree: Path, ctags: str) -> Compared:
    found = Compared(tree.name)
    for path in sorted(tree.rglob("*.py")):
        found.files += 1
        data = path.read_bytes()
        facts = read_facts("python", data)
        ours = {(KINDS[each.kind], each.name, each.line): each for each in facts.definitions if each.kind in KINDS}
        theirs = dict(_tags(path, ctags)) if data.strip() else {}
        _count(found, ours, theirs)
        told = _Told(data.decode("utf-8", "replace"), ours)
        for key in sorted(ours.keys() - theirs.keys()):
            _explain(found, told.only_ours(key), path.relative_to(tree), key)
        for key in sorted(theirs.keys() - ours.keys()):
            _explain(found, told.only_theirs(key), path.relative_to(tree), key)
        for key in sorted(ours.keys() & theirs.keys()):
            if theirs[key] and theirs[key] != ours[key].end:
                _explain(found, told.end(ours[key].end, theirs[key]), path.relative_to(tree), key)
            elif theirs[key]:
                found.ends_equal += 1
    return found


def _tags(path: Path, ctags: str) -> Iterator[tuple[Key, int]]:
    """Yield what ctags finds in a file, with its last line, 0 where it says none."""
    command = [ctags, "--language-force=Python", "--output-format=json", "--fields=+neK", "-f", "-", str(path)]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        tag = json.loads(line)
        if tag.get("kind") in ("class", "function", "member", "variable"):
            yield (tag["kind"], tag["name"], tag["line"]), tag.get("end", 0)


def _count(found: Compared, ours: dict[Key, Definition], theirs: dict[Key, int]) -> None:
    found.both.update(key[0] for key in ours.keys() & theirs.keys())
    found.ours.update(key[0] for key in ours.keys() - theirs.keys())
    found.theirs.update(key[0] for key in theirs.keys() - ours.keys())


def _explain(found: Compared, why: str, path: Path, key: Key) -> None:
    if why:
        found.classes[why] += 1
    else:
        found.unexplained.append(f"{path}:{key[2]} {key[0]} {key[1]}")


class _Told:
    """What Python's own parser says of a text: the judge of differences."""

    def __init__(self, text: str, ours: dict[Key, Definition]) -> None:
        self.lines = text.split("\n")
        self.ours = ours
        self.targets: dict[tuple[str, int], str] = {}
        for node in ast.walk(_parsed(text)):
            if isinstance(node, ast.AnnAssign):
                union = any(isinstance(each, ast.BitOr) for each in ast.walk(node.annotation))
                self._note(node.target, NO_VALUE if node.value is None else UNION if union else "")
            elif isinstance(node, ast.Assign):
                for number, target in enumerate(node.targets):
                    self._note(target, CHAINED if number else "")

    def _note(self, target: ast.expr, why: str) -> None:
        for node in ast.walk(target):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("self", "cls")
            ):
                self.targets[node.attr, node.end_lineno or 0] = OF_OBJECT
            elif isinstance(node, ast.Name) and why:
                self.targets[node.id, node.lineno] = why

    def only_ours(self, key: Key) -> str:
        if key[0] != "variable":
            return ""
        above = self.lines[key[2] - 2].strip() if key[2] > 1 else ""
        return self.targets.get((key[1], key[2]), FIRST if above in ("else:", "try:") else "")

    def only_theirs(self, key: Key) -> str:
        earlier = any(name == key[1] and kind == key[0] and line < key[2] for kind, name, line in self.ours)
        return AGAIN if earlier and key[0] == "variable" else ""

    def end(self, ours: int, theirs: int) -> str:
        between = [line.strip() for line in self.lines[theirs:ours]]
        return LATER if ours > theirs and all(not line or line.startswith("#") for line in between) else ""


def _parsed(text: str) -> ast.Module:
    """Return the tree of a text; an empty one where Python itself finds an error in it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _show(each: Compared) -> None:
    print(f"\n{each.tree}, {each.files:,} files")
    print(f"{'kind':12}{'both':>10}{'only ours':>12}{'only theirs':>14}")
    for kind in ("class", "function", "member", "variable"):
        print(f"{kind:12}{each.both[kind]:>10,}{each.ours[kind]:>12,}{each.theirs[kind]:>14,}")
    print(f"last lines that are equal: {each.ends_equal:,}")
    for why, count in sorted(each.classes.items()):
        print(f"{count:>10,}  {why}")
    for place in each.unexplained:
        print(f"unexplained: {place}")
    print(f"unexplained: {len(each.unexplained)}")


if __name__ == "__main__":
    main()
