"""Windows and snapshots as files: read back as they were, and refused where they are none."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window_world import NOW, drawn_windows, item
from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.base.records import replace
from verifflowcc.base.text.identifiers import ulid
from verifflowcc.history.rules.agent_history import SnapshotReason, WindowPart
from verifflowcc.history.rules.window_values import KeptWindow, Window
from verifflowcc.history.store.window_files import read_snapshot, read_window, window_bytes

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.mark.vfcc("REQ-WINDOW-ITEMS")
@settings(deadline=None, max_examples=100)
@given(drawn_windows(), ANY_TEXT)
def test_a_window_is_read_back_as_it_was(window: Window, text: str) -> None:
    """Whatever is in a text: controls, all newlines, a half of a pair; two halves are the character that they spell."""
    spelt = f"x{text}".encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    whole = replace(window, items=(*window.items, item("last", content=spelt)))

    assert read_window(window_bytes(whole)) == whole
    assert window_bytes(read_window(window_bytes(whole))) == window_bytes(whole)


@settings(deadline=None, max_examples=50)
@given(drawn_windows(), st.sampled_from(SnapshotReason), st.binary(min_size=10, max_size=10))
def test_a_snapshot_is_read_back_as_it_was(window: Window, reason: SnapshotReason, entropy: bytes) -> None:
    kept = KeptWindow(ulid(1, entropy), stamp(NOW), reason, window, (WindowPart("a", "graph_query", 3, 1200),))

    assert read_snapshot(window_bytes(kept)) == kept


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": 2}, "format 2 is newer than this vfcc"),
        ({"format": None}, "format None is unknown"),
        ({"session": 3}, "session is no text"),
        ({"items": {}}, "items is no list"),
        ({"items": [3]}, "one of items is no object"),
        ({"prunings": -1}, "prunings is no whole number from 0 up"),
        ({"prunings": True}, "prunings is no whole number from 0 up"),
    ],
)
def test_what_is_no_window_is_told_in_a_sentence(change: dict[str, object], sentence: str) -> None:
    value = json.loads(window_bytes(Window("s1", (item("a"),)))) | change

    with pytest.raises(FormatError, match=sentence):
        read_window(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"type": "thought"}, "type 'thought' is unknown"),
        ({"time": "yesterday"}, "'yesterday' does not exist"),
        ({"time": "2026-11-21"}, "is not written as"),
        ({"relevance": 1001}, "relevance 1001 is above 1000"),
        ({"tokens": 1.5}, "is not JSON"),
        ({"sticky": 1}, "sticky is neither true nor false"),
        ({"files": [{"path": "a", "operation": "read", "lines": [1]}]}, "lines has 1 values instead of 2"),
        ({"files": [{"path": "a", "operation": "burn", "lines": None}]}, "operation 'burn' is unknown"),
    ],
)
def test_what_is_no_item_is_told_in_a_sentence(change: dict[str, object], sentence: str) -> None:
    value = json.loads(window_bytes(Window("s1", (item("a"),))))
    value["items"][0] |= change

    with pytest.raises(FormatError, match=sentence):
        read_window(json.dumps(value).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        read_window(data)


def test_two_items_with_one_id_are_refused() -> None:
    with pytest.raises(FormatError, match="same id"):
        read_window(window_bytes(Window("s1", (item("a"), item("a")))))
