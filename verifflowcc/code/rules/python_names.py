"""What the names of a Python text mean where they stand: scopes, and what is defined, imported and assigned in them."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import QueryMatches, Scopes, decoded, first_child
from verifflowcc.code.rules.graph import FILE, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node


# Python's import statements, read from their text.

_NOISE = re.compile(r"#[^\n]*|\\\r?\n|[()]")
_TAKEN = re.compile(r"(\*|[^\W\d][\w.]*)(?:\s+as\s+([^\W\d]\w*))?")
_FROM = re.compile(r"from\s*([\w.\s]+?)\s+import\b|from\s*(\.+)\s*import\b")


def imports_in(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Yield module, name, alias and offset of each name that a statement takes.

    >>> list(imports_in("import a.b, c as d")), list(imports_in("from .m import (x as y)"))
    ([('a.b', '', 'a', 7), ('c', '', 'd', 12)], [('.m', 'x', 'y', 16)])
    """
    text = _NOISE.sub(lambda noise: " " * len(noise[0]), text)
    if text.startswith("import"):
        for match in _TAKEN.finditer(text, 6):
            yield match[1], "", match[2] or match[1].partition(".")[0], match.start()
        return
    head = _FROM.match(text)
    if head is None:
        return
    module = "".join((head[1] or head[2]).split())
    for match in _TAKEN.finditer(text, head.end()):
        yield module, match[1], "" if match[1] == "*" else match[2] or match[1], match.start()


# Python's names for types: what an annotation says, what a literal is, and which names are the language's own.

LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "float",
    "list": "list",
    "list_comprehension": "list",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
    "set": "set",
    "set_comprehension": "set",
    "tuple": "tuple",
    "true": "bool",
    "false": "bool",
}
"""The type of what a kind of node is written for."""

_PLAIN_TYPES = frozenset({*LITERALS.values(), "bytes", "object", "Any", "complex"} - {"list", "dict", "set", "tuple"})

OWN_NAMES = frozenset(
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile "
    "complex delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals "
    "hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min "
    "next object oct open ord pow print property range repr reversed round set setattr slice sorted "
    "staticmethod str sum super tuple type vars zip None True False Any self cls".split()
)
"""Names that mean what the language says, unless a file gives them another meaning."""

_NAME = re.compile(r"[^\W\d][\w.]*")
_WRAPPERS = frozenset({"Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"})
_HOLDS_FIRST = frozenset(
    "list List set Set frozenset FrozenSet deque Deque Iterable Iterator Sequence MutableSequence Collection Container "
    "AbstractSet MutableSet Reversible Generator AsyncIterable AsyncIterator AsyncGenerator AbstractContextManager "
    "AbstractAsyncContextManager ContextManager AsyncContextManager Awaitable Coroutine".split()
)
_HOLDS_SECOND = frozenset("dict Dict defaultdict DefaultDict OrderedDict Mapping MutableMapping".split())


def type_name(text: str) -> str:
    """Return the one type that an annotation names, with its module as written; "" where it names none or several.

    What holds others is given with the type of these, a mapping with that of its values, a type with its name.

    >>> type_name("Optional[a.Foo]"), type_name("'Foo' | None"), type_name("Repo[User]"), type_name("int | str")
    ('a.Foo', 'Foo', 'Repo', '')
    >>> type_name("list['Foo']"), type_name("dict[str, a.Foo | None]"), type_name("type[Foo]"), type_name("list[int]")
    ('list[Foo]', 'dict[a.Foo]', 'type[Foo]', 'list')
    """
    text = text.strip()
    for _ in range(5):
        if text[:1] in ("'", '"') and text[-1:] == text[:1]:
            text = text.strip("\"'").strip()
        parts = [part for part in _split(text, "|") if part != "None"]
        if len(parts) != 1:
            return ""
        text = parts[0]
        match = _NAME.match(text)
        if not match:
            if text[:1] in ("'", '"') and text[-1:] == text[:1]:
                continue
            return ""
        head, rest = match[0], text[match.end() :].strip()
        if not rest:
            return "" if head == "None" else head
        if not (rest.startswith("[") and rest.endswith("]")):
            return ""
        last = head.rpartition(".")[2]
        inner = _split(rest[1:-1], ",")
        if last in _WRAPPERS and inner:
            text = inner[0]
        elif last == "Union":
            text = "|".join(inner)
        else:
            return _with_held(head, last, inner)
    return ""


