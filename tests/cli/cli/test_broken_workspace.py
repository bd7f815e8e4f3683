"""A memory tree that is missing, in the way of something else, or closed to us: told, and nothing half-written."""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import Ran, vfcc
from tests.cli.trees import everything, half_written

READERS = ("status", "sprint show", "stage show", "config show")
WRITERS = ("sprint start New", "stage advance", "stage reopen planning --reason x", "sprint close --unfinished x")
PROMPT = "context show --agent coder"
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def _as_others() -> None:
    """Give up what lets root write where nobody may; in a process that is not root's this changes nothing."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def _obeys_permissions(folder: Path) -> bool:
    probe = folder / "probe"
    probe.mkdir(mode=0o555)
    return vfcc(folder, "init", "probe", before=_as_others).code != 0


def _every(folder: Path) -> list[Path]:
    return [Path(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files)]


@pytest.fixture
def read_only(example: Path, tmp_path: Path) -> Path:
    """The worked example, with no write permission anywhere."""
    if not _obeys_permissions(tmp_path):
        pytest.skip("permissions do not bind this user, and its privileges cannot be given up")
    for path in (*_every(example), example):
        path.chmod(path.stat().st_mode & 0o555)
    return example


def _run(folder: Path, line: str) -> Ran:
    return vfcc(folder, *line.split(), before=_as_others, person=True)


@pytest.mark.points(4)
@pytest.mark.vfcc("REQ-ERRORS")
@pytest.mark.parametrize("line", [*READERS, "sprint start New", PROMPT])
def test_without_a_memory_every_command_says_so_and_how_to_begin(tmp_path: Path, line: str) -> None:
    told = vfcc(tmp_path, *line.split())

    told.refused(3, f"no .memory/ in {tmp_path} or above it", "hint: vfcc init")
    assert everything(tmp_path) == {}


def _file(path: Path) -> None:
    path.write_text("mine", encoding="utf-8")


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.points(2)
@pytest.mark.parametrize("put", [_file, _dangling, _pipe])
def test_what_stands_in_the_place_of_the_memory_stays(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / ".memory")
    before = everything(tmp_path)

    for line in ("status", "sprint start New", PROMPT):
        vfcc(tmp_path, *line.split()).refused(3, ".memory is not a folder")
    vfcc(tmp_path, "init").refused(3, "exists already and is left as it is")

    assert everything(tmp_path) == before


@pytest.mark.sweep
@pytest.mark.parametrize("line", READERS)
def test_a_read_only_memory_can_be_read(read_only: Path, line: str) -> None:
    told = _run(read_only, line)

    assert told.code == 0, told
    assert told.out


@pytest.mark.sweep
def test_a_read_only_memory_gives_the_prompt_and_says_that_nothing_is_cached(read_only: Path, prompt: str) -> None:
    told = _run(read_only, PROMPT)

    assert told.code == 0
    assert "nothing is cached:" in told.err
    assert "Permission denied" in told.err
    assert told.out == prompt
    assert half_written(read_only) == []


@pytest.mark.sweep
@pytest.mark.parametrize("line", [line for line in WRITERS if line != "stage advance"])
def test_a_read_only_memory_is_not_moved(read_only: Path, line: str) -> None:
    before = everything(read_only)

    _run(read_only, line).refused(3, "cannot write", "Permission denied")

    assert everything(read_only) == before


@pytest.mark.sweep
def test_a_gate_that_is_open_stays_unpassed_in_a_read_only_memory(read_only: Path) -> None:
    artifacts = read_only / ".memory/stage/sprint-02/coding/artifacts"
    artifacts.chmod(0o755)
    (artifacts / "changes.md").write_text("Done.\n", encoding="utf-8")
    artifacts.chmod(0o555)
    before = everything(read_only)

    _run(read_only, "stage advance").refused(3, "cannot write", "Permission denied")

    assert everything(read_only) == before


@pytest.mark.sweep
def test_a_folder_of_events_that_cannot_be_written_leaves_nothing_behind(example: Path, tmp_path: Path) -> None:
    """The files that go with an event come before it: they are complete then, and the move has not been."""
    if not _obeys_permissions(tmp_path):
        pytest.skip("permissions do not bind this user, and its privileges cannot be given up")
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")
    status = _run(example, "sprint show").out
    (example / ".memory/sprint/sprint-02/events").chmod(0o555)

    _run(example, "stage advance").refused(3, "cannot write", "Permission denied")

    assert _run(example, "sprint show").out == status
    assert half_written(example) == []
    (example / ".memory/sprint/sprint-02/events").chmod(0o755)
    assert _run(example, "stage advance").out.startswith("sprint-02: coding → testing")


@pytest.mark.sweep
def test_what_cannot_be_read_is_named(example: Path, tmp_path: Path) -> None:
    if not _obeys_permissions(tmp_path):
        pytest.skip("permissions do not bind this user, and its privileges cannot be given up")
    (example / ".memory/project/conventions/python.md").chmod(0)
    _run(example, PROMPT).refused(3, "conventions/python.md cannot be read: Permission denied")

    (example / ".memory/config.yaml").chmod(0)
    _run(example, PROMPT).refused(3, "cannot read", "config.yaml", "Permission denied")

    (example / ".memory/sprint").chmod(0)
    _run(example, "status").refused(3, "cannot read", ".memory/sprint", "Permission denied")
    (example / ".memory/sprint").chmod(0o755)


@pytest.mark.sweep
def test_a_read_only_folder_takes_no_prompt_and_keeps_what_it_has(read_only: Path) -> None:
    before = everything(read_only)

    _run(read_only, f"{PROMPT} --output prompt.md").refused(3, "cannot write", "prompt.md: Permission denied")

    assert everything(read_only) == before
