"""Tasks: what they remember ends with them, but for what is promoted, whatever interrupts the end."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ticking import Ticking
from tests.trees import write_memory
from verifflowcc.base.errors import ConflictError, FormatError, UsageError, VfccError, WorkspaceError
from verifflowcc.base.model.item_values import Relation, Status
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.store import task_files
from verifflowcc.memory.store.file_backend import FilesBackend
from verifflowcc.memory.use import task_ending as tasks_ending
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_ending import EndedTask, clear_task, end_task, plan_end
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.memory.use.task_finding import active_task, all_tasks, find_task, list_tasks, open_task, show_task

YOU, CODER = "human:You", "agent:coder"


@pytest.fixture(params=["files", "sqlite"])
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    config = f"format: 1\nmemory:\n  backends: {{task: {request.param}}}\n"
    return Workspace(write_memory(tmp_path / "project", {"config.yaml": config}), Ticking())


@pytest.fixture
def plain(tmp_path: Path) -> Workspace:
    return Workspace(write_memory(tmp_path / "project", {}), Ticking())


def note(here: Workspace, text: str, *, actor: str = YOU, task: str | None = None, key: str | None = None) -> str:
    return note_in_task(here, Note(text, key=key), actor=actor, task=task).item.id


def finish(here: Workspace, task: str, *promote: str, actor: str = YOU) -> EndedTask:
    return end_task(here, task, TaskStatus.COMPLETED, actor=actor, outcome="done", promote=promote)


def items(here: Workspace, scope: str) -> list[StoredItem]:
    with open_store(here, scope) as store:
        return store.list_all()


def ids(here: Workspace, scope: str) -> set[str]:
    return {each.item.id for each in items(here, scope)}


@pytest.mark.vfcc("REQ-TASK-MEMORY")
@pytest.mark.parametrize("status", [TaskStatus.COMPLETED, TaskStatus.FAILED])
def test_what_a_task_remembers_ends_with_it_but_for_what_is_promoted(here: Workspace, status: TaskStatus) -> None:
    task = start_task(here, "Fix the login", actor=YOU)
    assert items(here, f"task/{task.id}") == []
    kept, gone = note(here, "The cause is the clock"), note(here, "A dead end")

    done = end_task(here, task.id, status, actor=YOU, outcome="it was the clock", promote=[kept])

    assert ids(here, f"task/{task.id}") == set()
    (there,) = items(here, "project")
    assert (there.item.id, there.item.status, there.item.tokens) == (kept, Status.ACTIVE, None)
    assert there.body.strip() == "The cause is the clock"
    assert [item.id for item in done.removed] == [gone]
    assert (done.task.status, done.task.outcome, done.task.promoted) == (status, "it was the clock", (kept,))
    assert find_task(here, task.id) == done.task


@pytest.mark.vfcc("REQ-NO-PROMOTION-BY-ITSELF", "REQ-TASK-MEMORY")
def test_nothing_is_promoted_that_nobody_named(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=CODER)
    for number in range(5):
        note(here, f"Thought {number}", actor=CODER)
    finish(here, task.id, actor=CODER)

    assert (items(here, "project"), items(here, f"task/{task.id}")) == ([], [])


def test_what_an_agent_promotes_waits_for_a_person(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=CODER)
    kept = note(here, "The cause is the clock", actor=CODER)

    (promoted,) = finish(here, task.id, kept, actor=CODER).promoted

    assert promoted.pending
    assert [each.item.status for each in items(here, "project")] == [Status.PENDING]


def test_a_promoted_item_of_a_key_is_the_one_of_that_key(plain: Workspace) -> None:
    for text in ("One way", "Another way"):
        task = start_task(plain, "Choose", actor=YOU)
        finish(plain, task.id, note(plain, text, key="way"))

    (only,) = items(plain, "project")
    assert (only.body.strip(), only.item.key, only.item.status) == ("Another way", "way", Status.ACTIVE)
    for text in ("An agent's", "An agent's, again"):
        task = start_task(plain, "Choose", actor=CODER)
        finish(plain, task.id, note(plain, text, key="way", actor=CODER), actor=CODER)
    proposals = [each for each in items(plain, "project") if each.item.status is Status.PENDING]
    assert [each.body.strip() for each in proposals] == ["An agent's, again"]
    assert [(link.to, link.relation) for link in proposals[0].item.links] == [(only.item.id, Relation.SUPERSEDES)]


@pytest.mark.vfcc("REQ-TASK-CLEAR")
def test_clearing_a_task_touches_no_other(here: Workspace) -> None:
    one, other = start_task(here, "One", actor=YOU), start_task(here, "Other", actor=YOU)
    note(here, "Of one", task=one.id)
    kept = note(here, "Of the other", task=other.id)

    done = clear_task(here, one.id, actor=YOU)

    assert (done.task.status, len(done.removed)) == (TaskStatus.FAILED, 1)
    assert (ids(here, f"task/{one.id}"), ids(here, f"task/{other.id}")) == (set(), {kept})
    assert find_task(here, other.id) == other
    assert clear_task(here, one.id, actor=YOU).removed == (), "again, nothing is left"


def test_the_open_task_is_the_newest_of_the_role_and_the_sprint(plain: Workspace) -> None:
    sprint = start_sprint(plain, "Login", workflow="light", actor=YOU).state
    mine = start_task(plain, "Mine", actor=CODER)
    of_nobody = start_task(plain, "Of nobody", actor=YOU)
    theirs = start_task(plain, "Theirs", actor=YOU, agent="tester")

    assert (mine.agent, mine.sprint, mine.stage) == ("coder", sprint.id, "planning")
    assert open_task(plain, "coder", sprint.id) == of_nobody
    assert open_task(plain, "tester", sprint.id) == theirs
    assert open_task(plain, None, sprint.id) == of_nobody
    assert open_task(plain, "coder", "another") is None
    assert open_task(plain, "coder", None) is None, "they are of a sprint"
    finish(plain, of_nobody.id)
    assert open_task(plain, "coder", sprint.id) == mine


def test_a_task_needs_no_sprint(plain: Workspace) -> None:
    task = start_task(plain, "Look around", actor=CODER)

    assert (task.sprint, task.stage) == (None, None)
    assert open_task(plain, "coder", None) == open_task(plain, "coder", "any") == task
    with pytest.raises(UsageError, match="no sprint is open"):
        start_task(plain, "x", actor=CODER, stage="coding")


def test_a_note_is_from_the_stage_in_work_unless_it_says_so(plain: Workspace) -> None:
    start_sprint(plain, "Login", workflow="light", actor=YOU)
    start_task(plain, "Mine", actor=CODER)

    for given, found in ((None, "planning"), ("design", "design")):
        item = note_in_task(plain, Note("x", stage=given), actor=CODER).item
        assert dict(item.details)["stage"] == found
    with pytest.raises(UsageError, match="has no stage desing; did you mean design"):
        note_in_task(plain, Note("x", stage="desing"), actor=CODER)


def test_a_note_that_does_not_fit_is_refused(plain: Workspace) -> None:
    start_task(plain, "Mine", actor=YOU)

    for wanted, told in (
        (Note(" "), "nothing to remember"),
        (Note("x", "resoning"), "did you mean reasoning"),
        (Note("x", "tool_output"), "a tool's output has a tool"),
        (Note("x", tool="pytest"), "--tool goes with --type tool_output"),
        (Note("x\udcff"), "no Unicode"),
    ):
        with pytest.raises(UsageError, match=told):
            note_in_task(plain, wanted, actor=YOU)
    assert show_task(plain, None, None).notes == ()


def test_names_are_found_by_their_beginning_and_slips_told(here: Workspace) -> None:
    with pytest.raises(UsageError, match="no task is active") as slip:
        active_task(here, None, None, command="")
    assert slip.value.hint == 'vfcc task start "What it is about"'
    with pytest.raises(UsageError, match="there is none at all"):
        find_task(here, "fix")
    one = start_task(here, "Fix the login", actor=YOU)
    assert find_task(here, "fix-the") == one
    assert find_task(here, one.id.upper()) == one
    with pytest.raises(UsageError, match=f"did you mean {one.id}"):
        find_task(here, one.id[:-1] + "_")
    two = start_task(here, "Fix the logout", actor=YOU)
    with pytest.raises(UsageError, match="can be any of 2 tasks"):
        find_task(here, "fix")
    assert active_task(here, None, None, command="") == two, "notes go to the newest"
    with pytest.raises(UsageError, match="several tasks are active"):
        active_task(here, None, None, command="vfcc task finish")


def test_a_task_that_has_ended_takes_nothing_more(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=YOU)
    finish(here, task.id)

    with pytest.raises(UsageError, match="has ended"):
        note(here, "Too late", task=task.id)
    with pytest.raises(UsageError, match="has ended already"):
        finish(here, task.id)
    assert items(here, f"task/{task.id}") == []


def test_an_item_that_the_task_does_not_have_stops_the_end(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=YOU)
    kept = note(here, "Keep me")

    with pytest.raises(UsageError, match=f"has no item {kept[:-1]}_; did you mean {kept}"):
        finish(here, task.id, kept[:-1] + "_")
    assert ids(here, f"task/{task.id}") == {kept}
    assert find_task(here, task.id) == task


def test_another_item_under_that_id_in_the_project_stops_the_end(plain: Workspace) -> None:
    task = start_task(plain, "Fix the login", actor=YOU)
    kept = note(plain, "Keep me")
    write_memory(plain.root, {f"project/items/fact/{kept}.md": f"---\nid: {kept}\ntitle: Other\n---\nOther\n"})

    with pytest.raises(ConflictError, match="another item"):
        finish(plain, task.id, kept)
    assert ids(plain, f"task/{task.id}") == {kept}


def test_what_would_go_is_told_before_it_goes(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=YOU)
    kept, gone = note(here, "Keep me"), note(here, "Drop me")

    ending = plan_end(here, task.id, [kept[:6]])

    assert ([item.id for item in ending.stay], [item.id for item in ending.go]) == ([kept], [gone])
    assert ids(here, f"task/{task.id}") == {kept, gone}


class Stopped(Exception):  # noqa: N818 - it reads as what happened
    """Stands for a kill: nothing after it runs."""


@contextmanager
def _stopping(patch: pytest.MonkeyPatch, owner: object, name: str, after: int) -> Iterator[None]:
    """Stop before the call of that number of a step that writes."""
    real, calls = getattr(owner, name), [0]

    def step(*given: object, **named: object) -> object:
        calls[0] += 1
        if calls[0] > after:
            raise Stopped
        return real(*given, **named)

    with patch.context() as context:
        context.setattr(owner, name, step)
        with pytest.raises(Stopped):
            yield


@pytest.mark.vfcc("REQ-TASK-MEMORY")
@pytest.mark.parametrize("point", range(6))
def test_an_end_that_is_interrupted_is_completed_by_running_it_again(
    plain: Workspace, monkeypatch: pytest.MonkeyPatch, point: int
) -> None:
    task = start_task(plain, "Fix the login", actor=YOU)
    kept = [note(plain, f"Keep {number}") for number in range(2)]
    for number in range(3):
        note(plain, f"Drop {number}")
    owner, name, after = [
        (FilesBackend, "add", 0),
        (FilesBackend, "add", 1),
        (tasks_ending, "save_task", 0),
        (FilesBackend, "clear", 0),
        (FilesBackend, "_remove", 2),
        (FilesBackend, "_remove", 4),
    ][point]

    with _stopping(monkeypatch, owner, name, after):
        finish(plain, task.id, *kept)
    assert {each.body.strip() for each in items(plain, "project")} | {
        each.body.strip() for each in items(plain, f"task/{task.id}")
    } >= {"Keep 0", "Keep 1"}, "nothing that was promoted is lost"
    finish(plain, task.id, *kept)

    assert ids(plain, "project") == set(kept)
    assert items(plain, f"task/{task.id}") == []
    assert find_task(plain, task.id).promoted == tuple(kept)


@pytest.mark.sweep
def test_two_that_note_at_once_lose_nothing_and_none_notes_after_the_end(here: Workspace) -> None:
    task = start_task(here, "Fix the login", actor=YOU)

    def write(number: int) -> bool:
        if number == 25:
            finish(here, task.id)
            return True
        try:
            note(here, f"Thought {number}", task=task.id)
        except UsageError as error:
            return "has ended" in error.message
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(40)))

    assert items(here, f"task/{task.id}") == []
    assert find_task(here, task.id).status is TaskStatus.COMPLETED


@pytest.mark.sweep
def test_two_tasks_at_once_keep_apart(here: Workspace) -> None:
    tasks = [start_task(here, f"Task {number}", actor=YOU).id for number in range(2)]

    with ThreadPoolExecutor(4) as pool:
        noted = list(pool.map(lambda number: (number % 2, note(here, "x", task=tasks[number % 2])), range(24)))

    for which in range(2):
        assert ids(here, f"task/{tasks[which]}") == {item for own, item in noted if own == which}
    assert [line.notes for line in list_tasks(here)] == [12, 12]


def test_the_records_of_ended_tasks_are_bounded(plain: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks_ending, "KEPT_TASKS", 3)
    open_one = start_task(plain, "Stays open", actor=YOU)
    ended = []
    for number in range(6):
        task = start_task(plain, f"Task {number}", actor=YOU)
        note(plain, "x", task=task.id)
        ended.append(finish(plain, task.id).task)

    assert all_tasks(plain) == (open_one, *ended[-3:])
    folders = {path.name for path in (plain.local / "tasks").iterdir()}
    assert folders == {task.id for task in (open_one, *ended[-3:])}
    assert not [path for path in (plain.local / "locks").iterdir() if ended[0].id in path.name]


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"id":"x"}', b"\xff", b'{"id": "x"}\n'])
def test_a_record_that_is_none_is_told_with_its_place(plain: Workspace, data: bytes) -> None:
    task = start_task(plain, "Fix the login", actor=YOU)
    path = plain.local / "tasks" / task.id / "task.json"
    path.write_bytes(data)

    with pytest.raises(FormatError, match=f"{task.id}/task.json:1: not a task's record"):
        open_task(plain, "coder", None)


def test_a_record_of_another_name_is_refused(plain: Workspace) -> None:
    task = start_task(plain, "Fix the login", actor=YOU)
    (plain.local / "tasks" / task.id).rename(plain.local / "tasks" / "other-0000")

    with pytest.raises(FormatError, match=f"is the record of the task {task.id}"):
        all_tasks(plain)


def test_a_link_out_of_the_memory_is_not_followed(plain: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    plain.local.mkdir()
    (plain.local / "tasks").symlink_to(outside)

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        start_task(plain, "Fix the login", actor=YOU)
    assert list(outside.iterdir()) == []


def test_the_record_is_canonical_and_small(plain: Workspace) -> None:
    task = start_task(plain, "Fix the login", actor=YOU)
    data = (plain.local / "tasks" / task.id / task_files.FILE).read_bytes()

    assert data.startswith(b'{"actor":"human:You","agent":null,"description":"Fix the login"')
    assert data.endswith(b"}\n")


@pytest.mark.parametrize("about", ["", "  ", "x\x1b[31m", "x" * 201])
def test_a_task_is_about_something_in_one_line(plain: Workspace, about: str) -> None:
    with pytest.raises(VfccError):
        start_task(plain, about, actor=YOU)
    assert all_tasks(plain) == ()
