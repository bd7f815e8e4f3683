"""`vfcc context show` without a role: the prompt for the stage."""

from pathlib import Path

import pytest

from tests.cli.honest_world import done
from tests.cli.process import vfcc
from tests.trees import add_settings, write_memory


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


@pytest.mark.vfcc("REQ-CODE-IN-PROMPT")
def test_what_a_design_names_comes_first_in_the_coders_prompt(code: Path) -> None:
    """A design says in which function the change belongs; the sprint's title leads elsewhere."""
    done(code, "sprint", "start", "Ring above the gate", "--goal", "The alarm of a station rings")
    design = "The level is wrong already in `clamp` of gauges/base.py: `make lint` shows it.\n"
    write_memory(code, {"stage/ring-above-the-gate/design/artifacts/design.md": design})

    def first(*words: str) -> str:
        prompt = done(code, "context", "show", "--agent", "coder", "--stage", "coding", *words)
        return prompt.split("\n## Code\n")[1].split("\n### ")[1].partition("\n")[0]

    assert first() == "gauges/base.py"
    assert first("--task", "The alarm of a station rings") == "gauges/station.py", "a task of its own is what counts"
    add_settings(code, "loading_strategy: {stage: {conditional_load: [feedback.md]}}")
    assert first() == "gauges/station.py", "a design that is not handed over says nothing"
