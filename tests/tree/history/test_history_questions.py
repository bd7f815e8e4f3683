"""The record's questions, each asked of a small history that says it all."""

import json
import re
from pathlib import Path

import pytest

from tests.history_world import DAY_S, edit, project, prompt, read, run, spoken, stop, tell
from tests.ticking import Ticking
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import FileInteraction, Intent, Operation, TaskEpisode
from verifflowcc.history.use.analysing import days_in, plan_pruning, prune_history
from verifflowcc.history.use.history_offers import recent_actions, sessions, similar_tasks
from verifflowcc.history.use.history_sharing import (
    learn_from_session,
    learned_in_sessions,
    learned_patterns,
    propose_patterns,
    share_session,
)
from verifflowcc.history.use.questions import (
    ToolUse,
    edited_together,
    file_history,
    files_like,
    tasks_by_status,
    tool_use,
)
from verifflowcc.history.use.saving import repeated_failures
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.use.statistics import RepeatedFailures
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_ending import end_task
from verifflowcc.memory.use.task_filling import start_task

YOU = "human:You"


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return project(tmp_path)


@pytest.mark.vfcc("REQ-ASK-FILE", "REQ-EPISODE-FILES")
def test_the_last_five_touches_of_a_file_are_told_newest_first(here: Workspace) -> None:
    tell(here, *(read(number, "src/a.py") for number in range(5)), read(7, "src/a.pyc"), read(8, "other/src/a.py"))
    tell(here, edit(6, "src/a.py", response={"structuredPatch": [{"newStart": 3, "newLines": 1, "lines": ["+x"]}]}))

    found = file_history(here, "src/a.py")

    assert [each.time[17:19] for each in found] == ["06", "04", "03", "02", "01"]
    assert found[0] == FileInteraction(
        time="2026-11-21T12:00:06.000Z",
        session="s1",
        path="src/a.py",
        operation=Operation.EDIT,
        task="p1",
        lines=(3, 3),
        success=True,
        changes="+1 -0",
    )
    assert file_history(here, "src/./a.py") == found


@pytest.mark.vfcc("REQ-EPISODE-FILES")
def test_each_sort_of_touch_is_told_apart(here: Workspace) -> None:
    tell(here, run(1, "cat a.x; grep x a.x; wc -l ./a.x"), run(2, "echo > a.x"), edit(3, "a.x", error="No such text"))

    found = file_history(here, "a.x")

    assert [(each.operation.value, each.success) for each in found] == [
        ("edit", False), ("write", True), ("analyze", True), ("search", True), ("read", True)
    ]  # fmt: skip


@pytest.mark.vfcc("REQ-ASK-PATH")
def test_a_fragment_of_a_path_gives_the_last_ten_touches_in_any_case(here: Workspace) -> None:
    tell(
        here,
        *(read(number, f"src/Auth/{number % 2}.py") for number in range(12)),
        read(20, "lib/authors"),
        read(21, "x"),
    )

    found = files_like(here, "AUTH")

    assert len(found) == 10
    assert found[0].path == "lib/authors"
    assert [each.path for each in found[1:3]] == ["src/Auth/1.py", "src/Auth/0.py"]
    assert files_like(here, "%") == ()


def test_a_fragment_with_other_letters_than_a_to_z_is_found_as_it_is_written(here: Workspace) -> None:
    tell(here, read(1, "Ärger/Straße.py"))

    assert len(files_like(here, "Ärger")) == len(files_like(here, "straße")) == 1


