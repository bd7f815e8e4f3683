"""Findings in groups, the most useful first, and their lines on a screen: nothing is lost, and everything fits."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.base.test_missing_results import FINDINGS, finding
from verifflowcc.base.model.findings import Certainty, group_findings
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_values import Finding, Severity
from verifflowcc.cli.cli.findings_output import MOST, overview

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

ALL = "vfcc check --all"


def notes(count: int) -> list[Finding]:
    return [finding("non-atomic", f"REQ-{number}") for number in range(count)]


@settings(max_examples=80, deadline=None)
@given(st.lists(FINDINGS, max_size=30))
def test_groups_hold_each_finding_once_by_weight_and_certainty(found: list[Finding]) -> None:
    groups = group_findings(found)

    assert sorted(map(repr, found)) == sorted(repr(each) for group in groups for each in group.findings)
    keys = [(group.example.severity, group.code) for group in groups]
    assert len(set(keys)) == len(keys)
    ranks = [(list(Severity).index(group.example.severity), group.certainty) for group in groups]
    assert ranks == sorted(ranks)
    assert all({each.severity for each in group.findings} == {group.example.severity} for group in groups)
    assert all(sum(count for _, count in group.folders) == len(group.findings) for group in groups)


@settings(max_examples=80, deadline=None)
@given(st.lists(FINDINGS, max_size=40), st.integers(2, 40))
def test_an_overview_never_needs_more_lines_than_there_is_room_for(found: list[Finding], room: int) -> None:
    lines = overview(found, ALL, room)

    assert len(lines) <= room
    assert bool(lines) is bool(found)
    hidden = [int(each.group(1)) for line in lines if (each := re.match(r"and (\d+) more", line))]
    assert not hidden or max(1, len(found) - MOST) <= hidden[0] < len(found)
    if found and room > MOST and len(found) > MOST:
        for group in group_findings(found)[:MOST]:
            assert any(f"{group.example.severity} {group.code}" in line for line in lines)


def test_of_one_weight_what_is_broken_comes_before_what_is_missing_and_that_before_guesses() -> None:
    found = [finding("missing-child"), finding("dangling-link"), finding("weak-wording", severity=Severity.ERROR)]

    assert [(group.code, group.certainty) for group in group_findings(found)] == [
        ("dangling-link", Certainty.BROKEN),
        ("missing-child", Certainty.MISSING),
        ("weak-wording", Certainty.GUESSED),
    ]


def test_findings_that_one_review_settles_are_one_group() -> None:
    item, link = finding("unreviewed"), finding("unreviewed-link", about="refines NEED-a")
    other = finding("unreviewed-link", "REQ-b", about="refines NEED-a")

    first, second = group_findings([link, item, other])

    assert (first.code, first.findings) == ("unreviewed", (item, link))
    assert second.findings == (other,)


def test_each_rule_of_missing_children_is_a_group() -> None:
    found = [finding("missing-child", f"REQ-{name}", about=rule) for name in "ab" for rule in ("built", "tested")]

    assert [{each.about for each in group.findings} for group in group_findings(found)] == [{"built"}, {"tested"}]


def test_a_group_has_its_count_its_folders_an_example_and_its_next_step() -> None:
    places = {"a/b": 8, "a/c/d": 3, "a": 1}
    found = [
        finding("non-atomic", f"REQ-{folder}-{number}", path=f"{folder}/{number}.md", step="do it")
        for folder, count in places.items()
        for number in range(count)
    ]

    assert overview(found, ALL, 10) == (
        "note non-atomic: 12 in a (b 8, c/d 3, . 1)",
        "  b/0.md:1: non-atomic",
        "  → do it",
        f"and 11 more, with the next steps: {ALL}",
    )
    assert overview(found, ALL, 2)[0] == "note non-atomic ×12: 0.md:1: non-atomic"


def test_few_findings_are_listed_each_while_there_is_room_in_the_order_of_groups() -> None:
    few = [finding("not-verified", "REQ-a"), finding("dangling-link", "REQ-b")]
    assert [line.split(" ")[2] for line in overview(few, ALL, 40)] == ["dangling-link:", "not-verified:"]
    assert len([line for line in overview(notes(MOST), ALL, 40) if " note non-atomic: " in line]) == MOST
    assert len(overview(notes(MOST), ALL, 5)) <= 5


def test_every_code_with_a_rank_of_its_own_is_a_check() -> None:
    from verifflowcc.base.model import findings as finding_groups
    from verifflowcc.memory.rules import memory_codes

    known = CHECKS.keys() | memory_codes.CHECKS.keys()
    assert known >= finding_groups._BROKEN | finding_groups._GUESSED | finding_groups._OF_RULES
