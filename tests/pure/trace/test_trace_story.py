"""One item's story: why it is there, what answers and shows it, who looked, what is wrong, what to do."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace_random import shuffled, worlds
from tests.trace_world import FORM_TEST, LOGIN_TEST, TODAY, World, clean, result
from verifflowcc.base.model.trace_values import Outcome, Verification
from verifflowcc.trace.rules.check_steps import pointed_content
from verifflowcc.trace.rules.fingerprint import stamp_of_item
from verifflowcc.trace.rules.impact import Story, story
from verifflowcc.trace.rules.trace_check import check_view
from verifflowcc.trace.rules.trace_view import TraceView

pytestmark = pytest.mark.vfcc("REQ-TRACE-WHY")


def of(world: World, item_id: str) -> Story:
    view = TraceView(world.sources(), world.policy)
    return story(view, check_view(view), item_id)


def test_it_says_why_an_item_is_there_and_what_answers_it() -> None:
    told = of(clean(), "COMP-a")

    assert [each.route for each in told.reasons] == [("COMP-a", "REQ-login", "NEED-a")]
    assert [(each.end.id, each.end.relation, str(each.state)) for each in told.answers] == [
        ("IF-ab", "refines", "passed"),
        ("UNIT-a", "implements", "passed"),
    ]
    assert (told.findings, told.next) == ((), ())


def test_it_says_whether_each_test_passed_and_by_which_report() -> None:
    told = of(clean(), "REQ-login")

    assert [(each.test, each.passed, each.report, each.specification) for each in told.tests] == [
        (LOGIN_TEST, True, "build/junit.xml", "TEST-login")
    ]


def test_it_says_who_looked_and_whether_that_still_holds() -> None:
    before = of(clean(), "REQ-login").records
    after = of(clean().edit("NEED-a", text="It is another."), "REQ-login")

    assert [(each.kind, each.other, each.on, each.holds) for each in before] == [
        ("reviewed", "", TODAY, True),
        ("link", "NEED-a", TODAY, True),
    ]
    assert [(each.kind, each.holds) for each in after.records] == [("reviewed", True), ("link", False)]
    assert [each.code for each in after.findings] == ["suspect-upstream"]
    assert str(after.state) == "suspect"
    assert after.next[0].startswith("vfcc trace review REQ-login --to NEED-a")


def test_a_word_on_it_holds_until_its_code_changes() -> None:
    world = clean().edit("UNIT-a", verification="inspection").untold(FORM_TEST)
    world = world.told(result(FORM_TEST, "IF-ab")).stamped()
    view = TraceView(world.sources(), world.policy)
    item = world["UNIT-a"]
    word = Verification(
        "inspection", "human:Other", TODAY, stamp_of_item(item.digest), pointed_content(view, item), "read it"
    )
    said = world.but(items=tuple(replace(e, verified=word) if e.id == "UNIT-a" else e for e in world.items))
    said = said.file(replace(said.code[2], marks=(replace(said.code[2].marks[0], ids=("IF-ab",)),)))
    symbols = tuple(replace(each, digest="another") for each in said.code[0].symbols)
    changed = said.file(replace(said.code[0], symbols=symbols))

    kept, lost = of(said, "UNIT-a"), of(changed, "UNIT-a")
    assert [(each.observation, each.holds) for each in kept.records if each.kind == "verified"] == [
        ("inspection: read it", True)
    ]
    assert [each.holds for each in lost.records if each.kind == "verified"] == [False]
    assert str(kept.state) == "passed"
    assert str(lost.state) in {"suspect", "unshown"}


def test_criteria_that_no_gate_has_are_not_met() -> None:
    told = of(clean().edit("REQ-login", evidence=("load",)), "REQ-login")

    assert [(each.name, each.met) for each in told.evidence] == [("load", False)]


def test_findings_and_their_steps_are_told_once_each() -> None:
    told = of(clean().told(result(LOGIN_TEST, "TEST-login", outcome=Outcome.FAILED)), "TEST-login")

    assert "failed-result" in [each.code for each in told.findings]
    assert len(told.next) == len(set(told.next)) > 0


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_order_of_files_never_changes_a_story(data: st.DataObject) -> None:
    world = data.draw(worlds())
    other = data.draw(shuffled(world))

    for name in {each.id for each in world.items}:
        assert of(other, name) == of(world, name)
