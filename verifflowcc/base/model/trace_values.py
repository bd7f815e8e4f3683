"""The trace: items from need to test, the code and the results that answer them, and what a check says of it all."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Link, Ref, Stamp, Status, Trust
from verifflowcc.base.records import dataclass, field

MARK = "vfcc"
"""A source text without it, and without a tag of OpenFastTrace or StrictDoc, holds no mark."""


def may_hold_mark(text: str) -> bool:
    """Say whether a source text may hold a mark; most hold none, and need no second look."""
    return MARK in text or ("->" in text and "~" in text) or "@relation(" in text


class Family(StrEnum):
    """The groups of trace checks."""

    IDENTITY = "identity"
    SCHEMA = "schema"
    LINKS = "links"
    COVERAGE = "coverage"
    CHANGE = "change"
    RESULTS = "results"
    PROCESS = "process"


class Severity(StrEnum):
    """How much a finding weighs.

    Errors and warnings make a check red, a note is shown; what is off is not asked.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    OFF = "off"


RED = frozenset({Severity.ERROR, Severity.WARNING})
"""What makes a check fail, and a criterion."""


@dataclass(frozen=True, slots=True)
class Verification:
    """A person's word that an item was verified by a method that no test shows.

    `fingerprint` is the item's own then, `content` the digest of the code that it points to then.
    """

    method: str
    by: str
    on: str
    fingerprint: str
    """The item's fingerprint then."""
    content: str
    """A digest of the item's code then."""
    saw: str


@dataclass(frozen=True, slots=True)
class Flaw:
    """A fault in one file by itself, found when it was read.

    `about` distinguishes two of the same code.
    """

    code: str
    line: int
    message: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class TraceItem:
    """A trace item as its file says it.

    `path` begins at the project's root (`.memory/project/items/…`). `text` is the normative part of the body: what
    stands below the headings Rationale, Notes, Comments or History is not in it. `digest` is the item's own
    fingerprint, 20 hexadecimal digits. `verification` is its method, in lower case. `tests` are patterns of tests
    (`tests/test_login.py::test_timeout*`), `evidence` names of criteria (`system_test/load`, or `load`) that show it.
    `planned` says when it will be built, where it is not yet. `integrity` is its level. `author` is who wrote it as
    far as the file says. `reconstructed` says that its rationale was inferred or extracted, or an agent's. `lines` maps
    keys of the front matter to their lines.
    """

    id: str
    type: str
    title: str
    path: str
    text: str
    """The normative text."""
    digest: str
    """The fingerprint."""
    status: Status = Status.ACTIVE
    verification: str | None = None
    links: tuple[Link, ...] = ()
    refs: tuple[Ref, ...] = ()
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    derived: bool = False
    rationale: str = ""
    planned: str | None = None
    integrity: str | None = None
    reviewed: Stamp | None = None
    verified: Verification | None = None
    author: str | None = None
    trust: Trust = Trust.HUMAN
    reconstructed: bool = False
    """Whether its rationale was inferred or written by an agent."""
    tags: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each key in the file."""
    flaws: tuple[Flaw, ...] = ()
    """Parts of the file that could not be read."""

    def line(self, key: str) -> int:
        """Return the line of a key of the front matter; 1 where it has none."""
        return self.lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class CodeSymbol:
    """A function, class or the like: its dotted name in the file, its lines, the digest of its text.

    The digest is that of the lines without their common indentation and trailing blanks, so that it survives a move.
    """

    name: str
    line: int
    end: int
    digest: str


@dataclass(frozen=True, slots=True)
class CodeMark:
    """A mark `vfcc: REQ-…` in a comment, a docstring or a pytest mark.

    It has the ids, the line, and the symbol around it.

    `symbol` is "" where it speaks of the whole file.
    """

    ids: tuple[str, ...]
    line: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of the project as the trace sees it. `test` says that it is a file of tests."""

    path: str
    digest: str
    test: bool
    marks: tuple[CodeMark, ...] = ()
    symbols: tuple[CodeSymbol, ...] = ()


