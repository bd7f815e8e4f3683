"""With several sprints open, what `vfcc next` says to do means the sprint that it speaks of."""

from pathlib import Path

import pytest

from tests.ledger_samples import ANN, advance, fill, started
from tests.trees import OWN
from verifflowcc.base.errors import GateClosed
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.next_action import next_step
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.rules.sprint_people import in_sprint

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

FOLDER = ".memory/stage/log-in/planning/artifacts"


@pytest.fixture
def two(tmp_path: Path) -> Workspace:
    here = started(tmp_path)
    start_sprint(here, "Shop", workflow=OWN, actor=ANN)
    return here


def test_of_several_sprints_the_command_names_the_one(two: Workspace) -> None:
    put = f"vfcc stage put plan.md --sprint log-in  # or write {FOLDER}/plan.md"
    assert next_step(two, "log-in").command == put
    fill(two, "log-in")
    assert next_step(two, "log-in").command == "vfcc stage advance --sprint log-in"
    advance_stage(two, "log-in", actor=ANN)
    (two.root / FOLDER / "plan.md").write_text("# Plan\n\nAnother.\n")
    fill(two, "log-in")
    assert next_step(two, "log-in").command == 'vfcc stage reopen planning --reason "changed" --sprint log-in'


def test_a_closed_gate_names_the_sprint_too(two: Workspace) -> None:
    advance(two, "log-in")
    (two.root / FOLDER / "plan.md").write_text("# Plan\n\nAnother.\n")
    fill(two, "log-in")

    with pytest.raises(GateClosed) as closed:
        advance_stage(two, "log-in", actor=ANN)
    again = "# then: vfcc stage advance --sprint log-in"
    assert closed.value.hint == f'vfcc stage reopen planning --reason "changed" --sprint log-in  {again}'


def test_of_one_it_is_as_short_as_can_be(two: Workspace) -> None:
    close_sprint(two, "shop", actor=ANN, unfinished_reason="x")

    assert next_step(two).command == f"vfcc stage put plan.md  # or write {FOLDER}/plan.md"
    advance(two, "log-in")
    (two.root / FOLDER / "plan.md").write_text("# Plan\n\nAnother.\n")
    fill(two, "log-in")
    assert next_step(two).command == 'vfcc stage reopen planning --reason "changed"'


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("vfcc evidence run tests --stage testing", "vfcc evidence run tests --stage testing --sprint s"),
        ("vfcc evidence run tests  # then: more", "vfcc evidence run tests --sprint s  # then: more"),
        ("vfcc evidence run  # then: vfcc next", "vfcc evidence run --sprint s  # then: vfcc next --sprint s"),
        (
            "vfcc evidence run  # then: vfcc stage advance",
            "vfcc evidence run --sprint s  # then: vfcc stage advance --sprint s",
        ),
        ("vfcc stage advance --from coding", "vfcc stage advance --from coding --sprint s"),
        ("vfcc next coding", "vfcc next coding --sprint s"),
        ("vfcc approve plan --sprint other", "vfcc approve plan --sprint other"),
        ("vfcc approve --request plan", "vfcc approve --request plan --sprint s"),
        ('vfcc waive tests --stage check --reason "…"', 'vfcc waive tests --stage check --reason "…" --sprint s'),
        ("vfcc feedback triage X9 --done", "vfcc feedback triage X9 --done --sprint s"),
        ("vfcc sprint close s", "vfcc sprint close s"),
        ("vfcc sprint close", "vfcc sprint close s"),
        ("vfcc next", "vfcc next --sprint s"),
        ("vfcc stage list", "vfcc stage list --sprint s"),
        ("vfcc allow", "vfcc allow"),
        ("vfcc doctor", "vfcc doctor"),
        ("vfcc allow  # says what to write there", "vfcc allow  # says what to write there"),
        ("", ""),
    ],
)
def test_only_what_asks_for_a_sprint_is_given_one(step: str, told: str) -> None:
    assert in_sprint(step, "s") == told
