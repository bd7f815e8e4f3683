"""The code of a repository in one state, out of the parts that are kept: what the queries ask."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from verifflowcc.adapters.index.code_graph_coded import head_from_bytes, imports_from_columns, references_from_bytes
from verifflowcc.adapters.index.code_graph_parts import DEFINING, IMPORTING, LISTS, REFERRING, WORDS
from verifflowcc.adapters.index.code_graph_tables import Tables, number_of, part_and_place
from verifflowcc.adapters.index.store import Store
from verifflowcc.domain.graph import Head, Import, Mark, Reference, ReferenceKind, SourceFile
from verifflowcc.errors import BackendError
from verifflowcc.records import dataclass, field

_T = TypeVar("_T")
_TRIES = 4
NO_PART = -1
_EMPTY = Head()
_LETTERS = {mark.value[0]: mark for mark in Mark}
_MARKS: dict[str, frozenset[Mark]] = {}
"""The marks of letters that were met."""
Row = tuple[int, int, str, str, str, str]
"""What is known of a file: its text's number in all parts, lines, blob, language, letters of marks, problem."""


@dataclass(frozen=True, slots=True)
class State:
    """The number of each source file's text, by path, sorted. `rows` makes what else is known, when it is asked."""

    numbers: Mapping[str, int]
    rows: Callable[[], Mapping[str, Row]]
    manifests: Mapping[str, int] = field(default_factory=dict)
    """The same of files that configure how modules are found; they are no source files."""

    def texts(self) -> set[int]:
        """Return the numbers of all texts."""
        return {*self.numbers.values(), *self.manifests.values()}

    def parts(self) -> set[int]:
        """Return the parts that are needed."""
        return {part_and_place(number)[0] for number in self.texts() if number != NO_PART}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a state comes from: `again` makes it anew after the index was lost, `text` reads a file of it."""

    again: Callable[[], State]
    text: Callable[[SourceFile], bytes | None]


class Files(Mapping[str, SourceFile]):
    """The files of a state, each made when it is looked at."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._rows: Mapping[str, Row] = {}
        self._made: dict[str, SourceFile] = {}

    def __getitem__(self, path: str) -> SourceFile:
        made = self._made.get(path)
        if made is None:
            _, lines, blob, language, letters, problem = self._known()[path]
            language = "" if language.startswith("?") else language
            marks = _MARKS.get(letters)
            if marks is None:
                marks = _MARKS[letters] = frozenset([_LETTERS[letter] for letter in letters])
            made = self._made[path] = SourceFile(path, language, blob, marks, problem, lines)
        return made

    def problems(self) -> tuple[tuple[str, str], ...]:
        """Return path and why, for the files that were not read, or not whole; no file is made for it."""
        known = self._known()
        return tuple((path, known[path][5]) for path in self if known[path][5])

    def _known(self) -> Mapping[str, Row]:
        self._rows = self._rows or self._state.rows()
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.numbers)

    def __len__(self) -> int:
        return len(self._state.numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._state.numbers


class KeptCode:
    """A `SearchedCode` out of the index. Where that turns out damaged, it is made again; answers are right or there is
    none: every method raises BackendError where the index is lost again and again."""

    def __init__(self, store: Store, state: State, source: Source) -> None:
        self._store, self._source = store, source
        self._configured: Mapping[str, Sequence[Import]] | None = None
        self._tables = Tables(store)
        self._set(state)

    @property
    def notices(self) -> tuple[str, ...]:
        """Why nothing is kept, where nothing is."""
        return (self._store.notice,) if self._store.notice else ()

    @property
    def skipped(self) -> tuple[tuple[str, str], ...]:
        """Path and why, for the files that were not read, or not whole."""
        return self._files.problems()

    @property
    def files(self) -> Mapping[str, SourceFile]:
        """Every source file, by path, sorted."""
        return self._files

    def head(self, path: str) -> Head:
        """Return the head of a file; asking again is free."""
        if path not in self._heads:
            self.heads((path,))
        return self._heads[path]

    def heads(self, paths: Collection[str]) -> None:
        """Read the heads of many files at once."""
        missing = [path for path in paths if path not in self._heads]
        if missing:
            facts = self._soundly(lambda: self._facts("head", missing, head_from_bytes))
            self._heads |= {path: facts.get(path, _EMPTY) for path in missing}

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        """Return the references of a file, by line: those with a name, of a kind, where one is given."""

        def references() -> Mapping[str, Sequence[Reference]]:
            return self._facts("refs", (path,), lambda body: references_from_bytes(body, name, kind))

        return self._soundly(references).get(path, ())

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name, anywhere in them."""
        return self._having(DEFINING, name)

    def referring(self, name: str) -> Sequence[str]:
        """Return the files that speak of a name, or import it (by its own name)."""
        return self._having(REFERRING, name)

    def importing(self, part: str) -> Sequence[str]:
        """Return the files with an import whose module's last part is `part`, or that import a name `part`."""
        return self._having(IMPORTING, part)

    def postings(self, words: Collection[str]) -> Mapping[str, Sequence[tuple[str, int, int]]]:
        """Return word → the files that have it, by path, each with how often in its text and in names it defines.

        Asking again is free.
        """
        while missing := sorted(set(words) - self._postings.keys()):  # again where the index was lost meanwhile
            posted = self._soundly(partial(self._posted, missing))
            self._postings |= posted
        return {word: self._postings[word] for word in sorted(words) if self._postings[word]}

    def lengths(self) -> Mapping[str, int]:
        """Return path → how many words a file has; asking again is free."""

        def lengths() -> dict[str, int]:
            by_number = {
                number_of(part, place): unit[3]
                for part in self._parts
                for place, unit in enumerate(self._tables.units(part))
            }
            return {path: by_number.get(number, 0) for path, number in self._numbers.items()}

        if not self._lengths:
            found = self._soundly(lengths)
            self._lengths |= found
        return self._lengths

    def imports(self) -> Mapping[str, Sequence[Import]]:
        """Return path → the imports of each file."""

        def imports() -> dict[str, tuple[Import, ...]]:
            columns = {part: self._tables.imports(part) for part in self._parts}
            places = {path: part_and_place(number) for path, number in self._numbers.items() if number != NO_PART}
            found = {path: imports_from_columns(columns[part][place]) for path, (part, place) in places.items()}
            return {path: found.get(path, ()) for path in self._numbers}

        return self._soundly(imports)

    def manifests(self) -> Mapping[str, Sequence[Import]]:
        """Return path → what each file says that configures how modules are found; asking again is free."""

        def manifests() -> dict[str, Sequence[Import]]:
            numbers = {path: number for path, number in self._manifests.items() if number != NO_PART}
            facts = self._tables.facts("head", sorted(set(numbers.values())))
            return {path: head_from_bytes(facts[number]).imports for path, number in sorted(numbers.items())}

        while self._configured is None:  # again where the index was lost in between
            found = self._soundly(manifests) if self._manifests else {}
            self._configured = found
        return self._configured

    def names_like(self, part: str) -> Sequence[str]:
        """Return the defined names with `part` in them, whatever its case, sorted."""

        def names() -> list[str]:
            sought, found = part.casefold(), set()
            for each in self._parts:
                for name, numbers in self._tables.lists(LISTS.index(DEFINING), each).items():
                    if sought in name.casefold() and any(number_of(each, number) in self._paths for number in numbers):
                        found.add(name)
            return sorted(found)

        return self._soundly(names)

    def text(self, path: str) -> bytes | None:
        """Return the text that the facts are of; None where it is not to be had any more."""
        file = self._files.get(path)
        return self._source.text(file) if file else None

    def close(self) -> None:
        """Close the index."""
        self._store.close()

    def __enter__(self) -> "KeptCode":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set(self, state: State) -> None:
        self._numbers = state.numbers
        self._manifests = state.manifests
        self._configured = None
        self._parts = sorted(state.parts())
        self._files = Files(state)
        self._heads: dict[str, Head] = {}
        self._postings: dict[str, list[tuple[str, int, int]]] = {}
        self._lengths: dict[str, int] = {}
        self._by_number: dict[int, list[str]] | None = None
        self._tables.forget()
        self._replaced = self._store.replaced

    @property
    def _paths(self) -> dict[int, list[str]]:
        """The files of each text, by its number in all parts."""
        if self._by_number is None:
            self._by_number = {}
            for path, number in self._numbers.items():
                self._by_number.setdefault(number, []).append(path)
        return self._by_number

    def _facts(self, column: str, paths: Iterable[str], read: Callable[[bytes], _T]) -> dict[str, _T]:
        wanted = {path: self._numbers.get(path, NO_PART) for path in paths}
        numbers = sorted(set(wanted.values()) - {NO_PART})
        facts = {number: read(body) for number, body in self._tables.facts(column, numbers).items()}
        return {path: facts[number] for path, number in wanted.items() if number != NO_PART}

    def _having(self, kind: str, name: str) -> list[str]:
        def having() -> list[str]:
            listed = self._tables.listed(LISTS.index(kind), name, self._parts)
            return sorted(
                path
                for part, numbers in listed.items()
                for number in numbers
                for path in self._paths.get(number_of(part, number), ())
            )

        return self._soundly(having)

    def _posted(self, words: Sequence[str]) -> dict[str, list[tuple[str, int, int]]]:
        posted = {}
        for word in words:
            found: list[tuple[str, int, int]] = []
            for part, listed in self._tables.listed(LISTS.index(WORDS), word, self._parts).items():
                for at in range(0, len(listed), 3):
                    for path in self._paths.get(number_of(part, listed[at]), ()):
                        found.append((path, listed[at + 1], listed[at + 2]))
            posted[word] = sorted(found)
        return posted

    def _soundly(self, ask: Callable[[], _T]) -> _T:
        """Ask until the index was sound all the way."""
        for _ in range(_TRIES):
            try:
                answer = ask()
            except sqlite3.DatabaseError as error:
                if not self._store.start_over_if_damaged(error):
                    self._store.keep_nothing(f"the code graph was not used: {error}")
            else:
                if self._store.replaced == self._replaced:
                    return answer
            self._set(self._source.again())
        raise BackendError("the code cannot be indexed", hint="run the command again")
