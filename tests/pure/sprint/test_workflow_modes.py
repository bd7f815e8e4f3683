"""What `gates.modes` of the configuration does to a workflow when a sprint starts."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import Workflow, asks_nothing
from verifflowcc.sprint.rules.workflow_drawing import with_modes
from verifflowcc.sprint.store.workflow_load import load_shipped, parse_workflow, shipped_names

TEXT = """\
name: small
title: Small
strict: {strict}
stages:
  - id: code
    title: Code
    leg: apex
    role: coder
    artifacts: [changes.*]
    enter:
      - {{id: early, kind: trace}}
    exit:
      - {{id: tests, kind: junit, command: test}}
      - {{id: skips, kind: junit, command: test, at_most: {{skipped: 0}}}}
      - {{id: links, kind: trace, mode: soft}}
"""


def small(strict: bool = False) -> Workflow:
    return parse_workflow(TEXT.format(strict=str(strict).lower()).encode(), "workflow.yaml")


def modes_of(workflow: Workflow) -> dict[str, Mode]:
    return {each.id: each.mode for each in criteria(workflow)}


def criteria(workflow: Workflow) -> tuple[Criterion, ...]:
    return tuple(each for stage in workflow.stages for each in (*stage.enter, *stage.exit))


def problems(workflow: Workflow, modes: dict[str, Mode]) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        with_modes(workflow, modes)
    return caught.value.problems


def test_no_modes_change_nothing() -> None:
    assert with_modes(small(), {}) == small()


def test_a_kind_speaks_of_all_its_criteria_on_both_gates() -> None:
    assert modes_of(with_modes(small(), {"trace": Mode.OFF})) == {
        "early": Mode.OFF,
        "changes": Mode.HARD,
        "tests": Mode.HARD,
        "skips": Mode.HARD,
        "links": Mode.OFF,
    }


def test_an_id_goes_before_its_kind() -> None:
    changed = modes_of(with_modes(small(), {"junit": Mode.OFF, "tests": Mode.SOFT}))

    assert (changed["tests"], changed["skips"]) == (Mode.SOFT, Mode.OFF)


def test_a_kind_that_the_workflow_does_not_use_is_no_slip() -> None:
    assert with_modes(small(), {"coverage": Mode.SOFT}) == small()


def test_a_slip_is_told_with_the_nearest_name() -> None:
    assert problems(small(), {"trase": Mode.OFF}) == (
        "config.yaml: gates.modes.trase is neither a kind nor a criterion of small; did you mean trace?",
    )


def test_a_strict_workflow_takes_harder_modes_and_no_softer_one() -> None:
    assert modes_of(with_modes(small(strict=True), {"links": Mode.HARD}))["links"] is Mode.HARD
    assert problems(small(strict=True), {"trace": Mode.OFF, "tests": Mode.SOFT}) == (
        "config.yaml: small allows no softer gate: tests: soft",
        "config.yaml: small allows no softer gate: trace: off",
    )


def test_an_id_that_stays_hard_shields_nothing_else_of_its_kind() -> None:
    assert problems(small(strict=True), {"junit": Mode.OFF, "tests": Mode.HARD}) == (
        "config.yaml: small allows no softer gate: junit: off",
    )


def test_a_gate_is_never_turned_off_as_a_whole() -> None:
    whole = {"artifact": Mode.OFF, "junit": Mode.OFF, "trace": Mode.OFF}

    assert problems(small(), whole) == (
        "config.yaml: gates.modes turns every criterion of code off, so there is nothing to evaluate",
    )


MODES = st.dictionaries(
    st.sampled_from([*(kind.value for kind in CriterionKind), "tests", "coverage", "approved", "baseline"]),
    st.sampled_from(Mode),
    max_size=6,
)


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(shipped_names()), MODES)
def test_only_modes_change_and_nothing_is_left_without_a_question(name: str, modes: dict[str, Mode]) -> None:
    workflow = load_shipped(name)
    try:
        changed = with_modes(workflow, modes)
    except ConfigError:
        return

    assert not any(map(asks_nothing, changed.stages))
    for before, after in zip(criteria(workflow), criteria(changed), strict=True):
        assert replace(after, mode=before.mode) == before
        assert after.mode is modes.get(before.id, modes.get(before.kind.value, before.mode))
        assert not (workflow.strict and before.mode is Mode.HARD and after.mode is not Mode.HARD)
