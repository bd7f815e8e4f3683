"""The languages that a grammar reads: each one's grammar, query and reader, made when the first file of it is read."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules import comment_syntax
from verifflowcc.code.rules.code_views import LANGUAGES
from verifflowcc.code.rules.definitions import Definitions, RawDefinition
from verifflowcc.code.rules.engine import QueryMatches, SourceText, as_utf8, parsed
from verifflowcc.code.rules.engine_forms import Dialect, Taken, form_of, is_name
from verifflowcc.code.rules.graph import (
    CALLABLE,
    FILE,
    TYPES,
    FileFacts,
    Import,
    Reference,
    ReferenceKind,
    SymbolKind,
    TypeHint,
)

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

    Match = Mapping[str, list[Node]]


# Which language a source file is in: the ones that a grammar reads, and the others that are known by name.

_BY_ENDING = {
    ending: language
    for language, endings in {
        "python": ".py .pyi .pyw",
        "javascript": ".js .jsx .mjs .cjs .es6",
        "typescript": ".ts .mts .cts",
        "tsx": ".tsx",
        "go": ".go",
        "rust": ".rs",
        "java": ".java .jav",
        "c": ".c .h",
        "cpp": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .ino .cu .cuh .ixx",
        "csharp": ".cs .csx",
        "ruby": ".rb .rake .gemspec .ru",
        "php": ".php .phtml .inc",
        "bash": ".sh .bash .bats .ksh .ash",
    }.items()
    for ending in endings.split()
}
_BY_NAME = {
    "rakefile": "ruby", "gemfile": "ruby", "vagrantfile": "ruby", "podfile": "ruby", "fastfile": "ruby",
    "sconstruct": "python", "sconscript": "python",
}  # fmt: skip
_SCRIPTS = {"python": "python", "shell": "bash", "javascript": "javascript", "ruby": "ruby", "php": "php"}
_NO_CODE = frozenset({"yaml", "toml", "ini", "docker", "markup", "css", "scss", "tex"})
_CPP_WORDS = (b"class ", b"namespace ", b"template<", b"template <", b"public:", b"private:", b"std::", b"virtual ")


def language_of(path: str, start: bytes = b"") -> str:
    """Return the language of a file that a grammar reads, by its name or the `#!` in its first bytes; "" for others.

    >>> language_of("a/b.TSX"), language_of("tool", b"#!/usr/bin/env python3\\n"), language_of("a.kt")
    ('tsx', 'python', '')
    """
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    found = _BY_NAME.get(name.lower()) or _BY_ENDING.get(ending, "")
    if found == "c" and ending == ".h" and any(word in start for word in _CPP_WORDS):
        return "cpp"
    if found or comment_syntax.language_of(path):
        return found
    if start.startswith(b"#!"):
        script = comment_syntax.script_language(start[:200].decode("utf-8", "replace"))
        return _SCRIPTS.get(script or "", "")
    return ""


def known_without_grammar(path: str) -> str:
    """Return the name of a language of code that no grammar here reads; "" where one does, or the file is no code.

    >>> known_without_grammar("a.lua"), known_without_grammar("a.py"), known_without_grammar("a.yaml")
    ('lua', '', '')
    """
    known = comment_syntax.language_of(path)
    return "" if known is None or known in _NO_CODE or language_of(path) else _by_ending(path, known)


def _by_ending(path: str, known: str) -> str:
    """Return a language's usual name where a row of comment syntax is for several."""
    ending = path[path.rfind(".") :].lower()
    return _NAMED.get(ending, known)


_NAMED = {
    ".kt": "kotlin", ".kts": "kotlin", ".scala": "scala", ".sc": "scala", ".swift": "swift", ".m": "objective-c",
    ".mm": "objective-c++", ".clj": "clojure", ".cljs": "clojure", ".el": "emacs lisp", ".scm": "scheme",
    ".rkt": "racket", ".elm": "elm", ".proto": "protocol buffers", ".sol": "solidity", ".sv": "systemverilog",
    ".v": "verilog", ".pyx": "cython", ".bzl": "starlark", ".coffee": "coffeescript", ".cr": "crystal",
    ".vue": "vue", ".svelte": "svelte", ".vhd": "vhdl", ".vhdl": "vhdl", ".purs": "purescript", ".zsh": "zsh",
    ".fish": "fish", ".hcl": "terraform", ".tcl": "tcl", ".awk": "awk", ".glsl": "glsl", ".thrift": "thrift",
}  # fmt: skip


