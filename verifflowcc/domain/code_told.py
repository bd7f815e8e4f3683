"""What is told of the code graph: its state, the contents of a file, who refers to what, what a change touches."""

from collections.abc import Mapping

from verifflowcc.domain.code_reach import AffectedTest, CodeOwner, CommandForTests, ReachedCode
from verifflowcc.domain.graph import SymbolKind
from verifflowcc.domain.graph_answers import Dependency, Found, Link
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing the graph up to the files took: texts that were read, files known already, and files gone."""

    files: int
    read: int
    """Files read now."""
    known: int
    """Files whose content was indexed already."""
    removed: int
    """Files that no longer exist."""
    skipped: tuple[tuple[str, str], ...]
    """Files not read, or not whole: path and reason."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """Files of a language; `read` says whether there is a grammar for it."""

    language: str
    files: int
    lines: int
    read: bool
    """How it is read; `no grammar` if it is not."""


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """The graph as it is now. `symbols` counts definitions by kind; `marked` counts files by mark; `bytes` is the size
    of its index."""

    files: int
    lines: int
    languages: tuple[LanguageCount, ...]
    symbols: Mapping[str, int]
    """Counts by kind."""
    imports: int
    marked: Mapping[str, int]
    """Files by mark: `test`, `vendored`, `generated`, `minified`."""
    skipped: tuple[tuple[str, str], ...]
    """Files not read, or not whole: path and reason."""
    bytes: int
    """The size of the index."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A definition in a file; `depth` is how many definitions it stands in."""

    kind: SymbolKind
    name: str
    line: int
    end: int
    """The last line."""
    depth: int
    """How many symbols enclose it."""
    signature: str


@dataclass(frozen=True, slots=True)
class Outline:
    """What is in a file."""

    path: str
    language: str
    """Empty if there is no grammar."""
    lines: int
    marks: tuple[str, ...]
    problem: str
    """Why the file was not read whole, or empty."""
    symbols: tuple[OutlineRow, ...]
    imports: tuple[Dependency, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a name is defined; `shown` of `all_found`."""

    name: str
    found: tuple[Found, ...]
    all_found: int
    """How many symbols match, shown or not."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """The links of one symbol, surest first."""

    symbol: Found
    links: tuple[Link, ...]
    """Surest first."""


@dataclass(frozen=True, slots=True)
class Relations:
    """The answer to `code refs`: by symbol, or, for what imports what, by file. `more` symbols have that name too."""

    kind: str
    asked: str
    symbols: tuple[Related, ...] = ()
    imports: tuple[Dependency, ...] = ()
    more: int = 0
    """How many more symbols have that name."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TouchedItem:
    """A trace item or a memory that speaks of a place in the code; `why` is how it does."""

    id: str
    type: str
    title: str
    path: str
    place: str
    """The code that the item names."""
    why: str


@dataclass(frozen=True, slots=True)
class CodeImpact:
    """What a change of a file, a symbol or a diff reaches: code, tests, items of the trace, memories, owners."""

    asked: str
    symbols: tuple[Found, ...]
    """The changed symbols; empty for a file."""
    callers: tuple[Link, ...]
    """Direct references: product code before tests, surest first."""
    reached: tuple[ReachedCode, ...]
    """Product code that uses the change, directly or through other code, nearest first."""
    tests: tuple[str, ...]
    """The affected tests as `path::name`, nearest first."""
    affected_tests: tuple[AffectedTest, ...]
    """The same tests, each with its distance and reason."""
    commands: tuple[CommandForTests, ...]
    """Command lines that run exactly these tests."""
    items: tuple[TouchedItem, ...]
    """Trace items that name the code."""
    memories: tuple[TouchedItem, ...]
    """Memory items that name the code."""
    owners: tuple[CodeOwner, ...]
    """The owners of the changed files, by CODEOWNERS."""
    imported_by: tuple[Dependency, ...]
    """Imports of the file; empty for a symbol."""
    whole: bool = True
    """False where the change reaches more code than is followed."""
    notices: tuple[str, ...] = ()
