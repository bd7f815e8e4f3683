"""No pattern of the package has an atomic or a possessive group: some Pythons match them wrongly."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifflowcc
from verifflowcc.base.text import glob
from verifflowcc.code.rules.comment_syntax import LANGUAGES

PACKAGE = Path(verifflowcc.__file__).parent
ROOT = PACKAGE.parent
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "docs").glob("*.py")])
GROUP = re.compile(r"\(\?>|(?<!\\)\)(?:[*+?]|\{\d+,?\d*\}|\{,\d+\})\+")
"""How such a group is spelled; `\\)*+` repeats a bracket alone."""

COLLECT = """
import importlib, json, pkgutil, re, sys
import verifflowcc

package, found = verifflowcc.__path__[0], []
compiled = re._compiler.compile

def collecting(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"] in {"re", "functools"}:
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(package) and isinstance(pattern, str):
        found.append([frame.f_globals["__name__"], pattern, int(flags)])
    return compiled(pattern, flags)

re._compiler.compile = collecting
re.purge()
absent = []
for module in pkgutil.walk_packages([package], "verifflowcc."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("verifflowcc"):
                raise
            absent.append(module.name)
from verifflowcc.base.model.lazy import _LazyPattern
for name, module in [*sys.modules.items()]:
    for value in vars(module).values() if name.startswith("verifflowcc.") else ():
        if isinstance(value, _LazyPattern) and isinstance(value.pattern, str):
            found.append([name, value.pattern, int(value.flags)])  # its flags are those of the compiled one
json.dump({"found": found, "absent": absent}, sys.stdout)
"""


def doubtful(pattern: str, flags: int = 0) -> bool:
    """Say whether a pattern has an atomic group, or a possessive repeat of more than one character."""
    parser: Any = importlib.import_module("re._parser")
    return any(_doubtful(item) for item in _items(parser.parse(pattern, flags)))


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the operations of a parsed pattern, at any depth."""
    if type(value).__name__ == "SubPattern":
        for item in value:
            yield item
            yield from _items(item[1])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _items(each)


def _doubtful(item: tuple[Any, Any]) -> bool:
    name, value = str(item[0]), item[1]
    if name == "POSSESSIVE_REPEAT":
        body = list(value[2])
        return len(body) != 1 or str(body[0][0]) not in {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
    return name == "ATOMIC_GROUP"


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the texts in a source, those put together with the group `(?:x)` for what is not known."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            yield node.lineno, _text(node)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    return "(?:x)"


@pytest.mark.parametrize(
    "pattern",
    ["(?:ab)*+", "(?:ab)++", "(?:ab?c)?+", "(a|bc){2,3}+", "x(?>a)y", "(?=(?:(?:a|bc)*+))", "(a)*+", "(?:(?!a).)*+"],
)
def test_the_rule_finds_every_spelling_of_such_a_group(pattern: str) -> None:
    assert doubtful(pattern)
    assert GROUP.search(pattern)


@pytest.mark.parametrize(
    "pattern", ["a*+", r"[^\n]++b", r"\w?+", ".{2,}+", "(?:a+b)*", "(?=(a*))\\1", r"\)*+", "(?:a|b)+"]
)
def test_the_rule_allows_possessive_characters_and_plain_groups(pattern: str) -> None:
    assert not doubtful(pattern)
    assert not GROUP.search(pattern)


@pytest.mark.sweep
def test_no_module_compiles_an_atomic_or_possessive_group_when_it_is_imported() -> None:
    ran = subprocess.run([sys.executable, "-c", COLLECT], capture_output=True, text=True, check=True, cwd=ROOT)
    collected = json.loads(ran.stdout)

    assert len({module for module, _, _ in collected["found"]}) > 80
    assert [each for each in collected["absent"] if ".store." not in each] == []
    assert [(module, text) for module, text, flags in collected["found"] if doubtful(text, flags)] == []


@pytest.mark.sweep
def test_no_source_spells_an_atomic_or_possessive_group() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in SOURCES
        for line, text in literals(path.read_text("utf-8"))
        if GROUP.search(text)
    ]

    assert found == []


def test_groups_in_texts_put_together_are_found() -> None:
    put_together = ['f"{A}*+"', 'r"(?:" + A + r")++"', 'A + "?+"', 'f"(?>{A})"', '"(?:ab" ")*+"']

    assert [bool([1 for _, text in literals(each) if GROUP.search(text)]) for each in put_together] == [True] * 5


def test_no_language_has_such_a_group_in_its_comments_and_strings() -> None:
    patterns = {name: syntax.pattern() for name, syntax in LANGUAGES.items()}

    assert [name for name, each in patterns.items() if doubtful(each.pattern, each.flags)] == []


@given(st.lists(st.sampled_from(["*", "**", "/", "a", "b", "?", "[ab]", "[!a]", "."]), min_size=1, max_size=12))
def test_no_pattern_of_paths_becomes_such_a_group(parts: list[str]) -> None:
    compiled = glob._compiled("".join(parts))

    assert not doubtful(compiled.pattern, compiled.flags)
