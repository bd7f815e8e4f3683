"""The code and the tests of one item, and the items that links lead to from it."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from verifflowcc.base.model.item_values import Link
from verifflowcc.base.model.trace_values import Outcome, TraceItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.trace.rules.trace_view import NONE, TraceView

# What can be reached from an item over links, and by which way: nearest first, each item once, circles ended.

Step = Callable[[TraceItem], Iterable[tuple[TraceItem, Link]]]


@dataclass(frozen=True, slots=True)
class ReachedItem:
    """An item that was reached.

    `route` are the ids from the item that was asked about to this one, both ends included; `relations` are those of the
    links between them, one fewer.
    """

    id: str
    type: str
    title: str
    path: str
    route: tuple[str, ...]
    """Ids from the item to this one, both included."""
    relations: tuple[str, ...]

    @property
    def steps(self) -> int:
        """How many links away it is."""
        return len(self.relations)


def reach(start: TraceItem, step: Step) -> tuple[ReachedItem, ...]:
    """Return all items that `step` leads to from `start`, nearest first.

    `start` is not among them. Each has a shortest way to it; equals are in the order of their ids.

    Of several ways of one length it is the first by the ids on it, so that the order of files never shows.
    """
    found: dict[str, ReachedItem] = {}
    queue = deque([(start, ReachedItem(start.id, start.type, start.title, start.path, (start.id,), ()))])
    while queue:
        item, here = queue.popleft()
        for other, link in sorted(step(item), key=lambda pair: (pair[0].id, pair[1].relation)):
            if other.id != start.id and other.id not in found:
                way, relations = (*here.route, other.id), (*here.relations, link.relation)
                found[other.id] = ReachedItem(other.id, other.type, other.title, other.path, way, relations)
                queue.append((other, found[other.id]))
    return tuple(sorted(found.values(), key=lambda each: (each.steps, each.id)))


def below(view: TraceView, item: TraceItem) -> tuple[ReachedItem, ...]:
    """Return all items below an item: those that a change of it would touch."""
    return reach(item, view.children)


def above(view: TraceView, item: TraceItem) -> tuple[ReachedItem, ...]:
    """Return all items above an item, up to the needs."""
    return reach(item, view.parents)


@dataclass(frozen=True, slots=True, order=True)
class LinkEnd:
    """The other end of a link. `type` and `title` are "" where there is no such item."""

    id: str
    relation: str
    type: str = ""
    """Empty if there is no such item."""
    title: str = ""


def parents_of(view: TraceView, item: TraceItem) -> tuple[LinkEnd, ...]:
    """Return the link ends above an item, missing ones and unknown relations too."""
    relations = view.policy.relations
    links = [link for link in item.links if link.relation in view.upward or link.relation not in relations]
    return tuple(sorted({end_of(view, link.to, link.relation) for link in links}))


def children_of(view: TraceView, item: TraceItem) -> tuple[LinkEnd, ...]:
    """Return the live items directly below an item."""
    return tuple(sorted({LinkEnd(each.id, link.relation, each.type, each.title) for each, link in view.children(item)}))


def end_of(view: TraceView, name: str, relation: str) -> LinkEnd:
    """Return the end of a link to an id."""
    item = view.by_id.get(name)
    return LinkEnd(name, relation, item.type, item.title) if item else LinkEnd(name, relation)


LOST = "lost"
"""The source of a test that an item names by a pattern without a match."""


@dataclass(frozen=True, slots=True, order=True)
class CodePlace:
    """Code that an item names by a `ref`, or that names the item by a `mark`.

    `exists` says whether the file exists.
    """

    path: str
    line: int
    symbol: str
    source: str
    """`mark` or `ref`."""
    exists: bool = True


@dataclass(frozen=True, slots=True)
class ItemTest:
    """A test of an item, and what is known of it.

    `test` is `path::symbol`, or the pattern that no result fits. `outcome` is None where there is no result. `stale`
    says why the result does not speak of the content that is there now, `trusted` whether the report is worth what is
    asked. `report` is where it was read; of several, all. `source` is how the test came to the item: `result`, `mark`
    (or a pattern: there is such a test and no result), or `lost` (a pattern that no test fits); `specification` is the
    specification's id, "" where the test is the item's own. `proof` is the verdict on it where the change of the sprint
    was proven.
    """

    __test__ = False

    test: str
    """Its name, or a pattern without a match."""
    outcome: Outcome | None
    """Null without a result."""
    source: str
    """`result`, `mark` or `lost`."""
    stale: str = ""
    """Why the result does not count, or empty."""
    trusted: bool = True
    """Whether its trust is sufficient."""
    report: str = ""
    cases: int = 0
    message: str = ""
    path: str = ""
    line: int = 1
    specification: str = ""
    """Its test specification, or empty."""
    known: bool = True
    """Whether the tree has the test."""
    proof: str = ""
    """The verdict of `red-first` on the test, or empty."""

    @property
    def passed(self) -> bool:
        """Whether it exists and passed on the present content, in a trusted report."""
        return self.outcome is Outcome.PASSED and not self.stale and self.trusted and self.known

    @property
    def broke(self) -> bool:
        """Whether it failed on the present content; passed after a retry is no failure."""
        return self.outcome in {Outcome.ERROR, Outcome.FAILED, Outcome.CONFLICTING} and not self.stale

    @property
    def word(self) -> str:
        """Its outcome, in a word or two."""
        if self.outcome is None:
            return "no such test" if self.source == LOST else "not run"
        if self.stale:
            return f"{self.outcome} (stale)"
        if not self.known:
            return f"{self.outcome} (not in the tree)"
        if not self.trusted:
            return f"{self.outcome} (untrusted)"
        return f"{self.outcome}, {self.proof}" if self.proof else str(self.outcome)


def place_word(place: CodePlace) -> str:
    """Return `path:line symbol`, and whether it is gone."""
    symbol = f" {place.symbol}" if place.symbol else ""
    return f"{place.path}:{place.line}{symbol}" if place.exists else f"{place.path}{symbol} (gone)"


def implementers(view: TraceView, item: TraceItem) -> tuple[CodePlace, ...]:
    """Return the code of an item, by path and line.

    It is marked in files that are no tests, or named by the item's `refs`.
    """
    marked = {
        CodePlace(file.path, mark.line, mark.symbol, "mark")
        for file, mark in view.marks.get(item.id, ())
        if not file.test
    }
    named = {_place(view, ref.path, ref.symbol or "") for ref in item.refs}
    return tuple(sorted(marked | named))


def _place(view: TraceView, path: str, symbol: str) -> CodePlace:
    file = view.code.get(path)
    lines = [each.line for each in file.symbols if each.name == symbol] if file and symbol else []
    there = bool(lines) if symbol and file else (file is not None or path in view.sources.files)
    return CodePlace(path, min(lines, default=1), symbol, "ref", there)


def tests_of(view: TraceView, item: TraceItem) -> tuple[ItemTest, ...]:
    """Return the item's own tests, each once, by name, with and without a result.

    A retired item has none that count.
    """
    joined = view.joins.by_id.get(item.id, NONE)
    seen = [
        *(result_of(view, each.test) for each in joined.verdicts),
        *(ItemTest(each.test, None, "mark", path=each.path, line=each.line) for each in joined.unrun),
        *(ItemTest(each, None, LOST, path=item.path, line=item.line("tests"), known=False) for each in joined.lost),
    ]
    return tuple(sorted(seen, key=lambda each: (each.test, each.path, each.line)))


def all_tests_of(view: TraceView, item: TraceItem) -> tuple[ItemTest, ...]:
    """Return the item's own tests, then those of the specifications that verify it.

    The latter have the specification's id.
    """
    return (*tests_of(view, item), *_handed_up(view, item))


def specifications(view: TraceView, item: TraceItem) -> tuple[TraceItem, ...]:
    """Return the specifications of tests that verify an item and are not only planned."""
    return view.joins.specifications.get(item.id, ())


def result_of(view: TraceView, test: str) -> ItemTest:
    """Return a test that has a result.

    The reports that count decide; where none does, those that do not count.
    """
    verdict = view.joins.verdicts[test]
    found = [each for each in view.results_by_test[test] if each.report in verdict.reports]
    counts = verdict.outcome is not None
    return ItemTest(
        test,
        verdict.outcome or min((each.outcome for each in found), key=list(Outcome).index),
        "result",
        stale="" if counts else _why_not(view, verdict.reports),
        trusted=verdict.trusted or not counts,
        report=", ".join(verdict.reports),
        cases=max(each.cases for each in found),
        message=verdict.message,
        path=test.partition("::")[0] if "::" in test else "",
        known=all(each.known for each in view.results_by_test[test]),
        proof=view.sources.results.proofs.get(test, ""),
    )


def _why_not(view: TraceView, names: tuple[str, ...]) -> str:
    """Say why none of these reports counts."""
    there = [view.reports[name] for name in names if name in view.reports]
    return min((each.problem or each.stale for each in there), default="its report is not there")


def _handed_up(view: TraceView, item: TraceItem) -> Iterator[ItemTest]:
    for each in specifications(view, item):
        for test in tests_of(view, each):
            yield replace(test, specification=each.id)
