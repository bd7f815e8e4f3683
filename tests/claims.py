"""Check every sentence that hooks put into a conversation against what happened.

The truth comes from elsewhere than the sentences: from what clients reported to their hooks, whole outputs included,
from the outcome of each test as pytest itself reported it, and from the files of the ledger.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")
COMMANDS = (
    "approve check code context doctor evidence history memory next recall sprint stage status task trace".split()
)
_MARK = re.compile(r"<!-- vfcc: memory -->\n(.*?)\n?<!-- vfcc: end -->", re.DOTALL)


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
class Claim:
    """A sentence under its heading; `true` is None where no rule knows what it claims."""

    event: str
    heading: str
    text: str
    true: bool | None


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
        return [one for each in self.of("UserPromptSubmit", session=session) for one in _asked_in(each)]

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
            if _label(each.payload) == label:
                start = begun.get(each.payload.get("tool_use_id"), each.at_ns)
                ran = [one for one in self.outcomes if start <= one.at_ns <= each.at_ns]
                failed = _has_failed(each.payload) or any(not one.passed for one in ran)
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


def claims(record: Record) -> Iterator[Claim]:
    """Yield each sentence of every context that was answered, with whether it was true then."""
    for number, moment in enumerate(record.moments):
        ran = [each for each in record.outcomes if each.at_ns <= moment.at_ns]
        session, agent = str(moment.payload.get("session_id", "")), str(moment.payload.get("agent_id", ""))
        so_far = record.moments[: number + 1]
        for marked in _MARK.findall(moment.context):
            truth = Truth(record.root, session, agent, so_far, ran, lines=marked.split("\n"))
            for line in truth.lines:
                if line.endswith(":") and not line.startswith((" ", "- ")):
                    truth.heading = line.removesuffix(":")
                elif line.strip():
                    if not line.startswith((" ", "- ")):
                        truth.heading = ""
                    event = str(moment.payload["hook_event_name"])
                    yield Claim(event, truth.heading, line, _verdict(truth, line))


def _verdict(truth: Truth, line: str) -> bool | None:
    plain = line.removeprefix("- ")
    for heading, pattern, rule in RULES:
        if re.fullmatch(heading, truth.heading) and (found := re.fullmatch(pattern, plain, re.DOTALL)):
            return rule(truth, found)
    return None


Rule = Callable[[Truth, re.Match[str]], bool]


def _no_sprint(truth: Truth, _: re.Match[str]) -> bool:
    return truth.sprint is None


def _place(truth: Truth, found: re.Match[str]) -> bool:
    sprint = truth.sprint
    if sprint is None:
        return False
    role = next(each["role"] for each in sprint["workflow"]["stages"] if each["id"] == sprint["stage"])
    counts = (str(sprint["passed"]), str(len(sprint["workflow"]["stages"])))
    return found.groups() == (sprint["id"], sprint["title"], sprint["stage"], role, *counts)


def _role(truth: Truth, found: re.Match[str]) -> bool:
    sprint = truth.sprint
    stages = sprint["workflow"]["stages"] if sprint else []
    return any(each["role"] == found[1] and sprint and each["id"] == sprint["stage"] for each in stages)


def _unchanged(truth: Truth, _: re.Match[str]) -> bool:
    """Since the brief before it in this session, no event came to the ledger and no other session worked here."""
    starts = [each for each in truth.of("SessionStart", session=truth.session) if each.context]
    if len(starts) < 2:
        return False
    since = [each for each in truth.so_far if each.at_ns > starts[-2].at_ns]
    others = {each.payload.get("session_id") for each in since} - {truth.session}
    return len(starts[-2].ledger) == len(truth.so_far[-1].ledger) and not others


def _goals(truth: Truth, found: re.Match[str]) -> bool:
    return truth.sprint is not None and _begins("; ".join(truth.sprint["goals"]), found[1])


def _owed(truth: Truth, found: re.Match[str]) -> bool:
    """A criterion of the stage; where it names a pattern that nothing matches, nothing does."""
    sprint = truth.sprint
    if sprint is None:
        return False
    stage = next(each for each in sprint["workflow"]["stages"] if each["id"] == sprint["stage"])
    absent = re.match(r"nothing matches (\S+?):", found[2])
    if found[1] == "rules":  # a criterion of every gate
        changed = re.search(r"(\S+) \(new, not committed\)", found[2])
        return changed is not None and (truth.root / changed[1]).is_file()
    known = found[1] in {each["id"] for each in (*stage["enter"], *stage["exit"])}
    return known and (absent is None or not list(truth.root.glob(absent[1])))


def _asked(truth: Truth, found: re.Match[str]) -> bool:
    return any(_begins(each, found[1]) for each in truth.prompts(truth.session))


def _answered(truth: Truth, found: re.Match[str]) -> bool:
    return any(_begins(each, found[1]) for each in truth.answers(truth.session))


def _open_turn(truth: Truth, found: re.Match[str]) -> bool:
    last = truth.of("UserPromptSubmit", "Stop", session=truth.session)[-1].payload
    asked = truth.prompts(truth.session)
    return last["hook_event_name"] == "UserPromptSubmit" and any(_begins(each, found[1]) for each in asked[-2:])


def _edited(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=True, session=truth.session)


def _read(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=False, session=truth.session)


def _still_fails(truth: Truth, found: re.Match[str]) -> bool:
    """The test's last outcome is a failure; of a call, so is the last outcome of all that failed in it."""
    last = {each.test: each.passed for each in truth.outcomes}
    if found[1] in last:
        return not last[found[1]]
    runs = truth.runs(found[1], truth.session)
    if not runs or not runs[-1][1]:
        return False
    return all(not last[each.test] for each in runs[-1][2] if not each.passed)


