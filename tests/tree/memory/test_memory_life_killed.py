"""Consolidation and its undoing, killed anywhere: nothing is lost, and the next maintenance comes to the end of it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.life_world import TODAY, bring_back, cache, found, items, keep_up, project, put, texts
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.consolidate import is_consolidation

STOPPED = f"""
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.consolidating import restore
from verifflowcc.base.use.workspace import Workspace
here = Workspace(Path(sys.argv[1]), FixedClock(datetime.fromisoformat("{TODAY}T14:00:00").replace(tzinfo=UTC)))
left, summary = int(sys.argv[2]), sys.argv[3:]

def watch(event, arguments):
    global left
    if event in ("os.rename", "os.link", "os.remove", "sqlite3.connect"):
        left -= 1
    if left == 0:
        left = -1
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
if summary:
    restore(here, find_item(here, summary[0], ("project",)), actor="human:You", today="{TODAY}")
else:
    maintain(here, "project", actor="human:You")
"""
POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24)


def killed(here: Workspace, point: int, *arguments: str) -> int:
    program = [sys.executable, "-B", "-c", STOPPED, str(here.root), str(point), *arguments]
    env = {"XDG_DATA_HOME": str(here.root.parent / "data"), "HOME": str(here.root.parent), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(program, env=env, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode


def summaries(here: Workspace) -> list[str]:
    return [item_id for item_id, each in items(here).items() if is_consolidation(each.item)]


def nothing_is_lost(here: Workspace, before: dict[str, str]) -> None:
    """Each original stands as it was, or an active summary tells it."""
    now = items(here)
    told = {link.to for name in summaries(here) for link in now[name].item.links}
    for name, text in before.items():
        assert now[name].text == text or (name in told and now[name].item.status is Status.ARCHIVED)


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-CONSOLIDATE", "REQ-RESTORE")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
@pytest.mark.parametrize("point", POINTS)
def test_a_consolidation_that_is_killed_anywhere_is_completed(tmp_path: Path, point: int, backend: str) -> None:
    here = project(tmp_path, backend)
    put(here, *cache(), found("other", "Tokens expire after an hour"))
    before = texts(here)

    assert killed(here, point) in (0, -signal.SIGKILL)
    nothing_is_lost(here, before)
    keep_up(here)

    (summary,) = summaries(here)
    assert "doing" not in texts(here)[summary]
    assert [items(here)[name].item.status for name in ("c1", "c2", "c3", "c4")] == [Status.ARCHIVED] * 4
    assert keep_up(here) == ()
    bring_back(here, summary)
    assert texts(here) == before


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-RESTORE")
@pytest.mark.parametrize("point", POINTS)
def test_a_restoring_that_is_killed_anywhere_is_completed(tmp_path: Path, point: int) -> None:
    here = project(tmp_path)
    put(here, *cache(), found("other", "Tokens expire after an hour"))
    before = texts(here)
    keep_up(here)
    (summary,) = summaries(here)
    consolidated = texts(here)

    assert killed(here, point, summary) in (0, -signal.SIGKILL)
    nothing_is_lost(here, before)
    keep_up(here)

    assert texts(here) in (before, consolidated), "it was completed, or had not begun"


@pytest.mark.sweep
def test_the_points_reach_from_the_first_write_to_the_last(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, *cache())
    before = texts(here)

    assert killed(here, 1) == -signal.SIGKILL
    assert texts(here) == before
    seen = set()
    for point in POINTS[1:]:
        (folder := tmp_path / f"at-{point}").mkdir()
        other = project(folder)
        put(other, *cache())
        seen.add(
            (killed(other, point), len(summaries(other)), sum("archived" in each for each in texts(other).values()))
        )
    assert {archived for code, count, archived in seen if code and count} >= {0, 1, 2, 4}, seen
    assert (0, 1, 4) in seen, seen


@pytest.mark.sweep
def test_an_interrupted_consolidation_whose_original_has_changed_is_undone(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, *cache())
    before = texts(here)
    half = next(point for point in range(1, 40) if _state_after(tmp_path, point) == (1, 2))
    killed(here, half)
    assert (len(summaries(here)), sum("archived" in each for each in texts(here).values())) == (1, 2)
    open_ones = [name for name, each in items(here).items() if each.item.status is Status.ACTIVE and name in before]
    put(here, before[open_ones[0]].replace("source:", "status: &s active\nodd: *s\nsource:"))

    steps = keep_up(here)

    assert [(step.kind, step.why) for step in steps] == [
        ("restored", "it was interrupted, and an original has changed so that it could not be brought back")
    ]
    assert {name: text for name, text in texts(here).items() if name != open_ones[0]} == {
        name: text for name, text in before.items() if name != open_ones[0]
    }


def _state_after(tmp_path: Path, point: int) -> tuple[int, int]:
    (folder := tmp_path / f"try-{point}").mkdir()
    there = project(folder)
    put(there, *cache())
    killed(there, point)
    return len(summaries(there)), sum("archived" in each for each in texts(there).values())
