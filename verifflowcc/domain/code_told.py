"""What is told of the code graph: its state, the contents of a file, who refers to what, what a change touches."""

from collections.abc import Mapping

from verifflowcc.domain.graph import SymbolKind
from verifflowcc.domain.graph_answers import Dependency, Found, Link
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing the graph up to the files took: texts that were read, files known already, and files gone."""

    files: int
    read: int
    known: int
    removed: int
    skipped: tuple[tuple[str, str], ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """Files of a language; `read` says whether there is a grammar for it."""

    language: str
    files: int
    lines: int
    read: bool


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """The graph as it is now. `symbols` counts definitions by kind; `marked` counts files by mark; `bytes` is the size
    of its index."""

    files: int
    lines: int
    languages: tuple[LanguageCount, ...]
    symbols: Mapping[str, int]
    imports: int
    marked: Mapping[str, int]
    skipped: tuple[tuple[str, str], ...]
    bytes: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A definition in a file; `depth` is how many definitions it stands in."""

    kind: SymbolKind
    name: str
    line: int
    end: int
    depth: int
    signature: str


@dataclass(frozen=True, slots=True)
class Outline:
    """What is in a file."""

    path: str
    language: str
    lines: int
    marks: tuple[str, ...]
    problem: str
    symbols: tuple[OutlineRow, ...]
    imports: tuple[Dependency, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a name is defined; `shown` of `all_found`."""

    name: str
    found: tuple[Found, ...]
    all_found: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """The links of one symbol, surest first."""

    symbol: Found
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Relations:
    """The answer to `code refs`: by symbol, or, for what imports what, by file. `more` symbols have that name too."""

    kind: str
    asked: str
    symbols: tuple[Related, ...] = ()
    imports: tuple[Dependency, ...] = ()
    more: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TouchedItem:
    """A trace item or a memory that speaks of a place in the code; `why` is how it does."""

    id: str
    type: str
    title: str
    path: str
    place: str
    why: str


@dataclass(frozen=True, slots=True)
class CodeImpact:
    """What a change at a place of the code touches: items of the trace, tests, memories, calls, importing files."""

    asked: str
    symbols: tuple[Found, ...]
    items: tuple[TouchedItem, ...]
    tests: tuple[str, ...]
    memories: tuple[TouchedItem, ...]
    callers: tuple[Link, ...]
    imported_by: tuple[Dependency, ...]
    notices: tuple[str, ...] = ()