@pytest.mark.vfcc("REQ-ASK-TOOLS", "REQ-EPISODE-TOOLS")
def test_tools_fare_over_the_last_seven_days(here: Workspace) -> None:
    week = 7 * DAY_S
    tell(
        here,
        run(-week - 1, "old", error="x", duration_ms=999_999),
        run(-week, "make", duration_ms=10),
        run(-5, "make", duration_ms=21),
        run(-4, "make", error="failed"),
        run(-3, "make", client="codex", response="text"),
        read(-2, "a"),
    )

    assert tool_use(here) == (ToolUse("Bash", 4, 2, 3, 16), ToolUse("Read", 1, 1, 1, None))
    assert tool_use(here, days=8)[0] == ToolUse("Bash", 5, 2, 4, (999_999 + 31) // 3)


@pytest.mark.vfcc("REQ-ASK-OPEN-TASKS", "REQ-EPISODE-TASKS", "REQ-EPISODE-INTENTS")
def test_active_and_paused_tasks_are_told_newest_first_with_what_was_done_in_them(here: Workspace) -> None:
    tell(here, prompt(0, "Fix the login", task="p1"), read(1, "a.py"), edit(2, "a.py"), edit(3, "b.py"))
    tell(here, prompt(10, "Add a page", task="p2"), stop(11, "It is there.\n\nMore words.", task="p2"))
    tell(here, prompt(20, "Explain it", task="p3", session="s2"), edit(21, "c.py", session="s2", task="p3"))
    tell(here, spoken(30, "SessionEnd", task=None, session="s3"), prompt(29, "Look", task="p4", session="s3"))

    found = tasks_by_status(here)

    assert [(each.id, each.status) for each in found] == [
        ("p4", TaskStatus.PAUSED), ("p3", TaskStatus.ACTIVE), ("p1", TaskStatus.PAUSED)
    ]  # fmt: skip
    assert found[2] == TaskEpisode(
        id="p1",
        session="s1",
        description="Fix the login",
        intent=Intent.PROJECT_FIXING,
        status=TaskStatus.PAUSED,
        started="2026-11-21T12:00:00.000Z",
        ended="2026-11-21T12:00:10.000Z",
        files=("a.py", "b.py"),
        tools=(("Edit", 2), ("Read", 1)),
        outcome="",
    )
    (done,) = tasks_by_status(here, (TaskStatus.COMPLETED,))
    assert (done.id, done.outcome, done.intent) == ("p2", "It is there.", Intent.CODE_WRITING)


@pytest.mark.vfcc("REQ-EPISODE-TASKS")
def test_where_a_client_names_no_task_its_prompts_divide_them(here: Workspace) -> None:
    tell(here, prompt(0, "One", task=None), edit(1, "a.py", task=None), prompt(10, "Two", task=None))
    tell(here, edit(11, "b.py", task=None), stop(12, "Done.", task=None), edit(11, "x.py", task=None, session="s2"))

    two, one = tasks_by_status(here, tuple(TaskStatus))

    assert (one.description, one.files, one.status) == ("One", ("a.py",), TaskStatus.PAUSED)
    assert (two.description, two.files, two.status, two.outcome) == ("Two", ("b.py",), TaskStatus.COMPLETED, "Done.")


@pytest.mark.vfcc("REQ-EPISODE-TASKS")
def test_tasks_that_somebody_starts_by_name_are_in_it(here: Workspace) -> None:
    ticking = Workspace(here.root, Ticking())
    finished, failed, going = (start_task(ticking, text, actor=YOU).id for text in ("One", "Two", "Three"))
    end_task(ticking, finished, TaskStatus.COMPLETED, actor=YOU, outcome="it works", promote=())
    end_task(ticking, failed, TaskStatus.FAILED, actor=YOU, outcome="no way", promote=())

    found = {each.id: each for each in tasks_by_status(ticking, tuple(TaskStatus))}

    assert {name: (each.description, each.status.value, each.outcome) for name, each in found.items()} == {
        finished: ("One", "completed", "it works"),
        failed: ("Two", "failed", "no way"),
        going: ("Three", "active", ""),
    }
    assert found[finished].ended
    assert [each.id for each in similar_tasks(ticking, "two")] == [failed]


@pytest.mark.vfcc("REQ-EPISODE-TASKS")
def test_a_project_that_records_nothing_records_no_task(tmp_path: Path) -> None:
    here = project(tmp_path, "format: 1\nhooks: {record: false}\n")
    start_task(here, "One", actor=YOU)

    assert tasks_by_status(here) == ()


@pytest.mark.vfcc("REQ-PATTERN-CO-EDIT")
@pytest.mark.parametrize(("apart_s", "task", "times", "told"), [
    (299, "p1", 3, 3), (300, "p1", 3, 3), (301, "p1", 3, 0), (299, "p2", 3, 0), (299, "p1", 2, 0)
])  # fmt: skip
def test_files_that_are_edited_within_five_minutes_three_times_are_a_pair(
    here: Workspace, apart_s: int, task: str, times: int, told: int
) -> None:
    for number in range(times):
        tell(here, edit(-number * 3600, "a.py"), edit(-number * 3600 + apart_s, "b.py", task=task))
        tell(here, read(-number * 3600, "c.py"), edit(-number * 3600, "d.py", error="no"))

    found = edited_together(here)

    assert [(each.files, each.count) for each in found] == ([(("a.py", "b.py"), told)] if told else [])
    assert edited_together(here, "b.py") == found
    assert edited_together(here, "c.py") == ()


@pytest.mark.vfcc("REQ-ASK-SIMILAR")
def test_the_three_past_tasks_most_like_a_text_come_with_their_outcomes(here: Workspace) -> None:
    texts = ("Fix the login page", "Login is slow", "Fix the page of the login form", "Draw a chart", "The fix of it")
    for number, text in enumerate(texts):
        name = f"p{number}"
        tell(here, prompt(number * 10, text, task=name), stop(number * 10 + 5, f"Outcome {number}.", task=name))
    tell(here, prompt(90, "Fix the login page now", task="now", session="s2"))

    found = similar_tasks(here, "fix login page")

    assert len(found) == 3
    assert [each.id for each in found[:2]] == ["p0", "p2"]
    assert found[0].outcome == "Outcome 0."
    assert "now" not in {each.id for each in similar_tasks(here, "fix login page", 99)}, "it is in work"
    assert similar_tasks(here, "zebra") == similar_tasks(here, "") == ()
    tell(here, prompt(100, "Fix the login page", task="p9"), stop(101, "Again.", task="p9"))
    assert [each.description for each in similar_tasks(here, "fix login page")].count("Fix the login page") == 1


@pytest.mark.vfcc("REQ-EPISODE-LEARNINGS")
def test_what_a_session_showed_is_learnt_once_at_its_end(here: Workspace) -> None:
    tell(here, prompt(0, "Fix the login"), edit(1, "a.py"), run(2, "make"), edit(3, "a.py"), run(4, "make"))

    first = learn_from_session(here, "s1")

    assert [(each.type.value, each.subject) for each in first] == [("file_purpose", "a.py"), ("workflow", "make")]
    assert learn_from_session(here, "s1") == learn_from_session(here, "s2") == ()
    assert sorted(each.subject for each in learned_in_sessions(here)) == ["a.py", "make"]
    tell(here, edit(5, "a.py"), run(6, "make"))
    assert [each.sentence for each in learn_from_session(here, "s1")] == ["after changes, `make` was run 3 times"]
    assert len(learned_in_sessions(here)) == 2, "the newer one stands for both"
    assert all(0 < each.confidence < 1000 for each in first)


def _learnt(here: Workspace) -> None:
    for number in range(3):
        at = -number * 3600
        tell(here, edit(at, "a.py"), edit(at + 1, "b.py"))
    tell(here, run(10, "make", error="KeyError: 'x'"), edit(11, "a.py"), run(12, "make"))


@pytest.mark.vfcc("REQ-EPISODE-PATTERNS", "REQ-PATTERN-FIX", "REQ-PATTERN-CO-EDIT")
def test_patterns_are_offered_to_memory_and_none_is_active_by_itself(here: Workspace) -> None:
    _learnt(here)
    assert [each.type.value for each in learned_patterns(here)] == ["co_edit", "error_fix"]

    found = propose_patterns(here)

    assert [each.pattern.type.value for each in found] == ["co_edit", "error_fix"]
    with open_store(here, "project") as store:
        items = [each.item for each in store.list_all()]
    assert {item.id for item in items} == {each.item for each in found}
    assert {item.status for item in items} == {Status.PENDING}
    assert {item.type for item in items} == {"pattern", "fix"}
    assert propose_patterns(here) == ()


@pytest.mark.vfcc("REQ-PATTERN-REFACTOR")
def test_a_rename_is_learnt_from_the_edits_that_made_it(here: Workspace) -> None:
    tell(here, *(edit(at, path, old="f(count)", new="f(size)") for at, path in enumerate(("a", "b", "c"))))

    (found,) = learned_patterns(here)

    assert (found.type, found.key, found.count) == ("refactor", "count -> size", 3)


@pytest.mark.parametrize(("text", "days"), [("90d", 90), ("12w", 84), ("1y", 365), ("0d", 0)])
def test_a_time_is_days_weeks_or_years(text: str, days: int) -> None:
    assert days_in(text) == days


@pytest.mark.parametrize("text", ["", "d", "90", "-1d", "1m", "1.5d", "1 d", "101y", "²d", "9" * 5000 + "d"])
def test_another_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no time: say 90d, 12w or 1y"):
        days_in(text)


def test_pruning_removes_whole_days_that_are_older_and_never_the_present_one(here: Workspace) -> None:
    for days in (0, 1, 2, 3, 30):
        tell(here, edit(-days * DAY_S, "a.py"), edit(-days * DAY_S + 1, "a.py"))
    share_session(here, "s1")
    shared = list((here.memory / "history").iterdir())

    plan = plan_pruning(here, 2)

    assert (plan.before, plan.days, plan.events) == ("2026-11-19", ("2026-10-22", "2026-11-18"), 4)
    assert plan.size_bytes == sum((here.local / f"history/{day}.jsonl").stat().st_size for day in plan.days)
    assert prune_history(here, 2) == plan
    assert prune_history(here, 2).days == ()
    prune_history(here, 0)
    assert [path.name for path in (here.local / "history").iterdir()] == ["2026-11-21.jsonl"]
    assert list((here.memory / "history").iterdir()) == shared


@pytest.mark.vfcc("REQ-NOT-TRACKED")
def test_what_is_shared_has_nobodys_words_and_no_path_beyond_the_project(here: Workspace) -> None:
    word = "marzipan"
    tell(
        here,
        prompt(0, f"Do {word}"),
        run(1, f"cat a.py /{word} ~/{word} # {word}", response={"stdout": word}),
        run(2, "make", error=f"{word} failed"),
        edit(3, "src/b.py", old=word, new=word),
        read(4, f"/etc/{word}"),
        spoken(5, "SubagentStop", agent_type="x", last_assistant_message=word),
        stop(6, word),
        spoken(7, "PostCompact", compact_summary=word),
        edit(8, "other.py", session="s2"),
    )
    learn_from_session(here, "s1")

    share_session(here, "s1")

    (path,) = (here.memory / "history").iterdir()
    text = path.read_text("utf-8")
    events = [json.loads(each) for each in text.splitlines()]
    assert path.name == "2026-11-21-s1.jsonl"
    assert word not in text
    assert "other.py" not in text
    assert "learning" not in text
    assert not re.search(r'"(?:/|~)', text)
    assert [each["path"] for event in events for each in event.get("files", ())] == ["a.py", "src/b.py"]
    assert [event["kind"] for event in events].count("tool_execution") == 4
    before = path.read_bytes()
    share_session(here, "s1")
    assert path.read_bytes() == before


@pytest.mark.vfcc("REQ-INDICATOR-FAILURES")
def test_failures_that_memory_had_known_of_are_counted(tmp_path: Path) -> None:
    known = "---\nid: known\ntype: failure\ncreated: 2026-11-20\n---\nIt says “KeyError: 'name'”, always.\n"
    young = "---\nid: young\ntype: fix\ncreated: 2026-11-22\n---\nValueError: bad\n"
    items = {"project/items/failure/known.md": known, "project/items/fix/young.md": young}
    here = project(tmp_path, files=items)
    tell(here, run(0, "make"), run(1, "make", error="KeyError: 'x'"), run(2, "make", error="ValueError: bad"))
    tell(here, run(-2 * DAY_S, "make", error="KeyError: 'y'"), run(3, "make", error="TypeError: z"))

    assert repeated_failures(here) == RepeatedFailures(executions=5, failures=4, known=1)


@pytest.mark.vfcc("REQ-EPISODE-TOOLS", "REQ-EPISODE-HOOKS")
def test_the_latest_actions_and_sessions_are_told(here: Workspace) -> None:
    tell(here, prompt(0, "One"), run(1, "make  all", role="coder"), edit(2, "a.py", role="tester", error="no text"))
    tell(here, read(3, "b.py", session="s2", client="codex"))

    found = recent_actions(here)

    assert [(each.tool, each.subject, each.success, each.error) for each in found] == [
        ("Read", "b.py", True, ""), ("Edit", "a.py", False, "no text"), ("Bash", "make all", True, "")
    ]  # fmt: skip
    assert [each.tool for each in recent_actions(here, "coder")] == ["Read", "Bash"]
    lines = sessions(here)
    assert [(each.session, each.client, each.prompts, each.tools, each.failed, each.files) for each in lines] == [
        ("s2", "codex", 0, 1, 0, 1), ("s1", "claude", 1, 2, 1, 1)
    ]  # fmt: skip
