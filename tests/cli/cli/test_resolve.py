"""`vfcc sprint resolve` as a person meets it, from a real merge to the next move."""

import shutil
from pathlib import Path

import pytest

from tests.cli.process import by_person, git, vfcc
from tests.made_once import copied

pytestmark = pytest.mark.vfcc("REQ-FORKS")

CHANGES = ".memory/stage/sprint-02/coding/artifacts/changes.md"


@pytest.fixture
def forked(tmp_path: Path, _example: Path) -> Path:
    """The worked example after a merge: one branch passed coding, the other went back to planning."""
    return copied(tmp_path, _fork, _example)


def _fork(folder: Path, made: Path) -> Path:
    example = shutil.copytree(made, folder / "example")
    (example / CHANGES).write_text("# Changes\n\nThe export writes one event for each tide.\n", encoding="utf-8")
    git(example, "init", "-q", "-b", "main")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    git(example, "branch", "other")
    assert vfcc(example, "stage", "advance", "--commit").code == 0
    git(example, "checkout", "-q", "other")
    assert vfcc(example, "stage", "reopen", "planning", "--reason", "a need was missed", "--commit").code == 0
    git(example, "merge", "-q", "--no-edit", "main")
    return example


def _sides(folder: Path) -> dict[str, str]:
    asked = vfcc(folder, "sprint", "resolve", "--json", "--full")
    assert asked.code == 5
    return {move["action"].partition(" ")[0]: move["event"] for move in asked.data["moves"]}


@pytest.mark.sweep
def test_without_keep_it_numbers_the_sides_each_with_its_command(forked: Path) -> None:
    asked = vfcc(forked, "sprint", "resolve")

    assert (asked.code, asked.err) == (5, "")
    lines = asked.out.splitlines()
    assert lines[0].startswith("forked: ")
    assert [line.split()[0] for line in lines[1::2]] == ["1.", "2."]
    assert [line.strip() for line in lines[2::2]] == [
        f"vfcc sprint resolve sprint-02 --keep {event}" for event in _sides(forked).values()
    ]


@pytest.mark.sweep
def test_every_command_that_shows_the_sprint_points_at_it(forked: Path) -> None:
    for line in ("sprint show", "stage show", "stage list"):
        shown = vfcc(forked, *line.split())
        assert shown.code == 5
        assert "vfcc sprint resolve sprint-02 --keep " in shown.out
    assert "next: vfcc sprint resolve sprint-02" in vfcc(forked, "status").out
    vfcc(forked, "stage", "advance").refused(5, "moved on two sides", "hint: vfcc sprint resolve sprint-02")
    assert vfcc(forked, "doctor").code == 1


@pytest.mark.sweep
@pytest.mark.parametrize(("side", "stage"), [("passed", "testing"), ("reopened", "planning")])
def test_a_printed_command_works_as_it_stands_and_the_sprint_goes_on(forked: Path, side: str, stage: str) -> None:
    command = next(
        line.split()[1:]
        for line in vfcc(forked, "sprint", "resolve").out.splitlines()
        if line.endswith(_sides(forked)[side])
    )
    done = by_person(forked, *command, "--reason", "we talked", "--commit")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"sprint-02: fork resolved, in {stage}\n  set aside: agent:program ")
    assert git(forked, "status", "--short") == ""
    shown = vfcc(forked, "sprint", "show")
    assert shown.code == 0
    assert "set aside: these moves stay on record" in shown.out
    assert ": we talked" in shown.out
    assert vfcc(forked, "doctor").code == 0
    assert by_person(forked, "sprint", "close", "--unfinished", "enough").code == 0


@pytest.mark.sweep
def test_what_is_no_side_is_a_usage_error_and_so_is_a_sprint_that_is_not_forked(forked: Path) -> None:
    by_person(forked, "sprint", "resolve", "--keep", "01KABCDEFGHJKMNPQRSTVWXYZ0").refused(
        2, "begins no side of the fork"
    )
    assert by_person(forked, "sprint", "resolve", "sprint-02", "--keep", _sides(forked)["passed"]).code == 0

    vfcc(forked, "sprint", "resolve").refused(2, "sprint-02 is not forked")
    vfcc(forked, "sprint", "resolve", "sprint-01").refused(2, "sprint-01 is not forked")


def test_two_branches_that_chose_otherwise_meet_the_fork_again(forked: Path) -> None:
    sides = _sides(forked)
    git(forked, "branch", "third")
    assert by_person(forked, "sprint", "resolve", "--keep", sides["passed"], "--commit").code == 0
    git(forked, "checkout", "-q", "third")
    assert by_person(forked, "sprint", "resolve", "--keep", sides["reopened"], "--commit").code == 0
    git(forked, "merge", "-q", "--no-edit", "other")

    assert _sides(forked) == sides
    assert by_person(forked, "sprint", "resolve", "--keep", sides["passed"]).out.startswith("sprint-02: fork resolved")


def test_as_json_the_choice_is_the_move_that_it_is(forked: Path) -> None:
    done = by_person(forked, "sprint", "resolve", "--keep", _sides(forked)["passed"], "--json", "--full")

    value = done.data
    assert (value["event"]["type"], value["state"]["fork"], value["after"]) == ("fork_resolved", None, "testing")
    assert [each["action"] for each in value["state"]["set_aside"]] == ["reopened planning"]


def test_ledger_problems_are_told_by_the_stage_commands_too(example: Path) -> None:
    path = sorted((example / ".memory/sprint/sprint-02/events").iterdir())[-1]
    path.write_bytes(b"{}\n")

    for line in ("stage show", "stage list"):
        shown = vfcc(example, *line.split())
        assert shown.code == 1
        assert f"problems:\n- .memory/sprint/sprint-02/events/{path.name}" in shown.out
