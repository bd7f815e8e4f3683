"""Evidence speaks of the files that it was made from, and says which of them changed since."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence_samples import CONTENT, RAN, TEST, TESTS, evidence, facts
from verifflowcc.base.model.evidence_values import Command, Inputs
from verifflowcc.base.model.gate_values import BaselineKind, Criterion, CriterionKind
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText
from verifflowcc.gates.rules.staleness import inputs_now, stale_reasons
from verifflowcc.sprint.rules.evidence_files import folder_digests, inputs_digest

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")

NAMES = st.sampled_from(["a", "b", "src/a", "src/b", "src/deep/c", "tests/t"])
TREES = st.dictionaries(NAMES, st.sampled_from(["1", "2"]), max_size=6)


def test_what_did_not_change_is_not_stale() -> None:
    assert stale_reasons(evidence(), facts(), TESTS) == ()


def test_a_changed_a_new_and_a_missing_file_are_named() -> None:
    now = {"src/a.py": "sha256:other", "src/c.py": "sha256:c", "tests/test_a.py": "sha256:t"}

    told = stale_reasons(evidence(), facts(content=now), TESTS)

    assert told == ("src/a.py changed", "src/b.py is gone", "src/c.py is new")


def test_more_than_five_files_are_counted() -> None:
    now = CONTENT | {f"docs/{number}.md": "sha256:d" for number in range(12)}

    told = stale_reasons(evidence(), facts(content=now), TESTS)

    assert told[:5] == tuple(f"docs/{name}.md is new" for name in ("0", "1", "10", "11", "2"))
    assert told[5:] == ("and 7 more",)
    assert len(stale_reasons(evidence(), facts(content=now), TESTS, most=None)) == 12


def test_a_file_that_is_no_input_makes_nothing_stale() -> None:
    criterion = replace(TESTS, inputs=("src/**",))
    one = evidence(criterion=criterion, inputs=inputs_digest(CONTENT, ("src/**",)))

    assert stale_reasons(one, facts(content=CONTENT | {"README.md": "sha256:new"}), criterion) == ()
    assert stale_reasons(one, facts(content=CONTENT | {"src/a.py": "sha256:x"}), criterion) == ("src/a.py changed",)


def test_inputs_are_the_criterions_else_the_commands_else_all() -> None:
    narrow = replace(TEST, inputs=("src/**",))

    assert set(inputs_now(TESTS, "check", facts()).digests) == set(CONTENT)
    assert set(inputs_now(TESTS, "check", facts(command=narrow)).digests) == {"src/a.py", "src/b.py"}
    own = replace(TESTS, inputs=("tests/**",))
    assert set(inputs_now(own, "check", facts(command=narrow)).digests) == {"tests/test_a.py"}


def test_reports_are_no_inputs() -> None:
    command = replace(TEST, reports={"junit": "build/j.xml"})
    content = CONTENT | {"build/j.xml": "sha256:r", "from-ci.xml": "sha256:ci"}

    found = inputs_now(TESTS, "check", facts(content=content, command=command), report="from-ci.xml")

    assert set(found.digests) == set(CONTENT)


def test_other_patterns_that_choose_other_files_are_told() -> None:
    narrow = facts(command=replace(TEST, inputs=("src/**",)))

    assert stale_reasons(evidence(), narrow, TESTS) == (
        "its inputs are src/** now, and were all files",
        "tests/test_a.py is gone",
    )


def test_other_patterns_that_choose_the_same_files_change_nothing() -> None:
    assert stale_reasons(evidence(), facts(command=replace(TEST, inputs=("**",))), TESTS) == ()


@pytest.mark.parametrize(
    "changed",
    [
        replace(TEST, argv=("pytest", "-x", "--junitxml={junit}")),
        replace(TEST, timeout_s=5),
        replace(TEST, reports={"junit": "build/other.xml"}),
    ],
    ids=["argv", "timeout", "report"],
)
def test_a_changed_command_makes_its_evidence_stale(changed: Command) -> None:
    one = evidence(report=".memory/local/reports/test.junit.xml")

    assert stale_reasons(one, facts(), TESTS) == ()
    assert stale_reasons(one, facts(command=changed), TESTS) == ("the command test changed",)


def test_a_command_that_is_gone_and_one_of_another_name_are_told() -> None:
    assert stale_reasons(evidence(), facts(command=None), TESTS) == ("the command test is not configured any more",)
    other = evidence(run=replace(RAN, command="unit"))
    assert stale_reasons(other, facts(), TESTS) == ("it was made by the command unit, not by test",)


def test_a_run_with_no_report_is_not_stale_for_that() -> None:
    criterion = Criterion("build", CriterionKind.COMMAND, "it builds", command="test")

    assert stale_reasons(evidence({}, criterion), facts(), criterion) == ()


def test_folders_are_told_where_files_are_too_many() -> None:
    then = replace(inputs_digest(CONTENT, ()), digests=folder_digests(CONTENT))
    now = {"src/a.py": "sha256:x", "src/b.py": "sha256:b", "docs/x.md": "sha256:d"}

    told = stale_reasons(evidence(inputs=then), facts(content=now), TESTS)

    assert told == ("docs/ is new", "something in src/ changed", "tests/ is gone")


def test_numbers_are_told_where_nothing_else_is_known() -> None:
    then = replace(inputs_digest(CONTENT, ()), digests={})

    assert stale_reasons(evidence(inputs=then), facts(content=CONTENT | {"src/a.py": "x"}), TESTS) == (
        "one or more of its 3 inputs changed",
    )
    assert stale_reasons(evidence(inputs=then), facts(content={"src/a.py": "x"}), TESTS) == (
        "it had 3 inputs, now there are 1",
    )


def test_a_baseline_speaks_of_the_artifacts_of_its_stage() -> None:
    criterion = Criterion("baseline", CriterionKind.BASELINE, "frozen")
    mine, other = (ArtifactText(Artifact(name, f"sha256:{name}", 1), "x") for name in ("mine.md", "other.md"))
    known = replace(
        facts(), artifacts={"check": (mine,), "plan": (other,)}, memory={".memory/project/x.md": "sha256:x"}
    )

    assert list(inputs_now(criterion, "check", known).digests) == [".memory/stage/login/check/artifacts/mine.md"]


def test_a_baselines_files_are_chosen_from_project_memory_and_artifacts() -> None:
    criterion = Criterion("baseline", CriterionKind.BASELINE, "frozen", files=("src/**", ".memory/**"))
    other = ArtifactText(Artifact("other.md", "sha256:o", 1), "x")
    known = replace(facts(), artifacts={"plan": (other,)}, memory={".memory/project/x.md": "sha256:x"})

    assert list(inputs_now(criterion, "check", known).digests) == [
        ".memory/project/x.md",
        ".memory/stage/login/plan/artifacts/other.md",
        "src/a.py",
        "src/b.py",
    ]


def test_a_scan_also_speaks_of_the_findings_that_are_known() -> None:
    scan = Criterion("scan", CriterionKind.SARIF, "no new finding", command="test", inputs=("src/**",))
    path = BaselineKind.LINT.path
    known = replace(facts(), memory={path: "sha256:1", ".memory/project/x.md": "sha256:x"})
    one = evidence({}, scan, inputs=inputs_now(scan, "check", known))

    assert set(one.inputs.digests) == {path, "src/a.py", "src/b.py"}
    assert stale_reasons(one, replace(known, memory={path: "sha256:2"}), scan) == (f"{path} changed",)
    assert stale_reasons(one, replace(known, memory={}), scan) == (f"{path} is gone",)


@settings(deadline=None, max_examples=200)
@given(TREES, TREES, st.sampled_from(["files", "folders", "none"]))
def test_evidence_is_stale_exactly_where_its_files_differ(then: dict[str, str], now: dict[str, str], kept: str) -> None:
    digests = {"files": then, "folders": folder_digests(then), "none": dict[str, str]()}[kept]
    inputs = Inputs((), len(then), inputs_digest(then, ()).digest, digests)

    told = stale_reasons(evidence(inputs=inputs), facts(content=now), TESTS)

    assert bool(told) == (then != now)
