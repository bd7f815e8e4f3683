"""Coverage of each item: whether its needs are met, and whether it is shown; its state, and its line in a prompt.

What is known of single items is added up over those below and above.

It speaks of the sources alone, not of how much a workflow lets a finding weigh: an item is shown where its declared
method shows it on the content that is there now, and nowhere else.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import Need
from verifflowcc.base.model.trace_values import Outcome, Results, TraceItem, TraceReport, Verification
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.answers import LOST, CodePlace, ItemTest, all_tests_of, implementers, specifications
from verifflowcc.trace.rules.trace_view import METRIC, NONE, TEST, TraceView, method_of


@dataclass(frozen=True, slots=True)
class ItemCoverage:
    """What is known of one item by itself.

    `method` is how it is to be verified, None where nothing asks for that. `children` are the ids right below it.
    `lacking` are the ids of the needs that nothing meets. `named` says that something is there which could show it,
    `shown` that it does, `belied` that a criterion which it names is unmet or a word on it is out of date.
    """

    item: TraceItem
    method: str | None
    tests: tuple[ItemTest, ...]
    code: tuple[CodePlace, ...]
    children: tuple[str, ...]
    lacking: tuple[str, ...]
    named: bool
    shown: bool
    belied: bool

    @property
    def planned(self) -> bool:
        """Whether it is agreed and not to be built yet."""
        return self.item.planned is not None

    @property
    def broke(self) -> bool:
        """Whether a test of it did not pass, on the content that is there now."""
        return any(each.broke for each in self.tests)

    @property
    def to_show(self) -> bool:
        """Whether anything is to show it: a method that is asked for, tests, or a word.

        The word is evidence that it names and that is unmet, or a verification that is out of date.
        """
        return self.method is not None or bool(self.tests) or self.belied

    @property
    def answered(self) -> bool:
        """Whether its needs are met directly, and something could show it.

        With no method asked, any child, test or code is enough.
        """
        if self.lacking:
            return False
        return self.named if self.method else bool(self.children or self.tests or self.code)

    @property
    def holds(self) -> bool:
        """Whether it is answered, shown where it has to be, and none of its tests failed."""
        return self.answered and not self.broke and (self.shown or not self.to_show)


class TraceCoverage:
    """The coverage of all live items of a view.

    Of two items with one id, the one that the view finds by it counts.
    """

    def __init__(self, view: TraceView) -> None:
        self.view = view

    @cached_property
    def by_id(self) -> Mapping[str, ItemCoverage]:
        """Id → coverage, by id."""
        live = {item.id for item in self.view.live}
        return {name: coverage_of(self.view, self.view.by_id[name]) for name in sorted(live)}

    def of(self, item: TraceItem) -> ItemCoverage:
        """Return the coverage of an item, found by its id or not."""
        held = self.by_id.get(item.id)
        return held if held is not None and held.item is item else coverage_of(self.view, item)

    @cached_property
    def broken_below(self) -> frozenset[str]:
        """Ids of the items below which a test broke."""
        return self._above(name for name, each in self.by_id.items() if each.broke)

    @cached_property
    def open_below(self) -> frozenset[str]:
        """Ids of the items with unmet needs or planned items below them."""
        return self._above(name for name, each in self.by_id.items() if not each.answered or each.planned)

    @cached_property
    def unshown_below(self) -> frozenset[str]:
        """Ids of the items below which something does not hold, or is planned."""
        return self._above(name for name, each in self.by_id.items() if not each.holds or each.planned)

    @cached_property
    def shown_below(self) -> frozenset[str]:
        """Ids of the items below which something is shown."""
        return self._above(name for name, each in self.by_id.items() if each.shown)

    @cached_property
    def lacking_below(self) -> frozenset[str]:
        """Ids of the items with unmet needs of items below them that are not planned."""
        return self._above(name for name, each in self.by_id.items() if not each.answered and not each.planned)

    def proven(self, coverage: ItemCoverage) -> bool:
        """Whether an item holds, so does all below it, and something of it all is shown."""
        name = coverage.item.id
        return coverage.holds and name not in self.unshown_below and (coverage.shown or name in self.shown_below)

    def _above(self, names: Iterable[str]) -> frozenset[str]:
        """Return the ids of all live items above any of these, over any number of links."""
        found: set[str] = set()
        left = list(names)
        while left:
            item = self.by_id[left.pop()].item
            for parent, _ in self.view.parents(item):
                if parent.id not in found and parent.id in self.by_id:
                    found.add(parent.id)
                    left.append(parent.id)
        return frozenset(found)


def coverage_of(view: TraceView, item: TraceItem) -> ItemCoverage:
    """Return what is known of one item by itself."""
    method = method_of(view, item)
    return ItemCoverage(
        item,
        method,
        all_tests_of(view, item),
        implementers(view, item),
        tuple(sorted({child.id for child, _ in view.children(item)} - {item.id})),
        tuple(need.id for need in view.policy.needs if item.type in need.of and not _met(view, item, need)),
        _named(view, item, method),
        _shown(view, item, method),
        not _consistent(view, item),
    )


def _met(view: TraceView, item: TraceItem, need: Need) -> bool:
    links = {child.id for child, link in view.below.get(item.id, ()) if link.relation in need.by and _fits(child, need)}
    count = len(links - {item.id})
    if need.code:
        count += len(code_paths(view, item))
    return count >= need.at_least or (need.or_tests and view.joins.by_id.get(item.id, NONE).any)


def code_paths(view: TraceView, item: TraceItem) -> set[str]:
    """Return the product's files that implement an item, by a mark or a ref."""
    marked = {file.path for file, _ in view.marks.get(item.id, ()) if not file.test}
    named = {ref.path for ref in item.refs if ref.path in view.code or ref.path in view.sources.files}
    return marked | {path for path in named if path not in view.code or not view.code[path].test}


