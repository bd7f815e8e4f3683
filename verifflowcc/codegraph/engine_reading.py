"""The facts of a text in a language whose query names what it captures: the reader of all languages but Python.

What a query may capture, by match: a definition by its kind (`@function`, `@class` …) with `@title` (a name), `@body`,
`@result`, `@owner`; `@call` and `@member` with `@of`, the receiver; `@new`, `@base`, `@type`, `@use` (names as values),
`@part` (of a path); `@implemented` by `@implementor`; `@key` and `@package`, names that mean nothing elsewhere;
`@local` (a name that hides others), `@type_parameter`; `@typed` (or `@typed_field`) with `@as` (a type) or `@value`;
`@field` in `@whole_field` (a field that a method makes); `@import`; `@inner` in `@whole` (what a definition is wrapped
in); `@outer` (what belongs to the scope around).
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from verifflowcc.codegraph.engine import Scopes, Source, first_of, one_line
from verifflowcc.codegraph.engine_forms import Dialect, Taken, form_of, is_name, named_in
from verifflowcc.domain.graph import (
    CALLABLE,
    FILE,
    TYPES,
    Definition,
    FileFacts,
    Import,
    Reference,
    ReferenceKind,
    SymbolKind,
    Typed,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    Match = Mapping[str, list[Node]]

Said = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""
SCOPES = CALLABLE | TYPES
_WEAK = (SymbolKind.VARIABLE, SymbolKind.FIELD, SymbolKind.TYPE)
_KINDS = {kind.value: kind for kind in SymbolKind}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LONGEST = 2_000
_MOST_TYPES = 6


def read_matches(dialect: Dialect, source: Source, matches: "Iterable[tuple[int, Match]]") -> FileFacts:
    """Return what a text says of itself, from the matches of its query."""
    return _Reading(dialect, source, [match for _, match in matches]).facts()


class _Raw:
    """A definition while it is put together; `inside` is a place among the scopes, then among all definitions."""

    __slots__ = ("body", "end", "inside", "kind", "name", "named", "owner", "result", "start")

    def __init__(self, kind: SymbolKind, named: "Node", node: "Node") -> None:
        self.kind, self.name, self.named, self.inside = kind, "", named.start_byte, FILE
        self.start, self.end = node.byte_range
        self.body = self.end
        self.owner = self.result = ""


class _Reading:
    def __init__(self, dialect: Dialect, source: Source, matches: "list[Match]") -> None:
        self.dialect, self.source, self.matches = dialect, source, matches
        self.taken: set[int] = set()
        self.wholes: dict[int, int] = {}
        self.implemented: dict[int, _Raw] = {}
        outer = [node.byte_range for match in matches for node in match.get("outer", ())]
        self.imports = [node for match in matches for node in match.get("import", ())]
        self.import_ranges = Scopes(_nested([node.byte_range for node in self.imports]))
        found = [raw for raw in self._found() if raw.kind is not SymbolKind.VARIABLE or not self._in_import(raw.named)]
        self.scoped = [raw for raw in found if raw.kind in SCOPES]
        self.scopes = Scopes([(raw.start, raw.end) for raw in self.scoped], outer)
        self.bound: dict[tuple[int, str], bool] = {}
        self.raws = self._placed(found)
        self.typed: dict[tuple[int, str], list[tuple[str, int]]] = {}

    def _in_import(self, place: int) -> bool:
        return self.import_ranges.inside(place) != FILE

    # --- definitions

    def _found(self) -> list[_Raw]:
        """Return the definitions in order; where two patterns name the same place, a variable is the weaker one."""
        found: dict[int, _Raw] = {}
        for match in self.matches:
            if "whole" in match:
                self.wholes[match["inner"][0].start_byte] = match["whole"][0].start_byte
            if "title" not in match:
                continue
            kind = next(name for name in match if name in _KINDS)
            for around in match["title"]:
                named = self._named(around, _KINDS[kind] in CALLABLE)
                if named is None:
                    continue
                raw = _Raw(_KINDS[kind], named, match[kind][0])
                raw.name = self.dialect.title(self.source.of(named))
                self.taken.add(raw.named)
                if "::" in raw.name:
                    before, _, raw.name = raw.name.rpartition("::")
                    self.taken.add(named.end_byte - len(raw.name))
                    raw.owner = "" if raw.kind in TYPES else self.dialect.type_name(before).rpartition(".")[2]
                if "body" in match:
                    raw.body = match["body"][0].start_byte
                elif self.dialect.name == "ruby" and raw.kind in SCOPES:
                    raw.body = match["head"][0].end_byte if "head" in match else named.end_byte
                if "owner" in match:
                    raw.owner = self.dialect.type_name(self.source.of(match["owner"][0])).rpartition(".")[2]
                if "result" in match:
                    raw.result = self.dialect.type_name(self.source.of(match["result"][0]))
                earlier = found.get(raw.named)
                if raw.name and raw.name[0] not in "[\"'`" and (earlier is None or earlier.kind in _WEAK):
                    found[raw.named] = raw
        return sorted(found.values(), key=lambda raw: (raw.start, -raw.end, raw.named))

    def _named(self, node: "Node", function: bool = False) -> "Node | None":
        return named_in(node, function) if node.type.endswith("declarator") else node

    def _placed(self, found: list[_Raw]) -> list[_Raw]:
        """Say of each definition what is around it; leave out the local variables of functions."""
        kept: list[_Raw] = []
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

    def _add_fields(self) -> None:
        """Add the fields that methods give to the object at hand."""
        have = {(raw.inside, raw.name) for raw in self.raws}
        added = []
        for match in self.matches:
            if "field" not in match or "title" in match:
                continue
            node, name = match["whole_field"][0], match["field"][0]
            around = self._type_around(self.scopes.inside(node.start_byte))
            text = self.dialect.title(self.source.of(name))
            if around != FILE and (around, text) not in have:
                have.add((around, text))
                raw = _Raw(SymbolKind.FIELD, name, node)
                raw.name, raw.inside = text, around
                added.append(raw)
        if added:
            self.raws = sorted(self.raws + added, key=lambda raw: (raw.start, -raw.end, raw.named))

    def _type_around(self, scope: int) -> int:
        while scope != FILE and self.scoped[scope].kind not in TYPES:
            scope = self.scopes.parents[scope]
        return scope

    def _definition(self, raw: _Raw, place: Mapping[int, int]) -> Definition:
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

    # --- what names mean

    def _read_imports(self) -> list[tuple[Taken, int]]:
        imports = []
        for node in self.imports:
            scope = self.scopes.inside(node.start_byte)
            for module, name, alias, place in self.dialect.imports(node, self.source.of(node)):
                imports.append(((module, name, alias, self.source.line(place)), scope))
                if alias:
                    self.bound[scope, alias] = True
        imports.sort(key=lambda each: each[0][3])
        return imports

    def _read_locals(self) -> None:
        for match in self.matches:
            for around in match.get("local", ()):
                node = self._named(around)
                if node is None:
                    continue
                self.taken.add(node.start_byte)
                scope = self.scopes.inside(node.start_byte)
                if scope != FILE and self.scoped[scope].kind in CALLABLE:
                    self.bound.setdefault((scope, self.dialect.title(self.source.of(node))), False)
            for key in ("key", "package"):
                self.taken.update([node.start_byte for node in match.get(key, ())])
            for node in match.get("type_parameter", ()):
                self.taken.add(node.start_byte)
                self.bound.setdefault((self.scopes.inside(node.start_byte), self.source.of(node)), False)

    def _read_types(self) -> None:
        """Read what names are said to be, in order."""
        rows = [
            (node.start_byte, key, node, match)
            for match in self.matches
            for key in ("typed", "typed_field", "typed_parameter")
            for node in match.get(key, ())
            if not self._in_import(node.start_byte)
        ]
        rows.sort(key=lambda row: row[:2])
        for start, key, around, match in rows:
            scope, node = self.scopes.inside(start), self._named(around)
            if node is None:
                continue
            if key == "typed":
                name, scope = self._typed_name(node, scope)
            elif key == "typed_parameter":
                name = self.form(node) if scope != FILE and self.scoped[scope].kind in CALLABLE else ""
            else:
                name, scope = f"self.{self.form(node)}", self._type_around(scope)
            kind = ""
            if "as" in match:
                kind = self.dialect.type_name(self.source.of(match["as"][0]))
            if not kind and "value" in match:
                kind = self._value(match["value"][0], scope)
            if kind and name:
                said = self.typed.setdefault((scope, name), [])
                if len(said) < _MOST_TYPES and (not said or said[-1][0] != kind):
                    said.append((kind, self.source.line(start)))

    def _typed_name(self, node: "Node", scope: int) -> tuple[str, int]:
        form = self.form(node)
        head, _, rest = form.partition(".")
        if rest:
            if head not in self.dialect.selves or "." in rest:
                return "", FILE
            around = self._type_around(scope)
            return (f"self.{rest}", around) if around != FILE else ("", FILE)
        kind = self.scoped[scope].kind if scope != FILE else None
        if kind in TYPES and kind is not SymbolKind.MODULE:
            return f"self.{form}", scope
        return form, scope

    def _value(self, node: "Node", scope: int) -> str:
        form = self.form(node)
        if form.endswith("()"):
            return form
        said = self.typed.get((scope, form))
        return said[0][0] if said else ""

    def form(self, node: "Node") -> str:
        """Return the plain form of a receiver: `a.b`, `A()`, `?`."""
        return form_of(self.dialect, self.source, node)

    # --- what is spoken of

    def _said(self) -> list[Said]:
        said: dict[int, Said] = {}
        for key, kind in _ORDER:
            for match in self.matches:
                for node in match.get(key, ()):
                    start = node.start_byte
                    if start in self.taken or (kind is ReferenceKind.USE and self._in_import(start)):
                        continue
                    each = self._one(key, kind, node, match)
                    if each is not None:
                        said[start] = each
                        self.taken.update((start, node.end_byte - len(each[2])))
        self._say_implemented(said)
        return sorted(said.values())

    def _say_implemented(self, said: "dict[int, Said]") -> None:
        """Say what a type inherits where that stands outside of it, if the type is in this file."""
        types = {raw.name: raw for raw in self.raws if raw.kind in TYPES}
        for match in self.matches:
            if "implemented" in match:
                node = match["implemented"][0]
                before, _, name = self.dialect.type_name(self.source.of(node)).rpartition(".")
                raw = types.get(self.dialect.type_name(self.source.of(match["implementor"][0])))
                if name and raw is not None:
                    self.implemented[node.start_byte] = raw
                    said[node.start_byte] = (node.start_byte, ReferenceKind.INHERIT, name, before)

    def _one(self, key: str, kind: ReferenceKind, node: "Node", match: "Match") -> "Said | None":
        start = node.start_byte
        receiver = self.form(match["of"][0]) if "of" in match else "self" if key == "instance" else ""
        name = self.dialect.title(self.source.of(node)) if node.end_byte - start < _LONGEST else ""
        if key in ("base", "new", "type") or not is_name(name):
            name = name if is_name(name) else self.dialect.type_name(name)
            before, _, name = name.rpartition(".")
            receiver = receiver or before
        if not name:
            return None
        scope = self.scopes.inside(start)
        hit, where = self._meant(scope, (receiver or name).partition(".")[0].partition("(")[0])
        own = not receiver and name in self.dialect.own
        if hit is False:
            if kind is not ReferenceKind.CALL or key == "bare":
                return None
            self.typed.setdefault((where, (receiver or name).partition(".")[0].partition("(")[0]), [])
        elif hit is None and (
            (own and key != "base")
            or key == "word"
            or (key == "use" and not (self.dialect.says_all and scope != FILE))
            or (key == "member" and receiver not in self.dialect.selves)
        ):
            return None
        return start, kind, name, receiver

    def _meant(self, scope: int, name: str) -> tuple[bool | None, int]:
        """Return whether a name is known in a scope (True), hidden there (False) or neither, and where."""
        while True:
            hit = self.bound.get((scope, name))
            if hit is not None or scope == FILE:
                return hit, scope
            scope = self.scopes.parents[scope]

    # --- all of it

    def facts(self) -> FileFacts:
        imports = self._read_imports()
        self._read_locals()
        self._read_types()
        self._add_fields()
        said = self._said()
        numbers = {id(raw): number for number, raw in enumerate(self.raws)}
        place = {scope: numbers[id(raw)] for scope, raw in enumerate(self.scoped)}
        place[FILE] = FILE
        return FileFacts(
            self.dialect.name,
            tuple([self._definition(raw, place) for raw in self.raws]),
            self._references(said, place, numbers),
            tuple([Import(*each, place[scope]) for each, scope in imports]),
            self._typed_names(said, place),
        )

    def _references(
        self, said: list[Said], place: Mapping[int, int], numbers: Mapping[int, int]
    ) -> tuple[Reference, ...]:
        seen: set[tuple[ReferenceKind, str, int, int, str]] = set()
        made = []
        for start, kind, name, receiver in said:
            line, raw = self.source.line(start), self.implemented.get(start)
            scope = place[self.scopes.inside(start)] if raw is None else numbers[id(raw)]
            key = (kind, name, line if kind is ReferenceKind.CALL else 0, scope, receiver)
            if key not in seen:
                seen.add(key)
                made.append(Reference(kind, name, line, scope, receiver))
        return tuple(made)

    def _typed_names(self, said: list[Said], place: Mapping[int, int]) -> tuple[Typed, ...]:
        used = {(receiver or name).partition(".")[0].partition("(")[0] for _, _, name, receiver in said}
        made = []
        for (scope, name), kinds in self.typed.items():
            if name and (scope == FILE or "." in name or name in used):
                line = self.scoped[scope].named if scope != FILE else 0
                for kind, at in kinds or [("?", self.source.line(line))]:
                    made.append((at, place[scope], name, kind))
        made.sort()
        return tuple([Typed(name, kind, scope, line) for line, scope, name, kind in made])


def _nested(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(ranges, key=lambda each: (each[0], -each[1]))


_ORDER = (
    ("call", ReferenceKind.CALL),
    ("new", ReferenceKind.CALL),
    ("base", ReferenceKind.INHERIT),
    ("part", ReferenceKind.USE),
    ("member", ReferenceKind.USE),
    ("type", ReferenceKind.TYPE),
    ("use", ReferenceKind.USE),
    ("bare", ReferenceKind.CALL),
    ("word", ReferenceKind.USE),
    ("instance", ReferenceKind.USE),
)
