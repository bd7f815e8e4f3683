"""Every writing command stopped at its steps, and random histories with commands that are killed.

The counts are those of `make sweep`; with `SWEEP=full` there are five times as many, which is every point there is.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import environment
from tests.fault_places import LINES
from tests.fault_worlds import KILLED_ELSEWHERE, lines
from tests.figures import report
from tests.made_once import copied
from tests.prepared_project import prepared_project
from tests.tiers import count
from verifflowcc.base.model.command_classes import COMMANDS, QUERY

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-WHOLE-WRITES")]

SHARDS = 4
PARTS = 4
POINTS, HISTORIES, KILLS = 2_000, 500, 1_000
SEED = 30
REPOSITORY = Path(__file__).parents[3]


def found(tmp_path: Path, module: str, *numbers: int) -> dict[str, Any]:
    """Run a module of tests in a process of its own on a copy of the prepared project; its figures are reported."""
    root = copied(tmp_path / "home", prepared_project)
    done = subprocess.run(
        [sys.executable, "-m", module, str(root.parent), root.name, *map(str, numbers)],
        cwd=REPOSITORY,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout)
    report(module, **{**told, "wrong": len(told["wrong"])})
    return told


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_fault_at_any_step_leaves_half_of_anything(tmp_path: Path, shard: int) -> None:
    """Killed, or refused space, the disk or permission: what was there stays, and exit codes are true."""
    told = found(tmp_path, "tests.fault_sweep", count(POINTS) // SHARDS, SEED, shard, SHARDS)

    assert told["wrong"] == []
    assert told["drawn"] == min(count(POINTS) // SHARDS, told["points"])
    assert told["reached"] == told["drawn"]


@pytest.mark.parametrize("part", range(PARTS))
def test_histories_with_killed_commands_lose_nothing(tmp_path: Path, part: int) -> None:
    numbers = (count(HISTORIES) // PARTS, count(KILLS) // PARTS, SEED + part)
    told = found(tmp_path, "tests.fault_histories", *numbers)

    assert told["wrong"] == []
    assert told["killed"] >= numbers[1] * 9 // 10


def test_every_writing_command_is_stopped() -> None:
    writing = {name for name, kind in COMMANDS.items() if kind != QUERY and name.split()[0] not in KILLED_ELSEWHERE}

    assert writing - {name for name, _ in lines(LINES)} == set()
