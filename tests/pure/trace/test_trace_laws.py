"""Laws of a trace check, for projects of any shape: order, islands and weights never change what is found."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.planted_faults import FAULTS
from tests.trace_random import shuffled, worlds
from tests.trace_world import (
    GREEN,
    REPORT,
    REVIEWER,
    TODAY,
    World,
    digested,
    item,
    link,
    of_code,
    of_tests,
    result,
    stamped,
)
from verifflowcc.base.model.baseline_rules import narrow
from verifflowcc.base.model.item_values import Ref, Stamp, Status
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_values import (
    Flaw,
    GitTrace,
    Outcome,
    Severity,
    TraceBaseline,
    TraceItem,
    TraceReport,
)
from verifflowcc.trace.rules.impact import impact, needs_others, story
from verifflowcc.trace.rules.item_state import TraceCoverage
from verifflowcc.trace.rules.trace_check import check, check_view
from verifflowcc.trace.rules.trace_view import TraceView, around

pytestmark = pytest.mark.vfcc("REQ-TRACE-STABLE")

SEVERITIES = st.dictionaries(st.sampled_from(sorted(CHECKS)), st.sampled_from(Severity), max_size=5)
REFS = st.builds(
    Ref,
    st.sampled_from(
        ["src/all.py", "tests/test_all.py", "src", "./src/", "", "gone.py", "https://example.org", "a/../b"]
    ),
    st.sampled_from([None, "part_0", "part_9", ""]),
    st.sampled_from([None, "digest of part_0", "sha256:src/all.py", "other"]),
)
STAMPS = st.builds(
    Stamp,
    st.sampled_from(
        ["", "doorstop:x", "sha256:title/" + "0" * 20, "sha256:title.text.verification.integrity.links/", "x"]
    ),
    st.sampled_from([None, "", REVIEWER, "agent:coder", "ci"]),
    st.just(TODAY),
    st.sampled_from([None, "", "so"]),
)
IDS = st.sampled_from(["NEED-a", "REQ-a", "REQ-b", "COMP-a", "UNIT-c", "TEST-b", "REQ-nowhere"])
PATTERNS = ["tests/*", "**", "tests/test_all.py::test_*", "::", "[", "a::b::c[", ""]
EDITS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["need", "interface", "hazard", "unheard of", ""]),
        "refs": st.lists(REFS, max_size=3).map(tuple),
        "reviewed": STAMPS,
        "derived": st.booleans(),
        "rationale": st.sampled_from(["", " ", "so"]),
        "reconstructed": st.booleans(),
        "integrity": st.sampled_from(["QM", "A", "Z", None]),
        "author": st.sampled_from([None, "human", REVIEWER]),
        "tests": st.lists(st.sampled_from(PATTERNS)).map(tuple),
        "flaws": st.just((Flaw("bad-field", 3, "links is wrong", "links"),)),
        "links": st.lists(
            st.builds(
                link,
                st.builds("{} {}".format, st.sampled_from(["refines", "verifies", "up"]), IDS),
                st.integers(1, 9),
                STAMPS | st.none(),
            ),
            max_size=4,
        ).map(tuple),
    },
)


@st.composite
def strange(draw: st.DrawFn) -> World:
    """A world in which anything can be wrong, each item in a file of its own."""
    world = draw(worlds())
    items = tuple(digested(replace(each, **draw(EDITS))) for each in world.items)
    assume(len({each.path for each in items}) == len(items))
    policy = replace(
        world.policy,
        severities=draw(SEVERITIES),
        integrity=draw(st.sampled_from([(), ("QM", "A")])),
        code=draw(st.sampled_from([(), ("src/**",), ("**", "!tests/**")])),
    )
    paths = tuple(each.path for each in items[:2])
    return world.but(
        items=items,
        policy=policy,
        files={"src/other.py": "sha256:o", "src/all.py": "sha256:src/all.py", "README.md": "sha256:r"},
        changed=draw(st.sampled_from([None, (), ("src/other.py", "src/all.py", "README.md", "gone.py")])),
        unreadable=draw(st.sampled_from([{}, {"x.md": "3: no"}, {"y.md": "no line"}])),
        baseline=draw(
            st.sampled_from([None, TraceBaseline("b", "b.json", TODAY, REVIEWER, {"REQ-a": "0", "REQ-z": "1"})])
        ),
        git=draw(
            st.sampled_from(
                [
                    GitTrace(problem="no git"),
                    GitTrace("main", dict.fromkeys(paths, "gone"), {"REQ-a": "x.md"}, dict.fromkeys(paths, ("Other",))),
                ]
            )
        ),
    )


def checked(world: World) -> TraceReport:
    return check(world.sources(), world.policy)


def keys(report: TraceReport) -> list[tuple[str, str]]:
    return sorted((each.key, each.message) for each in report.findings)


@settings(deadline=None, max_examples=80)
@given(st.data(), strange())
def test_order_changes_nothing(data: st.DataObject, world: World) -> None:
    assert checked(data.draw(shuffled(world))) == checked(world)


ISLAND = stamped(
    (
        item("NEED-island"),
        item("REQ-island", "refines NEED-island"),
        item("HAZ-island"),
        item("COMP-island", derived=True, rationale="The kit has it."),
        item("TEST-island", "verifies REQ-island"),
    )
)


@settings(deadline=None, max_examples=80)
@given(strange())
def test_unrelated_items_change_no_other_finding(world: World) -> None:
    """Patterns that would name the island's test, too, are left out: they would relate it."""
    narrow_ones = (replace(each, tests=tuple(one for one in each.tests if "*" not in one)) for each in world.items)
    world = world.but(items=tuple(narrow_ones))
    more = world.add(*ISLAND).file(of_tests("tests/test_island.py", test_island="TEST-island"))
    more = more.told(result("tests/test_island.py::test_island", "TEST-island"))

    def others(report: TraceReport) -> list[tuple[str, str]]:
        return sorted(
            (each.key, each.message)
            for each in report.findings
            if not each.item.endswith("-island") and each.code != "nothing-to-evaluate"
        )

    assert others(checked(more)) == others(checked(world))


