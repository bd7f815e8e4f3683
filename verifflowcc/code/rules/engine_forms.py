"""The plain form of receivers: what languages write before a dot."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.engine import SourceText, first_child

if TYPE_CHECKING:
    from tree_sitter import Node


Taken = tuple[str, str, str, int]
"""Module, name, alias and offset of what an import takes."""
_PLAIN = re.compile(r"[^\W\d][\w]*(?:\.[^\W\d]\w*)*").fullmatch
_LONGEST = 2_000
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Forms:
    """How a language writes receivers (what is before a dot), by the types of nodes.

    `atoms` are names; `members` have an object and a name; `calls` a function; `methods` an object, which may be
    missing, and a name, both at once; `news` a type; `inner` are looked through; `plain` are names with other marks
    than dots between their parts; `fields` are names of fields of the current object; `maker` is the method
    that makes an object of its receiver.
    """

    atoms: frozenset[str]
    members: Mapping[str, tuple[str, str]]
    calls: Mapping[str, str]
    methods: Mapping[str, tuple[str, str]]
    news: Mapping[str, str]
    inner: frozenset[str]
    plain: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    maker: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a language has of its own beside its query.

    `own` are names that mean what the language says, unless a file says otherwise. `type_name` makes one name of the
    text of a type, `title` that of a name's own text. `says_all`: a name that the file does not know may be another
    file's, and counts when it is a value. `from_name`: a signature begins on the line of the name, since annotations
    are before it. `has_bare_bodies`: nothing that a query could name is before the body of a function.
    `members_are_bare`: methods name members of their type alone.
    """

    name: str
    forms: Forms
    own: frozenset[str]
    type_name: Callable[[str], str]
    imports: "Callable[[Node, str], Iterable[Taken]]"
    says_all: bool = False
    from_name: bool = False
    has_bare_bodies: bool = False
    members_are_bare: bool = False
    selves: frozenset[str] = frozenset({"this", "self"})
    title: Callable[[str], str] = str


def form_of(dialect: Dialect, source: SourceText, node: "Node", depth: int = 0) -> str:
    """Return the plain form of a receiver: `a.b`, `A()`, `?`."""
    forms, kind = dialect.forms, node.type
    if kind in forms.atoms:
        return dialect.title(source.of(node))
    if kind in forms.fields:
        return f"self.{dialect.title(source.of(node))}"
    if depth > _DEEPEST:
        return "?"
    if kind in forms.plain:
        name = dialect.type_name(source.of(node))
        return name if _PLAIN(name) else "?"
    if kind in forms.inner:
        inner = first_child(node)
        return form_of(dialect, source, inner, depth + 1) if inner is not None else "?"
    if kind in forms.members:
        return _member(dialect, source, node, *forms.members[kind], depth)
    if kind in forms.calls:
        function = node.child_by_field_name(forms.calls[kind])
        form = form_of(dialect, source, function, depth + 1) if function is not None else "?"
        return "?" if form == "?" else f"{form}()"
    if kind in forms.methods:
        form = _member(dialect, source, node, *forms.methods[kind], depth)
        if form.endswith(".new") and dialect.name == "ruby":
            form = form.removesuffix(".new")
        return "?" if form == "?" else f"{form}()"
    if kind in forms.news:
        field = forms.news[kind]
        made = node.child_by_field_name(field) if field else first_child(node)
        name = dialect.type_name(source.of(made)) if made is not None else ""
        return f"{name}()" if name else "?"
    return "?"


def _member(dialect: Dialect, source: SourceText, node: "Node", of: str, name: str, depth: int) -> str:
    owner, named = node.child_by_field_name(of), node.child_by_field_name(name)
    if named is None:
        return "?"
    title = dialect.title(source.of(named)) if named.end_byte - named.start_byte < _LONGEST else "?"
    if not is_name(title):
        title = dialect.type_name(title)
    if owner is None:
        return title or "?"
    form = form_of(dialect, source, owner, depth + 1)
    return "?" if form == "?" or not title else f"{form}.{title}"


def named_in(node: "Node", function: bool) -> "Node | None":
    """Return the name that one of C's declarators is around, if it declares a function, or something else; else None.

    What is no declarator is a name itself.
    """
    declares = False
    for _ in range(_DEEPEST):
        kind = node.type
        if not kind.endswith("declarator"):
            return node if declares == function else None
        inner = node.child_by_field_name("declarator") or _declared(node)
        if inner is None:
            return None
        declares = declares or (kind == "function_declarator" and inner.type != "parenthesized_declarator")
        node = inner
    return None


def _declared(node: "Node") -> "Node | None":
    """Return what a declarator surrounds where the grammar has no word for it: macros may come before it."""
    children = [child for child in node.named_children if child.type.endswith(("declarator", "identifier"))]
    return children[-1] if children else None


def is_name(text: str) -> bool:
    """Say whether a text is one name, with the marks that some languages put in or around names."""
    return text.isidentifier() or text.replace("$", "_").lstrip("#").rstrip("?!=").isidentifier()
