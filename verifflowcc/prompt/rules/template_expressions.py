"""Which expressions a prompt template may hold: supplied values, constants, comparisons, and the listed filters."""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING

from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.prompt.rules.template_view import EARLIER_NAMES, Body, PromptView

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment, nodes


# The part of Jinja that a prompt template may use: tags, filters, limits, and the Jinja environment for them.

TAGS = ("if", "elif", "else", "endif", "for", "endfor", "include")
FILTERS = ("default", "join", "length", "lower", "title", "trim", "upper")
TESTS = ("defined", "none")

MAX_SOURCE_BYTES = 65_536
MAX_LITERAL_CHARS = 32_768
MAX_NODES = 4_000
MAX_LOOPS = 32
MAX_LOOP_DEPTH = 2
MAX_TAG_DEPTH = 8
MAX_TAG_TOKENS = 60
MAX_BRACKETS = 4
MAX_STRING_CHARS = 200
MAX_NUMBER_DIGITS = 6
MAX_INCLUDE_DEPTH = 4
MAX_PROBLEMS = 20

ESCAPES = ("n", "t", "\\", "'", '"')


def new_environment(loader: "BaseLoader | None" = None) -> "Environment":
    """Return a Jinja environment with no globals, and no filter or test beyond the listed ones."""
    from jinja2 import Environment, StrictUndefined

    env = Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=loader,
        auto_reload=False,
    )
    env.globals.clear()
    env.filters = {name: env.filters[name] for name in FILTERS}
    env.tests = {name: env.tests[name] for name in TESTS}
    return env


@cache
def reading_environment() -> "Environment":
    """Return the environment for reading templates; it finds none by name."""
    return new_environment()


# The shape of each name in a template is read from the annotations of the views, so that the two cannot differ.
#
# A shape decides what may be done with a value. Lines are short, so that any listed operation on one costs little;
# bodies may be large, so that they can only be printed, measured and asked whether they are empty.


class ExpressionKind(IntEnum):
    """Sorts of value; where two meet (`a or b`), the greater one is what the result is taken for."""

    FLAG = 0
    NUMBER = 1
    LINE = 2
    BODY = 3
    RECORD = 4
    LIST = 5


@dataclass(frozen=True, slots=True)
class ValueShape:
    """A value's kind; a record's attributes come from `record`, a list's items have the shape `item`."""

    kind: ExpressionKind
    record: type | None = None
    item: "ValueShape | None" = None


FLAG, NUMBER, LINE, BODY = (
    ValueShape(kind) for kind in (ExpressionKind.FLAG, ExpressionKind.NUMBER, ExpressionKind.LINE, ExpressionKind.BODY)
)
LOOP = {"first": FLAG, "last": FLAG, "index": NUMBER, "index0": NUMBER, "length": NUMBER}


class Loop:
    """The shape of Jinja's `loop` variable."""


def shape_of(annotation: object) -> ValueShape:
    """Return the shape of a field from its annotation.

    >>> shape_of(tuple[str, ...]).item.kind.name
    'LINE'
    """
    if annotation == Body:
        return BODY
    if isinstance(annotation, types.UnionType):
        (inner,) = (each for each in typing.get_args(annotation) if each is not types.NoneType)
        return shape_of(inner)
    if typing.get_origin(annotation) is tuple:
        return ValueShape(ExpressionKind.LIST, item=shape_of(typing.get_args(annotation)[0]))
    plain = {str: LINE, int: NUMBER, bool: FLAG}
    if annotation in plain:
        return plain[annotation]
    return ValueShape(ExpressionKind.RECORD, record=typing.cast(type, annotation))


@cache
def attributes(record: type) -> dict[str, ValueShape]:
    """Return the attributes of a view that a template may read, by name."""
    if record is Loop:
        return LOOP
    found = {each.name: shape_of(each.type) for each in fields(record)}
    return found | {earlier: found[name] for earlier, name in EARLIER_NAMES.items() if name in found}


@cache
def supplied() -> dict[str, ValueShape]:
    """Return the names at the top of a template."""
    return attributes(PromptView)


Scope = Mapping[str, ValueShape]
Refuse = Callable[[int, str], None]

ALLOWED = "allowed: supplied values, constants, comparisons, and, or, not, if-else, listed filters"
REFUSED = {
    "Call": "calls are",
    "Getitem": "brackets after a value are",
    "Slice": "slices are",
    "Concat": "`~` is",
    "Tuple": "lists in parentheses are",
    "List": "lists are",
    "Dict": "dictionaries are",
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow", "Neg", "Pos"), "arithmetic is"),
}