def _fits(child: TraceItem, need: Need) -> bool:
    return child.type in need.from_types


def _named(view: TraceView, item: TraceItem, method: str | None) -> bool:
    if method == TEST:
        own = view.joins.by_id.get(item.id, NONE).any
        return own or any(_names(view, each) for each in specifications(view, item))
    return bool(item.evidence) or (method not in {None, METRIC} and _word(item) is not None)


def _names(view: TraceView, specification: TraceItem) -> bool:
    """Whether a specification has a test, or is verified by another method itself."""
    return view.joins.by_id.get(specification.id, NONE).any or _answers_itself(view, specification)


def _answers_itself(view: TraceView, specification: TraceItem) -> bool:
    return method_of(view, specification) not in {None, TEST}


def _shown(view: TraceView, item: TraceItem, method: str | None) -> bool:
    """Whether the item is shown by its method, and by all evidence that it names."""
    tests = [each for each in all_tests_of(view, item) if not _skip_waived(view, each)]
    others = [each for each in specifications(view, item) if _answers_itself(view, each)]
    if not _consistent(view, item) or not all(each.passed for each in tests):
        return False
    if not all(_consistent(view, each) and _has_word(view, each) for each in others):
        return False
    return bool(tests or others) if method in {None, TEST} else _has_word(view, item)


def _consistent(view: TraceView, item: TraceItem) -> bool:
    """Whether all criteria that the item names are met, and its verification is valid."""
    return _evidence_met(view, item) and (_word(item) is None or word_holds(view, item))


def _has_word(view: TraceView, item: TraceItem) -> bool:
    return bool(item.evidence) or (method_of(view, item) != METRIC and _word(item) is not None)


def _skip_waived(view: TraceView, test: ItemTest) -> bool:
    waived = view.sources.results.waived_skips
    return test.outcome is Outcome.SKIPPED and not test.stale and test.test in waived


