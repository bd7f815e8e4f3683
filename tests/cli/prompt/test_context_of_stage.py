"""`vfcc context show` without a role: the prompt for the stage."""

from pathlib import Path

import pytest

from tests.cli.honest_world import done
from tests.cli.process import vfcc


@pytest.mark.vfcc("REQ-ROLE-PROMPTS")
def test_without_a_role_the_prompt_is_for_the_role_of_the_stage(example: Path) -> None:
    assert vfcc(example, "context", "show").out == vfcc(example, "context", "show", "-a", "coder").out
    named = ("--stage", "planning", "--task", "Write the plan")
    assert vfcc(example, "context", "show", *named).out == vfcc(example, "context", "show", "-a", "planner", *named).out

    vfcc(example, "context", "show", "--stage", "plan").refused(
        2, "sprint-02 has no stage plan; did you mean planning?"
    )
    closed = vfcc(example, "context", "show", "--sprint", "sprint-01")
    closed.refused(2, "sprint-01 has no active stage, so vfcc context show needs --agent ROLE")


@pytest.mark.vfcc("REQ-CODE-IN-PROMPT")
def test_without_a_task_the_title_and_goals_of_the_sprint_choose_the_code(code: Path) -> None:
    """A role that is named right after `sprint start` gets the code of the sprint, and no task of its own."""
    done(code, "sprint", "start", "Ring above the gate", "--goal", "The alarm of a station rings")
    text = done(code, "context", "show", "--agent", "coder")

    assert "    def alarm(self, level: int) -> bool:\n" in text
    assert "### Task" not in text
