"""Bring the code graph up to files that changed: read what is not known, and keep the new state of the tree."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from verifflowcc.adapters.clock import Advance, step
from verifflowcc.adapters.files.write import shown_name
from verifflowcc.adapters.git.versions import read_source
from verifflowcc.adapters.index.code_graph import NO_PART, Row, State
from verifflowcc.adapters.index.code_graph_merging import merge
from verifflowcc.adapters.index.code_graph_parts import Part, Unit, UnitRow
from verifflowcc.adapters.index.code_graph_tables import Tables, Tree, number_of
from verifflowcc.adapters.index.store import Store
from verifflowcc.adapters.project.source_listing import YOUNG, names_in, stamps_of
from verifflowcc.adapters.project.source_marks import marks_by_name
from verifflowcc.codegraph.languages import known_without_grammar, language_of
from verifflowcc.codegraph.manifests import MANIFEST, manifest_kind
from verifflowcc.codegraph.read import LARGEST
from verifflowcc.services.code.parsing import NO_GRAMMAR, Text, read_texts
from verifflowcc.services.code.states import Done, names_of, rows_of, stamps_kept, state_of, tree_of

START_BYTES = 4096
"""Of so many first bytes a language may be told."""


class Wanted:
    """The files of one tree, by place, while it is found out what they are; `units` are those that have facts."""

    def __init__(self, store: Store, count: int) -> None:
        self.rows: list[Row | None] = [None] * count
        self.parsed = 0
        self._store, self._tables = store, Tables(store)
        self._units: dict[int, tuple[Unit, str]] = {}
        self._known: dict[Unit, tuple[int, UnitRow]] = {}
        self._asked: set[Unit] = set()
        self._loaded = False

    def is_known(self, unit: Unit) -> bool:
        """Say whether the facts of a text are there, or on their way."""
        if not self._loaded:
            self._loaded = True
            for part in self._tables.parts():
                self._note(part, self._tables.units(part))
        return unit in self._known or unit in self._asked

    def want(self, place: int, name: bytes, unit: Unit) -> bool:
        """Note what a file is; return whether its text must be read."""
        self._units[place] = (unit, marks_by_name(shown_name(name)))
        if self.is_known(unit):
            return False
        self._asked.add(unit)
        return True

    def refuse(self, place: int, row: Row) -> None:
        """Note a file whose text is not read."""
        self._units.pop(place, None)
        self.rows[place] = row

    def read(self, texts: Iterator[Text], advance: Advance) -> None:
        """Read the texts that are not known, and write down what they say."""
        first = next(texts, None)
        if first is not None:
            read_texts(_chained(first, texts), self._write, advance)
        for place, (unit, letters) in self._units.items():
            number, (blob, language, lines, _, marks, problem) = self._known[unit]
            both = "".join(dict.fromkeys(letters + marks))
            self.rows[place] = (number, lines, blob, language, both, problem)

    def _write(self, part: Part) -> None:
        with self._store.transaction("BEGIN IMMEDIATE"):
            number = self._tables.add(part)
        self.parsed += sum(not row[1].startswith(MANIFEST) for row in part[0])
        self._note(number, part[0])

    def _note(self, part: int, units: Sequence[UnitRow]) -> None:
        for place, row in enumerate(units):
            self._known.setdefault((row[0], row[1]), (number_of(part, place), row))


def update(
    root: Path, store: Store, tree: Tree | None, listing: bytes, stamps: Sequence[str]
) -> tuple[State, Done] | None:
    """Bring the index up to the files of a listing. `tree` is the last state; `stamps` are those of its files now.

    Returns None where another process took away what was built on. Raises sqlite3.DatabaseError.
    """
    if tree is not None and listing == tree.listing:
        names, stamps = names_of(tree), list(stamps)
    else:
        names = _candidates(listing)
        stamps = stamps_of(root, names)
    before = _known_files(tree)
    wanted = Wanted(store, len(names))
    changed = []
    for place, (name, stamp) in enumerate(zip(names, stamps, strict=True)):
        last = before.get(name)
        if stamp and stamp != YOUNG and last and last[0] == stamp:
            wanted.rows[place] = last[1]
        elif stamp:
            changed.append(place)
    with step("reading code", len(changed)) as advance:
        wanted.read(_texts(root, names, changed, stamps, wanted), advance)
    there = {name for name, row in zip(names, wanted.rows, strict=True) if row and not row[3].startswith(MANIFEST)}
    gone = [name for name, (_, row) in before.items() if row and name not in there and not row[3].startswith(MANIFEST)]
    done = Done(wanted.parsed, len(there) - wanted.parsed, len(gone))
    kept = tree_of(listing, names, stamps, wanted.rows)
    return _keep(store, kept, state_of(kept.names, wanted.rows), done)


def _keep(store: Store, tree: Tree, state: State, done: Done) -> tuple[State, Done] | None:
    """Write the new state, if all that it needs is there still; parts are put together on this occasion."""
    tables = Tables(store)
    with store.transaction("BEGIN IMMEDIATE"):
        if not state.parts() <= set(tables.parts()):
            return None
        moved = merge(tables, state.texts())
        if moved:
            rows = [row and (moved.get(row[0], row[0]), *row[1:]) for row in rows_of(tree)]
            tree = tree_of(tree.listing, names_of(tree), stamps_kept(tree), rows)
            state = state_of(tree.names, rows)
        tables.keep_tree(tree)
    return state, done


def _candidates(listing: bytes) -> list[bytes]:
    """Return the files that may be source files: those whose name says so, and those whose first bytes may."""
    return [name for name in names_in(listing) if _may_be_source(shown_name(name))]


def _may_be_source(path: str) -> bool:
    known = language_of(path) or known_without_grammar(path) or manifest_kind(path)
    return bool(known) or "." not in path.rpartition("/")[2]


def language_said(path: str, data: bytes) -> str:
    """Return the language of a text that is at a path, with `NO_GRAMMAR` before it where none reads it; "" for none."""
    if kind := manifest_kind(path):
        return MANIFEST + kind
    language = language_of(path, data[:START_BYTES])
    if language:
        return language
    known = known_without_grammar(path)
    return NO_GRAMMAR + known if known else ""


def _known_files(tree: Tree | None) -> dict[bytes, tuple[str, Row | None]]:
    if tree is None:
        return {}
    return dict(zip(names_of(tree), zip(stamps_kept(tree), rows_of(tree), strict=True), strict=True))


def _texts(
    root: Path, names: Sequence[bytes], changed: Sequence[int], stamps: list[str], wanted: Wanted
) -> Iterator[Text]:
    """Yield the texts of files that are not known; the rows of those that cannot be read are made here."""
    top = os.fsencode(root)
    for place in changed:
        name = names[place]
        path = shown_name(name)
        try:
            read = read_source(os.path.join(top, name), LARGEST)  # noqa: PTH118 - names are bytes here
        except OSError as error:
            stamps[place] = YOUNG
            language = language_said(path, b"")
            if language:
                why = f"it cannot be read ({error.strerror or error})"
                wanted.refuse(place, (NO_PART, 0, "", language, marks_by_name(path), why))
            continue
        if read is None:
            stamps[place] = YOUNG
            continue
        blob, data = read
        language = language_said(path, data or b"")
        if language and data is None:
            why = f"it has more than {LARGEST >> 20} MiB"
            wanted.refuse(place, (NO_PART, 0, blob, language, marks_by_name(path), why))
        elif language and data is not None and wanted.want(place, name, (blob, language)):
            yield blob, language, data


def _chained(first: Text, others: Iterator[Text]) -> Iterator[Text]:
    yield first
    yield from others
