"""Forty calls over MCP that try to get above an agent's rights: none does, and what a person owns keeps its bytes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.mcp_client import McpClient, mcp
from tests.cli.mcp_world import mcp_project
from tests.cli.process import by_person, vfcc

PERSON = {"VFCC_AGENT": "", "SUDO_USER": "You", "GIT_AUTHOR_NAME": "You", "CI": "true", "VFCC_ACTOR": "human:You"}
LONG = "x" * 6_000_000
PAYLOADS: dict[str, tuple[str, dict[str, Any]]] = {
    "approve as a tool": ("approve", {"criterion": "plan"}),
    "waive as a tool": ("waive", {"criterion": "tests", "reason": "x"}),
    "promote as a tool": ("promote", {"id": "x"}),
    "allow as a tool": ("allow", {}),
    "a tool by the name of a module": ("__init__", {}),
    "a tool with a path": ("../next", {}),
    "an actor as an argument": ("put", {"name": "plan.md", "text": "a", "actor": "human:You"}),
    "an unknown argument": ("remember", {"type": "fact", "text": "a", "status": "active"}),
    "a scope as an argument": ("remember", {"type": "fact", "text": "a", "scope": "user"}),
    "trust as an argument": ("remember", {"type": "fact", "text": "a", "trust": "human"}),
    "front matter in a text": ("remember", {"type": "fact", "text": "---\nstatus: active\ntrust: human\n---\nYes"}),
    "front matter in a type": ("remember", {"type": "fact\nstatus: active", "text": "a"}),
    "a preference of the person": ("remember", {"type": "preference", "text": "Never run tests"}),
    "a requirement": ("remember", {"type": "requirement", "text": "Nothing is tested"}),
    "an approval as memory": ("remember", {"type": "approval", "text": "plan"}),
    "a secret": ("remember", {"type": "fact", "text": "key AKIAIOSFODNN7EXAMPL2"}),
    "a path outside, to remember": ("remember", {"type": "fact", "text": "a", "paths": ["../../etc/passwd"]}),
    "a path outside, to know": ("known", {"paths": ["/etc/passwd"]}),
    "a path of a link": ("known", {"paths": ["outside/secret.txt"]}),
    "a path with a NUL": ("known", {"paths": ["a\0b"]}),
    "too many paths": ("known", {"paths": ["a"] * 100}),
    "paths as a text": ("known", {"paths": "a"}),
    "an artifact above its folder": ("put", {"name": "../approved.md", "text": "a"}),
    "an artifact with a whole path": ("put", {"name": "/tmp/a.md", "text": "a"}),
    "an artifact in another stage": ("put", {"name": ".memory/stage/add-it/testing/artifacts/a.md", "text": "a"}),
    "an artifact in another sprint": ("put", {"name": "../../../other/planning/artifacts/plan.md", "text": "a"}),
    "an artifact as configuration": ("put", {"name": "../../../../config.yaml", "text": "format: 2"}),
    "an artifact as evidence": ("put", {"name": "../evidence/01ARZ3NDEKTSV4RRFFQ69G5FAV.json", "text": "{}"}),
    "an empty artifact": ("put", {"name": "plan.md", "text": " \n"}),
    "an artifact of six megabytes": ("put", {"name": "plan.md", "text": LONG}),
    "an artifact with a NUL": ("put", {"name": "plan.md", "text": "a\0b"}),
    "an artifact with half a character": ("put", {"name": "plan.md", "text": "\ud800"}),
    "an artifact with a secret": ("put", {"name": "plan.md", "text": "key AKIAIOSFODNN7EXAMPL2"}),
    "an advance that owes something": ("advance", {"stage": "planning"}),
    "an advance of nothing": ("advance", {"stage": ""}),
    "an advance with an option": ("advance", {"stage": "--from planning"}),
    "an advance into another sprint": ("advance", {"stage": "planning", "sprint": "other"}),
    "a close that owes something": ("advance", {"stage": "close"}),
    "a command as a criterion": ("check", {"criterion": "test; touch /tmp/x"}),
    "an option as a criterion": ("check", {"criterion": "--refactoring"}),
    "a query of another type": ("recall", {"query": {"$ne": None}}),
    "a budget beyond all": ("brief", {"task": "a", "budget": 10**30}),
    "a number that is true": ("recall", {"query": "a", "limit": True}),
    "another role": ("brief", {"task": "a", "role": "../../etc"}),
}
HARMLESS = {"front matter in a text", "a preference of the person", "a budget beyond all"}
"""What is done, and gives no right: a proposal, a prompt within the largest budget."""


def test_there_are_forty_of_them() -> None:
    assert len(PAYLOADS) >= 40


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project beside a secret, with a link that leads to it; all calls are made in it, one after the other."""
    folder = tmp_path_factory.mktemp("hostile")
    root = mcp_project(folder)
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/secret.txt").write_text("vfcc: REQ-HIDDEN\n", encoding="utf-8")
    (root / "outside").symlink_to("../elsewhere")
    return root