class Outcome(StrEnum):
    """What became of a test, the worst first."""

    ERROR = "error"
    FAILED = "failed"
    CONFLICTING = "conflicting"
    FLAKY = "flaky"
    SKIPPED = "skipped"
    PASSED = "passed"


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test and what became of it: its parametrised cases, retries and doublings are one result.

    `test` is `path::symbol` where the file is known (`tests/test_login.py::TestForm.test_timeout`), else as the report
    names it. `items` are the ids that its marks and properties name. `cases` is how many there were. `report` is the
    report's path, or the evidence's id. `known` says that the tree holds such a test.
    """

    __test__ = False

    test: str
    outcome: Outcome
    cases: int
    items: tuple[str, ...]
    report: str
    message: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True)
class ResultReport:
    """A report of results: where it is, how much it is worth, and whether it speaks of the content that is there now.

    `stale` says why it does not ("" where it does), `remedy` how to get one that does. `problem` says why it could
    not be read at all.
    """

    name: str
    trust: EvidenceTrust
    tests: int = 0
    stale: str = ""
    problem: str = ""
    stage: str = ""
    criterion: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class CriterionState:
    """A criterion of a gate that items may name as what shows them: `stage/criterion`, and whether it is met now."""

    name: str
    met: bool
    reason: str
    trust: EvidenceTrust | None = None


NOT_DISCRIMINATING = "not discriminating"
"""The verdict of a proof on a test that passes without the change as well."""


@dataclass(frozen=True, slots=True)
class Results:
    """All results that are known, and the reports that they come from.

    `proofs` are the verdicts on tests of the change, by test: whether they fail without it.
    """

    tests: tuple[TestResult, ...] = ()
    reports: tuple[ResultReport, ...] = ()
    criteria: tuple[CriterionState, ...] = ()
    least_trust: EvidenceTrust = EvidenceTrust.IMPORTED_CI
    waived_skips: frozenset[str] = frozenset()
    proofs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraceBaseline:
    """A manifest of fingerprints: item id → own digest, at a moment. `path` is that of its file."""

    name: str
    path: str
    created: str
    by: str
    items: Mapping[str, str]
    note: str = ""
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class GitTrace:
    """What only git knows of items.

    `reused` maps an item's path to what was retired under its id before; `collisions` maps an id to the path that the
    target branch (`target`) added under it; `authors` maps an item's path to who committed changes to it. `problem`
    says why git knows nothing.
    """

    target: str | None = None
    reused: Mapping[str, str] = field(default_factory=dict)
    collisions: Mapping[str, str] = field(default_factory=dict)
    authors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ProcessFact:
    """A fact from a sprint's ledger: a code of the family process, where, and why."""

    code: str
    about: str
    message: str
    path: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class TraceSources:
    """All that a trace check looks at. The order of nothing in it matters.

    `unreadable` maps a path below `items/` to why it is no item (`3: not UTF-8 …`). `code` are the files that hold
    marks, are tests, or that items or the policy speak of; `files` maps every file of the project to its digest.
    `changed` are the project's files that differ from the sprint's base; None where no sprint is open or git is silent.
    """

    items: tuple[TraceItem, ...]
    today: str
    unreadable: Mapping[str, str] = field(default_factory=dict)
    code: tuple[CodeFile, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    results: Results = field(default_factory=Results)
    baseline: TraceBaseline | None = None
    git: GitTrace = field(default_factory=GitTrace)
    process: tuple[ProcessFact, ...] = ()
    changed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with file, line and the next command.

    Its code and its order are stable.

    `item` is the id of the item, "" where there is none. `about` tells two findings of one code and item apart (the
    other end of a link, a field, a rule); it has no line numbers, so that `key` survives edits elsewhere. `also` are
    further files that it is about: that of the other end, of the test, of the code.
    """

    code: str
    family: StrEnum
    severity: Severity
    item: str
    type: str
    path: str
    line: int
    message: str
    step: str = ""
    about: str = ""
    """Distinguishes findings with the same code and item."""
    also: tuple[str, ...] = ()
    """Further files."""

    @property
    def key(self) -> str:
        """What stays the same while the fault does: a baseline of known findings holds these."""
        return "|".join((self.code, self.item or self.path, self.about))


@dataclass(frozen=True, slots=True)
class EarlierFindings:
    """The keys of the findings at an earlier commit, and what that is; `problem` says why there are none."""

    label: str
    keys: frozenset[str] = frozenset()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CheckCount:
    """A check and its denominator: of how many things it was asked, and of how many it found something.

    `skipped` counts those that it left alone because they are only planned.
    """

    code: str
    severity: Severity
    examined: int
    """How many things it checked."""
    found: int
    """How many of them have a finding."""
    skipped: int = 0
    """How many it left out because they are planned."""


@dataclass(frozen=True, slots=True)
class TraceReport:
    """What a trace check says. Findings in a stable order: severity, path, line, code, about.

    `known` are the findings that the project's list of known ones holds, or that an earlier commit has too; they are
    shown as a number, and make nothing red. `fixed` are keys of that list that are found no more. `outside_changes`
    counts what was left out because it was not changed (`--changed-since`). `counts` maps a type to its items that are
    not retired, `planned` to those of them that are not built yet, `digests` to the digest of all of them (ids and
    fingerprints).
    """

    findings: tuple[Finding, ...]
    checks: tuple[CheckCount, ...]
    counts: Mapping[str, int]
    """Items that are not retired, by type."""
    known: tuple[Finding, ...] = ()
    """Findings that the baseline accepts."""
    fixed: tuple[str, ...] = ()
    """Entries of the baseline that no longer occur."""
    outside_changes: int = 0
    """How many findings are outside of the changed files."""
    notices: tuple[str, ...] = ()
    planned: Mapping[str, int] = field(default_factory=dict)
    """Items that are not built yet, by type."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """One digest for all items of a type."""

    @property
    def red(self) -> tuple[Finding, ...]:
        """The findings that make the check fail."""
        return tuple(each for each in self.findings if each.severity in RED)

    @property
    def evaluable(self) -> bool:
        """Whether there was any item to look at."""
        return sum(self.counts.values()) > 0
