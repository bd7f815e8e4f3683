"""Several who remember at the same time: each gets a place of its own, and nobody waits for longer than is said."""

import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import get_context
from os import getpid
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.remembered_world import ME, TODAY, unasked
from tests.tree.backend_conformance import Opener
from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, Sqlite
from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.files import item_files
from verifflowcc.base.files.lock import holder, locked
from verifflowcc.base.model.item_values import Source
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.memory.store import file_backend as scope_lock
from verifflowcc.memory.store import sqlite_backend as sqlite_file
from verifflowcc.memory.store.file_backend import ScopeLock
from verifflowcc.memory.use.adding import AddResult, ItemRequest, add_item

WRITERS, WRITES = 4, 15
AT_ONCE_S, PATIENCE_S = 0.02, 60.0
OPENERS: dict[str, Callable[[Path], Opener]] = {"files": Files, "sqlite": Sqlite}


def add(store: MemoryBackend, title: str, text: str = "So it is.", **fields: str) -> AddResult:
    wanted = ItemRequest("project", "fact", title, text, Source(actor=ME), **fields)  # type: ignore[arg-type]
    return add_item(store, wanted, actor=ME, today=TODAY, confirm=unasked)


def few_letters() -> str:
    """Draw one of two letters, so that two items of one title have one id about every sixteenth time."""
    return random.choice("01")


def _add_many(start: Any, opener: Opener, writer: int) -> None:
    item_files.draw_letter = few_letters
    with closing(opener("project")) as store:
        start.wait(PATIENCE_S)
        for number in range(WRITES):
            add(store, f"Title {number % 5}", f"{writer} says {number}.")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-WRITERS")
@pytest.mark.parametrize("kind", OPENERS)
def test_what_several_processes_add_at_once_is_all_there_though_they_draw_the_same_ids(
    tmp_path: Path, kind: str
) -> None:
    opener = OPENERS[kind](tmp_path)
    spawning = get_context("spawn")
    start = spawning.Barrier(WRITERS)
    processes = [spawning.Process(target=_add_many, args=(start, opener, writer)) for writer in range(WRITERS)]
    for each in processes:
        each.start()
    for each in processes:
        each.join(120)
    assert [each.exitcode for each in processes] == [0] * WRITERS

    with closing(opener("project")) as store:
        said = Counter(each.body.strip() for each in store.list_all())
        assert said == Counter(f"{writer} says {number}." for writer in range(WRITERS) for number in range(WRITES))
        assert store.problems == ()


@pytest.mark.parametrize("kind", OPENERS)
def test_an_id_that_is_taken_is_drawn_again_and_what_has_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    letters = iter("aaaaaaaabbbb")
    monkeypatch.setattr(item_files, "draw_letter", lambda: next(letters))
    with closing(OPENERS[kind](tmp_path)("project")) as store:
        first, second = add(store, "Same"), add(store, "Same", "And so.")

        assert (first.item.id, second.item.id) == ("same-aaaa", "same-bbbb")
        assert [each.text for each in store.list_all()] == [first.text, second.text]


@pytest.mark.parametrize("kind", OPENERS)
def test_where_all_ids_are_taken_it_is_told_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(item_files, "draw_letter", lambda: "a")
    with closing(OPENERS[kind](tmp_path)("project")) as store:
        first = add(store, "Same")
        with pytest.raises(UsageError, match="no id was drawn that is free"):
            add(store, "Same", "And so.")
        assert [each.text for each in store.list_all()] == [first.text]


def test_only_what_depends_on_other_items_waits_for_those_who_write_one_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_lock, "WAIT_S", AT_ONCE_S)
    with closing(Files(tmp_path)("project")) as store, ExitStack() as held:
        store.add(make("old"))
        held.enter_context(ScopeLock(tmp_path / "p1/.memory/local/locks", "project").beside_others())
        alone = add(store, "Alone")
        for fields in ({"key": "k"}, {"id": "named"}, {"supersedes": "old"}):
            with pytest.raises(ConflictError, match="is held by another vfcc"):
                add(store, "Not alone", **fields)
        assert {each.id for each in store.items()} == {"old", alone.item.id}
        held.close()
        assert add(store, "Not alone", key="k").written


def test_a_lock_that_is_held_for_too_long_is_one_sentence(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", 0), pytest.raises(ConflictError) as told, locked(tmp_path / "lock", AT_ONCE_S):
        raise AssertionError

    assert told.value.message == f"{tmp_path / 'lock'} is held by another vfcc (process {getpid()})"
    assert told.value.hint == "wait until it is done, then run the command again"


def test_a_database_that_is_written_for_too_long_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_S", AT_ONCE_S)
    opener = Sqlite(tmp_path)
    with closing(opener("project")) as one, closing(opener("project")) as other:
        with one.writing(), pytest.raises(ConflictError) as told:
            add(other, "Late")
        assert told.value.message == f"{tmp_path / 'p1.db'} is being written by others"
        assert add(other, "Late").written


def test_who_gave_up_waiting_leaves_the_lock_to_others(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    others = {*threading.enumerate()}
    with locked(path, 0):
        for shared in (False, True, False):
            with pytest.raises(ConflictError), locked(path, AT_ONCE_S, shared=shared):
                raise AssertionError

    with locked(path, PATIENCE_S):
        pass
    for thread in {*threading.enumerate()} - others:
        thread.join(PATIENCE_S)
    assert {*threading.enumerate()} <= others
    assert holder(path) is None


@contextmanager
def alarm() -> Iterator[None]:
    """Ring soon, once."""
    signal.setitimer(signal.ITIMER_REAL, AT_ONCE_S)
    yield


def test_who_is_interrupted_while_waiting_leaves_the_lock_to_others(tmp_path: Path) -> None:
    path = tmp_path / "lock"

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with locked(path, 0), pytest.raises(KeyboardInterrupt), alarm(), locked(path, PATIENCE_S):
            raise AssertionError
    finally:
        signal.signal(signal.SIGALRM, before)

    with locked(path, PATIENCE_S):
        pass


WAITS = """
import sys
from pathlib import Path
from verifflowcc.base.files.lock import locked
from verifflowcc.base.errors import ConflictError
try:
    with locked(Path(sys.argv[1]), 0.02):
        pass
except ConflictError:
    sys.exit(7)
"""


def test_a_process_that_gave_up_ends_though_the_lock_is_still_held(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", 0):
        command = [sys.executable, "-W", "error", "-c", WAITS, str(tmp_path / "lock")]
        ended = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (7, b"", b"")


def test_all_who_wait_get_the_lock_one_after_the_other(tmp_path: Path) -> None:
    inside, seen = [], []

    def enter(number: int) -> None:
        with locked(tmp_path / "lock", PATIENCE_S):
            inside.append(number)
            seen.append(len(inside))
            inside.remove(number)

    waiting = [threading.Thread(target=enter, args=(number,)) for number in range(24)]
    with locked(tmp_path / "lock", 0):
        for each in waiting:
            each.start()
    for each in waiting:
        each.join(PATIENCE_S)

    assert seen == [1] * 24
