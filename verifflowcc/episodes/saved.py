"""Which searches, listings and reads of recorded sessions their prompts had answered: by kind, with an interval.

A call is answered wholly where all that it looks for is; a call that looks for the same as an earlier one of its
session is told apart, since the window had answered it whatever the prompt had.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.domain.calls import Call
from verifflowcc.episodes.answered import WHOLE, Answered, Cause, Shown, World, answered
from verifflowcc.episodes.looks import Kind, Look, kind_of, looks
from verifflowcc.records import dataclass

SAMPLES = 1_000
AGAIN = "the_same_again"
_LCG, _STEP, _MODULUS = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407, 1 << 64


@dataclass(frozen=True, slots=True)
class Judged:
    """A call that looks around: its session, what sort it is, how much of it was answered, and why not the rest.

    `again` says that an earlier call of its session looked for the same, and nothing it looks at was changed since.
    """

    session: str
    kind: Kind
    share: int
    again: bool = False
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls, how many were answered wholly and in part, and thousandths: of calls that were answered wholly, and of all
    that was looked for. `again` counts those that were not answered wholly and looked for the same as an earlier one.
    """

    calls: int = 0
    wholly: int = 0
    """Calls answered wholly."""
    partly: int = 0
    again: int = 0
    """Unanswered calls that repeat an earlier one."""
    share: int = 0
    """The share of calls answered wholly."""
    covered: int = 0
    """The share of all content that was looked for."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why calls were not answered wholly, and how many; `the_same_again` is that of those that were told apart."""

    cause: str
    calls: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What prompts had answered, with so many tokens of code in each, and with twice as many.

    `calls` are all calls of tools of the sessions, `unasked` those that look around and belong to no prompt; they are
    not judged. `of_all_calls` is the share of all calls that were answered wholly, in thousandths. `interval` is the
    95 % one of the share that was answered wholly, over sessions; None where there are fewer than two.
    """

    budget_tokens: int
    sessions: int
    prompts: int
    calls: int
    unasked: int
    """Calls that look around but follow no prompt."""
    kinds: Mapping[str, Tally]
    """Tallies of `search`, `listing` and `read`."""
    total: Tally
    of_all_calls: int
    """The share of all tool calls that were answered wholly."""
    interval: tuple[int, int] | None
    """A 95 % interval of the share over sessions; null for fewer than two."""
    twice: Tally
    """The tally with twice as many tokens."""
    causes: tuple[Unanswered, ...] = ()
    """Why calls were not answered wholly, most frequent first."""


def judged(calls: Sequence[Call], shown: Mapping[str, Shown], world: World, root: str) -> Iterator[Judged]:
    """Yield each call that looks around and belongs to a task in `shown`; calls come in order of time.

    A read of a file that was written since the prompt is answered by nothing that the prompt had.
    """
    before: dict[str, set[Look]] = {}
    written: set[tuple[str, str | None, str]] = set()
    for call in calls:
        known = before.setdefault(call.session, set())
        written.update((call.session, call.task, path) for path in call.changed)
        known -= {look for look in known if any(_concerns(look, path) for path in call.changed)}
        found = looks(call, root)
        if not found:
            continue
        again = set(found) <= known
        known.update(found)
        if (there := shown.get(call.task or "")) is not None:
            parts = [
                Answered(0, Cause.WRITTEN)
                if each.kind is Kind.READ and (call.session, call.task, each.path) in written
                else answered(each, there, world)
                for each in found
            ]
            yield _judged(call.session, kind_of(found), parts, again=again)


def _judged(session: str, kind: Kind, parts: Sequence[Answered], *, again: bool) -> Judged:
    share = sum(each.share for each in parts) // len(parts)
    if share == WHOLE:
        return Judged(session, kind, WHOLE)
    return Judged(session, kind, share, again, next(each.cause for each in parts if each.share < WHOLE))


def _concerns(look: Look, path: str) -> bool:
    return look.path in ("", ".", path) or path.startswith(f"{look.path}/")


def unasked(calls: Iterable[Call], shown: Mapping[str, Shown], root: str) -> int:
    """Return how many calls look around and belong to no task in `shown`."""
    return sum(call.task not in shown and bool(looks(call, root)) for call in calls)


def tally(found: Sequence[Judged]) -> Tally:
    """Count calls.

    >>> tally([Judged("s", Kind.READ, 1000), Judged("s", Kind.READ, 500), Judged("s", Kind.READ, 0, True)])
    Tally(calls=3, wholly=1, partly=1, again=1, share=333, covered=500)
    """
    if not found:
        return Tally()
    wholly = sum(each.share == WHOLE for each in found)
    return Tally(
        len(found),
        wholly,
        sum(0 < each.share < WHOLE for each in found),
        sum(each.again for each in found),
        WHOLE * wholly // len(found),
        sum(each.share for each in found) // len(found),
    )


def saved(found: Sequence[Judged], twice: Sequence[Judged], counts: "Counts") -> Saved:
    """Sum up what was judged with a number of tokens, and with twice as many."""
    whole = tally(found)
    causes = Counter(AGAIN if each.again else str(each.cause) for each in found if each.cause)
    return Saved(
        budget_tokens=counts.budget_tokens,
        sessions=len({each.session for each in found}),
        prompts=counts.prompts,
        calls=counts.calls,
        unasked=counts.unasked,
        kinds={str(kind): tally([each for each in found if each.kind is kind]) for kind in Kind},
        total=whole,
        of_all_calls=WHOLE * whole.wholly // counts.calls if counts.calls else 0,
        interval=interval(found),
        twice=tally(twice),
        causes=tuple(Unanswered(*each) for each in sorted(causes.items(), key=lambda each: (-each[1], each[0]))),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """What is known of the sessions beside what was judged."""

    budget_tokens: int
    prompts: int
    calls: int
    unasked: int


def interval(found: Sequence[Judged]) -> tuple[int, int] | None:
    """Return the 95 % interval of the share that was answered wholly, by drawing sessions again and again.

    The same calls give the same interval.
    """
    by_session: dict[str, list[int]] = {}
    for each in found:
        counts = by_session.setdefault(each.session, [0, 0])
        counts[0] += each.share == WHOLE
        counts[1] += 1
    groups = [tuple(by_session[name]) for name in sorted(by_session)]
    if len(groups) < 2:
        return None
    state, shares = 1, []
    for _ in range(SAMPLES):
        wholly = calls = 0
        for _ in groups:
            state = (state * _LCG + _STEP) % _MODULUS
            some, all_ = groups[(state >> 33) % len(groups)]
            wholly, calls = wholly + some, calls + all_
        shares.append(WHOLE * wholly // calls)
    shares.sort()
    return shares[SAMPLES // 40], shares[SAMPLES - 1 - SAMPLES // 40]
