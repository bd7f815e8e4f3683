"""The code graph, brought up to the files as they are now, or as a commit has them.

Where nothing changed since the last time, that is seen from git's listing and the files' stamps alone.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.index.index_file import DerivedTables, Store
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.code_views import GraphStatus, IndexingResult, LanguageCount
from verifflowcc.code.rules.graph import SourceFile
from verifflowcc.code.store.code_graph import CodeState, KnownTree, StateSource, StoredCode, Tables, form
from verifflowcc.code.store.source_listing import YOUNG, Listing, begun, read_source, stamps_of, text_of
from verifflowcc.code.use.tree_states import (
    READING,
    UpdateCounts,
    joined_stamps,
    names_of,
    rows_of,
    state_kept,
)

if TYPE_CHECKING:
    from verifflowcc.code.rules.binding import Binder

FILE = "code.db"


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The code as it is now, and what was done for it: how many files were read, known already, and gone."""

    code: StoredCode
    parsed: int
    known: int
    removed: int

    @property
    def skipped(self) -> tuple[tuple[str, str], ...]:
        """Path and why, for the files that were not read, or not whole."""
        return self.code.skipped

    @property
    def notices(self) -> tuple[str, ...]:
        """Why nothing is kept, where nothing is."""
        return self.code.notices


MOST_UNREAD_BYTES = 24 << 20
"""About six seconds of reading on two cores: who asks for something else does not wait for more."""

MOST_YOUNG, MOST_HELD_BYTES = 16, 1 << 20
"""So many files that were just saved are read for each question, a larger one in pieces."""


def open_code(workspace: Workspace, *, commit: str | None = None, ordinary: dict[str, str] | None = None) -> StoredCode:
    """Return the code of a project as its files are now, or as a commit has them. Raises as `bring_up`.

    `ordinary` are stamps of files that were just taken, and gets others.
    """
    return bring_up(workspace, commit=commit, ordinary=ordinary).code


@contextmanager
def binding(code: StoredCode, *, keeps: bool = True) -> "Iterator[Binder]":
    """Give what binds the references of open code.

    With `keeps` it recalls answers, and those that it found are kept if all goes well. Code is let go of with that.
    """
    from verifflowcc.code.rules.binding import Binder

    binder, kept = Binder(code), code.answers_kept()
    if keeps:
        binder.names.keep_in(kept)
    yield binder
    kept.save()


def open_code_soon(
    workspace: Workspace, *, commit: str | None = None, ordinary: dict[str, str] | None = None
) -> StoredCode:
    """Return the code as `open_code` does, where little of the files is unread; a commit's code is waited for.

    Raises ConflictError where it is more, as in a fresh clone of a very large repository.
    """
    return bring_up(workspace, commit=commit, most=MOST_UNREAD_BYTES, ordinary=ordinary).code


def bring_up(
    workspace: Workspace,
    *,
    commit: str | None = None,
    index: Path | None = None,
    most: int | None = None,
    ordinary: dict[str, str] | None = None,
) -> IndexUpdate:
    """Bring the code graph up to the files, or to a commit, and open it. It is kept in the project, or in `index`.

    Raises WorkspaceError where the files cannot be listed, UsageError where there is no such commit, BackendError where
    the index is lost again and again, and ConflictError where more than `most` bytes of files are to be read.
    """
    bringing = _IndexUpdating(workspace.root, index or workspace.local / FILE, commit, most)
    bringing.ordinary = ordinary
    try:
        state = bringing.state()
    except BaseException:
        bringing.end()
        raise
    code = StoredCode(bringing.store, state, StateSource(bringing.state, bringing.text))
    done = bringing.done
    return IndexUpdate(code, done.parsed, done.known, done.removed)


