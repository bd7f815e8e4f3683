"""What else the trace checks tell apart: places, ties of names, equal levels, failures above failures."""

from dataclasses import replace

import pytest

from tests.planted_faults import OTHER, W, and_items, linked, shown
from tests.trace_world import FORM_TEST, GREEN, LOGIN_TEST, World, item, of_code, of_tests, result
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Ref, Status
from verifflowcc.base.model.trace_values import CodeSymbol, CriterionState, Finding, Outcome, Verification
from verifflowcc.trace.rules.trace_check import check

pytestmark = pytest.mark.vfcc("REQ-TRACE-CHECKS")


def found(world: World, *codes: str) -> list[Finding]:
    return [each for each in check(world.sources(), world.policy).findings if not codes or each.code in codes]


def red(world: World) -> list[str]:
    return [each.code for each in check(world.sources(), world.policy).red]


def test_an_equal_or_a_higher_level_is_no_inversion() -> None:
    levels = W.ask(integrity=("QM", "A", "B"))
    for name, level in (
        ("NEED-a", "A"),
        ("REQ-login", "A"),
        ("COMP-a", "A"),
        ("COMP-b", "B"),
        ("IF-ab", "B"),
        ("UNIT-a", "A"),
    ):
        levels = levels.edit(name, integrity=level)

    assert red(levels.stamped()) == []
    (one,) = found(levels.edit("IF-ab", integrity="A").stamped())
    assert (one.code, one.item, one.about) == ("integrity-inversion", "IF-ab", "COMP-b")


def test_of_several_places_with_the_same_code_that_of_the_same_name_is_where_it_moved() -> None:
    gone = W.but(code=W.code[1:])
    twins = of_code("src/new.py", **{"Door.login": "UNIT-a", "other": ""})
    moved = replace(twins, symbols=tuple(CodeSymbol(each.name, 1, 2, "digest of login") for each in twins.symbols))

    (one,) = found(gone.file(moved))
    assert one.code == "code-moved"
    assert "is now src/new.py::Door.login" in one.message
    assert one.also == ("src/login.py", "src/new.py")


def test_a_whole_file_that_moved_is_told() -> None:
    world = W.edit("COMP-a", refs=(Ref("docs/old.md", digest="sha256:d"),)).but(files={"docs/new.md": "sha256:d"})

    (one,) = found(world)
    assert (one.code, one.about) == ("code-moved", "docs/old.md")


def test_a_symbol_of_a_file_that_is_not_scanned_is_gone_and_not_its_file() -> None:
    world = W.edit("COMP-a", refs=(Ref("docs/a.md", "Heading"),)).but(files={"docs/a.md": "sha256:d"})

    assert red(world) == ["symbol-gone"]


def test_a_pattern_in_a_file_whose_symbols_nobody_knows_is_a_test_without_a_result() -> None:
    bare = W.file(of_tests("tests/test_form.py", test_form="UNIT-a")).told(result(FORM_TEST, "UNIT-a"))
    opaque = bare.file(of_tests("tests/form.robot")).edit("IF-ab", tests=("./tests/form.robot::Submit a form",))

    (one,) = found(opaque, "no-result", "not-verified")
    assert (one.code, one.item) == ("no-result", "IF-ab")


def test_a_failure_above_a_failure_is_told_of_both() -> None:
    failed = W.told(result(LOGIN_TEST, "TEST-login", outcome=Outcome.FAILED))
    world = failed.file(of_tests("tests/test_new.py", test_req="REQ-login")).told(
        result("tests/test_new.py::test_req", "REQ-login", outcome=Outcome.FAILED)
    )

    below = {each.item: each.about for each in found(world, "failed-below")}
    assert below == {"REQ-login": "TEST-login", "NEED-a": "REQ-login"}


def test_a_long_way_down_is_told_by_its_ends() -> None:
    world = W.told(result(FORM_TEST, "IF-ab", "UNIT-a", outcome=Outcome.FAILED))
    chain = shown(item("REQ-b", "refines REQ-login"), world=world)
    deep = linked("UNIT-a", "satisfies REQ-b", world=chain)

    ways = {each.item: each.message.partition(": ")[2] for each in found(deep, "failed-below")}
    assert ways["NEED-a"] in {"NEED-a ← REQ-login ← COMP-a ← IF-ab", "NEED-a ← REQ-login ← REQ-b ← UNIT-a"}


def test_a_test_that_is_not_there_is_told_of_reports_that_count_only() -> None:
    gone = result("tests/test_gone.py::test_gone", known=False, report=OTHER.name)

    assert red(W.reported(OTHER).told(gone)) == ["unknown-test"]
    assert red(W.reported(replace(OTHER, stale="old")).told(gone)) == []


def test_a_removed_test_of_a_stale_report_is_not_demanded() -> None:
    gone = result("tests/test_gone.py::test_gone", "TEST-login", known=False, report=OTHER.name)
    kept = result("tests/test_login.py::test_kept", report=OTHER.name)
    world = W.reported(replace(OTHER, stale="old"))

    assert red(world.told(gone)) == ["stale-result"]  # no test of this report is in the tree: names may not resolve
    assert red(world.told(gone, kept)) == []


def test_a_test_whose_file_moved_since_the_evidence_is_not_demanded_under_its_old_name() -> None:
    old = result("tests/test_gone.py::test_form", "TEST-login", report=OTHER.name)

    assert red(W.reported(replace(OTHER, stale="old")).told(old)) == []


def test_a_circle_is_told_at_the_link_that_begins_it() -> None:
    world = shown(item("REQ-a", "refines NEED-a", "refines REQ-b"), item("REQ-b", "refines REQ-a"))

    (one,) = found(world)
    assert one.line == world["REQ-a"].links[1].line
    assert one.message == "links lead round in a circle: REQ-a → REQ-b → REQ-a"
    assert one.also == (world["REQ-b"].path,)


def test_evidence_that_is_worth_just_what_is_asked_is_worth_enough() -> None:
    metric = W.edit("REQ-login", verification="metric", evidence=("load",)).stamped()
    load = CriterionState("system/load", True, "", EvidenceTrust.IMPORTED_CI)

    assert red(metric.but(results=replace(metric.results, criteria=(load,)))) == []


def test_another_method_than_the_declared_is_named() -> None:
    word = Verification("review", "human:Other", "2026-11-20", "x", "y", "z")
    world = W.edit("UNIT-a", verification="inspection", verified=word).stamped()

    (one,) = found(world, "not-verified")
    assert one.message == "UNIT-a is to be verified by inspection, and was by review"


def test_levels_are_asked_of_refining_links_alone() -> None:
    rows = {each.code: each.examined for each in check(W.sources(), W.policy).checks}

    refining = sum(each.relation == "refines" for one in W.items for each in one.links)
    assert rows["wrong-level"] == refining == 3
    assert rows["dangling-link"] == sum(len(one.links) for one in W.items)


def test_the_command_of_a_result_makes_its_evidence_anew() -> None:
    ours = replace(GREEN, stage="unit_test", criterion="tests", stale="src/login.py changed")

    (one,) = found(W.reported(ours))
    assert one.step == "vfcc evidence run tests --stage unit_test"


def test_a_draft_is_asked_as_everything_else_is() -> None:
    draft = and_items(item("REQ-b", status=Status.PENDING))

    assert sorted(red(draft)) == ["missing-child", "no-parent", "not-verified"]
