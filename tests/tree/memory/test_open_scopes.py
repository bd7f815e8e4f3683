"""Which scopes are open is remembered, and whatever changes it is seen."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.derived_files import kept_in
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.memory.store.task_files import OPEN_SCOPES_FILE as FILE
from verifflowcc.memory.use.scopes import scopes_listed
from verifflowcc.memory.use.task_filling import start_task


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project with an open sprint, looked at later: what was just touched is not trusted by its stamp."""
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/config.yaml").write_text("format: 1\n", encoding="utf-8")
    start_sprint(open_workspace(tmp_path), "One", workflow="standard", actor="human:You")
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + SETTLED_AFTER_NS + 1)
    return open_workspace(tmp_path)


def _again(here: Workspace) -> tuple[str, ...]:
    return scopes_listed(open_workspace(here.root))


def test_what_is_remembered_is_what_was_read(here: Workspace) -> None:
    first = _again(here)

    assert first[:2] == ("project", "sprint/one")
    assert first[2].startswith("stage/one/")
    assert first[-1] == "user"
    assert [*kept_in(here.local / FILE)["value"][1], "user"] == [*first]
    assert _again(here) == first


def test_it_is_what_answers(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _again(here)
    monkeypatch.delattr("verifflowcc.sprint.use.sprint_reading.list_sprints")

    assert _again(here) == first


def _second(here: Workspace) -> None:
    start_sprint(here, "Two", workflow="standard", actor="human:You")


def _closed(here: Workspace) -> None:
    close_sprint(here, "one", actor="human:You", unfinished_reason="enough")


def _task(here: Workspace) -> None:
    start_task(here, "Look at it", actor="human:You")


def _gone(here: Workspace) -> None:
    for event in (here.memory / "sprint/one/events").iterdir():
        event.unlink()


@pytest.mark.parametrize(
    ("change", "then"),
    [
        (_second, lambda scopes: "sprint/two" in scopes),
        (_closed, lambda scopes: "sprint/one" not in scopes),
        (_task, lambda scopes: any(scope.startswith("task/") for scope in scopes)),
        (_gone, lambda scopes: scopes == ("project", "user")),
    ],
)
def test_whatever_changes_it_is_seen(
    here: Workspace, change: Callable[[Workspace], None], then: Callable[[tuple[str, ...]], bool]
) -> None:
    assert not then(_again(here))
    change(open_workspace(here.root))

    assert then(_again(here))


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"scopes": ["agent/x"]}'])
def test_what_is_damaged_counts_as_absent(here: Workspace, damage: bytes) -> None:
    first = _again(here)
    (here.local / FILE).write_bytes(damage)

    assert _again(here) == first


def test_what_another_hand_wrote_is_not_taken(here: Workspace) -> None:
    first = _again(here)
    kept = here.local / FILE
    kept.write_bytes(kept.read_bytes().replace(b'"sprint/one"', b'"agent/other"'))

    assert _again(here) == first


def test_what_was_just_touched_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    (tmp_path / ".memory").mkdir()
    start_sprint(open_workspace(tmp_path), "One", workflow="standard", actor="human:You")

    assert "sprint/one" in scopes_listed(open_workspace(tmp_path))
    assert not (tmp_path / ".memory/local" / FILE).exists()
