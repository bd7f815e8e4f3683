"""What the trace checks say in the cases that decide: which end changed, what a stamp is worth, what is planned."""

from dataclasses import replace

import pytest

from tests.planted_faults import CODE_B, FAULTS, UNIT_B, W, and_items, linked, reviewed_only, shown
from tests.trace_world import (
    FORM_TEST,
    GREEN,
    LOGIN_TEST,
    REPORT,
    REVIEWER,
    TODAY,
    World,
    clean,
    item,
    of_code,
    of_tests,
    result,
    stamped,
)
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Ref, Stamp, Status
from verifflowcc.base.model.trace_codes import Need
from verifflowcc.base.model.trace_values import (
    CodeMark,
    CriterionState,
    Finding,
    Flaw,
    GitTrace,
    Outcome,
    ResultReport,
    TraceBaseline,
    Verification,
)
from verifflowcc.trace.rules.check_steps import pointed_content
from verifflowcc.trace.rules.fingerprint import stamp_of_item
from verifflowcc.trace.rules.trace_check import check
from verifflowcc.trace.rules.trace_view import TraceView


def found(world: World, *codes: str) -> list[Finding]:
    """The findings of a world of these codes; of all where none is named."""
    return [each for each in check(world.sources(), world.policy).findings if not codes or each.code in codes]


def codes(world: World) -> list[str]:
    """The codes of all that is red."""
    return [each.code for each in check(world.sources(), world.policy).red]


# Identity and schema


def test_git_tells_ids_that_were_retired_and_deleted() -> None:
    world = W.but(git=GitTrace(reused={W["REQ-login"].path: "old/REQ-login.md, removed in 1234"}))

    (one,) = found(world)
    assert (one.code, one.item) == ("reused-id", "REQ-login")
    assert "removed in 1234" in one.message


def test_why_git_is_silent_is_a_notice() -> None:
    report = check(W.but(git=GitTrace(problem="no repository")).sources(), W.policy)

    assert report.notices == ("of its history nothing is known: no repository",)
    assert report.findings == ()


def test_an_unreadable_file_is_told_at_its_line() -> None:
    (one,) = found(W.but(unreadable={"items/x.md": "12: not UTF-8"}))

    assert (one.path, one.line, one.message) == ("items/x.md", 12, "items/x.md cannot be read as an item: not UTF-8")


def test_a_field_that_is_wrong_is_not_missing_too() -> None:
    flaw = Flaw("bad-field", 5, "verification is no method", "verification")
    world = W.edit("REQ-login", verification=None, flaws=(flaw,)).stamped()

    assert codes(world) == ["bad-field"]


def test_a_field_of_a_workflow_is_there_if_its_line_is() -> None:
    rule = replace(W.policy.types["need"], fields=("owner",))
    asked = W.ask(types={**W.policy.types, "need": rule})

    assert codes(asked) == ["missing-field"]
    assert codes(asked.edit("NEED-a", lines={"owner": 4})) == []


def test_a_heading_of_a_workflow_is_there_if_something_stands_below_it() -> None:
    rule = replace(W.policy.types["need"], requires=("Contract",))
    asked = W.ask(types={**W.policy.types, "need": rule})
    (one,) = found(asked)

    assert (one.code, one.item, one.about) == ("missing-field", "NEED-a", "Contract")
    assert codes(asked.edit("NEED-a", text="In.\n\n## Contract\n\nA name gives letters.").stamped()) == []
    assert codes(asked.edit("NEED-a", text="In.\n\n## Contract\n\n## Errors\n\nNone.").stamped()) == ["missing-field"]


# Links


def test_a_retired_items_links_are_not_asked() -> None:
    assert codes(and_items(item("REQ-old", "refines NEED-gone", "up REQ-old", status=Status.ARCHIVED))) == []


@pytest.mark.vfcc("REQ-TRACE-SYMBOLS")
def test_a_missing_symbol_is_told_at_its_own_file() -> None:
    (one,) = found(W.edit("COMP-a", refs=(Ref("src/login.py", "logout"),), lines={"refs": 9}))

    assert (one.path, one.line) == (W["COMP-a"].path, 9)
    assert one.also == ("src/login.py",)


