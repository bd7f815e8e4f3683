"""What a client ignores in silence is told."""

import hashlib
import json
from typing import Any

import pytest

from verifflowcc.history.rules.client_entries import entries, faults, misplaced, untrusted

CLAUDE = {"type": "command", "command": "vfcc", "args": ["hook", "claude"]}
CODEX = {"type": "command", "command": "vfcc hook codex"}


@pytest.mark.parametrize(
    ("client", "value", "words"),
    [
        ("claude", {"Stop": [{"hooks": [CLAUDE]}]}, '"Stop" is beside "hooks"'),
        ("claude", {"hooks": {"Stop": [CLAUDE]}}, "is in no group"),
        ("claude", {"hooks": {"stop": [{"hooks": [CLAUDE]}]}}, '"stop" is no event of claude'),
        (
            "codex",
            {"hooks": {"Stop": [{"hooks": [CODEX]}]}, "version": 1},
            'refuses the whole file for its key "version"',
        ),
        ("codex", {"hooks": {"Stop": [{"hooks": [{**CODEX, "args": []}]}]}}, 'ignores the "args"'),
        ("cursor", {"version": 1, "hooks": {"stop": [{"hooks": [{"command": "vfcc hook cursor"}]}]}}, "is in a group"),
        ("cursor", {"hooks": {"stop": [{"command": "vfcc hook cursor"}]}}, 'names no "version"'),
        ("gemini", {"hooksConfig": {"enabled": False}}, '"hooksConfig.enabled" is false'),
    ],
)
def test_a_fault_is_told(client: str, value: dict[str, Any], words: str) -> None:
    told = list(faults(client, value))

    assert len(told) == 1
    assert words in told[0].words


@pytest.mark.parametrize("client", ["claude", "codex", "cursor", "gemini", "copilot"])
def test_what_vfcc_writes_has_none(client: str) -> None:
    assert list(faults(client, {"version": 1} if client in ("cursor", "copilot") else {})) == []
    hooks = {event: [each] for event, each in entries(client).items()}
    assert list(faults(client, {"hooks": hooks, **({"version": 1} if client in ("cursor", "copilot") else {})})) == []


def test_a_file_that_no_client_reads_is_told_by_its_hooks_alone() -> None:
    assert misplaced(".claude/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [CLAUDE]}]}}, indent=2))
    assert misplaced(".gemini/hooks.json", '{"command": "vfcc hook gemini"}')
    assert not misplaced(".gemini/hooks.json", '{"command": "lint"}')
    assert not misplaced(".gemini/hooks.json", "")


def test_codex_trusts_a_folder_and_each_hook_by_its_digest() -> None:
    value = {"hooks": {"PreToolUse": [{"hooks": [{**CODEX, "timeout": 10}]}]}}
    said = {"event_name": "pre_tool_use", "hooks": [{"async": False, **CODEX, "timeout": 10}]}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    place = "/p/.codex/hooks.json:pre_tool_use:0:0"
    trusted: dict[str, object] = {"projects": {"/p": {"trust_level": "trusted"}}}

    assert "does not trust this folder" in untrusted({}, "/p", value)
    assert "1 of 1 hooks" in untrusted(trusted, "/p", value)
    assert untrusted({**trusted, "hooks": {"state": {place: {"trusted_hash": digest}}}}, "/p", value) == ""
    assert "1 of 1" in untrusted({**trusted, "hooks": {"state": {place: {"trusted_hash": "old"}}}}, "/p", value)
    assert "does not trust" in untrusted({"projects": 1, "hooks": [2]}, "/p", {"hooks": 3})
