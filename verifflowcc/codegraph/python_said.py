"""What a Python text speaks of: calls, bases, types, and known names that are used as values."""

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from verifflowcc.codegraph.engine import decoded
from verifflowcc.codegraph.python_names import LONGEST, PLAIN, Names
from verifflowcc.codegraph.python_types import LITERALS, OWN_NAMES
from verifflowcc.domain.graph import FILE, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

Said = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_PLAIN_VALUES = frozenset(LITERALS.values())
_OWNERS = frozenset({"self", "cls", "super()"})
_CALL, _INHERIT, _USE, _TYPE = ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.USE, ReferenceKind.TYPE


def said_in(names: Names) -> list[Said]:
    """Return every name that is spoken of, in order."""
    ways = _Ways(names)
    said = _names_said(names, ways)
    said += _attributes_said(names, ways)
    for key, place in ways.hidden.items():
        names.typed.setdefault(key, ("?", names.source.line(place)))
    for node in names.found.nodes("quoted"):
        start, end = node.byte_range
        for match in _DOTTED.finditer(names.text, start + 1, end - 1):
            receiver, _, name = match[0].rpartition(".")
            if receiver or name not in OWN_NAMES:
                said.append((match.start(), _TYPE, name, receiver))
    said.sort()
    return said


def _type_ranges(names: Names) -> tuple[list[int], list[int]]:
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


class _Ways:
    """How names are spoken of, by where they stand, and which names of a text can be of interest.

    `known` are names that the text binds somewhere; `hidden` is where a name that is called or a receiver, but means
    nothing that is known, stands first in its scope.
    """

    __slots__ = ("bases", "ends", "hidden", "known", "starts")

    def __init__(self, names: Names) -> None:
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


def _names_said(names: Names, ways: _Ways) -> list[Said]:
    inside, known, bases, typeless = names.inside, ways.known, ways.bases, not ways.starts
    targets = {node.start_byte for node in names.found.nodes("target")}
    said: list[Said] = []
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
        said.append((start, kind, name, ""))
    return said


def _attributes_said(names: Names, ways: _Ways) -> list[Said]:
    text, inside, known, bases, typeless = names.text, names.inside, ways.known, ways.bases, not ways.starts
    plain, is_called = names.source.is_plain, names.is_called
    asked = known | {name for _, name in names.typed} | {"self", "cls"}
    said: list[Said] = []
    for node in names.found.nodes("attribute"):
        where = start, end = node.byte_range
        kind = _CALL if is_called(node, end) else _INHERIT if where in bases else None
        part = text[start:end] if end - start < LONGEST else ""
        if kind is None and typeless and part.partition(".")[0] not in asked and not part.startswith("super("):
            continue
        as_text = plain  # a form is decoded already
        if PLAIN(part):
            receiver, _, name = part.rpartition(".")
        elif kind is _CALL or (part.startswith("super(") and part.count(".") == 1):
            receiver, name = _parts(names, node)
            as_text = True
        else:
            continue
        root = receiver.partition(".")[0]
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
            said.append((place, kind, name, receiver) if as_text else (place, kind, decoded(name), decoded(receiver)))
    return said


def _parts(names: Names, node: "Node") -> tuple[str, str]:
    """Return receiver and name of an attribute whose text is no plain name."""
    owner = node.child_by_field_name("object")
    return (names.form(owner) if owner is not None else "?"), names.text_of(node.child_by_field_name("attribute"))


def _is_made(names: Names, scope: int, name: str) -> bool:
    """Say whether a local name is said to be something that a type of the repository may be."""
    typed = names.typed.get((scope, name))
    while typed is None and scope != FILE:
        scope = names.parents[scope]
        typed = names.typed.get((scope, name))
    return typed is not None and typed[0] != "?" and typed[0] not in _PLAIN_VALUES