# The facts of a text in a language whose query names what it captures: the reader of all languages but Python.
#
# What a query may capture, by match: a definition by its kind (`@function`, `@class` …) with `@title` (a name),
# `@body`, `@result`, `@owner`; `@call` and `@member` with `@of`, the receiver; `@new`, `@base`, `@type`, `@use` (names
# as values), `@part` (of a path); `@implemented` by `@implementor`; `@key` and `@package`, names that mean nothing
# elsewhere; `@local` (a name that hides others), `@type_parameter`; `@typed` (or `@typed_field`) with `@as` (a type)
# or `@value`; `@field` in `@whole_field` (a field that a method makes); `@import`; `@inner` in `@whole` (what a
# definition is wrapped in); `@outer` (what belongs to the scope around).

Mention = tuple[int, ReferenceKind, str, str]
"""Where a name is spoken of, how, the name and its receiver."""
_LONGEST = 2_000
_MOST_TYPES = 6


def read_matches(dialect: Dialect, source: SourceText, matches: "Iterable[tuple[int, Match]]") -> FileFacts:
    """Return what a text says of itself, from the matches of its query."""
    return _GrammarReading(dialect, source, [match for _, match in matches]).facts()


class _GrammarReading(Definitions):
    """Reads one text: definitions, bound names and their types, then references."""

    def __init__(self, dialect: Dialect, source: SourceText, matches: "list[Match]") -> None:
        super().__init__(dialect, source, matches)
        self.implemented: dict[int, RawDefinition] = {}
        self.typed: dict[tuple[int, str], list[tuple[str, int]]] = {}

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
        for around, _ in self.captured.get("local", ()):
            node = self.named(around)
            if node is not None:
                self.taken.add(node.start_byte)
                scope = self.scopes.inside(node.start_byte)
                if scope != FILE and self.scoped[scope].kind in CALLABLE:
                    self.bound.setdefault((scope, self.dialect.title(self.source.of(node))), False)
        for key in ("key", "package"):
            self.taken.update([node.start_byte for node, _ in self.captured.get(key, ())])
        for node, _ in self.captured.get("type_parameter", ()):
            self.taken.add(node.start_byte)
            self.bound.setdefault((self.scopes.inside(node.start_byte), self.source.of(node)), False)

    def _read_types(self) -> None:
        """Read the declared types of names, in order."""
        rows = [
            (node.start_byte, key, node, match)
            for key in ("typed", "typed_field", "typed_parameter")
            for node, match in self.captured.get(key, ())
            if not self.in_import(node.start_byte)
        ]
        rows.sort(key=lambda row: row[:2])
        for start, key, around, match in rows:
            scope, node = self.scopes.inside(start), self.named(around)
            if node is None:
                continue
            if key == "typed":
                name, scope = self._typed_name(node, scope)
            elif key == "typed_parameter":
                name = self.form(node) if scope != FILE and self.scoped[scope].kind in CALLABLE else ""
            else:
                name, scope = f"self.{self.form(node)}", self.type_around(scope)
            kind = ""
            if "as" in match:
                kind = self.dialect.type_name(self.source.of(match["as"][0]))
            if not kind and "value" in match:
                kind = self._value(match["value"][0], scope)
            if kind and name:
                types = self.typed.setdefault((scope, name), [])
                if len(types) < _MOST_TYPES and (not types or types[-1][0] != kind):
                    types.append((kind, self.source.line(start)))

    def _read_aliases(self) -> None:
        """Read what is only another name for something: `=a.b`; and what objects hold, as types of `object.name`."""
        text = self.source.of
        for node, match in self.captured.get("exported", ()):
            self._other_name(FILE, text(node).strip("'\""), text(match["value"][0]), node)
        for node, match in self.captured.get("part_of", ()):
            name, owner = text(match["name"][0]) if "name" in match else text(node), self.form(match["value"][0])
            if owner != "?" and not self.in_import(node.start_byte):
                self._other_name(self.scopes.inside(node.start_byte), text(node), f"{owner}.{name}", node)
        for node, match in self.captured.get("held", ()):
            value = text(match["value"][0]) if "value" in match else text(node)
            scope = self.scopes.inside(match["holder"][0].start_byte)
            if self._meant(scope, value)[0]:
                self._other_name(scope, f"{text(match['holder'][0])}.{text(node)}", value, node)
        for node, match in self.captured.get("spread", ()):
            holder = match["holder"][0]
            self._other_name(self.scopes.inside(holder.start_byte), text(holder), text(node), node)

    def _other_name(self, scope: int, name: str, meant: str, node: "Node") -> None:
        types = self.typed.setdefault((scope, name), [])
        if name != meant and len(types) < _MOST_TYPES:
            types.append((f"={meant}", self.source.line(node.start_byte)))

    def _typed_name(self, node: "Node", scope: int) -> tuple[str, int]:
        form = self.form(node)
        head, _, rest = form.partition(".")
        if rest:
            if head not in self.dialect.selves or "." in rest:
                return "", FILE
            around = self.type_around(scope)
            return (f"self.{rest}", around) if around != FILE else ("", FILE)
        kind = self.scoped[scope].kind if scope != FILE else None
        if kind in TYPES and kind is not SymbolKind.MODULE:
            return f"self.{form}", scope
        return form, scope

    def _value(self, node: "Node", scope: int) -> str:
        form = self.form(node)
        if form.endswith("()"):
            return form
        types = self.typed.get((scope, form))
        return types[0][0] if types else ""

    def form(self, node: "Node") -> str:
        """Return the plain form of a receiver: `a.b`, `A()`, `?`."""
        return form_of(self.dialect, self.source, node)

    def _mentions(self) -> list[Mention]:
        mentions: dict[int, Mention] = {}
        for key, kind in _ORDER:
            for node, match in self.captured.get(key, ()):
                start = node.start_byte
                if start in self.taken or "title" in match or (kind is ReferenceKind.USE and self.in_import(start)):
                    continue
                each = self._one(key, kind, node, match)
                if each is not None:
                    mentions[start] = each
                    self.taken.update((start, node.end_byte - len(each[2])))
        self._add_implemented(mentions)
        return sorted(mentions.values())

    def _add_implemented(self, mentions: "dict[int, Mention]") -> None:
        """Add what a type inherits outside of its body, if the type is in this file."""
        types = {raw.name: raw for raw in self.raws if raw.kind in TYPES}
        for node, match in self.captured.get("implemented", ()):
            before, _, name = self.dialect.type_name(self.source.of(node)).rpartition(".")
            raw = types.get(self.dialect.type_name(self.source.of(match["implementor"][0])))
            if name and raw is not None:
                self.implemented[node.start_byte] = raw
                mentions[node.start_byte] = (node.start_byte, ReferenceKind.INHERIT, name, before)

    def _one(self, key: str, kind: ReferenceKind, node: "Node", match: "Match") -> "Mention | None":
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
        hit = self.bound.get((scope, name))
        while hit is None and scope != FILE:
            scope = self.scopes.parents[scope]
            hit = self.bound.get((scope, name))
            if hit and scope != FILE and self._is_member_alone(scope):
                hit = None
        return hit, scope

    def _is_member_alone(self, scope: int) -> bool:
        """Say whether what a scope defines is reached by no name alone from the functions in it."""
        kind = self.scoped[scope].kind
        return not self.dialect.members_are_bare and kind in TYPES and kind is not SymbolKind.MODULE

    def facts(self) -> FileFacts:
        """Return all of it."""
        imports = self._read_imports()
        self._read_locals()
        self._read_types()
        self._read_aliases()
        self.add_fields()
        mentions = self._mentions()
        numbers = {id(raw): number for number, raw in enumerate(self.raws)}
        place = {scope: numbers[id(raw)] for scope, raw in enumerate(self.scoped)}
        place[FILE] = FILE
        return FileFacts(
            self.dialect.name,
            tuple([self.definition(raw, place) for raw in self.raws]),
            self._references(mentions, place, numbers),
            tuple([Import(*each, place[scope]) for each, scope in imports]),
            self._typed_names(mentions, place),
        )

    def _references(
        self, mentions: list[Mention], place: Mapping[int, int], numbers: Mapping[int, int]
    ) -> tuple[Reference, ...]:
        seen: set[tuple[ReferenceKind, str, int, int, str]] = set()
        made = []
        for start, kind, name, receiver in mentions:
            line, raw = self.source.line(start), self.implemented.get(start)
            scope = place[self.scopes.inside(start)] if raw is None else numbers[id(raw)]
            key = (kind, name, line if kind is ReferenceKind.CALL else 0, scope, receiver)
            if key not in seen:
                seen.add(key)
                made.append(Reference(kind, name, line, scope, receiver))
        return tuple(made)

    def _typed_names(self, mentions: list[Mention], place: Mapping[int, int]) -> tuple[TypeHint, ...]:
        used = {(receiver or name).partition(".")[0].partition("(")[0] for _, _, name, receiver in mentions}
        made = []
        for (scope, name), kinds in self.typed.items():
            if name and (scope == FILE or "." in name or name in used):
                line = self.scoped[scope].named if scope != FILE else 0
                for kind, at in kinds or [("?", self.source.line(line))]:
                    made.append((at, place[scope], name, kind))
        made.sort()
        return tuple([TypeHint(name, kind, scope, line) for line, scope, name, kind in made])


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


