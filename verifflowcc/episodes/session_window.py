"""A window of a client's session, made from its history, and what is told of it after the client compacted.

The events are those that hooks record (`shape`), of one session. A history may be cut or damaged: what is not as it
should be is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from verifflowcc.domain.episodes import Operation
from verifflowcc.domain.events import Json
from verifflowcc.domain.ports import Count
from verifflowcc.domain.window import ItemType, Touched, WindowItem
from verifflowcc.episodes.failures import has_failed, label_of
from verifflowcc.episodes.window import age_minutes
from verifflowcc.errors import FormatError
from verifflowcc.formats.events import moment, stamp
from verifflowcc.records import dataclass, replace
from verifflowcc.text.article import plain_line
from verifflowcc.text.injected import typed_words

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
            items.append(_result(event, prompts.get(_text(event, "task")) or turn))
        elif kind in ENDS:
            ended = prompts.get(_text(event, "task")) or turn
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
        name, time = _text(event, "id"), _text(event, "time")
        if name and _text(event, "kind") and _is_time(time):
            found.setdefault(name, event)
    return sorted(found.values(), key=lambda event: (_text(event, "time"), _text(event, "id")))


def without_summaries(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events in order of time without the ends of helpers that only summarised the conversation.

    Claude Code lets a helper write the summary of a compaction: its end is reported, and its start is not.
    """
    started: set[str] = set()
    compacting = False
    for event in events:
        kind, agent = event["kind"], _text(event, "gen_ai.agent.id")
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
    name = _text(event, "id")
    description = _text(event, "description")
    typed, _ = typed_words(description, (), str)
    if not typed and (description or "compiled" in event):
        typed = _COMPILED
    return _Turn(name, _text(event, "task") or name, typed, _text(event, "time"))


def _prompt(event: Event, turn: _Turn) -> WindowItem:
    return _item(event, ItemType.USER_MESSAGE, turn.description, turn)


def _response(event: Event, turn: _Turn | None) -> Iterator[WindowItem]:
    if said := _text(event, "outcome"):
        yield _item(event, ItemType.ASSISTANT_RESPONSE, said, turn)


def _state(turn: _Turn, now: datetime) -> WindowItem:
    content = f"Active for {minutes(age_minutes(turn.time, now))}: {plain_line(turn.description, 500)}"
    return WindowItem(f"{turn.item}.state", content, ItemType.TASK_STATE, turn.time, 0, task=turn.task)


def _result(event: Event, turn: _Turn | None) -> WindowItem:
    """A call of a tool: what was called, how it went, and the beginning of what came back, a line or more for each."""
    tool = _text(event, "gen_ai.tool.name") or "unknown"
    files, changes = _files(event)
    failed = has_failed(event)
    result = event.get("gen_ai.tool.call.result")
    start = _text(result, "start") if isinstance(result, Mapping) else ""
    error = _text(event, "error.message")
    parts = [label_of(event), f"failed: {error}" if failed else "done"]
    parts += [f"{each.place}{f' ({changed})' if changed else ''}" for each, changed in zip(files, changes, strict=True)]
    parts += [start] if start and start not in error else []
    item = _item(event, ItemType.TOOL_RESULT, "\n".join(parts), turn)
    needs = (turn.item,) if turn else ()
    return replace(item, tool=tool, files=files, failed=failed, dependencies=needs)


def _files(event: Event) -> tuple[tuple[Touched, ...], tuple[str, ...]]:
    given = event.get("files")
    found, changes = [], []
    for each in given if isinstance(given, list) else []:
        if not isinstance(each, Mapping) or not _text(each, "path"):
            continue
        operation = _text(each, "operation")
        if operation in tuple(Operation):
            found.append(Touched(_text(each, "path"), Operation(operation), _lines(each.get("lines"))))
            changes.append(_text(each, "changes"))
    return tuple(found), tuple(changes)


def _lines(value: Json) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)] if 1 <= first <= last:
            return first, last
        case _:
            return None


def _item(event: Event, kind: ItemType, content: str, turn: _Turn | None) -> WindowItem:
    task = _text(event, "task") or (turn.task if turn else None)
    return WindowItem(_text(event, "id"), content, kind, _text(event, "time"), 0, task=task)


def _text(event: Event, name: str) -> str:
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
