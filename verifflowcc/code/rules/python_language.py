"""Python: what is captured in its trees, and the facts in that."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import LAST, QueryMatches, decoded, first_of, one_line
from verifflowcc.code.rules.graph import (
    FILE,
    Definition,
    FileFacts,
    Import,
    RecordColumns,
    Reference,
    ReferenceKind,
    SymbolKind,
    TypeHint,
)
from verifflowcc.code.rules.python_names import GAPS, LITERALS, LONGEST, OWN_NAMES, PLAIN, PythonNames, type_name

if TYPE_CHECKING:
    from typing import Any

    from tree_sitter import Node


# What a Python text speaks of: calls, bases, types, and known names that are used as values.

Mention = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_PLAIN_VALUES = frozenset(LITERALS.values())
_OWNERS = frozenset({"self", "cls", "super()"})
_CALL, _INHERIT, _USE, _TYPE = ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.USE, ReferenceKind.TYPE


def mentions(names: PythonNames) -> list[Mention]:
    """Return every name that is spoken of, in order."""
    ways = _NameUses(names)
    found = _name_mentions(names, ways)
    found += _attribute_mentions(names, ways)
    for key, place in ways.hidden.items():
        names.typed.setdefault(key, ("?", names.source.line(place)))
    for node in names.found.nodes("quoted"):
        start, end = node.byte_range
        for match in _DOTTED.finditer(names.text, start + 1, end - 1):
            receiver, _, name = match[0].rpartition(".")
            if receiver or name not in OWN_NAMES:
                found.append((match.start(), _TYPE, name, receiver))
    found.sort()
    return found


def _type_ranges(names: PythonNames) -> tuple[list[int], list[int]]:
    ranges = names.found.ranges("type")
    for node in names.tests:
        given = node.next_named_sibling
        if given is not None and given.named_child_count > 1:
            tested = given.named_child(1)
            if tested is not None:
                ranges.append(tested.byte_range)
    ranges.sort()
    starts, ends, last = [], [], 0
    for start, end in ranges:
        if end > last:
            starts.append(start)
            ends.append(end)
            last = end
    return starts, ends


class _NameUses:
    """How names are spoken of, by where they stand, and which names of a text can be of interest.

    `known` are names that the text binds somewhere; `hidden` is where a name that is called or a receiver, but means
    nothing that is known, comes first in its scope.
    """

    __slots__ = ("bases", "ends", "hidden", "known", "starts")

    def __init__(self, names: PythonNames) -> None:
        self.bases = {node.byte_range for node in names.found.nodes("base")}
        self.known = {name for _, name in names.bound}
        self.starts, self.ends = _type_ranges(names)
        self.hidden: dict[tuple[int, str], int] = {}

    def hide(self, scope: int, name: str, place: int) -> None:
        """Note that a name means nothing that is known; nodes come in no order, so the first place is kept."""
        key = (scope, name)
        if place < self.hidden.get(key, place + 1):
            self.hidden[key] = place

    def is_type(self, place: int) -> bool:
        """Say whether a place is in something that names types."""
        at = bisect_right(self.starts, place) - 1
        return at >= 0 and place < self.ends[at]


def _name_mentions(names: PythonNames, ways: _NameUses) -> list[Mention]:
    inside, known, bases, typeless = names.inside, ways.known, ways.bases, not ways.starts
    targets = {node.start_byte for node in names.found.nodes("target")}
    found: list[Mention] = []
    for start, end, name, called in names.spoken:
        kind = _CALL if called else _INHERIT if (start, end) in bases else None
        if kind is None:
            kind = _USE if typeless or not ways.is_type(start) else _TYPE
            if (kind is _USE and name not in known) or start == end or start in targets:
                continue
        if name in known:
            hit, scope = names.meant(inside(start), name)
            if hit is False:
                if kind is _CALL:
                    ways.hide(scope, name, start)
                elif kind is _USE:
                    continue
            elif hit is None and (kind is _USE or name in OWN_NAMES):
                continue
        elif name in OWN_NAMES:
            continue
        found.append((start, kind, name, ""))
    return found


def _attribute_mentions(names: PythonNames, ways: _NameUses) -> list[Mention]:
    text, inside, known, bases, typeless = names.text, names.inside, ways.known, ways.bases, not ways.starts
    plain, is_called, split = names.source.is_plain, names.is_called, _SPLIT
    asked = known | {name for _, name in names.typed} | {"self", "cls"}
    found: list[Mention] = []
    for node in names.found.nodes("attribute"):
        where = start, end = node.byte_range
        follows = text[end : end + 1]
        called = follows == "(" or (follows in GAPS and is_called(node, end))
        kind = _CALL if called else _INHERIT if where in bases else None
        part = text[start:end] if end - start < LONGEST else ""
        receiver, name, root = split[part]
        if kind is None and root not in asked and (typeless or not ways.is_type(start)) and part[:6] != "super(":
            continue
        as_text = plain  # a form is decoded already
        if name:
            pass
        elif kind is _CALL or (part.startswith("super(") and part.count(".") == 1):
            receiver, name = _parts(names, node)
            root = receiver.partition(".")[0]
            as_text = True
        else:
            continue
        hit: bool | None = None
        if root in known:
            hit, scope = names.meant(inside(start), root)
            if hit is False:
                ways.hide(scope, root, start)
        if kind is None:
            if not typeless and ways.is_type(start):
                kind = _TYPE
            elif hit or root in _OWNERS or _is_made(names, inside(start), root):
                kind = _USE
            else:
                continue
        if name:
            place = end - len(name)
            found.append((place, kind, name, receiver) if as_text else (place, kind, decoded(name), decoded(receiver)))
    return found


class _SplitAttributes(dict[str, tuple[str, str, str]]):
    """Receiver, name and first part of attributes, by their text, as they come again and again; where that is more than
    names with dots between them, receiver and name are empty."""

    def __missing__(self, part: str) -> tuple[str, str, str]:
        if len(self) > _MOST_SPLIT:
            self.clear()
        receiver, _, name = part.rpartition(".") if PLAIN(part) else ("", "", "")
        found = self[part] = (receiver, name, part.partition(".")[0])
        return found


_MOST_SPLIT = 100_000
_SPLIT = _SplitAttributes()


def _parts(names: PythonNames, node: "Node") -> tuple[str, str]:
    """Return receiver and name of an attribute whose text is no plain name."""
    owner = node.child_by_field_name("object")
    return (names.form(owner) if owner is not None else "?"), names.text_of(node.child_by_field_name("attribute"))


def _is_made(names: PythonNames, scope: int, name: str) -> bool:
    """Return whether a local name may have a type that the repository defines."""
    typed = names.typed.get((scope, name))
    while typed is None and scope != FILE:
        scope = names.parents[scope]
        typed = names.typed.get((scope, name))
    return typed is not None and typed[0] != "?" and typed[0] not in _PLAIN_VALUES


QUERY = """
(function_definition) @def
(class_definition) @class
(decorated_definition) @decorated
(assignment) @assign
(named_expression) @walrus
(type_alias_statement left: (type) @alias)
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(primary_expression/identifier) @name
(primary_expression/attribute) @attribute
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))
(class_definition superclasses: (argument_list (subscript subscript: (_) @type)))
(type) @type
(type (string) @quoted)
(except_clause value: (_) @type)
(as_pattern_target (identifier) @local)
(as_pattern_target (identifier) @target)
(with_item value: (as_pattern (call) alias: (as_pattern_target (identifier))) @with)
(for_statement left: [(identifier) (pattern_list)]) @loop
(pattern/identifier) @local
(parameter/identifier) @local
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(default_parameter name: (identifier) @local)
(parameters (default_parameter value: (_) @outer))
(parameters (typed_default_parameter value: (_) @outer))
(typed_parameter) @parameter
(typed_default_parameter) @parameter
(global_statement (identifier) @global)
"""

_COMMENT = re.compile(r"#[^\n]*")


def facts(found: QueryMatches) -> FileFacts:
    """Return what a Python text says of itself."""
    names = PythonNames(found)
    mentioned = mentions(names)
    definitions, place = _definitions(names)
    return FileFacts(
        "python",
        definitions,
        _references(names, mentioned, place),
        tuple([Import(*each, place[scope]) for each, scope in names.imports]),
        _typed_names(names, mentioned, place),
    )


def _definitions(names: PythonNames) -> tuple[tuple[Definition, ...], list[int]]:
    """Return the definitions by place in the text, and each scope's place among them (that of `FILE` is last)."""
    rows = [(start, 0, scope) for scope, (start, _) in enumerate(names.ranges)]
    rows += [(each[0], 1, number) for number, each in enumerate(names.variables)]
    rows.sort()
    place = [0] * len(names.ranges) + [FILE]
    for number, (_, is_variable, which) in enumerate(rows):
        if not is_variable:
            place[which] = number
    decorated = {}
    for node in names.found.nodes("decorated"):
        inner = node.child_by_field_name("definition")
        if inner is not None:
            decorated[inner.start_byte] = node.start_byte
    made = [
        _variable(names, which, place) if is_variable else _definition(names, which, place, decorated.get(start, start))
        for start, is_variable, which in rows
    ]
    return tuple(made), place


