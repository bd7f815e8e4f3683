"""`resolve_fork`: what it writes, what it refuses, and that the sprint can then be moved again."""

from pathlib import Path

import pytest

from tests.event_samples import choice, closed, evidence, feedback
from tests.ledger_samples import ANN, add_feedback, advance, events_folder, snapshot, started
from verifflowcc.base.errors import ConflictError, LedgerError, UsageError
from verifflowcc.base.formats.event_bytes import encode_event, parse_event
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.approvals import forked_sprint, resolve_fork
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use.sprint_reading import list_sprints, progress_text, show_sprint

pytestmark = pytest.mark.vfcc("REQ-FORKS")

ID = "log-in"
OURS, THEIRS = "human:Ours", "human:Theirs"


@pytest.fixture
def forked(tmp_path: Path) -> Workspace:
    """A sprint in coding that one side brought into testing, while the other went back to planning."""
    here = started(tmp_path)
    advance(here, ID)
    advance(here, ID)
    before = set(events_folder(here, ID).iterdir())
    advance(here, ID, actor=OURS)
    (ours,) = set(events_folder(here, ID).iterdir()) - before
    kept = ours.read_bytes()
    ours.unlink()
    reopen_stage(here, ID, "planning", "a need was missed", actor=THEIRS)
    ours.write_bytes(kept)
    return Workspace(tmp_path, here.clock)


def side(state: SprintState, actor: str) -> str:
    assert state.fork
    return next(move.event for move in state.fork.moves if move.actor == actor)


def put(here: Workspace, event: Event) -> None:
    (events_folder(here, ID) / f"{event.id}.json").write_bytes(encode_event(event))


def loaded(here: Workspace, name: str) -> Event:
    return parse_event((events_folder(here, ID) / f"{name}.json").read_bytes(), name)


def test_the_side_that_is_kept_goes_on_and_the_choice_is_on_record(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)
    done = resolve_fork(forked, ID, side(state, OURS), actor=ANN, reason=" an old\nplan ")

    assert (done.event.type, done.event.actor, done.event.parents) == (EventType.FORK_RESOLVED, ANN, state.heads)
    assert done.event.payload == {
        "keep": side(state, OURS),
        "aside": [side(state, THEIRS)],
        "reason": "an old plan",
    }
    after = show_sprint(forked, ID)
    assert (after, after.current, after.fork) == (done.state, "testing", None)
    assert [(gone.actor, gone.decided_by, gone.reason) for gone in after.set_aside] == [(THEIRS, ANN, "an old plan")]
    assert (forked.memory / "sprint" / ID / "progress.json").read_text() == progress_text(forked, ID)
    assert advance(forked, ID).after == "validation"


def test_the_other_side_can_be_kept_as_well(forked: Workspace) -> None:
    done = resolve_fork(forked, ID, side(forked_sprint(forked, ID), THEIRS), actor="agent:coder")

    assert (done.state.current, done.event.payload["reason"]) == ("planning", None)
    assert close_sprint(forked, ID, actor=ANN, unfinished_reason="enough").state.status == "closed"
    assert list_sprints(Workspace(forked.root))[0].status == "closed"


def test_a_fork_names_the_way_out_and_lets_nobody_move_before(forked: Workspace) -> None:
    with pytest.raises(ConflictError) as caught:
        advance_stage(forked, ID, actor=ANN)
    assert caught.value.hint == f"vfcc sprint resolve {ID}"
    with pytest.raises(ConflictError):
        add_feedback(forked, ID, "x")


def test_a_side_is_kept_by_the_end_of_its_id_and_an_ambiguous_one_is_listed(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)
    with pytest.raises(UsageError, match="01 can be any of 2 sides of the fork: "):
        resolve_fork(forked, ID, "01", actor=ANN)

    done = resolve_fork(forked, ID, side(state, OURS)[-6:].lower(), actor=ANN)

    assert done.event.payload["keep"] == side(state, OURS)


@pytest.mark.parametrize("keep", ["", "latest", "01KABCDEFGHJKMNPQRSTVWXYZ0", "shared"])
def test_what_begins_no_side_is_refused_with_those_that_do(forked: Workspace, keep: str) -> None:
    state = forked_sprint(forked, ID)
    shared = loaded(forked, side(state, OURS)).parents[0]
    before = snapshot(forked.root)

    with pytest.raises(UsageError, match=f"{side(state, OURS)}.*or.*|{side(state, THEIRS)}"):
        resolve_fork(forked, ID, shared if keep == "shared" else keep, actor=ANN)
    assert snapshot(forked.root) == before


def test_a_sprint_that_is_not_forked_has_nothing_to_resolve(tmp_path: Path) -> None:
    here = started(tmp_path)

    with pytest.raises(UsageError, match="log-in is not forked"):
        resolve_fork(here, ID, show_sprint(here, ID).heads[0], actor=ANN)
    with pytest.raises(UsageError, match="there is no sprint nope"):
        forked_sprint(here, "nope")


def test_an_unsound_ledger_is_mended_first(forked: Workspace) -> None:
    keep = side(forked_sprint(forked, ID), OURS)
    next(events_folder(forked, ID).iterdir()).write_bytes(b"{}\n")

    with pytest.raises(LedgerError, match="v must be 1"):
        resolve_fork(forked, ID, keep, actor=ANN)


def test_a_fork_within_the_side_that_was_kept_is_next(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)
    ours = loaded(forked, side(state, OURS))
    for title in ("Log in", "Another title"):
        put(forked, closed(replace(state, title=title), 1, ours))
    outer = resolve_fork(forked, ID, ours.id, actor=ANN)

    assert outer.state.fork is not None
    inner = resolve_fork(forked, ID, outer.state.fork.moves[0].event, actor=ANN)
    assert (inner.state.fork, inner.state.status, len(inner.state.set_aside)) == (None, "closed", 2)


def test_somebody_who_writes_meanwhile_wins(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)

    class Interrupting:
        def now(self) -> object:
            put(forked, feedback("meanwhile", *(loaded(forked, head) for head in state.heads)))
            return forked.clock.now()

    hurried = Workspace(forked.root, Interrupting())  # type: ignore[arg-type]
    with pytest.raises(ConflictError, match="somebody else moved"):
        resolve_fork(hurried, ID, side(state, OURS), actor=ANN)
    assert show_sprint(forked, ID).fork is not None


def test_two_clones_that_chose_otherwise_are_forked_again_once_merged(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)
    ours, theirs = loaded(forked, side(state, OURS)), loaded(forked, side(state, THEIRS))
    resolve_fork(forked, ID, ours.id, actor=ANN)
    put(forked, choice(theirs, [ours], ours, theirs, actor="human:Bob"))
    again = forked_sprint(forked, ID)

    assert {move.event for move in (again.fork.moves if again.fork else ())} == {ours.id, theirs.id}
    assert resolve_fork(forked, ID, theirs.id, actor=ANN).state.current == "planning"


def test_what_only_adds_on_any_side_stands(forked: Workspace) -> None:
    state = forked_sprint(forked, ID)
    ours, theirs = loaded(forked, side(state, OURS)), loaded(forked, side(state, THEIRS))
    put(forked, evidence(1, theirs, stage="coding"))
    put(forked, feedback("mine", ours))
    done = resolve_fork(forked, ID, ours.id, actor=ANN)

    assert {str(note.type) for note in done.state.notes} == {"evidence_added", "feedback_added"}
