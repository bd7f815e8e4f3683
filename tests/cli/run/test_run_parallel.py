"""`vfcc run --parallel`: the tester writes tests from the specification while the coder writes the code."""

import os
from pathlib import Path

import pytest

from tests.cli.run.test_run_killed import driver, made, merges, no_process, points_of
from tests.cli.run.test_run_reviewed import blocker_names
from tests.run_world import FIXED, NEW_TESTS, SPRINT, RunWorld, artifact
from tests.trees import git

pytestmark = pytest.mark.vfcc("REQ-RUN")

RUN = f"{SPRINT}-1"
BRANCH = f"vfcc/{RUN}/integration"
CODED: dict[str, object] = {"shop.py": FIXED, artifact("coding", "changes.md"): "# Changes\n\nThe argument.\n"}
RESULTS = {artifact("testing", "results.md"): "# Results\n\nAll pass.\n"}
AT_CODING = """\
name: own
title: Code and its tests
gates: soft
stages:
  - {id: coding, title: Coding, leg: apex, role: coder, artifacts: ["changes.*"]}
  - id: testing
    title: Testing
    leg: right
    role: tester
    artifacts: ["results.*"]
    exit:
      - {id: tests, kind: junit, command: test}
"""
WITHOUT_TESTS = AT_CODING.partition("    exit:")[0]


def meeting(folder: Path, own: str, other: str) -> list[str]:
    """Return commands of an agent that ends only once the other one works, too."""
    for name in (own, other):
        if not (folder / name).exists():
            os.mkfifo(folder / name)
    return [f"(echo > {folder / own} &) ; read line < {folder / other}"]


def kinds(world: RunWorld) -> list[str]:
    """Return the events of the run with their attempts, as words."""
    return [f"{each['type']} {each.get('attempt') or ''}".strip() for each in world.events()]


def test_both_work_at_once_and_the_tester_sees_no_code_until_both_are_merged(tmp_path: Path) -> None:
    script = {
        "coder": [{"files": CODED, "shell": meeting(tmp_path, "coder-works", "tester-works")}],
        "tester": [
            {
                "files": {"tests/test_shop.py": NEW_TESTS},
                "shell": [*meeting(tmp_path, "tester-works", "coder-works"), "! grep -q discount shop.py"],
            },
            {"files": RESULTS, "shell": ["grep -q discount shop.py"]},
        ],
    }
    world = RunWorld(tmp_path, script, workflow=AT_CODING)
    planned = world.drive("--parallel", "--dry-run", "--json")
    assert planned.data["ahead"] == ["testing"]

    done = world.drive("--parallel", "--json", "--full")

    assert done.code == 0, done
    assert kinds(world) == [
        "run.opened",
        *("attempt.started coder-1", "attempt.started tester-1", "attempt.ended coder-1", "attempt.ended tester-1"),
        *("attempt.merged coder-1", "gate.evaluated coder-1", "stage.passed"),
        *("attempt.merged tester-1", "gate.evaluated tester-1"),
        *("attempt.started tester-2", "attempt.ended tester-2", "attempt.merged tester-2", "gate.evaluated tester-2"),
        *("stage.passed", "run.done"),
    ]
    first, second = world.calls("tester")
    assert first["session"] == second["session"]
    assert "is written by another role at the same time" in first["prompt"]
    assert "results.*" in second["prompt"].rpartition("The gate of this stage")[2]
    assert [(each["id"], each["stage"], each["ahead"]) for each in done.data["attempts"]] == [
        ("coder-1", "coding", False),
        ("tester-1", "testing", False),
        ("tester-2", "testing", False),
    ]
    assert no_process(world)


@pytest.mark.sweep
def test_the_coder_may_not_change_the_tests_that_the_tester_writes(tmp_path: Path) -> None:
    script = {
        "coder": [{"files": {**CODED, "tests/test_shop.py": "def test(): pass\n"}}, {"files": CODED}],
        "tester": [{"files": {"tests/test_shop.py": NEW_TESTS, **RESULTS}}],
    }
    world = RunWorld(tmp_path, script, workflow=AT_CODING)

    done = world.drive("--parallel", "--json", "--full")

    assert done.code == 0, done
    first, tester, second = done.data["attempts"]
    assert first["outcome"] == "out_of_bounds"
    assert first["paths"] == ["tests/test_shop.py (another role writes the tests at the same time)"]
    assert (tester["id"], tester["outcome"], second["id"], second["outcome"]) == (
        *("tester-1", "done"),
        *("coder-2", "done"),
    )
    assert git(world.root, "show", f"{BRANCH}:tests/test_shop.py") == NEW_TESTS


@pytest.mark.sweep
def test_a_conflict_is_predicted_and_handed_to_the_tester_with_both_versions(tmp_path: Path) -> None:
    shared = "tests/notes.txt"
    by_hand = [  # as a person does, who works in the integration worktree at the same time
        f"cd {tmp_path}/shop.vfcc/{RUN}/integration",
        f"mkdir -p tests && echo person > {shared} && git add {shared}",
        "git -c user.name=a -c user.email=a@b commit -qm notes",
    ]
    script = {
        "coder": [{"files": CODED, "shell": [" && ".join(by_hand)]}],
        "tester": [
            {"files": {"tests/test_shop.py": NEW_TESTS, **RESULTS, shared: "tester\n"}},
            {"files": {"tests/test_shop.py": NEW_TESTS, **RESULTS, shared: "both\n"}},
        ],
    }
    world = RunWorld(tmp_path, script, workflow=AT_CODING)

    done = world.drive("--parallel", "--json", "--full")

    assert done.code == 0, done
    (conflict,) = [each for each in world.events() if each["type"] == "gate.evaluated" and not each["open"]]
    assert conflict["attempt"] == "tester-1"
    assert conflict["stage"] == "testing"
    assert blocker_names(conflict) == [shared]
    second = world.calls("tester")[1]["prompt"]
    assert f"{shared}: tester-1 conflicts with the integration branch; its version: git show" in second
    assert git(world.root, "show", f"{BRANCH}:{shared}") == "both\n"
    assert [each["outcome"] for each in done.data["attempts"]] == ["done", "conflict", "done"]


@pytest.mark.sweep
def test_a_driver_killed_at_every_point_of_both_ends_as_the_undisturbed_run(tmp_path: Path) -> None:
    tests: dict[str, object] = {"files": {"tests/test_shop.py": NEW_TESTS}}
    script: dict[str, object] = {"coder": [{"files": CODED}], "tester-1": tests, "tester-2": {"files": RESULTS}}
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    calm, world = (RunWorld(tmp_path / name, script, workflow=WITHOUT_TESTS) for name in ("calm", "killed"))
    assert driver(calm, "testing", "note", parallel=True).stdout == "done\n"

    ended = driver(world, "testing", "all", parallel=True)

    assert ended.stdout == "done\n", ended
    both = {f"{point} {name}" for point in ("spawn", "commit", "merge") for name in ("coder-1", "tester-1")}
    notes = ("attempt_started", "attempt_ended", "attempt_merged", "run_gate")
    both |= {f"note:{kind} {name}" for kind in notes for name in ("coder-1", "tester-1")}
    reached = {*points_of(world)}
    assert both <= reached
    # An agent that ends while no driver runs is found to have ended by the next one.
    either = {"ended coder-1", "ended tester-1"}
    assert either & reached
    assert reached | either == {each.partition("#")[0] for each in points_of(calm)}
    assert made(world) == made(calm)
    assert merges(world) == merges(calm) == ["coder-1", "tester-1", "tester-2"]
    assert no_process(world)
