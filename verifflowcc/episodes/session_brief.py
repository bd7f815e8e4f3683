"""What is given back to an agent after its client compacted the conversation: facts, what matters most first.

The task in work, what the user said, which files were edited, which errors were not solved since, what was read, what
was answered. Nothing in it tells anybody what to do; what the user said stands in quotes.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from verifflowcc.domain.episodes import Operation
from verifflowcc.domain.ports import Count
from verifflowcc.domain.window import ItemType, Touched, WindowItem
from verifflowcc.episodes.failures import OpenFailure
from verifflowcc.episodes.session_window import minutes
from verifflowcc.episodes.window import age_minutes
from verifflowcc.records import dataclass
from verifflowcc.text.article import plain_line

_LONGEST = 300
_CHANGING = (Operation.WRITE, Operation.EDIT)
_WORK, _ASKED, _EDITED = "Not finished yet", "Prompts of the user, newest first", "Files edited, newest first"
_FAILED, _READ, _SAID = "Failed, and not passed since", "Files read, newest first", "What was answered, newest first"
_FAILED_THEN = "Failed when it was last run so; another run since may have passed it"
_HEADING = 12
"""So many tokens are set aside for a heading; what the parts take more together is seen on the whole text."""


@dataclass(frozen=True, slots=True)
class _Line:
    heading: str
    text: str
    items: tuple[str, ...]


def brief_of(
    items: Sequence[WindowItem],
    budget_tokens: int,
    now: datetime,
    count: Count,
    failures: Sequence[OpenFailure] = (),
) -> str:
    """Return the facts of a session's window, in at most `budget_tokens` as counted on the whole text.

    `failures` are those of the session that are open; the ones that the window still has are listed. The text ends with
    how many items are left out, if any. Empty where there are no items, or where the budget holds nothing.
    """
    chosen: list[_Line] = []
    lines = list(_lines(items, failures, now))
    used = 0
    for line in lines:
        more = count(f"- {line.text}\n") + (0 if any(line.heading == each.heading for each in chosen) else _HEADING)
        if used + more <= budget_tokens:
            chosen.append(line)
            used += more
    while count(text := _text(chosen, items)) > budget_tokens:
        if not chosen:
            return ""
        chosen.pop()
    return text


def _text(chosen: Sequence[_Line], items: Sequence[WindowItem]) -> str:
    told = {name for line in chosen for name in line.items}
    left = sum(1 for item in items if item.id not in told)
    parts: list[str] = []
    for heading in dict.fromkeys(line.heading for line in chosen):
        parts.append(f"{heading}:")
        parts += [f"- {line.text}" for line in chosen if line.heading == heading]
    if left:
        parts.append(f"{left} of {len(items)} {'item' if len(items) == 1 else 'items'} of the session are left out.")
    return "\n".join(parts)


def _lines(items: Sequence[WindowItem], failures: Sequence[OpenFailure], now: datetime) -> Iterator[_Line]:
    newest = items[::-1]
    yield from _states(newest, now)
    yield from _quoted(newest, ItemType.USER_MESSAGE, _ASKED, now)
    yield from _touched(newest, _EDITED, changing=True)
    yield from _unsolved(items, failures, now)
    yield from _touched(newest, _READ, changing=False)
    yield from _quoted(newest, ItemType.ASSISTANT_RESPONSE, _SAID, now)


def _states(newest: Sequence[WindowItem], now: datetime) -> Iterator[_Line]:
    for item in newest:
        if item.type is ItemType.TASK_STATE:
            yield _Line(_WORK, plain_line(item.content, _LONGEST), (item.id,))


def _quoted(newest: Sequence[WindowItem], kind: ItemType, heading: str, now: datetime) -> Iterator[_Line]:
    for item in newest:
        if item.type is kind:
            yield _Line(heading, f'{_ago(item, now)}: "{plain_line(item.content, _LONGEST)}"', (item.id,))


def _unsolved(items: Sequence[WindowItem], failures: Sequence[OpenFailure], now: datetime) -> Iterator[_Line]:
    """Yield the open failures, the certain ones first, each group the newest first."""
    there = {item.id for item in items}
    for certain in (True, False):
        for each in failures:
            if each.certain is certain and each.ids[-1] in there:
                ids = tuple(name for name in each.ids if name in there)
                yield _Line(_FAILED if certain else _FAILED_THEN, _failure(each, now), ids)


def _failure(each: OpenFailure, now: datetime) -> str:
    about = [f"{minutes(age_minutes(each.time, now))} ago"]
    about += [f"{len(each.ids)} times"] if len(each.ids) > 1 else []
    about += [f"in `{each.where}`"] if each.where else []
    error = plain_line(each.error, _LONGEST)
    text = f"{each.label} ({', '.join(about)})"
    return f"{text}: {error}" if error else text


def _touched(newest: Sequence[WindowItem], heading: str, *, changing: bool) -> Iterator[_Line]:
    """Each file once, with all of its lines, by the newest touch of it; one that was edited is not told as read."""
    edited = {touch.path for item in newest for touch in _touches(item, changing=True)}
    found: dict[str, list[tuple[WindowItem, Touched]]] = {}
    for item in newest:
        for touch in _touches(item, changing=changing):
            if changing or touch.path not in edited:
                found.setdefault(touch.path, []).append((item, touch))
    for path, touches in found.items():
        spans = dict.fromkeys(touch.lines for _, touch in touches if touch.lines)
        where = ", ".join(f"{first}-{last}" for first, last in sorted(spans))
        yield _Line(heading, f"{path}{f', lines {where}' if where else ''}", tuple({i.id: 0 for i, _ in touches}))


def _touches(item: WindowItem, *, changing: bool) -> Iterator[Touched]:
    if item.type is ItemType.TOOL_RESULT and not item.failed:
        wanted = _CHANGING if changing else (Operation.READ,)
        yield from (touch for touch in item.files if touch.operation in wanted)


def _ago(item: WindowItem, now: datetime) -> str:
    return f"{minutes(age_minutes(item.time, now))} ago"
