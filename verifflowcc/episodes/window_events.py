"""What the history gets of a window: an episode for each item that is pruned, and a line for each snapshot.

Keys are those of the other events; the time, the version and the id come with the recording.
"""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.domain.episodes import WindowPart, WindowSnapshot
from verifflowcc.domain.events import Json
from verifflowcc.domain.window import ItemType, Window
from verifflowcc.episodes.window import Scored
from verifflowcc.records import dataclass
from verifflowcc.text.secrets import withhold

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


def summaries(window: Window, removed: Sequence[Scored]) -> tuple[Summary, ...]:
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


def _summary(window: Window, each: Scored) -> Summary:
    item = each.item
    place = _place(window.session, item.task or window.task)
    if item.type is ItemType.CODE_SNIPPET and item.path is not None:
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
