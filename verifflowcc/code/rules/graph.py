"""The code graph: what a source file says of itself, and what a whole repository offers to those who ask.

Of each file only what is in it is kept (definitions, references by name, imports, what names are said to be). Which
definition a name means is decided when somebody asks, so that a change of one file leaves nothing stale in another.
Lines count from 1. A definition is spoken of by its place in `FileFacts.definitions`; -1 is the file itself.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

from verifflowcc.base.records import dataclass, field_names

if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object

_T = TypeVar("_T")

FILE = -1
"""The place of what is in no definition."""


class SymbolKind(StrEnum):
    """What a definition defines. A type is a class or what other languages have in its place."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    STRUCT = "struct"
    ENUM = "enum"
    TYPE = "type"
    MODULE = "module"
    VARIABLE = "variable"
    FIELD = "field"
    MACRO = "macro"


TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.STRUCT, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.MODULE}
)
CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO})


class ReferenceKind(StrEnum):
    """How a name is spoken of: called (a class too), inherited from, used as a value, named as a type."""

    CALL = "call"
    INHERIT = "inherit"
    USE = "use"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol. `parent` is the definition around it. `owner` is the type that a method written elsewhere belongs to
    (`func (s *Server) Start()`, `impl Shape for Circle`, `void A::b()`), empty where that is the parent.

    `line` is where its name is, `start` its first line with decorators and a comment right above it, 0 where that
    is `line`. `signature` is the first line as a reader wants it, without the body; `result` the type that it is said
    to return.
    """

    kind: SymbolKind
    name: str
    line: int
    end: int
    parent: int = FILE
    signature: str = ""
    owner: str = ""
    result: str = ""
    start: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that is spoken of inside the definition `inside`.

    `receiver` is what is before the last dot, in one plain form: `a.b`, `self`, `super()`, `A()` for an instance
    that is made there or what a call returns, `?` for any other expression; empty where the name is alone.
    """

    kind: ReferenceKind
    name: str
    line: int
    inside: int = FILE
    receiver: str = ""


@dataclass(frozen=True, slots=True)
class Import:
    """A name that a file takes from elsewhere: `module` as it is written, `name` in it, `alias` as it is called here.

    `name` is empty for the module itself, `*` for all that is in it. `alias` is empty where nothing is named here.
    """

    module: str
    name: str
    alias: str
    line: int
    inside: int = FILE


@dataclass(frozen=True, slots=True)
class TypeHint:
    """The declared type of a name inside a definition.

    `type` is a type's name, `f()` for what a call returns, or `?` for something unknown that hides what is called so
    elsewhere.

    A field of an instance is `self.name`, inside its type. Where a name is given several things, the first ones stand.
    """

    name: str
    type: str
    inside: int = FILE
    line: int = 0


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one source text says. `problem` is why it was not read whole, as a clause; empty where it was."""

    language: str
    definitions: tuple[Definition, ...] = ()
    references: Sequence[Reference] = ()
    imports: tuple[Import, ...] = ()
    typed: tuple[TypeHint, ...] = ()
    problem: str = ""


class Mark(StrEnum):
    """Why a file counts less, unless it is asked for."""

    TEST = "test"
    VENDORED = "vendored"
    GENERATED = "generated"
    MINIFIED = "minified"


class SourceFile(NamedTuple):
    """A file of a repository. `blob` is git's id of its content; `language` is empty where no grammar reads it.

    `problem` is why it was not read (whole), as a clause. A tuple, as a prompt makes one of each of thousands of files.
    """

    path: str
    language: str
    blob: str
    marks: frozenset[Mark] = frozenset()
    problem: str = ""
    lines: int = 0


class RecordColumns(Sequence[_T]):
    """Records of a kind, each made when it is looked at, from columns that are read when they are needed."""

    __slots__ = ("_columns", "_count", "_made", "_read", "_record", "_whole")

    def __init__(self, record: type[_T], count: int, read: "Callable[[str], Sequence[Any]]") -> None:
        self._record, self._count, self._read = record, count, read
        self._columns: dict[str, Sequence[Any]] = {}
        self._made: dict[int, _T] = {}
        self._whole: list[Sequence[Any]] | None = None

    def column(self, name: str) -> "Sequence[Any]":
        """Return one field of all records, by its name."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._read(name)
        return found

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        if isinstance(place, slice):
            return tuple(self)[place]
        made = self._made.get(place)
        if made is None:
            if self._whole is None:
                self._whole = [self.column(name) for name in field_names(self._record)]
            made = self._made[place] = self._record(*[each[place] for each in self._whole])
        return made

    def __iter__(self) -> Iterator[_T]:
        return map(self.__getitem__, range(self._count))

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"{tuple(self)!r}"


