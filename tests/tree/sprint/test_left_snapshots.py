"""What is left for the next status and the next hook is used only as long as it is what the ledgers say."""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import feedback, root
from tests.histories import SPRINT, bases, histories
from verifflowcc.base.files.layout import Stamps, names_stamp
from verifflowcc.base.formats.event_bytes import encode_event
from verifflowcc.base.model.events import Event
from verifflowcc.base.use.workspace import LedgerReads, Workspace
from verifflowcc.clients.use.hook_settings import agent_state
from verifflowcc.fast.status import fresh, names_in
from verifflowcc.sprint.use.sprint_status import leave_status, remember_status

pytestmark = pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")


@settings(deadline=None)
@given(data=st.data())
def test_what_is_left_is_used_only_while_the_ledgers_say_the_same(data: st.DataObject) -> None:
    base = data.draw(bases())
    events = [*base, *data.draw(histories(base, "one", most=2)), *data.draw(histories(base, "two", most=2))]
    with tempfile.TemporaryDirectory() as scratch:
        here = _project(Path(scratch), events[:1])
        for each in data.draw(st.permutations(events)):
            change: Callable[[Workspace, Event], None] = data.draw(st.sampled_from((_put, _put, _put, _taken, _other)))
            change(here, each)
            _as_the_ledgers_say(here)
            if data.draw(st.booleans()):
                (leave_status if data.draw(st.booleans()) else _hooked)(here)
                _as_the_ledgers_say(here)


def test_after_a_write_both_are_there_at_once_for_the_events_that_there_are(tmp_path: Path) -> None:
    events = [root()]
    here = _project(tmp_path, events)
    agent_state(here, None)
    for number in range(3):
        events.append(feedback(f"It was slow {number}", events[-1]))
        _put(here, events[-1])
        assert not fresh(str(here.root), _read(here, "hook.json")["stamps"])

        leave_status(here)

        assert _as_the_ledgers_say(here) == (True, True)
        assert events[-1].id in _read(here, "snapshot.json")["text"]


def test_a_leftover_of_a_killed_writer_changes_nothing(tmp_path: Path) -> None:
    here = _project(tmp_path, [root()])
    agent_state(here, None)
    leave_status(here)
    (_folder(here) / ".vfcc-1-x.tmp").write_bytes(b"{")

    assert _as_the_ledgers_say(here) == (True, True)


def test_an_event_that_is_not_all_there_leaves_no_status_that_would_last(tmp_path: Path) -> None:
    """As a checkout that is not done leaves it: the name is there, and the content is not."""
    first = root()
    here = _project(tmp_path, [first])
    more = feedback("It was slow", first)
    path = _folder(here) / f"{more.id}.json"
    path.write_bytes(encode_event(more)[:40])
    _hooked(here)
    leave_status(here)
    path.write_bytes(encode_event(more))

    assert _as_the_ledgers_say(here) == (False, False)


def test_an_event_that_was_edited_by_hand_is_seen_under_the_same_name(tmp_path: Path) -> None:
    here = _project(tmp_path, [root()])
    leave_status(here)
    (path,) = _folder(here).iterdir()
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Log in", b"Log on"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert not fresh(str(here.root), _read(here, "snapshot.json")["stamps"])


@settings(deadline=None)
@given(
    names=st.sets(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=9), max_size=9)
)
def test_names_are_compared_by_the_same_digest_on_both_sides(names: set[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for name in names - {".", ".."}:
            Path(scratch, name).touch()

        assert names_in(scratch) == names_stamp(os.listdir(scratch))  # noqa: PTH208 - as the program does
        assert Stamps(Path(scratch)).hold()


def _as_the_ledgers_say(here: Workspace) -> tuple[bool, bool]:
    """Check what would be answered from snapshots against a reading of all events; return which would be."""
    status, hook = _read(here, "snapshot.json"), _read(here, "hook.json")
    used = [bool(found) and fresh(str(here.root), found["stamps"]) for found in (status, hook)]
    uncached = Workspace(here.root, here.clock, LedgerReads(cached=False))
    with tempfile.TemporaryDirectory() as aside:
        kept = [path.rename(Path(aside, path.name)) for path in here.local.glob("*.json")]
        shown, state = remember_status(uncached), agent_state(uncached, None)
        for path in here.local.glob("*.json"):
            path.unlink()
        for path in kept:
            path.rename(here.local / path.name)
    if used[0]:
        assert (status["text"], status["json"]) == (shown.text, shown.json)
    if used[1]:
        assert {name: hook.get(name) for name in ("role", "sprint", "stage")} == {
            name: state.place.get(name) for name in ("role", "sprint", "stage")
        }
        assert (hook["several"], hook["rules"]) == (state.several, json.loads(json.dumps(state.rules)))
    return used[0], used[1]


def _project(place: Path, events: Sequence[Event]) -> Workspace:
    here = Workspace(place)
    here.local.mkdir(parents=True)
    for each in events:
        _put(here, each)
    return here


def _put(here: Workspace, event: Event) -> None:
    _folder(here).mkdir(parents=True, exist_ok=True)
    (_folder(here) / f"{event.id}.json").write_bytes(encode_event(event))


def _taken(here: Workspace, event: Event) -> None:
    (_folder(here) / f"{event.id}.json").unlink(missing_ok=True)


def _other(here: Workspace, event: Event) -> None:
    """Another sprint begins, or goes where it is there already."""
    first = root(title=event.id, sprint="other")
    path = here.memory / "sprint/other/events" / f"{first.id}.json"
    if path.parent.exists():
        for each in path.parent.iterdir():
            each.unlink()
    else:
        path.parent.mkdir(parents=True)
        path.write_bytes(encode_event(first))


def _hooked(here: Workspace) -> None:
    agent_state(Workspace(here.root), None)


def _folder(here: Workspace) -> Path:
    return here.memory / "sprint" / SPRINT / "events"


def _read(here: Workspace, name: str) -> Any:
    path = here.local / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
