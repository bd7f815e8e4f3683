"""The languages that a grammar reads: each one's grammar, query and reader, made when the first file of it is read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Language, Query

    from verifflowcc.codegraph.engine import Found
    from verifflowcc.domain.graph import FileFacts

GRAMMARS = ("python",)
"""The names of the languages that can be read."""
_LOADED: dict[str, "Grammar"] = {}


@dataclass(frozen=True, slots=True)
class Grammar:
    """What reads a language: its grammar, the query for what is looked at, and what makes facts of that."""

    language: "Language"
    query: "Query"
    facts: "Callable[[Found], FileFacts]"


def grammar_of(language: str) -> Grammar:
    """Return what reads one of `GRAMMARS`; loaded once in a process."""
    loaded = _LOADED.get(language)
    if loaded is None:
        from tree_sitter import Language, Query

        pointer, query, facts = _parts(language)
        made = Language(pointer)
        loaded = _LOADED[language] = Grammar(made, Query(made, query), facts)
    return loaded


def _parts(language: str) -> "tuple[object, str, Callable[[Found], FileFacts]]":
    match language:
        case "python":
            import tree_sitter_python

            from verifflowcc.codegraph import python

            return tree_sitter_python.language(), python.QUERY, python.facts
    raise KeyError(language)
