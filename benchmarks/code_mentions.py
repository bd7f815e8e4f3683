"""Functions of a source tree and where their names are spoken of, as Python's own parser sees them.

Nothing of `verifflowcc` is used here: what is found serves to judge it. A mention is a name that is read or called; the
names in `import` and `def` lines are none.
"""

import ast
import random
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

SKIPPED = frozenset({".git", ".venv", "node_modules", "build", "dist"})
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class Function:
    """A function or method: the line is that of its name; `name` has the names of what is around it before it."""

    path: str
    line: int
    name: str

    @property
    def last(self) -> str:
        """Its own name."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, order=True)
class Mention:
    """A place in a text where a name is read. Lines count from 1, columns (of characters) from 0."""

    path: str
    line: int
    column: int
    name: str
    called: bool
    attribute: bool


@dataclass(frozen=True)
class Tree:
    """All functions and mentions of a source tree; `mentions` by name."""

    functions: Sequence[Function]
    mentions: Mapping[str, Sequence[Mention]]


def read_tree(root: Path) -> Tree:
    """Read every Python file below `root` that parses."""
    functions: list[Function] = []
    mentions: dict[str, list[Mention]] = defaultdict(list)
    for path in python_files(root):
        text = (root / path).read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        functions += _functions(path, tree, "")
        for each in _mentions(path, tree, text.decode("utf-8", "replace").splitlines()):
            mentions[each.name].append(each)
    return Tree(functions, mentions)


def python_files(root: Path) -> list[str]:
    """Return the Python files below `root`, sorted, as paths from it."""
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return sorted(path.as_posix() for path in found if not SKIPPED & set(path.parts))


def sample(tree: Tree, count: int, seed: int) -> list[Function]:
    """Choose functions outside of test files whose name is spoken of somewhere.

    The functions are split into two halves by a digest of their names: an even seed chooses from one, an odd one from
    the other, so that nothing is reported on what was tuned on.
    """
    able = [
        each
        for each in tree.functions
        if tree.mentions.get(each.last)
        and not is_test(each.path)
        and sha256(each.last.encode()).digest()[0] % 2 == seed % 2
    ]
    return sorted(random.Random(seed).sample(sorted(able), min(count, len(able))))


def chosen_mentions(tree: Tree, function: Function, most: int, seed: int) -> list[Mention]:
    """Return the mentions of a function's name, or as many of them by chance as are asked for."""
    found = sorted(tree.mentions[function.last])
    if len(found) <= most:
        return found
    return sorted(random.Random(f"{seed} {function.path} {function.line}").sample(found, most))


def is_test(path: str) -> bool:
    """Say whether a path is that of tests, documentation or examples."""
    return bool({"tests", "test", "docs", "examples", "js_tests"} & set(path.split("/")))


def _functions(path: str, node: ast.AST, around: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}.{child.name}" if around else child.name
            if isinstance(child, _FUNCTIONS):
                yield Function(path, child.lineno, name)
            yield from _functions(path, child, name)
        else:
            yield from _functions(path, child, around)


def _mentions(path: str, tree: ast.AST, lines: Sequence[str]) -> Iterator[Mention]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            line, column, name, attribute = node.lineno, node.col_offset, node.id, False
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            line, name, attribute = node.end_lineno, node.attr, True
            column = node.end_col_offset - len(name.encode())
        else:
            continue
        shown = lines[line - 1].encode()[:column].decode("utf-8", "replace") if line <= len(lines) else ""
        yield Mention(path, line, len(shown), name, id(node) in called, attribute)
