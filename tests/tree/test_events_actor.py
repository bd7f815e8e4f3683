"""Who is acting: nobody is a person inside an agent's shell, in CI, or without a terminal."""

import subprocess
from pathlib import Path

import pytest

from verifflowcc.adapters.actor import acting, git_user
from verifflowcc.domain.events import EventType
from verifflowcc.formats.events import make_event, moment

pytestmark = pytest.mark.vfcc("REQ-ACTORS")


@pytest.mark.parametrize(
    ("env", "terminal", "user", "actor"),
    [
        ({}, True, "Ann Bee", "human:Ann Bee"),
        ({}, True, None, "human:unknown"),
        ({}, False, "Ann", "agent:unknown"),
        ({"CLAUDECODE": "1"}, True, "Ann", "agent:unknown"),
        ({"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, True, "Ann", "agent:unknown"),
        ({"CURSOR_AGENT": "1"}, True, "Ann", "agent:unknown"),
        ({"GEMINI_CLI": "1"}, True, "Ann", "agent:unknown"),
        ({"VFCC_AGENT": "coder"}, True, "Ann", "agent:coder"),
        ({"VFCC_AGENT": "coder", "CI": "true"}, False, "Ann", "agent:coder"),
        ({"CLAUDECODE": "0", "CI": "false"}, True, "Ann", "human:Ann"),
        ({"CI": "true"}, False, "Ann", "ci"),
        ({"CI": "1"}, True, "Ann", "ci"),
    ],
)
def test_a_marker_says_more_than_a_name(env: dict[str, str], terminal: bool, user: str | None, actor: str) -> None:
    assert acting(env, stdin_is_terminal=terminal, git_user=user) == actor


@pytest.mark.parametrize("user", ["A\nB", " Ann ", "\x1b[31mRed", "x" * 500, "Zoë 😀", "\u200b", "\x00"])
def test_any_git_name_makes_an_actor_that_an_event_can_hold(user: str) -> None:
    actor = acting({}, stdin_is_terminal=True, git_user=user)
    at = moment("2026-01-01T00:00:00.000Z")

    assert make_event(EventType.FEEDBACK_ADDED, {"stage": None, "text": "x"}, parents=[], actor=actor, at=at)


def test_the_name_is_gits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "config", "user.name", "Zoë Ångström"], cwd=tmp_path, check=True)

    assert git_user(tmp_path) == "Zoë Ångström"
    assert git_user(tmp_path / "nowhere") is None
