"""Traced projects of any shape, for laws: circles, links to nothing, doubled ids, retired items, old reports."""

from hypothesis import strategies as st

from tests.trace_world import POLICY, REPORT, World, item, of_code, of_tests, result, stamped
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.base.model.trace_values import CriterionState, Outcome, ResultReport, Results, TraceItem, Verification
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.trace.rules.fingerprint import stamp_of_item

OLD, WEAK, GONE = "old.xml", "weak.xml", "gone.xml"
_PREFIXES = ("NEED", "REQ", "COMP", "UNIT", "TEST")
_RELATIONS = ("refines", "derives", "allocates", "implements", "satisfies", "verifies", "beside")
_REPORTS = (
    ResultReport(REPORT, EvidenceTrust.RAN_BY_VFCC),
    ResultReport(OLD, EvidenceTrust.RAN_BY_VFCC, stale="it ran on other content"),
    ResultReport(WEAK, EvidenceTrust.ASSERTED),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A world of up to nine items in any order, with code, tests and results."""
    ids = draw(st.lists(_ids(), min_size=1, max_size=9, unique=draw(st.integers(0, 5)) > 0))
    # An id may stand twice, and never two items in one file.
    items = tuple({each.path: each for each in (draw(_item(name, ids)) for name in ids)}.values())
    if draw(st.booleans()):
        items = stamped(items)
    tests = {f"test_{number}": " ".join(draw(st.lists(st.sampled_from(ids), max_size=2))) for number in range(4)}
    code = {f"part_{number}": " ".join(draw(st.lists(st.sampled_from(ids), max_size=2))) for number in range(2)}
    told = [
        result(
            f"tests/test_all.py::{name}",
            *marked.split(),
            outcome=draw(st.sampled_from([Outcome.PASSED, *Outcome])),
            report=draw(st.sampled_from([REPORT, REPORT, REPORT, OLD, WEAK, GONE])),
            known=draw(st.integers(0, 9)) > 0,
        )
        for name, marked in tests.items()
        for _ in range(draw(st.integers(0, 2)))
    ]
    waived = frozenset(draw(st.lists(st.sampled_from([f"tests/test_all.py::{name}" for name in tests]), max_size=1)))
    criteria = (CriterionState("system/load", draw(st.booleans()), "it says so", EvidenceTrust.RAN_BY_VFCC),)
    return World(
        items,
        (of_tests("tests/test_all.py", **tests), of_code("src/all.py", **code)),
        Results(tuple(told), _REPORTS, criteria, waived_skips=waived),
        POLICY if draw(st.booleans()) else DEFAULT_POLICY,
    )


def _ids() -> st.SearchStrategy[str]:
    return st.builds("{}-{}".format, st.sampled_from(_PREFIXES), st.sampled_from("abc"))


@st.composite
def _item(draw: st.DrawFn, name: str, ids: list[str]) -> TraceItem:
    targets = st.sampled_from([*ids, *ids, "REQ-nowhere"])
    links = draw(st.lists(st.builds("{} {}".format, st.sampled_from(_RELATIONS), targets), max_size=3))
    method = draw(st.sampled_from([None, None, "test", "test", "inspection", "metric"]))
    made = item(
        name,
        *links,
        status=draw(st.sampled_from([Status.ACTIVE] * 5 + [Status.PENDING, Status.ARCHIVED])),
        planned=draw(st.sampled_from([None] * 5 + ["next year"])),
        verification=method,
        tests=draw(st.sampled_from([(), (), (), ("tests/test_all.py::test_0",), ("tests/nowhere.py",)])),
        evidence=draw(st.sampled_from([(), (), (), ("load",), ("nothing",)])),
        path=f".memory/project/items/any/{name}-{draw(st.integers(0, 999))}.md",
    )
    if method != "inspection" or draw(st.booleans()):
        return made
    seen = Verification(method, "human:Other", "2026-11-20", stamp_of_item(made.digest), digest_text(""), "it is so")
    return World((made,)).edit(name, verified=seen)[name]


@st.composite
def shuffled(draw: st.DrawFn, world: World) -> World:
    """The same world in another order."""
    results = world.results
    return world.but(
        items=tuple(draw(st.permutations(world.items))),
        code=tuple(draw(st.permutations(world.code))),
        results=Results(
            tuple(draw(st.permutations(results.tests))),
            tuple(draw(st.permutations(results.reports))),
            results.criteria,
            results.least_trust,
            results.waived_skips,
        ),
    )
