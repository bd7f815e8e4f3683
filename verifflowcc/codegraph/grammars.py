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

GRAMMARS = ("python", "javascript", "typescript", "tsx")
"""The names of the languages that can be read."""
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

        cursor = QueryCursor(self.query)
        if self.dialect is not None:
            return read_matches(self.dialect, Source(data), cursor.matches(root))
        from verifflowcc.codegraph import python

        return python.facts(Found(Source(data), cursor.captures(root)))


def grammar_of(language: str) -> Grammar:
    """Return what reads one of `GRAMMARS`; loaded once in a process."""
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


_PARTS: dict[str, Callable[[], tuple[object, str, Dialect | None]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _typescript,
    "tsx": _tsx,
}
