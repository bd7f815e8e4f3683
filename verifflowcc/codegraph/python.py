"""Python: what is captured in its trees, and the facts in that: scopes, then what is bound in them, then what is
spoken of.
"""

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from verifflowcc.codegraph.engine import Found, Scopes, decoded, first_of, one_line
from verifflowcc.codegraph.python_imports import imports_in
from verifflowcc.codegraph.python_types import LITERALS, OWN_NAMES, type_name
from verifflowcc.domain.graph import FILE, Definition, FileFacts, Import, Reference, ReferenceKind, SymbolKind, Typed

if TYPE_CHECKING:
    from tree_sitter import Node

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
(call function: [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))
(class_definition superclasses: (argument_list (subscript subscript: (_) @type)))
(type) @type
(type (string) @quoted)
(except_clause value: (_) @type)
(as_pattern_target (identifier) @local)
(with_item value: (as_pattern (call) alias: (as_pattern_target (identifier))) @with)
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

_PLAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*").fullmatch
_COMMENT = re.compile(r"#[^\n]*")
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_FIELD = re.compile(r"(?:self|cls)\.([^\W\d]\w*)").fullmatch
_TESTS = ("isinstance", "issubclass")
_DEEPEST = 8
_LONGEST = 4_000
_FUNCTION, _METHOD, _CLASS = SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS
_CALL, _INHERIT, _USE, _TYPE = ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.USE, ReferenceKind.TYPE
_Said = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""


def facts(found: Found) -> FileFacts:
    """Return what a Python text says of itself."""
    reading = _Reading(found)
    reading.read_imports()
    reading.read_parameters()
    reading.read_assignments()
    reading.read_locals()
    said = reading.said()
    definitions, place = reading.definitions()
    return FileFacts(
        "python",
        definitions,
        reading.references(said, place),
        tuple([Import(*each, place[scope]) for each, scope in reading.imports]),
        reading.typed_names(said, place),
    )