class Expressions:
    """Check expressions and return their shapes.

    A refused one has the shape None, so that it is refused once.
    """

    def __init__(self, refuse: Refuse, count: Callable[[], None], excused: set[str]) -> None:
        self._refuse = refuse
        self._count = count
        self._excused = excused

    def shape(self, node: "nodes.Node", scope: Scope) -> ValueShape | None:
        self._count()
        check = getattr(self, f"_{type(node).__name__.lower()}", None)
        if check is not None:
            return check(node, scope)  # type: ignore[no-any-return]
        what = REFUSED.get(type(node).__name__, f"{type(node).__name__} is")
        return self._no(node, f"{what} not allowed; {ALLOWED}")

    def printable(self, node: "nodes.Node", scope: Scope) -> None:
        """Check an expression that is printed with `{{ }}`."""
        shape = self.shape(node, scope)
        if shape is not None and shape.kind >= ExpressionKind.RECORD:
            what = "a whole list" if shape.kind is ExpressionKind.LIST else "a whole record"
            self._no(node, f"{what} cannot be printed; {_parts(shape)}")

    def _no(self, node: "nodes.Node", sentence: str) -> ValueShape | None:
        self._refuse(node.lineno, sentence)
        return None

    def _const(self, node: "nodes.Const", scope: Scope) -> ValueShape | None:
        if node.value is None or isinstance(node.value, bool):
            return FLAG
        return LINE if isinstance(node.value, str) else NUMBER

    def _name(self, node: "nodes.Name", scope: Scope) -> ValueShape | None:
        if node.name in scope:
            return scope[node.name]
        if node.name not in self._excused:
            self._no(node, f"there is no value `{node.name[:40]}` here; {_instead(node.name, scope)}")
        return None

    def _getattr(self, node: "nodes.Getattr", scope: Scope) -> ValueShape | None:
        from jinja2 import nodes

        if not isinstance(node.node, nodes.Name | nodes.Getattr):
            return self._no(node, f"attributes are read from supplied values only; {ALLOWED}")
        owner = self.shape(node.node, scope)
        if owner is None:
            return None
        if owner.record is None:
            return self._no(node, f"`{node.attr[:40]}` is asked of a value that has no attributes; {_parts(owner)}")
        known = attributes(owner.record)
        if node.attr not in known:
            return self._no(node, f"there is no attribute `{node.attr[:40]}` here; {_instead(node.attr, known)}")
        return known[node.attr]

    def _compare(self, node: "nodes.Compare", scope: Scope) -> ValueShape | None:
        left = self.shape(node.expr, scope)
        for operand in node.ops:
            right = self.shape(operand.expr, scope)
            if left is not None and right is not None:
                self._comparable(node, operand.op, left.kind, right.kind)
            left = right
        return FLAG

    def _comparable(self, node: "nodes.Node", op: str, left: ExpressionKind, right: ExpressionKind) -> None:
        if max(left, right) > ExpressionKind.LINE:
            self._no(node, "bodies of text, lists and records cannot be compared; lines, numbers and flags can")
        elif op in {"in", "notin"} and not left == right == ExpressionKind.LINE:
            self._no(node, "`in` looks for a line within a line")
        elif op not in {"eq", "ne", "in", "notin"} and left != right:
            self._no(node, "`<` and `>` compare two lines or two numbers")

    def _and(self, node: "nodes.And", scope: Scope) -> ValueShape | None:
        return _greater(self.shape(node.left, scope), self.shape(node.right, scope))

    def _or(self, node: "nodes.Or", scope: Scope) -> ValueShape | None:
        return _greater(self.shape(node.left, scope), self.shape(node.right, scope))

    def _not(self, node: "nodes.Not", scope: Scope) -> ValueShape | None:
        self.shape(node.node, scope)
        return FLAG

    def _condexpr(self, node: "nodes.CondExpr", scope: Scope) -> ValueShape | None:
        self.shape(node.test, scope)
        first = self.shape(node.expr1, scope)
        if node.expr2 is None:
            return self._no(node, "`a if b` needs its `else`")
        return _greater(first, self.shape(node.expr2, scope))

    def _test(self, node: "nodes.Test", scope: Scope) -> ValueShape | None:
        self.shape(node.node, scope)
        if node.name not in TESTS or node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            return self._no(node, f"`is {node.name[:40]}` is not allowed; allowed: is {', is '.join(TESTS)}")
        return FLAG

    def _filter(self, node: "nodes.Filter", scope: Scope) -> ValueShape | None:
        if node.name not in FILTERS:
            near = nearest(node.name, FILTERS)
            meant = f"; did you mean `{near}`?" if near else ""
            return self._no(node, f"the filter `{node.name[:40]}` is not allowed; allowed: {', '.join(FILTERS)}{meant}")
        if node.node is None:
            return self._no(node, "a filter needs a value before it")
        if not self._plain_arguments(node):
            return self._no(node, f"`{node.name}` is not used so; only `default` and `join` take a constant")
        shape = self.shape(node.node, scope)
        return None if shape is None else self._filtered(node, shape)

    def _plain_arguments(self, node: "nodes.Filter") -> bool:
        from jinja2 import nodes

        most = {"default": 2, "join": 1}.get(node.name, 0)
        constant = all(isinstance(argument, nodes.Const) for argument in node.args)
        named = bool(node.kwargs or node.dyn_args or node.dyn_kwargs)
        return constant and not named and len(node.args) <= most

    def _filtered(self, node: "nodes.Filter", shape: ValueShape) -> ValueShape | None:
        lines = shape.item is not None and shape.item.kind is ExpressionKind.LINE
        if node.name == "length" and shape.kind in {ExpressionKind.LINE, ExpressionKind.BODY, ExpressionKind.LIST}:
            return NUMBER
        if node.name == "join" and lines:
            return BODY
        if node.name == "default" and shape.kind <= ExpressionKind.BODY:
            return _greater(shape, LINE)
        if node.name in {"lower", "title", "trim", "upper"} and shape.kind is ExpressionKind.LINE:
            return LINE
        takes = {"length": "texts and lists", "join": "lists of lines", "default": "texts, numbers and flags"}
        return self._no(node, f"`{node.name}` takes {takes.get(node.name, 'lines')} only")


def _greater(left: ValueShape | None, right: ValueShape | None) -> ValueShape | None:
    if left is None or right is None:
        return None
    return max(left, right, key=lambda shape: shape.kind)


def _instead(name: str, known: Mapping[str, ValueShape]) -> str:
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else f"there are: {', '.join(sorted(known))}"


def _parts(shape: ValueShape) -> str:
    if shape.kind is ExpressionKind.LIST:
        return "go through it with `for`"
    if shape.record is None:
        return "print it as it is"
    return f"it has: {', '.join(sorted(attributes(shape.record)))}"