def column_of(records: Sequence[_T], name: str) -> "Sequence[Any]":
    """Return one field of all of some records; of those in columns, without making any."""
    if isinstance(records, RecordColumns):
        return records.column(name)
    return [getattr(each, name) for each in records]


@dataclass(frozen=True, slots=True)
class Head:
    """The part of a file's facts that others need in order to bind names: all but its references."""

    definitions: Sequence[Definition] = ()
    imports: Sequence[Import] = ()
    typed: Sequence[TypeHint] = ()


class Code(Protocol):
    """The facts of a repository in one state. Sequences of paths are sorted; unknown paths have empty facts."""

    @property
    def files(self) -> Mapping[str, SourceFile]:
        """Every source file, by path, sorted."""

    def head(self, path: str) -> Head:
        """Return the head of a file; asking again is free."""

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        """Return the references of a file, by line: those with a name, of a kind, where one is given."""

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name, anywhere in them."""

    def referring(self, name: str) -> Sequence[str]:
        """Return the files that speak of a name, or import it (by its own name)."""

    def importing(self, part: str) -> Sequence[str]:
        """Return the files with an import whose module's last part (split at `.`, `/`, `:`, `\\`), without an ending,
        is `part`, or that import a name `part` from anywhere."""

    def heads(self, paths: Collection[str]) -> None:
        """Read the heads of many files at once, for those who will ask for each."""

    def load_references(self, paths: Collection[str]) -> None:
        """Read the references of many files at once, for those who will ask for each."""

    def manifests(self) -> Mapping[str, Sequence[Import]]:
        """Return path → what each file says that configures how modules are found (see `codegraph.manifests`)."""


class KeptAnswers(Protocol):
    """Keeps answers as values of JSON from one process to the next, as long as what they rest on is the same."""

    def recall(self, key: str) -> "tuple[Any, int, Sequence[str]] | None":
        """Return an answer, with the bits of the files and the names that it rests on; None where it is not known."""

    def note(self, key: str, answer: "Any", read: int, asked: Sequence[str]) -> None:
        """Keep an answer that rests on these files (see `bit_of`), and on which files have these names."""


class SearchedCode(Code, Protocol):
    """Code with its words, as `codegraph.words` takes them from a text."""

    def postings(self, words: Collection[str]) -> Mapping[str, Sequence[tuple[str, int, int]]]:
        """Return word → the files that have it, by path, each with how often in its text and in names that it defines.

        A word that is nowhere is left out.
        """

    def lengths(self) -> Mapping[str, int]:
        """Return path → how many words a file has."""

    def imports(self) -> Mapping[str, Sequence[Import]]:
        """Return path → the imports of each file."""

    def text(self, path: str) -> bytes | None:
        """Return the text that the facts are of; None where it is not to be had any more."""


# By which names a file that imports something is found.

_WITH_PATHS = frozenset({"javascript", "typescript", "tsx", "c", "cpp", "ruby", "php", "bash"})
"""Languages whose imports name files, so that a dot parts an ending from a name."""


def parts_imported(module: str, language: str) -> Iterator[str]:
    """Yield the last part of a module's name, without an ending.

    >>> list(parts_imported("..db.models", "python")), list(parts_imported("./views/login.js", "javascript"))
    (['models'], ['login.js', 'login'])
    """
    last = module.replace("\\", "/").replace(":", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module and language not in _WITH_PATHS:
        last = last.rpartition(".")[2]
    if last.strip("."):
        yield last
        stem = last.rpartition(".")[0]
        if stem:
            yield stem


def chosen(references: Iterable[Reference], name: str, kind: ReferenceKind | None) -> tuple[Reference, ...]:
    """Return the references with a name, of a kind, where one is given."""
    return tuple([each for each in references if name in ("", each.name) and kind in (None, each.kind)])


def outwards(definitions: Sequence[Definition], place: int) -> Iterator[int]:
    """Yield the places of the definitions around one, innermost first."""
    while place != FILE and (place := definitions[place].parent) != FILE:
        yield place


def qualified(definitions: Sequence[Definition], place: int) -> str:
    """Return a definition's name with those of the definitions around it.

    >>> qualified([Definition(SymbolKind.CLASS, "A", 1, 9), Definition(SymbolKind.METHOD, "b", 2, 3, 0)], 1)
    'A.b'
    """
    parts: list[str] = []
    while place != FILE:
        each = definitions[place]
        parts.append(f"{each.owner}.{each.name}" if each.owner else each.name)
        place = each.parent if not each.owner else FILE
    return ".".join(reversed(parts))


# What the code graph answers: definitions, candidates for a reference, who refers to what, and what imports what.
#
# A confidence is a whole number from 0 to 100; at `CONFIDENT` or above it an answer counts as known.

CONFIDENT = 70
"""The least confidence at which a reference counts as bound."""


@dataclass(frozen=True, slots=True)
class BindingCandidate:
    """A definition that a reference may mean, by its file and place in it; `why` is a short clause."""

    path: str
    place: int
    """The number of the symbol in its file."""
    confidence: int
    """0 to 1; from 0.7 on it counts as known."""
    why: str


@dataclass(frozen=True, slots=True)
class BindingResult:
    """All that a reference may mean, best first. `external` says that it means something outside of the repository."""

    candidates: tuple[BindingCandidate, ...] = ()
    external: bool = False


@dataclass(frozen=True, slots=True)
class LocatedDefinition:
    """A definition and its place; `name` is qualified by the definitions around it."""

    path: str
    place: int
    """The number of the symbol in its file."""
    line: int
    kind: SymbolKind
    name: str
    """With the names around it."""
    signature: str = ""
    """The first line without the body."""


@dataclass(frozen=True, slots=True)
class ReferenceLink:
    """A reference at a line of a file, in the definition `symbol_number` (called `symbol`, empty for the file itself).

    `candidate` is the definition that the question was about, or the best one; None where it means none of ours.
    `candidates` are all, best first; `external` says that it means something outside of the repository.
    """

    path: str
    line: int
    kind: ReferenceKind
    """`call`, `inherit`, `use` or `type`."""
    name: str
    receiver: str = ""
    """The text before the last dot."""
    symbol_number: int = FILE
    """The number of the enclosing symbol; -1 for the file itself."""
    symbol: str = ""
    candidate: BindingCandidate | None = None
    """The definition that was asked about, or the best, or null."""
    candidates: tuple[BindingCandidate, ...] = ()
    """All possible definitions, best first."""
    external: bool = False
    """Whether it is outside of the project."""

    @property
    def confidence(self) -> int:
        """How sure it is that `candidate` is meant; 0 where there is none."""
        return self.candidate.confidence if self.candidate else 0


LinkStart = tuple[str, int, ReferenceKind, str, str, int, str]
"""The first fields of a link, which say where it is."""


class ReferenceLinks(Sequence[ReferenceLink]):
    """Links that are each made when they are looked at: of the thousands of a hub few are shown."""

    __slots__ = ("_rows", "confidences")

    def __init__(self, rows: Sequence[tuple[LinkStart, BindingCandidate, BindingResult]]) -> None:
        self._rows = rows
        self.confidences = [each.confidence for _, each, _ in rows]

    @overload
    def __getitem__(self, place: int) -> ReferenceLink: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ReferenceLink]: ...
    def __getitem__(self, place: int | slice) -> ReferenceLink | Sequence[ReferenceLink]:
        if isinstance(place, slice):
            return ReferenceLinks(self._rows[place])
        about, candidate, bound = self._rows[place]
        return ReferenceLink(*about, candidate, bound.candidates, bound.external)

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


def confidences_of(links: Sequence[ReferenceLink]) -> Sequence[int]:
    """Return how sure each link is, without making those that are not made yet."""
    return links.confidences if isinstance(links, ReferenceLinks) else [each.confidence for each in links]


@dataclass(frozen=True, slots=True)
class Dependency:
    """An import, at a line of a file. `files` are those of the repository that it takes from; none where it is outside.

    `symbol_number` and `symbol` are as in `ReferenceLink`.
    """

    path: str
    line: int
    module: str
    name: str
    """The imported name; empty for the whole module."""
    alias: str
    """Its name here."""
    files: tuple[str, ...]
    """The project files that it means; empty if it is outside."""
    symbol_number: int = FILE
    """The number of the enclosing symbol; -1 for the file itself."""
    symbol: str = ""

    @property
    def external(self) -> bool:
        """Whether it is from outside of the repository."""
        return not self.files
