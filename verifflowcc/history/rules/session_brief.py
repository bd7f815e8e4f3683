"""What is given back to an agent after its client compacted the conversation: facts, what matters most first.

The task in work, what the user said, which files were edited, which errors were not solved since, what was read, what
was answered. Nothing in it tells anybody what to do; what the user said is in quotes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.event_bytes import moment, stamp
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.ports import Count
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.own_text import typed_words
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.history.rules.agent_history import Operation
from verifflowcc.history.rules.failures import OpenFailure, has_failed, label_of
from verifflowcc.history.rules.window_prepare import age_minutes
from verifflowcc.history.rules.window_values import FileTouch, WindowItem, WindowItemType

# A window of a client's session, made from its history, and what is told of it after the client compacted.
#
# The events are those that hooks record (`shape`), of one session. A history may be cut or damaged: what is not as it
# should be is left out.

Event = Mapping[str, Json]
ENDS = ("turn_end", "subagent_end")
_COMPILED = "(a prompt that vfcc compiled)"


@dataclass(frozen=True, slots=True)
class _Turn:
    """The prompt that is worked on: the id of its item, its task, what was asked and when."""

    item: str
    task: str
    description: str
    time: str


def window_of(events: Iterable[Event], now: datetime, count: Count) -> tuple[WindowItem, ...]:
    """Return the items that the events of one session make, in order, and last the task that is not finished, if any.

    A prompt becomes a user message, a call of a tool its result, the end of a turn a response; a result needs the
    prompt of its task. The same events, in whatever order, make the same window.
    """
    items: list[WindowItem] = []
    prompts: dict[str, _Turn] = {}
    open_turns: dict[str, _Turn] = {}
    turn: _Turn | None = None
    for event in without_summaries(sound_events(events)):
        kind = event["kind"]
        if kind == "prompt":
            turn = _begun(event)
            prompts[turn.task] = open_turns[turn.task] = turn
            items.append(_prompt(event, turn))
        elif kind == "tool_execution":
            items.append(_result(event, prompts.get(_session_window_text(event, "task")) or turn))
        elif kind in ENDS:
            ended = prompts.get(_session_window_text(event, "task")) or turn
            if kind == "turn_end" and ended:
                open_turns.pop(ended.task, None)
            items += _response(event, ended)
    if turn and turn.task in open_turns:
        items.append(_state(turn, now))
    return tuple(replace(item, tokens=count(item.content)) for item in items)


def sound_events(events: Iterable[Event]) -> list[Event]:
    """Return the events with a kind, an id and a time, each id once, by time and id."""
    found: dict[str, Event] = {}
    for event in events:
        name, time = _session_window_text(event, "id"), _session_window_text(event, "time")
        if name and _session_window_text(event, "kind") and _is_time(time):
            found.setdefault(name, event)
    return sorted(
        found.values(), key=lambda event: (_session_window_text(event, "time"), _session_window_text(event, "id"))
    )


def without_summaries(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events in order of time without the ends of helpers that only summarised the conversation.

    Claude Code lets a helper write the summary of a compaction: its end is reported, and its start is not.
    """
    started: set[str] = set()
    compacting = False
    for event in events:
        kind, agent = event["kind"], _session_window_text(event, "gen_ai.agent.id")
        if kind == "subagent_start":
            started.add(agent)
        elif kind in ("compaction_start", "compaction_end", "session_start"):
            compacting = kind == "compaction_start"
        elif kind == "subagent_end" and compacting and agent not in started:
            continue
        yield event


def _is_time(text: str) -> bool:
    try:
        return stamp(moment(text)) == text
    except FormatError:
        return False


def _begun(event: Event) -> _Turn:
    name = _session_window_text(event, "id")
    description = _session_window_text(event, "description")
    typed, _ = typed_words(description, (), str)
    if not typed and (description or "compiled" in event):
        typed = _COMPILED
    return _Turn(name, _session_window_text(event, "task") or name, typed, _session_window_text(event, "time"))


def _prompt(event: Event, turn: _Turn) -> WindowItem:
    return _item(event, WindowItemType.USER_MESSAGE, turn.description, turn)


def _response(event: Event, turn: _Turn | None) -> Iterator[WindowItem]:
    if outcome := _session_window_text(event, "outcome"):
        yield _item(event, WindowItemType.ASSISTANT_RESPONSE, outcome, turn)


def _state(turn: _Turn, now: datetime) -> WindowItem:
    content = f"Active for {minutes(age_minutes(turn.time, now))}: {plain_line(turn.description, 500)}"
    return WindowItem(f"{turn.item}.state", content, WindowItemType.TASK_STATE, turn.time, 0, task=turn.task)


