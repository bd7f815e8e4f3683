"""Put an item away, and bring it back byte for byte: its own file says when, why, and what its status was before."""

from collections.abc import Mapping

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.item_render import render_archived
from verifflowcc.base.model.item_values import ArchiveNote, Status
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.items.rules.front_matter import EditRefusal, key_spans, split
from verifflowcc.items.store.item_edits import edit_item
from verifflowcc.memory.rules.superseded import status_before
from verifflowcc.memory.store.placing import stored_item

ENDED, STAGE, DECAYED, EVICTED, CONSOLIDATED = "ended", "stage", "decayed", "evicted", "consolidated"
WORDS: Mapping[str, str] = {
    ENDED: "its time was over",
    STAGE: "its stage had ended",
    DECAYED: "it had not been used for long",
    EVICTED: "there were too many items",
    CONSOLIDATED: "a summary contains it",
}
"""Why an item was put away, as its file says it and as a clause."""


def archive_item(stored: StoredItem, *, today: str, why: str, into: str | None = None) -> StoredItem:
    """Archive an item, with the day and the reason.

    `into` is the summary that contains the item.

    Raises FormatError where its front matter cannot be edited without risk. Where the item has a key `archived` of
    somebody's own, that stays, and only its status says so.
    """
    keys = {"status": str(Status.ARCHIVED)}
    if stored.item.archived is None and not _has_key_archived(stored.text):
        keys["archived"] = render_archived(ArchiveNote(today, why, into, _status_written(stored)))
    return _edited(stored, keys)


def restored_item(stored: StoredItem) -> StoredItem:
    """Return an archived item as it was before.

    One that does not say what it was (somebody archived it by hand, or an older program) becomes active, and one that
    was rejected waits for a person again. Raises FormatError where its front matter cannot be edited without risk.
    """
    return _edited(stored, _as_before(stored))


def comes_back(before: StoredItem, after: StoredItem) -> bool:
    """Say whether an archived item can be restored to the last byte."""
    try:
        return _bytes_with(after, _as_before(after)) == before.text.encode("utf-8")
    except FormatError:
        return False


def _as_before(stored: StoredItem) -> Mapping[str, str | None]:
    """Return the lines of front matter that bring an archived item back."""
    note = stored.item.archived
    if note is None:
        return {"status": str(status_before(stored.item))}
    return {"status": note.previous_status, "archived": None}


def _edited(stored: StoredItem, keys: Mapping[str, str | None]) -> StoredItem:
    return stored_item(stored.item.path, _bytes_with(stored, keys))


def _bytes_with(stored: StoredItem, keys: Mapping[str, str | None]) -> bytes:
    path = stored.item.path
    try:
        return edit_item(path, stored.text.encode("utf-8"), keys)
    except ValueError as error:
        raise FormatError(f"{path}:1: front matter cannot be edited: {error}", hint="edit the file by hand") from error


def _has_key_archived(text: str) -> bool:
    block = split(text).block or ""
    if "archived" not in block:
        return False
    try:
        return any(span.key == "archived" for span in key_spans(block))
    except EditRefusal:
        return False


def _status_written(stored: StoredItem) -> str | None:
    """Return the status as the file writes it; None where no line has it."""
    block = split(stored.text).block or ""
    if "status" not in block:
        return None
    try:
        span = next((each for each in key_spans(block) if each.key == "status"), None)
    except EditRefusal:
        return str(stored.item.status)
    return block[span.value_start : span.value_end] if span else None