def _evidence_met(view: TraceView, item: TraceItem) -> bool:
    """Whether every criterion that the item names is met by trusted evidence."""
    return all(_criterion_met(view.sources.results, name) for name in item.evidence)


def _criterion_met(results: Results, name: str) -> bool:
    found = [each for each in results.criteria if each.name == name or each.name.endswith(f"/{name}")]
    least = results.least_trust.rank
    return bool(found) and all(each.met and (each.trust is None or each.trust.rank >= least) for each in found)


def _word(item: TraceItem) -> Verification | None:
    """A person's word that the item is verified, by the method that it declares."""
    verified = item.verified
    return verified if verified is not None and verified.method == item.verification else None


def word_holds(view: TraceView, item: TraceItem) -> bool:
    """Whether a person verified the item, and it and its code have not changed since."""
    from verifflowcc.trace.rules.check_steps import pointed_content
    from verifflowcc.trace.rules.fingerprint import matches

    word = item.verified
    return word is not None and matches(word.fingerprint, item.digest) and word.content == pointed_content(view, item)


# One word for each item: the worst state that is known of it.


class ItemState(StrEnum):
    """The state of an item, the worst first."""

    FAILED = "failed"
    FAILED_BELOW = "failed below"
    SUSPECT = "suspect"
    FLAKY = "flaky"
    STALE = "stale"
    SKIPPED = "skipped"
    NOT_RUN = "not run"
    UNTESTED = "untested"
    UNSHOWN = "unshown"
    UNANSWERED = "unanswered"
    INCOMPLETE = "incomplete"
    DRAFT = "draft"
    PLANNED = "planned"
    RETIRED = "retired"
    PASSED = "passed"
    PASSED_BELOW = "passed below"

    @property
    def means(self) -> str:
        """What the word says, in a sentence."""
        return _MEANS[self]


_MEANS = {
    ItemState.FAILED: "a test of it did not pass on this content",
    ItemState.FAILED_BELOW: "a test of something below it did not pass on this content",
    ItemState.SUSPECT: "the item, its parent or its code changed since the last review",
    ItemState.FLAKY: "a test of it failed and passed on this content",
    ItemState.STALE: "its results are of other content, of a test that is gone, or worth less than is asked",
    ItemState.SKIPPED: "a test of it was skipped",
    ItemState.NOT_RUN: "a test of it has no result",
    ItemState.UNTESTED: "it is to be verified by tests, and there is none of it",
    ItemState.UNSHOWN: "it is to be shown by a person or by a gate, and nothing shows it now",
    ItemState.UNANSWERED: "nothing below it answers it as its type needs",
    ItemState.INCOMPLETE: "it is answered, and not all that answers it is shown",
    ItemState.DRAFT: "it is not agreed yet",
    ItemState.PLANNED: "it is agreed and not to be built yet",
    ItemState.RETIRED: "it counts no more",
    ItemState.PASSED: "its declared method shows it on this content",
    ItemState.PASSED_BELOW: "all below it is shown on this content",
}
SUSPECT_CODES = frozenset({"suspect-upstream", "suspect-downstream", "stale-review", "code-edited", "code-moved"})
"""The checks that make an item suspect, whatever they weigh in a workflow."""


def suspects(report: TraceReport) -> frozenset[str]:
    """Return the ids of the items that a report calls suspect, known findings too."""
    return frozenset(each.item for each in (*report.findings, *report.known) if each.code in SUSPECT_CODES)


def state_of(coverage: ItemCoverage, coverages: TraceCoverage, suspect: Collection[str]) -> ItemState:
    """Return the state of an item: the worst that is known of it.

    An item that is not agreed or not to be built yet has that state.
    """
    item = coverage.item
    if item.status is Status.ARCHIVED:
        return ItemState.RETIRED
    if coverage.broke:
        return ItemState.FAILED
    if item.id in coverages.broken_below:
        return ItemState.FAILED_BELOW
    if coverage.planned:
        return ItemState.PLANNED
    if item.status is Status.PENDING:
        return ItemState.DRAFT
    if item.id in suspect:
        return ItemState.SUSPECT
    return _by_answers(coverage, coverages)


