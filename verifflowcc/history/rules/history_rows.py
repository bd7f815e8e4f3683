"""Turn lines of the history into rows of its tables.

A line of another version, of no kind that is known, or that is no event is no row: the file keeps it all the same.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.own_text import typed_words
from verifflowcc.history.rules.learnt_calls import signature_of

# The place of an event: the role, sprint and stage that it belongs to, where its own line does not have them yet.
#
# A hook records an event before it knows the sprint, as `unplaced`. A hook that has had the time to find out adds a
# line of the kind `place`: the active stage, and `since` when it is active.

_NAMES = ("role", "sprint", "stage")
Line = Mapping[str, Json]


def with_place(event: Line, places: Sequence[Line]) -> dict[str, Json]:
    """Return an event with its role, sprint and stage, as far as they are known.

    An unplaced event belongs to the next place in time of its worktree, if its stage had been entered by then. What the
    event itself has, such as the role that its agent names, stays.
    """
    at = str(event.get("time"))
    here = [each for each in places if each.get("worktree") == event.get("worktree")]
    following = min((each for each in here if _time(each) >= at), key=_order, default=None)
    if event.get("unplaced") is not True or following is None or str(following.get("since")) > at:
        return dict(event)
    own = {name: value for name, value in event.items() if name != "unplaced"}
    return {name: following[name] for name in _NAMES if name in following} | own


def _time(place: Line) -> str:
    return str(place.get("time"))


def _order(place: Line) -> tuple[str, str]:
    return _time(place), str(place.get("id"))


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "tool_executions": (
        "id", "timestamp", "at_ms", "session_id", "task_id", "tool_name", "parameters", "result", "result_size",
        "result_digest", "success", "error_message", "signature", "duration_ms", "context_tokens", "call_id", "agent",
        "client", "role", "sprint", "stage", "unplaced",
        "worktree",
    ),
    "file_interactions": (
        "event", "timestamp", "at_ms", "session_id", "task_id", "file_path", "operation", "line_first", "line_last",
        "success", "context", "changes_summary", "client", "role", "worktree",
    ),
    "prompts": (
        "id", "timestamp", "at_ms", "session_id", "task_id", "description", "client", "role", "unplaced", "worktree",
    ),
    "places": ("id", "timestamp", "at_ms", "since_ms", "role", "sprint", "stage", "worktree"),
    "turn_ends": ("id", "timestamp", "at_ms", "session_id", "task_id", "outcome"),
    "session_events": ("id", "timestamp", "at_ms", "session_id", "kind", "said", "client", "agent", "outcome"),
    "tasks": (
        "id", "timestamp", "at_ms", "session_id", "task_id", "status", "description", "role", "outcome", "worktree",
    ),
    "context_snapshots": (
        "id", "timestamp", "at_ms", "session_id", "task_id", "context_items", "total_tokens", "pruned_items", "reason",
    ),
    "session_learnings": (
        "id", "timestamp", "session_id", "learning_type", "subject", "sentence", "data", "confidence",
    ),
    "usage": (
        "id", "timestamp", "session_id", "model", "input_tokens", "output_tokens", "cache_read_tokens",
        "cache_creation_tokens",
    ),
}  # fmt: skip
"""The columns of each table: a `timestamp` is an ISO date-time in UTC, `at_ms` the same in milliseconds since 1970;
`success` is NULL where the client does not tell. An `unplaced` row belongs to the next row of `places` in time with
its `worktree` (NULL: the main one), unless the stage of that was entered later (`since_ms`)."""

_TOOL = "gen_ai.tool."
_SESSION = ("session_start", "session_end", "subagent_start", "subagent_end", "compaction_start", "compaction_end")
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """A line of the history, as far as all kinds of lines are alike."""

    id: str
    kind: str
    time: str
    at_ms: int
    session: str
    task: str | None
    line: Mapping[str, Json]

    def text(self, name: str) -> str | None:
        """Return a text that the line has under a name."""
        value = self.line.get(name)
        return None if value is None else _sound(value)

    @property
    def typed(self) -> str:
        """What was typed; an older version recorded a prompt of ours, and what hooks add, as if a person had."""
        return typed_words(self.text("description") or "", (), str)[0]

    def whole(self, name: str) -> int | None:
        """Return a whole number that the line has under a name."""
        return _count(self.line.get(name))


def event_in(value: object) -> HistoryEvent | None:
    """Return the event that the JSON of a line is; None where it is none."""
    if not isinstance(value, dict) or value.get("v") != 1:
        return None
    name, kind, time = (_sound(value.get(each)) for each in ("id", "kind", "time"))
    if not (name and kind and time):
        return None
    at_ms = _milliseconds(time)
    if at_ms is None:
        return None
    session, task = _sound(value.get("gen_ai.conversation.id")), _sound(value.get("task"))
    return HistoryEvent(name, kind, time, at_ms, session or "", task or None, value)


def rows_of(event: HistoryEvent) -> Iterator[tuple[str, Row]]:
    """Yield the rows of an event: the name of a table, and its values in the order of `COLUMNS`."""
    at = (event.time, event.at_ms, event.session)
    client, role = event.text("client"), event.text("role")
    match event.kind:
        case "tool_execution":
            yield "tool_executions", _tool_row(event)
            yield from (("file_interactions", row) for row in _file_rows(event))
        case "file_interaction":
            yield "file_interactions", _file_row(event, event.line)
        case "prompt":
            task = event.task or event.id
            words = (event.typed, client, role, event.line.get("unplaced") is True, event.text("worktree"))
            yield "prompts", (event.id, *at, task, *words)
        case "place":
            since = _milliseconds(event.text("since") or "")
            where = (role, event.text("sprint"), event.text("stage"), event.text("worktree"))
            yield "places", (event.id, event.time, event.at_ms, event.at_ms if since is None else since, *where)
        case "turn_end":
            yield "turn_ends", (event.id, *at, event.task, event.text("outcome") or "")
        case "task":
            status = (event.text("status"), event.text("description") or "", role, event.text("outcome") or "")
            yield "tasks", (event.id, *at, event.task or event.id, *status, event.text("worktree"))
        case "window_snapshot":
            items, pruned = _json(event.line.get("items")), _json(event.line.get("pruned"))
            whole = event.whole("total_tokens")
            yield "context_snapshots", (event.id, *at, event.task, items, whole, pruned, event.text("reason"))
        case "learning":
            learnt = (event.text("type"), event.text("subject"), event.text("sentence"))
            data = (_json(event.line.get("data")), event.whole("confidence"))
            yield "session_learnings", (event.id, event.time, event.session, *learnt, *data)
        case "usage":
            names = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
            own = ("vfcc.usage.cache_read_tokens", "vfcc.usage.cache_creation_tokens")
            counts = (event.whole(name) or 0 for name in (*names, *own))
            yield "usage", (event.id, event.time, event.session, event.text("gen_ai.request.model"), *counts)
        case kind if kind in _SESSION:
            reason = next(filter(None, map(event.text, ("source", "trigger", "reason"))), None)
            whose = (reason, client, event.text("gen_ai.agent.name"), event.text("outcome"))
            yield "session_events", (event.id, *at, kind, *whose)
        case _:
            return


def _tool_row(event: HistoryEvent) -> Row:
    line = event.line
    result = line.get(f"{_TOOL}call.result")
    kept: Mapping[str, Json] = result if isinstance(result, dict) else {}
    success = line.get("success") if isinstance(line.get("success"), bool) else None
    error = event.text("error.message")
    return (
        event.id,
        event.time,
        event.at_ms,
        event.session,
        event.task,
        event.text(f"{_TOOL}name") or "unknown",
        _json(line.get(f"{_TOOL}call.arguments")) or "{}",
        _sound(kept.get("start")),
        _count(kept.get("size")),
        _sound(kept.get("digest")),
        success,
        error,
        signature_of(error or "") if success is False else None,
        event.whole("duration_ms"),
        event.whole("context_tokens"),
        event.text(f"{_TOOL}call.id"),
        event.text("gen_ai.agent.name"),
        event.text("client"),
        event.text("role"),
        event.text("sprint"),
        event.text("stage"),
        line.get("unplaced") is True,
        event.text("worktree"),
    )


def _file_rows(event: HistoryEvent) -> Iterator[Row]:
    files = event.line.get("files")
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            yield _file_row(event, file)


def _file_row(event: HistoryEvent, file: Mapping[str, Json]) -> Row:
    lines = file.get("lines")
    first, last = map(_count, lines) if isinstance(lines, list) and len(lines) == 2 else (None, None)
    return (
        event.id,
        event.time,
        event.at_ms,
        event.session,
        event.task,
        _sound(file.get("path")) or "",
        _sound(file.get("operation")) or "",
        first,
        last,
        event.line.get("success") is not False,
        _sound(file.get("context")) or "",
        _sound(file.get("changes")) or "",
        event.text("client"),
        event.text("role"),
        event.text("worktree"),
    )


def _milliseconds(time: str) -> int | None:
    try:
        return int(datetime.fromisoformat(time).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _json(value: Json) -> str | None:
    return None if value is None else json.dumps(value, sort_keys=True)


def _sound(value: Json) -> str | None:
    """Return a text that any file takes: half a pair of surrogates is none."""
    if type(value) is not str:  # JSON gives no other kind of text, and this is asked a million times
        return None
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62 else None
