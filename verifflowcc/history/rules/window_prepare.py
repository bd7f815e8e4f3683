"""Make a window ready for a message: prune, add the message and what bears on it, prune again if need be."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal

from verifflowcc.base.errors import BudgetError
from verifflowcc.base.formats.event_bytes import moment, stamp
from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.history.rules.agent_history import SnapshotReason, TaskEpisode, WindowPart, WindowSnapshot
from verifflowcc.history.rules.window_values import FULL, Window, WindowItem, WindowItemType

# How relevant the items of a window are, and which of them go when it is nearly full.
#
# relevance = e^(−age in minutes / 60) × 2 if of the current task × (1 + 0.2 × dependants) × factor of the type × what
# the item's maker says, within 0 and 100: the formula of the decision record on working memory. It is worked out in
# decimals and rounded to millionths, so that every machine orders items in the same way.

UNIT = 1_000_000
HIGHEST = 100 * UNIT
PRUNE_ABOVE_PERCENT = 80
PRUNED_PERCENT = 30

TENTHS = {
    WindowItemType.SYSTEM_PROMPT: 1000,
    WindowItemType.TASK_STATE: 20,
    WindowItemType.USER_MESSAGE: 15,
    WindowItemType.TOOL_RESULT: 8,
    WindowItemType.CODE_SNIPPET: 7,
    WindowItemType.GRAPH_QUERY: 6,
}
"""The factors of the types, in tenths."""
CALLING, SAYING = 12, 9
"""The factor of an assistant's response that calls tools, and of one that does not."""


