"""Bring the code graph up to what a commit holds; the working tree and its stamps have no part in it."""

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files.project_content import belongs
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_versions import committed_files, committed_texts
from verifflowcc.base.index.index_file import Store
from verifflowcc.base.process.clock import Advance, step
from verifflowcc.code.rules.grammars import LARGEST, known_without_grammar, language_of, read_facts
from verifflowcc.code.rules.graph import FileFacts
from verifflowcc.code.rules.project_manifests import MANIFEST, manifest_kind, read_manifest
from verifflowcc.code.rules.task_words import words_of
from verifflowcc.code.store.code_graph import NO_PART, CodeState, KnownTree, Row, Tables, merge, number_of
from verifflowcc.code.store.code_graph_parts import GrowingPart, Part, Unit, UnitRow
from verifflowcc.code.store.partner_process import Partner, PartnerGoneError
from verifflowcc.code.store.source_listing import (
    YOUNG,
    bytes_of,
    marks_by_name,
    marks_by_text,
    names_in,
    read_source,
    stamps_of,
)
from verifflowcc.code.use.tree_states import (
    UpdateCounts,
    joined_names,
    names_of,
    rows_of,
    stamps_kept,
    state_of,
    tree_of,
)

if TYPE_CHECKING:
    from typing import Any


# Source texts to parts of the code graph: by this process, and a second one where there is much to read.

Text = tuple[str, str, bytes]
"""A text to read: the id of its blob, its language, and its bytes."""
NO_GRAMMAR = "?"
"""Stands before the name of a language that no grammar reads."""
ENOUGH_FOR_TWO = 1_000_000
"""Bytes of source that are worth a second process, which takes a tenth of a second to begin."""
_HANDED_OVER = 150_000
_UNDER_WAY = 2
"""How many bundles the partner has before it, so that it never waits for the next."""
PART_BYTES = 4_000_000
"""Bytes of source whose facts are written at once: about a second's work."""
_WORK = "verifflowcc.code.use.commit_updates:work"


def read_texts(texts: Iterator[Text], write: Callable[[Part], None], advance: Advance) -> None:
    """Read texts and `write` their facts, a part after the other; `advance` gets how many texts were read."""
    first: list[Text] = []
    size = 0
    for text in texts:
        first.append(text)
        size += len(text[2])
        if size >= ENOUGH_FOR_TWO:
            break
    reading = _TextReaders(write, advance, _partner() if size >= ENOUGH_FOR_TWO else None)
    collects = gc.isenabled()
    gc.disable()  # facts are many objects without a cycle among them
    try:
        reading.read(deque(first), texts)
    finally:
        reading.end()
        if collects:
            gc.enable()


def _partner() -> Partner | None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return Partner(_WORK) if cores > 1 else None
    except PartnerGoneError:
        return None


class _TextReaders:
    """Parse texts in two processes.

    Texts that the other process has not returned are kept, in case it ends early.
    """

    def __init__(self, write: Callable[[Part], None], advance: Advance, partner: Partner | None) -> None:
        self._write, self._advance, self._partner = write, advance, partner
        self._own = GrowingPart()
        self._given: list[Text] = []
        self._bundles = 0

    def read(self, waiting: deque[Text], more: Iterator[Text]) -> None:
        while self._fill(waiting, more):
            if self._partner is None or not self._give(waiting, more):
                self._read_one(waiting.popleft())
                self._take()
        self._give_all_back(waiting)
        while waiting:
            self._read_one(waiting.popleft())
        self._finish()

    def end(self) -> None:
        if self._partner is not None:
            self._partner.end()

    def _fill(self, waiting: deque[Text], more: Iterator[Text]) -> bool:
        if not waiting:
            waiting.extend(text for text in [next(more, None)] if text is not None)
        return bool(waiting)

    def _read_one(self, text: Text) -> None:
        add(self._own, text)
        self._advance(1)
        if self._own.size >= PART_BYTES:
            self._finish()

    def _finish(self) -> None:
        if len(self._own):
            self._write(self._own.finish())
            self._own = GrowingPart()

    def _give(self, waiting: deque[Text], more: Iterator[Text]) -> bool:
        """Hand a bundle over, where the partner has too few; return whether it had."""
        if self._bundles >= _UNDER_WAY or self._partner is None:
            return False
        bundle: list[Text] = []
        size = 0
        while size < _HANDED_OVER and self._fill(waiting, more):
            bundle.append(waiting.popleft())
            size += len(bundle[-1][2])
        self._given += bundle
        self._bundles += 1
        try:
            self._partner.send(bundle)
        except PartnerGoneError:
            self._lose_partner(waiting)
        return True

    def _take(self) -> None:
        """Take what the partner has brought back, without waiting for more."""
        try:
            while self._partner is not None and self._partner.has_answer():
                self._taken(self._partner.receive())
        except PartnerGoneError:
            self._bundles = _UNDER_WAY  # its texts are read in the end

    def _taken(self, answer: "Any") -> None:
        """Note an answer: how many texts of a bundle were read, or a part with all that was given before."""
        if isinstance(answer, int):
            self._bundles -= 1
            self._advance(answer)
        else:
            self._write(answer)
            done = {(unit[0], unit[1]) for unit in answer[0]}
            self._given = [text for text in self._given if text[:2] not in done]

    def _give_all_back(self, waiting: deque[Text]) -> None:
        """Wait for all that the partner was given; what it does not bring back is to be read here."""
        try:
            if self._partner is not None:
                self._partner.send([])
                self._finish()  # while the partner does the same
                while self._given:
                    self._taken(self._partner.receive())
        except PartnerGoneError:
            self._lose_partner(waiting)

    def _lose_partner(self, waiting: deque[Text]) -> None:
        self.end()
        self._partner = None
        waiting.extend(self._given)
        self._given = []


