"""A workflow that is no V, or says what nobody can read, starts no sprint."""

from pathlib import Path

import pytest

from tests.ledger_samples import ANN, workspace
from tests.tree.sprint.test_stages_exit import NO_ARTIFACTS
from verifflowcc.base.errors import ConfigError
from verifflowcc.gates.use.sprints import start_sprint

pytestmark = pytest.mark.vfcc("REQ-WORKFLOWS")

BAD = {
    "unknown key": ("title: Plan,", "title: Plan, rol: x,", r"workflow\.yaml:4: unknown key rol; did you mean role"),
    "missing key": (", role: planner", "", r":4: role is missing"),
    "twice": ("id: check", "id: plan", r":6: the id plan is used twice"),
    "no such pair": ("pair: check", "pair: chekc", r":4: the pair chekc of plan is no stage"),
    "pair not mutual": ("pair: plan", "pair: build", r"are no pair"),
    "left without pair": ("pair: check", "pair: null", r":4: plan is on the left leg and needs the pair"),
    "wrong leg": ("leg: right", "leg: left", r":6: check is on the left leg, on the wrong side of build"),
    "no such leg": ("leg: right", "leg: up", r':6: leg must be one of left, apex, right, not "up"'),
    "two apexes": ("leg: right", "leg: apex", r"one stage with leg: apex, not 2"),
    "pattern leaves": (
        "role: planner, artifacts: []",
        "role: planner, artifacts: [../x]",
        r":4: artifacts: '\.\./x' leaves artifacts/",
    ),
    "bad id": ("id: plan,", "id: Plan One,", r":4: id 'Plan One' must be"),
    "shipped name": ("name: bare", "name: light", r"light is the name of a shipped workflow"),
    "no stages": (NO_ARTIFACTS[NO_ARTIFACTS.index("stages") :], "stages: []\n", r":3: stages must be a list"),
    "no YAML": ("name: bare", "name: [", r"workflow\.yaml:\d+: "),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_workflow_is_refused_with_file_and_line(tmp_path: Path, name: str) -> None:
    was, now, told = BAD[name]
    here = workspace(tmp_path)
    assert was in NO_ARTIFACTS
    (here.memory / "workflow.yaml").write_text(NO_ARTIFACTS.replace(was, now, 1))

    with pytest.raises(ConfigError, match=told):
        start_sprint(here, "Log in", workflow="bare", actor=ANN)


def test_pairs_that_cross_are_no_v(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    rows = [("a", "left", "c"), ("b", "left", "d"), ("x", "apex", "null"), ("c", "right", "a"), ("d", "right", "b")]
    listed = "".join(
        f"  - {{id: {name}, title: T, leg: {leg}, pair: {pair}, role: r, artifacts: []}}\n" for name, leg, pair in rows
    )
    (here.memory / "workflow.yaml").write_text(f"name: crossed\ntitle: Crossed\nstages:\n{listed}")

    with pytest.raises(ConfigError, match=r":5: b comes after a, so its pair must come before c"):
        start_sprint(here, "Log in", workflow="crossed", actor=ANN)