def _with_held(head: str, last: str, inner: list[str]) -> str:
    place = 0 if last in _HOLDS_FIRST or last in ("type", "Type") else 1 if last in _HOLDS_SECOND else -1
    held = type_name(inner[place]) if 0 <= place < len(inner) else ""
    held = "" if held.partition("[")[0] in _PLAIN_TYPES else held
    if last in ("type", "Type"):
        return f"type[{held}]" if held else ""
    return "" if last in ("Literal", "Callable") else f"{head}[{held}]" if held else head


def _split(text: str, at: str) -> list[str]:
    """Return the parts of a text between marks that stand in no brackets."""
    if at not in text:
        return [text.strip()] if text.strip() else []
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == at and not depth:
            parts.append(text[begin:place].strip())
            begin = place + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


PLAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*").fullmatch
LONGEST = 4_000
"""A receiver of more bytes is not taken from the text but from its nodes: many may stand in each other."""
_FIELD = re.compile(r"(?:self|cls)\.([^\W\d]\w*)").fullmatch
_DEEPEST = 8
_TESTS = ("isinstance", "issubclass")
_LEAVES = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
GAPS = frozenset(" \t\r\n\\#")
_TO_BRACKET = re.compile(r"[ \t\r\n\\]*+(?:#[^\n]*+[ \t\r\n\\]*+)*\(").match


