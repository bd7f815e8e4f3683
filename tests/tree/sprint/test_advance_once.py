"""An advance from a named stay happens once, and a start with a chosen id happens once."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ledger_samples import ANN, START, add_feedback, advance, events_folder, fill, snapshot, started, workspace
from tests.trees import OWN, own_workflow
from verifflowcc.base.errors import ConflictError, GateClosed, UsageError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import skip_stage, what_to_skip
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.sprint_people import stays_in
from verifflowcc.sprint.use.sprint_reading import load_sprint, show_sprint

SPRINT = "log-in"


@dataclass
class Overtaken:
    """A clock; another process moves the sprint when the time of an event is asked for, which is after its reading."""

    others_move: Callable[[], object]
    happened: bool = False

    def now(self) -> datetime:
        if not self.happened:
            self.happened = True
            self.others_move()
        return START


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return started(tmp_path)


def entered_by(here: Workspace, stage: str) -> str:
    found = show_sprint(here, SPRINT).stage(stage)
    assert found
    assert found.entered_by
    return found.entered_by


def test_an_advance_from_a_stage_happens_once(here: Workspace) -> None:
    fill(here, SPRINT)
    first = advance_stage(here, SPRINT, actor=ANN, stay="planning")
    fill(here, SPRINT)  # the next gate is open: without the name, the second call would go through it
    before = snapshot(here.memory)

    second = advance_stage(here, SPRINT, actor="agent:other", stay="planning")

    assert (first.changed, second.changed) == (True, False)
    assert (second.event, second.before, second.after) == (first.event, "planning", "design")
    assert (second.written, second.git_command, second.committed) == ((), None, None)
    assert second.state == show_sprint(here, SPRINT)
    assert snapshot(here.memory) == before


def test_who_is_overtaken_by_the_same_advance_changes_nothing(here: Workspace) -> None:
    fill(here, SPRINT)
    late = Workspace(here.root, Overtaken(lambda: advance(here, SPRINT)))

    done = advance_stage(late, SPRINT, actor="agent:late", stay="planning")

    assert late.clock == Overtaken(late.clock.others_move, happened=True)  # type: ignore[attr-defined]
    assert (done.changed, done.event.actor, done.state.current) == (False, ANN, "design")


def test_who_is_overtaken_by_another_move_is_refused(here: Workspace) -> None:
    fill(here, SPRINT)
    late = Workspace(here.root, Overtaken(lambda: add_feedback(here, SPRINT, "wait")))

    with pytest.raises(ConflictError, match=r"somebody else moved log-in first; nothing was written"):
        advance_stage(late, SPRINT, actor="agent:late", stay="planning")
    assert show_sprint(here, SPRINT).current == "planning"


def test_a_stage_that_was_never_entered_cannot_be_left(here: Workspace) -> None:
    fill(here, SPRINT)
    before = snapshot(here.memory)

    with pytest.raises(UsageError, match=r"log-in has not entered design; it is in planning"):
        advance_stage(here, SPRINT, actor=ANN, stay="design")
    with pytest.raises(UsageError, match=r"log-in has no stage plannig; did you mean planning\?"):
        advance_stage(here, SPRINT, actor=ANN, stay="plannig")
    assert snapshot(here.memory) == before


def test_a_closed_gate_stays_closed_from_a_named_stage(here: Workspace) -> None:
    with pytest.raises(GateClosed, match=r"cannot leave planning"):
        advance_stage(here, SPRINT, actor=ANN, stay="planning")


def test_a_stage_that_is_entered_again_is_another_stay(here: Workspace) -> None:
    first = f"planning@{entered_by(here, 'planning')}"
    advance(here, SPRINT)
    reopen_stage(here, SPRINT, "planning", "rejected", actor=ANN)
    second = f"planning@{entered_by(here, 'planning')[-6:].lower()}"
    fill(here, SPRINT)

    assert not advance_stage(here, SPRINT, actor=ANN, stay=first).changed, "an advance ended the first stay"
    assert show_sprint(here, SPRINT).current == "planning"
    assert advance_stage(here, SPRINT, actor=ANN, stay=second).changed
    for stay in (first, second, "planning"):
        assert not advance_stage(here, SPRINT, actor=ANN, stay=stay).changed
    assert len(stays_in("planning", load_sprint(here, SPRINT)[0].events)) == 2


def test_a_stage_alone_means_the_latest_stay(here: Workspace) -> None:
    advance(here, SPRINT)
    reopen_stage(here, SPRINT, "planning", "rejected", actor=ANN)
    fill(here, SPRINT)

    assert advance_stage(here, SPRINT, actor=ANN, stay="planning").changed


def test_an_advance_counts_for_good_however_far_back_the_sprint_goes(here: Workspace) -> None:
    advance(here, SPRINT)
    advance(here, SPRINT)
    reopen_stage(here, SPRINT, "planning", "rejected", actor=ANN)

    done = advance_stage(here, SPRINT, actor=ANN, stay="design")

    assert (done.changed, done.state.current) == (False, "planning")
    with pytest.raises(ConflictError, match=r"left coding without an advance: human:\S* reopened planning"):
        advance_stage(here, SPRINT, actor=ANN, stay="coding")


def test_a_skip_or_a_close_is_no_advance(here: Workspace) -> None:
    skip_stage(here, what_to_skip(here, SPRINT), "no time", actor=ANN)
    with pytest.raises(ConflictError, match=r"left planning without an advance: .* skipped planning and entered"):
        advance_stage(here, SPRINT, actor=ANN, stay="planning")

    close_sprint(here, SPRINT, actor=ANN, unfinished_reason="no time")
    with pytest.raises(ConflictError, match=r"left design without an advance: .* closed the sprint"):
        advance_stage(here, SPRINT, actor=ANN, stay="design")


def test_the_advance_out_of_the_last_stage_counts_after_the_close(here: Workspace) -> None:
    while show_sprint(here, SPRINT).current:
        advance(here, SPRINT)
    assert not advance_stage(here, SPRINT, actor=ANN, stay="validation").changed
    close_sprint(here, SPRINT, actor=ANN)

    done = advance_stage(here, SPRINT, actor=ANN, stay="validation")

    assert (done.changed, done.after, str(done.state.status)) == (False, None, "closed")


def test_a_stay_is_named_by_an_event_that_entered_the_stage(here: Workspace) -> None:
    advance(here, SPRINT)
    fill(here, SPRINT)
    before = snapshot(here.memory)

    for wrong, message in {
        f"design@{entered_by(here, 'planning')}": "no event that ends with .* entered design",
        "design@ZZZZ": "no event that ends with ZZZZ entered design",
        "design@": "'design@' is too short",
        "design@ABC": "'design@ABC' is too short",
    }.items():
        with pytest.raises(UsageError, match=message):
            advance_stage(here, SPRINT, actor=ANN, stay=wrong)
    assert snapshot(here.memory) == before


@settings(deadline=None, max_examples=20)
@given(steps=st.lists(st.tuples(st.sampled_from(["from", "stay", "reopen"]), st.integers(0, 9)), max_size=12))
def test_whatever_is_repeated_each_stay_is_left_once(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    here = started(tmp_path_factory.mktemp("walk"))
    stages = [each.stage.id for each in show_sprint(here, SPRINT).stages]
    stays = [f"planning@{entered_by(here, 'planning')}"]
    for what, number in steps:
        before = show_sprint(here, SPRINT)
        if before.current is None:
            break
        fill(here, SPRINT)
        if what == "reopen":
            if stages.index(before.current):
                stage = stages[number % stages.index(before.current)]
                reopen_stage(here, SPRINT, stage, "again", actor=ANN)
                stays.append(f"{stage}@{entered_by(here, stage)}")
            continue
        current = f"{before.current}@{entered_by(here, before.current)}"
        stay = stays[number % len(stays)] if what == "stay" else stays[number % len(stays)].partition("@")[0]
        ours = stay in (current, before.current)
        try:
            done = advance_stage(here, SPRINT, actor=ANN, stay=stay)
        except ConflictError:
            assert not ours
            done = None
        assert (done is not None and done.changed) == ours
        after = show_sprint(here, SPRINT)
        assert (after.heads != before.heads) == ours
        if ours and after.current:
            stays.append(f"{after.current}@{entered_by(here, after.current)}")


def test_a_start_with_a_chosen_id_happens_once(tmp_path: Path) -> None:
    here = workspace(own_workflow(tmp_path))

    def start(title: str = "Log in", goals: tuple[str, ...] = ("one form",), actor: str = ANN) -> bool:
        return start_sprint(here, title, goals=goals, workflow=OWN, actor=actor, sprint_id="own-id").changed

    assert start()
    before = snapshot(here.memory)
    assert not start()
    assert not start(" Log in ", (" one form", ""), actor="agent:coder"), "it starts no second sprint"
    for other, message in {
        ("Log out", ("one form",)): "exists already, with the title 'Log in'$",
        ("Log in", ("one form", "two")): r"exists already, with other goals \(one form\)$",
        ("Log out", ()): r"with the title 'Log in' and other goals \(one form\)$",
    }.items():
        with pytest.raises(UsageError, match=message):
            start(*other)
    assert snapshot(here.memory) == before
    advance(here, "own-id")
    again = start_sprint(here, "Log in", goals=("one form",), workflow=OWN, actor=ANN, sprint_id="own-id")
    assert (again.changed, again.before, again.after, again.state.current) == (False, None, "planning", "design")
    assert len(list(events_folder(here, "own-id").iterdir())) == 2


def test_who_is_overtaken_by_the_same_start_changes_nothing(tmp_path: Path) -> None:
    here = workspace(own_workflow(tmp_path))

    def start(at: Workspace, title: str, actor: str) -> bool:
        return start_sprint(at, title, workflow=OWN, actor=actor, sprint_id="own-id").changed

    late = Workspace(here.root, Overtaken(lambda: start(here, "Log in", ANN)))

    assert not start(late, "Log in", "human:Late")
    assert show_sprint(here, "own-id").stage("planning") is not None
    assert len(list(events_folder(here, "own-id").iterdir())) == 1


def test_only_a_workflow_that_is_chosen_has_to_be_the_same(tmp_path: Path) -> None:
    here = workspace(own_workflow(tmp_path))
    start_sprint(here, "Log in", workflow=OWN, actor=ANN, sprint_id="own-id")

    assert not start_sprint(here, "Log in", workflow="light", actor=ANN, sprint_id="own-id").changed
    with pytest.raises(UsageError, match=r"exists already, with the workflow own$"):
        start_sprint(here, "Log in", workflow="light", actor=ANN, sprint_id="own-id", with_roles=True)