@pytest.mark.vfcc("REQ-TRACE-SYMBOLS")
def test_code_that_could_be_in_two_places_is_gone_and_not_moved() -> None:
    gone = W.but(code=W.code[1:])
    twice = gone.file(of_code("src/a.py", login=""), of_code("src/b.py", login=""))

    assert codes(gone.file(of_code("src/a.py", login="UNIT-a"))) == ["code-moved"]
    assert "file-gone" in codes(twice)


def test_a_result_that_names_no_item_is_told_where_no_mark_does() -> None:
    world = W.told(result(LOGIN_TEST, "TEST-login", "REQ-typo"))

    (one,) = found(world)
    assert (one.code, one.path) == ("unknown-mark", "tests/test_login.py")


def test_a_tag_of_gherkin_that_no_item_has_is_no_mistake() -> None:
    assert codes(W.file(of_code("features/a.feature", scenario="JIRA-12"))) == []
    assert codes(W.file(of_code("src/extra.py", scenario="JIRA-12"))) == ["unknown-mark"]


# Coverage


def test_a_need_counts_distinct_items() -> None:
    two = W.ask(needs=(Need("two", ("need",), ("refines", "derives"), ("requirement",), at_least=2),))

    assert codes(linked("REQ-login", "derives NEED-a", world=two)) == ["missing-child"]
    assert codes(shown(item("REQ-b", "derives NEED-a"), world=two)) == []


def test_a_need_is_named_in_what_tells_it() -> None:
    (one,) = found(and_items(item("NEED-b")))

    assert (one.about, one.key) == ("specified", "missing-child|NEED-b|specified")


def test_a_test_answers_where_a_need_says_so() -> None:
    world = shown(item("REQ-b", "refines NEED-a"))
    strict = world.ask(needs=(replace(W.policy.needs[1], or_tests=False),))

    assert codes(world) == []
    assert codes(strict) == ["missing-child"]


def test_a_ref_to_code_answers_as_a_mark_does() -> None:
    bare = shown(UNIT_B)

    assert codes(bare) == ["missing-child"]
    assert codes(bare.file(CODE_B)) == []
    assert codes(bare.edit("UNIT-b", refs=(Ref("src/login.py"),))) == []
    assert codes(bare.edit("UNIT-b", refs=(Ref("tests/test_form.py"),))) == ["missing-child"]


def test_what_is_planned_is_passed_over_and_counted() -> None:
    report = check(W.edit("REQ-login", planned="2027").untold(LOGIN_TEST).sources(), W.policy)
    rows = {each.code: each for each in report.checks}

    assert (rows["not-verified"].examined, rows["not-verified"].skipped) == (2, 1)
    assert (rows["missing-child"].examined, rows["missing-child"].skipped) == (2, 1)
    assert report.planned == {"requirement": 1}
    assert report.counts["requirement"] == 1


def test_a_specification_that_is_only_planned_verifies_nothing() -> None:
    assert [each.item for each in found(W.edit("TEST-login", planned="2027"), "not-verified")] == ["REQ-login"]


def test_a_specification_without_a_test_verifies_nothing() -> None:
    world = W.file(of_tests("tests/test_login.py", test_login="")).untold(LOGIN_TEST)

    (one,) = found(world, "not-verified")
    assert one.item == "REQ-login"
    assert "TEST-login" in one.message


def test_a_specification_of_another_method_answers_for_itself() -> None:
    world = W.file(of_tests("tests/test_login.py", other="")).untold(LOGIN_TEST)
    manual = world.edit("TEST-login", verification="demonstration").stamped()

    assert [(each.code, each.item) for each in found(manual, "not-verified")] == [("not-verified", "TEST-login")]


def test_patterns_join_tests() -> None:
    bare = W.file(of_tests("tests/test_form.py", test_form="UNIT-a")).told(result(FORM_TEST, "UNIT-a"))

    assert [each.item for each in found(bare, "not-verified")] == ["IF-ab"]
    for pattern in ("tests/test_form.py", "tests/test_form.py::test_f*", "tests/*", "tests/test_form.py::test_form[a]"):
        assert codes(bare.edit("IF-ab", tests=(pattern,))) == [], pattern


