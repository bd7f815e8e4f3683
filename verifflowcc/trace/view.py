"""The items of a trace as a graph: found by id, with what stands above and below each, read once for all checks."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import CodeFile, CodeMark, ResultReport, TestResult, TraceItem, TraceLink, TraceSources
from verifflowcc.domain.trace_policy import TracePolicy
from verifflowcc.trace.test_names import TestNames, by_item

if TYPE_CHECKING:
    from verifflowcc.trace.joined import Joins


@dataclass(frozen=True)
class TraceView:
    """Sources and policy, and what follows from them. All orders are by id or path, whatever that of the sources."""

    sources: TraceSources
    policy: TracePolicy

    @cached_property
    def items(self) -> tuple[TraceItem, ...]:
        """All items, retired ones too, by id and path."""
        return tuple(sorted(self.sources.items, key=attrgetter("id", "path")))

    @cached_property
    def by_id(self) -> Mapping[str, TraceItem]:
        """Id → item; of several with one id an active one, the first by its path."""
        found: dict[str, TraceItem] = {}
        archived = Status.ARCHIVED
        for item in self.items:
            held = found.get(item.id)
            if held is None or (held.status is archived and item.status is not archived):
                found[item.id] = item
        return found

    @cached_property
    def live(self) -> tuple[TraceItem, ...]:
        """The items that are not retired."""
        archived = Status.ARCHIVED
        return tuple([item for item in self.items if item.status is not archived])

    @cached_property
    def below(self) -> Mapping[str, tuple[tuple[TraceItem, TraceLink], ...]]:
        """Id → the live items that link to it, with the link."""
        found: dict[str, list[tuple[TraceItem, TraceLink]]] = defaultdict(list)
        for item in self.live:
            for link in item.links:
                found[link.to].append((item, link))
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def upward(self) -> frozenset[str]:
        """The relations whose target stands above."""
        return frozenset(rule.name for rule in self.policy.relations.values() if rule.upward)

    @cached_property
    def ties(self) -> tuple[tuple[TraceItem, TraceLink, TraceItem], ...]:
        """The links of live items to other items that are there, retired ones too: holder, link, target."""
        by_id = self.by_id
        found = []
        for item in self.live:
            for link in item.links:
                target = by_id.get(link.to)
                if target is not None and link.to != item.id:
                    found.append((item, link, target))
        return tuple(found)

    @cached_property
    def above(self) -> Mapping[str, tuple[str, ...]]:
        """Id → the ids of the live items that stand right above it by links that lead up; each once, sorted."""
        upward, archived = self.upward, Status.ARCHIVED
        found: dict[str, tuple[str, ...]] = {}
        for item, link, target in self.ties:
            if link.relation in upward and target.status is not archived:
                held = found.get(item.id, ())
                if target.id not in held:
                    found[item.id] = (*held, target.id)
        return {name: tuple(sorted(each)) if len(each) > 1 else each for name, each in found.items()}

    @cached_property
    def code(self) -> Mapping[str, CodeFile]:
        """Path → the file, of those that hold marks, are tests, or are spoken of."""
        return {file.path: file for file in self.sources.code}

    @cached_property
    def reports(self) -> Mapping[str, ResultReport]:
        """Name → the report of results."""
        return {report.name: report for report in self.sources.results.reports}

    @cached_property
    def told(self) -> Mapping[str, tuple[TestResult, ...]]:
        """Test → its results, by report."""
        found: dict[str, list[TestResult]] = defaultdict(list)
        for result in sorted(self.sources.results.tests, key=lambda each: (each.test, each.report)):
            found[result.test].append(result)
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def joins(self) -> "Joins":
        """The tests of each item."""
        from verifflowcc.trace.joined import Joins

        return Joins(self)

    @cached_property
    def marks(self) -> Mapping[str, tuple[tuple[CodeFile, CodeMark], ...]]:
        """Id → where code or tests name it, by path and line."""
        found: dict[str, list[tuple[CodeFile, CodeMark]]] = defaultdict(list)
        for file in sorted(self.sources.code, key=lambda each: each.path):
            for mark in sorted(file.marks, key=lambda each: each.line):
                for name in mark.ids:
                    found[name].append((file, mark))
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def results(self) -> Mapping[str, tuple[TestResult, ...]]:
        """Id → the results of the tests that name it, by mark, property or specification (`tests` of an item)."""
        results = sorted(self.sources.results.tests, key=lambda each: (each.test, each.report))
        found: dict[str, list[int]] = defaultdict(list)
        for number, result in enumerate(results):
            for name in result.items:
                found[name].append(number)
        patterns = {item.id: item.tests for item in self.live if item.tests}
        if patterns and results:
            numbers: dict[str, list[int]] = defaultdict(list)
            for number, result in enumerate(results):
                numbers[result.test].append(number)
            for name, tests in by_item(patterns, TestNames(numbers)).items():
                found[name] += [number for test in tests for number in numbers[test]]
        return {name: tuple([results[number] for number in sorted(set(each))]) for name, each in found.items()}

    def parents(self, item: TraceItem) -> Iterator[tuple[TraceItem, TraceLink]]:
        """Yield the items above that an item links to and that are there."""
        for link in item.links:
            above = self.by_id.get(link.to)
            if link.relation in self.upward and above is not None:
                yield above, link

    def children(self, item: TraceItem) -> Iterator[tuple[TraceItem, TraceLink]]:
        """Yield the live items below that link to an item by a relation that leads up."""
        return ((child, link) for child, link in self.below.get(item.id, ()) if link.relation in self.upward)