@settings(deadline=None, max_examples=100)
@given(strange())
def test_findings_are_sorted_and_counted_and_of_known_checks(world: World) -> None:
    report = checked(world)
    weights = list(Severity)
    places = [(weights.index(each.severity), each.path, each.line, each.code, each.about) for each in report.findings]

    assert places == sorted(places)
    assert {each.code for each in report.findings} <= {each.code for each in report.checks}
    assert sum(each.found for each in report.checks) == len(report.findings)
    assert all(each.severity is not Severity.OFF for each in report.checks)
    assert all(each.step and "\n" not in each.message and each.line >= 1 for each in report.findings)
    live = [each for each in world.items if each.status is not Status.ARCHIVED]
    assert sum(report.counts.values()) == len(live)
    assert sum(report.planned.values()) == sum(each.planned is not None for each in live)


@settings(deadline=None, max_examples=100)
@given(strange(), SEVERITIES)
def test_weights_change_how_much_a_finding_counts_and_nothing_else(world: World, weights: dict[str, Severity]) -> None:
    """But for deep coverage, which builds on other checks, and says nothing of those that are off."""
    weights.pop("deep-coverage", None)
    plain, weighed = (checked(world.ask(severities=each)) for each in ({"deep-coverage": Severity.OFF}, weights))
    off = {code for code, weight in weights.items() if weight is Severity.OFF} | {"deep-coverage"}

    assert {each.key for each in weighed.findings if each.code != "deep-coverage"} == {
        each.key for each in plain.findings if each.code not in off
    }


@settings(deadline=None, max_examples=100)
@given(strange(), st.sets(st.sampled_from(["src/all.py", "tests/test_all.py", "src/other.py", "x.md"])), st.data())
def test_a_narrowed_report_loses_nothing(world: World, changed: set[str], data: st.DataObject) -> None:
    report = checked(world)
    every = sorted({each.key for each in report.findings})
    known = data.draw(st.lists(st.sampled_from([*every, "gone|X|y"]), unique=True))
    small = narrow(report, known, changed)

    assert len(small.findings) + len(small.known) + small.outside_changes == len(report.findings)
    assert {each.key for each in small.known} == set(known) & set(every)
    assert small.fixed == tuple(sorted(set(known) - set(every)))
    assert sum(each.found for each in small.checks) == len(small.findings)
    assert narrow(report) == report


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_where_nothing_is_red_every_item_is_shown_by_its_method(world: World) -> None:
    """The checks and the views of the same items come to one answer."""
    assume(len({each.id for each in world.items}) == len(world.items))
    view = TraceView(world.sources(), world.policy)
    found = check(world.sources(), world.policy).red
    red = {each.item for each in found}
    whole = any(each.code in {"stale-result", "untrusted-result", "unknown-test"} and not each.item for each in found)
    for name, each in TraceCoverage(view).by_id.items():
        if each.method is not None and not each.planned and not each.shown and not whole:
            below = {child.id for child in view.joins.specifications.get(name, ())}
            assert red & {name, *below}, f"{name} is not shown, and nothing is told of it"


