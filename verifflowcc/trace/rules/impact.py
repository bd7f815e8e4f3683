"""One item and what is around it: its story, and the impact of a change of it."""

from collections import defaultdict
from collections.abc import Iterator

from verifflowcc.base.model.item_values import Stamp, Status
from verifflowcc.base.model.trace_values import CriterionState, Finding, Outcome, TraceItem, TraceReport
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.answers import (
    CodePlace,
    ItemTest,
    LinkEnd,
    ReachedItem,
    above,
    below,
    implementers,
    parents_of,
    tests_of,
)
from verifflowcc.trace.rules.fingerprint import matches
from verifflowcc.trace.rules.item_state import (
    ItemCoverage,
    ItemState,
    TraceCoverage,
    coverage_of,
    state_of,
    suspects,
    word_holds,
)
from verifflowcc.trace.rules.trace_view import TraceView


@dataclass(frozen=True, slots=True)
class TouchedCode:
    """A place in code, and the items that it is touched through, by id."""

    place: CodePlace
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedTest:
    """A test, and the items that it is touched through, by id."""

    __test__ = False

    test: ItemTest
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideLink:
    """An item linked by a relation that leads neither up nor down.

    `outward` is whether the item asked about holds the link.
    """

    id: str
    type: str
    title: str
    path: str
    relation: str
    outward: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of an item would touch.

    `below` and `above` are nearest first, with the way to each. `code` and `tests` belong to the item itself or to what
    is below it, by path and by name. `beside` are the ends of other relations, one link away.
    """

    id: str
    type: str
    title: str
    path: str
    below: tuple[ReachedItem, ...]
    """Items that depend on it."""
    above: tuple[ReachedItem, ...]
    """Items that it depends on."""
    beside: tuple[SideLink, ...]
    """Ends of other relations."""
    code: tuple[TouchedCode, ...]
    tests: tuple[TouchedTest, ...]


def impact(view: TraceView, item_id: str) -> Impact:
    """Return the impact of a change of an item.

    Raises KeyError where there is no such item.
    """
    item = view.by_id[item_id]
    under = below(view, item)
    touched = [item, *(view.by_id[each.id] for each in under)]
    return Impact(
        item.id, item.type, item.title, item.path, under, above(view, item), _beside(view, item),
        _code(view, touched), _tests(view, touched),
    )  # fmt: skip


def _code(view: TraceView, items: list[TraceItem]) -> tuple[TouchedCode, ...]:
    found: dict[CodePlace, set[str]] = defaultdict(set)
    for item in items:
        for place in implementers(view, item):
            found[place].add(item.id)
    return tuple(TouchedCode(place, tuple(sorted(found[place]))) for place in sorted(found))


def _tests(view: TraceView, items: list[TraceItem]) -> tuple[TouchedTest, ...]:
    found: dict[str, list[ItemTest]] = defaultdict(list)
    through: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for test in tests_of(view, item):
            found[test.test].append(test)
            through[test.test].add(item.id)
    return tuple(
        TouchedTest(min(found[name], key=lambda each: (each.path, each.line)), tuple(sorted(through[name])))
        for name in sorted(found)
    )


def _beside(view: TraceView, item: TraceItem) -> tuple[SideLink, ...]:
    there = [(view.by_id.get(link.to), link.relation, True) for link in item.links]
    here = [(other, link.relation, False) for other, link in view.below.get(item.id, ())]
    found = {
        SideLink(other.id, other.type, other.title, other.path, relation, outward)
        for other, relation, outward in (*there, *here)
        if other is not None and relation not in view.upward and other.status is not Status.ARCHIVED
    }
    return tuple(sorted(found, key=lambda each: (each.id, each.relation, each.outward)))


@dataclass(frozen=True, slots=True)
class StoryAnswer:
    """A live item directly below the one asked about, and its state."""

    end: LinkEnd
    state: ItemState


@dataclass(frozen=True, slots=True)
class ReviewRecord:
    """A review that a person recorded in an item: of the item, a link, or its result.

    `other` is the other end of the link, "" of the others; `observation` is what was seen, or the reason. `holds` says
    whether everything that it speaks of is as it was then.
    """

    kind: str
    """`reviewed`, `verified` or `link`."""
    by: str | None
    on: str | None
    observation: str
    other: str
    """The other end of a link."""
    holds: bool
    """Whether it is still valid."""


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of an item.

    `reasons` are the ways up to the needs that it is there for; none where it has no parent. `missing` are the
    needs of its type that nothing meets. `evidence` are the criteria that it names; one that no gate has is not met.
    `records` is by day, the last first. `findings` are a check's, `next` the steps that they name, each once.
    """

    item: TraceItem
    state: ItemState
    method: str | None
    reasons: tuple[ReachedItem, ...]
    """The ways up to the needs."""
    parents: tuple[LinkEnd, ...]
    answers: tuple[StoryAnswer, ...]
    """Items directly below."""
    missing: tuple[str, ...]
    """Unmet needs of its type."""
    code: tuple[CodePlace, ...]
    tests: tuple[ItemTest, ...]
    evidence: tuple[CriterionState, ...]
    records: tuple[ReviewRecord, ...]
    """Reviews and verifications by people."""
    findings: tuple[Finding, ...]
    next: tuple[str, ...]


