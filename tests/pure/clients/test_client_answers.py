"""An answer is put in the form that a client's event takes, and what it cannot take is left out."""

import json
import re
from pathlib import Path

import pytest

from tests.client_answers import check_answer
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_entries import EVENTS
from verifflowcc.history.rules.encode import MOST_CHARACTERS, HookAnswer, encode

CARRIES = {name: client_of(name).carries for name in EVENTS}
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "hooks.md"
ROWS = [
    (client, event, what)
    for client in CARRIES
    for event in EVENTS["claude"]
    for what in ("context", "deny", "ask", "block")
]


@pytest.mark.parametrize(("client", "event", "what"), ROWS, ids=" ".join)
def test_an_event_carries_what_the_table_says_and_nothing_else(client: str, event: str, what: str) -> None:
    asked = HookAnswer("what to know") if what == "context" else HookAnswer("", what, "why")

    printed, code = encode(client, event, asked)

    assert code == 0
    can = CARRIES[client].get(event, ())
    assert bool(printed) is (what in can or (what == "ask" and "deny" in can))
    if what == "ask" and what not in can:
        assert printed == encode(client, event, HookAnswer("", "deny", "why"))[0], "who cannot ask denies"
    check_answer(client, event, printed)
    if printed:
        assert ("what to know" if what == "context" else "why") in printed


def test_the_forms_of_each_client() -> None:
    def said(client: str, event: str, answer: HookAnswer) -> object:
        return json.loads(encode(client, event, answer)[0])

    deny, block, context = HookAnswer("", "deny", "why"), HookAnswer("", "block", "why"), HookAnswer("know")
    inner = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "why"}

    assert said("claude", "PreToolUse", deny) == said("codex", "PreToolUse", deny) == {"hookSpecificOutput": inner}
    assert said("claude", "Stop", block) == {"decision": "block", "reason": "why"}
    assert said("claude", "PostToolUse", HookAnswer("know", "block", "why")) == {
        "decision": "block",
        "reason": "why",
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "know"},
    }
    assert said("gemini", "PreToolUse", deny) == {"decision": "deny", "reason": "why"}
    assert said("gemini", "UserPromptSubmit", context) == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "know"}
    }
    assert said("cursor", "PreToolUse", deny) == {"permission": "deny", "user_message": "why", "agent_message": "why"}
    assert said("cursor", "UserPromptSubmit", block) == {"continue": False, "user_message": "why"}
    assert said("cursor", "Stop", block) == {"followup_message": "why"}
    assert said("cursor", "SessionStart", context) == {"additional_context": "know"}
    assert said("copilot", "PreToolUse", deny) == {"permissionDecision": "deny", "permissionDecisionReason": "why"}
    assert said("copilot", "Stop", block) == {"decision": "block", "reason": "why"}
    assert said("copilot", "PostToolUse", context) == {"additionalContext": "know"}


@pytest.mark.parametrize("client", CARRIES)
def test_a_context_is_cut_after_a_whole_line_and_says_so(client: str) -> None:
    lines = "\n".join(f"line {number} äöü" for number in range(2000))

    printed, _ = encode(client, "SessionStart", HookAnswer(lines))

    said = json.loads(printed)
    text = (
        said.get("additionalContext")
        or said.get("additional_context")
        or said["hookSpecificOutput"]["additionalContext"]
    )
    assert MOST_CHARACTERS - 40 < len(text) <= MOST_CHARACTERS
    *whole, last = text.split("\n")
    assert last == "… (cut here)"
    assert lines.startswith("\n".join(whole) + "\n")


def test_a_context_without_lines_is_cut_all_the_same() -> None:
    printed, _ = encode("copilot", "SessionStart", HookAnswer("x" * 20_000))

    assert len(json.loads(printed)["additionalContext"]) == MOST_CHARACTERS


def test_half_a_character_does_not_reach_a_client() -> None:
    assert json.loads(encode("codex", "Stop", HookAnswer("", "block", "a\ud800b"))[0])["reason"] == "a?b"


def test_a_decision_without_a_reason_gets_one() -> None:
    for client, events in CARRIES.items():
        for event, can in events.items():
            for decision in set(can) - {"context"}:
                assert "vfcc gave no reason" in encode(client, event, HookAnswer("", decision))[0]


def test_the_page_tells_of_each_event_and_answer_as_the_code_does() -> None:
    told: dict[tuple[str, str], tuple[str, str]] = {}
    client = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"## .*\(`vfcc hook (\w+)`\)", line):
            client = found[1]
        elif client and (row := re.fullmatch(r"\| `(\w+)` \| `(\w+)` \| ([\w, -]+) \|", line)):
            told[client, row[1]] = (row[2], row[3])

    wanted = {
        (client, own): (name, ", ".join(CARRIES[client].get(name, ())) or "-")
        for client, events in EVENTS.items()
        for own, name in events.items()
    }
    assert told == wanted
