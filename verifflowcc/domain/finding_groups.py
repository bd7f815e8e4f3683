"""Findings of one kind as one group with its folders, the most useful groups first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from verifflowcc.domain.trace import Finding, Severity
from verifflowcc.records import dataclass

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
