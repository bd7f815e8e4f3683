"""The checker of claims finds each kind of sentence of a brief that is false, and none of those that are true."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.claims import Claim, Moment, Outcome, Record, claims
from verifflowcc.base.text.own_text import BEGIN, END

pytestmark = pytest.mark.vfcc("REQ-TRUE-BRIEF")

MINUTE = 60_000_000_000
NOON = int(datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
FOLDER = ".memory/stage/login"
STAGES = [
    {"id": "planning", "role": "planner", "edits": "none", "uses": [], "artifacts": ["plan.*"], "enter": [],
     "exit": [{"id": "plan", "kind": "artifact", "files": ["plan.*"]}]},
    {"id": "coding", "role": "coder", "edits": "tests", "uses": ["planning"], "artifacts": ["changes.*"], "enter": [],
     "exit": [{"id": "changes", "kind": "artifact", "files": ["changes.*"]}, {"id": "tests", "kind": "junit"}]},
]  # fmt: skip
STARTED = {
    "sprint": "login", "title": "Login", "goals": ["The numbers are right"], "entered": "planning", "base": "c0ffee",
    "branch": "main", "rules": {}, "workflow": {"stages": STAGES},
}  # fmt: skip
LEDGER = [
    {"type": "sprint_started", "of": "login", "payload": STARTED},
    {"type": "stage_passed", "of": "login", "payload": {"stage": "planning", "entered": "coding"}},
]
SIGNUP = {**STARTED, "sprint": "signup", "title": "Signup", "branch": "form"}
OTHER = {"type": "sprint_started", "of": "signup", "payload": SIGNUP}
FILES = {
    ".memory/config.yaml": "format: 2\ngates: {commands: {test: {run: [pytest]}}}\n",
    ".memory/agent/coder/tools.yaml": "version: 2\ntools:\n- {name: read, paths: ['**']}\n"
    "- {name: search, paths: ['**']}\n- {name: edit, paths: ['**']}\n- run\n- git-read\n"
    "- {name: vfcc, classes: [query, work]}\n",
    ".memory/agent/tester/tools.yaml": "version: 2\ntools:\n- {name: read, paths: ['**']}\n"
    "- {name: edit, paths: ['tests/**']}\n",
    ".memory/project/items/decision/plain.md": "---\nid: plain\ntype: decision\ntitle: Numbers are plain integers\n"
    "refs: [{path: numbers_.py}]\n---\nNo fractions.\n",
    ".memory/project/items/convention/names.md": "---\nid: names\ntype: convention\ntitle: Names are words\n---\nSo.\n",
    ".memory/project/items/decision/old.md": "---\nid: old\ntype: decision\ntitle: Numbers are words\n"
    "status: archived\n---\n",
    ".memory/project/items/decision/cookies.md": "---\nid: cookies\ntype: decision\ntitle: Cookies hold numbers\n"
    "status: pending\nsource: {actor: 'agent:coder'}\n---\n",
    f"{FOLDER}/planning/artifacts/plan.md": "# Plan\n\nCorrect both functions.\n",
    f"{FOLDER}/coding/evidence/e.json": '{"criterion": "tests"}',
    "numbers_.py": "def one():\n    return 1\n",
}
BEFORE = {**FILES, "numbers_.py": "def one():\n    return 2\n"}
BRIEF = f"""\
Sprint login “Login” is in stage coding, whose role is coder; 1 of 2 stages passed.
Goals: The numbers are right
The stage coding owes:
- changes: nothing matches {FOLDER}/coding/artifacts/changes.*: vfcc stage put changes.md
- tests: 1 of 2 tests failed: vfcc evidence run tests
- next: `vfcc stage put changes.md`
Not asked, for want of time: done. `vfcc next` names what the stage owes.
The gate of coding asks for {FOLDER}/coding/artifacts/changes.*.
The role coder may read and search all files, edit all files but vfcc's rules and records, run commands, read git, use vfcc (query, work). It may not change git.
Last test results:
- coding/tests, 2026-11-23 11:55 UTC: 1 of 2 tests failed, of other content: since then numbers_.py changed
- failed: tests.test_numbers::test_one
Open tasks:
- fix-one: Fix the number one
Rules in force, those that match the work first:
- decision plain, trust human: Numbers are plain integers
  > No fractions.
Earlier stages' artifacts, quoted:
- {FOLDER}/planning/artifacts/plan.md (32 bytes, by section):
  > # Plan: Correct both functions.
