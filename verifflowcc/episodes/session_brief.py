"""What is given back to an agent after its client compacted the conversation: facts, what matters most first.

The task in work, what the user said, which files were edited, which errors were not solved since, what was read, what
was answered. Nothing in it tells anybody what to do; what the user said stands in quotes.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from verifflowcc.domain.episodes import Operation
from verifflowcc.domain.ports import Count
from verifflowcc.domain.window import ItemType, Touched, WindowItem
from verifflowcc.episodes.session_window import minutes
from verifflowcc.episodes.window import age_minutes
from verifflowcc.records import dataclass
from verifflowcc.text.plain_line import plain_line

_LONGEST = 300
_CHANGING = (Operation.WRITE, Operation.EDIT)
_WORK, _ASKED, _EDITED = "Not finished yet", "What the user said, newest first", "Files edited, newest first"
_FAILED, _READ, _SAID = "Failed, and not passed since", "Files read, newest first", "What was answered, newest first"
_NAMED = 6
"""A line with its line feed costs so many tokens more at most than its words do alone; measured generously."""


@dataclass(frozen=True, slots=True)
class _Line:
    heading: str
    text: str
    items: tuple[str, ...]


def brief_of(items: Sequence[WindowItem], budget_tokens: int, now: datetime, count: Count) -> str:
    """Return what is told of a session's window, in at most `budget_tokens` as counted on the whole text.

    It ends with how many items are left out, if any. Empty where there are no items, or where the budget holds nothing.
    """
    chosen: list[_Line] = []
    lines = list(_lines(items, now))
    used = 0
    for line in lines:
        more = count(f"- {line.text}\n") + (0 if any(line.heading == each.heading for each in chosen) else _NAMED * 2)
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


def _lines(items: Sequence[WindowItem], now: datetime) -> Iterator[_Line]:
    newest = items[::-1]
    yield from _states(newest, now)
    yield from _quoted(newest, ItemType.USER_MESSAGE, _ASKED, now)
    yield from _touched(newest, _EDITED, changing=True)
    yield from _unsolved(items, now)
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


def _unsolved(items: Sequence[WindowItem], now: datetime) -> Iterator[_Line]:
    """What failed, and the same call did not succeed after it; the newest first."""
    open_calls: dict[str, list[WindowItem]] = {}
    for item in items:
        if item.type is ItemType.TOOL_RESULT:
            call = item.content.partition("\n")[0]
            if item.failed:
                open_calls.setdefault(call, []).append(item)
            else:
                open_calls.pop(call, None)
    for call, failures in sorted(open_calls.items(), key=lambda each: (each[1][-1].time, each[1][-1].id), reverse=True):
        error = plain_line(failures[-1].content.partition("\n")[2].partition("failed: ")[2], _LONGEST)
        times = f", {len(failures)} times" if len(failures) > 1 else ""
        yield _Line(_FAILED, f"{call} ({_ago(failures[-1], now)}{times}): {error}", tuple(each.id for each in failures))


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
