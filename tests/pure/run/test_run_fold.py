"""A run's state is a fold of its events, and its next move a function of that state."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.event_bytes import make_event
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.records import replace
from verifflowcc.run.rules.run_fold import RunAttempt, RunBlocker, RunState, RunStatus, fold_runs
from verifflowcc.run.rules.run_moves import (
    LARGEST_BLOCKERS_BYTES,
    MAX_ATTEMPTS,
    MoveKind,
    SprintPlace,
    blockers_text,
    next_move,
)

pytestmark = pytest.mark.vfcc("REQ-RUN")

STAY, COMMIT, DIGEST = "01KABCDEFGHJKMNPQRSTVWXYZ0", "c" * 40, "sha256:" + "0" * 64
START = datetime(2026, 11, 21, 3, 31, tzinfo=UTC)
STAGES = ("plan", "build", "check")
ROLES = ("planner", "coder", "tester")
OUTCOMES = ("done", "no_change", "out_of_bounds", "crashed", "limit_time", "api_transient", "refused", "api_auth")


class Simulation:
    """A run of a sprint of three stages, whose agents and gates do as `choices` say; `build` may go with `check`."""

    def __init__(
        self, clients: tuple[str, ...] = ("claude",), attempts: int = MAX_ATTEMPTS, *, parallel: bool = False
    ) -> None:
        self.events: list[Event] = []
        self.stage = 0
        self.closed = False
        limits: dict[str, Json] = {"attempts": attempts, "minutes": 10_000, "tokens": None, "micro_usd": None}
        opened: dict[str, Json] = {"base": COMMIT, "until": None, "clients": {"*": list(clients)}, "limits": limits}
        self.note(EventType.RUN_OPENED, {**opened, "parallel": parallel, "reviews": {"review": ["codex"]}})

    def note(self, kind: EventType, payload: dict[str, Json]) -> None:
        at = START + timedelta(seconds=len(self.events))
        parents = [self.events[-1].id] if self.events else [STAY]
        fields = {"run": "login-1", **payload}
        self.events.append(make_event(kind, fields, parents=parents, actor="agent:program", at=at))

    @property
    def state(self) -> RunState:
        return fold_runs("login", self.events, closed=self.closed)["login-1"]

    @property
    def place(self) -> SprintPlace:
        if self.stage >= len(STAGES):
            return SprintPlace(None, closed=self.closed, passed=STAGES)
        place = SprintPlace(STAGES[self.stage], self.stay, ROLES[self.stage], passed=STAGES[: self.stage])
        place = replace(place, before=f"{STAY[:-1]}{self.stage - 1}" if self.stage else "")
        return replace(place, next="check", next_role="tester") if place.stage == "build" else place

    @property
    def stay(self) -> str:
        return f"{STAY[:-1]}{self.stage}"

    def end(self, attempt: RunAttempt, choose: "st.DataObject") -> None:
        """Write how an attempt ended, as drawn."""
        outcome = choose.draw(st.sampled_from(OUTCOMES))
        commit = COMMIT if outcome in ("done", "out_of_bounds") else None
        review: dict[str, Json] = {}
        if attempt.review:
            commit, review = None, {"findings": choose.draw(st.sampled_from(([], ["a.py:1: wrong"])))}
        ended: dict[str, Json] = {"attempt": attempt.id, "outcome": outcome, "commit": commit, "usage": None}
        self.note(EventType.ATTEMPT_ENDED, {**ended, **review, "seconds": 1, "paths": []})

    def make(self, choose: "st.DataObject") -> MoveKind:
        """Make the next move, with what the world answers to it drawn."""
        run = self.state
        move = next_move(run, self.place)
        stage, attempt = STAGES[min(self.stage, 2)], move.attempt.id if move.attempt else None
        judged: dict[str, Json] = {"stage": stage, "stay": self.stay, "attempt": attempt}
        match move.kind:
            case MoveKind.START:
                role = "reviewer" if move.review else self.place.next_role if move.ahead else self.place.role
                name = f"{role}-{len(run.attempts) + 1}"
                tree = move.resumes.tree if move.resumes else name
                self.note(
                    EventType.ATTEMPT_STARTED,
                    {
                        "attempt": name,
                        "stage": self.place.next if move.ahead else stage,
                        "stay": self.stay,
                        "role": role,
                        "base": COMMIT,
                        "prompt": DIGEST,
                        "client": move.client,
                        "session": tree,
                        "tree": tree,
                        "fresh": move.resumes is None,
                        **({"review": move.review} if move.review else {}),
                        **({"ahead": True} if move.ahead else {}),
                    },
                )
            case MoveKind.SETTLE:
                for each in (move.attempt, move.beside):
                    if each is not None:
                        self.end(each, choose)
            case MoveKind.MERGE if choose.draw(st.booleans()):
                arrived: dict[str, Json] = {"stay": self.stay} if move.attempt and move.attempt.ahead else {}
                self.note(EventType.ATTEMPT_MERGED, {"attempt": attempt, "commit": COMMIT, **arrived})
            case MoveKind.MERGE:
                conflict: list[Json] = [{"criterion": "a.py", "reason": "conflict", "person": False}]
                self.note(EventType.RUN_GATE, {**judged, "open": False, "blockers": conflict})
            case MoveKind.JUDGE:
                word = choose.draw(st.sampled_from(("open", "tests", "lint", "review", "person")))
                found: list[Json] = [{"criterion": word, "reason": word, "person": word == "person"}]
                self.note(
                    EventType.RUN_GATE,
                    {**judged, "open": word == "open", "blockers": [] if word == "open" else found},
                )
            case MoveKind.ADVANCE:
                self.stage += 1
            case MoveKind.ASK:
                self.note(EventType.RUN_ASKED, {"stage": stage, "stay": self.stay, "asks": ["approve"]})
            case MoveKind.END_SPRINT:
                self.closed = True
            case MoveKind.BLOCK | MoveKind.FAIL | MoveKind.LIMIT:
                words = {MoveKind.BLOCK: "blocked", MoveKind.FAIL: "failed", MoveKind.LIMIT: "limit"}
                self.note(EventType.RUN_STOPPED, {"why": words[move.kind], "detail": move.detail})
            case _:
                pass
        return move.kind


@settings(deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_a_run_ends_or_waits_whatever_agents_and_gates_do(
    data: st.DataObject, clients: int, attempts: int, parallel: bool
) -> None:
    world = Simulation(("claude", "codex", "./own")[:clients], attempts, parallel=parallel)

    made = [world.make(data)]
    while made[-1] is not MoveKind.NOTHING and len(made) < 1_000:
        made.append(world.make(data))

    run = world.state
    assert made[-1] is MoveKind.NOTHING
    assert run.status is not RunStatus.WORKING
    for stage in STAGES:
        own = [each for each in run.attempts if each.stage == stage and not each.ahead]
        assert len([each for each in own if each.counts and not each.review]) <= attempts * clients
        reviews = [each for each in run.attempts if each.stage == stage and each.review]
        assert len(reviews) <= attempts * (attempts * clients)
        assert all(each.merged is None for each in reviews)
    assert sum(each.role == "tester" and each.stay == f"{STAY[:-1]}1" for each in run.attempts) <= parallel
    if run.status is RunStatus.DONE:
        assert world.stage == len(STAGES)
        assert all(each.merged for each in run.attempts if each.ahead and each.outcome == "done")


@settings(deadline=None)
@given(st.data(), st.integers(1, 40), st.booleans())
def test_events_that_are_read_twice_or_repeated_change_nothing(data: st.DataObject, moves: int, parallel: bool) -> None:
    world = Simulation(parallel=parallel)
    for _ in range(moves):
        world.make(data)
    before = world.state

    assert fold_runs("login", [*world.events, *world.events], closed=world.closed)["login-1"] == before
    merged = [each for each in world.events if each.type is EventType.ATTEMPT_MERGED]
    for each in merged:
        world.note(EventType.ATTEMPT_MERGED, {"attempt": each.payload["attempt"], "commit": "d" * 40})
    after = world.state
    assert [each.merged for each in after.attempts] == [each.merged for each in before.attempts]


@settings(deadline=None)
@given(st.data(), st.integers(1, 40), st.booleans())
def test_the_next_move_stays_the_same_until_it_is_made(data: st.DataObject, moves: int, parallel: bool) -> None:
    world = Simulation(parallel=parallel)
    for _ in range(moves):
        world.make(data)

    assert next_move(world.state, world.place) == next_move(world.state, world.place)
    opened = world.state.open_attempts
    if opened and world.state.status is RunStatus.WORKING:
        move = next_move(world.state, world.place)
        assert move.ahead or (move.attempt, *([move.beside] if move.beside else [])) == opened


LONG = st.tuples(st.text(max_size=60), st.integers(0, 50)).map(lambda each: each[0] * each[1])


@given(st.lists(st.builds(RunBlocker, st.text(min_size=1, max_size=60), LONG, st.just(False))))
def test_the_message_of_a_closed_gate_is_never_larger_than_2_kib(blockers: list[RunBlocker]) -> None:
    assert len(blockers_text(blockers).encode("utf-8")) <= LARGEST_BLOCKERS_BYTES


def _failed(world: Simulation, attempt: str, tree: str, criterion: str, *, fresh: bool) -> None:
    """Write an attempt that changed something and met a gate closed by one criterion."""
    started: dict[str, Json] = {"attempt": attempt, "stage": "plan", "stay": world.stay, "role": "coder"}
    client: dict[str, Json] = {"base": COMMIT, "prompt": DIGEST, "client": "claude", "session": tree, "tree": tree}
    world.note(EventType.ATTEMPT_STARTED, {**started, **client, "fresh": fresh})
    ended: dict[str, Json] = {"attempt": attempt, "outcome": "done", "commit": COMMIT, "usage": None, "seconds": 1}
    world.note(EventType.ATTEMPT_ENDED, {**ended, "paths": []})
    world.note(EventType.ATTEMPT_MERGED, {"attempt": attempt, "commit": COMMIT})
    blockers: list[Json] = [{"criterion": criterion, "reason": f"failed\n(evidence {attempt})", "person": False}]
    gate: dict[str, Json] = {"stage": "plan", "stay": world.stay, "attempt": attempt, "open": False}
    world.note(EventType.RUN_GATE, {**gate, "blockers": blockers})


def test_a_closed_gate_resumes_the_session_and_the_same_blockers_twice_start_a_fresh_one() -> None:
    world = Simulation()
    _failed(world, "coder-1", "coder-1", "tests", fresh=True)

    second = next_move(world.state, world.place)
    assert second.kind is MoveKind.START
    assert second.resumes is not None
    assert second.resumes.tree == "coder-1"

    _failed(world, "coder-2", "coder-1", "tests", fresh=False)
    third = next_move(world.state, world.place)
    assert (third.kind, third.resumes) == (MoveKind.START, None)


def test_other_blockers_keep_the_session() -> None:
    world = Simulation()
    _failed(world, "coder-1", "coder-1", "tests", fresh=True)
    _failed(world, "coder-2", "coder-1", "lint", fresh=False)

    third = next_move(world.state, world.place)

    assert third.resumes is not None
    assert third.resumes.id == "coder-2"


def test_after_three_attempts_the_next_client_is_taken_and_then_the_run_is_blocked() -> None:
    world = Simulation(("claude", "codex"))
    for number in (1, 2, 3):
        _failed(world, f"coder-{number}", f"coder-{number}", "tests", fresh=True)
    fourth = next_move(world.state, world.place)
    assert (fourth.kind, fourth.client, fourth.resumes) == (MoveKind.START, "codex", None)

    for number in (4, 5, 6):
        _failed(world, f"coder-{number}", f"coder-{number}", "tests", fresh=True)
    blocked = next_move(world.state, world.place)

    assert blocked.kind is MoveKind.BLOCK
    assert blocked.detail == "6 attempts in plan; tests: failed"
