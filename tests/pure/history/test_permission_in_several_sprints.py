"""Where several sprints are open and none is chosen, a call must be allowed in each of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.history.test_permission import PATHS, ROLES, patch, rules
from verifflowcc.history.rules.permission import denied, wants_the_program

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

Rules = dict[str, Any]


def own(sprint: str) -> str:
    return f".memory/stage/{sprint}/coding/artifacts"


def in_sprint(sprint: str, role: str, *, of_stage: bool, edits: str = "all") -> Rules:
    more = {"artifacts": own(sprint), "owed": ["changes.md"]} if of_stage else {}
    return {**rules(role), "stage": f"coding of {sprint}", "edits": edits, "tests": ["tests/**"], **more}


def call(tool: str, path: str) -> Rules:
    given = {"command": patch(path)} if tool == "apply_patch" else {"file_path": f"/p/{path}"}
    return {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": "/p"}


def all_of(named: str | None, stages: list[tuple[str, str]]) -> list[Rules]:
    """Return the rules of an agent that names its role, or acts in the role of each stage."""
    return [
        in_sprint(f"s{number}", named or role, of_stage=named in (None, role), edits=edits)
        for number, (role, edits) in enumerate(stages)
    ]


STAGES = st.tuples(
    st.sampled_from(["coder", "tester"]) | st.sampled_from(ROLES), st.sampled_from(["none", "tests", "all"])
)
SPRINTS = st.builds(
    all_of,
    st.sampled_from([None, "coder", "tester"]) | st.sampled_from(ROLES),
    st.lists(STAGES, min_size=1, max_size=4),
)
ASKED = st.builds(
    call,
    st.sampled_from(["Edit", "Write", "apply_patch", "Read"]),
    st.sampled_from([*PATHS, *(f"{own(f's{number}')}/changes.md" for number in range(5)), "tests/b.py"]),
)


@given(SPRINTS, ASKED)
@settings(max_examples=500, deadline=None)
def test_what_is_allowed_without_a_choice_is_allowed_in_each_sprint_or_is_an_artifact_of_one(
    several: list[Rules], asked: Rules
) -> None:
    folders = [each["artifacts"] for each in several if "artifacts" in each]
    of_one = any(not denied(asked, {**each, "tools": {}}, "/p") for each in several if "artifacts" in each)
    in_each = [denied(asked, each, "/p") for each in several]

    allowed = not denied(asked, several, "/p")

    assert folders or not of_one
    assert allowed is (of_one or not any(in_each))
    if not allowed:
        assert denied(asked, several, "/p") in in_each
    assert wants_the_program(asked, {"rules": several, "files": False}, "/p", lambda _: []) is not allowed


def test_a_denial_names_the_stage_and_the_sprint_that_forbid_the_call() -> None:
    several = [in_sprint("pay", "coder", of_stage=True), in_sprint("log-in", "planner", of_stage=True)]

    why = denied(call("Edit", "src/a.py"), several, "/p")

    assert why.startswith("the role planner (stage coding of log-in) may not edit src/a.py")


def test_a_stage_of_another_role_keeps_its_files_closed_beside_a_stage_of_the_role() -> None:
    several = [in_sprint("pay", "coder", of_stage=True), in_sprint("log-in", "coder", of_stage=False, edits="none")]

    assert denied(call("Edit", "src/a.py"), several, "/p").startswith(
        "src/a.py may not be edited in stage coding of log-in"
    )


def test_the_record_of_events_stays_closed_under_several_rules() -> None:
    several = [in_sprint("pay", "coder", of_stage=True), in_sprint("log-in", "coder", of_stage=True)]

    assert "only vfcc writes there" in denied(call("Edit", ".memory/sprint/pay/events/1.json"), several, "/p")
