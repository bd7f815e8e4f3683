"""What a stage makes reaches the prompts of the stages that build on it, or the report says why it does not."""

import json
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ledger_samples import START, TickingClock, workspace
from tests.prompt_world import ask, skipped
from tests.trees import write_memory
from verifflowcc.base.errors import BudgetError
from verifflowcc.base.formats.event_bytes import encode_event, make_event, moment
from verifflowcc.base.model.entries import Fate
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.feedback import add_feedback

WORKFLOWS = ("light", "agile", "standard", "aspice", "safety")
NAMED = "stage: {always_load: [current_artifacts/*], conditional_load: [feedback.md, %s], max_tokens: 15000}"
STRATEGIES = {
    "shipped": "",
    "named": "loading_strategy:\n  " + NAMED % '"@handover"',
    "the seed's name": "loading_strategy:\n  " + NAMED % "previous_stage_summary.md",
    "no source": "loading_strategy:\n  " + NAMED % "notes.md",
}


def started(folder: Path, workflow: str = "light", strategy: str = "shipped") -> SprintState:
    """Start a sprint; return its state."""
    write_memory(folder, {"config.yaml": f"workflow: {workflow}\n{STRATEGIES[strategy]}\n"})
    write_memory(folder, {f"agent/{role}/prompt.md": "Work.\n" for role in ("coder", "tester")})
    return start_sprint(
        workspace(folder), "Money field", goals=("Read an amount",), actor="human:Ann", workflow=workflow
    ).state


def put(folder: Path, stage: str, name: str, text: str) -> str:
    """Write an artifact; return its path below the project."""
    path = f".memory/stage/money-field/{stage}/artifacts/{name}"
    write_memory(folder, {path.removeprefix(".memory/"): text})
    return path


def test_the_design_and_the_plan_reach_the_coder_and_the_tester(tmp_path: Path) -> None:
    started(tmp_path)
    put(tmp_path, "planning", "plan.md", "# Plan\n\nThe currency is a three-letter code.\n")
    put(tmp_path, "design", "design.md", "# Design\n\nDecision: amounts are decimals.\n")
    put(tmp_path, "coding", "changes.md", "# Changes\n\nfields.py has the class.\n")

    coder, tester = (
        ask(tmp_path, role, stage=stage).text for role, stage in (("coder", "coding"), ("tester", "testing"))
    )

    assert "Decision: amounts are decimals." in coder
    assert coder.index("amounts are decimals") < coder.index("three-letter code")
    assert "fields.py has the class." in tester
    assert "amounts are decimals" in tester


def test_the_seeds_configuration_hands_artifacts_over(tmp_path: Path) -> None:
    started(tmp_path, strategy="the seed's name")
    put(tmp_path, "design", "design.md", "# Design\n\nDecision: amounts are decimals.\n")

    assert "Decision: amounts are decimals." in ask(tmp_path, stage="coding").text


def test_a_strategy_that_names_no_source_is_reported(tmp_path: Path) -> None:
    started(tmp_path, strategy="no source")
    put(tmp_path, "design", "design.md", "# Design\n\nDecision: amounts are decimals.\n")

    reasons = skipped(ask(tmp_path, stage="coding"))

    assert (
        reasons["stage/money-field/design/artifacts/design.md"] == "the stage layer's strategy does not name @handover"
    )


def test_an_artifact_without_room_leaves_its_decisions_and_open_points(tmp_path: Path) -> None:
    started(tmp_path)
    long = "".join(f"## Part {n}\n\nIt is about part {n}. {'More of it. ' * 60}\n\n" for n in range(40))
    put(tmp_path, "design", "a.md", long)
    put(tmp_path, "design", "b.md", f"# Design\n\n{long}\n## Open points\n\n- Who rounds?\n\nDecision: decimals.\n")

    package = ask(tmp_path, stage="coding", budget_tokens=2000)

    fates = {one.candidate.path.rpartition("/")[2]: one for one in package.placed}
    assert fates["a.md"].outcome is Fate.TRIMMED
    assert fates["b.md"].reason.startswith("summarised in ")
    assert "- Who rounds?" in package.text
    assert "Decision: decimals." in package.text