_MOST_OPEN = 2_048
"""So many matches may be begun at once; texts that nest without end would take time by the square of their depth."""
_LOADED: dict[str, "Grammar"] = {}


@dataclass(frozen=True, slots=True)
class Grammar:
    """What reads a language: its grammar, the query for what is looked at, and its dialect (Python has none)."""

    language: "Language"
    query: "Query"
    dialect: Dialect | None

    def facts(self, data: bytes, root: "Node") -> "FileFacts":
        """Return what a text says of itself, from its tree."""
        from tree_sitter import QueryCursor

        cursor = QueryCursor(self.query, match_limit=_MOST_OPEN)
        if self.dialect is not None:
            return read_matches(self.dialect, SourceText(data), cursor.matches(root))
        from verifflowcc.code.rules import python_language as python

        return python.facts(QueryMatches(SourceText(data), cursor.captures(root)))


def grammar_of(language: str) -> Grammar:
    """Return what reads one of `LANGUAGES`; loaded once in a process."""
    loaded = _LOADED.get(language)
    if loaded is None:
        from tree_sitter import Language, Query

        pointer, query, dialect = _PARTS[language]()
        made = Language(pointer)
        loaded = _LOADED[language] = Grammar(made, Query(made, query), dialect)
    return loaded


def _pointer(package: str, name: str = "language") -> object:
    """Return a grammar, out of the compiled module of its package.

    The package around that imports what reads queries, which takes longer than to read a file and is not used here.
    """
    from importlib import import_module
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    outer = PathFinder.find_spec(package)
    inner = PathFinder.find_spec(f"{package}._binding", outer.submodule_search_locations) if outer else None
    if inner is None or inner.loader is None:
        return getattr(import_module(package), name)()
    module = module_from_spec(inner)
    inner.loader.exec_module(module)
    return getattr(module, name)()


