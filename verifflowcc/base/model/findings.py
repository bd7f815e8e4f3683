"""Findings of checks: collected, in groups, and those that follow from missing results."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.trace_codes import Check
from verifflowcc.base.model.trace_values import RED, CheckCount, Finding, Severity, TraceItem
from verifflowcc.base.records import dataclass

# Findings of one kind as one group with its folders, the most useful groups first.

_WEIGHTS = tuple(Severity)


class Certainty(IntEnum):
    """How sure it is that a finding is a fault, the surest first."""

    BROKEN = 0
    MISSING = 1
    GUESSED = 2


_BROKEN = frozenset(
    "duplicate-id bad-id reused-id id-collision unreadable-item bad-field dangling-link self-link link-cycle file-gone"
    " symbol-gone unknown-mark retired-mark link-to-retired failed-result failed-below conflicting-result"
    " unreadable-report unreadable-file not-utf8 link-outside conflict-markers bad-front-matter secret duplicate-key"
    " supersession-circle ref-gone ref-symbol-gone".split()
)
"""A name that leads nowhere, a file that cannot be read, a test that failed: true whatever was intended."""
_GUESSED = frozenset(
    "weak-wording non-atomic near-key orphan-test orphan-file orphan-component untraced-code deep-coverage"
    " user-type-in-project contradiction".split()
)
"""Found by a rule of thumb, or only a consequence of another finding."""
_OF_RULES = frozenset({"missing-child"})
"""Codes that several rules of a workflow report; what a finding is about names the rule."""
_WITH: Mapping[str, str] = {"unreviewed-link": "unreviewed"}
"""A finding of the one code is settled by settling that of the other, about the same item: a review covers links."""


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """At least one finding, all of one weight and kind, in the order of their report."""

    findings: tuple[Finding, ...]

    @property
    def code(self) -> str:
        """The code of the first; those that are settled with it may be of another."""
        return self.example.code

    @property
    def example(self) -> Finding:
        """The first of them."""
        return self.findings[0]

    @property
    def certainty(self) -> Certainty:
        """How sure it is that these are faults."""
        if self.code in _BROKEN:
            return Certainty.BROKEN
        return Certainty.GUESSED if self.code in _GUESSED else Certainty.MISSING

    @property
    def folders(self) -> tuple[tuple[str, int], ...]:
        """Their folders with the number of findings in each, the fullest first; "" is the top of the project."""
        counts = Counter(each.path.rpartition("/")[0] for each in self.findings)
        return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def group_findings(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Return the findings in groups: by weight, then by certainty, then in the order in which their kinds first come.

    No finding is in two groups, and none is left out.
    """
    every = tuple(findings)
    there = {(each.severity, each.code, each.item) for each in every}
    found: dict[tuple[Severity, str, str], list[Finding]] = {}
    for each in every:
        covering = _WITH.get(each.code, "")
        code = covering if (each.severity, covering, each.item) in there else each.code
        rule = each.about if each.code in _OF_RULES else ""
        found.setdefault((each.severity, code, rule), []).append(each)
    groups = (FindingGroup(_with_example(each, code)) for (_, code, _), each in found.items())
    return tuple(sorted(groups, key=lambda group: (_WEIGHTS.index(group.example.severity), group.certainty)))


def _with_example(findings: Sequence[Finding], code: str) -> tuple[Finding, ...]:
    """Return the findings, those of the group's own code first, so that its example is one of them."""
    return tuple(sorted(findings, key=lambda each: each.code != code))


# Findings that follow from missing test results alone, counted together: tests that did not run on this content.

NO_FILE = "there is no such file"
"""How a report of results that is not there is described."""
MARK = "mark a test with vfcc: "
"""How the step begins that leads from an item without a test to one with a test."""


@dataclass(frozen=True, slots=True)
class MissingResults:
    """What is missing: `tests` of `items` items have no result, and the `stale` reports are for other content.

    `nothing` says that no test has a result for this content. Only then are items that no test in the source names
    part of it (`unnamed`), with what that means for items above them, and reports that are not there: a result may name
    an item too. `others` are the findings
    that have another cause.
    """

    nothing: bool
    tests: int
    items: int
    stale: tuple[Finding, ...]
    unnamed: tuple[str, ...]
    others: tuple[Finding, ...]

    def sentence(self, in_report: Mapping[str, int] | None = None) -> str:
        """Return what is missing as a clause; `in_report` maps a report to the number of its tests, where known."""
        if self.nothing:
            return "no test results for this content here"
        parts = []
        if self.tests:
            parts.append(f"{self.unrun} no result for this content")
        if self.stale:
            known = sum((in_report or {}).get(each.path, 0) for each in self.stale)
            parts.append(f"{_tests(known) if known else 'some tests have'} results for other content")
        return ", and ".join(parts)

    @property
    def listed(self) -> tuple[Finding, ...]:
        """The findings to list beside the sentence: those of another cause, and why a report does not count."""
        return (*self.stale, *self.others)

    @property
    def unrun(self) -> str:
        """How many tests of how many items have no result, as the begin of a sentence."""
        items = "1 item" if self.items == 1 else f"{self.items:,} items"
        return f"{self.tests:,} test of {items} has" if self.tests == 1 else f"{self.tests:,} tests of {items} have"


