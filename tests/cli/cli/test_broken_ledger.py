"""Ledger files that vfcc did not write are found and named, and no sprint is moved on top of them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.cli.trees import everything

EVENTS = ".memory/sprint/sprint-02/events"
PROGRESS = ".memory/sprint/sprint-02/progress.json"
ARTIFACTS = ".memory/stage/sprint-02/coding/artifacts"
MARKERS = '<<<<<<< HEAD\n{"status": "closed"}\n=======\n{"status": "open"}\n>>>>>>> other\n'


def _last(folder: Path) -> Path:
    return sorted((folder / EVENTS).iterdir())[-1]


def _markers(folder: Path) -> None:
    ours = _last(folder).read_text(encoding="utf-8")
    _last(folder).write_text(f"<<<<<<< HEAD\n{ours}=======\n{ours}>>>>>>> other\n", encoding="utf-8")


def _truncated(folder: Path) -> None:
    os.truncate(_last(folder), 50)


def _empty(folder: Path) -> None:
    os.truncate(_last(folder), 0)


def _renamed(folder: Path) -> None:
    _last(folder).rename(_last(folder).with_name("01M7ZZZZZZZZZZZZZZZZZZZZZZ.json"))


def _edited(folder: Path) -> None:
    text = _last(folder).read_text(encoding="utf-8")
    assert '"entered":"coding"' in text
    _last(folder).write_text(text.replace('"entered":"coding"', '"entered":"testing"'), encoding="utf-8")


def _handmade(folder: Path) -> None:
    event = json.loads(_last(folder).read_text(encoding="utf-8"))
    event["payload"] |= {"stage": "coding", "entered": "testing"}
    text = json.dumps(event, sort_keys=True, separators=(",", ":"))
    _last(folder).with_name("01M7ZZZZZZZZZZZZZZZZZZZZZZ.json").write_text(f"{text}\n", encoding="utf-8")


def _named(folder: Path) -> None:
    (folder / EVENTS / "notes.json").write_text("{}\n", encoding="utf-8")


def _large(folder: Path) -> None:
    os.truncate(_last(folder), 100 * 1024 * 1024)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / EVENTS / "01M7ZZZZZZZZZZZZZZZZZZZZZZ.json")


def _folder(folder: Path) -> None:
    (folder / EVENTS / "01M7ZZZZZZZZZZZZZZZZZZZZZZ.json").mkdir()


def _outside(folder: Path) -> None:
    path = _last(folder)
    path.rename(folder.parent / path.name)
    path.symlink_to(folder.parent / path.name)


def _other_sprint(folder: Path) -> None:
    for path in (folder / ".memory/sprint/sprint-01/events").iterdir():
        (folder / EVENTS / path.name).write_bytes(path.read_bytes())


DAMAGES = (
    *(_markers, _truncated, _empty, _renamed, _edited, _handmade, _named, _large, _pipe, _folder, _outside),
    _other_sprint,
)


@pytest.mark.points(3)
@pytest.mark.parametrize("damage", DAMAGES)
def test_it_is_found_named_and_never_moved_on(example: Path, damage: Callable[[Path], None]) -> None:
    (example / ARTIFACTS / "changes.md").write_text("Done.\n", encoding="utf-8")
    damage(example)
    before = everything(example)

    moved = vfcc(example, "stage", "advance", "--sprint", "sprint-02")
    shown = vfcc(example, "sprint", "show", "sprint-02")

    suffix = ".jsonl" if damage is _other_sprint else ".json"
    moved.refused(3, f"error: {EVENTS}/", f"{suffix}:1: ", "\nhint: git ")
    assert (shown.code, shown.err) == (1, "")
    assert f"problems:\n- {EVENTS}/" in shown.out
    assert everything(example) == before


@pytest.mark.parametrize("damage", [_markers, _handmade])
def test_status_and_prompt_point_at_it(example: Path, damage: Callable[[Path], None]) -> None:
    damage(example)

    status = vfcc(example, "status")
    prompt = vfcc(example, "context", "show", "--agent", "coder")

    assert "next: vfcc sprint show sprint-02" in status.out
    assert prompt.code == 0
    assert f"warning: {EVENTS}/" in prompt.err


def test_an_event_that_is_mended_lets_the_sprint_go_on(example: Path) -> None:
    (example / ARTIFACTS / "changes.md").write_text("Done.\n", encoding="utf-8")
    path = _last(example)
    sound = path.read_bytes()
    _markers(example)
    assert vfcc(example, "stage", "advance").code == 3

    path.write_bytes(sound)

    assert vfcc(example, "stage", "advance").out.startswith("sprint-02: coding → testing")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PROGRESS")
def test_progress_with_conflict_markers_is_never_the_truth(example: Path) -> None:
    prompt = ("context", "show", "--agent", "coder")
    before = [vfcc(example, *line) for line in (("status",), ("sprint", "show"), prompt)]
    (example / PROGRESS).write_text(MARKERS, encoding="utf-8")

    assert [vfcc(example, *line) for line in (("status",), ("sprint", "show"), prompt)] == before

    (example / ARTIFACTS / "changes.md").write_text("Done.\n", encoding="utf-8")
    assert vfcc(example, "stage", "advance").code == 0
    assert json.loads((example / PROGRESS).read_text(encoding="utf-8"))["stage"] == "testing"


def test_results_that_are_no_json_are_named(example: Path) -> None:
    (example / ".memory/sprint/sprint-02/results.json").write_text(MARKERS, encoding="utf-8")

    shown = vfcc(example, "context", "show", "--agent", "coder")

    assert shown.code == 0
    assert "warning: progress.json left out: " in shown.err
    assert "results.json:1: this is not JSON" in shown.err
    vfcc(example, "context", "show", "--agent", "coder", "--strict").refused(3, "results.json:1: this is not JSON")