def _python() -> tuple[object, str, None]:
    from verifflowcc.code.rules import python_language as python

    return _pointer("tree_sitter_python"), python.QUERY, None


def _javascript() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import javascript

    return _pointer("tree_sitter_javascript"), javascript.JAVASCRIPT_QUERY, javascript.JAVASCRIPT


def _typescript() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import javascript

    return _pointer("tree_sitter_typescript", "language_typescript"), javascript.TYPESCRIPT_QUERY, javascript.TYPESCRIPT


def _tsx() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import javascript

    return _pointer("tree_sitter_typescript", "language_tsx"), javascript.TYPESCRIPT_QUERY, javascript.TSX


def _go() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import golang

    return _pointer("tree_sitter_go"), golang.QUERY, golang.GO


def _rust() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import rust

    return _pointer("tree_sitter_rust"), rust.QUERY, rust.RUST


def _java() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import java

    return _pointer("tree_sitter_java"), java.QUERY, java.JAVA


def _c() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import c_family

    return _pointer("tree_sitter_c"), c_family.C_QUERY, c_family.C


def _cpp() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import c_family

    return _pointer("tree_sitter_cpp"), c_family.CPP_QUERY, c_family.CPP


def _csharp() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import csharp

    return _pointer("tree_sitter_c_sharp"), csharp.QUERY, csharp.CSHARP


def _ruby() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import ruby

    return _pointer("tree_sitter_ruby"), ruby.QUERY, ruby.RUBY


def _php() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import php

    return _pointer("tree_sitter_php", "language_php"), php.QUERY, php.PHP


def _bash() -> tuple[object, str, Dialect]:
    from verifflowcc.code.rules import bash

    return _pointer("tree_sitter_bash"), bash.QUERY, bash.BASH


_PARTS: dict[str, Callable[[], tuple[object, str, Dialect | None]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _typescript,
    "tsx": _tsx,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _c,
    "cpp": _cpp,
    "csharp": _csharp,
    "ruby": _ruby,
    "php": _php,
    "bash": _bash,
}


# What a source text says of itself: its definitions, references, imports and types, by the grammar of its language.

LARGEST = 1 << 20
"""A text of more bytes is not read."""
_LONG_LINE = 5_000


def read_facts(language: str, data: bytes) -> FileFacts:
    """Return what a text in one of `LANGUAGES` says of itself; equal bytes give equal facts. It raises nothing.

    `problem` says why a text was not read: too large, minified, binary, too hard to parse, or no grammar for it.
    """
    problem = _problem(language, data)
    if problem:
        return FileFacts(language, problem=problem)
    grammar = grammar_of(language)
    data = as_utf8(data)
    root = parsed(grammar.language, data)
    return FileFacts(language, problem=root) if isinstance(root, str) else grammar.facts(data, root)


def _problem(language: str, data: bytes) -> str:
    if language not in LANGUAGES:
        return f"no grammar for {language} is here" if language else "its language is not known"
    if len(data) > LARGEST:
        return f"it has more than {LARGEST >> 20} MiB"
    if b"\0" in data:
        return "it has NUL bytes, as binary files do"
    if len(data) > _LONG_LINE * (data.count(b"\n") + 1):
        return f"its lines have more than {_LONG_LINE:,} bytes on average, as in minified files"
    return ""
