"""The checker of claims finds what is false: it is given records in which a context says what did not happen."""

from pathlib import Path
from typing import Any

import pytest

from tests.claims import Claim, Moment, Outcome, Record, claims
from verifflowcc.text.context_marks import BEGIN, END

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
    return [each.true for each in claims(record)]


@pytest.mark.parametrize(
    ("context", "true"),
    [
        (f"Failed, and not passed since:\n- {TEST} (1 minute ago, in `Bash pytest tests/a.py::b`): no", True),
        ("Failed, and not passed since:\n- Bash pytest tests/a.py::b (1 minute ago): no", True),
        ("Failed, and not passed since:\n- Bash make (1 minute ago): no", False),
        ("Files edited, newest first:\n- a.py, lines 1-2", True),
        ("Files edited, newest first:\n- z.py", False),
        ('What the user said, newest first:\n- 1 minute ago: "Fix the"', True),
        ('What the user said, newest first:\n- 1 minute ago: "Feed the walrus."', False),
        ('What was answered, newest first:\n- 1 minute ago: "I fixed it."', True),
        ('What was answered, newest first:\n- 1 minute ago: "The summary."', False),
        ("Not finished yet:\n- In work for 1 minute: Fix the walrus.", False),
        ("What was done here last:\n- 2026-11-23, completed: “Fix the walrus.”. Its agent said: “I fixed it.”.", True),
        ("What was done here last:\n- 2026-11-23, paused: “Fix the walrus.”.", False),
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

    (claim,) = claims(Record(Path("/nowhere"), [before, edit]))

    assert claim == Claim("SessionStart", "Files edited, newest first", "- a.py", true=False)
