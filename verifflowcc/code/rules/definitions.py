"""The definitions of a text in a language whose query names what it captures; `engine_reading` says how."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.code.rules.engine import Scopes, SourceText, first_of, one_line
from verifflowcc.code.rules.engine_forms import Dialect, named_in
from verifflowcc.code.rules.graph import CALLABLE, FILE, TYPES, Definition, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

    Match = Mapping[str, list[Node]]


SCOPES = CALLABLE | TYPES
_WEAK = (SymbolKind.VARIABLE, SymbolKind.FIELD, SymbolKind.TYPE)
_KINDS = {kind.value: kind for kind in SymbolKind}
_COMMENT = lazy_pattern(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


class RawDefinition:
    """A definition while it is put together; `inside` is a place among the scopes, then among all definitions."""

    __slots__ = ("body", "end", "inside", "kind", "name", "named", "owner", "result", "start")

    def __init__(self, kind: SymbolKind, named: "Node", node: "Node") -> None:
        self.kind, self.name, self.named, self.inside = kind, "", named.start_byte, FILE
        self.start, self.end = node.byte_range
        self.body = self.end
        self.owner = self.result = ""


class Definitions:
    """The definitions of a text, and what is around each; `scoped` are those that others may stand in."""

    def __init__(self, dialect: Dialect, source: SourceText, matches: "list[Match]") -> None:
        self.dialect, self.source = dialect, source
        self.taken: set[int] = set()
        self.wholes: dict[int, int] = {}
        self.captured: dict[str, list[tuple[Node, Match]]] = {}
        for match in matches:
            for key, nodes in match.items():
                self.captured.setdefault(key, []).extend([(node, match) for node in nodes])
        outer = [node.byte_range for node, _ in self.captured.get("outer", ())]
        self.imports = [node for node, _ in self.captured.get("import", ())]
        self.import_ranges = Scopes(_nested([node.byte_range for node in self.imports]))
        found = [raw for raw in self._found() if raw.kind is not SymbolKind.VARIABLE or not self.in_import(raw.named)]
        self.scoped = [raw for raw in found if raw.kind in SCOPES]
        self.scopes = Scopes([(raw.start, raw.end) for raw in self.scoped], outer)
        self.bound: dict[tuple[int, str], bool] = {}
        self.raws = self._placed(found)

    def in_import(self, place: int) -> bool:
        """Say whether a place is in an import."""
        return self.import_ranges.inside(place) != FILE

    def _found(self) -> list[RawDefinition]:
        """Return the definitions in order; where two patterns name the same place, a variable is the weaker one."""
        found: dict[int, RawDefinition] = {}
        for node, match in self.captured.get("whole", ()):
            self.wholes[match["inner"][0].start_byte] = node.start_byte
        for around, match in self.captured.get("title", ()):
            kind = next(name for name in match if name in _KINDS)
            named = self.named(around, _KINDS[kind] in CALLABLE)
            if named is not None:
                raw = RawDefinition(_KINDS[kind], named, match[kind][0])
                raw.name = self.dialect.title(self.source.of(named))
                self.taken.add(raw.named)
                if "::" in raw.name:
                    before, _, raw.name = raw.name.rpartition("::")
                    self.taken.add(named.end_byte - len(raw.name))
                    raw.owner = "" if raw.kind in TYPES else self.dialect.type_name(before).rpartition(".")[2]
                if "body" in match:
                    raw.body = match["body"][0].start_byte
                elif self.dialect.has_bare_bodies and raw.kind in SCOPES:
                    raw.body = match["head"][0].end_byte if "head" in match else named.end_byte
                if "owner" in match:
                    raw.owner = self.dialect.type_name(self.source.of(match["owner"][0])).rpartition(".")[2]
                if "result" in match:
                    raw.result = self.dialect.type_name(self.source.of(match["result"][0]))
                earlier = found.get(raw.named)
                if raw.name and raw.name[0] not in "[\"'`" and (earlier is None or earlier.kind in _WEAK):
                    found[raw.named] = raw
        return sorted(found.values(), key=lambda raw: (raw.start, -raw.end, raw.named))

    def named(self, node: "Node", function: bool = False) -> "Node | None":
        """Return the name in what a query says is one; None in a declarator of something else."""
        return named_in(node, function) if node.type.endswith("declarator") else node

    def _placed(self, found: list[RawDefinition]) -> list[RawDefinition]:
        """Say of each definition what is around it; leave out the local variables of functions."""
        kept: list[RawDefinition] = []
        seen: set[tuple[int, str]] = set()
        number = 0
        for raw in found:
            is_scope = raw.kind in SCOPES
            if is_scope:
                raw.inside = self.scopes.parents[number]
                number += 1
            else:
                raw.inside = self.scopes.inside(raw.start)
            while raw.inside != FILE and self.scoped[raw.inside].kind is SymbolKind.TYPE:
                raw.inside = self.scopes.parents[raw.inside]
            around = self.scoped[raw.inside].kind if raw.inside != FILE else None
            in_type = around in TYPES and around is not SymbolKind.MODULE
            if raw.kind is SymbolKind.FUNCTION and (in_type or raw.owner):
                raw.kind = SymbolKind.METHOD
            elif raw.kind is SymbolKind.VARIABLE and in_type:
                raw.kind = SymbolKind.FIELD
            if raw.kind is SymbolKind.VARIABLE and around in CALLABLE:
                self.bound.setdefault((raw.inside, raw.name), False)
                continue
            if not is_scope and ((raw.inside, raw.name) in seen):
                continue
            seen.add((raw.inside, raw.name))
            if not raw.owner:
                self.bound[raw.inside, raw.name] = True
            kept.append(raw)
        return kept

    def add_fields(self) -> None:
        """Add the fields that methods set on their own object (`self`, `this`)."""
        have = {(raw.inside, raw.name) for raw in self.raws}
        added = []
        for name, match in self.captured.get("field", ()):
            if "title" in match:
                continue
            node = match["whole_field"][0]
            around = self.type_around(self.scopes.inside(node.start_byte))
            text = self.dialect.title(self.source.of(name))
            if around != FILE and (around, text) not in have:
                have.add((around, text))
                raw = RawDefinition(SymbolKind.FIELD, name, node)
                raw.name, raw.inside = text, around
                added.append(raw)
        if added:
            self.raws = sorted(self.raws + added, key=lambda raw: (raw.start, -raw.end, raw.named))

    def type_around(self, scope: int) -> int:
        """Return the innermost type around a scope, or that."""
        while scope != FILE and self.scoped[scope].kind not in TYPES:
            scope = self.scopes.parents[scope]
        return scope

    def definition(self, raw: RawDefinition, place: Mapping[int, int]) -> Definition:
        """Return a definition; `place` says where each scope is among all definitions."""
        source = self.source
        line = source.line(raw.named)
        begin = self.wholes.get(raw.start, raw.start)
        begin = min(begin, self.wholes.get(begin, begin))
        start = raw.start
        on_line = source.ends[line - 2] + 1 if line > 1 else 0
        if self.dialect.from_name or (begin < start and begin <= on_line):
            start = max(begin, on_line)
        end = raw.body if raw.body > raw.named else raw.end
        head = source[start : min(end, start + 1000)]
        if raw.body == raw.end and "\n" in head and raw.kind not in CALLABLE:
            head = head.partition("\n")[0].rstrip() + " …"
        if "\n" in head:
            head = _COMMENT.sub("", head)
        signature = one_line(head).rstrip(" {:;,") if not head.endswith("…") else one_line(head)
        first = first_of(line, source.first_line(begin))
        last = source.line(max(raw.end - 1, raw.start))
        around = place[raw.inside]
        return Definition(raw.kind, raw.name, line, last, around, signature, raw.owner, raw.result, first)


def _nested(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(ranges, key=lambda each: (each[0], -each[1]))
