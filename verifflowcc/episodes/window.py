"""How relevant the items of a window are, and which of them go when it is nearly full.

relevance = e^(−age in minutes / 60) × 2 if of the current task × (1 + 0.2 × dependants) × factor of the type × what the
item's maker says, within 0 and 100: the formula of the decision record on working memory. It is worked out in decimals
and rounded to millionths, so that every machine orders items in the same way.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal

from verifflowcc.domain.episodes import SnapshotReason, WindowPart, WindowSnapshot
from verifflowcc.domain.window import FULL, ItemType, Window, WindowItem
from verifflowcc.formats.events import moment, stamp
from verifflowcc.records import dataclass

UNIT = 1_000_000
HIGHEST = 100 * UNIT
PRUNE_ABOVE_PERCENT = 80
PRUNED_PERCENT = 30

TENTHS = {
    ItemType.SYSTEM_PROMPT: 1000,
    ItemType.TASK_STATE: 20,
    ItemType.USER_MESSAGE: 15,
    ItemType.TOOL_RESULT: 8,
    ItemType.CODE_SNIPPET: 7,
    ItemType.GRAPH_QUERY: 6,
}
"""The factors of the types, in tenths."""
CALLING, SAYING = 12, 9
"""The factor of an assistant's response that calls tools, and of one that does not."""


@dataclass(frozen=True, slots=True)
class Scored:
    """An item and its relevance at a moment, in millionths."""

    item: WindowItem
    score: int

    @property
    def part(self) -> WindowPart:
        """The item as a snapshot tells of it."""
        return WindowPart(self.item.id, str(self.item.type), self.item.tokens, self.score // (UNIT // FULL))


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a pruning leaves, in order, and what it removes, the least relevant first."""

    kept: tuple[WindowItem, ...]
    removed: tuple[Scored, ...]
    tokens_before: int
    tokens_removed: int


def age_minutes(time: str, now: datetime) -> int:
    """Return the whole minutes since a time, cut; 0 for one that is yet to come."""
    return max((now - moment(time)) // timedelta(minutes=1), 0)


def factor_tenths(item: WindowItem) -> int:
    """Return the factor of an item's type, in tenths."""
    if item.type is ItemType.ASSISTANT_RESPONSE:
        return CALLING if item.tool_calls else SAYING
    return TENTHS[item.type]


def relevance(item: WindowItem, now: datetime, task: str | None, dependants: int) -> int:
    """Return how relevant an item is, in millionths; `dependants` are the items that need it."""
    context = Context(prec=34, rounding=ROUND_HALF_EVEN, traps=[])
    decayed = context.exp(context.divide(Decimal(-age_minutes(item.time, now)), Decimal(60)))
    boost = (2 if task is not None and item.task == task else 1) * (10 + 2 * dependants)
    weighed = context.multiply(decayed, Decimal(boost * factor_tenths(item) * item.relevance * (UNIT // FULL)))
    whole = context.divide(weighed, Decimal(100))
    return int(context.to_integral_value(min(max(whole, Decimal(0)), Decimal(HIGHEST))))


def scored(items: Sequence[WindowItem], now: datetime, task: str | None) -> tuple[Scored, ...]:
    """Return each item with its relevance, in the order of the items."""
    dependants = Counter(needed for item in items for needed in set(item.dependencies))
    return tuple(Scored(item, relevance(item, now, task, dependants[item.id])) for item in items)


def is_over(tokens: int, limit_tokens: int) -> bool:
    """Say whether a window that holds so many tokens is to be pruned: above 80 % of its limit."""
    return tokens * 100 > limit_tokens * PRUNE_ABOVE_PERCENT


def prune(items: Sequence[WindowItem], now: datetime, task: str | None, held: Collection[str] = ()) -> Pruned:
    """Take out the least relevant items until at least 30 % of the tokens are gone, or nothing may go any more.

    Sticky items stay, and those whose ids are `held`. Of two that are equally relevant the older goes first.
    """
    before = sum(item.tokens for item in items)
    removed: list[Scored] = []
    gone = 0
    for each in sorted(_loose(scored(items, now, task), held), key=_first_to_go):
        if gone * 100 >= before * PRUNED_PERCENT:
            break
        removed.append(each)
        gone += each.item.tokens
    ids = {each.item.id for each in removed}
    return Pruned(tuple(item for item in items if item.id not in ids), tuple(removed), before, gone)


def prune_to(
    items: Sequence[WindowItem], now: datetime, task: str | None, limit_tokens: int, held: Collection[str] = ()
) -> Pruned:
    """Prune once, and again while the items are above the limit and one may still go."""
    done = prune(items, now, task, held)
    while done.tokens_before - done.tokens_removed > limit_tokens:
        more = prune(done.kept, now, task, held)
        if not more.removed:
            break
        gone = done.tokens_removed + more.tokens_removed
        done = Pruned(more.kept, (*done.removed, *more.removed), done.tokens_before, gone)
    return done


def snapshot_of(
    window: Window, now: datetime, reason: SnapshotReason, pruned: Iterable[WindowPart] = ()
) -> WindowSnapshot:
    """Return what a window holds at a moment, without the contents."""
    parts = tuple(each.part for each in scored(window.items, now, window.task))
    return WindowSnapshot(stamp(now), window.session, reason, parts, window.tokens, tuple(pruned), window.task)


def _loose(items: Iterable[Scored], held: Collection[str]) -> Iterable[Scored]:
    return (each for each in items if not each.item.sticky and each.item.id not in held)


def _first_to_go(each: Scored) -> tuple[int, str, str]:
    return each.score, each.item.time, each.item.id
