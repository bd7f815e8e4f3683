"""A disk that takes no more: the command says so, and what was there stays."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.cli.trees import everything, half_written

DONE = ".memory/stage/sprint-02/coding/artifacts/changes.md"


def _files_of_at_most(size_bytes: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WHOLE-WRITES")
@pytest.mark.parametrize("size_bytes", [0, 300])
@pytest.mark.parametrize("line", ["stage advance", "sprint close --unfinished x"])
def test_no_move_is_made_and_nothing_is_half_written(example: Path, line: str, size_bytes: int) -> None:
    (example / DONE).write_text("Done.\n", encoding="utf-8")
    shown = vfcc(example, "sprint", "show").out

    stopped = vfcc(example, *line.split(), before=_files_of_at_most(size_bytes), person=True)

    if stopped.code != 0:
        stopped.refused(3, "File too large")
        assert vfcc(example, "sprint", "show").out == shown
    assert half_written(example) == []
    assert vfcc(example, "sprint", "show").code == 0


@pytest.mark.vfcc("REQ-WHOLE-WRITES", "REQ-MEMORY-TREE")
@pytest.mark.parametrize("size_bytes", [0, 100])
def test_no_memory_is_made_by_halves(tmp_path: Path, size_bytes: int) -> None:
    vfcc(tmp_path, "init", "--worked-example", before=_files_of_at_most(size_bytes)).refused(
        3, "cannot", "File too large"
    )
    assert everything(tmp_path) == {}


@pytest.mark.sweep
def test_a_prompt_needs_no_disk(example: Path, prompt: str) -> None:
    asked = ("context", "show", "--agent", "coder")

    told = vfcc(example, *asked, before=_files_of_at_most(0))

    assert told.code == 0, told
    assert told.out == prompt
    assert vfcc(example, "status", before=_files_of_at_most(0)).code == 0


@pytest.mark.sweep
def test_an_output_file_keeps_what_it_had(example: Path) -> None:
    (example / "prompt.md").write_text("old\n", encoding="utf-8")

    asked = ("context", "show", "--agent", "coder", "--output", "prompt.md")
    vfcc(example, *asked, before=_files_of_at_most(1000)).refused(3, "cannot write", "prompt.md: File too large")

    assert (example / "prompt.md").read_text(encoding="utf-8") == "old\n"
    assert half_written(example) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 KiB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k", "none", str(disk)], capture_output=True, check=False
        )
    except OSError:
        pytest.skip("there is no mount command")
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    assert vfcc(small_disk, "init", "--worked-example").code == 0
    (small_disk / DONE).write_text("Done.\n", encoding="utf-8")
    shown = vfcc(small_disk, "sprint", "show").out
    _fill(small_disk / "filler")

    vfcc(small_disk, "stage", "advance").refused(3, "No space left on device")
    prompt = vfcc(small_disk, "context", "show", "--agent", "coder")

    assert prompt.code == 0, prompt
    assert "nothing is cached" in prompt.err or "was not" in prompt.err
    assert vfcc(small_disk, "sprint", "show").out == shown
    assert half_written(small_disk) == []
    (small_disk / "filler").unlink()
    assert vfcc(small_disk, "stage", "advance").out.startswith("sprint-02: coding → testing")


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            return
