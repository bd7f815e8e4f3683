"""A script that only calls `vfcc stage advance`, git and `vfcc allow` stays in planning, and hears what to do."""

import pytest

from tests.clients.conftest import Desk
from tests.day import ADVANCE, Work, a_day, artifact, run
from tests.day.repository import ALL_COMMANDS, FILES, GOAL

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

TRIES = [
    ADVANCE,
    "git add . && git commit --quiet --allow-empty -m work",
    "vfcc allow",
    "VFCC_AGENT=0 vfcc stage advance",
    "vfcc stage skip --reason 'nothing to plan' --yes",
    ADVANCE,
]
OWED = {"light": ["plan.md"], "standard": ["sprint-plan.md", "needs.md", "acceptance-plan.md", "risks.md"]}


@pytest.mark.parametrize(("client", "workflow"), [("claude", "light"), ("claude", "standard"), ("codex", "light")])
def test_a_script_that_only_advances_commits_and_allows_gets_nowhere(
    client: str, workflow: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    day = a_day(desk, client, request.getfixturevalue(client), FILES, workflow=workflow, config=ALL_COMMANDS)
    day.person("sprint", "start", "Shout", "--goal", GOAL)

    session = day.session(Work("planning", [run(each) for each in TRIES], last=""))

    assert day.sprint().current == "planning"
    assert day.sprint().stages[0].passes == 0
    results = {act.command: result for act, result in session.results}
    assert f"vfcc stage put {OWED[workflow][0]}" in results[ADVANCE]
    for name in OWED[workflow]:
        assert artifact("shout", "planning", name).rpartition(".")[0] in results[ADVANCE]
    assert "may not run git add" in results[TRIES[1]]
    assert "run vfcc without that" in results["VFCC_AGENT=0 vfcc stage advance"]
    assert "ask a person to run: vfcc allow" in results["vfcc allow"]
    assert "ask a person to run: vfcc stage skip" in results[TRIES[4]]
