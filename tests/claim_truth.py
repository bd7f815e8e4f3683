"""The ground truth of a recorded session: what a client reported, how each test ended, and the ledger's events."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")


@dataclass(frozen=True)
class Moment:
    """One call of a hook: when, what the client reported, what vfcc answered, and the ledger's events by then.

    `files` are the project's files by their paths, as they were then; `role` is the one that the client was started
    with, `chosen` the sprint that it was started for, and `branch` the git branch. `reason` is why vfcc denied a call.
    """

    at_ns: int
    payload: Mapping[str, Any]
    context: str = ""
    ledger: Sequence[Mapping[str, Any]] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    role: str = ""
    chosen: str = ""
    branch: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Outcome:
    """A test that ran: when, its name as pytest has it, whether it passed, and in which run."""

    at_ns: int
    test: str
    passed: bool
    run: int = 0


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
    entry: str = ""

    @property
    def now(self) -> Moment:
        """The moment itself."""
        return self.so_far[-1]

    @property
    def files(self) -> Mapping[str, str]:
        """The project's files at the moment."""
        return self.now.files

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
        """The current sprint: its id, title, goals, stage, role and counts, by its ledger, if one is chosen."""
        return current_sprint(self.now)

    @property
    def stage(self) -> Mapping[str, Any]:
        """The active stage of the current sprint, as its workflow has it; empty without one."""
        return stage_of(self.sprint)

    @property
    def role(self) -> str:
        """The role that the session acts in."""
        return self.now.role or str(self.stage.get("role", ""))

    def under(self, heading: str) -> list[str]:
        """Return the entries of the same context under a heading."""
        found: list[str] = []
        inside = False
        for line in self.lines:
            if line.endswith(":") and not line.startswith((" ", "- ")):
                inside = bool(re.match(heading, line))
            elif not line.startswith((" ", "- ")):
                inside = False
            elif inside and line.startswith("- "):
                found.append(line.removeprefix("- "))
        return found


def open_sprints(moment: Moment) -> dict[str, dict[str, Any]]:
    """Return the sprints that are not closed, by their ledgers."""
    found: dict[str, dict[str, Any]] = {}
    for event in moment.ledger:
        payload = event["payload"]
        name = event.get("of") or payload.get("sprint", "")
        if event["type"] == "sprint_started":
            found[name] = {**payload, "id": name, "stage": payload["entered"], "passed": 0}
        elif event["type"] == "sprint_closed":
            found.pop(name, None)
        elif "entered" in payload and name in found:
            found[name] = {**found[name], "stage": payload["entered"], "passed": found[name]["passed"] + 1}
    return found


def current_sprint(moment: Moment) -> dict[str, Any] | None:
    """Return the sprint that the client was started for, else the one of the git branch, else the only one."""
    found = open_sprints(moment)
    of_branch = [each for each in found.values() if each.get("branch") == moment.branch]
    if moment.chosen or len(found) < 2:
        return found.get(moment.chosen or next(iter(found), ""))
    return of_branch[0] if len(of_branch) == 1 else None


def stage_of(sprint: Mapping[str, Any] | None) -> Mapping[str, Any]:
    stages = sprint["workflow"]["stages"] if sprint else []
    return next((each for each in stages if sprint and each["id"] == sprint["stage"]), {})


@dataclass(frozen=True)
class Item:
    """An item of memory: its file, what its front matter holds, and its text."""

    path: str
    front: Mapping[str, Any]
    body: str

    def __getattr__(self, name: str) -> str:
        return str(self.front.get(name, ""))


def items_in(files: Mapping[str, str]) -> list[Item]:
    """Return the items whose files lie in the project's memory."""
    found = []
    for path, text in sorted(files.items()):
        parts = text.split("---\n", 2)
        if path.startswith(".memory/") and path.endswith(".md") and len(parts) == 3 and not parts[0]:
            front = yaml.safe_load(parts[1])
            if isinstance(front, dict) and "id" in front:
                found.append(Item(path, front, parts[2]))
    return found


def in_force(files: Mapping[str, str]) -> list[Item]:
    """Return the items that hold: active, not expired, and superseded by none that is active."""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    active = [each for each in items_in(files) if each.front.get("status", "active") == "active"]
    links = [link for each in active for link in each.front.get("links") or ()]
    gone = {link["to"] for link in links if link.get("relation") == "supersedes"}
    return [each for each in active if each.id not in gone and not ("expires" in each.front and each.expires < today)]


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


def minute_of(shown: str) -> int:
    """Return the minute, counted from 1970, that a time such as `2026-11-23 09:05` names, in UTC."""
    return int(datetime.strptime(shown, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()) // 60