def test_what_is_equal_is_told_equally_whatever_the_code() -> None:
    for fault in FAULTS.values():
        assert checked(fault.planted) == checked(fault.planted)


DEPTH = 100_000


@pytest.fixture(scope="module")
def chain() -> tuple[TraceItem, ...]:
    """Requirements that each refine the next, and a need on top."""
    top = item("NEED-top")
    one = item("REQ-0", "refines NEED-top")
    links = [(replace(one.links[0], to=f"REQ-{number - 1}"),) for number in range(1, DEPTH)]
    path = one.path.removesuffix("REQ-0.md")
    below = (
        replace(one, id=f"REQ-{number}", path=f"{path}REQ-{number}.md", links=each)
        for number, each in enumerate(links, start=1)
    )
    return (top, one, *below)


@pytest.mark.sweep
def test_a_failing_test_reaches_the_top_of_a_chain_of_any_depth(chain: tuple[TraceItem, ...]) -> None:
    last = f"REQ-{DEPTH - 1}"
    world = World(chain).file(of_tests("tests/test_a.py", test_a=last)).ask(needs=()).reported(GREEN)
    report = checked(world.told(result("tests/test_a.py::test_a", last, outcome=Outcome.FAILED)))

    below = [each for each in report.findings if each.code == "failed-below"]
    top = next(each for each in below if each.item == "NEED-top")
    assert len(below) == DEPTH
    assert top.message == f"tests/test_a.py::test_a failed, below NEED-top: NEED-top ← REQ-0 ← REQ-1 ← … ← {last}"


@pytest.mark.sweep
def test_a_circle_of_any_length_is_one_finding(chain: tuple[TraceItem, ...]) -> None:
    closed = replace(chain[1], links=(replace(chain[1].links[0], to=f"REQ-{DEPTH - 1}"),))
    report = checked(World((chain[0], closed, *chain[2:])))

    found = [each for each in report.findings if each.code == "link-cycle"]
    assert [each.item for each in found] == ["REQ-0"]
    assert f"({DEPTH} items)" in found[0].message


def test_code_and_reports_of_any_order_join_alike() -> None:
    files = [of_tests(f"tests/test_{name}.py", test_x="REQ-a") for name in "ab"] + [of_code("src/a.py", a="REQ-a")]
    told = [result(f"tests/test_{name}.py::test_x", "REQ-a", outcome=Outcome.FAILED, report=REPORT) for name in "ab"]
    worlds_ = [
        World((item("REQ-a"),)).file(*order).told(*tests) for order, tests in ((files, told), (files[::-1], told[::-1]))
    ]

    assert keys(checked(worlds_[0])) == keys(checked(worlds_[1]))


def alone(world: World, name: str) -> World:
    """The world of what is around an item."""

    def named(own: str) -> list[TraceItem]:
        return [each for each in world.items if each.id == own]

    def holding(own: str) -> list[TraceItem]:
        return [each for each in world.items if any(link.to == own for link in each.links)]

    items = around(TraceView(world.sources(), world.policy).by_id[name], world.policy, named, holding)
    return world.but(items=items)


@pytest.mark.vfcc("REQ-TRACE-WHY", "REQ-TRACE-IMPACT")
@settings(deadline=None, max_examples=60)
@given(strange())
def test_what_is_around_an_item_is_enough_for_its_story_and_its_impact(world: World) -> None:
    whole = TraceView(world.sources(), world.policy)
    report = check_view(whole)
    for name in whole.by_id:
        part = TraceView(alone(world, name).sources(), world.policy)
        if needs_others(part, name):
            continue
        assert story(part, check_view(part), name) == story(whole, report, name)
        assert impact(part, name) == impact(whole, name)
