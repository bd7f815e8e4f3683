"""Ledgers written by version 0.1, whose workflows pinned no criteria, are read to the same states and moved on.

`tests/fixtures/ledger-0.1/` holds two of them, as that version wrote them: the first sprint of the worked example, and
a sprint that went back to its first stage. `states.json` beside the events is what that version made of them after each
event.
"""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, events_folder, workspace
from verifflowcc.base.errors import GateClosed
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.model.gate_values import CriterionKind, Mode
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.store.workflow_load import example_folder
from verifflowcc.sprint.use.sprint_reading import active_sprint, list_sprints, show_sprint

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "ledger-0.1"
NAMES = ("sprint-01", "went-back")
CLOSED, BACK = NAMES


def world(root: Path, name: str, *, events: int | None = None) -> Workspace:
    """A workspace with the first `events` of a ledger, a day after the last of them, and the example's artifacts."""
    here = workspace(root)
    folder = events_folder(here, name)
    folder.mkdir(parents=True)
    for path in sorted((FIXTURES / name / "events").iterdir())[:events]:
        shutil.copyfile(path, folder / path.name)
    artifacts = example_folder() / "stage" / "sprint-01"
    shutil.copytree(
        artifacts, here.memory / "stage" / name, ignore=shutil.ignore_patterns("summary.md", "metrics.json")
    )
    last = Ledger(here.memory).load(name).events[-1]
    return Workspace(root, FixedClock(moment(last.time) + timedelta(days=1)))


def told(state: SprintState) -> dict[str, object]:
    """What version 0.1 told of a sprint, in the words of `states.json`."""
    assert state.workflow is not None
    return {
        "title": state.title,
        "goals": list(state.goals),
        "status": state.status,
        "current": state.current,
        "heads": list(state.heads),
        "counts": dict(state.counts),
        "unfinished": state.unfinished,
        "problems": list(state.problems),
        "workflow": state.workflow.name,
        "digest": state.workflow.digest,
        "stages": [
            {
                "id": each.stage.id,
                "leg": each.stage.leg,
                "pair": each.stage.pair,
                "role": each.stage.role,
                "patterns": list(each.stage.artifacts),
                "status": each.status,
                "entered_at": each.entered_at,
                "passes": each.passes,
                "reopened": each.reopened,
                "summary": each.summary,
                "artifacts": [[one.path, one.digest, one.bytes] for one in each.artifacts],
            }
            for each in state.stages
        ],
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_event_leads_to_the_state_that_it_led_to(tmp_path: Path, name: str) -> None:
    seen = Ledger(world(tmp_path, name).memory).load(name)
    states = json.loads((FIXTURES / name / "states.json").read_text())

    assert (seen.problems, len(seen.events)) == ((), len(states))
    for count, state in enumerate(states, start=1):
        assert told(fold(name, seen.events[:count])) == state


@pytest.mark.parametrize("name", NAMES)
def test_its_stages_need_their_artifacts_and_nothing_else(tmp_path: Path, name: str) -> None:
    for each in show_sprint(world(tmp_path, name), name).stages:
        assert [(one.kind, one.mode, one.files) for one in each.stage.exit] == [
            (CriterionKind.ARTIFACT, Mode.HARD, (pattern,)) for pattern in each.stage.artifacts
        ]
        assert each.stage.enter == ()


def test_a_closed_one_is_listed_from_its_last_event_and_an_open_one_is_the_active_one(tmp_path: Path) -> None:
    here = world(tmp_path, CLOSED)
    world(tmp_path, BACK)

    lines = [(line.id, line.status, line.current, line.done, line.total, line.problems) for line in list_sprints(here)]
    assert lines == [
        (CLOSED, SprintStatus.CLOSED, None, 5, 5, 0),
        (BACK, SprintStatus.OPEN, "testing", 3, 5, 0),
    ]
    assert active_sprint(here).id == BACK


def test_an_open_one_is_walked_to_its_end_and_closed(tmp_path: Path) -> None:
    here = world(tmp_path, CLOSED, events=-3)
    assert show_sprint(here, CLOSED).current == "testing"

    assert advance_stage(here, CLOSED, actor=ANN).after == "validation"
    done = advance_stage(here, CLOSED, actor=ANN)
    assert (done.after, done.notes) == (None, ())
    assert done.warnings == ("sprint-01 goes by light as another version of vfcc ships it",)
    assert close_sprint(here, CLOSED, actor=ANN).state.status is SprintStatus.CLOSED
    assert show_sprint(here, CLOSED).problems == ()


def test_one_that_lacks_an_artifact_is_not_moved(tmp_path: Path) -> None:
    here = world(tmp_path, CLOSED, events=-3)
    folder = here.memory / "stage" / CLOSED / "testing" / "artifacts"
    (folder / "results.json").write_text("")

    with pytest.raises(GateClosed, match=r"1 of 1 criteria is not met\n- results: \S+/results\.json is empty"):
        advance_stage(here, CLOSED, actor=ANN)


def test_one_whose_artifacts_changed_since_is_not_closed(tmp_path: Path) -> None:
    here = world(tmp_path, CLOSED, events=-1)
    (here.memory / "stage" / CLOSED / "design" / "artifacts" / "design.md").write_text("# Another design\n\nOther.\n")

    with pytest.raises(GateClosed, match=r"design/artifacts/design\.md changed after design passed"):
        close_sprint(here, CLOSED, actor=ANN)


def test_going_back_in_one_makes_stale_what_rests_on_the_stage(tmp_path: Path) -> None:
    here = world(tmp_path, CLOSED, events=-3)
    done = reopen_stage(here, CLOSED, "design", "a gap", actor=ANN)

    assert [str(each.status) for each in done.state.stages] == ["passed", "active", "stale", "pending", "pending"]
    again = advance_stage(here, CLOSED, actor=ANN)
    assert [str(each.status) for each in again.state.stages] == ["passed", "passed", "passed", "active", "pending"]
    assert again.notes == ("passed again: coding, since what it used did not change",)
