"""What a stage owes: names, the headings of each, skeletons that pass no gate, and names that lead nowhere else."""

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText, Leg, SprintState, Stage, artifact_criteria
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.gates.rules.artifact_criteria import (
    OwedArtifact,
    artifact_criteria_of,
    artifact_name,
    assess_artifact,
    name_problem,
    owed_artifacts,
    requires_of,
    skeleton,
    suggested,
)
from verifflowcc.sprint.store.workflow_load import load_workflow, shipped_names

SHIPPED = [
    (name, stage.id) for name in shipped_names() for stage in load_workflow(Path("nowhere"), name).stages
]  # fmt: skip
HEADING = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=20).filter(str.strip)


def stage(*patterns: str, more: tuple[Criterion, ...] = ()) -> Stage:
    implied = artifact_criteria(patterns, Mode.HARD)
    return Stage("plan", "Plan", Leg.LEFT, None, "planner", patterns, exit=(*implied, *more))


def asks(pattern: str, *requires: str, mode: Mode = Mode.HARD) -> Criterion:
    return Criterion(f"{pattern}-parts", CriterionKind.ARTIFACT, "has parts", mode, files=(pattern,), requires=requires)


def assessed(criterion: Criterion, name: str, text: str) -> Assessment:
    artifact = Artifact(name, digest_text(text), len(text.encode()))
    facts = Facts(SprintState("s", "S"), "2026-11-21", artifacts={"plan": (ArtifactText(artifact, text),)})
    return assess_artifact(criterion, "plan", facts, "a")


def test_an_owed_artifact_lists_the_headings_of_all_criteria_about_it_in_order() -> None:
    found = owed_artifacts(stage("plan.*", "risks.*", more=(asks("plan.*", "Goals"), asks("*.md", "Scope", "Goals"))))

    assert found == (
        OwedArtifact("plan.md", ("Goals", "Scope")),
        OwedArtifact("risks.md", ("Scope", "Goals")),
        OwedArtifact("notes.md", ("Scope", "Goals")),
    )


def test_what_is_off_is_not_owed_and_what_fits_is_not_missing() -> None:
    here = stage("plan.*", "risks.*", more=(asks("old.*", mode=Mode.OFF),))

    assert [each.name for each in owed_artifacts(here)] == ["plan.md", "risks.md"]
    assert [each.name for each in owed_artifacts(here, ["plan.json"])] == ["risks.md"]
    assert owed_artifacts(here, ["plan.json", "risks.md"]) == ()


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        *(("plan", "plan.md"), ("plan.json", "plan.json"), ("report", "report.pdf"), ("units/a", "units/a.md")),
        *(("notes", "notes"), ("other.txt", "other.txt")),
    ],
)
def test_a_suffix_may_be_left_out_where_one_owed_name_fits(name: str, stored: str) -> None:
    assert artifact_name(stage("plan.*", "report.pdf", "units/**"), name) == stored


def test_a_suffix_that_could_be_one_of_two_is_not_guessed() -> None:
    assert artifact_name(stage("plan.md", "plan.json"), "plan") == "plan"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *(("/etc/passwd", "inside"), ("../plan.md", "inside"), ("a/../../b.md", "inside"), ("~/x.md", "inside")),
        *(("a\\b.md", "inside"), (".hidden.md", "hidden"), ("a/.git/x.md", "hidden"), (".", "hidden")),
        *(("a" * 81 + ".md", "too long"), ("/".join(["a" * 60] * 4), "too long")),
        *(
            ("", "may hold"),
            ("a//b.md", "may hold"),
            ("a b.md", "may hold"),
            ("a\n.md", "may hold"),
            ("-f", "may hold"),
        ),
        *(("plan.md/", "may hold"), ("plan.", "may hold")),
    ],
)
def test_a_name_that_leads_elsewhere_or_is_no_plain_name_is_refused(name: str, why: str) -> None:
    assert why in name_problem(name)


@given(st.text(max_size=40) | st.from_regex(r"[a-z./~\\_-]{1,20}", fullmatch=True))
@settings(deadline=None)
def test_a_name_without_a_problem_stays_below_the_folder(name: str) -> None:
    if name_problem(name):
        return
    parts = PurePosixPath(name).parts

    assert "/".join(parts) == name
    assert not any(part.startswith(".") or part in {"/", ".."} for part in parts)


@pytest.mark.parametrize(("workflow", "stage_id"), SHIPPED)
def test_no_skeleton_passes_a_criterion_of_a_shipped_workflow(workflow: str, stage_id: str) -> None:
    here = load_workflow(Path("nowhere"), workflow).stage(stage_id)
    assert here is not None
    owed = owed_artifacts(here)

    assert owed
    for each in owed:
        for criterion in artifact_criteria_of(here):
            assert not assessed(criterion, each.name, skeleton(each.name, each.requires)).met, each


@given(st.lists(HEADING, max_size=4), st.sampled_from([".md", ".json", ".yaml", ".yml", ".txt"]))
@settings(deadline=None)
def test_a_skeleton_never_says_anything_whatever_its_headings(requires: list[str], suffix: str) -> None:
    name = f"sprint-plan{suffix}"

    assert not assessed(
        Criterion("x", CriterionKind.ARTIFACT, "x", files=(name,)), name, skeleton(name, tuple(requires))
    ).met


@pytest.mark.parametrize("name", ["plan.md", "plan.json", "plan.yaml"])
def test_a_filled_skeleton_passes(name: str) -> None:
    criterion = asks("plan.*", "Goals", "Entry criteria")
    text = skeleton(name, criterion.requires)
    filled = text.replace("<!-- Write this part here. -->", "Users log in.").replace('""', '"Users log in."')

    assert assessed(criterion, name, filled).met


def test_the_headings_are_named_before_the_file_exists() -> None:
    facts = Facts(SprintState("s", "S"), "2026-11-21")
    found = assess_artifact(asks("plan.*", "Goals", "Scope"), "plan", facts, "a")

    assert found.reason == 'nothing matches a/plan.* (it needs text under the headings "Goals", "Scope")'
    assert requires_of(stage(more=(asks("plan.*", "Goals"),)), suggested("plan.*")) == ("Goals",)