def test_a_pattern_of_no_test_does_not_verify() -> None:
    bare = W.file(of_tests("tests/test_form.py", test_form="UNIT-a")).told(result(FORM_TEST, "UNIT-a"))

    (one,) = found(bare.edit("IF-ab", tests=("tests/test_form.py::test_gone",)), "not-verified")
    assert one.item == "IF-ab"
    assert "test_gone" in one.message


def test_one_finding_for_each_file_of_tests_says_how_many() -> None:
    world = W.file(of_tests("tests/test_more.py", test_a="NEED-a", test_b="", test_c="", a_fixture=""))
    more = world.told(*(result(f"tests/test_more.py::test_{name}") for name in "bc"))

    (one,) = found(more, "orphan-test")
    assert one.message == "2 of 3 tests in tests/test_more.py belong to no item: test_b, test_c"


@pytest.mark.parametrize("path", ["tests/typing_more.py", "tests/conftest.py", "tests/data/sample_test_more.py"])
def test_python_files_that_no_runner_collects_hold_no_orphan_test(path: str) -> None:
    assert found(W.file(of_tests(path, test_a="")), "orphan-test") == []

    ran = W.file(of_tests(path, test_a="")).told(result(f"{path}::test_a"))
    assert [each.path for each in found(ran, "orphan-test")] == [path], "a runner that was told to collect it did"


@pytest.mark.parametrize(
    "path", ["tests/test_more.py", "tests/more_test.py", "tests/tests.py", "pkg/tests/testmore.py"]
)
def test_python_files_that_runners_collect_are_asked_for_orphan_tests(path: str) -> None:
    assert [each.path for each in found(W.file(of_tests(path, test_a="")), "orphan-test")] == [path]


def test_a_function_inside_a_python_test_is_no_test() -> None:
    inner = {"test_a": "NEED-a", "test_a.test_no": "", "runner.test_inner": "", "TestForm.test_b": ""}

    (one,) = found(W.file(of_tests("tests/test_more.py", **inner)), "orphan-test")
    assert one.message == "1 of 2 tests in tests/test_more.py belong to no item: TestForm.test_b"


def test_a_test_inside_a_module_of_another_language_is_a_test() -> None:
    (one,) = found(W.file(of_tests("tests/more.rs", **{"inner.test_a": ""})), "orphan-test")

    assert "test_a" in one.message


def test_an_interface_joins_the_components_whose_units_implement_it() -> None:
    world = shown(item("IF-b", "refines COMP-a"), item("UNIT-b", "implements IF-b", "implements COMP-b")).file(CODE_B)

    assert codes(world) == []


def test_something_open_is_told_of_all_above_it() -> None:
    world = FAULTS["deep-coverage"].planted

    assert [each.item for each in found(world, "deep-coverage")] == ["COMP-a", "NEED-a", "REQ-login"]


# Change


def test_each_end_that_changed_is_told() -> None:
    both = reviewed_only(W.edit("NEED-a", text="Another.").edit("REQ-login", text="Another."), "NEED-a", "REQ-login")

    links = [(each.code, each.item, each.about) for each in found(both)]
    assert ("suspect-upstream", "REQ-login", "refines NEED-a") in links
    assert ("suspect-downstream", "REQ-login", "refines NEED-a") in links
    assert {(code, name) for code, name, _ in links[2:]} <= {
        ("suspect-upstream", name) for name in ("COMP-a", "COMP-b", "TEST-login", "REQ-login")
    } | {("suspect-downstream", "REQ-login")}


@pytest.mark.parametrize("stamp", ["doorstop:abc=", "sha256:title/00000000000000000000", "nonsense", ""])
def test_a_stamp_made_otherwise_is_suspect_and_stale(stamp: str) -> None:
    links = tuple(replace(each, stamp=Stamp(stamp)) for each in W["UNIT-a"].links)

    assert codes(W.edit("UNIT-a", links=links)) == ["suspect-upstream"]
    assert codes(W.edit("UNIT-a", reviewed=Stamp(stamp))) == ["stale-review"]


