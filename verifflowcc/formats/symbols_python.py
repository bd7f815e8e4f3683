"""What Python's own parser tells of a source text: its symbols, its docstrings, and the marks that pytest reads."""

import ast
import tokenize
import warnings
from collections.abc import Iterator, Sequence

from verifflowcc.formats.comments import Span
from verifflowcc.formats.symbols import DEEPEST, Block
from verifflowcc.records import dataclass

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Said:
    """Something that the source says of its requirements: the line that it begins in, and its text or its ids."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class PythonSource:
    """A parsed source. `docstrings` are their texts as written, without the quotes around them; `pytest_ids` the words
    of each `pytest.mark.vfcc(…)`, a comma between two.
    """

    blocks: tuple[Block, ...]
    docstrings: tuple[Said, ...]
    pytest_ids: tuple[Said, ...]


def parse_python(text: str, *, marks: bool = True) -> PythonSource | None:
    """Return what stands in a source, its symbols alone where no `marks` are asked for; None where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = _split(text) if marks else []
    blocks: list[Block] = []
    docstrings = [said for said in [_docstring(tree, lines)] if said]
    pending: list[tuple[ast.AST, str, int]] = [(tree, "", 0)]
    while pending:
        node, within, depth = pending.pop()
        for child in _statements(node):
            name, level = within, depth
            if isinstance(child, _Definition):
                name, level = f"{within}.{child.name}" if within else child.name, depth + 1
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                blocks.append(Block(name, first, child.end_lineno or child.lineno))
                docstrings += [said for said in [_docstring(child, lines)] if said]
            if level < DEEPEST:
                pending.append((child, name, level))
    return PythonSource(tuple(blocks), tuple(docstrings), tuple(_pytest_ids(tree)) if marks else ())


def python_comments(text: str) -> tuple[Span, ...] | None:
    """Return the comments of a source; None where it is no Python."""
    lines = [line + "\n" for line in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    try:
        return tuple(
            Span(starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1], comment=True)
            for token in tokenize.generate_tokens(iter(lines).__next__)
            if token.type == tokenize.COMMENT
        )
    except (tokenize.TokenError, SyntaxError):
        return None


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may hold definitions: statements, and the arms of `try` and `match`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child


def _docstring(node: _Definition | ast.Module, lines: Sequence[str]) -> Said | None:
    first = node.body[0] if node.body and lines else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return None
    value = first.value
    if not isinstance(value.value, str) or "vfcc" not in value.value or value.end_lineno is None:
        return None
    own = list(lines[value.lineno - 1 : value.end_lineno])
    # Columns count bytes; a quote is one byte, so cutting from the end first keeps both right.
    own[-1] = own[-1].encode()[: value.end_col_offset].decode("utf-8", "replace")
    own[0] = own[0].encode()[value.col_offset :].decode("utf-8", "replace")
    return Said(value.lineno, _without_quotes("\n".join(own)))


def _without_quotes(literal: str) -> str:
    body = literal.lstrip("rRuUbBfF")
    quotes = body[:3] if body[:3] in {'"""', "'''"} else body[:1]
    return body.removeprefix(quotes).removesuffix(quotes)


def _pytest_ids(tree: ast.Module) -> Iterator[Said]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_mark(node.func):
            for value in node.args:
                yield from (Said(text.lineno, str(text.value)) for text in _texts(value))


def _is_mark(function: ast.expr) -> bool:
    """Say whether this is `pytest.mark.vfcc`, or `mark.vfcc`."""
    if not isinstance(function, ast.Attribute) or function.attr != "vfcc":
        return False
    owner = function.value
    return (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")) == "mark"


def _texts(value: ast.expr) -> Iterator[ast.Constant]:
    within = value.elts if isinstance(value, ast.List | ast.Tuple | ast.Set) else [value]
    return (each for each in within if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _split(text: str) -> list[str]:
    """Return the lines as Python's parser counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ").split("\n")