Commands:
- `vfcc next`: the next step of the sprint
- `vfcc context show --agent coder --task "…"`: the rules for a task
- `vfcc stage put changes.md --file -`: hand in an artifact
- `vfcc evidence run`: run what the gate asks for (test)
Proposals that wait for a person, not in force:
- decision cookies, by agent:coder: Cookies hold numbers
Not shown: 1 rule (vfcc memory list)."""  # noqa: E501
RULE = "- decision plain, trust human: Numbers are plain integers\n  > No fractions."
PLANNING = "Sprint login “Login” is in stage planning, whose role is planner; 0 of 2 stages passed."
RESUMED = """\
Sprint login “Login” is in stage coding, whose role is coder; 1 of 2 stages passed.
Since the last brief of this session:
No longer owed: plan.
No longer in force: gone."""
SUBAGENT = """\
The subagent's own role tester may read all files, edit tests/**. It may not search files, run commands, read git, change git.
In the stage coding a subagent changes test files alone."""  # noqa: E501
SEVERAL = """\
This project uses vfcc; several sprints are open: login, signup; choose one. Until then the rules of each hold for every call.
- login “Login”: in stage coding, started on branch main
Choose: start the client with VFCC_SPRINT=login, or: git switch main. For one command: --sprint ID."""  # noqa: E501
DENIED = (
    "the role coder (stage coding) may not call mcp__files__write: .memory/agent/coder/tools.yaml lists no tool 'mcp'"
)
CLOSED = (
    "Edit may change .memory/config.yaml, which holds the rules of the project or the machine: only a person changes it"
)


def said(at: int, event: str, context: str = "", files: Mapping[str, str] = FILES, **more: Any) -> Moment:
    ledger: Sequence[Mapping[str, Any]] = more.pop("ledger", LEDGER)
    reason, branch = more.pop("reason", ""), more.pop("branch", "main")
    marked = f"{BEGIN}\n{context}\n{END}" if context else ""
    payload = {"hook_event_name": event, "session_id": "s1", **more}
    return Moment(NOON + at * MINUTE, payload, marked, ledger, files, branch=branch, reason=reason)


def verdicts(context: str, **more: Any) -> list[Claim]:
    """Return the claims of a brief at noon, after a session that ran tests and edited a file."""
    task = {"tool_name": "Bash", "tool_input": {"command": 'vfcc task start "Fix the number one"'}}
    gone = {**BEFORE, ".memory/project/items/decision/gone.md": "---\nid: gone\ntype: decision\ntitle: Gone\n---\n"}
    past = [
        said(-20, "SessionStart", PLANNING, gone, ledger=LEDGER[:1]),
        said(-10, "UserPromptSubmit", "", BEFORE, prompt="Fix the numbers."),
        said(-9, "PostToolUse", "", BEFORE, **task),
        said(-4, "PostToolUse", "", FILES, tool_name="Edit", tool_input={"file_path": "/p/numbers_.py"}),
    ]  # fmt: skip
    ran = [
        Outcome(NOON - 5 * MINUTE - 1, "tests/test_numbers.py::test_two", passed=True, run=7),
        Outcome(NOON - 5 * MINUTE, "tests/test_numbers.py::test_one", passed=False, run=7),
    ]
    now = said(0, more.pop("event", "SessionStart"), context, **more)
    return list(claims(Record(Path("/p"), [*past, now], ran)))[1:]


@pytest.mark.parametrize(
    ("context", "more"),
    [
        (BRIEF, {}),
        (RESUMED, {"source": "resume"}),
        (SUBAGENT, {"event": "SubagentStart", "agent_id": "a1", "agent_type": "tester"}),
        (SEVERAL, {"ledger": [*LEDGER, OTHER], "branch": "elsewhere"}),
        ("", {"event": "PreToolUse", "reason": DENIED, "tool_input": {"name": "mcp__files__write"}}),
        ("", {"event": "PreToolUse", "reason": CLOSED, "tool_input": {"file_path": ".memory/config.yaml"}}),
    ],
)
def test_true_sentences_of_each_kind_are_found_true(context: str, more: dict[str, Any]) -> None:
    assert [each.text for each in verdicts(context, **more) if not each.true] == []


@pytest.mark.parametrize(
    ("was", "instead"),
    [
        ("1 of 2 stages passed", "2 of 2 stages passed"),
        ("whose role is coder", "whose role is tester"),
        ("Goals: The numbers are right", "Goals: People sign in"),
        ("The stage coding owes:", "The stage planning owes:"),
        ("The stage coding owes:", "The stage coding owes nothing:"),
        ("- changes: nothing matches", "- plan: nothing matches"),
        (f"nothing matches {FOLDER}/coding/artifacts/changes.*", f"nothing matches {FOLDER}/planning/artifacts/plan.*"),
        ("- tests: 1 of 2 tests failed", "- tests: 2 of 2 tests failed"),
        ("vfcc evidence run tests", "vfcc evidence make tests"),
        ("- next: `vfcc stage put changes.md`", "- next: `vfcc stage advance`"),
        ("for want of time: done", "for want of time: gate"),
        ("The gate of coding asks for .memory/stage/login/coding/artifacts/changes.*",
         "The gate of coding asks for .memory/stage/login/coding/artifacts/plan.*"),
        ("edit all files but vfcc's rules and records, ", "edit tests/**, "),
        ("edit all files but vfcc's rules and records, ", "edit all files, "),
        ("read git, ", "read and change git, "),
        ("run commands, ", ""),
        (" It may not change git.", ""),
        ("11:55 UTC: 1 of 2", "11:55 UTC: 2 of 2"),
        ("11:55 UTC", "09:55 UTC"),
        ("of other content: since then numbers_.py changed", "of the files as they are now"),
        ("since then numbers_.py changed", "since then other.py changed"),
        ("- failed: tests.test_numbers::test_one", "- failed: tests.test_numbers::test_two"),
        ("fix-one: Fix the number one", "fix-two: Fix the number two"),
        (RULE, "- convention names, trust human: Names are words"),
        ("decision plain, trust human", "decision plain, trust agent"),
        ("decision plain, trust", "constraint plain, trust"),
        ("Numbers are plain integers", "Numbers are fractions"),
        ("decision plain, trust human: Numbers are plain integers", "decision old, trust human: Numbers are words"),
        ("decision plain, trust human: Numbers are plain integers",
         "decision plain, trust human: Numbers are plain integers (stale: gone.py is gone)"),
        ("> No fractions.", "> Fractions are fine."),
        ("(32 bytes", "(64 bytes"),
        ("> # Plan: Correct both functions.", "> # Plan: Correct one function."),
        ("planning/artifacts/plan.md (", "planning/artifacts/other.md ("),
        ("- `vfcc next`", "- `vfcc nextt`"),
        ("--agent coder", "--agent dancer"),
        ("put changes.md --file", "put plan.md --file"),
        ("asks for (test)", "asks for (lint)"),
        ("by agent:coder", "by human:coder"),
        ("decision cookies, by agent:coder: Cookies hold numbers",
         "decision plain, by agent:coder: Numbers are plain integers"),
        ("Not shown: 1 rule", "Not shown: 3 rules"),
    ],
)  # fmt: skip
def test_one_false_sentence_in_a_brief_is_found(was: str, instead: str) -> None:
    assert BRIEF.count(was) >= 1
    assert any(each.true is False for each in verdicts(BRIEF.replace(was, instead, 1)))


@pytest.mark.parametrize(
    ("context", "was", "instead", "more"),
    [
        (RESUMED, "No longer owed: plan.", "No longer owed: changes.", {}),
        (RESUMED, "No longer in force: gone.", "No longer in force: plain.", {}),
        (RESUMED, "Since the last brief of this session:", "Nothing changed since the last brief of this session.", {}),
        (SUBAGENT, "edit tests/**", "edit docs/**", {"agent_type": "tester"}),
        (SUBAGENT, "role tester", "role coder", {"agent_type": "tester"}),
        (SUBAGENT, "test files alone", "no file outside of .memory/", {"agent_type": "tester"}),
        (SEVERAL, "open: login, signup", "open: login", {"ledger": [*LEDGER, OTHER], "branch": "elsewhere"}),
        (
            SEVERAL,
            "stage coding, started",
            "stage planning, started",
            {"ledger": [*LEDGER, OTHER], "branch": "elsewhere"},
        ),
        (SEVERAL, "git switch main", "git switch trunk", {"ledger": [*LEDGER, OTHER], "branch": "elsewhere"}),
        (SEVERAL, "several", "several", {}),
    ],
)
def test_one_false_sentence_of_another_kind_is_found(
    context: str, was: str, instead: str, more: dict[str, Any]
) -> None:
    assert any(each.true is False for each in verdicts(context.replace(was, instead), **more))


@pytest.mark.parametrize(
    ("reason", "given"),
    [
        (DENIED.replace("call mcp__files__write", "run make").replace("'mcp'", "'run'"), {"command": "make"}),
        (DENIED.replace("role coder", "role planner"), {"name": "mcp__files__write"}),
        (CLOSED.replace(".memory/config.yaml", "numbers_.py"), {"file_path": "numbers_.py"}),
    ],
)
def test_a_denial_for_a_false_reason_is_found(reason: str, given: dict[str, str]) -> None:
    (found,) = verdicts("", event="PreToolUse", reason=reason, tool_input=given)

    assert found.true is False


@pytest.mark.parametrize("line", ["The moon is full.", "The moon is full:", "Commands:\n- `vfcc next` is nice"])
def test_a_sentence_or_heading_without_a_rule_has_no_verdict(line: str) -> None:
    assert verdicts(line)[-1].true is None