class _IndexUpdating(DerivedTables):
    """One index being brought up to one tree. The listing is asked for before all else, as git takes its time."""

    def __init__(self, root: Path, index: Path, commit: str | None, most: int | None = None) -> None:
        self._root, self._commit, self._most = root, commit, most
        self._listing = None if commit else begun(root)
        super().__init__(index, form(READING))
        self.done = UpdateCounts(0, 0, 0)
        self.ordinary: dict[str, str] | None = None

    @property
    def store(self) -> Store:
        """The index itself."""
        return self._store

    def state(self) -> CodeState:
        """Bring the index up and return the state, with a transaction open in which the index is just so."""
        return self._soundly(self._once, "the code", patient=True)

    def text(self, file: SourceFile) -> bytes | None:
        """Return the bytes of a file, if they are those that it had."""
        if self._commit is None:
            return text_of(self._root, file.path, file.blob)
        from verifflowcc.base.git.git_versions import committed_text

        return committed_text(self._root, file.blob)

    def end(self) -> None:
        """Give up."""
        if self._listing is not None:
            self._listing.drop()
        self.close()

    def _once(self) -> CodeState | None:
        self.store.let_go()
        tables = Tables(self.store)
        return self._looked(tables) if self._commit is None else self._committed(tables, self._commit)

    def _looked(self, tables: Tables) -> CodeState | None:
        """Return the kept state where it is still valid, else that of the updated tree."""
        self._listing = self._listing or Listing(self._root)
        self.store.hold()
        tree = tables.tree()
        ordinary, self.ordinary = self.ordinary, None  # who looks again, looks at the files
        stamps = stamps_of(self._root, names_of(tree), ordinary) if tree else []
        listing, self._listing = self._listing, None
        listed = listing.read()
        if tree and listed == tree.listing and joined_stamps(stamps) == tree.stamps and self._are_kept(tree, stamps):
            state = state_kept(tree)
            self.done = UpdateCounts(0, len(state.numbers), 0)
            return state
        self.store.let_go()
        from verifflowcc.code.use.commit_updates import update

        brought = update(self._root, self.store, tree, listed, stamps, self._most)
        return self._held(tables, brought)

    def _are_kept(self, tree: KnownTree, stamps: Sequence[str]) -> bool:
        """Whether the files that changed too recently to be trusted by their stamps have the texts that are kept.

        Somebody who just saved a file asks several questions: it is not read into the index again for each.
        """
        young = [place for place, stamp in enumerate(stamps) if stamp == YOUNG]
        if not young or len(young) > MOST_YOUNG:
            return not young
        names, rows, top = names_of(tree), rows_of(tree), os.fsencode(self._root)
        for place in young:
            row = rows[place]
            try:
                read = read_source(os.path.join(top, names[place]), MOST_HELD_BYTES)  # noqa: PTH118 - names are bytes here
            except OSError:
                return False
            if row is None or read is None or read[0] != row[2]:
                return False
        return True

    def _committed(self, tables: Tables, commit: str) -> CodeState | None:
        from verifflowcc.code.use.commit_updates import update_to_commit

        return self._held(tables, update_to_commit(self._root, self.store, commit))

    def _held(self, tables: Tables, brought: "tuple[CodeState, UpdateCounts] | None") -> CodeState | None:
        """Return a state once the index is held as it is now, if it still has all that the state needs."""
        if brought is None:
            return None
        state, self.done = brought
        self.store.hold()
        if state.parts() <= set(tables.parts()):
            return state
        self.store.let_go()
        return None


# What the code graph holds, and what bringing it up to the files took.


def index_code(workspace: Workspace) -> IndexingResult:
    """Bring the graph up to the files, and return what that took. Raises as `bring_up`."""
    brought = bring_up(workspace)
    with brought.code:
        return what_it_took(brought)


def what_it_took(brought: IndexUpdate) -> IndexingResult:
    """Return what bringing the graph up took."""
    files = len(brought.code.files)
    return IndexingResult(files, brought.parsed, brought.known, brought.removed, brought.skipped, brought.notices)


def graph_status(workspace: Workspace) -> GraphStatus:
    """Return what the graph holds. Raises as `bring_up`."""
    brought = bring_up(workspace)
    with brought.code as code:
        files = code.files
        code.heads(list(files))
        symbols = Counter(each.kind.value for path in files for each in code.head(path).definitions)
        marked = Counter(mark.value for each in files.values() for mark in each.marks)
        kept = workspace.local / FILE
        return GraphStatus(
            files=len(files),
            lines=sum(each.lines for each in files.values()),
            languages=_languages(list(files.values())),
            symbols=dict(sorted(symbols.items())),
            imports=sum(len(taken) for taken in code.imports().values()),
            marked=dict(sorted(marked.items())),
            skipped=brought.skipped,
            bytes=kept.stat().st_size if kept.exists() else 0,
            notices=brought.notices,
        )


def _languages(files: Sequence[SourceFile]) -> tuple[LanguageCount, ...]:
    def counts() -> Iterator[LanguageCount]:
        for name in sorted({each.language for each in files}):
            of = [each for each in files if each.language == name]
            yield LanguageCount(name or "no grammar", len(of), sum(each.lines for each in of), bool(name))

    return tuple(sorted(counts(), key=lambda each: (-each.files, each.language)))
