"""Sprints: started with an id that is safe, found, closed with what was learnt."""

import json
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, TickingClock, add_feedback, advance, events_folder, started, workspace
from verifflowcc.base.errors import GateClosed, UsageError, WorkspaceError
from verifflowcc.base.files import layout
from verifflowcc.base.formats.event_payloads import records
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint, update_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use import sprint_reading
from verifflowcc.sprint.use.sprint_reading import active_sprint, list_sprints, open_sprints, progress_text, show_sprint


def begin(here: Workspace, title: str, sprint_id: str | None = None, workflow: str = "light") -> str:
    return start_sprint(here, title, workflow=workflow, actor=ANN, sprint_id=sprint_id).state.id


def through(here: Workspace, sprint: str) -> None:
    while show_sprint(here, sprint).current:
        advance(here, sprint)


def test_a_sprint_starts_in_the_first_stage_with_its_goals_on_file(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    done = start_sprint(here, " Log  in ", goals=["one form", " "], workflow="light", actor=ANN)

    assert (done.before, done.after, done.state.title, done.state.goals) == (None, "planning", "Log in", ("one form",))
    assert (here.memory / "sprint/log-in/goals.md").read_text() == "# Log in\n\n## Goals\n\n- one form\n"
    assert json.loads((here.memory / "sprint/log-in/progress.json").read_text())["stage"] == "planning"
    assert set(done.written) == {
        ".memory/sprint/log-in/goals.md",
        f".memory/sprint/log-in/events/{done.event.id}.json",
    }


def test_goals_that_a_person_wrote_beforehand_are_kept(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    path = here.memory / "sprint/log-in/goals.md"
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")

    assert begin(here, "Log in") == "log-in"
    assert path.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Café: über ALLES!", "cafe-uber-alles"),
        ("登录", "sprint"),
        ("CON", "sprint-con"),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 60, "a" * 40),
        ("the quick brown fox jumps over the lazy dog", "the-quick-brown-fox-jumps-over-the-lazy"),
        ("Straße", "strasse"),
        ("😀", "sprint"),
        ("Don't stop", "dont-stop"),
    ],
)
def test_a_title_gives_a_name_that_is_safe_everywhere(tmp_path: Path, title: str, name: str) -> None:
    assert begin(workspace(tmp_path), title) == name


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    here = workspace(tmp_path)

    assert [begin(here, "Log in") for _ in range(3)] == ["log-in", "log-in-2", "log-in-3"]
    assert [begin(here, "a" * 60) for _ in range(2)] == ["a" * 40, "a" * 38 + "-2"]


@pytest.mark.parametrize("chosen", ["Log", "log_in", "../x", "con", "", "-x", "x-", "a" * 41, "a/b", "é"])
def test_a_chosen_id_must_be_one(tmp_path: Path, chosen: str) -> None:
    with pytest.raises(UsageError, match="no sprint id"):
        begin(workspace(tmp_path), "Title", chosen)


