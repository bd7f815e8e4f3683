"""The ground truth of a recorded session: what a client reported, how each test ended, and the ledger's events."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")


@dataclass(frozen=True)
class Moment:
    """One call of a hook: when, what the client reported, what vfcc answered, and the ledger's events by then."""

    at_ns: int
    payload: Mapping[str, Any]
    context: str = ""
    ledger: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Outcome:
    """A test that ran: when, its name as pytest has it, and whether it passed."""

    at_ns: int
    test: str
    passed: bool


@dataclass(frozen=True)
class Record:
    """All that happened in a project, in order of time."""

    root: Path
    moments: Sequence[Moment]
    outcomes: Sequence[Outcome] = ()


@dataclass
class Truth:
    """What had happened at one moment, of which the session is asked about."""

    root: Path
    session: str
    agent: str
    so_far: Sequence[Moment]
    outcomes: Sequence[Outcome]
    heading: str = ""
    lines: list[str] = field(default_factory=list)

    def of(self, *events: str, session: str = "") -> list[Moment]:
        """Return the calls of hooks for some events, of one session where it is named."""
        return [
            each
            for each in self.so_far
            if each.payload["hook_event_name"] in events and session in ("", each.payload.get("session_id"))
        ]

    def prompts(self, session: str = "") -> list[str]:
        """Return what was asked; of a compiled prompt the task that it ends with or names, besides."""
        return [one for each in self.of("UserPromptSubmit", session=session) for one in asked_in(each)]

    def answers(self, session: str = "") -> list[str]:
        """Return what agents and helpers answered; the end of a helper that never began is none."""
        started = {each.payload.get("agent_id") for each in self.of("SubagentStart")}
        ends = self.of("Stop", "SubagentStop", session=session)
        return [
            str(each.payload.get("last_assistant_message") or "")
            for each in ends
            if each.payload["hook_event_name"] == "Stop" or each.payload.get("agent_id") in started
        ]

    def touched(self, path: str, *, edited: bool, session: str = "") -> bool:
        """Whether a call that did not fail edited the file, or named it at all."""
        for each in self.of("PostToolUse", session=session):
            is_edit = each.payload.get("tool_name") in EDITS
            given = str(each.payload.get("tool_input"))
            if path in given and (is_edit or not edited or ">" in given or "sed -i" in given):
                return True
        return False

    def runs(self, label: str, session: str = "") -> list[tuple[Moment, bool, list[Outcome]]]:
        """Return the calls of this label that ended: each with whether it failed, and the tests that ran in it."""
        begun = {each.payload.get("tool_use_id"): each.at_ns for each in self.of("PreToolUse")}
        found = []
        for each in self.of("PostToolUse", "PostToolUseFailure", session=session):
            if label_of(each.payload) == label:
                start = begun.get(each.payload.get("tool_use_id"), each.at_ns)
                ran = [one for one in self.outcomes if start <= one.at_ns <= each.at_ns]
                failed = has_failed(each.payload) or any(not one.passed for one in ran)
                found.append((each, failed, ran))
        return found

    @property
    def sprint(self) -> Mapping[str, Any] | None:
        """The newest sprint that is not closed: its id, title, goals, stage, role and counts, by its ledger."""
        sprint: dict[str, Any] | None = None
        for event in self.so_far[-1].ledger:
            payload = event["payload"]
            if event["type"] == "sprint_started":
                sprint = {**payload, "id": payload["sprint"], "stage": payload["entered"], "passed": 0}
            elif event["type"] == "sprint_closed":
                sprint = None
            elif sprint and "entered" in payload:
                sprint = {**sprint, "stage": payload["entered"], "passed": sprint["passed"] + 1}
        return sprint

    def item(self, name: str) -> str:
        """Return the text of an item's file; empty where there is none."""
        for path in sorted((self.root / ".memory").rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            if re.search(rf"^id: {re.escape(name)}$", text, re.MULTILINE):
                return text
        return ""


def asked_in(moment: Moment) -> Iterator[str]:
    prompt = str(moment.payload.get("prompt", ""))
    yield prompt
    if "\n## Your Task\n" in prompt:
        yield prompt.partition("\n### Task\n")[2]


def label_of(payload: Mapping[str, Any]) -> str:
    given = payload.get("tool_input")
    text = given.get("command") or given.get("file_path") or "" if isinstance(given, Mapping) else ""
    return plain(f"{payload.get('tool_name')} {text}")[:200]


def has_failed(payload: Mapping[str, Any]) -> bool:
    answer = payload.get("tool_response")
    code = answer.get("exit_code", 0) if isinstance(answer, Mapping) else 0
    return payload["hook_event_name"] == "PostToolUseFailure" or bool(code)


def listed(pattern: str, text: str) -> list[str]:
    return [each for found in re.findall(pattern, text) for each in re.sub(r" and \d+ more$", "", found).split(", ")]


def begins(whole: str, shown: str) -> bool:
    """Whether a quotation is a text, or its beginning, on one line."""
    return plain(whole).startswith(plain(shown).rstrip("…").rstrip())


def plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