@dataclass(frozen=True, slots=True)
class ScoredWindowItem:
    """An item and its relevance at a moment, in millionths."""

    item: WindowItem
    score: int

    @property
    def part(self) -> WindowPart:
        """The item as a snapshot has it, without its content."""
        return WindowPart(self.item.id, str(self.item.type), self.item.tokens, self.score // (UNIT // FULL))


@dataclass(frozen=True, slots=True)
class WindowPruning:
    """What a pruning leaves, in order, and what it removes, the least relevant first."""

    kept: tuple[WindowItem, ...]
    removed: tuple[ScoredWindowItem, ...]
    tokens_before: int
    tokens_removed: int


def age_minutes(time: str, now: datetime) -> int:
    """Return the whole minutes since a time, cut; 0 for one that is yet to come."""
    return max((now - moment(time)) // timedelta(minutes=1), 0)


def factor_tenths(item: WindowItem) -> int:
    """Return the factor of an item's type, in tenths."""
    if item.type is WindowItemType.ASSISTANT_RESPONSE:
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


def scored(items: Sequence[WindowItem], now: datetime, task: str | None) -> tuple[ScoredWindowItem, ...]:
    """Return each item with its relevance, in the order of the items."""
    dependants = Counter(needed for item in items for needed in set(item.dependencies))
    return tuple(ScoredWindowItem(item, relevance(item, now, task, dependants[item.id])) for item in items)


def is_over(tokens: int, limit_tokens: int) -> bool:
    """Say whether a window that holds so many tokens is to be pruned: above 80 % of its limit."""
    return tokens * 100 > limit_tokens * PRUNE_ABOVE_PERCENT


def prune(items: Sequence[WindowItem], now: datetime, task: str | None, held: Collection[str] = ()) -> WindowPruning:
    """Take out the least relevant items until at least 30 % of the tokens are gone, or nothing may go any more.

    Sticky items stay, and those whose ids are `held`. Of two that are equally relevant the older goes first.
    """
    before = sum(item.tokens for item in items)
    removed: list[ScoredWindowItem] = []
    gone = 0
    for each in sorted(_loose(scored(items, now, task), held), key=_first_to_go):
        if gone * 100 >= before * PRUNED_PERCENT:
            break
        removed.append(each)
        gone += each.item.tokens
    ids = {each.item.id for each in removed}
    return WindowPruning(tuple(item for item in items if item.id not in ids), tuple(removed), before, gone)


def prune_to(
    items: Sequence[WindowItem], now: datetime, task: str | None, limit_tokens: int, held: Collection[str] = ()
) -> WindowPruning:
    """Prune once, and again while the items are above the limit and one may still go."""
    done = prune(items, now, task, held)
    while done.tokens_before - done.tokens_removed > limit_tokens:
        more = prune(done.kept, now, task, held)
        if not more.removed:
            break
        gone = done.tokens_removed + more.tokens_removed
        done = WindowPruning(more.kept, (*done.removed, *more.removed), done.tokens_before, gone)
    return done


def snapshot_of(
    window: Window, now: datetime, reason: SnapshotReason, pruned: Iterable[WindowPart] = ()
) -> WindowSnapshot:
    """Return what a window holds at a moment, without the contents."""
    parts = tuple(each.part for each in scored(window.items, now, window.task))
    return WindowSnapshot(stamp(now), window.session, reason, parts, window.tokens, tuple(pruned), window.task)


def _loose(items: Iterable[ScoredWindowItem], held: Collection[str]) -> Iterable[ScoredWindowItem]:
    return (each for each in items if not each.item.sticky and each.item.id not in held)


def _first_to_go(each: ScoredWindowItem) -> tuple[int, str, str]:
    return each.score, each.item.time, each.item.id


# What the history gets of a window: an episode for each item that is pruned, and a line for each snapshot.
#
# Keys are those of the other events; the time, the version and the id come with the recording.

SUMMARY = 200
"""So many characters of a pruned item's content are recorded."""
_LOOKED_AT = 4_000
"""Beyond those, so many are looked through for a secret that begins in them."""
FILE_INTERACTION, PRUNED, SNAPSHOT = "file_interaction", "pruned", "window_snapshot"
_WHY = "pruned from the window"


@dataclass(frozen=True, slots=True)
class Summary:
    """An event that is recorded before its item is removed, and its kind."""

    kind: str
    event: Mapping[str, Json]


def summaries(window: Window, removed: Sequence[ScoredWindowItem]) -> tuple[Summary, ...]:
    """Return one event for each item that is removed: for code its file and lines, for others their beginning."""
    return tuple(_summary(window, each) for each in removed)


def snapshot_event(snapshot: WindowSnapshot) -> dict[str, Json]:
    """Return a snapshot as the history has it."""
    return {
        **_place(snapshot.session, snapshot.task),
        "reason": str(snapshot.reason),
        "items": _parts(snapshot.items),
        "total_tokens": snapshot.total_tokens,
        "pruned": _parts(snapshot.pruned),
    }


def beginning(content: str) -> str:
    """Return the first 200 characters of a content; a secret that begins in them has gone before they are cut."""
    return withhold(content[: SUMMARY + _LOOKED_AT])[:SUMMARY]


def _summary(window: Window, each: ScoredWindowItem) -> Summary:
    item = each.item
    place = _place(window.session, item.task or window.task)
    if item.type is WindowItemType.CODE_SNIPPET and item.path is not None:
        lines: dict[str, Json] = {"lines": list(item.lines)} if item.lines else {}
        about: dict[str, Json] = {"path": item.path, "operation": "read", **lines, "success": True, "context": _WHY}
        return Summary(FILE_INTERACTION, place | about)
    part = each.part
    about = {"item": part.id, "type": part.type, "tokens": part.tokens, "relevance": part.relevance}
    return Summary(PRUNED, place | about | {"summary": beginning(item.content)})


def _place(session: str, task: str | None) -> dict[str, Json]:
    place: dict[str, Json] = {"gen_ai.conversation.id": session}
    return place | {"task": task} if task else place


def _parts(parts: Iterable[WindowPart]) -> list[Json]:
    return [{"id": each.id, "type": each.type, "tokens": each.tokens, "relevance": each.relevance} for each in parts]


_LONGEST = 300
_SETTING = "memory.window.total_tokens in .memory/config.yaml"


@dataclass(frozen=True, slots=True)
class WindowPreparation:
    """The window before each pruning, with what that pruning does, and the window that is left in the end."""

    prunings: tuple[tuple[Window, WindowPruning], ...]
    window: Window


def prepared(
    window: Window, message: WindowItem, found: Iterable[WindowItem], limit_tokens: int, now: datetime
) -> WindowPreparation:
    """Return a window of at most `limit_tokens` that ends with the message, right behind what was found for it.

    What was found is added as far as it could stand beside the sticky items and the message. What is in the window
    already, word for word, is taken to its end and is as new again. The message itself is not pruned.

    Raises BudgetError where the sticky items and the message alone are above the limit.
    """
    room = room_for(window, message.tokens, limit_tokens)
    first = _pruned(window, now, limit_tokens, ())
    more = (*_fitting(found, room), message)
    filled = _added(_after(window, first), more)
    second = _pruned(filled, now, limit_tokens, (message.id,))
    steps = tuple((before, done) for before, done in ((window, first), (filled, second)) if done)
    return WindowPreparation(steps, _after(filled, second))


def room_for(window: Window, message_tokens: int, limit_tokens: int) -> int:
    """Return the tokens that sticky items and a message leave free. Raises BudgetError where they do not fit."""
    fixed = sum(item.tokens for item in window.items if item.sticky)
    room = limit_tokens - fixed - message_tokens
    if room < 0:
        raise BudgetError(
            f"{fixed:,} tokens of sticky items and {message_tokens:,} of the message are more than the window's "
            f"{limit_tokens:,}",
            needed=fixed + message_tokens,
            hint=f"raise {_SETTING}",
        )
    return room


def past_work(tasks: Sequence[TaskEpisode]) -> str:
    """Return past tasks as text, a line each; empty where there are none."""
    lines = [f"- {_plain(task.description)}: {_plain(task.outcome) or task.status}" for task in tasks]
    return "\n".join(("Relevant past work:", *lines)) if lines else ""


def _plain(text: str) -> str:
    return plain_line(text, _LONGEST)


def _pruned(window: Window, now: datetime, limit_tokens: int, held: Sequence[str]) -> WindowPruning | None:
    if not is_over(window.tokens, limit_tokens):
        return None
    done = prune_to(window.items, now, window.task, limit_tokens, held)
    return done if done.removed else None


def _after(window: Window, done: WindowPruning | None) -> Window:
    return replace(window, items=done.kept, prunings=window.prunings + 1) if done else window


def _fitting(found: Iterable[WindowItem], room: int) -> Iterable[WindowItem]:
    for item in found:
        if item.tokens <= room:
            room -= item.tokens
            yield item


def _added(window: Window, more: Sequence[WindowItem]) -> Window:
    *found, message = more
    known = {(item.type, item.content): item for item in window.items if not item.sticky}
    again = {(item.type, item.content): known.get((item.type, item.content)) for item in found}
    moved = {item.id for item in again.values() if item}
    stay = (item for item in window.items if item.id not in moved)
    fresh = (replace(item, id=old.id) if (old := again[item.type, item.content]) else item for item in found)
    return replace(window, items=(*stay, *fresh, message))