def test_a_chosen_id_that_is_taken_is_refused(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    begin(here, "One", "s-1")

    with pytest.raises(UsageError, match="s-1 exists already"):
        begin(here, "Two", "s-1")


@pytest.mark.parametrize(
    ("title", "told"), [("", "needs a title"), ("  ", "needs a title"), ("a\x07b", r"holds U\+0007")]
)
def test_a_sprint_needs_a_title_that_can_be_shown(tmp_path: Path, title: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        begin(workspace(tmp_path), title)


def test_an_unknown_workflow_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no workflow lite; did you mean light") as caught:
        begin(workspace(tmp_path), "Title", workflow="lite")
    assert caught.value.hint == "vfcc workflow list"


def test_the_active_sprint_is_the_only_open_one(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="no sprint is open") as none:
        active_sprint(here)
    begin(here, "One")
    assert active_sprint(here).id == "one"
    begin(here, "Two")
    with pytest.raises(UsageError, match="several sprints are open: one, two") as several:
        active_sprint(here)
    assert active_sprint(here, "two").id == "two"
    close_sprint(here, "one", actor=ANN, unfinished_reason="merged into two")
    assert active_sprint(here).id == "two"
    assert none.value.hint == 'vfcc sprint start "Title"'
    assert several.value.hint == "export VFCC_SPRINT=one  # or: --sprint one"


@pytest.mark.parametrize(("wanted", "told"), [("log-inn", "did you mean log-in"), ("zzz", "there is log-in")])
def test_an_unknown_sprint_is_named_with_the_nearest(tmp_path: Path, wanted: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        active_sprint(started(tmp_path), wanted)


@pytest.mark.parametrize("wanted", ["../../etc", "Log In", "a/b", ""])
def test_what_is_no_id_reaches_no_file(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(UsageError, match="no sprint id"):
        active_sprint(started(tmp_path), wanted)


def test_an_open_stage_keeps_the_sprint_open(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance(here, "log-in")

    with pytest.raises(GateClosed, match=r"4 of 5 stages are not passed \(design, coding, testing, validation\)"):
        close_sprint(here, "log-in", actor=ANN)
    assert show_sprint(here, "log-in").status is SprintStatus.OPEN


def test_a_sprint_may_end_unfinished_with_a_reason_on_record(tmp_path: Path) -> None:
    here = started(tmp_path)
    done = close_sprint(here, "log-in", actor=ANN, unfinished_reason="the customer left")

    assert (done.state.status, done.state.unfinished) == (SprintStatus.CLOSED, "the customer left")
    assert json.loads(progress_text(here, "log-in"))["unfinished"] == "the customer left"


@pytest.mark.vfcc("REQ-LEARNINGS")
def test_closing_keeps_what_was_learnt_and_the_final_state_in_the_last_event(tmp_path: Path) -> None:
    here = started(tmp_path)
    knowledge = here.memory / "sprint/log-in/knowledge.md"
    knowledge.write_text("# Known\n\nBefore.\n")
    through(here, "log-in")
    done = close_sprint(here, "log-in", learnings="\nAsk first.\n\n", actor=ANN)
    block = "## Learnings — Log in\n\nAsk first.\n"
    payload = done.event.payload

    assert knowledge.read_text() == f"# Known\n\nBefore.\n\n{block}"
    assert payload["learnings"] == digest_text(block)
    assert [stage["status"] for stage in records(payload, "stages")] == ["passed"] * 5
    assert payload["counts"] == {"sprint_started": 1, "stage_passed": 5}
    assert json.loads((here.memory / "sprint/log-in/progress.json").read_text())["status"] == "closed"


def test_a_closed_sprint_moves_no_more(tmp_path: Path) -> None:
    here = started(tmp_path)
    close_sprint(here, "log-in", actor=ANN, unfinished_reason="x")

    with pytest.raises(UsageError, match="closed already"):
        close_sprint(here, "log-in", actor=ANN, unfinished_reason="x")
    with pytest.raises(UsageError, match="is closed"):
        advance_stage(here, "log-in", actor=ANN)
    with pytest.raises(UsageError, match="is closed"):
        reopen_stage(here, "log-in", "planning", "x", actor=ANN)


def test_a_closed_sprint_is_listed_from_its_last_event_alone(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path).root, TickingClock())
    through(here, "log-in")
    last = close_sprint(here, "log-in", actor=ANN).event.id
    pack = events_folder(here, "log-in") / f"{last}.jsonl"
    *others, closing = pack.read_bytes().splitlines(keepends=True)
    pack.write_bytes(b"".join([line[:100] + b"unread\n" for line in others] + [closing]))

    assert [(line.status, line.done, line.problems) for line in list_sprints(here)] == [(SprintStatus.CLOSED, 5, 0)]
    assert len(show_sprint(here, "log-in").problems) > 0


def test_a_late_addition_to_a_closed_sprint_is_not_overlooked(tmp_path: Path) -> None:
    here = started(tmp_path)
    close_sprint(here, "log-in", actor=ANN, unfinished_reason="x")
    add_feedback(here, "log-in", "one more thing")
    (events_folder(here, "log-in") / "01KABCDEFGHJKMNPQRSTVWXYZ0.json").write_text("planted")

    assert list_sprints(here)[0].problems == 1
    assert list_sprints(here)[0].status is SprintStatus.CLOSED


def test_that_a_sprint_is_closed_is_known_until_its_files_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sprint_reading, "_MANY", 1)
    monkeypatch.setattr(layout, "SETTLED_AFTER_NS", 0)
    here = started(tmp_path)
    last = close_sprint(here, "log-in", actor=ANN, unfinished_reason="x").event.id
    for _ in range(2):
        assert open_sprints(Workspace(here.root)) == ()
    assert (here.local / "closed-sprints.json").is_file()

    (events_folder(here, "log-in") / "01KABCDEFGHJKMNPQRSTVWXYZ0.json").write_text("planted")
    assert [line.problems for line in list_sprints(Workspace(here.root))] == [1]
    assert open_sprints(Workspace(here.root)) == ()
    (events_folder(here, "log-in") / "01KABCDEFGHJKMNPQRSTVWXYZ0.json").unlink()
    for path in events_folder(here, "log-in").glob(f"{last}.*"):
        path.unlink()
    begin(here, "Next one", "next-one")
    assert [state.id for state in open_sprints(Workspace(here.root))][-1] == "next-one"
    assert (here.local / "closed-sprints.json").read_bytes().count(b"log-in") == 0


@pytest.mark.vfcc("REQ-LEARNINGS", "REQ-SPRINT-UPDATE")
def test_results_show_in_the_progress_and_learnings_are_added_once(tmp_path: Path) -> None:
    here = started(tmp_path)
    for _ in range(2):
        update_sprint(here, "log-in", {"learnings": "Ask first.", "velocity": 1.5})
    written = update_sprint(here, "log-in", {"bugs": 2})

    assert (here.memory / "sprint/log-in/knowledge.md").read_text().count("Ask first.") == 1
    assert json.loads((here.memory / "sprint/log-in/progress.json").read_text())["results"] == {
        "bugs": 2,
        "velocity": 1.5,
    }
    assert written == (".memory/sprint/log-in/results.json",)
    advance(here, "log-in")
    assert (here.memory / "sprint/log-in/progress.json").read_text() == progress_text(here, "log-in")


@pytest.mark.vfcc("REQ-SPRINT-UPDATE")
def test_results_that_are_no_json_are_refused_whole(tmp_path: Path) -> None:
    here = started(tmp_path)

    for bad in ({"x": object()}, {"learnings": 3}, {"x": float("nan")}):
        with pytest.raises(UsageError):
            update_sprint(here, "log-in", {"learnings": "y", **bad} if "x" in bad else bad)
    assert not (here.memory / "sprint/log-in/knowledge.md").exists()
