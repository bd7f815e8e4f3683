"""The code of a repository in one state, out of the parts that are kept: what the queries ask."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.errors import BackendError
from verifflowcc.base.index.index_file import IndexFormat, Store, among
from verifflowcc.base.records import dataclass, field
from verifflowcc.code.rules.graph import Head, Import, Mark, Reference, ReferenceKind, SourceFile
from verifflowcc.code.store.code_graph_parts import (
    ANSWERS_SCHEMA,
    DEFINING,
    FIELDS,
    IMPORTING,
    LISTS,
    REFERRING,
    WORDS,
    AnswersInIndex,
    DamagedError,
    Lists,
    Part,
    ReferenceColumns,
    UnitRow,
    bucket_of,
    bucketed,
    head_from_bytes,
    imports_from_columns,
    list_in,
    names_found_by,
    packed,
    sealed,
    text_packed,
    unpacked,
    unsealed,
)

if TYPE_CHECKING:
    from typing import Any


# The tables of the code graph: parts, their facts and lists, and the last state of the working tree.
#
# A row that is read is what was written, or DamagedError is raised. Parts are added and removed whole, and their
# numbers are never used again, so that a stale number cannot name another part.

LAYOUT = 7
_SCHEMA = f"""
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE parts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, buckets BLOB NOT NULL, units BLOB NOT NULL, imports BLOB NOT NULL
);
CREATE TABLE facts (number INTEGER PRIMARY KEY, head BLOB NOT NULL, refs BLOB NOT NULL);
CREATE TABLE lists (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE tree (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
{ANSWERS_SCHEMA}
"""
MOST_UNITS = 1 << 24
"""A part has fewer texts, and fewer buckets of each list."""
_TREE = ("listing", "names", "stamps", "numbers", "states")


def form(readers: str) -> IndexFormat:
    """Return the form of the file; what other readers wrote is not what these would."""
    return IndexFormat(_SCHEMA, LAYOUT, f" {readers} {FIELDS}")


@dataclass(frozen=True, slots=True)
class KnownTree:
    """The working tree as it was last: the listing, the names of the files that may be source files, their stamps, and
    of these the packed numbers of their texts, and the packed rest of what is known of them."""

    listing: bytes
    names: bytes
    stamps: bytes
    numbers: bytes
    states: bytes


class Tables:
    """The tables, in one store. Every method raises sqlite3.DatabaseError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buckets: dict[int, list[int]] = {}
        self._kept: dict[int, str] = {}
        self._units: dict[int, list[UnitRow]] = {}

    def parts(self) -> list[int]:
        """Return the numbers of the parts, in the order in which they came."""
        return [number for (number,) in self._store.rows("SELECT number FROM parts ORDER BY number")]

    def units(self, part: int) -> list[UnitRow]:
        """Return the row that is kept of each text of a part; asking again is free, as a part never changes."""
        if part not in self._units:
            self._units[part] = [tuple(row) for row in unpacked(self._column("units", part))]
        return self._units[part]

    def imports(self, part: int) -> "list[list[Any]]":
        """Return the imports of each text of a part, as columns."""
        rows: list[list[Any]] = unpacked(self._column("imports", part))
        return rows

    def facts(self, column: str, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return `head` or `refs` of texts, each by its number in all parts (`number_of`)."""
        found: dict[int, bytes] = {}
        for condition, some in among("number", numbers, 500):
            found.update(self._store.rows(f"SELECT number, {column} FROM facts WHERE {condition}", some))
        if len(found) < len(numbers):
            raise DamagedError
        return {number: unsealed(column, number, body) for number, body in found.items()}

    def listed(self, kind: int, name: str, parts: Iterable[int]) -> dict[int, list[int]]:
        """Return part → what one of `LISTS` has for a name, in those parts that have it."""
        found = {}
        for part in parts:
            numbers = list_in(self._bucket(part, kind, bucket_of(name, self._counts(part)[kind])), name)
            if numbers is not None:
                found[part] = numbers
        return found

    def lists(self, kind: int, part: int) -> dict[str, list[int]]:
        """Return one of `LISTS` of a part, whole."""
        lists: dict[str, list[int]] = {}
        first, count = _list_number(part, kind, 0), self._counts(part)[kind]
        rows = self._store.rows(
            "SELECT number, body FROM lists WHERE number >= ? AND number < ?", (first, first + count)
        )
        if len(rows) != count:
            raise DamagedError
        for number, body in rows:
            lists.update(unpacked(unsealed("lists", number, body)))
        return lists

    def add(self, part: Part) -> int:
        """Write a part, inside of a transaction, and return its number."""
        units, facts, imports, buckets = part
        ((number,),) = self._store.rows(
            "INSERT INTO parts (buckets, units, imports) VALUES (x'', x'', x'') RETURNING number"
        )
        counts = packed([len(each) for each in buckets])
        columns = {"buckets": counts, "units": packed(units), "imports": imports}
        self._store.rows(
            "UPDATE parts SET buckets = ?, units = ?, imports = ? WHERE number = ?",
            (*[sealed(name, number, body) for name, body in columns.items()], number),
        )
        numbered = ((number_of(number, place), *each) for place, each in enumerate(facts))
        self._store.write_all(
            "INSERT INTO facts VALUES (?, ?, ?)",
            ((place, sealed("head", place, head), sealed("refs", place, refs)) for place, head, refs in numbered),
        )
        for kind, bodies in enumerate(buckets):
            self._store.write_all(
                "INSERT INTO lists VALUES (?, ?)",
                [
                    (place, sealed("lists", place, body))
                    for place, body in enumerate(bodies, _list_number(number, kind, 0))
                ],
            )
        return int(number)

    def remove(self, part: int) -> None:
        """Delete a part, inside of a transaction."""
        self._store.rows("DELETE FROM parts WHERE number = ?", (part,))
        first, after = number_of(part, 0), number_of(part + 1, 0)
        self._store.rows("DELETE FROM facts WHERE number >= ? AND number < ?", (first, after))
        first, after = _list_number(part, 0, 0), _list_number(part + 1, 0, 0)
        self._store.rows("DELETE FROM lists WHERE number >= ? AND number < ?", (first, after))

    def tree(self) -> KnownTree | None:
        """Return the last state of the working tree, if one is kept."""
        kept = dict(self._store.rows("SELECT name, body FROM tree"))
        return KnownTree(*[unsealed(name, 0, kept.get(name)) for name in _TREE]) if kept else None

    def keep_tree(self, tree: KnownTree) -> None:
        """Write the state of the working tree, inside of a transaction."""
        bodies: Mapping[str, bytes] = {name: getattr(tree, name) for name in _TREE}
        self._store.write_all(
            "INSERT OR REPLACE INTO tree VALUES (?, ?)",
            [(name, sealed(name, 0, body)) for name, body in bodies.items()],
        )

    def forget(self) -> None:
        """Forget what was read: parts may have come or gone since."""
        for each in (self._buckets, self._kept, self._units):
            each.clear()

    def _counts(self, part: int) -> list[int]:
        counts = self._buckets.get(part)
        if counts is None:
            counts = self._buckets[part] = unpacked(self._column("buckets", part))
        if len(counts) != len(LISTS):
            raise DamagedError
        return counts

    def _bucket(self, part: int, kind: int, place: int) -> str:
        number = _list_number(part, kind, place)
        bucket = self._kept.get(number)
        if bucket is None:
            rows = self._store.rows("SELECT body FROM lists WHERE number = ?", (number,))
            bucket = self._kept[number] = text_packed(unsealed("lists", number, rows[0][0] if rows else None))
        return bucket

    def _column(self, name: str, part: int) -> bytes:
        rows = self._store.rows(f"SELECT {name} FROM parts WHERE number = ?", (part,))
        return unsealed(name, part, rows[0][0] if rows else None)


def number_of(part: int, place: int) -> int:
    """Return the number of a text in all parts: its part, and its place in it."""
    return part * MOST_UNITS + place


def part_and_place(number: int) -> tuple[int, int]:
    """Return what `number_of` was made of."""
    return divmod(number, MOST_UNITS)


def _list_number(part: int, kind: int, bucket: int) -> int:
    return (part * len(LISTS) + kind) * MOST_UNITS + bucket


# Small parts are merged, since a question looks into every part; texts that no file has any more are dropped then.

MOST_PARTS = 16
LARGE_PARTS = 4
"""So many of the largest parts are left as they are when there are too many."""
MOST_DEAD = 200
"""So many texts that no file has are kept anyway: a branch that is left may be come back to."""


def merge(tables: Tables, live: Collection[int]) -> dict[int, int]:
    """Put parts together where there are too many, or where most texts are in use no more (`live` are, by number).

    Works inside of a transaction. Returns what became of the numbers of texts: old → new.
    """
    parts = {part: tables.units(part) for part in tables.parts()}
    numbers = {part: range(number_of(part, 0), number_of(part, len(rows))) for part, rows in parts.items()}
    in_use = {number for number in live if number >= 0}
    dead = sum(map(len, numbers.values())) - len(in_use)
    if dead > max(MOST_DEAD, len(in_use)):
        return _merged(tables, parts, [part for part in parts if not in_use.issuperset(numbers[part])], in_use)
    if len(parts) > MOST_PARTS:
        by_size = sorted(parts, key=lambda part: (len(parts[part]), part))
        chosen = by_size[: len(by_size) - LARGE_PARTS]
        while len(chosen) > 2 and len(parts[chosen[-1]]) > sum(len(parts[part]) for part in chosen[:-1]):
            chosen.pop()  # a large part is not written again for a few small ones
        return _merged(tables, parts, sorted(chosen), None)
    return {}


def _merged(
    tables: Tables, parts: dict[int, list[UnitRow]], chosen: Sequence[int], live: Collection[int] | None
) -> dict[int, int]:
    """Put some parts into one, with their texts, or those that are live."""
    taken = [
        (part, place)
        for part in chosen
        for place in range(len(parts[part]))
        if live is None or number_of(part, place) in live
    ]
    places = {old: new for new, old in enumerate(taken)}
    rows = {part: tables.imports(part) for part in chosen}
    numbers = [number_of(*old) for old in taken]
    heads, references = tables.facts("head", numbers), tables.facts("refs", numbers)
    made = tables.add(
        (
            [parts[part][place] for part, place in taken],
            [(heads[number], references[number]) for number in numbers],
            packed([rows[part][place] for part, place in taken]),
            [bucketed(_lists(tables, kind, chosen, places)) for kind in range(len(LISTS))],
        )
    )
    for part in chosen:
        tables.remove(part)
    return {number_of(*old): number_of(made, new) for old, new in places.items()}


def _lists(tables: Tables, kind: int, chosen: Sequence[int], places: dict[tuple[int, int], int]) -> Lists:
    """Return one of `LISTS` of some parts as that of the new one."""
    width = 3 if LISTS[kind] == WORDS else 1
    lists: Lists = {}
    for part in chosen:
        for name, numbers in tables.lists(kind, part).items():
            for at in range(0, len(numbers), width):
                place = places.get((part, numbers[at]))
                if place is not None:
                    lists.setdefault(name, []).extend((place, *numbers[at + 1 : at + width]))
    return lists


_T = TypeVar("_T")
_TRIES = 4
_MOST_AHEAD = 32 << 20
"""So many bytes of references are held, until others are asked for."""
NO_PART = -1
_EMPTY = Head()
_LETTERS = {mark.value[0]: mark for mark in Mark}
_MARKS: dict[str, frozenset[Mark]] = {}
"""The marks of letters that were met."""
Row = tuple[int, int, str, str, str, str]
"""What is known of a file: its text's number in all parts, lines, blob, language, letters of marks, problem."""


@dataclass(frozen=True, slots=True)
class CodeState:
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
class StateSource:
    """Ways to make a state again after the index was lost, and to read a file of it."""

    again: Callable[[], CodeState]
    text: Callable[[SourceFile], bytes | None]


class StateFiles(Mapping[str, SourceFile]):
    """The files of a state, each made when it is looked at."""

    def __init__(self, state: CodeState) -> None:
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


class StoredCode:
    """A `SearchedCode` out of the index. Where that turns out damaged, it is made again; answers are right or there is
    none: every method raises BackendError where the index is lost again and again."""

    def __init__(self, store: Store, state: CodeState, source: StateSource) -> None:
        self._store, self._source = store, source
        self._configured: Mapping[str, Sequence[Import]] | None = None
        self._tables = Tables(store)
        self._held_bytes = 0
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

        if path not in self._bodies:
            self.load_references((path,))
        columns = self._bodies.get(path)
        return columns.chosen(name, kind) if columns else ()

    def load_references(self, paths: Collection[str]) -> None:
        """Read the references of many files at once."""
        missing = [path for path in paths if path not in self._bodies]
        if missing:
            if self._held_bytes > _MOST_AHEAD:
                self._bodies.clear()
                self._held_bytes = 0
            facts = self._soundly(lambda: self._facts("refs", missing, ReferenceColumns))
            self._bodies.update((path, facts.get(path)) for path in missing)
            self._held_bytes += sum(each.size for each in facts.values())

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
        while missing := sorted(set(words) - self._postings.keys()):  # again where the index was lost in the meantime
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
            return {path: tuple(head_from_bytes(facts[number]).imports) for path, number in sorted(numbers.items())}

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

    def answers_kept(self) -> AnswersInIndex:
        """Return the answers that are known from before."""
        return AnswersInIndex(self._store, self._numbers, self._manifests, self._names_of)

    def close(self) -> None:
        """Close the index."""
        self._store.close()

    def __enter__(self) -> "StoredCode":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set(self, state: CodeState) -> None:
        self._numbers = state.numbers
        self._manifests = state.manifests
        self._configured = None
        self._parts = sorted(state.parts())
        self._files = StateFiles(state)
        self._heads: dict[str, Head] = {}
        self._bodies: dict[str, ReferenceColumns | None] = {}
        self._held_bytes = 0
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

    def _names_of(self, numbers: Sequence[int]) -> frozenset[str] | None:
        """Return the names that some texts are found by; None where one is gone."""
        wanted = sorted(set(numbers) - {NO_PART})
        try:
            heads, references = self._tables.facts("head", wanted), self._tables.facts("refs", wanted)
        except DamagedError:
            return None
        both = [(head_from_bytes(heads[each]), ReferenceColumns(references[each])) for each in wanted]
        return frozenset(name for pair in both for name in names_found_by(*pair))

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
        posted, known = {}, self._paths
        for word in words:
            found: list[tuple[str, int, int]] = []
            for part, listed in self._tables.listed(LISTS.index(WORDS), word, self._parts).items():
                first = number_of(part, 0)
                for place, text, names in zip(listed[::3], listed[1::3], listed[2::3], strict=True):
                    for path in known.get(first + place, ()):
                        found.append((path, text, names))
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
