"""One item's whole story: why it is there, what answers it, what became of its tests, who looked, what is wrong."""

from collections.abc import Iterator

from verifflowcc.base.model.item_values import Stamp
from verifflowcc.base.model.trace_values import CriterionShown, Finding, TraceItem, TraceReport
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.answers import CodePlace, Reached, TestSeen, above
from verifflowcc.trace.rules.fingerprint import matches
from verifflowcc.trace.rules.item_lines import State, state_of, suspects
from verifflowcc.trace.rules.item_state import Standing, Standings, stand, word_holds
from verifflowcc.trace.rules.matrix import LinkEnd, parents_of
from verifflowcc.trace.rules.trace_view import TraceView


@dataclass(frozen=True, slots=True)
class Answer:
    """A live item that stands on the one asked about, and where it stands itself."""

    end: LinkEnd
    state: State


@dataclass(frozen=True, slots=True)
class Looked:
    """What a person put on record in the item: that it was `reviewed`, `verified`, or that a `link` was looked at.

    `other` is the other end of the link, "" of the others; `what` is what was seen, or the reason. `holds` says whether
    everything that it speaks of is as it was then.
    """

    kind: str
    """`reviewed`, `verified` or `link`."""
    by: str | None
    on: str | None
    what: str
    other: str
    """The other end of a link."""
    holds: bool
    """Whether it is still valid."""


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of an item.

    `reasons` are the ways up to the needs that it is there for; none where it stands on nothing. `lacking` are the
    needs of its type that nothing meets. `evidence` are the criteria that it names; one that no gate has is not met.
    `looked` is by day, the last first. `findings` are a check's, `next` the steps that they name, each once.
    """

    item: TraceItem
    state: State
    method: str | None
    reasons: tuple[Reached, ...]
    """The ways up to the needs."""
    parents: tuple[LinkEnd, ...]
    answers: tuple[Answer, ...]
    """Items directly below."""
    lacking: tuple[str, ...]
    """Unmet needs of its type."""
    code: tuple[CodePlace, ...]
    tests: tuple[TestSeen, ...]
    evidence: tuple[CriterionShown, ...]
    looked: tuple[Looked, ...]
    """Reviews and verifications by people."""
    findings: tuple[Finding, ...]
    next: tuple[str, ...]


def story(view: TraceView, report: TraceReport, item_id: str) -> Story:
    """Return an item's story; `report` is what a check says. Raises KeyError where there is no such item."""
    item = view.by_id[item_id]
    standings, suspect = Standings(view), suspects(report)
    standing = stand(view, item)
    findings = tuple(each for each in (*report.findings, *report.known) if _concerns(each, standing))
    ends = above(view, item)
    return Story(
        item,
        state_of(standing, standings, suspect),
        standing.method,
        tuple(each for each in ends if not any(True for _ in view.parents(view.by_id[each.id]))),
        parents_of(view, item),
        _answers(standing, standings, suspect),
        standing.lacking,
        standing.code,
        standing.tests,
        tuple(each for name in item.evidence for each in _criteria(view, name)),
        tuple(sorted(_looked(view, item), key=lambda each: (each.on or "", each.kind, each.other), reverse=True)),
        findings,
        tuple(dict.fromkeys(each.step for each in findings if each.step)),
    )


def _concerns(finding: Finding, standing: Standing) -> bool:
    """Whether a finding is on the item, or on a report that its tests stand on."""
    if finding.item:
        return finding.item == standing.item.id
    return any(finding.path in each.report.split(", ") for each in standing.tests)


def _answers(standing: Standing, standings: Standings, suspect: frozenset[str]) -> tuple[Answer, ...]:
    view = standings.view
    found = {
        Answer(
            LinkEnd(child.id, link.relation, child.type, child.title),
            state_of(standings.of(child), standings, suspect),
        )
        for child, link in view.children(standing.item)
    }
    return tuple(sorted(found, key=lambda each: each.end))


def _criteria(view: TraceView, name: str) -> tuple[CriterionShown, ...]:
    there = [each for each in view.sources.results.criteria if each.name == name or each.name.endswith(f"/{name}")]
    return tuple(sorted(there, key=lambda each: each.name)) or (CriterionShown(name, False, "no gate asks for it"),)


def _looked(view: TraceView, item: TraceItem) -> Iterator[Looked]:
    if item.reviewed:
        yield _stamped("reviewed", item.reviewed, "", matches(item.reviewed.fingerprint, item.digest))
    if item.verified:
        said = item.verified
        yield Looked("verified", said.by, said.on, f"{said.method}: {said.saw}", "", word_holds(view, item))
    for link in item.links:
        if link.stamp:
            other = view.by_id.get(link.to)
            holds = other is not None and matches(link.stamp.fingerprint, other.digest, item.digest)
            yield _stamped("link", link.stamp, link.to, holds)


def _stamped(kind: str, stamp: Stamp, other: str, holds: bool) -> Looked:
    return Looked(kind, stamp.by, stamp.on, stamp.reason or "", other, holds)