def test_a_suspect_link_is_cleared_and_an_outgrown_one_reviewed() -> None:
    assert found(FAULTS["suspect-upstream"].planted)[0].step == 'vfcc trace review REQ-login --to NEED-a --reason "…"'
    assert found(FAULTS["suspect-downstream"].planted)[0].step == "vfcc trace review UNIT-a"


def test_git_tells_the_author_where_nobody_else_committed() -> None:
    path, bare = W["REQ-login"].path, W.edit("REQ-login", author=None)

    assert codes(bare.but(git=GitTrace(authors={path: ("Other",)}))) == ["self-reviewed"]
    assert codes(bare.but(git=GitTrace(authors={path: ("Other", "You")}))) == []
    assert codes(W.but(git=GitTrace(authors={path: ("Other",)}))) == []


def test_a_baseline_tells_what_is_new_changed_retired_and_gone() -> None:
    digests = {each.id: each.digest for each in W.items if each.id != "COMP-b"} | {"REQ-gone": "0", "REQ-old": "1"}
    base = TraceBaseline("r1", "baselines/r1.json", TODAY, REVIEWER, digests | {"REQ-login": "2"})
    world = and_items(item("REQ-old", status=Status.ARCHIVED)).but(baseline=base)

    assert sorted(each.message for each in found(world)) == [
        "COMP-b is new since baseline r1",
        "REQ-gone is in baseline r1 and is gone",
        "REQ-login changed since baseline r1",
        "REQ-old was retired since baseline r1",
    ]


# Results


def test_a_failing_test_reaches_the_need_by_name() -> None:
    world = W.told(result(LOGIN_TEST, "TEST-login", outcome=Outcome.ERROR, message="boom\n  at login"))

    told = {(each.code, each.item): each.message for each in found(world)}
    assert told["failed-result", "TEST-login"] == f"{LOGIN_TEST}, a test of TEST-login, broke down: boom at login"
    assert told["failed-below", "REQ-login"] == f"{LOGIN_TEST} failed, below REQ-login: REQ-login ← TEST-login"
    assert told["failed-below", "NEED-a"] == f"{LOGIN_TEST} failed, below NEED-a: NEED-a ← REQ-login ← TEST-login"
    assert len(told) == 3


def test_a_failing_test_of_what_is_planned_reaches_nobody() -> None:
    failed = W.told(result(FORM_TEST, "UNIT-a", outcome=Outcome.FAILED))
    world = failed.edit("UNIT-a", planned="2027").file(of_tests("tests/test_form.py", test_form="UNIT-a"))

    assert found(world, "failed-result", "failed-below") == []


@pytest.mark.vfcc("REQ-TRACE-FRESH")
def test_a_fresh_report_goes_before_one_that_is_stale() -> None:
    old = ResultReport("old.xml", EvidenceTrust.RAN_BY_VFCC, 1, stale="src/login.py changed")
    failed = result(LOGIN_TEST, "TEST-login", outcome=Outcome.FAILED, report="old.xml")

    assert codes(W.reported(old).told(failed)) == []
    assert codes(W.reported(old).told(failed).untold(LOGIN_TEST).told(failed)) == ["stale-result"]


def test_a_stale_report_is_told_once_with_how_many_stand_on_it() -> None:
    (one,) = found(W.reported(replace(GREEN, stale="src/login.py changed")))

    assert (one.path, one.item) == (REPORT, "")
    assert one.message == (
        f"{REPORT} is of other content (src/login.py changed); 3 items, IF-ab among them, rely on it alone"
    )


def test_a_report_that_is_not_there_counts_for_nothing() -> None:
    assert codes(W.but(results=replace(W.results, reports=()))) == ["stale-result"]


def test_an_unreadable_report_is_told_and_its_results_count_for_nothing() -> None:
    broken = replace(GREEN, problem="it is no XML")

    assert codes(W.reported(broken)) == ["unreadable-report"]