def _failed_then(truth: Truth, found: re.Match[str]) -> bool:
    """The last run of the command failed, with this test among the failures where one is named."""
    where = re.search(r"in `(.*?)`\)", found[2])
    runs = truth.runs(where[1] if where else found[1], truth.session)
    if not runs or not runs[-1][1]:
        return False
    return not where or any(each.test == found[1] and not each.passed for each in runs[-1][2])


def _left_out(_: Truth, found: re.Match[str]) -> bool:
    return int(found[1]) <= int(found[2])


def _done(truth: Truth, found: re.Match[str]) -> bool:
    """A prompt of a session, how it ended, the files that were touched for it, and the answer."""
    status, asked, rest = found.groups()
    known = [each for each in truth.of("UserPromptSubmit") if any(_begins(one, asked) for one in _asked_in(each))]
    if not known:
        return False
    session = known[-1].payload["session_id"]
    after = [each for each in truth.of("UserPromptSubmit", "Stop", session=session) if each.at_ns > known[-1].at_ns]
    ended = bool(after) and after[0].payload["hook_event_name"] == "Stop"
    parts = [
        ended is (status == "completed"),
        *(any(_begins(one, each) for one in truth.answers()) for each in re.findall(r"(?:said|with): “(.*?)”", rest)),
        *(truth.touched(each, edited=True) for each in _listed(r"Edited: (.*?)\.(?: |$)", rest)),
        *(truth.touched(each, edited=False) for each in _listed(r"(?:Files|Read): (.*?)\.(?: |$)", rest)),
    ]
    return all(parts)


def _past_edit(truth: Truth, found: re.Match[str]) -> bool:
    path = truth.heading.removeprefix("Known of ")
    others = {each.payload["session_id"] for each in truth.of("UserPromptSubmit")} - {truth.session}
    mine = [each for each in others if truth.touched(path, edited=True, session=each)]
    return any(not found[1] or any(_begins(one, found[1]) for one in truth.prompts(each)) for each in mine)


def _edited_together(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=True) and truth.touched(truth.heading.removeprefix("Known of "), edited=True)


def _marked(truth: Truth, found: re.Match[str]) -> bool:
    text = (truth.root / truth.heading.removeprefix("Known of ")).read_text(encoding="utf-8")
    return all(name in text for name in found[1].split(", "))


def _item(truth: Truth, found: re.Match[str]) -> bool:
    """An item of that type, id and title; under a file's heading it cites the file."""
    text = truth.item(found[2])
    path = truth.heading.removeprefix("Known of ") if truth.heading.startswith("Known of ") else ""
    return f"type: {found[1]}" in text and found[3].rstrip("…").split(" (stale: ")[0] in text and path in text


