"""Who is acting: nobody is a person inside an agent's shell, below a client, in CI, or without a terminal."""

import subprocess
from pathlib import Path

import pytest

from verifflowcc.base.formats.event_bytes import make_event, moment
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.people import NO_ROLE, PROGRAM, described
from verifflowcc.base.process.acting import AGENT_MARKERS, Actor, acting, git_user
from verifflowcc.memory.use.item_scope import trust_of
from verifflowcc.memory.use.scopes import agent_of

pytestmark = pytest.mark.vfcc("REQ-ACTORS")


def who(env: dict[str, str], *, terminal: bool = True, client: str | None = None, user: str | None = "Ann") -> Actor:
    return acting(env, terminal=terminal, client=lambda: client, name=lambda: user)


@pytest.mark.parametrize(
    ("env", "terminal", "user", "actor"),
    [
        ({}, True, "Ann Bee", "human:Ann Bee"),
        ({}, True, None, "human:unknown"),
        ({}, False, "Ann", PROGRAM),
        ({"CLAUDECODE": "1"}, True, "Ann", "agent:unknown"),
        ({"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, True, "Ann", "agent:unknown"),
        ({"CURSOR_AGENT": "1"}, True, "Ann", "agent:unknown"),
        ({"GEMINI_CLI": "1"}, True, "Ann", "agent:unknown"),
        ({"AI_AGENT": "some-client@2"}, True, "Ann", "agent:unknown"),
        ({"VFCC_AGENT": "coder"}, True, "Ann", "agent:coder"),
        ({"VFCC_AGENT": "coder", "CI": "true"}, False, "Ann", "agent:coder"),
        ({"VFCC_AGENT": "program"}, True, "Ann", "agent:unknown"),
        ({"CLAUDECODE": "1", "CI": "true"}, False, "Ann", "agent:unknown"),
        ({"CLAUDECODE": "0", "CI": "false"}, True, "Ann", "human:Ann"),
        ({"CI": "true"}, False, "Ann", "ci"),
        ({"CI": "1"}, True, "Ann", "ci"),
    ],
)
def test_a_marker_says_more_than_a_name(env: dict[str, str], terminal: bool, user: str | None, actor: str) -> None:
    assert who(env, terminal=terminal, user=user).name == actor


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("env", [{}, {"CI": "1"}])
def test_a_client_among_the_ancestors_is_a_marker(env: dict[str, str], terminal: bool) -> None:
    actor = who(env, terminal=terminal, client="codex")

    assert actor == Actor("agent:unknown", "codex is among the processes that started it")


@pytest.mark.parametrize("marker", AGENT_MARKERS)
def test_where_the_environment_answers_nothing_slower_is_asked(marker: str) -> None:
    def never() -> str:
        raise AssertionError("asked")

    actor = acting({marker: "1"}, terminal=True, client=never, name=never)

    assert actor.name.startswith("agent:")
    assert actor.why == f"{marker} is set"
    assert acting({"CI": "1"}, terminal=True, client=lambda: None, name=never) == Actor("ci")


def test_a_program_is_trusted_no_more_than_an_agent_and_has_no_role() -> None:
    assert PROGRAM in NO_ROLE
    assert agent_of(PROGRAM) is None
    assert trust_of(PROGRAM) is trust_of("agent:coder")
    assert described(PROGRAM) == "a program without a terminal"


@pytest.mark.parametrize("user", ["A\nB", " Ann ", "\x1b[31mRed", "x" * 500, "Zoë 😀", "\u200b", "\x00"])
def test_any_git_name_makes_an_actor_that_an_event_can_hold(user: str) -> None:
    at = moment("2026-01-01T00:00:00.000Z")

    for actor in (who({}, user=user).name, PROGRAM):
        assert make_event(EventType.FEEDBACK_ADDED, {"stage": None, "text": "x"}, parents=[], actor=actor, at=at)


def test_the_name_is_gits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "config", "user.name", "Zoë Ångström"], cwd=tmp_path, check=True)

    assert git_user(tmp_path) == "Zoë Ångström"
    assert git_user(tmp_path / "nowhere") is None
