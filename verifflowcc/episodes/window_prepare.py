"""Make a window ready for a message: prune, add the message and what bears on it, prune again if need be."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from verifflowcc.domain.episodes import TaskEpisode
from verifflowcc.domain.window import Window, WindowItem
from verifflowcc.episodes.window import Pruned, is_over, prune_to
from verifflowcc.errors import BudgetError
from verifflowcc.records import dataclass, replace
from verifflowcc.text.article import plain_line

_LONGEST = 300
_SETTING = "memory.window.total_tokens in .memory/config.yaml"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The window before each pruning, with what that pruning does, and the window that is left in the end."""

    prunings: tuple[tuple[Window, Pruned], ...]
    window: Window


def prepared(
    window: Window, message: WindowItem, found: Iterable[WindowItem], limit_tokens: int, now: datetime
) -> Prepared:
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
    return Prepared(steps, _after(filled, second))


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
    """Return what is told of past tasks, a line each; nothing where there are none."""
    lines = [f"- {_plain(task.description)}: {_plain(task.outcome) or task.status}" for task in tasks]
    return "\n".join(("Relevant past work:", *lines)) if lines else ""


def _plain(text: str) -> str:
    return plain_line(text, _LONGEST)


def _pruned(window: Window, now: datetime, limit_tokens: int, held: Sequence[str]) -> Pruned | None:
    if not is_over(window.tokens, limit_tokens):
        return None
    done = prune_to(window.items, now, window.task, limit_tokens, held)
    return done if done.removed else None


def _after(window: Window, done: Pruned | None) -> Window:
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