def _variable(names: PythonNames, number: int, place: list[int]) -> Definition:
    start, end, name, scope, kind = names.variables[number]
    line, first = names.source.line(start), names.source.first_line(start)
    head = names.source[start : min(end, start + 400)]
    signature = one_line(head.partition("\n")[0].rstrip() + (" …" if "\n" in head else ""))
    last = names.source.line(end - 1)
    return Definition(kind, name, line, last, place[scope], signature, start=first_of(line, first))


def _definition(names: PythonNames, scope: int, place: list[int], begin: int) -> Definition:
    node, (start, end), parent = names.nodes[scope], names.ranges[scope], names.parents[scope]
    source, named = names.source, node.child_by_field_name("name")
    line = source.line(named.start_byte if named is not None else start)
    result, last = "", named
    if names.is_class[scope]:
        kind = SymbolKind.CLASS
        last = node.child_by_field_name("superclasses") or named
    else:
        in_class = parent != FILE and names.is_class[parent]
        kind = SymbolKind.METHOD if in_class else SymbolKind.FUNCTION
        returned = node.child_by_field_name("return_type")
        last = returned or node.child_by_field_name("parameters") or named
        result = type_name(names.text_of(returned)) if returned is not None else ""
    signature = source[start : last.end_byte if last is not None else end]
    if "\n" in signature and "#" in signature:
        signature = _COMMENT.sub("", signature)
    first = first_of(line, source.first_line(begin))
    return Definition(
        kind, names.names[scope], line, source.line(end - 1), place[parent], one_line(signature), "", result, first
    )


