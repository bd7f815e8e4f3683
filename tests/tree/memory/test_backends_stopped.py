"""Stores whose writer is killed, whose disk is full or may not be written: nothing is half-written, nothing is lost."""

import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.trees import everything, half_written
from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, Sqlite
from tests.tree.backend_writing import KINDS, text_of
from verifflowcc.base.errors import BackendError, VfccError
from verifflowcc.base.files.write import leftovers
from verifflowcc.base.model.memory_protocol import MemoryBackend

ROOT = Path(__file__).parents[3]
ROUNDS = 8


def writing(kind: str, root: Path, *most: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.tree.backend_writing", kind, str(root), *most]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def check_whole(store: MemoryBackend, said: int) -> None:
    """All turns up to the one that was told are there, at most one more, and every text is one that was written."""
    found = {each.item.id: each.body for each in store.list_all()}
    shared = found.pop("shared")
    numbers = sorted(int(name.removeprefix("n-")) for name in found)
    assert numbers[: said + 1] == list(range(said + 1))
    assert len(numbers) <= said + 2
    assert all(found[f"n-{number:06}"] == text_of(number) for number in numbers)
    assert shared in (text_of(said), text_of(said + 1))
    assert store.problems == ()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WHOLE-WRITES")
@pytest.mark.parametrize("kind", KINDS)
def test_a_writer_that_is_killed_leaves_whole_items_behind(tmp_path: Path, kind: str) -> None:
    draw = random.Random(5)
    for _ in range(ROUNDS):
        with writing(kind, tmp_path) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(draw.randint(1, 12))]
            for _ in range(draw.randint(0, 200_000)):
                pass
            process.kill()
            said += process.stdout.readlines()
        with closing(KINDS[kind](tmp_path)("project")) as store:
            check_whole(store, int(said[-1]))
    left = half_written(tmp_path)
    assert {str(tmp_path / path) for path in left} <= {str(path) for path in leftovers([tmp_path])}


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-WHOLE-WRITES")
@pytest.mark.parametrize(("kind", "most"), list(itertools.product(KINDS, [0, 300, 3_000])))
def test_a_disk_that_takes_no_more_is_told_and_nothing_is_half_written(tmp_path: Path, kind: str, most: int) -> None:
    with closing(KINDS[kind](tmp_path)("project")) as store:
        for name in ("shared", "n-000000"):
            store.add(make(name, body=text_of(0)))
        before = store.list_all()

    with writing(kind, tmp_path, str(most)) as process:
        out, _ = process.communicate(timeout=60)
    *said, error = out.splitlines()

    assert process.returncode == 3, out
    assert error.startswith(("WorkspaceError: cannot ", "BackendError: "))
    with closing(KINDS[kind](tmp_path)("project")) as store:
        kept = {each.item.id: each.body for each in store.list_all()}
        assert set(kept) >= {each.item.id for each in before} | {f"n-{int(number):06}" for number in said}
        assert set(kept.values()) <= {text_of(number) for number in range(max(len(kept) + 1, 2))}
        assert store.problems == ()
        assert half_written(tmp_path) == []
        store.add(make("after"))
        assert store.get("after") == make("after")


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A file system with a store of each kind that may only be read."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "none", str(disk)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        for kind in KINDS.values():
            with closing(kind(disk)("project")) as store:
                store.add(make("a"))
                store.add(make("b"))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_files_that_may_not_be_written_can_be_read(closed: Path) -> None:
    before = everything(closed)
    with closing(Files(closed)("project")) as store:
        assert [item.id for item in store.items()] == ["a", "b"]
        for change in (lambda: store.add(make("c")), lambda: store.delete("a"), store.clear):
            with pytest.raises(VfccError, match="cannot") as told:
                change()
            assert told.value.exit_code == 3
        assert store.count() == 2
    assert everything(closed) == before


def test_a_database_that_may_not_be_written_is_told(closed: Path) -> None:
    before = everything(closed)
    with pytest.raises(BackendError, match="cannot be"), closing(Sqlite(closed)("project")) as store:  # noqa: PT012
        assert store.count() == 2
        store.add(make("c"))
    assert everything(closed) == before


def test_the_folder_of_a_database_is_made_or_its_lack_is_told(tmp_path: Path) -> None:
    with closing(Sqlite(tmp_path / "new" / "folder")("project")) as store:
        store.add(make("a"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BackendError, match="cannot be opened"):
        Sqlite(tmp_path / "file")("project")
    assert os.stat(tmp_path / "file").st_size == 0  # noqa: PTH116