def test_a_report_without_a_test_is_nothing_to_evaluate() -> None:
    assert codes(W.reported(ResultReport("empty.xml", EvidenceTrust.RAN_BY_VFCC))) == ["nothing-to-evaluate"]


def test_no_test_at_all_is_nothing_to_evaluate() -> None:
    world = World(stamped((item("NEED-a"), item("REQ-a", "refines NEED-a"))))

    assert sorted(codes(world)) == ["missing-child", "not-verified", "nothing-to-evaluate"]


def test_only_retired_items_are_nothing_to_evaluate() -> None:
    world = World((item("REQ-a", status=Status.ARCHIVED),))
    report = check(world.sources(), world.policy)

    assert codes(world) == ["nothing-to-evaluate"]
    assert not report.evaluable


def test_a_criterion_shows_an_item_if_it_is_met() -> None:
    metric = W.edit("REQ-login", verification="metric", evidence=("load",)).stamped()
    shown_by = CriterionState("system/load", True, "", EvidenceTrust.RAN_BY_VFCC)

    def told(*criteria: CriterionState) -> list[str]:
        return codes(metric.but(results=replace(metric.results, criteria=criteria)))

    assert told(shown_by) == []
    assert told(replace(shown_by, met=False)) == ["no-result"]
    assert told() == ["no-result"]
    assert told(replace(shown_by, trust=EvidenceTrust.ASSERTED)) == ["untrusted-result"]
    assert told(shown_by, replace(shown_by, name="unit/load", met=False)) == ["no-result"]
    assert codes(metric.edit("REQ-login", evidence=())) == ["not-verified"]


def test_a_word_holds_while_the_item_and_its_code_are_as_they_were() -> None:
    seen = W.edit("UNIT-a", verification="inspection").stamped()
    unit = seen["UNIT-a"]
    content = pointed_content(TraceView(seen.sources(), seen.policy), unit)
    word = Verification("inspection", REVIEWER, TODAY, stamp_of_item(unit.digest), content, "it is short")

    assert codes(seen) == ["not-verified"]
    fresh = seen.edit("UNIT-a", verified=word)
    assert codes(fresh) == []
    assert codes(fresh.edit("UNIT-a", verified=replace(word, method="review"))) == ["not-verified"]
    changed = of_code("src/login.py", login="UNIT-a")
    edited = replace(changed, symbols=(replace(changed.symbols[0], digest="another"),))
    assert "stale-result" in codes(fresh.file(edited))
    assert codes(fresh.edit("UNIT-a", title="Another").stamped()) == ["stale-result"]


def test_a_metric_is_not_shown_by_a_word() -> None:
    word = Verification("metric", REVIEWER, TODAY, "x", "y", "z")

    assert "not-verified" in codes(W.edit("REQ-login", verification="metric", verified=word).stamped())


def test_a_test_marked_by_its_class_or_file_has_a_result() -> None:
    file = of_tests("tests/test_login.py", TestLogin="TEST-login", **{"TestLogin.test_a": ""})
    by_class = W.untold(LOGIN_TEST).file(file).told(result("tests/test_login.py::TestLogin.test_a", "TEST-login"))
    whole = replace(file, marks=(CodeMark(("TEST-login",), 1),))

    assert codes(by_class) == []
    assert codes(by_class.file(whole)) == []
    assert codes(by_class.untold("tests/test_login.py::TestLogin.test_a").file(whole)) == ["no-result"]


# Process


def test_no_level_is_the_lowest() -> None:
    levels = W.ask(integrity=("QM", "A")).edit("REQ-login", integrity="A").stamped()

    told = sorted(each.item for each in found(levels, "integrity-inversion"))
    assert told == ["COMP-a", "COMP-b"], "a specification of tests has no level of its own"


def test_the_step_of_every_fault_names_a_command_or_a_file() -> None:
    for code, fault in FAULTS.items():
        for each in found(fault.planted, code):
            assert "vfcc" in each.step or "/" in each.step, each.step


def test_the_clean_world_is_clean() -> None:
    assert found(clean()) == []