def missing_results(findings: Iterable[Finding], asked: Iterable[CheckCount]) -> MissingResults | None:
    """Return what of these findings follows from missing results; None where nothing does.

    `asked` are the checks of the same report, which count the results that there are.
    """
    every = tuple(findings)
    unrun = [each for each in every if _unrun(each)]
    stale = tuple(each for each in every if each.code == "stale-result" and not each.item)
    if not unrun and not stale:
        return None
    nothing = _nothing(asked)
    absorbed = {id(each) for each in (*unrun, *stale)}
    unnamed = [each for each in every if nothing and unrun and _unnamed(each)]
    absorbed.update(id(each) for each in unnamed)
    absorbed.update(id(each) for each in every if nothing and _absent(each))
    absorbed.update(id(each) for each in _above(every, unnamed))
    return MissingResults(
        nothing,
        len({each.about for each in unrun}),
        len({each.item for each in unrun}),
        stale,
        tuple(sorted({each.item for each in unnamed})),
        tuple(each for each in every if id(each) not in absorbed),
    )


def _unrun(finding: Finding) -> bool:
    """Whether a test has no result; of a criterion that is not met the code is the same, but no file of a test."""
    return finding.code == "no-result" and bool(finding.also) and finding.severity in RED


def _unnamed(finding: Finding) -> bool:
    return finding.code == "not-verified" and finding.step.startswith(MARK)


def _above(findings: Iterable[Finding], unnamed: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what follows from unnamed items for those above them, where the item below lacks nothing else."""
    every = tuple(findings)
    paths = {each.path for each in unnamed} - {each.path for each in every if each.code == "missing-child"}
    return (each for each in every if each.code == "deep-coverage" and paths.issuperset(each.also) and each.also)


def _absent(finding: Finding) -> bool:
    return finding.code == "unreadable-report" and finding.message.endswith(NO_FILE)


def _nothing(asked: Iterable[CheckCount]) -> bool:
    """Whether no result counts: `unknown-test` is asked of each that does; without it, of all, `failed-result`."""
    counts = {each.code: each.examined for each in asked}
    return counts.get("unknown-test", counts.get("failed-result", 1)) == 0


def _tests(count: int) -> str:
    return f"{count:,} test has" if count == 1 else f"{count:,} tests have"


class FindingCollector:
    """Collects findings; those of a check that is off are not kept.

    A finding's `message` is one sentence, `step` the next command, `about` tells it from others of its code and item,
    `also` are further files that it is about. `shown` is what becomes of a text that a person will read.
    """

    def __init__(
        self,
        checks: Mapping[str, Check],
        severities: Mapping[str, Severity] = {},
        shown: Callable[[str], str] = str,
    ) -> None:
        self._checks, self._shown = checks, shown
        self._weights = {code: severities.get(code, check.severity) for code, check in checks.items()}
        self._asked: Counter[str] = Counter()
        self._passed_over: Counter[str] = Counter()
        self.found: list[Finding] = []

    def on(self, *codes: str) -> bool:
        """Say whether any of these checks is asked at all."""
        return any(self._weights[code] is not Severity.OFF for code in codes)

    def ask(self, codes: Iterable[str], count: int, passed_over: int = 0) -> None:
        """Add to the number of things that checks examined, and skipped as planned."""
        for code in codes:
            self._asked[code] += count
            self._passed_over[code] += passed_over

    def item(
        self,
        code: str,
        item: Item | TraceItem,
        line: int,
        message: str,
        step: str,
        about: str = "",
        also: Iterable[str] = (),
    ) -> None:
        """Tell something of an item, at a line of its file."""
        self._add(code, (self._shown(item.id), item.type, item.path), line, message, step, about, also)

    def place(
        self, code: str, path: str, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something that is about no item."""
        self._add(code, ("", "", path), line, message, step, about, also)

    def _add(
        self, code: str, of: tuple[str, str, str], line: int, message: str, step: str, about: str, also: Iterable[str]
    ) -> None:
        weight, shown = self._weights[code], self._shown
        if weight is not Severity.OFF:
            family = self._checks[code].family
            finding = Finding(code, family, weight, *of, line, shown(message), shown(step), about, tuple(also))
            self.found.append(finding)

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in their stable order: severity, path, line, code, about."""
        order = {severity: number for number, severity in enumerate(Severity)}
        return tuple(
            sorted(
                self.found,
                key=lambda each: (
                    order[each.severity], each.path, each.line, each.code, each.about, each.item, each.message
                ),
            )
        )  # fmt: skip

    def asked(self) -> tuple[CheckCount, ...]:
        """Return each active check with its denominator, in the order of the table."""
        found = Counter(each.code for each in self.found)
        return tuple(
            CheckCount(code, weight, self._asked[code], found[code], self._passed_over[code])
            for code, weight in self._weights.items()
            if weight is not Severity.OFF
        )
