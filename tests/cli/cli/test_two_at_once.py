"""Two processes that move one sprint at the same moment."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import VFCC, environment, settings_of, vfcc
from tests.cli.trees import everything, half_written

pytestmark = pytest.mark.vfcc("REQ-WHOLE-WRITES")

EVENTS = ".memory/sprint/sprint-02/events"


def at_once(folder: Path, many: int, *arguments: str) -> list[int]:
    """Run the same command so many times at the same time, as a person at a terminal; return the exit codes, sorted."""
    ours, theirs = os.openpty()
    started = [
        subprocess.Popen(
            [VFCC, *arguments],
            cwd=folder,
            env=environment(folder.parent, GIT_CONFIG_GLOBAL=settings_of("You")),
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(many)
    ]
    codes = sorted(process.wait(60) for process in started)
    os.close(ours)
    os.close(theirs)
    return codes


@pytest.mark.sweep
@pytest.mark.parametrize("_", range(3))
def test_one_advances_and_the_other_is_told(example: Path, _: int) -> None:
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")
    before = len(list((example / EVENTS).iterdir()))

    first, second = at_once(example, 2, "stage", "advance")

    assert first == 0
    assert second in (4, 5)
    assert len(list((example / EVENTS).iterdir())) == before + 1
    shown = vfcc(example, "sprint", "show").out
    assert "problems" not in shown
    assert ">  testing" in shown
    assert half_written(example) == []


@pytest.mark.sweep
def test_two_sprints_of_one_title_get_two_ids(young: Path) -> None:
    assert at_once(young, 2, "sprint", "start", "Same") == [0, 0]

    lines = vfcc(young, "sprint", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["sprint", "same", "same-2"]


@pytest.mark.sweep
def test_two_that_close_close_once(example: Path) -> None:
    codes = at_once(example, 2, "sprint", "close", "sprint-02", "--unfinished", "enough")

    assert codes[0] == 0
    assert codes[1] in (2, 5)
    assert vfcc(example, "status").out.startswith("no sprint is open")


@pytest.mark.sweep
def test_two_that_init_leave_one_whole_memory(tmp_path: Path) -> None:
    codes = at_once(tmp_path, 2, "init")

    assert codes[0] == 0
    assert codes[1] in (0, 3)
    assert vfcc(tmp_path, "check", "config").code == 0
    assert [name for name in everything(tmp_path) if "/" not in name] == [".memory"]