def test_a_json_artifact_without_room_leaves_its_keys(tmp_path: Path) -> None:
    started(tmp_path)
    put(tmp_path, "design", "a.md", "A word. " * 3000)
    put(tmp_path, "design", "cases.json", '{"verdict": "ready", "cases": [' + ", ".join(["1234567"] * 2000) + "]}")

    text = ask(tmp_path, stage="coding", budget_tokens=1500).text

    assert "verdict: ready" in text
    assert "cases: 2000 items" in text


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EXPLAIN", "REQ-STAGE-FILES")
@given(
    st.sampled_from(WORKFLOWS),
    st.sampled_from(sorted(STRATEGIES)),
    st.integers(min_value=1, max_value=8),
    st.lists(st.sampled_from([0, 5, 400, 6000]), min_size=1, max_size=3),
    st.integers(min_value=400, max_value=30_000),
)
@settings(deadline=None, max_examples=15)
def test_every_artifact_of_a_used_stage_is_in_the_prompt_or_in_its_report(
    workflow: str, strategy: str, place: int, sizes: list[int], budget: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state = started(folder, workflow, strategy)
        stages = [each.stage for each in state.stages]
        stage = stages[min(place, len(stages) - 1)]
        paths = {
            put(folder, used, f"a{number}.md", f"# Part\n\n{'A sentence of it. ' * size}\n")
            for used in stage.uses
            for number, size in enumerate(sizes)
        }
        try:
            package = ask(folder, "coder", stage=stage.id, budget_tokens=budget)
        except BudgetError:
            return

        assert stage.uses
        reported = {one.candidate.path: one.reason for one in package.placed}
        reported |= {one.path: one.reason for one in package.skipped}
        assert paths <= set(reported)
        assert all(reported[path] for path in paths)
        assert package.prompt.tokens <= budget


def passed(folder: Path) -> None:
    """A sprint in design whose planning left a comment open."""
    started(folder)
    here = workspace(folder, TickingClock(START + timedelta(hours=1)))
    put(folder, "planning", "plan.md", "# Plan\n\nThe currency is a three-letter code.\n")
    add_feedback(here, "money-field", "who rounds?", "planning", actor="human:Ann")
    advance_stage(here, "money-field", actor="human:Ann")


def test_a_clone_without_summaries_has_the_same_prompt(tmp_path: Path) -> None:
    passed(tmp_path)
    summary = tmp_path / ".memory/stage/money-field/planning/summary.md"
    whole = ask(tmp_path, "designer", stage="design").text
    assert "who rounds?" in whole
    assert "`planning/artifacts/plan.md` (" not in whole, "the short forms of artifacts are not handed over twice"

    summary.write_text("# Another summary\n")
    assert ask(tmp_path, "designer", stage="design").text == whole
    summary.unlink()
    assert ask(tmp_path, "designer", stage="design").text == whole


def test_a_pass_whose_event_keeps_no_summary_hands_its_file_over(tmp_path: Path) -> None:
    passed(tmp_path)
    folder = tmp_path / ".memory/sprint/money-field/events"
    last = max(folder.iterdir())
    event = json.loads(last.read_bytes())
    older = {name: value for name, value in event["payload"].items() if name not in {"metrics", "handover"}}
    made = make_event(
        EventType.STAGE_PASSED, older, parents=event["parents"], actor=event["actor"], at=moment(event["time"])
    )
    last.unlink()
    (folder / f"{made.id}.json").write_bytes(encode_event(made))
    put(tmp_path, "planning", "../summary.md", "# planning: summary\n\nAs version 0.1 wrote it.\n")

    assert "As version 0.1 wrote it." in ask(tmp_path, "designer", stage="design").text