def own_state(coverage: ItemCoverage) -> ItemState | None:
    """Return the state of an item by itself, None where nothing has to show it."""
    item = coverage.item
    if item.status is Status.ARCHIVED:
        return ItemState.RETIRED
    if coverage.broke:
        return ItemState.FAILED
    if coverage.planned or item.status is Status.PENDING:
        return ItemState.PLANNED if coverage.planned else ItemState.DRAFT
    if not coverage.to_show:
        return None
    return ItemState.PASSED if coverage.shown else _why_unshown(coverage)


def _by_answers(coverage: ItemCoverage, coverages: TraceCoverage) -> ItemState:
    if coverage.to_show and not coverage.shown:
        return _why_unshown(coverage)
    if not coverage.answered:
        return ItemState.UNANSWERED
    if coverage.shown:
        return ItemState.PASSED
    name = coverage.item.id
    whole = name in coverages.shown_below and name not in coverages.unshown_below
    return ItemState.PASSED_BELOW if whole else ItemState.INCOMPLETE


def _why_unshown(coverage: ItemCoverage) -> ItemState:
    by_test = coverage.method in {None, TEST}
    if by_test and not coverage.named and all(each.source == LOST for each in coverage.tests):
        return ItemState.UNTESTED
    tests = [each for each in coverage.tests if not each.passed]
    if any(each.outcome is Outcome.FLAKY and not each.stale for each in tests):
        return ItemState.FLAKY
    if any(each.outcome is not None and (each.stale or not each.trusted or not each.known) for each in tests):
        return ItemState.STALE
    if any(each.outcome is Outcome.SKIPPED for each in tests):
        return ItemState.SKIPPED
    return ItemState.NOT_RUN if tests else ItemState.UNSHOWN


# An item as one list item of a prompt: id, tests, state and text.

MOST_TESTS = 3
_WORDS = {
    ItemState.FAILED: "failing",
    ItemState.PASSED: "passing",
    ItemState.NOT_RUN: "unknown",
    ItemState.UNTESTED: "no test yet",
    ItemState.UNSHOWN: "not verified",
}


def item_line(item: TraceItem, coverage: ItemCoverage, text: str) -> str:
    """Return the list item; further lines of `text` are indented.

    `text` is the item's, safe to print.

    The state of an item with a test that has no result is `unknown`: other machines may have run it.
    """
    facts = _facts(item, coverage)
    head = f"- {item.id} ({facts})" if facts else f"- {item.id}"
    lines = (text or item.title).strip("\n").split("\n")
    return "\n".join([f"{head}: {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])])


def _facts(item: TraceItem, coverage: ItemCoverage) -> str:
    state = own_state(coverage)
    names = tuple(dict.fromkeys(each.test for each in coverage.tests))
    if state is ItemState.PLANNED:
        return f"planned: {item.planned}"
    word = _WORDS.get(state, str(state)) if state else ""
    by = f"verified by {short_tests(names)}" if names else ""
    if not by and coverage.method not in {None, TEST} and state is not ItemState.DRAFT:
        by = f"verification: {coverage.method}"
    return "; ".join(filter(None, [by, word]))


def short_tests(names: Sequence[str]) -> str:
    """Return names of tests in one line; a file's name is not repeated.

    What is too much is a number.

    >>> short_tests(["tests/test_a.py::test_x", "tests/test_a.py::test_y", "b", "c", "d"])
    'tests/test_a.py::test_x, ::test_y, b and 2 more'
    """
    shown, last = [], ""
    for name in names[:MOST_TESTS]:
        path, joint, symbol = name.partition("::")
        shown.append(f"::{symbol}" if joint and path == last else name)
        last = path
    more = len(names) - MOST_TESTS
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