def work(bundles: Iterable[list[Text]]) -> Iterator["Any"]:
    """Be the partner: read bundles up to an empty one; yield how many texts were read, and parts."""
    gc.disable()
    part = GrowingPart()
    for bundle in bundles:
        for text in bundle:
            add(part, text)
        if part.size >= PART_BYTES or (not bundle and len(part)):
            yield part.finish()
            part = GrowingPart()
        yield len(bundle)


def add(part: GrowingPart, text: Text) -> None:
    """Read a text into a part."""
    blob, language, data = text
    if language.startswith(NO_GRAMMAR):
        facts = FileFacts("", problem=f"there is no grammar for {language[1:]}")
    elif language.startswith(MANIFEST):
        facts = FileFacts("", imports=read_manifest(language[1:], data))
    else:
        facts = read_facts(language, data)
    marks = marks_by_text(data)
    searched = not facts.problem or (language.startswith(NO_GRAMMAR) and "m" not in marks and b"\0" not in data)
    words = words_of(facts, data if searched and not language.startswith(MANIFEST) else b"")
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    part.add((blob, language, lines, words.length, marks, facts.problem), facts, words.inside, words.named, len(data))


# Bring the code graph up to files that changed: read what is not known, and keep the new state of the tree.

UNREAD = "the code was not read yet"
START_BYTES = 4096
"""Of so many first bytes a language may be told."""


class TreeFiles:
    """The files of one tree, by place, while it is found out what they are; `tables` know the texts that have facts."""

    def __init__(self, store: Store, count: int) -> None:
        self.rows: list[Row | None] = [None] * count
        self.parsed = 0
        self._store, self.tables = store, Tables(store)
        self._units: dict[int, tuple[Unit, str]] = {}
        self._known: dict[Unit, tuple[int, UnitRow]] = {}
        self._asked: set[Unit] = set()
        self._loaded = False

    def is_known(self, unit: Unit) -> bool:
        """Say whether the facts of a text are there, or on their way."""
        if not self._loaded:
            self._loaded = True
            for part in self.tables.parts():
                self._note(part, self.tables.units(part))
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
            number = self.tables.add(part)
        self.parsed += sum(not row[1].startswith(MANIFEST) for row in part[0])
        self._note(number, part[0])

    def _note(self, part: int, units: Sequence[UnitRow]) -> None:
        for place, row in enumerate(units):
            self._known.setdefault((row[0], row[1]), (number_of(part, place), row))