def story(view: TraceView, report: TraceReport, item_id: str) -> Story:
    """Return an item's story; `report` is the result of a check.

    Raises KeyError where there is no such item.
    """
    item = view.by_id[item_id]
    coverages, suspect = TraceCoverage(view), suspects(report)
    coverage = coverage_of(view, item)
    findings = tuple(each for each in (*report.findings, *report.known) if _concerns(each, coverage))
    ends = above(view, item)
    return Story(
        item,
        state_of(coverage, coverages, suspect),
        coverage.method,
        tuple(each for each in ends if not any(True for _ in view.parents(view.by_id[each.id]))),
        parents_of(view, item),
        _answers(coverage, coverages, suspect),
        coverage.lacking,
        coverage.code,
        coverage.tests,
        tuple(each for name in item.evidence for each in _criteria(view, name)),
        tuple(sorted(_looked(view, item), key=lambda each: (each.on or "", each.kind, each.other), reverse=True)),
        findings,
        tuple(dict.fromkeys(each.step for each in findings if each.step)),
    )


def needs_others(view: TraceView, item_id: str) -> bool:
    """Whether a story needs items that the item is not linked with.

    A finding on a report whose results do not count names all items that rely on it alone.
    """
    verdicts = view.joins.verdicts.values()
    poor = {
        report
        for test in verdicts
        if test.outcome is None or (test.outcome is Outcome.PASSED and not test.trusted)
        for report in test.reports
    }
    return any(
        name in poor for test in coverage_of(view, view.by_id[item_id]).tests for name in test.report.split(", ")
    )


def _concerns(finding: Finding, coverage: ItemCoverage) -> bool:
    """Whether a finding is on the item, or on a report that has a result of its tests."""
    if finding.item:
        return finding.item == coverage.item.id
    return any(finding.path in each.report.split(", ") for each in coverage.tests)


def _answers(coverage: ItemCoverage, coverages: TraceCoverage, suspect: frozenset[str]) -> tuple[StoryAnswer, ...]:
    view = coverages.view
    found = {
        StoryAnswer(
            LinkEnd(child.id, link.relation, child.type, child.title),
            state_of(coverages.of(child), coverages, suspect),
        )
        for child, link in view.children(coverage.item)
    }
    return tuple(sorted(found, key=lambda each: each.end))


def _criteria(view: TraceView, name: str) -> tuple[CriterionState, ...]:
    there = [each for each in view.sources.results.criteria if each.name == name or each.name.endswith(f"/{name}")]
    return tuple(sorted(there, key=lambda each: each.name)) or (CriterionState(name, False, "no gate asks for it"),)


def _looked(view: TraceView, item: TraceItem) -> Iterator[ReviewRecord]:
    if item.reviewed:
        yield _stamped("reviewed", item.reviewed, "", matches(item.reviewed.fingerprint, item.digest))
    if item.verified:
        word = item.verified
        yield ReviewRecord("verified", word.by, word.on, f"{word.method}: {word.saw}", "", word_holds(view, item))
    for link in item.links:
        if link.stamp:
            other = view.by_id.get(link.to)
            holds = other is not None and matches(link.stamp.fingerprint, other.digest, item.digest)
            yield _stamped("link", link.stamp, link.to, holds)


def _stamped(kind: str, stamp: Stamp, other: str, holds: bool) -> ReviewRecord:
    return ReviewRecord(kind, stamp.by, stamp.on, stamp.reason or "", other, holds)
