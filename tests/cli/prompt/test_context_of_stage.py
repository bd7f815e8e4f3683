"""`vfcc context show` without a role: the prompt for the stage."""

from pathlib import Path

import pytest

from tests.cli.process import vfcc


@pytest.mark.vfcc("REQ-ROLE-PROMPTS")
def test_without_a_role_the_prompt_is_for_the_stage_with_the_goals_as_its_task(example: Path) -> None:
    goals = (
        "Tides in a calendar. Export a range of days as an iCalendar file. Made again, the file doubles no event. "
        "A year in under 10 seconds and under 1 MB"
    )

    assert vfcc(example, "context", "show").out == vfcc(example, "context", "show", "-a", "coder", "--task", goals).out
    named = ("--stage", "planning", "--task", "Write the plan")
    assert vfcc(example, "context", "show", *named).out == vfcc(example, "context", "show", "-a", "planner", *named).out

    vfcc(example, "context", "show", "--stage", "plan").refused(
        2, "sprint-02 has no stage plan; did you mean planning?"
    )
    closed = vfcc(example, "context", "show", "--sprint", "sprint-01")
    closed.refused(2, "sprint-01 has no active stage, so vfcc context show needs --agent ROLE")
