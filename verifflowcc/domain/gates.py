"""A gate: the criteria of a stage's entry or exit, and what became of each when it was asked."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.records import dataclass, field


class Kind(StrEnum):
    """What shows that a criterion is met."""

    ARTIFACT = "artifact"
    COMMAND = "command"
    JUNIT = "junit"
    COVERAGE = "coverage"
    SARIF = "sarif"
    LINT = "lint"
    METRIC = "metric"
    BASELINE = "baseline"
    DIFF = "diff"
    COMMIT = "commit"
    REVIEW = "review"
    ATTESTATION = "attestation"
    FEEDBACK = "feedback"
    UPSTREAM = "upstream"
    TRACE = "trace"
    RULES = "rules"
    RED_FIRST = "red-first"
    TESTS_KEPT = "tests-kept"


COMPUTED = frozenset({Kind.BASELINE, Kind.TESTS_KEPT})
"""Kinds whose evidence vfcc makes from the files themselves; no command runs."""
RECORDED = COMPUTED | {
    Kind.COMMAND,
    Kind.JUNIT,
    Kind.COVERAGE,
    Kind.SARIF,
    Kind.LINT,
    Kind.METRIC,
    Kind.RED_FIRST,
}
"""Kinds that rest on an evidence file; the others are read from the tree, from git or from the ledger when asked."""
NEWER = frozenset({Kind.RED_FIRST, Kind.TESTS_KEPT})
"""Kinds that version 0.1 does not know."""


class Mode(StrEnum):
    """What an unmet criterion does: `hard` closes the gate, `soft` goes on record, `off` is not asked."""

    HARD = "hard"
    SOFT = "soft"
    OFF = "off"


class Trust(StrEnum):
    """Whose word a piece of evidence is."""

    RAN_BY_VFCC = "ran_by_vfcc"
    IMPORTED_CI = "imported_ci"
    ASSERTED = "asserted"

    @property
    def rank(self) -> int:
        """Higher is more."""
        return {Trust.RAN_BY_VFCC: 2, Trust.IMPORTED_CI: 1, Trust.ASSERTED: 0}[self]


class Verdict(StrEnum):
    """What became of a criterion; `not_evaluable` blocks as `fail` does."""

    PASS = "pass"
    FAIL = "fail"
    NOT_EVALUABLE = "not_evaluable"
    WAIVED = "waived"


class Side(StrEnum):
    """Which of a stage's two gates."""

    ENTRY = "entry"
    EXIT = "exit"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition of a gate, as the workflow states it.

    `files` are patterns: below the stage's `artifacts/` for an artifact, of the project for all other kinds (what is
    covered, changed, frozen). `requires` are headings or keys that an artifact must fill. `command` names an entry of
    `gates.commands`; `report` is one of its reports, the kind's own name where None. `inputs` are patterns of the
    project's files that evidence or an approval speaks of; none means all. `at_least` and `at_most` map a measure's
    name to millionths. `pattern` is a regular expression (commit). `metric` names a measure. `checks` are trace checks
    (families, codes, ids of needs; none: all), `items` the types of trace items that they are asked of (none: all).
    """

    id: str
    kind: Kind
    title: str
    mode: Mode = Mode.HARD
    waivable: bool = True
    trust: Trust = Trust.RAN_BY_VFCC
    files: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    command: str | None = None
    report: str | None = None
    inputs: tuple[str, ...] = ()
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    pattern: str | None = None
    metric: str | None = None
    tagged: bool = False
    checks: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """A criterion when it was asked.

    `reason` is one clause: what shows it, or what is missing. `step` is the command, or the one thing to do, that goes
    on from here; empty where nothing is to be done. `used` names the evidence: ids of evidence files and of events,
    paths of artifacts. `subject` is the digest of what was looked at: a waiver holds for it alone. `notes` are further
    things to know. `waiver` is the id of the event that waives it. `file` is the artifact to write or to mend, below
    the project's root; empty for other kinds, and where it is met.
    """

    criterion: Criterion
    verdict: Verdict
    """`pass`, `fail`, `not_evaluable` or `waived`."""
    reason: str
    """What shows it, or what is missing."""
    step: str = ""
    """What to do."""
    used: tuple[str, ...] = ()
    """Ids of evidence and events, or paths."""
    subject: str = ""
    """The digest of the content that was judged."""
    notes: tuple[str, ...] = ()
    waiver: str | None = None
    """The event that waives it, or null."""
    file: str = ""
    """The artifact to write or repair; empty for other kinds."""

    @property
    def met(self) -> bool:
        """Whether nothing is left to be done for it."""
        return self.verdict in {Verdict.PASS, Verdict.WAIVED}

    @property
    def blocks(self) -> bool:
        """Whether it closes its gate."""
        return not self.met and self.criterion.mode is Mode.HARD


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate when it was asked: every criterion that is not off, in the order of the workflow.

    `notes` are sentences that a reader should know of, and that block nothing.
    """

    sprint: str
    stage: str
    side: Side
    """`exit` or `entry`."""
    assessments: tuple[Assessment, ...]
    notes: tuple[str, ...] = ()
    """Sentences that block nothing."""

    @property
    def blockers(self) -> tuple[Assessment, ...]:
        """What closes it."""
        return tuple(each for each in self.assessments if each.blocks)

    @property
    def findings(self) -> tuple[Assessment, ...]:
        """What is not met and goes on record without closing it."""
        return tuple(each for each in self.assessments if not each.met and not each.blocks)

    @property
    def is_open(self) -> bool:
        """Whether the stage may be left, or entered."""
        return not self.blockers
