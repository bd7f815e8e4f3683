"""`vfcc sprint close` offers what the sprint learned: printed with the command that keeps it, and written nowhere."""

from pathlib import Path

import pytest

from tests.cli.process import by_person, git, vfcc
from tests.life_world import found
from tests.trees import write_memory

HOSTILE = found("noon", "Noon is \u202etwelve", "insight").replace("title: Noon is \u202etwelve\n", "")


@pytest.fixture
def closing(young: Path) -> Path:
    """A project whose sprint has found something out; its text would turn a terminal's line around."""
    assert vfcc(young, "sprint", "start", "Log in", "--id", "log-in").code == 0
    write_memory(young, {"sprint/log-in/items/insight/noon.md": HOSTILE})
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    return young


@pytest.mark.vfcc("REQ-STAGE-LIFECYCLE")
def test_what_a_sprint_learned_is_offered_as_it_closes(closing: Path) -> None:
    done = by_person(closing, "sprint", "close", "--unfinished", "enough")

    assert done.code == 0, done
    assert "learned in log-in, and kept only if you say so:\n  noon: " in done.out
    assert "    vfcc memory promote noon --to project --scope sprint/log-in\n" in done.out
    assert "\u202e" not in done.out
    changed = git(closing, "status", "--porcelain", "--untracked-files=all").splitlines()
    assert all("/events/" in line for line in changed), changed


def test_its_json_has_it_too(closing: Path) -> None:
    done = by_person(closing, "sprint", "close", "--unfinished", "enough", "--json", "--full")

    (learning,) = done.data["learnings"]
    assert {name: learning[name] for name in ("id", "scope", "type", "why", "command")} == {
        "id": "noon",
        "scope": "sprint/log-in",
        "type": "insight",
        "why": "an insight of sprint/log-in",
        "command": "vfcc memory promote noon --to project --scope sprint/log-in",
    }
