"""`vfcc task`, as agents, people and pipes use it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import VFCC, Ran, environment, git, vfcc
from tests.cli.prompt.test_killed import STOPPER
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.memory.use.task_finding import find_task

CODER = {"VFCC_AGENT": "coder"}
TESTER = {"VFCC_AGENT": "tester"}


def started(folder: Path, about: str = "Fix the login", **env: str) -> str:
    done = vfcc(folder, "task", "start", about, "--json", "--full", env=env)
    assert done.code == 0, done
    return str(done.data["id"])


def noted(folder: Path, text: str, *options: str, **env: str) -> str:
    done = vfcc(folder, "task", "note", text, *options, "--json", "--full", env=env)
    assert done.code == 0, done
    return str(done.data["item"]["id"])


def project_items(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / ".memory/project/items").rglob("*.md"))


def task_items(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / ".memory/local/tasks").rglob("*.md"))


@pytest.mark.vfcc("REQ-TASK-COMMANDS")
def test_a_task_is_begun_filled_shown_and_ended(young: Path) -> None:
    begun = vfcc(young, "task", "start", "Fix the login", env=CODER)
    task = begun.out.partition(":")[0]
    assert (
        begun.out
        == f"{task}: Fix the login\n  of coder, in no sprint\nnext: vfcc task note …, vfcc task finish {task}\n"
    )
    told = vfcc(young, "task", "note", "The cause is the clock.", env=CODER)
    kept = told.out.partition(":")[0]
    assert told.out == f"{kept}: The cause is the clock.\n  reasoning of {task}, 6 tokens\n"
    gone = noted(young, "3 failed", "--type", "tool_output", "--tool", "pytest", "--stage", "coding", **CODER)

    listed = vfcc(young, "task", "list").out.splitlines()
    assert listed[1].split() == [task, "active", "coder", "–", "2", "8", "Fix", "the", "login"]
    shown = vfcc(young, "task", "show", env=CODER).out
    assert f"{gone}: tool_output (stage coding, tool pytest), 2 tokens\n  3 failed\n" in shown

    ended = vfcc(young, "task", "finish", "--promote", kept, "--outcome", "it was the clock", env=CODER)
    waits = f"waits for a person: vfcc memory promote {kept}"
    assert ended.out == (
        f"{task}: completed: it was the clock\n  kept in the project: {kept} ({waits})\n  gone: 1 item\n"
    )
    assert ended.err == (
        f"the end of {task} removes 1 item:\n  {gone}: pytest: 3 failed\n"
        f"to keep one: vfcc task finish {task} --promote {gone}\n"
    )
    assert (task_items(young), project_items(young)) == ([], [kept])
    assert vfcc(young, "task", "list").out == "no task is active\n"
    assert f"{task}  completed" in vfcc(young, "task", "list", "--all").out
    assert f"kept in the project: {kept}" in vfcc(young, "task", "show", task).out


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TASK-COMMANDS")
def test_a_task_that_failed_ends_in_the_same_way(young: Path) -> None:
    task = started(young)
    noted(young, "A dead end")

    failed = vfcc(young, "task", "fail", task, "--outcome", "given up")

    assert (failed.code, failed.out) == (0, f"{task}: failed: given up\n  gone: 1 item\n")
    assert task_items(young) == []


@pytest.mark.sweep
def test_a_person_is_asked_before_anything_goes(young: Path) -> None:
    git(young, "init", "-q")
    person(young, "You")
    task = started(young)
    kept = noted(young, "The cause is the clock")

    no = typed(young, "task", "finish", task, keys="n\n")
    assert no.code == 130, no
    assert f"to keep one: vfcc task finish {task} --promote {kept}" in no.err
    assert f"End {task}, and let it go?" in no.err
    assert task_items(young) == [kept]

    kept_it = typed(young, "task", "finish", task, "--promote", kept)
    assert (kept_it.code, kept_it.err) == (0, ""), "nothing goes, so that nothing is asked"
    assert "waits for a person" not in kept_it.out
    (file,) = (young / ".memory/project/items").rglob("*.md")
    assert "\nstatus: active\n" in file.read_text(encoding="utf-8")

    other = started(young, "Another")
    noted(young, "A dead end")
    assert typed(young, "task", "fail", other, "--yes").code == 0
    assert task_items(young) == []


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TASK-CLEAR")
def test_clearing_leaves_every_other_task(young: Path) -> None:
    one, other = started(young, "One"), started(young, "Other")
    noted(young, "Of one", "--task", one)
    kept = noted(young, "Of the other", "--task", other)

    cleared = vfcc(young, "task", "fail", "--forget", one)

    assert cleared.out == f"{one}: failed: cleared\n  gone: 1 item\n"
    assert task_items(young) == [kept]
    again = vfcc(young, "task", "fail", "--forget", one)
    assert (again.code, again.out) == (0, f"{one}: failed: cleared\n")


@pytest.mark.sweep
def test_two_roles_have_tasks_at_once(young: Path) -> None:
    mine, theirs = started(young, "Mine", **CODER), started(young, "Theirs", **TESTER)

    assert noted(young, "x", **CODER) in task_items(young)
    shown = {
        role["VFCC_AGENT"]: vfcc(young, "task", "show", env=role).out.partition(":")[0] for role in (CODER, TESTER)
    }
    assert shown == {"coder": mine, "tester": theirs}
    vfcc(young, "task", "finish", env={"VFCC_AGENT": "planner"}).refused(2, "no task is active for planner")
    assert vfcc(young, "task", "finish", theirs, env=CODER).code == 0, "by its id, anybody's"


@pytest.mark.sweep
def test_of_several_tasks_the_one_to_end_is_named(young: Path) -> None:
    one, two = started(young, "One"), started(young, "Two")

    for verb in ("finish", "fail", "fail --forget"):
        ended = vfcc(young, "task", *verb.split())
        ended.refused(2, f"several tasks are active: {one}, {two}; name one", f"hint: vfcc task {verb} {two}")


def test_a_text_can_come_from_a_pipe_and_cannot_steer_the_terminal(young: Path) -> None:
    task = started(young)
    text = "\x1b[31mred\x1b[0m \x07 \u202eabc\r\n<<<<<<< HEAD\n"
    done = subprocess.run(
        [VFCC, "task", "note", "--stdin", "--type", "tool_output", "--tool", "pytest"],
        cwd=young,
        env=environment(young.parent),
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    shown = vfcc(young, "task", "show")
    ended = vfcc(young, "task", "finish", task)

    for said in (done.stdout.decode(), shown.out, ended.out, ended.err):
        assert not set(said) & {"\x1b", "\x07", "\u202e"}
    assert "<<<<<<< HEAD" in shown.out


@pytest.mark.points(5)
@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("task note", "say a text or --stdin, one of the two", 'vfcc task note "What was found out"'),
        ("task note x --stdin", "say a text or --stdin, one of the two", 'vfcc task note "What was found out"'),
        ("task note x", "no task is active", 'vfcc task start "What it is about"'),
        ("task finish", "no task is active", 'vfcc task start "What it is about"'),
        ("task show none", "there is no task none: there is none at all", 'vfcc task start "What it is about"'),
        ("task start x --sprint none", "there is no sprint none", 'vfcc sprint start "Title"'),
        ("task start x --stage coding", "a stage is part of a sprint, and no sprint is open", "--sprint ID"),
        ("task start x --agent ../x", "'../x' cannot be an agent's name", "--agent coder"),
    ],
)
def test_a_slip_is_told_with_what_to_do(young: Path, line: str, told: str, hint: str) -> None:
    slip = vfcc(young, *line.split())

    slip.refused(2, told)
    assert slip.err.splitlines()[1] == f"hint: {hint}"


def test_outside_of_a_project_there_are_no_tasks(tmp_path: Path) -> None:
    vfcc(tmp_path, "task", "list").refused(3, "no .memory/ in", "hint: vfcc init")


@pytest.mark.sweep
def test_a_task_of_a_sprint_stays_when_its_stage_is_left(example: Path) -> None:
    task = started(example, **CODER)
    kept = noted(example, "Half done", **CODER)
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")

    assert vfcc(example, "stage", "advance").code == 0

    assert task_items(example) == [kept]
    (line,) = vfcc(example, "task", "list", "--json", "--full").data
    assert (line["task"]["sprint"], line["task"]["stage"], line["task"]["id"]) == ("sprint-02", "coding", task)
    noted(example, "On in the next stage", **CODER)
    assert "stage testing" in vfcc(example, "task", "show", env=CODER).out


def test_nothing_of_a_task_is_seen_by_git(young: Path) -> None:
    git(young, "init", "-q")
    started(young)
    noted(young, "A secret thought")

    git(young, "add", ".")

    assert "tasks" not in git(young, "ls-files")


def _killed(folder: Path, point: int, *arguments: str) -> Ran:
    return vfcc(folder, *arguments, program=(sys.executable, "-B", "-c", STOPPER, str(point), "SIGKILL"))


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-TASK-MEMORY")
@pytest.mark.parametrize("point", range(2, 38, 4))
def test_an_end_that_is_killed_anywhere_is_completed_by_the_same_command(young: Path, point: int) -> None:
    here = open_workspace(young)
    task = start_task(here, "Fix the login", actor="agent:coder").id
    kept, *_ = [note_in_task(here, Note(text), actor="agent:coder").item.id for text in ("Keep", "One", "Two")]
    line = ("task", "finish", task, "--promote", kept)

    assert _killed(young, point, *line).code in (0, -signal.SIGKILL)
    assert kept in {*task_items(young), *project_items(young)}
    again = vfcc(young, *line)

    assert again.code == 0 or "has ended already" in again.err, again
    assert (task_items(young), project_items(young)) == ([], [kept])
    ended = find_task(here, task)
    assert (ended.status, ended.promoted) == (TaskStatus.COMPLETED, (kept,))
