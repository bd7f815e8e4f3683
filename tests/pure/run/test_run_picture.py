"""What the live view of a run shows, as lines."""

import pytest

from verifflowcc.base.model.sprint_state import Leg, SprintState, Stage, StageState, StageStatus
from verifflowcc.base.records import replace
from verifflowcc.run.rules.agent_port import AgentStep, AgentUsage, StepKind
from verifflowcc.run.rules.run_fold import AgentActivity, RunAttempt, RunBlocker, RunState, RunVerdict, picture

pytestmark = pytest.mark.vfcc("REQ-RUN")

SPRINT = SprintState(
    "login",
    "Login",
    stages=tuple(
        StageState(Stage(name, name.title(), Leg.APEX, None, "coder", ()), status)
        for name, status in (
            ("planning", StageStatus.PASSED),
            ("coding", StageStatus.ACTIVE),
            ("testing", StageStatus.PENDING),
        )
    ),
)


def attempt(name: str, stage: str, outcome: str = "") -> RunAttempt:
    used = AgentUsage(4_000, 2_000, 0, 28_000) if outcome else None
    return RunAttempt(
        id=name,
        stage=stage,
        stay=stage,
        role="coder",
        base="c",
        client="claude",
        model="",
        session="s",
        tree=name,
        fresh=True,
        started="",
        outcome=outcome,
        usage=used,
    )


def run(*attempts: RunAttempt, blockers: int = 0) -> RunState:
    found = tuple(RunBlocker(f"tests-{n}", f"2 failed\nmore of {n}") for n in range(blockers))
    verdicts = (RunVerdict("coding", "coding", "coder-1", False, found),) if blockers else ()
    return RunState("login-1", "login", "c", None, None, {}, {}, "", attempts, verdicts)


def test_stages_attempts_the_last_tool_cost_and_blockers_are_shown() -> None:
    activity = AgentActivity(10.0)
    state = run(
        attempt("p-1", "planning", "done"), attempt("c-1", "coding", "done"), attempt("c-2", "coding"), blockers=5
    )
    activity.take(AgentStep(StepKind.STARTED))
    for text in ("ls", "make check"):
        activity.take(AgentStep(StepKind.TOOL, text, tool="Bash"))

    shown = [(line.status, line.text) for line in picture(state, SPRINT, {"c-2": activity}, 31.5)]

    assert shown == [
        ("", "login-1: working, 12,000 tokens, $0.06"),
        ("passed", "planning: p-1 (claude) done"),
        ("active", "coding: attempt 2, c-2 (claude) works"),
        *(("failed", f"  tests-{n}: 2 failed") for n in range(3)),
        ("", "    and 2 more"),
        ("", "    21 s, 2 calls: Bash make check"),
        ("pending", "testing"),
    ]


def test_what_an_earlier_agent_did_is_not_shown_as_of_the_next() -> None:
    activities = {"c-1": AgentActivity(1.0)}
    activities["c-1"].take(AgentStep(StepKind.TOOL, "ls", tool="Bash"))
    texts = [line.text for line in picture(run(attempt("c-2", "coding")), SPRINT, activities, 9.0)]
    activities["c-2"] = AgentActivity(5.0)
    activities["c-2"].take(AgentStep(StepKind.RETRY, "overloaded", status=529))
    now = [line.text for line in picture(run(attempt("c-2", "coding")), SPRINT, activities, 9.0)]

    own = replace(attempt("c-2", "coding"), client="/usr/bin/python3 agent.py")
    assert picture(run(own), SPRINT, activities, 9.0)[2].text == "coding: c-2 (python3 …) works"
    assert not any("Bash" in text for text in texts)
    assert "    4 s, 0 calls: the service answered 529; trying again" in now
