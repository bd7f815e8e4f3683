"""`stage advance --from` and `sprint start --id`: repeated, killed and run twice at once, they happen once."""

import signal
import sys
from pathlib import Path

import pytest

from tests.cli.cli.test_two_at_once import at_once
from tests.cli.hooked import forked_hook, said
from tests.cli.process import Ran, by_person, vfcc
from tests.cli.prompt.test_killed import STOPPER
from tests.cli.trees import everything
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.sprint.use.sprint_reading import show_sprint

EVENTS = ".memory/sprint/sprint-02/events"
FROM_CODING = ("stage", "advance", "--from", "coding")
START = ("sprint", "start", "New", "--goal", "One", "--id", "own-id")


@pytest.fixture
def ready(example: Path) -> Path:
    """The worked example in `coding`, with what this stage and the next owe."""
    for name in ("coding/artifacts/changes.md", "testing/artifacts/results.md"):
        path = example / ".memory/stage/sprint-02" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Done.\n", encoding="utf-8")
    return example


def events(folder: Path) -> int:
    return len(list((folder / EVENTS).iterdir()))


def stage(folder: Path) -> str | None:
    return show_sprint(open_workspace(folder), "sprint-02").current


def killed(folder: Path, point: int, *arguments: str) -> Ran:
    program = (sys.executable, "-B", "-c", STOPPER, str(point), "SIGKILL")
    ran = vfcc(folder, *arguments, program=program, person=True)
    assert ran.code in (0, -signal.SIGKILL), ran
    return ran


def test_a_repeated_advance_changes_nothing_and_exits_with_0(ready: Path) -> None:
    first = by_person(ready, *FROM_CODING, "--json", "--full")
    before = everything(ready)

    again = vfcc(ready, *FROM_CODING)
    named = vfcc(ready, "stage", "advance", "coding", "--json", "--full").data

    assert again.out.startswith("unchanged: sprint-02 left coding already (human:You, ")
    assert again.out.endswith("); it is in testing\n"), "and neither a commit nor a next command"
    assert (first.code, again.code) == (0, 0)
    assert named["event"] == first.data["event"]
    assert (first.data["changed"], named["changed"], named["written"]) == (True, False, [])
    assert everything(ready) == before


def test_a_repeated_advance_adopts_no_edit_that_a_hook_recorded(ready: Path) -> None:
    assert by_person(ready, *FROM_CODING).code == 0
    (ready / "more.py").write_text("x = 1\n", encoding="utf-8")
    edit = {"file_path": str(ready / "more.py"), "content": "x = 1\n"}
    wrote = said("PostToolUse", tool_name="Write", tool_input=edit, tool_response={}, cwd=str(ready))
    assert forked_hook(ready, wrote).code == 0
    before = events(ready)

    assert vfcc(ready, *FROM_CODING).code == 0
    assert events(ready) == before
    by_person(ready, "stage", "advance")
    assert events(ready) > before, "the edit was there to be adopted"


def test_a_stage_that_the_sprint_is_not_in_is_refused(ready: Path) -> None:
    before = everything(ready)

    for line, code, words in (
        ("stage advance --from testing", 2, "sprint-02 has not entered testing; it is in coding"),
        ("stage advance testing", 2, "sprint-02 has not entered testing; it is in coding"),
        ("stage advance --from codng", 2, "sprint-02 has no stage codng; did you mean coding?"),
        ("stage advance coding --from testing", 2, "coding and --from testing name two stages; give one"),
        ("stage advance --from coding@ABCDEF", 2, "no event that ends with ABCDEF entered coding"),
        ("stage advance --from coding --sprint sprint-01", 0, ""),
    ):
        ran = by_person(ready, *line.split())
        assert ran.code == code, (line, ran)
        assert words in ran.err
        assert everything(ready) == before


def test_the_old_form_gets_the_new_one_in_a_sentence(ready: Path) -> None:
    before = everything(ready)

    for command in ("stage advance", "next"):
        for words in ("sprint-02", "sprint-02 --sprint sprint-02"):
            by_person(ready, *command.split(), *words.split()).refused(
                2,
                f"error: sprint-02 is a sprint, and the argument of vfcc {command} is a stage\n"
                f"hint: vfcc {command} --sprint sprint-02\n",
            )
    assert everything(ready) == before
    assert by_person(ready, "sprint", "start", "Two", "--id", "two").code == 0
    vfcc(ready, "next", "two", env={"VFCC_SPRINT": ""}).refused(2, "two is a sprint", "vfcc next --sprint two")


def test_next_says_what_a_named_stage_owes(ready: Path) -> None:
    (ready / ".memory/stage/sprint-02/testing/artifacts/results.md").unlink()

    ran = vfcc(ready, "next", "testing")

    assert ran.out.startswith("testing: results: nothing matches .memory/stage/sprint-02/testing/artifacts/results.*\n")
    path = ".memory/stage/sprint-02/testing/artifacts/results.md"
    assert ran.out.splitlines()[1] == f"write {path}", "vfcc stage put would store it in coding"
    assert "stage advance" not in ran.out, "the sprint is not in testing"
    vfcc(ready, "next", "tsting").refused(2, "sprint-02 has no stage tsting; did you mean testing?")


@pytest.mark.points(2)
@pytest.mark.parametrize("point", range(2, 45, 3))
def test_an_advance_that_was_killed_and_run_again_happens_once(ready: Path, point: int) -> None:
    before = events(ready)
    killed(ready, point, *FROM_CODING)

    again = by_person(ready, *FROM_CODING)

    assert again.code == 0, again
    assert (stage(ready), events(ready)) == ("testing", before + 1)


@pytest.mark.points(1)
@pytest.mark.parametrize("point", range(2, 31, 3))
def test_a_start_that_was_killed_and_run_again_happens_once(young: Path, point: int) -> None:
    killed(young, point, *START)

    again = by_person(young, *START)

    assert again.code == 0, again
    assert again.out.startswith(("own-id: started, in planning\n", "unchanged: own-id was started already (human:You"))
    assert len(list((young / ".memory/sprint/own-id/events").iterdir())) == 1
    assert [line.split()[0] for line in vfcc(young, "sprint", "list").out.splitlines()[1:]] == ["own-id"]


@pytest.mark.points(1)
@pytest.mark.parametrize("_", range(4))
def test_of_advances_at_once_one_moves_the_sprint(ready: Path, _: int) -> None:
    before = events(ready)

    codes = at_once(ready, 4, *FROM_CODING)

    assert codes[0] == 0
    assert set(codes) <= {0, 5}, "a lock that was held is a conflict"
    assert (stage(ready), events(ready)) == ("testing", before + 1)


@pytest.mark.sweep
@pytest.mark.parametrize("_", range(4))
def test_of_starts_at_once_one_starts_the_sprint(young: Path, _: int) -> None:
    codes = at_once(young, 4, *START)

    assert codes[0] == 0
    assert set(codes) <= {0, 5}
    assert len(list((young / ".memory/sprint/own-id/events").iterdir())) == 1