class PythonNames:
    """The reading of one text. Scopes are functions and classes, by their places in `scopes`.

    `bound` says of a name in a scope whether it is one that is known there (True), or only hides others (False).
    `spoken` has the names that stand for values, `tests` the nodes of those of them that test for a type.
    """

    def __init__(self, found: QueryMatches) -> None:
        self.found, self.source, self.text = found, found.source, found.source.text
        nodes = [(node.byte_range, node, True) for node in found.nodes("class") if _has_name(node)]
        nodes += [(node.byte_range, node, False) for node in found.nodes("def") if _has_name(node)]
        nodes.sort(key=lambda each: (each[0][0], -each[0][1]))
        self.ranges = [each[0] for each in nodes]
        self.nodes = [each[1] for each in nodes]
        self.is_class = [each[2] for each in nodes]
        self.scopes = Scopes(self.ranges, found.ranges("outer"))
        self.inside, self.parents = self.scopes.inside, self.scopes.parents
        self.variables: list[tuple[int, int, str, int, SymbolKind]] = []
        self.imports: list[tuple[tuple[str, str, str, int], int]] = []
        self.typed: dict[tuple[int, str], tuple[str, int]] = {}
        self.typed_later: list[tuple[int, str, str, int]] = []
        self.bound: dict[tuple[int, str], bool] = {}
        self.names = []
        for place, node in enumerate(self.nodes):
            name = self.text_of(node.child_by_field_name("name"))
            self.names.append(name)
            self.bound[self.parents[place], name] = True
        self.tests: list[Node] = []
        self.spoken = self._spoken()
        self._read_imports()
        self._read_parameters()
        self._read_assignments()
        self._read_locals()

    def text_of(self, node: "Node | None") -> str:
        """Return the text of a node, if there is one."""
        if node is None:
            return ""
        start, end = node.byte_range
        return decoded(self.text[start:end])

    def is_called(self, node: "Node", end: int) -> bool:
        """Return whether the name or attribute that ends here, with one of `GAPS` after it, is called.

        Where a bracket follows at once, the text decides.
        """
        gap = _TO_BRACKET(self.text, end)
        if gap is None:
            return False
        return "\n" not in gap[0] or _is_function(node)

    def _spoken(self) -> list[tuple[int, int, str, bool]]:
        """Return each name that is used as a value: start, end, name, whether it is called."""
        text, plain, is_called = self.text, self.source.is_plain, self.is_called
        found = []
        for node in self.found.nodes("name"):
            start, end = node.byte_range
            name = text[start:end] if plain else decoded(text[start:end])
            follows = text[end : end + 1]
            called = follows == "(" or (follows in GAPS and is_called(node, end))
            if called and name in _TESTS:
                self.tests.append(node)
            found.append((start, end, name, called))
        self.tests.sort(key=lambda node: node.start_byte)
        return found

    def _read_imports(self) -> None:
        """Read the import statements."""
        for start, end in self.found.ranges("import"):
            scope = self.inside(start)
            for module, name, alias, offset in imports_in(self.source[start:end]):
                self.imports.append(((module, name, alias, self.source.line(start + offset)), scope))
                if alias:
                    self.bound[scope, alias] = True

    def _read_parameters(self) -> None:
        """Read the types of parameters."""
        for node in self.found.ordered("parameter"):
            name, kind = first_child(node), node.child_by_field_name("type")
            if name is not None and name.type == "identifier":
                self._type(node.start_byte, self.text_of(name), type_name(self.text_of(kind)))
                self.bound[self.inside(node.start_byte), self.text_of(name)] = False

    def _read_assignments(self) -> None:
        """Read assignments: variables and fields, with their types."""
        nodes = [(node.start_byte, node) for node in self.found.nodes("assign")]
        nodes.sort(key=lambda each: each[0])
        seen: set[tuple[int, str]] = set()
        for start, node in nodes:
            left = node.child_by_field_name("left")
            if left is None or (kind := left.type) == "subscript":
                continue
            scope = self.inside(start)
            if kind in ("identifier", "attribute"):
                self._assigned(left, kind, scope, node, seen, node.end_byte)
                continue
            for target in left.named_children:
                self._assigned(target, target.type, scope, None, seen, node.end_byte)
        for start, end in self.found.ranges("alias"):
            scope, name = self.inside(start), self.source[start:end].partition("[")[0]
            self.variables.append((start, end, name, scope, SymbolKind.TYPE))
            self.bound[scope, name] = True
        for node in self.found.ordered("walrus"):
            self._typed_by(node.start_byte, node.child_by_field_name("name"), node.child_by_field_name("value"))
        for node in self.found.ordered("with"):
            alias, given = node.child_by_field_name("alias"), first_child(node)
            form = self.form(given) if given is not None else "?"
            inner = first_child(alias) if alias is not None else None
            if form != "?" and inner is not None and inner.type == "identifier":
                self._type(node.start_byte, self.text_of(inner), f"{form}[with]")
        self._read_loops()
        self._read_tests()

    def _read_loops(self) -> None:
        """Read the types of what loops go through: the elements of a list, the values of a mapping."""
        for node in self.found.ordered("loop"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None:
                continue
            name: Node | None = left
            form = self.form(right)
            if left.type == "pattern_list" and left.named_child_count == 2:
                form, name = self._second(right, form), left.named_child(1)
            elif form.endswith(".values()"):
                form = f"{form.removesuffix('.values()')}[]"
            else:
                form = f"{form}[for]"
            if name is not None and name.type == "identifier" and not form.startswith("?"):
                self._type(node.start_byte, self.text_of(name), form)

    def _second(self, right: "Node", form: str) -> str:
        """Return the form of the second part of what a loop over pairs goes through."""
        if form.endswith(".items()"):
            return f"{form.removesuffix('.items()')}[]"
        if form == "enumerate()" and (given := right.child_by_field_name("arguments")) is not None:
            first = first_child(given)
            return f"{self.form(first)}[for]" if first is not None else "?"
        return "?"

    def _read_tests(self) -> None:
        """Read what a test for a type says of a name: inside of its branch, or after it where others leave."""
        for node in self.tests:
            given = node.next_named_sibling
            call = node.parent
            if given is None or call is None or given.named_child_count != 2 or self.text_of(node) != "isinstance":
                continue
            name, kind = given.named_children
            scope = self.inside(node.start_byte)
            form = self.form(kind)
            if name.type != "identifier" or form == "?" or scope == FILE or self.is_class[scope]:
                continue
            lines = self._holds_in(call)
            if lines is not None:
                self._narrowed((scope, self.text_of(name)), form, *lines)

    def _holds_in(self, test: "Node") -> tuple[int, int] | None:
        """Return the lines after and before which a test holds: 0 as the second where to the end of the scope."""
        line = self.source.line
        around = test.parent
        while around is not None and around.type in ("boolean_operator", "parenthesized_expression"):
            operator = around.child_by_field_name("operator")
            if operator is not None and operator.type != "and":
                return None
            test, around = around, around.parent
        if around is None:
            return None
        if around.type == "assert_statement":
            return line(test.end_byte), 0
        if around.type in ("if_statement", "elif_clause", "while_statement"):
            body = around.child_by_field_name("consequence") or around.child_by_field_name("body")
            return (line(test.end_byte), line(body.end_byte - 1)) if body is not None else None
        if around.type == "not_operator" and (branch := around.parent) is not None and branch.type == "if_statement":
            body = branch.child_by_field_name("consequence")
            leaves = body is not None and body.named_children and body.named_children[-1].type in _LEAVES
            return (line(branch.end_byte - 1), 0) if leaves else None
        return None

    def _narrowed(self, key: tuple[int, str], form: str, begin: int, end: int) -> None:
        if key not in self.typed:
            self.typed[key] = ("?", self.source.line(self.ranges[key[0]][0]))
        later = [(line, kind) for scope, name, kind, line in self.typed_later if (scope, name) == key and line < begin]
        kind = max([(0, self.typed[key][0]), *later])[1]
        self.typed_later.append((*key, form, begin))
        if end:
            self.typed_later.append((*key, kind, end))

    def _assigned(
        self, target: "Node", kind: str, scope: int, whole: "Node | None", seen: set[tuple[int, str]], end: int
    ) -> None:
        start = target.start_byte
        name = self.text_of(target)
        owner = scope
        if kind == "attribute":
            owner = self._class_around(scope)
            field = _FIELD(name)
            if field is None or owner == FILE:
                return
            if whole is not None:
                self._assigned_type(whole, start, name, scope, owner)
            name = field[1]
        elif kind != "identifier":
            return
        else:
            if whole is not None:
                at_class = scope != FILE and self.is_class[scope]
                self._assigned_type(whole, start, f"self.{name}" if at_class else name, scope, scope)
            if scope != FILE and not self.is_class[scope]:
                return
            self.bound.setdefault((scope, name), True)
        if name and (owner, name) not in seen:
            seen.add((owner, name))
            self.variables.append((start, end, name, owner, SymbolKind.VARIABLE if owner == FILE else SymbolKind.FIELD))

    def _assigned_type(self, node: "Node", start: int, name: str, scope: int, owner: int) -> None:
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            self._type(start, name, type_name(self.text_of(annotation)), owner)
        else:
            right = node.child_by_field_name("right")
            if right is None or right.type != "none":
                kind = self._value_type(right, scope)
                if owner == scope or not kind.startswith("=") or kind.startswith("=self."):
                    self._type(start, name, kind, owner)

    def _typed_by(self, start: int, name: "Node | None", value: "Node | None") -> None:
        if name is not None and name.type == "identifier":
            self._type(start, self.text_of(name), self._value_type(value, self.inside(start)))

    def _value_type(self, node: "Node | None", scope: int) -> str:
        """Return what a value is: `f()` for what a call returns, a literal's type, or that of a parameter."""
        if node is None:
            return ""
        kind = node.type
        depth = 0
        while kind == "assignment" and depth < _DEEPEST and (inner := node.child_by_field_name("right")) is not None:
            node, kind, depth = inner, inner.type, depth + 1
        if kind == "await":
            node = first_child(node) or node
            kind = node.type
        if kind == "call":
            function = node.child_by_field_name("function")
            form = self.form(function) if function is not None else "?"
            return "" if form == "?" else f"{form}()"
        if kind == "identifier":
            known = self.typed.get((scope, self.text_of(node)), ("", 0))[0]
            return known or self._alias(self.text_of(node))
        if kind in ("attribute", "subscript"):
            return self._alias(self.form(node))
        return LITERALS.get(kind, "")

    def _alias(self, form: str) -> str:
        """Return how it is written that a name is another one for something: `=a.b`."""
        return "" if form == "?" or form in OWN_NAMES else f"={form}"

    def _type(self, start: int, name: str, kind: str, scope: int | None = None) -> None:
        key = (self.inside(start) if scope is None else scope, name)
        if kind and key not in self.typed:
            self.typed[key] = (kind, self.source.line(start))
        elif key in self.typed and key[0] != FILE and "." not in name:
            self.typed_later.append((*key, kind or "?", self.source.line(start)))

    def _class_around(self, scope: int) -> int:
        while scope != FILE and not self.is_class[scope]:
            scope = self.parents[scope]
        return scope

    def _read_locals(self) -> None:
        """Note which names are hidden by parameters and local variables."""
        text, bound, plain = self.text, self.bound, self.source.is_plain
        known = {name for _, name in bound}
        known.update([name for _, _, name, called in self.spoken if called])
        elsewhere = {(self.inside(node.start_byte), self.text_of(node)) for node in self.found.nodes("global")}
        for node in self.found.nodes("local"):
            start, end = node.byte_range
            name = text[start:end] if plain else decoded(text[start:end])
            if name in known:
                scope = self.inside(start)
                if scope != FILE and not self.is_class[scope] and (scope, name) not in elsewhere:
                    bound.setdefault((scope, name), False)

    def meant(self, scope: int, name: str) -> tuple[bool | None, int]:
        """Return whether a name is known in a scope (True), hidden there (False) or neither, and where."""
        bound, is_class, parents = self.bound, self.is_class, self.parents
        hit = bound.get((scope, name))
        while hit is None and scope != FILE:
            scope = parents[scope]
            while scope != FILE and is_class[scope]:
                scope = parents[scope]
            hit = bound.get((scope, name))
        return hit, scope

    def form(self, node: "Node", depth: int = 0) -> str:
        """Return the plain form of a receiver: `a.b`, `A()`, `?`."""
        kind = node.type
        start, end = node.byte_range
        if kind == "identifier":
            return decoded(self.text[start:end])
        if depth < _DEEPEST and kind == "attribute":
            if end - start < LONGEST and PLAIN(self.text[start:end]):
                return decoded(self.text[start:end])
            inner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
            form = self.form(inner, depth + 1) if inner is not None else "?"
            return "?" if form == "?" else f"{form}.{self.text_of(name)}"
        if depth < _DEEPEST and kind == "call":
            inner = node.child_by_field_name("function")
            form = self.form(inner, depth + 1) if inner is not None else "?"
            return "?" if form == "?" else f"{form}()"
        if depth < _DEEPEST and kind == "subscript":
            inner, at = node.child_by_field_name("value"), node.child_by_field_name("subscript")
            form = self.form(inner, depth + 1) if inner is not None and at is not None and at.type != "slice" else "?"
            return "?" if form == "?" else f"{form}[]"
        if depth < _DEEPEST and kind in ("await", "parenthesized_expression"):
            inner = first_child(node)
            return self.form(inner, depth + 1) if inner is not None else "?"
        return "?"


def _is_function(node: "Node") -> bool:
    call = node.parent
    return call is not None and call.type == "call" and call.child_by_field_name("function") == node


def _has_name(node: "Node") -> bool:
    """Say whether a definition is called something: in broken text a name may be missing."""
    name = node.child_by_field_name("name")
    return name is not None and name.end_byte > name.start_byte