def _quoted(truth: Truth, found: re.Match[str]) -> bool:
    texts = [path.read_text(encoding="utf-8") for path in (truth.root / ".memory/stage").rglob("*") if path.is_file()]
    return any(_plain(found[1]).rstrip("…") in _plain(text) for text in texts)


def _artifact(truth: Truth, found: re.Match[str]) -> bool:
    return (truth.root / ".memory" / found[1].removeprefix(".memory/")).is_file()


def _command(_: Truth, found: re.Match[str]) -> bool:
    return found[1] in COMMANDS


def _always(*_: object) -> bool:
    return True


_SPRINT = (
    r"Sprint (\S+?)(?: \([^)]*\))? “(.*?)” is in stage (\S+), whose role is (\S+?); (\d+) of (\d+) stages passed\..*"
)
_ANY = r"[^\n]*"
_ITEM = r"([a-z_]+) (\S+), trust \w+: (.*)"
RULES: Sequence[tuple[str, str, Rule]] = (
    ("", r"This project uses vfcc; no sprint is open\.", _no_sprint),
    ("", _SPRINT, _place),
    ("", r"Goals: (.*)", _goals),
    ("", r"The role (\S+) may .*", _role),
    ("", r"Not asked, for want of time: .*", _always),
    ("", r"Nothing changed since the last brief of this session\.", _unchanged),
    ("", r"What this session did before its context was compacted\.", _always),
    ("The stage .*", r"next: `vfcc (\w+).*`", _command),
    ("The stage .* owes", r"([\w-]+): (.*)", _owed),
    ("Not finished yet", r"In work for [^:]*: (.*)", _open_turn),
    ("What the user said.*", r"[^:]* ago: \"(.*)\"", _asked),
    ("What was answered.*", r"[^:]* ago: \"(.*)\"", _answered),
    ("Files edited.*", r"(.*?)(?:, lines .*)?", _edited),
    ("Files read.*", r"(.*?)(?:, lines .*)?", _read),
    ("Failed, and not passed since", r"(.*?) \([^()]* ago.*", _still_fails),
    ("Failed when it was last run so.*", r"(.*?) (\([^()]* ago.*)", _failed_then),
    (_ANY, r"(\d+) of (\d+) items? of the session are left out\.", _left_out),
    ("(?:What was done here|Done here) last", r"[\d-]+, (\w+)[^:]*(?::\d\d[^:]*)?: “(.*?)”\.(.*)", _done),
    ("Known of .*", r"[\d-]+: (?:edit|write)(?: \([^)]*\))?(?: for “(.*)”)?", _past_edit),
    ("Known of .*", r"(.*) was edited together with it (?:at least )?\d+ times", _edited_together),
    ("Known of .*", r"it says that it is of (.*)", _marked),
    ("Known of .*|What bears on it.*|The project's memory on this", _ITEM, _item),
    ("Earlier stages' artifacts.*", r"(.*?)(?: \(.*\))?:?", _artifact),
    ("Earlier stages' artifacts.*", r"  > (.*)", _quoted),
    ("Commands", r"`vfcc (\w+).*`: .*", _command),
)  # fmt: skip
"""Under which heading, which sentence, and how it is checked; the first that fits counts."""


def _asked_in(moment: Moment) -> Iterator[str]:
    prompt = str(moment.payload.get("prompt", ""))
    yield prompt
    if "\n## Your Task\n" in prompt:
        yield prompt.partition("\n### Task\n")[2]


def _label(payload: Mapping[str, Any]) -> str:
    given = payload.get("tool_input")
    text = given.get("command") or given.get("file_path") or "" if isinstance(given, Mapping) else ""
    return _plain(f"{payload.get('tool_name')} {text}")[:200]


def _has_failed(payload: Mapping[str, Any]) -> bool:
    answer = payload.get("tool_response")
    code = answer.get("exit_code", 0) if isinstance(answer, Mapping) else 0
    return payload["hook_event_name"] == "PostToolUseFailure" or bool(code)


def _listed(pattern: str, text: str) -> list[str]:
    return [each for found in re.findall(pattern, text) for each in re.sub(r" and \d+ more$", "", found).split(", ")]


def _begins(whole: str, shown: str) -> bool:
    """Whether a quotation is a text, or its beginning, on one line."""
    return _plain(whole).startswith(_plain(shown).rstrip("…").rstrip())


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
