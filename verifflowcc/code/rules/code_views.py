"""Answers about the code graph: state, outlines, references, effects of a change."""

from collections.abc import Mapping, Sequence

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import CONFIDENT, Dependency, LocatedDefinition, ReferenceLink, SymbolKind

# What a change of code reaches: code that uses it, directly or through other code, and the tests among that.


@dataclass(frozen=True, slots=True)
class ReachedCode:
    """A definition that uses the changed code. `distance` counts the references between them; 1 uses it directly.

    `confidence` is that of the weakest reference on the way, `through` the definition that it uses.
    """

    path: str
    line: int
    name: str
    """With the names around it; empty for the file itself."""
    distance: int
    """How many references away; 1 uses the changed code directly."""
    confidence: int
    """0 to 1, of the weakest reference on the way."""
    through: str
    """The definition that it uses, as `path::name`."""


@dataclass(frozen=True, slots=True)
class AffectedTest:
    """A test that reaches the changed code. `name` is empty where all of its file is meant."""

    path: str
    name: str
    """As its runner names it within the file; empty for the whole file."""
    language: str
    distance: int
    """How many references away; 0 for a test that is itself changed or that a trace item names."""
    confidence: int
    """0 to 1, of the weakest reference on the way."""
    why: str

    @property
    def id(self) -> str:
        """The path and the name."""
        return f"{self.path}::{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class CommandForTests:
    """A command line that runs tests, in a shell's words; `tests` is how many of the affected ones it runs."""

    format: str
    """`pytest`, `vitest`, `go`, …"""
    command: str
    tests: int
    """How many of the affected tests it runs."""


@dataclass(frozen=True, slots=True)
class CodeOwner:
    """The owners of a path by the CODEOWNERS file; `line` is the rule's."""

    path: str
    owners: tuple[str, ...]
    file: str
    """The CODEOWNERS file."""
    line: int


# Code as it is shown: pieces of files for a task, and a map of a repository.

LANGUAGES = (
    *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp", "ruby", "php", "bash"),
)
"""The languages whose structure can be read, as they are called in answers and in fences."""

DIFF_LANGUAGE = "diff"


@dataclass(frozen=True, slots=True)
class Snippet:
    """The lines `first` to `last` of a file, chosen for a prompt.

    `name` is the qualified name of the definition, empty for a file's own lines. `whole` is false where `text` is a
    signature alone. `why` is a short clause. `tokens` counts it as shown. An overview has no lines: `first` is 0.
    `part` is the part of a role's mix that it belongs to. `of` says what it is a piece of, where that is not the file
    as it is; `local` marks what other clones do not have.
    """

    path: str
    first: int
    last: int
    name: str
    text: str
    tokens: int
    why: str
    language: str = ""
    whole: bool = True
    """False for a signature."""
    part: str = ""
    """The part of the role's code mix."""
    of: str = ""
    """Only for pieces of a diff in prompts."""
    local: bool = False
    """Only for pieces of a diff in prompts: whether other clones lack it."""

    @property
    def place(self) -> str:
        """The path with its lines; the path alone where there are none."""
        where = self.path
        if self.first:
            where += f":{self.first}-{self.last}" if self.last != self.first else f":{self.first}"
        return f"{where} ({self.of})" if self.of else where


@dataclass(frozen=True, slots=True)
class RelevantFile:
    """A file that bears on a task. `score` is in thousandths of the best one's; `why` names what speaks for it."""

    path: str
    score: int
    """1 for the best file."""
    why: str


@dataclass(frozen=True, slots=True)
class OmittedPiece:
    """A piece that was looked at and is not shown, with the reason."""

    path: str
    first: int
    last: int
    name: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class CodeContext:
    """The code for a task, at most `budget_tokens` as it is shown; `not_shown` are the best of what is left out."""

    task: str
    budget_tokens: int
    tokens: int
    text: str
    snippets: tuple[Snippet, ...]
    """Shown pieces, best first."""
    files: tuple[RelevantFile, ...]
    """The best files."""
    not_shown: tuple[OmittedPiece, ...]
    """The best pieces that did not fit."""
    counter: str
    """What counted the tokens."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeMap:
    """An overview of a repository, at most `budget_tokens`: `files` of its `total_files` and `symbols` are in it."""

    budget_tokens: int
    tokens: int
    text: str
    files: int
    """How many files are on the map."""
    total_files: int
    symbols: int
    """How many symbols are on the map."""
    counter: str
    """What counted the tokens."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexingResult:
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
    """A definition in a file; `depth` is the number of definitions around it."""

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
class SymbolSearch:
    """Where a name is defined; `shown` of `total`."""

    name: str
    found: tuple[LocatedDefinition, ...]
    total: int
    """How many symbols match, shown or not."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolRelations:
    """The links of one symbol, surest first."""

    symbol: LocatedDefinition
    links: Sequence[ReferenceLink]
    """Surest first."""


@dataclass(frozen=True, slots=True)
class Relations:
    """The answer to `code refs`: by symbol, or, for what imports what, by file. `more` symbols have that name too."""

    kind: str
    question: str
    symbols: tuple[SymbolRelations, ...] = ()
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

    question: str
    symbols: tuple[LocatedDefinition, ...]
    """The changed symbols; empty for a file."""
    callers: tuple[ReferenceLink, ...]
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
    followed_in_part: tuple[str, ...] = ()
    """Symbols whose other uses were not looked for, since very many files use the name."""
    notices: tuple[str, ...] = ()

    def in_product(self) -> tuple[list[ReferenceLink], list[ReferenceLink], list[ReachedCode]]:
        """Return product code's sure direct references, its possible ones, and what is reached through other code."""
        tested = {each.path for each in self.affected_tests}
        direct = [each for each in self.callers if each.path not in tested]
        sure = [each for each in direct if each.confidence >= CONFIDENT]
        listed = {(each.path, each.symbol) for each in sure}
        farther = [each for each in self.reached if each.distance > 1 or (each.path, each.name) not in listed]
        return sure, [each for each in direct if each.confidence < CONFIDENT], farther
