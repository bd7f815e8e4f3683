"""A whole sprint in `light` through real clients: what each stage begins with."""

import pytest

from tests.clients.conftest import Desk
from tests.day import Day, Session, Work, a_day, artifact, put, run, write
from tests.day.repository import COMMANDS, FILES, GOAL, LOUD, TEST_LOUD
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.sprint_state import SprintStatus

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

SPRINT = "shout"
PLAN = "# Plan\n\nMARK-PLAN: one function shouts, and greet stays as it is.\n"
DESIGN = "# Design\n\nMARK-DESIGN: shout calls greet and never raises.\n\n## Tests\n\nOne name, in capitals.\n"
CHANGES = "# Changes\n\nMARK-CHANGES: greetings/loud.py has shout.\n"
RESULTS = "# Results\n\nMARK-RESULTS: both tests pass.\n"
ACCEPTANCE = "# Acceptance\n\nMARK-ACCEPTANCE: Ada hears her name from afar.\n"


@pytest.fixture(params=["claude", "codex"])
def day(desk: Desk, request: pytest.FixtureRequest) -> Day:
    """A repository with a sprint that a person started, and commands that a person allowed."""
    made = a_day(desk, request.param, request.getfixturevalue(request.param), FILES, workflow="light", config=COMMANDS)
    made.person("allow", keys="y\n")
    made.person("sprint", "start", "Shout", "--goal", GOAL)
    return made


def morning(day: Day) -> Session:
    """Planner, designer and coder in one session: a file written, an artifact put, and the product changed."""
    return day.session(
        Work("planning", [write(artifact(SPRINT, "planning", "plan.md"), PLAN)]),
        Work("design", [put({"design.md": DESIGN})]),
        Work(
            "coding",
            [
                write("greetings/loud.py", LOUD),
                write("tests/test_loud.py", TEST_LOUD),
                write(artifact(SPRINT, "coding", "changes.md"), CHANGES),
                run("git add . && git commit --quiet -m 'shout: greet in capitals'"),
            ],
        ),
    )


def afternoon(day: Day) -> Session:
    """Tester and stakeholder in the next session, which ends the sprint."""
    return day.session(
        Work("testing", [run("vfcc evidence run"), put({"results.md": RESULTS})]),
        Work("validation", [write(artifact(SPRINT, "validation", "acceptance.md"), ACCEPTANCE)]),
        Work("", [run("vfcc sprint close")], last=""),
    )


def test_each_stage_begins_with_its_goal_what_it_owes_and_earlier_artifacts(day: Day) -> None:
    first, second = morning(day), afternoon(day)

    first.openings["planning"].holds(GOAL, artifact(SPRINT, "planning", "plan.md"))
    first.openings["design"].holds(GOAL, artifact(SPRINT, "design", "design.md"), "MARK-PLAN")
    first.openings["coding"].holds(GOAL, artifact(SPRINT, "coding", "changes.md"), "MARK-PLAN", "MARK-DESIGN")
    second.openings["testing"].holds(GOAL, artifact(SPRINT, "testing", "results.md"), "MARK-DESIGN", "MARK-CHANGES")
    second.openings["validation"].holds(
        GOAL, artifact(SPRINT, "validation", "acceptance.md"), "MARK-PLAN", "MARK-RESULTS"
    )
    for opening in (*first.openings.values(), *second.openings.values()):
        if opening.stage:
            for path in day.builds_on(opening.stage):
                opening.quotes(day.folder, path)
    assert day.sprint().status is SprintStatus.CLOSED
    gaps = [each for stage in day.sprint().stages for each in stage.outcomes if each.verdict is not Verdict.PASS]
    assert gaps == []
