"""Random histories of a sprint: what one branch adds on top of what it saw, moves and additive events of every kind."""

from collections.abc import Callable, Sequence
from zlib import crc32

from hypothesis import strategies as st

from tests.event_samples import (
    artifact_put,
    baseline_set,
    choice,
    closed,
    event,
    evidence,
    feedback,
    passed,
    redacted,
    reopened,
    review,
    root,
    skipped,
    waiver,
)
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.rules.stage_moves import after_passing, after_skipping, reopenable

SPRINT = "login"
CLOCK = st.integers(0, 10**8)
"""Seconds: the writers' clocks are up to three years apart."""
ADDITIVE = ("feedback", "evidence", "review", "waiver", "attested", "artifact_put", "baseline_set", "redacted")


MOVING = ("pass", "skip", "reopen", "close", "resolve")


@st.composite
def histories(
    draw: st.DrawFn, base: Sequence[Event], name: str, kinds: Sequence[str] = (), least: int = 0, most: int = 5
) -> list[Event]:
    """What the branch `name` adds on top of `base`: possible events of `kinds` (all, if none are named)."""
    events = list(base)
    for number in range(draw(st.sampled_from(range(least, most + 1)))):
        state = fold(SPRINT, events)
        wanted = kinds or draw(st.sampled_from((MOVING, MOVING, ADDITIVE)))
        possible = [kind for kind in _possible(state) if kind in wanted] or ["feedback"]
        heads = [each for each in events if each.id in state.heads]
        kind = draw(st.sampled_from(possible))
        events.append(_made(draw, kind, state, events, heads, f"{name} {number}", draw(CLOCK)))
    return events[len(base) :]


@st.composite
def bases(draw: st.DrawFn, forks: int = 0) -> list[Event]:
    """What both branches start from: a history, then as many forks; each may be resolved before the next, or go on."""
    events = [root()]
    events += draw(histories(events, "base", most=2))
    for turn in range(forks):
        sides = [
            draw(histories(events, f"side {turn} {side}", least=1, most=2)) for side in range(draw(st.integers(2, 3)))
        ]
        events += [each for side in sides for each in side]
        events += draw(histories(events, f"after {turn}", most=1))
    return distinct(events)


def distinct(events: Sequence[Event]) -> list[Event]:
    """Return the events, each once."""
    return list({each.id: each for each in events}.values())


def number_of(words: str) -> int:
    """Return a number that is the same in every run: what tells one piece of evidence from another."""
    return crc32(words.encode())


def like(move: Event) -> tuple[object, ...]:
    """What two moves of these histories have in common where they are one, if they saw the same moves."""
    names = ("stage", "entered", "reason", "expires", "title", "unfinished")
    return move.type, *(move.payload.get(name) for name in names)


def moves_of(branch: Sequence[Event]) -> list[tuple[object, ...]]:
    """What the moves of a branch are about, in order; choices between sides are none."""
    return [like(each) for each in branch if each.moves and each.type is not EventType.FORK_RESOLVED]


def parted(ours: Sequence[Event], theirs: Sequence[Event]) -> bool:
    """Whether two branches made other moves on the same state: like ones at their beginning do not part them."""
    both = list(zip(moves_of(ours), moves_of(theirs), strict=False))
    return any(one != other for one, other in both)


def _possible(state: SprintState) -> list[str]:
    if state.fork:
        return [*ADDITIVE, "resolve"]
    if state.status is SprintStatus.CLOSED:
        return list(ADDITIVE)
    here = ["pass", "skip"] if state.current else []
    rare = ["close"] if state.current is None or state.current == "check" else []
    return [*ADDITIVE, *here, *(["reopen"] if reopenable(state) else []), *rare]


def _made(
    draw: st.DrawFn,
    kind: str,
    state: SprintState,
    events: Sequence[Event],
    heads: Sequence[Event],
    words: str,
    second: int,
) -> Event:
    now, actor = state.current or "", f"human:{words}"
    make: dict[str, Callable[[], Event]] = {
        "feedback": lambda: feedback(words, *heads, second=second),
        "evidence": lambda: evidence(number_of(words), *heads, second=second, actor=actor),
        "review": lambda: review(words, *heads, second=second, actor=actor),
        "waiver": lambda: waiver(words, *heads, second=second, actor=actor),
        "attested": lambda: _attested(words, heads, second),
        "artifact_put": lambda: artifact_put(words, *heads, second=second, actor=actor),
        "baseline_set": lambda: baseline_set(digest_text(words), *heads, second=second, actor=actor),
        "redacted": lambda: redacted(words, *heads, second=second, actor=actor),
        "pass": lambda: passed(now, after_passing(state, now, ()), *heads, second=second, actor=actor),
        "skip": lambda: skipped(now, after_skipping(state, now), words, *heads, second=second, actor=actor),
        "reopen": lambda: reopened(draw(st.sampled_from(reopenable(state))), words, *heads, second=second),
        "close": lambda: closed(state, len(events), *heads, second=second, actor=actor),
        "resolve": lambda: _resolved(draw, state, events, heads, words, second),
    }
    return make[kind]()


def _attested(words: str, heads: Sequence[Event], second: int) -> Event:
    payload = {
        "stage": "check",
        "criterion": "accepted",
        "statement": words,
        "digest": "sha256:" + "0" * 64,
        "expires": None,
        "signed": None,
    }
    return event(EventType.ATTESTED, payload, *heads, second=second)


def _resolved(
    draw: st.DrawFn, state: SprintState, events: Sequence[Event], heads: Sequence[Event], words: str, second: int
) -> Event:
    assert state.fork
    firsts = [next(each for each in events if each.id == move.event) for move in state.fork.moves]
    keep = draw(st.sampled_from(firsts))
    aside = [each for each in firsts if each.id != keep.id]
    return choice(keep, aside, *heads, reason=words, second=second, actor=f"human:{words}")