def _result(event: Event, turn: _Turn | None) -> WindowItem:
    """A call of a tool: what was called, how it went, and the beginning of what came back, a line or more for each."""
    tool = _session_window_text(event, "gen_ai.tool.name") or "unknown"
    files, changes = _files(event)
    failed = has_failed(event)
    result = event.get("gen_ai.tool.call.result")
    start = _session_window_text(result, "start") if isinstance(result, Mapping) else ""
    error = _session_window_text(event, "error.message")
    parts = [label_of(event), f"failed: {error}" if failed else "done"]
    parts += [f"{each.place}{f' ({changed})' if changed else ''}" for each, changed in zip(files, changes, strict=True)]
    parts += [start] if start and start not in error else []
    item = _item(event, WindowItemType.TOOL_RESULT, "\n".join(parts), turn)
    needs = (turn.item,) if turn else ()
    return replace(item, tool=tool, files=files, failed=failed, dependencies=needs)


def _files(event: Event) -> tuple[tuple[FileTouch, ...], tuple[str, ...]]:
    given = event.get("files")
    found, changes = [], []
    for each in given if isinstance(given, list) else []:
        if not isinstance(each, Mapping) or not _session_window_text(each, "path"):
            continue
        operation = _session_window_text(each, "operation")
        if operation in tuple(Operation):
            found.append(
                FileTouch(
                    _session_window_text(each, "path"), Operation(operation), _session_window_lines(each.get("lines"))
                )
            )
            changes.append(_session_window_text(each, "changes"))
    return tuple(found), tuple(changes)


def _session_window_lines(value: Json) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)] if 1 <= first <= last:
            return first, last
        case _:
            return None


def _item(event: Event, kind: WindowItemType, content: str, turn: _Turn | None) -> WindowItem:
    task = _session_window_text(event, "task") or (turn.task if turn else None)
    return WindowItem(
        _session_window_text(event, "id"), content, kind, _session_window_text(event, "time"), 0, task=task
    )


def _session_window_text(event: Event, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def minutes(number: int) -> str:
    """Return a number of minutes in words.

    >>> minutes(0), minutes(1), minutes(90)
    ('less than a minute', '1 minute', '90 minutes')
    """
    if not number:
        return "less than a minute"
    return "1 minute" if number == 1 else f"{number} minutes"


_LONGEST = 300
_CHANGING = (Operation.WRITE, Operation.EDIT)
_WORK, _ASKED, _EDITED = "Not finished yet", "Prompts of the user, newest first", "Files edited, newest first"
_FAILED, _READ, _ANSWERED = (
    "Failed, and not passed since",
    "Files read, newest first",
    "What was answered, newest first",
)
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
    listed = {name for line in chosen for name in line.items}
    left = sum(1 for item in items if item.id not in listed)
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
    yield from _quoted(newest, WindowItemType.USER_MESSAGE, _ASKED, now)
    yield from _touched(newest, _EDITED, changing=True)
    yield from _unsolved(items, failures, now)
    yield from _touched(newest, _READ, changing=False)
    yield from _quoted(newest, WindowItemType.ASSISTANT_RESPONSE, _ANSWERED, now)


def _states(newest: Sequence[WindowItem], now: datetime) -> Iterator[_Line]:
    for item in newest:
        if item.type is WindowItemType.TASK_STATE:
            yield _Line(_WORK, plain_line(item.content, _LONGEST), (item.id,))


def _quoted(newest: Sequence[WindowItem], kind: WindowItemType, heading: str, now: datetime) -> Iterator[_Line]:
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
    """Each file once, with all of its lines, by the newest touch of it; edited files are not listed as read."""
    edited = {touch.path for item in newest for touch in _touches(item, changing=True)}
    found: dict[str, list[tuple[WindowItem, FileTouch]]] = {}
    for item in newest:
        for touch in _touches(item, changing=changing):
            if changing or touch.path not in edited:
                found.setdefault(touch.path, []).append((item, touch))
    for path, touches in found.items():
        spans = dict.fromkeys(touch.lines for _, touch in touches if touch.lines)
        where = ", ".join(f"{first}-{last}" for first, last in sorted(spans))
        yield _Line(heading, f"{path}{f', lines {where}' if where else ''}", tuple({i.id: 0 for i, _ in touches}))


def _touches(item: WindowItem, *, changing: bool) -> Iterator[FileTouch]:
    if item.type is WindowItemType.TOOL_RESULT and not item.failed:
        wanted = _CHANGING if changing else (Operation.READ,)
        yield from (touch for touch in item.files if touch.operation in wanted)


def _ago(item: WindowItem, now: datetime) -> str:
    return f"{minutes(age_minutes(item.time, now))} ago"
