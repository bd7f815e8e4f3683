"""The languages that a grammar reads: each one's grammar, query and reader, made when the first file of it is read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifflowcc.codegraph.engine import Found, Source
from verifflowcc.codegraph.engine_forms import Dialect
from verifflowcc.codegraph.engine_reading import read_matches
from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

    from verifflowcc.domain.graph import FileFacts

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
            return read_matches(self.dialect, Source(data), cursor.matches(root))
        from verifflowcc.codegraph import python

        return python.facts(Found(Source(data), cursor.captures(root)))


def grammar_of(language: str) -> Grammar:
    """Return what reads one of `LANGUAGES`; loaded once in a process."""
    loaded = _LOADED.get(language)
    if loaded is None:
        from tree_sitter import Language, Query

        pointer, query, dialect = _PARTS[language]()
        made = Language(pointer)
        loaded = _LOADED[language] = Grammar(made, Query(made, query), dialect)
    return loaded


def _python() -> tuple[object, str, None]:
    import tree_sitter_python

    from verifflowcc.codegraph import python

    return tree_sitter_python.language(), python.QUERY, None


def _javascript() -> tuple[object, str, Dialect]:
    import tree_sitter_javascript

    from verifflowcc.codegraph import javascript

    return tree_sitter_javascript.language(), javascript.JAVASCRIPT_QUERY, javascript.JAVASCRIPT


def _typescript() -> tuple[object, str, Dialect]:
    import tree_sitter_typescript

    from verifflowcc.codegraph import javascript

    return tree_sitter_typescript.language_typescript(), javascript.TYPESCRIPT_QUERY, javascript.TYPESCRIPT


def _tsx() -> tuple[object, str, Dialect]:
    import tree_sitter_typescript

    from verifflowcc.codegraph import javascript

    return tree_sitter_typescript.language_tsx(), javascript.TYPESCRIPT_QUERY, javascript.TSX


def _go() -> tuple[object, str, Dialect]:
    import tree_sitter_go

    from verifflowcc.codegraph import golang

    return tree_sitter_go.language(), golang.QUERY, golang.GO


def _rust() -> tuple[object, str, Dialect]:
    import tree_sitter_rust

    from verifflowcc.codegraph import rust

    return tree_sitter_rust.language(), rust.QUERY, rust.RUST


def _java() -> tuple[object, str, Dialect]:
    import tree_sitter_java

    from verifflowcc.codegraph import java

    return tree_sitter_java.language(), java.QUERY, java.JAVA


def _c() -> tuple[object, str, Dialect]:
    import tree_sitter_c

    from verifflowcc.codegraph import c_family

    return tree_sitter_c.language(), c_family.C_QUERY, c_family.C


def _cpp() -> tuple[object, str, Dialect]:
    import tree_sitter_cpp

    from verifflowcc.codegraph import c_family

    return tree_sitter_cpp.language(), c_family.CPP_QUERY, c_family.CPP


def _csharp() -> tuple[object, str, Dialect]:
    import tree_sitter_c_sharp

    from verifflowcc.codegraph import csharp

    return tree_sitter_c_sharp.language(), csharp.QUERY, csharp.CSHARP


def _ruby() -> tuple[object, str, Dialect]:
    import tree_sitter_ruby

    from verifflowcc.codegraph import ruby

    return tree_sitter_ruby.language(), ruby.QUERY, ruby.RUBY


def _php() -> tuple[object, str, Dialect]:
    import tree_sitter_php

    from verifflowcc.codegraph import php

    return tree_sitter_php.language_php(), php.QUERY, php.PHP


def _bash() -> tuple[object, str, Dialect]:
    import tree_sitter_bash

    from verifflowcc.codegraph import bash

    return tree_sitter_bash.language(), bash.QUERY, bash.BASH


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
