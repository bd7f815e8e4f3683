"""The workflows that come with vfcc: sound, and holding what the V's rules and its table ask for."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import Edits, Leg, Stage, Workflow, asks_nothing, default_uses
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.sprint.rules.stage_moves import pin, unpin
from verifflowcc.sprint.rules.workflow_drawing import with_modes
from verifflowcc.sprint.store.workflow_load import load_workflow, parse_workflow, shipped_names, templates_folder

pytestmark = pytest.mark.vfcc("REQ-WORKFLOWS")

NAMES = ("agile", "aspice", "light", "safety", "standard")
SUSPECT = {"suspect-upstream", "suspect-downstream", "unreviewed", "unreviewed-link", "stale-review"}
FOLDER = templates_folder() / "workflows"
SYSTEM_LEVEL = re.compile(r"(?m)^#\| ?")


def shipped(name: str) -> Workflow:
    return load_workflow(Path("nowhere"), name)


def criteria(stage: Stage) -> tuple[Criterion, ...]:
    return (*stage.enter, *stage.exit)


def one(workflow: Workflow, stage_id: str, name: str) -> Criterion:
    stage = workflow.stage(stage_id)
    assert stage is not None
    return next(each for each in criteria(stage) if each.id == name)


def kinds(workflow: Workflow, stage_id: str) -> tuple[set[CriterionKind], set[CriterionKind]]:
    stage = workflow.stage(stage_id)
    assert stage is not None
    return {each.kind for each in stage.enter}, {each.kind for each in stage.exit}


def test_there_are_five_each_named_as_its_file() -> None:
    assert shipped_names() == NAMES
    assert [shipped(name).name for name in NAMES] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_pinned_in_a_sprint_is_the_workflow_as_written(name: str) -> None:
    assert unpin(pin(shipped(name))) == shipped(name)


@pytest.mark.parametrize("name", [*NAMES, "aspice with the system level"])
def test_every_stage_states_what_it_uses_and_that_is_no_less_than_the_default(name: str) -> None:
    text = (FOLDER / f"{name.partition(' ')[0]}.yaml").read_text(encoding="utf-8")
    if " " in name:
        text = SYSTEM_LEVEL.sub("", text).replace("name: aspice", "name: ours", 1)
    stages = parse_workflow(text.encode(), "workflow.yaml").stages
    coding = next(stage.id for stage in stages if stage.leg is Leg.APEX)

    stated = re.findall(r"(?m)^  - id: (\S+)$(?:\n    (?!uses:).*)*\n    uses: ", text)
    assert stated == [stage.id for stage in stages[1:]]
    for before, stage in pairwise(stages):
        assert set(stage.uses) >= set(default_uses(stage, before)), stage.id
        if stage.leg is Leg.LEFT and name in NAMES:
            assert set(stage.uses) == {each.id for each in stages[: stages.index(stage)]}
        elif stage.leg is Leg.RIGHT:
            assert {stage.pair} - {None} <= set(stage.uses)
            assert coding in stage.uses or stage.id == "validation"


@pytest.mark.parametrize("name", NAMES)
def test_every_gate_asks_something_and_every_later_one_asks_what_came_before(name: str) -> None:
    for place, stage in enumerate(shipped(name).stages):
        assert not asks_nothing(stage)
        assert [each.id for each in stage.exit].count("upstream") == (1 if place else 0)


@pytest.mark.parametrize("name", NAMES)
def test_no_sprint_ends_without_tests_that_pass(name: str) -> None:
    tests = [each for stage in shipped(name).stages for each in criteria(stage) if each.id == "tests"]

    assert tests
    assert {(each.kind, each.mode, each.waivable) for each in tests} == {(CriterionKind.JUNIT, Mode.HARD, False)}


@pytest.mark.parametrize(
    ("name", "mode"),
    [("light", "soft"), ("agile", "soft"), ("standard", "hard"), ("aspice", "hard"), ("safety", "hard")],
)
def test_every_workflow_asks_whether_tests_can_fail_and_were_kept(name: str, mode: str) -> None:
    asked = {each.kind: each.mode for stage in shipped(name).stages for each in stage.exit}

    assert (str(asked[CriterionKind.RED_FIRST]), str(asked[CriterionKind.TESTS_KEPT])) == (mode, mode)


@pytest.mark.parametrize("name", NAMES)
def test_right_stages_may_not_edit_the_product_and_left_ones_nothing(name: str) -> None:
    allowed = {Leg.LEFT: Edits.NONE, Leg.APEX: Edits.ALL, Leg.RIGHT: Edits.TESTS}

    assert all(stage.edits is allowed[stage.leg] for stage in shipped(name).stages)


@pytest.mark.parametrize("name", ["standard", "aspice", "safety"])
def test_a_right_stage_is_entered_only_when_its_pair_is_not_suspect(name: str) -> None:
    for stage in shipped(name).stages:
        if stage.leg is Leg.RIGHT:
            asked = {name for each in stage.enter if each.kind is CriterionKind.TRACE for name in each.checks}
            assert "change" in asked or asked >= SUSPECT, stage.id


def test_a_right_stage_is_entered_only_when_what_its_pair_made_is_not_suspect() -> None:
    made = {
        "unit_test": {"unit"},
        "integration_test": {"component", "interface"},
        "system_test": {"requirement"},
        "swe4": {"unit"},
        "swe5": {"component", "interface"},
        "swe6": {"requirement"},
    }
    for name in ("standard", "aspice", "safety"):
        workflow = shipped(name)
        for stage in workflow.stages:
            if stage.id in made:
                assert set(one(workflow, stage.id, "none-suspect").items) == made[stage.id] | {"test_spec"}
    assert one(shipped("standard"), "validation", "none-suspect").items == ()


SPECIFIED = {
    "agile": {"requirements": "requirement"},
    "aspice": {"swe1": "requirement", "swe2": "component interface", "swe3": "unit"},
    "safety": {
        "planning": "need",
        "requirements": "requirement",
        "architecture": "interface",
        "detailed_design": "unit",
    },
    "standard": {
        "planning": "need",
        "requirements": "requirement",
        "architecture": "interface",
        "detailed_design": "unit",
    },
}


@pytest.mark.parametrize("name", SPECIFIED)
def test_a_left_stage_is_left_only_when_what_it_made_has_its_test_specification(name: str) -> None:
    workflow = shipped(name)
    needs = {each.id: each for each in workflow.trace.needs if each.by == ("verifies",)}
    found: dict[str, set[str]] = {}
    for stage in workflow.stages:
        for each in stage.exit:
            asked = [needs[check] for check in each.checks if check in needs]
            if asked:
                assert set(each.items) == {kind for need in asked for kind in need.of}
                found.setdefault(stage.id, set()).update(each.items)

    assert {key: " ".join(sorted(kinds)) for key, kinds in found.items()} == SPECIFIED[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_need_is_asked_at_some_gate(name: str) -> None:
    workflow = shipped(name)
    asked = {check for stage in workflow.stages for each in criteria(stage) for check in each.checks}

    assert {each.id for each in workflow.trace.needs} <= asked


def test_each_requirement_is_answered_by_tests_that_pass_in_every_workflow() -> None:
    for name, stage in (
        *(("light", "testing"), ("agile", "testing"), ("standard", "system_test"), ("safety", "system_test")),
        ("aspice", "swe6"),
    ):
        found = shipped(name).stage(stage)
        assert found is not None
        asked = [each for each in found.exit if each.items == ("requirement",)]
        assert [each.checks for each in asked] == [("not-verified", "results")], name
        assert asked[0].mode is (Mode.SOFT if name in {"light", "agile"} else Mode.HARD)


def test_light_asks_of_the_trace_only_that_requirements_have_tests() -> None:
    light = shipped("light")

    assert [each.id for stage in light.stages for each in criteria(stage) if each.kind is CriterionKind.TRACE] == [
        "requirements-tested"
    ]
    assert light.trace.needs == ()
    assert {light.trace.severities[code] for code in ("no-parent", "unreviewed", "orphan-file")} == {Severity.OFF}
    assert light.trace.types["requirement"].fields == ()


def test_safety_has_levels_and_raises_what_others_only_warn_of() -> None:
    trace = shipped("safety").trace

    assert trace.integrity == ("QM", "A", "B", "C", "D")
    assert {name for name, rule in trace.types.items() if "integrity" not in rule.fields} == {
        "test_spec",
        "information",
    }
    raised = ("unconfirmed-rationale", "integrity-inversion", "baseline-drift", "self-reviewed")
    assert {trace.severities[code] for code in raised} == {Severity.ERROR}


def test_light_is_light() -> None:
    light = shipped("light")
    hard = [each.id for stage in light.stages for each in criteria(stage) if each.mode is Mode.HARD]

    assert hard == ["tests"]
    assert [stage.id for stage in light.stages] == ["planning", "design", "coding", "testing", "validation"]
    people = {
        CriterionKind.REVIEW,
        CriterionKind.ATTESTATION,
        CriterionKind.BASELINE,
        CriterionKind.FEEDBACK,
        CriterionKind.COMMIT,
    }
    assert not people & {each.kind for stage in light.stages for each in criteria(stage)}
    assert one(light, "testing", "requirements-tested").kind is CriterionKind.TRACE


def test_agile_has_six_stages_and_only_artifacts_tests_and_what_came_before_close_its_gates() -> None:
    agile = shipped("agile")
    hard = {each.kind for stage in agile.stages for each in criteria(stage) if each.mode is Mode.HARD}

    assert [stage.id for stage in agile.stages] == [
        *("requirements", "design", "coding", "testing", "integration", "validation")
    ]
    assert hard == {CriterionKind.ARTIFACT, CriterionKind.JUNIT, CriterionKind.UPSTREAM}


TABLE = {
    "planning": (
        "validation",
        "planner",
        {CriterionKind.FEEDBACK},
        {CriterionKind.TRACE, CriterionKind.ARTIFACT, CriterionKind.REVIEW},
    ),
    "requirements": (
        "system_test",
        "analyst",
        set(),
        {CriterionKind.TRACE, CriterionKind.ARTIFACT, CriterionKind.REVIEW, CriterionKind.BASELINE},
    ),
    "architecture": (
        "integration_test",
        "architect",
        {CriterionKind.TRACE},
        {CriterionKind.TRACE, CriterionKind.ARTIFACT, CriterionKind.REVIEW},
    ),
    "detailed_design": (
        "unit_test",
        "designer",
        set(),
        {CriterionKind.TRACE, CriterionKind.ARTIFACT, CriterionKind.REVIEW},
    ),
    "coding": (
        None,
        "coder",
        set(),
        {
            CriterionKind.ARTIFACT,
            CriterionKind.COMMAND,
            CriterionKind.SARIF,
            CriterionKind.DIFF,
            CriterionKind.TRACE,
            CriterionKind.COMMIT,
            CriterionKind.REVIEW,
        },
    ),
    "unit_test": (
        "detailed_design",
        "tester",
        {CriterionKind.TRACE},
        {
            CriterionKind.ARTIFACT,
            CriterionKind.JUNIT,
            CriterionKind.TRACE,
            CriterionKind.COVERAGE,
            CriterionKind.RED_FIRST,
            CriterionKind.TESTS_KEPT,
        },
    ),
    "integration_test": (
        "architecture",
        "integrator",
        {CriterionKind.TRACE},
        {CriterionKind.ARTIFACT, CriterionKind.JUNIT, CriterionKind.TRACE},
    ),
    "system_test": (
        "requirements",
        "tester",
        {CriterionKind.TRACE, CriterionKind.ARTIFACT},
        {CriterionKind.ARTIFACT, CriterionKind.JUNIT, CriterionKind.REVIEW, CriterionKind.TRACE},
    ),
    "validation": (
        "planning",
        "stakeholder",
        {CriterionKind.TRACE},
        {CriterionKind.ARTIFACT, CriterionKind.ATTESTATION, CriterionKind.BASELINE},
    ),
}


def test_standard_is_the_table() -> None:
    standard = shipped("standard")
    found = {stage.id: (stage.pair, stage.role, *kinds(standard, stage.id)) for stage in standard.stages}

    assert {name: (*row[:3], row[3] - {CriterionKind.UPSTREAM}) for name, row in found.items()} == TABLE
    assert {each.mode for stage in standard.stages for each in criteria(stage)} == {Mode.HARD}
    limits = {"line": 80_000_000, "branch": 70_000_000, "changed": 90_000_000}
    assert one(standard, "unit_test", "coverage").at_least == limits
    assert one(standard, "unit_test", "skips").at_most == {"skipped": 0}
    assert one(standard, "validation", "baseline").tagged
    assert not one(standard, "validation", "accepted").waivable


def test_each_left_stage_of_standard_owes_the_specification_of_its_pair() -> None:
    owed = {
        "planning": "acceptance-plan.*",
        "requirements": "system-test-specification.*",
        "architecture": "integration-specification.*",
        "detailed_design": "unit-test-specification.*",
    }
    standard = shipped("standard")
    for name, pattern in owed.items():
        stage = standard.stage(name)
        assert stage is not None
        assert any(each.kind is CriterionKind.ARTIFACT and pattern in each.files for each in stage.exit)


def test_aspice_pairs_each_process_with_its_own_and_writes_measures_first() -> None:
    aspice = shipped("aspice")

    assert {stage.id: stage.pair for stage in aspice.stages if stage.leg is Leg.LEFT} == {
        "swe1": "swe6",
        "swe2": "swe5",
        "swe3": "swe4",
    }
    for stage in aspice.stages:
        if stage.leg is Leg.LEFT:
            measures = one(aspice, stage.id, "measures")
            assert measures.requires == ("Measures", "Pass and fail", "Entry criteria", "Exit criteria")


def test_the_system_level_of_aspice_is_sound_once_it_is_taken_in() -> None:
    text = (FOLDER / "aspice.yaml").read_text(encoding="utf-8")
    whole = SYSTEM_LEVEL.sub("", text).replace("name: aspice", "name: ours", 1)

    stages = parse_workflow(whole.encode(), "workflow.yaml").stages

    assert [stage.id for stage in stages] == [
        *("sys2", "sys3", "swe1", "swe2", "swe3", "construction", "swe4", "swe5", "swe6", "sys4", "sys5")
    ]
    trace = parse_workflow(whole.encode(), "workflow.yaml").trace
    assert [trace.types[name].level for name in ("system_requirement", "system_element", "requirement", "unit")] == [
        *(1, 2, 3, 5)
    ]
    for name, rule in shipped("aspice").trace.relations.items():
        assert set(rule.from_types) <= set(trace.relations[name].from_types)
        assert set(rule.to_types) <= set(trace.relations[name].to_types)


def test_safety_lets_nothing_be_softened() -> None:
    safety = shipped("safety")

    assert safety.strict
    assert {each.mode for stage in safety.stages for each in criteria(stage)} == {Mode.HARD}
    with pytest.raises(ConfigError, match="safety allows no softer gate: trace: off"):
        with_modes(safety, {"trace": Mode.OFF})


def test_safety_asks_for_two_reviewers_hazards_levels_and_every_condition() -> None:
    safety = shipped("safety")

    assert one(safety, "unit_test", "coverage").at_least == {"line": 100_000_000, "branch": 100_000_000}
    mcdc = one(safety, "unit_test", "mcdc")
    assert (mcdc.kind, mcdc.metric, mcdc.at_least) == (CriterionKind.METRIC, "mcdc", {"value": 100_000_000})
    assert one(safety, "planning", "hazards").requires == ("Hazards", "Risk", "Integrity level", "Measures")
    assert one(safety, "requirements", "derived-approved").kind is CriterionKind.REVIEW
    for stage in safety.stages:
        if stage.leg is not Leg.RIGHT:
            assert one(safety, stage.id, "approved").at_least == {"approvals": 2_000_000}
    for name in ("requirements", "architecture", "detailed_design"):
        assert one(safety, name, "integrity").kind is CriterionKind.TRACE


@pytest.mark.parametrize("name", ["agile", "standard", "aspice", "safety"])
def test_the_comments_name_the_commands_that_the_criteria_use(name: str) -> None:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    told = " ".join(line[1:].strip() for line in text.splitlines() if line.startswith("# "))
    sentence = told[told.index("gates.commands:") :].split(". ", 1)[0]
    used = {each.command for stage in shipped(name).stages for each in criteria(stage) if each.command}

    assert {word for word in re.findall(r"[a-z]+", sentence) if word in used} == used
    assert used


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_readable_in_a_terminal(name: str) -> None:
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()

    assert max(map(len, lines)) <= 120
    assert all(line == line.rstrip() for line in lines)