def update(
    root: Path,
    store: Store,
    tree: KnownTree | None,
    listing: bytes,
    stamps: Sequence[str],
    most: int | None = None,
) -> tuple[CodeState, UpdateCounts] | None:
    """Bring the index up to the files of a listing. `tree` is the last state; `stamps` are those of its files now.

    Returns None where another process took away what was built on. Raises sqlite3.DatabaseError, and ConflictError,
    before anything is read, where more than `most` bytes are to be.
    """
    kept = [*zip(stamps_kept(tree), rows_of(tree), strict=True)] if tree else []
    earlier = names_of(tree) if tree else []
    if tree is not None and listing == tree.listing:
        names, stamps, before = earlier, list(stamps), kept
    else:
        names, known = _candidates(listing), dict(zip(earlier, kept, strict=True))
        stamps, before = stamps_of(root, names), [known.get(name, ("", None)) for name in names]
    wanted = TreeFiles(store, len(names))
    changed = []
    for place, (last, stamp) in enumerate(zip(before, stamps, strict=True)):
        if stamp and stamp != YOUNG and last[0] == stamp:
            wanted.rows[place] = last[1]
        elif stamp:
            changed.append(place)
    if most is not None and bytes_of(root, [names[place] for place in changed], LARGEST) > most:
        raise ConflictError(f"{UNREAD}, which takes a while once", hint="vfcc code index")
    with step("reading code", len(changed)) as advance:
        wanted.read(_updating_texts(root, names, changed, stamps, wanted), advance)
    there = {name for name, row in zip(names, wanted.rows, strict=True) if row and not row[3].startswith(MANIFEST)}
    were = (name for name, (_, row) in zip(earlier, kept, strict=True) if row and not row[3].startswith(MANIFEST))
    gone = [name for name in were if name not in there]
    done = UpdateCounts(wanted.parsed, len(there) - wanted.parsed, len(gone))
    now = tree_of(listing, names, stamps, wanted.rows)
    return _keep(store, wanted.tables, now, state_of(now.names, wanted.rows), done)


def _keep(
    store: Store, tables: Tables, tree: KnownTree, state: CodeState, done: UpdateCounts
) -> tuple[CodeState, UpdateCounts] | None:
    """Write the new state, if all that it needs is there still; parts are put together on this occasion."""
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


def named_language(path: str, data: bytes) -> str:
    """Return the language of a text that is at a path, with `NO_GRAMMAR` before it where none reads it; "" for none."""
    if kind := manifest_kind(path):
        return MANIFEST + kind
    language = language_of(path, data[:START_BYTES])
    if language:
        return language
    known = known_without_grammar(path)
    return NO_GRAMMAR + known if known else ""


def _updating_texts(
    root: Path, names: Sequence[bytes], changed: Sequence[int], stamps: list[str], wanted: TreeFiles
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
            language = named_language(path, b"")
            if language:
                why = f"it cannot be read ({error.strerror or error})"
                wanted.refuse(place, (NO_PART, 0, "", language, marks_by_name(path), why))
            continue
        if read is None:
            stamps[place] = YOUNG
            continue
        blob, data = read
        language = named_language(path, data or b"")
        if language and data is None:
            why = f"it has more than {LARGEST >> 20} MiB"
            wanted.refuse(place, (NO_PART, 0, blob, language, marks_by_name(path), why))
        elif language and data is not None and wanted.want(place, name, (blob, language)):
            yield blob, language, data


def _chained(first: Text, others: Iterator[Text]) -> Iterator[Text]:
    yield first
    yield from others


def update_to_commit(root: Path, store: Store, commit: str) -> tuple[CodeState, UpdateCounts]:
    """Bring the index up to a commit. Raises sqlite3.DatabaseError, and as `committed_files`."""
    files = [(name, blob) for name, blob in committed_files(root, commit) if belongs(shown_name(name))]
    wanted = TreeFiles(store, len(files))
    with step("reading the code of a commit", len(files)) as advance:
        wanted.read(_texts(root, files, wanted), advance)
    state = state_of(joined_names([name for name, _ in files]), wanted.rows)
    return state, UpdateCounts(wanted.parsed, len(state.numbers) - wanted.parsed, 0)


def _texts(root: Path, files: Sequence[tuple[bytes, str]], wanted: TreeFiles) -> Iterator[Text]:
    """Yield the texts that are not known; git is asked for those alone, and for those whose bytes tell the language."""
    unknown = []
    for place, (name, blob) in enumerate(files):
        path = shown_name(name)
        named = MANIFEST + kind if (kind := manifest_kind(path)) else language_of(path)
        plain = named if named else (NO_GRAMMAR + known_without_grammar(path)).removesuffix(NO_GRAMMAR)
        if _needs_first_bytes(path, named):
            unknown.append((place, ""))
        elif plain and wanted.want(place, name, (blob, plain)):
            unknown.append((place, plain))
    texts = committed_texts(root, [files[place][1] for place, _ in unknown])
    for (place, language), data in zip(unknown, texts, strict=True):
        name, blob = files[place]
        path = shown_name(name)
        named = language or named_language(path, data)
        if named and len(data) > LARGEST:
            wanted.refuse(
                place,
                (NO_PART, 0, blob, named, marks_by_name(path), f"it has more than {LARGEST >> 20} MiB"),
            )
        elif language or (named and wanted.want(place, name, (blob, named))):
            yield blob, named, data


def _needs_first_bytes(path: str, language: str) -> bool:
    return path.lower().endswith(".h") or (not language and "." not in path.rpartition("/")[2])
