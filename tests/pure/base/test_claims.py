"""The checker of claims finds what is false: it is given records in which a context says what did not happen."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.claims import Claim, Moment, Outcome, Record, claims
from verifflowcc.base.text.own_text import BEGIN, END

TEST = "tests/a.py::b"
COMMAND: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "pytest tests/a.py::b"}, "tool_use_id": "t1"}


def moment(at_ns: int, event: str, context: str = "", session: str = "s1", **said: Any) -> Moment:
    marked = f"{BEGIN}\n{context}\n{END}" if context else ""
    return Moment(at_ns, {"hook_event_name": event, "session_id": session, **said}, marked)


def verdicts(context: str, *outcomes: Outcome) -> list[bool | None]:
    """What the checker finds of a brief: a test failed in a run of the session, and `outcomes` came later."""
    session = [
        moment(1, "UserPromptSubmit", prompt="Fix the walrus."),
        moment(2, "PreToolUse", **COMMAND),
        moment(4, "PostToolUseFailure", **COMMAND, error="Exit code 1"),
        moment(5, "PostToolUse", tool_name="Edit", tool_input={"file_path": "/p/a.py"}),
        moment(6, "SubagentStop", agent_id="a1", last_assistant_message="The summary."),
        moment(7, "Stop", last_assistant_message="I fixed it."),
        moment(9, "SessionStart", context, source="compact"),
    ]
    record = Record(Path("/nowhere"), session, [Outcome(3, TEST, passed=False), *outcomes])
    return [each.true for each in claims(record) if not each.text.endswith(":")]


@pytest.mark.parametrize(
    ("context", "true"),
    [
        (f"Failed, and not passed since:\n- {TEST} (1 minute ago, in `Bash pytest tests/a.py::b`): no", True),
        ("Failed, and not passed since:\n- Bash pytest tests/a.py::b (1 minute ago): no", True),
        ("Failed, and not passed since:\n- Bash make (1 minute ago): no", False),
        (f"Failed, and not passed since:\n- {TEST} (1 minute ago, 2 times): no", False),
        ('Prompts of the user, newest first:\n- 5 minutes ago: "Fix the walrus."', False),
        ("What this session did before its context was compacted.", True),
        ("Known of a.py:\n- it says that it is of REQ-WALRUS", False),
        ("Known of a.py:\n- b.py was edited together with it at least 2 times", False),
        ("Known of a.py:\n- 1970-01-01: edit (+1 -1) for “Feed the walrus.”", False),
        ("Files edited, newest first:\n- a.py, lines 1-2", True),
        ("Files edited, newest first:\n- z.py", False),
        ('Prompts of the user, newest first:\n- 1 minute ago: "Fix the"', True),
        ('Prompts of the user, newest first:\n- 1 minute ago: "Feed the walrus."', False),
        ('What was answered, newest first:\n- 1 minute ago: "I fixed it."', True),
        ('What was answered, newest first:\n- 1 minute ago: "The summary."', False),
        ("Not finished yet:\n- Active for 1 minute: Fix the walrus.", False),
        ("Done here last:\n- 2026-11-23, completed: “Fix the walrus.”. It ended with: “I fixed it.”.", True),
        ("Done here last:\n- 2026-11-23, paused: “Fix the walrus.”.", False),
        ("This project uses vfcc; no sprint is open.", True),
        ("Nothing changed since the last brief of this session.", False),
        ("The moon is full.", None),
    ],
)
def test_a_sentence_is_held_against_the_record(context: str, true: bool | None) -> None:
    assert verdicts(context) == [true]


@pytest.mark.parametrize("label", [TEST, "Bash pytest tests/a.py::b"])
def test_a_test_that_passed_since_is_not_open_whatever_command_ran_it(label: str) -> None:
    claim = f"Failed, and not passed since:\n- {label} (1 minute ago): no"
    then = f"Failed when it was last run so; another run since may have passed it:\n- {label} (1 minute ago): no"

    assert verdicts(claim, Outcome(8, TEST, passed=True)) == [False]
    assert verdicts(claim, Outcome(8, TEST, passed=False)) == [True]
    if label != TEST:
        assert verdicts(then, Outcome(8, TEST, passed=True)) == [True]


def test_what_was_answered_before_an_event_is_judged_by_what_was_so_then() -> None:
    before = moment(1, "SessionStart", "Files edited, newest first:\n- a.py", source="startup")
    edit = moment(2, "PostToolUse", tool_name="Edit", tool_input={"file_path": "/p/a.py"})

    _, claim = claims(Record(Path("/nowhere"), [before, edit]))

    assert claim == Claim("SessionStart", "Files edited, newest first", "- a.py", true=False)


@pytest.mark.parametrize(("lines", "true"), [("2-2", True), ("1-3", False), ("3-3", False)])
def test_the_lines_of_an_edit_are_those_that_changed(lines: str, true: bool) -> None:
    before = Moment(1, {"hook_event_name": "PreToolUse", "session_id": "s1"}, files={"a.py": "a\nb\nc\nd\ne\n"})
    after = {"a.py": "a\nB\nc\nd\ne\n"}
    edit = moment(2, "PostToolUse", tool_name="Edit", tool_input={"file_path": "/p/a.py"})
    brief = moment(3, "SessionStart", f"Files edited, newest first:\n- a.py, lines {lines}", source="compact")
    moments = [before, *(replace(each, files=after) for each in (edit, brief))]

    *_, claim = claims(Record(Path("/nowhere"), moments))

    assert claim.true is true


@pytest.mark.parametrize(("lines", "true"), [("1-40", True), ("1-30", False)])
def test_the_lines_that_were_read_are_those_of_the_call(lines: str, true: bool) -> None:
    read = moment(2, "PostToolUse", tool_name="Bash", tool_input={"command": "sed -n 1,40p b.py"})
    brief = moment(3, "SessionStart", f"Files read, newest first:\n- b.py, lines {lines}", source="compact")

    *_, claim = claims(Record(Path("/nowhere"), [read, brief]))

    assert claim.true is true


@pytest.mark.parametrize(
    ("line", "true"),
    [
        ("1970-01-01: edit (+1 -1) for “Fix it.”", True),
        ("1970-01-02: edit (+1 -1) for “Fix it.”", False),
        ("1970-01-01: edit (+2 -1) for “Fix it.”", False),
        ("1970-01-01: edit (+1 -1) for “Break it.”", False),
    ],
)
def test_an_earlier_edit_has_its_day_its_size_and_its_task(line: str, true: bool) -> None:
    old, new = {"a.py": "a\nb\n"}, {"a.py": "a\nB\n"}
    given: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": "/p/a.py"}}
    moments = [
        replace(moment(1, "UserPromptSubmit", session="s0", prompt="Fix it."), files=old),
        replace(moment(2, "PostToolUse", session="s0", **given), files=new),
        replace(moment(3, "PostToolUse", f"Known of a.py:\n- {line}"), files=new),
    ]

    *_, claim = claims(Record(Path("/nowhere"), moments))

    assert claim.true is true
