"""What a Python text speaks of: calls, bases, types, and known names that are used as values."""

import re
from bisect import bisect_right

from verifflowcc.codegraph.engine import decoded
from verifflowcc.codegraph.python_names import LONGEST, PLAIN, Names
from verifflowcc.codegraph.python_types import LITERALS, OWN_NAMES
from verifflowcc.domain.graph import FILE, ReferenceKind

Said = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_PLAIN_VALUES = frozenset(LITERALS.values())
_TESTS = ("isinstance", "issubclass")
_CALL, _INHERIT, _USE, _TYPE = ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.USE, ReferenceKind.TYPE


def said_in(names: Names) -> list[Said]:
    """Return every name that is spoken of, in order."""
    types = _type_ranges(names)
    said = _names_said(names, types)
    said += _attributes_said(names, types)
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
    for node in names.found.nodes("call"):
        start, end = node.byte_range
        if end - start == 10 and names.text[start:end] in _TESTS:
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


def _marked(names: Names) -> dict[tuple[int, int], ReferenceKind]:
    """Return what is called, and what is inherited from."""
    marked = dict.fromkeys(names.calls, _CALL)
    marked.update([(node.byte_range, _INHERIT) for node in names.found.nodes("base")])
    return marked


def _names_said(names: Names, types: tuple[list[int], list[int]]) -> list[Said]:
    text, inside, starts, ends = names.text, names.inside, *types
    marked = _marked(names)
    known = {name for _, name in names.bound}
    targets = {node.start_byte for node in names.found.nodes("target")}
    said: list[Said] = []
    for node in names.found.nodes("name"):
        where = start, end = node.byte_range
        name = decoded(text[start:end])
        kind = marked.get(where)
        if kind is None:
            at = bisect_right(starts, start) - 1
            kind = _TYPE if at >= 0 and start < ends[at] else _USE
            if (kind is _USE and name not in known) or start == end or start in targets:
                continue
        if name in known:
            hit, scope = names.meant(inside(start), name)
            if hit is False:
                if kind is _CALL:
                    names.typed.setdefault((scope, name), ("?", names.source.line(start)))
                elif kind is _USE:
                    continue
            elif hit is None and (kind is _USE or name in OWN_NAMES):
                continue
        elif name in OWN_NAMES:
            continue
        said.append((start, kind, name, ""))
    return said


def _attributes_said(names: Names, types: tuple[list[int], list[int]]) -> list[Said]:
    text, calls, inside, starts, ends = names.text, names.calls, names.inside, *types
    bases = {node.byte_range for node in names.found.nodes("base")}
    known = {name for _, name in names.bound}
    said: list[Said] = []
    for node in names.found.nodes("attribute"):
        where = start, end = node.byte_range
        part = text[start:end] if end - start < LONGEST else ""
        if PLAIN(part):
            receiver, _, name = part.rpartition(".")
        elif where in calls or (part.startswith("super(") and part.count(".") == 1):
            name = names.text_of(node.child_by_field_name("attribute"))
            owner = node.child_by_field_name("object")
            receiver = names.form(owner) if owner is not None else "?"
            if not name:
                continue
        else:
            continue
        root = receiver.partition(".")[0]
        hit: bool | None = None
        if root in known:
            hit, scope = names.meant(inside(start), root)
            if hit is False:
                names.typed.setdefault((scope, root), ("?", names.source.line(start)))
        at = bisect_right(starts, start) - 1
        if where in calls:
            kind = _CALL
        elif where in bases:
            kind = _INHERIT
        elif at >= 0 and start < ends[at]:
            kind = _TYPE
        elif hit or root in ("self", "cls", "super()") or _is_made(names, inside(start), root):
            kind = _USE
        else:
            continue
        said.append((end - len(name), kind, decoded(name), decoded(receiver)))
    return said


def _is_made(names: Names, scope: int, name: str) -> bool:
    """Say whether a local name is said to be something that a type of the repository may be."""
    typed = names.typed.get((scope, name))
    while typed is None and scope != FILE:
        scope = names.parents[scope]
        typed = names.typed.get((scope, name))
    return typed is not None and typed[0] != "?" and typed[0] not in _PLAIN_VALUES
