"""The matrix: a row for each item, a row for each test, and a word for where each item stands."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace_random import shuffled, worlds
from tests.trace_world import FORM_TEST, LOGIN_TEST, REPORT, World, clean, item, link, of_code, of_tests, result
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.base.model.trace_values import CriterionState, Outcome, ResultReport, TraceReport
from verifflowcc.trace.rules.item_state import ItemState
from verifflowcc.trace.rules.matrix import (
    ITEM_COLUMNS,
    Matrix,
    MatrixRow,
    csv_of_items,
    csv_of_tests,
    matrix,
    narrowed,
)
from verifflowcc.trace.rules.trace_check import check_view
from verifflowcc.trace.rules.trace_table import csv_text, unguarded
from verifflowcc.trace.rules.trace_view import TraceView

pytestmark = pytest.mark.vfcc("REQ-TRACE-MATRIX")

NOT_GREEN = {
    *("missing-child", "not-verified", "no-result", "failed-result", "failed-below", "skipped-result"),
    *("flaky-result", "conflicting-result", "stale-result", "unknown-test", "untrusted-result"),
    *("suspect-upstream", "suspect-downstream", "stale-review"),
}


def matrix_of(world: World) -> Matrix:
    view = TraceView(world.sources(), world.policy)
    return matrix(view, check_view(view))


def row_of(world: World, item_id: str) -> MatrixRow:
    return next(row for row in matrix_of(world).rows if row.id == item_id)


def state_of(world: World, item_id: str) -> str:
    return str(row_of(world, item_id).state)


def told(outcome: Outcome) -> World:
    return clean().told(result(LOGIN_TEST, "TEST-login", outcome=outcome), result(FORM_TEST, "IF-ab", "UNIT-a"))


def test_a_clean_world_has_passed_all_over() -> None:
    shown = matrix_of(clean())

    assert shown.states == {"passed": 4, "passed below": 3}
    assert [row.id for row in shown.rows] == [
        "NEED-a",
        "REQ-login",
        "COMP-a",
        "COMP-b",
        "IF-ab",
        "UNIT-a",
        "TEST-login",
    ]
    assert [(end.relation, end.id) for end in row_of(clean(), "UNIT-a").parents] == [("implements", "COMP-a")]
    assert [end.id for end in row_of(clean(), "REQ-login").children] == ["COMP-a", "COMP-b", "TEST-login"]
    assert {place.path for place in row_of(clean(), "UNIT-a").code} == {"src/login.py"}


def test_a_requirement_has_the_tests_of_the_specifications_that_verify_it() -> None:
    assert [(each.test, each.specification, each.word) for each in row_of(clean(), "REQ-login").tests] == [
        (LOGIN_TEST, "TEST-login", "passed")
    ]


def test_a_test_speaks_for_the_needs_above_its_items() -> None:
    assert [
        (row.test.test, [end.id for end in row.items], [end.id for end in row.needs])
        for row in matrix_of(clean()).tests
    ] == [(FORM_TEST, ["IF-ab", "UNIT-a"], ["NEED-a"]), (LOGIN_TEST, ["TEST-login"], ["NEED-a"])]


def test_a_test_of_no_item_is_a_row_too() -> None:
    rows = matrix_of(clean().told(result("tests/test_alone.py::test_it", outcome=Outcome.FAILED))).tests

    assert [(row.test.word, row.items, row.needs) for row in rows if "alone" in row.test.test] == [("failed", (), ())]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ERROR, Outcome.CONFLICTING])
def test_a_failing_test_reaches_everything_above_it(outcome: Outcome) -> None:
    shown = matrix_of(told(outcome))

    assert {row.id: str(row.state) for row in shown.rows if not row.state.startswith("passed")} == {
        "TEST-login": "failed",
        "REQ-login": "failed",
        "NEED-a": "failed below",
    }


@pytest.mark.parametrize(("outcome", "word"), [(Outcome.FLAKY, "flaky"), (Outcome.SKIPPED, "skipped")])
def test_what_did_not_simply_pass_is_not_passed(outcome: Outcome, word: str) -> None:
    assert [state_of(told(outcome), name) for name in ("TEST-login", "REQ-login", "NEED-a")] == [
        word,
        word,
        "incomplete",
    ]


def test_results_that_do_not_count_show_nothing() -> None:
    trust = EvidenceTrust.RAN_BY_VFCC
    stale = clean().reported(ResultReport(REPORT, trust, stale="it ran on other content"))
    weak = clean().reported(ResultReport(REPORT, EvidenceTrust.ASSERTED))
    nowhere = clean().told(result(LOGIN_TEST, "TEST-login", report="gone.xml")).untold(FORM_TEST)
    nowhere = nowhere.but(
        results=type(nowhere.results)(tuple(e for e in nowhere.results.tests if e.report == "gone.xml"))
    )

    assert [state_of(world, "REQ-login") for world in (stale, weak, nowhere)] == ["stale"] * 3
    assert row_of(stale, "REQ-login").tests[0].word == "passed (stale)"


def test_no_test_no_result_and_no_such_test_are_told_apart() -> None:
    bare = clean().without("TEST-login").add(item("REQ-b", "refines NEED-a")).stamped()
    marked = bare.file(of_tests("tests/test_b.py", test_b="REQ-b"))
    lost = bare.edit("REQ-b", tests=("tests/nowhere.py",)).stamped()

    assert [state_of(world, "REQ-b") for world in (bare, marked, lost)] == ["untested", "not run", "untested"]
    assert [each.word for each in row_of(marked, "REQ-b").tests] == ["not run"]
    assert [each.word for each in row_of(lost, "REQ-b").tests] == ["no such test"]


def test_what_changed_since_somebody_looked_is_suspect() -> None:
    world = clean().edit("COMP-b", text="It is another now.")

    assert [state_of(world, name) for name in ("COMP-b", "IF-ab", "UNIT-a")] == ["suspect", "suspect", "passed"]


def test_planned_and_drafted_items_say_so_and_leave_what_is_above_incomplete() -> None:
    planned = clean().edit("UNIT-a", planned="2027").stamped()
    draft = clean().edit("UNIT-a", status=Status.PENDING).stamped()

    assert (state_of(planned, "UNIT-a"), state_of(planned, "COMP-a")) == ("planned", "incomplete")
    assert state_of(draft, "UNIT-a") == "draft"


def test_a_need_that_nothing_answers_is_unanswered() -> None:
    assert state_of(clean().add(item("NEED-b")).stamped(), "NEED-b") == "unanswered"


def test_code_alone_shows_nothing() -> None:
    world = World((item("NEED-b"), item("COMP-b", "satisfies NEED-b")), (of_code("src/b.py", run="COMP-b"),))
    world = world.but(policy=DEFAULT_POLICY).stamped()

    assert [state_of(world, name) for name in ("NEED-b", "COMP-b")] == ["incomplete", "incomplete"]


def test_an_item_that_nobody_inspected_is_unshown() -> None:
    world = clean().add(item("REQ-b", "refines NEED-a", verification="inspection"))

    assert state_of(world.stamped(), "REQ-b") == "unshown"


def test_nothing_is_passed_that_names_a_criterion_which_is_not_met() -> None:
    world = clean().edit("NEED-a", evidence=("load",))

    def shown(*, met: bool) -> str:
        criterion = CriterionState("system/load", met, "it says so", EvidenceTrust.RAN_BY_VFCC)
        return state_of(world.but(results=replace(world.results, criteria=(criterion,))), "NEED-a")

    assert (shown(met=True), shown(met=False), state_of(world, "NEED-a")) == ("passed below", "unshown", "unshown")


def test_a_link_to_nothing_is_shown_as_that() -> None:
    row = row_of(clean().edit("UNIT-a", links=(link("implements COMP-gone"),)), "UNIT-a")

    assert [(end.id, end.type) for end in row.parents] == [("COMP-gone", "")]


def test_rows_are_narrowed_with_their_tests() -> None:
    whole = matrix_of(told(Outcome.FAILED))
    failed = narrowed(whole, states=["failed"])

    assert [row.id for row in failed.rows] == ["REQ-login", "TEST-login"]
    assert [row.test.test for row in failed.tests] == [LOGIN_TEST]
    assert (failed.total, failed.states) == (7, {"failed": 2})
    assert [row.id for row in narrowed(whole, types=["unit"]).rows] == ["UNIT-a"]
    assert [row.id for row in narrowed(whole, items=["COMP-*"], states=["passed below"]).rows] == ["COMP-a", "COMP-b"]
    assert narrowed(whole) is whole


@settings(deadline=None, max_examples=150)
@given(worlds())
def test_the_rows_are_the_items_that_are_not_retired(world: World) -> None:
    shown = matrix_of(world)

    live = [each for each in world.items if each.status is not Status.ARCHIVED]
    assert sorted((row.id, row.path) for row in shown.rows) == sorted((each.id, each.path) for each in live)
    assert sum(shown.states.values()) == shown.total == len(live)
    assert {row.test.test for row in shown.tests} >= {each.test for each in world.results.tests}


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_the_order_of_files_never_changes_the_matrix(data: st.DataObject) -> None:
    world = data.draw(worlds())

    assert matrix_of(data.draw(shuffled(world))) == matrix_of(world)


@settings(deadline=None, max_examples=300)
@given(worlds())
def test_what_is_called_passed_has_nothing_red_against_it(world: World) -> None:
    view = TraceView(world.sources(), world.policy)
    report = check_view(view)
    if any(each.code == "duplicate-id" for each in report.findings):
        return
    for row in matrix(view, report).rows:
        if row.state in {ItemState.PASSED, ItemState.PASSED_BELOW}:
            bad = [each for each in report.findings if each.item == row.id and each.code in NOT_GREEN]
            assert not bad, (row, bad)


@settings(deadline=None)
@given(st.lists(st.lists(st.text(), min_size=2, max_size=2)))
def test_csv_comes_back_as_it_was_and_no_cell_is_a_formula(rows: list[list[str]]) -> None:
    text = csv_text(("a", "b"), rows)
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))

    assert [[unguarded(cell) for cell in row] for row in read[1:]] == rows
    assert not [cell for row in read for cell in row if cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_the_matrix_as_csv_has_a_line_for_each_item_and_test() -> None:
    world = clean().edit("NEED-a", title='=HYPERLINK("x"), "so"')
    read = list(csv.DictReader(io.StringIO(csv_of_items(matrix_of(world)), newline="")))

    assert tuple(read[0]) == ITEM_COLUMNS
    assert read[0]["title"] == '\'=HYPERLINK("x"), "so"'
    assert read[1]["verified by"] == f"{LOGIN_TEST} passed (by TEST-login)"
    assert csv_of_tests(matrix_of(world)).splitlines()[1] == f"{FORM_TEST},passed,IF-ab; UNIT-a,NEED-a,{REPORT},"


def test_an_empty_world_has_an_empty_matrix() -> None:
    view = TraceView(World(()).sources(), World(()).policy)

    assert matrix(view, TraceReport((), (), {})) == Matrix((), (), {}, 0)