def _references(names: PythonNames, found: list[Mention], place: list[int]) -> Sequence[Reference]:
    """Return what is spoken of, calls once for each line, all else once for each definition.

    Lines and definitions are gone through beside the names, which are in order: looking each up takes twice as long.
    They are columns, since making a record of each takes as long as all else here.
    """
    call, use, kind_of_type = ReferenceKind.CALL, ReferenceKind.USE, ReferenceKind.TYPE
    line, line_ends, scope_end, scope = 0, iter([*names.source.ends, LAST]), 0, FILE
    line_end, stretches = -1, names.scopes.stretches()
    seen: set[tuple[int, str, str, int]] = set()
    kinds: list[ReferenceKind] = []
    called: list[str] = []
    lines: list[int] = []
    scopes: list[int] = []
    receivers: list[str] = []
    for start, kind, name, receiver in found:
        while start > line_end:
            line_end, line = next(line_ends), line + 1
        while start >= scope_end:
            scope_end, scope = next(stretches)
        key = (
            scope,
            name,
            receiver,
            line if kind is call else 0 if kind is use else -1 if kind is kind_of_type else -2,
        )
        if key not in seen:
            seen.add(key)
            kinds.append(kind)
            called.append(name)
            lines.append(line)
            scopes.append(place[scope])
            receivers.append(receiver)
    columns: dict[str, Sequence[Any]] = {
        "kind": kinds,
        "name": called,
        "line": lines,
        "inside": scopes,
        "receiver": receivers,
    }
    return RecordColumns(Reference, len(kinds), columns.__getitem__)


def _typed_names(names: PythonNames, found: list[Mention], place: list[int]) -> tuple[TypeHint, ...]:
    """Return the types of names that matter for binding.

    These are fields, variables of the file, and names that are called or are receivers.
    """
    heads = {receiver or name for _, _, name, receiver in found}
    used = {head.partition(".")[0].partition("(")[0] for head in heads}
    made = [
        (line, place[scope], name, kind)
        for (scope, name), (kind, line) in names.typed.items()
        if scope == FILE or "." in name or name in used
    ]
    made += [(line, place[scope], name, kind) for scope, name, kind, line in names.typed_later if name in used]
    made.sort()
    return tuple(_changes(made))


def _changes(made: list[tuple[int, int, str, str]]) -> Iterator[TypeHint]:
    """Yield the types of a name by line, without repetitions."""
    last: dict[tuple[int, str], str] = {}
    for line, scope, name, kind in made:
        if last.get((scope, name)) != kind:
            last[scope, name] = kind
            yield TypeHint(name, kind, scope, line)
