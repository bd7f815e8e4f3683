"""Every trace check finds the fault that is planted for it, and nothing else; what comes near is not found."""

import pytest

from tests.planted_faults import FAULTS
from tests.trace_world import World, clean
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_values import Finding, Severity, TraceReport
from verifflowcc.trace.rules.trace_check import check

pytestmark = pytest.mark.vfcc("REQ-TRACE-CHECKS")


def checked(world: World) -> TraceReport:
    return check(world.sources(), world.policy)


def told(findings: tuple[Finding, ...]) -> str:
    return "\n".join(f"{each.severity} {each.code} {each.path}:{each.line} {each.message}" for each in findings)


def test_every_check_has_a_planted_fault() -> None:
    assert set(FAULTS) == set(CHECKS)


def test_the_clean_world_has_no_finding() -> None:
    assert checked(clean()).findings == ()


@pytest.mark.parametrize("code", FAULTS)
def test_a_planted_fault_is_found_and_nothing_else(code: str) -> None:
    report = checked(FAULTS[code].planted)

    found = [each for each in report.findings if each.code == code]
    others = tuple(each for each in report.red if each.code != code)

    assert found, told(report.findings)
    assert not others, told(others)
    assert {each.severity for each in found} == {CHECKS[code].severity}
    assert {each.family for each in found} == {CHECKS[code].family}
    assert FAULTS[code].where in {found[0].item, *(each.item or each.path for each in found)}


@pytest.mark.parametrize("code", FAULTS)
def test_a_near_miss_is_not_found(code: str) -> None:
    report = checked(FAULTS[code].near)

    assert code not in {each.code for each in report.findings}
    assert not report.red, told(report.red)


@pytest.mark.parametrize("code", FAULTS)
def test_a_finding_is_a_sentence_with_a_place_and_a_step(code: str) -> None:
    for each in checked(FAULTS[code].planted).findings:
        assert each.message
        assert "\n" not in each.message
        assert not each.message.endswith(".")
        assert each.step
        assert each.path
        assert each.line >= 1
        assert each.item in each.message or each.code in {"bad-field", "link-cycle", *_FLAWS}


_FLAWS = {"unknown-field", "empty-text", "placeholder", "weak-wording", "non-atomic"}


@pytest.mark.parametrize("code", FAULTS)
def test_a_check_says_of_how_many_things_it_was_asked(code: str) -> None:
    report = checked(FAULTS[code].planted)
    row = next(each for each in report.checks if each.code == code)

    assert 1 <= row.found == sum(each.code == code for each in report.findings)
    assert row.examined >= 1


@pytest.mark.parametrize("code", FAULTS)
def test_a_check_that_is_off_tells_nothing_and_is_not_asked(code: str) -> None:
    world = FAULTS[code].planted
    report = checked(world.ask(severities={**world.policy.severities, code: Severity.OFF}))

    assert code not in {each.code for each in report.findings}
    assert code not in {each.code for each in report.checks}


@pytest.mark.parametrize("code", FAULTS)
def test_a_workflow_weighs_a_finding(code: str) -> None:
    world = FAULTS[code].planted
    for weight in (Severity.ERROR, Severity.NOTE):
        report = checked(world.ask(severities={**world.policy.severities, code: weight}))

        assert {each.severity for each in report.findings if each.code == code} == {weight}