class _Reading:
    """The reading of one text. Scopes are functions and classes, by their places in `scopes`.

    `bound` says of a name in a scope whether it is one that is known there (True), or only hides others (False).
    """

    def __init__(self, found: Found) -> None:
        self.found, self.source, self.text = found, found.source, found.source.text
        nodes = [(node.byte_range, node, _CLASS) for node in found.nodes("class")]
        nodes += [(node.byte_range, node, _FUNCTION) for node in found.nodes("def")]
        nodes.sort(key=lambda each: (each[0][0], -each[0][1]))
        self.ranges = [each[0] for each in nodes]
        self.nodes = [each[1] for each in nodes]
        self.is_class = [each[2] is _CLASS for each in nodes]
        self.scopes = Scopes(self.ranges, found.ranges("outer"))
        self.inside, self.parents = self.scopes.inside, self.scopes.parents
        self.variables: list[tuple[int, int, str, int, SymbolKind]] = []
        self.imports: list[tuple[tuple[str, str, str, int], int]] = []
        self.typed: dict[tuple[int, str], tuple[str, int]] = {}
        self.bound: dict[tuple[int, str], bool] = {}
        self.names = []
        for place, node in enumerate(self.nodes):
            name = self._text(node.child_by_field_name("name"))
            self.names.append(name)
            self.bound[self.parents[place], name] = True
        self.calls = {node.byte_range for node in found.nodes("call")}

    def _text(self, node: "Node | None") -> str:
        if node is None:
            return ""
        start, end = node.byte_range
        return decoded(self.text[start:end])

    def read_imports(self) -> None:
        """Read the import statements."""
        for start, end in self.found.ranges("import"):
            scope = self.inside(start)
            for module, name, alias, offset in imports_in(self.source[start:end]):
                self.imports.append(((module, name, alias, self.source.line(start + offset)), scope))
                if alias:
                    self.bound[scope, alias] = True

    def read_parameters(self) -> None:
        """Read the types of parameters."""
        for node in self.found.nodes("parameter"):
            name, kind = node.child(0), node.child_by_field_name("type")
            if name is not None and name.type == "identifier":
                self._type(node.start_byte, self._text(name), type_name(self._text(kind)))
                self.bound[self.inside(node.start_byte), self._text(name)] = False

    def read_assignments(self) -> None:
        """Read what is assigned: variables and fields, and what they are said to be."""
        nodes = [(node.start_byte, node) for node in self.found.nodes("assign")]
        nodes.sort(key=lambda each: each[0])
        seen: set[tuple[int, str]] = set()
        for start, node in nodes:
            left = node.child_by_field_name("left")
            if left is None:
                continue
            scope = self.inside(start)
            for target in [left] if left.type in ("identifier", "attribute") else left.named_children:
                self._assigned(target, scope, node if target is left else None, seen, node.end_byte)
        for start, end in self.found.ranges("alias"):
            scope, name = self.inside(start), self.source[start:end].partition("[")[0]
            self.variables.append((start, end, name, scope, SymbolKind.TYPE))
            self.bound[scope, name] = True
        for node in self.found.nodes("walrus"):
            self._typed_by(node.start_byte, node.child_by_field_name("name"), node.child_by_field_name("value"))
        for node in self.found.nodes("with"):
            alias = node.child_by_field_name("alias")
            self._typed_by(node.start_byte, alias and alias.named_child(0), node.named_child(0))

    def _assigned(self, target: "Node", scope: int, whole: "Node | None", seen: set[tuple[int, str]], end: int) -> None:
        start = target.start_byte
        name = self._text(target)
        owner = scope
        if target.type == "attribute":
            owner = self._class_around(scope)
            field = _FIELD(name)
            if field is None or owner == FILE:
                return
            if whole is not None:
                self._assigned_type(whole, start, name, scope, owner)
            name = field[1]
        elif target.type != "identifier":
            return
        else:
            if whole is not None:
                at_class = scope != FILE and self.is_class[scope]
                self._assigned_type(whole, start, f"self.{name}" if at_class else name, scope, scope)
            if scope != FILE and not self.is_class[scope]:
                return
            self.bound.setdefault((scope, name), True)
        if (owner, name) not in seen:
            seen.add((owner, name))
            kind = SymbolKind.VARIABLE if owner == FILE else SymbolKind.FIELD
            self.variables.append((start, end, name, owner, kind))

    def _assigned_type(self, node: "Node", start: int, name: str, scope: int, owner: int) -> None:
        said = node.child_by_field_name("type")
        if said is not None:
            self._type(start, name, type_name(self._text(said)), owner)
        else:
            self._type(start, name, self._value_type(node.child_by_field_name("right"), scope), owner)

    def _typed_by(self, start: int, name: "Node | None", value: "Node | None") -> None:
        if name is not None and name.type == "identifier":
            self._type(start, self._text(name), self._value_type(value, self.inside(start)))

    def _value_type(self, node: "Node | None", scope: int) -> str:
        """Return what a value is: `f()` for what a call returns, a literal's type, or that of a parameter."""
        if node is None:
            return ""
        kind = node.type
        if kind == "await" and node.named_child_count == 1:
            node = node.named_child(0)
            kind = node.type
        if kind == "call":
            function = node.child_by_field_name("function")
            form = self._form(function) if function is not None else "?"
            return "" if form == "?" else f"{form}()"
        if kind == "identifier":
            return self.typed.get((scope, self._text(node)), ("", 0))[0]
        return LITERALS.get(kind, "")

    def _type(self, start: int, name: str, kind: str, scope: int | None = None) -> None:
        if kind:
            key = (self.inside(start) if scope is None else scope, name)
            if key not in self.typed:
                self.typed[key] = (kind, self.source.line(start))

    def _class_around(self, scope: int) -> int:
        while scope != FILE and not self.is_class[scope]:
            scope = self.parents[scope]
        return scope

    def read_locals(self) -> None:
        """Note which names are hidden by parameters and local variables."""
        text, bound = self.text, self.bound
        known = {name for _, name in bound}
        known.update([text[start:end] for start, end in self.calls])
        elsewhere = {(self.inside(node.start_byte), self._text(node)) for node in self.found.nodes("global")}
        for node in self.found.nodes("local"):
            start, end = node.byte_range
            name = text[start:end]
            if name in known:
                scope = self.inside(start)
                if scope != FILE and not self.is_class[scope] and (scope, name) not in elsewhere:
                    bound.setdefault((scope, name), False)

    def _meant(self, scope: int, name: str) -> tuple[bool | None, int]:
        """Return whether a name is known in a scope (True), hidden there (False) or neither, and where."""
        bound, is_class, parents = self.bound, self.is_class, self.parents
        hit = bound.get((scope, name))
        while hit is None and scope != FILE:
            scope = parents[scope]
            while scope != FILE and is_class[scope]:
                scope = parents[scope]
            hit = bound.get((scope, name))
        return hit, scope

    def said(self) -> list[_Said]:
        """Return every name that is spoken of, in order."""
        types = self._type_ranges()
        said = self._names_said(types)
        said += self._attributes_said(types)
        for node in self.found.nodes("quoted"):
            start, end = node.byte_range
            for match in _DOTTED.finditer(self.text, start + 1, end - 1):
                receiver, _, name = match[0].rpartition(".")
                if receiver or name not in OWN_NAMES:
                    said.append((match.start(), _TYPE, name, receiver))
        said.sort()
        return said

    def _type_ranges(self) -> tuple[list[int], list[int]]:
        ranges = self.found.ranges("type")
        for node in self.found.nodes("call"):
            start, end = node.byte_range
            if end - start == 10 and self.text[start:end] in _TESTS:
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

    def _names_said(self, types: tuple[list[int], list[int]]) -> list[_Said]:
        text, calls, inside, starts, ends = self.text, self.calls, self.inside, *types
        bases = {node.byte_range for node in self.found.nodes("base")}
        known = {name for _, name in self.bound}
        said: list[_Said] = []
        for node in self.found.nodes("name"):
            where = start, end = node.byte_range
            name = text[start:end]
            at = bisect_right(starts, start) - 1
            if where in calls:
                kind = _CALL
            elif where in bases:
                kind = _INHERIT
            elif at >= 0 and start < ends[at]:
                kind = _TYPE
            elif name in known:
                kind = _USE
            else:
                continue
            if name in known:
                hit, scope = self._meant(inside(start), name)
                if hit is False:
                    if kind is _CALL:
                        self.typed.setdefault((scope, name), ("?", self.source.line(start)))
                    elif kind is _USE:
                        continue
                elif hit is None and (kind is _USE or name in OWN_NAMES):
                    continue
            elif name in OWN_NAMES:
                continue
            said.append((start, kind, name if name.isascii() else decoded(name), ""))
        return said

    def _attributes_said(self, types: tuple[list[int], list[int]]) -> list[_Said]:
        text, calls, inside, starts, ends = self.text, self.calls, self.inside, *types
        bases = {node.byte_range for node in self.found.nodes("base")}
        known = {name for _, name in self.bound}
        said: list[_Said] = []
        for node in self.found.nodes("attribute"):
            where = start, end = node.byte_range
            part = text[start:end] if end - start < _LONGEST else ""
            if _PLAIN(part):
                receiver, _, name = part.rpartition(".")
            elif where in calls or (part.startswith("super(") and part.count(".") == 1):
                name = self._text(node.child_by_field_name("attribute"))
                owner = node.child_by_field_name("object")
                receiver = self._form(owner) if owner is not None else "?"
            else:
                continue
            root = receiver.partition(".")[0]
            hit: bool | None = None
            if root in known:
                hit, scope = self._meant(inside(start), root)
                if hit is False:
                    self.typed.setdefault((scope, root), ("?", self.source.line(start)))
            at = bisect_right(starts, start) - 1
            if where in calls:
                kind = _CALL
            elif where in bases:
                kind = _INHERIT
            elif at >= 0 and start < ends[at]:
                kind = _TYPE
            elif hit or receiver in ("self", "cls", "super()"):
                kind = _USE
            else:
                continue
            said.append((end - len(name), kind, decoded(name), decoded(receiver)))
        return said

    def _form(self, node: "Node", depth: int = 0) -> str:
        """Return the plain form of a receiver: `a.b`, `A()`, `?`."""
        kind = node.type
        start, end = node.byte_range
        if kind == "identifier":
            return decoded(self.text[start:end])
        if depth < _DEEPEST and kind == "attribute":
            if end - start < _LONGEST and _PLAIN(self.text[start:end]):
                return decoded(self.text[start:end])
            inner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
            form = self._form(inner, depth + 1) if inner is not None else "?"
            return "?" if form == "?" else f"{form}.{self._text(name)}"
        if depth < _DEEPEST and kind == "call":
            inner = node.child_by_field_name("function")
            form = self._form(inner, depth + 1) if inner is not None else "?"
            return "?" if form == "?" else f"{form}()"
        return "?"

    def definitions(self) -> tuple[tuple[Definition, ...], list[int]]:
        """Return the definitions by place in the text, and each scope's place among them (that of `FILE` is last)."""
        rows = [(start, 0, scope) for scope, (start, _) in enumerate(self.ranges)]
        rows += [(each[0], 1, number) for number, each in enumerate(self.variables)]
        rows.sort()
        place = [0] * len(self.ranges) + [FILE]
        for number, (_, is_variable, which) in enumerate(rows):
            if not is_variable:
                place[which] = number
        decorated = {}
        for node in self.found.nodes("decorated"):
            inner = node.child_by_field_name("definition")
            if inner is not None:
                decorated[inner.start_byte] = node.start_byte
        made = [
            self._variable(which, place) if is_variable else self._definition(which, place, decorated.get(start, start))
            for start, is_variable, which in rows
        ]
        return tuple(made), place

    def _variable(self, number: int, place: list[int]) -> Definition:
        start, end, name, scope, kind = self.variables[number]
        line, first = self.source.line(start), self.source.first_line(start)
        head = self.source[start : min(end, start + 400)]
        signature = one_line(head.partition("\n")[0].rstrip() + (" …" if "\n" in head else ""))
        last = self.source.line(end - 1)
        return Definition(kind, name, line, last, place[scope], signature, start=first_of(line, first))

    def _definition(self, scope: int, place: list[int], begin: int) -> Definition:
        node, (start, end), parent = self.nodes[scope], self.ranges[scope], self.parents[scope]
        source, named = self.source, node.child_by_field_name("name")
        line = source.line(named.start_byte if named is not None else start)
        result, last = "", named
        if self.is_class[scope]:
            kind = _CLASS
            last = node.child_by_field_name("superclasses") or named
        else:
            kind = _METHOD if parent != FILE and self.is_class[parent] else _FUNCTION
            said = node.child_by_field_name("return_type")
            last = said or node.child_by_field_name("parameters") or named
            result = type_name(self._text(said)) if said is not None else ""
        signature = source[start : last.end_byte if last is not None else end]
        if "\n" in signature and "#" in signature:
            signature = _COMMENT.sub("", signature)
        first = first_of(line, source.first_line(begin))
        return Definition(
            kind, self.names[scope], line, source.line(end - 1), place[parent], one_line(signature), "", result, first
        )

    def references(self, said: list[_Said], place: list[int]) -> tuple[Reference, ...]:
        """Return what is spoken of, calls once for each line, all else once for each definition."""
        inside, line_of = self.inside, self.source.line
        seen: set[tuple[ReferenceKind, str, int, int, str]] = set()
        made = []
        for start, kind, name, receiver in said:
            line, scope = line_of(start), place[inside(start)]
            key = (kind, name, line if kind is _CALL else 0, scope, receiver)
            if key not in seen:
                seen.add(key)
                made.append(Reference(kind, name, line, scope, receiver))
        return tuple(made)

    def typed_names(self, said: list[_Said], place: list[int]) -> tuple[Typed, ...]:
        """Return what names are said to be: fields, variables of the file, and what is called or a receiver."""
        used = {(receiver or name).partition(".")[0].partition("(")[0] for _, _, name, receiver in said}
        made = [
            (line, place[scope], name, kind)
            for (scope, name), (kind, line) in self.typed.items()
            if scope == FILE or "." in name or name in used
        ]
        made.sort()
        return tuple([Typed(name, kind, scope, line) for line, scope, name, kind in made])