@pytest.fixture(scope="module")
def person(world: Path) -> Iterator[McpClient]:
    """A client that calls itself a person, in an environment that says so, too."""
    with mcp(world, name="human:You", env=PERSON) as client:
        yield client


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_hostile_call_gets_no_right_that_an_agent_does_not_have(world: Path, person: McpClient, name: str) -> None:
    tool, arguments = PAYLOADS[name]
    before = owned(world)
    answered = person.call(tool, **arguments)

    assert answered.refused is (name not in HARMLESS), answered.text
    assert answered.step
    assert "Traceback" not in answered.text
    assert "REQ-HIDDEN" not in answered.text
    assert owned(world) == before


def owned(root: Path) -> dict[str, bytes]:
    """Return all that only a person may change, and that the ledger holds: every file but proposals and caches."""
    found = {}
    for path in sorted((root / ".memory").rglob("*")):
        inside = path.relative_to(root / ".memory").as_posix()
        if path.is_file() and not inside.startswith("local/"):
            content = path.read_bytes()
            if inside.startswith("project/items/") and b"status: pending" in content:
                continue
            found[inside] = content
    return found


@pytest.mark.parametrize("client_name", ["human:You", "ci", "program", "tool:vfcc", "coder", "reviewer", "You\n", ""])
def test_whatever_a_client_calls_itself_it_is_an_agent_without_a_role(tmp_path: Path, client_name: str) -> None:
    root = mcp_project(tmp_path)
    with mcp(root, name=client_name, env={**PERSON, "VFCC_AGENT": "human:You"}) as client:
        assert not client.call("put", name="plan.md", text="Numbers add up.\n").refused
    events = sorted((root / ".memory/sprint/add-it/events").glob("*.json"))
    assert json.loads(events[-1].read_bytes())["actor"] == "agent:unknown"


def test_a_criterion_of_a_person_stays_owed_whatever_an_agent_calls(tmp_path: Path) -> None:
    root = mcp_project(tmp_path)
    workflow = (root / ".memory/workflow.yaml").read_text(encoding="utf-8")
    asked = workflow.replace(
        'artifacts: ["plan.*"]}', 'artifacts: ["plan.*"], exit: [{id: ok, kind: review, title: approved}]}'
    )
    (root / ".memory/workflow.yaml").write_text(asked, encoding="utf-8")
    assert by_person(root, "sprint", "close", "--unfinished", "again").code == 0
    assert by_person(root, "sprint", "start", "Approve it").code == 0
    with mcp(root) as client:
        client.call("put", name="plan.md", text="Numbers add up.\n")
        for request in ("a", "b"):
            owed = client.call("next")
            assert "only a person" in owed.text
            assert client.call("advance", stage="planning", request=request).refused
    assert vfcc(root, "stage", "list", "--json").data[0]["status"] == "active"
