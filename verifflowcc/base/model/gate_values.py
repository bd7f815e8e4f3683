"""A gate: the kinds of criteria with all that each is, the criteria of a stage, and the answer of each."""

from collections.abc import Mapping
from enum import Enum, StrEnum

from verifflowcc.base.records import dataclass, field


class CriterionKind(StrEnum):
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


class Scale(Enum):
    """What numbers a measure can have."""

    COUNT = "a whole number from 0 to 1,000,000,000"
    PERCENT = "a number from 0 to 100, with at most six decimals"
    ANY = "a number with at most six decimals"


@dataclass(frozen=True, slots=True)
class ReportForm:
    """A report that a command writes: the ending of its file, its description, and the function that measures it.

    The function gets the criterion, the bytes of the report and the project, and returns `Measured`.
    """

    ending: str
    title: str
    measure: str


_RECORDED = "verifflowcc.gates.rules.evidence_criteria:assess_recorded"


@dataclass(frozen=True, slots=True)
class KindRule:
    """All that one kind of criterion is: what a workflow may say of it, and the functions behind it (`lazy.load`).

    `keys` go with the kind besides the common ones; `needs` are those that it must have. `measures` are what limits may
    speak of; `limited`: without a limit nothing could fail it. `assess`, `judge` (evidence alone) and `plant` (a
    violation, to prove that it can fail) name functions. `asks` is what it looks at beside files, ledger and evidence:
    `git`, `stages`, `trace` or `rules`. `computed`: vfcc makes its evidence from the files themselves, no command runs.
    `newer`: version 0.1 does not know it. `report` is the report that a command writes for it.
    """

    title: str
    keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    measures: Mapping[str, Scale] | None = None
    limited: bool = False
    assess: str = _RECORDED
    judge: str = "verifflowcc.sprint.rules.measured_verdict:judge_limits"
    plant: str = "verifflowcc.gates.rules.canary_plan:plant_measures"
    report: ReportForm | None = None
    asks: str = ""
    computed: bool = False
    newer: bool = False


_LIMITS = ("at_least", "at_most")
_RUN = ("command", "report", "trust", "inputs")


def _counts(*names: str) -> dict[str, Scale]:
    return dict.fromkeys(names, Scale.COUNT)


KINDS: Mapping[CriterionKind, KindRule] = {
    CriterionKind.ARTIFACT: KindRule(
        "an artifact is there and says something",
        ("files", "requires"),
        ("files",),
        assess="verifflowcc.gates.rules.artifact_criteria:assess_artifact",
        plant="verifflowcc.gates.rules.canary_plan:plant_artifacts",
    ),
    CriterionKind.COMMAND: KindRule(
        "{command} succeeds",
        ("command", "trust", "inputs"),
        ("command",),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_command",
    ),
    CriterionKind.JUNIT: KindRule(
        "all tests of {command} pass",
        (*_RUN, *_LIMITS),
        ("command",),
        _counts("tests", "failed", "errors", "skipped", "flaky", "unknown"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_junit",
        report=ReportForm(
            "xml", "Its test results (JUnit XML).", "verifflowcc.gates.use.evidence_running:measure_tests"
        ),
    ),
    CriterionKind.COVERAGE: KindRule(
        "the tests of {command} cover enough",
        (*_RUN, "files", *_LIMITS),
        ("command",),
        dict.fromkeys(("line", "branch", "changed"), Scale.PERCENT),
        limited=True,
        judge="verifflowcc.sprint.rules.measured_verdict:judge_coverage",
        report=ReportForm(
            "xml", "Its coverage (Cobertura XML).", "verifflowcc.gates.use.evidence_running:measure_cobertura"
        ),
    ),
    CriterionKind.SARIF: KindRule(
        "{command} finds nothing new",
        (*_RUN, *_LIMITS),
        ("command",),
        _counts("error", "warning", "note", "new_error", "new_warning", "new_note"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_findings",
        report=ReportForm("sarif", "Its findings (SARIF).", "verifflowcc.gates.use.evidence_running:measure_scan"),
    ),
    CriterionKind.LINT: KindRule(
        "{command} finds nothing",
        (*_RUN, *_LIMITS),
        ("command",),
        _counts("findings"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_lint",
        report=ReportForm(
            "txt", "Its findings as lines of text.", "verifflowcc.gates.use.evidence_running:measure_lines"
        ),
    ),
    CriterionKind.METRIC: KindRule(
        "{metric} is within its limits",
        (*_RUN, "metric", *_LIMITS),
        ("metric",),
        {"value": Scale.ANY},
        limited=True,
        judge="verifflowcc.sprint.rules.measured_verdict:judge_metric",
        report=ReportForm(
            "json",
            "Its measures (a JSON object of numbers).",
            "verifflowcc.gates.use.evidence_running:measure_numbers",
        ),
    ),
    CriterionKind.BASELINE: KindRule(
        "a baseline is frozen",
        ("files", "tagged"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_baseline",
        asks="git",
        computed=True,
    ),
    CriterionKind.RED_FIRST: KindRule(
        "the tests of the change fail without it",
        ("command", "inputs", "at_most"),
        ("command",),
        _counts("unguarded", "not_discriminating", "inconclusive"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_red_first",
        newer=True,
    ),
    CriterionKind.TESTS_KEPT: KindRule(
        "no test was removed, skipped or weakened",
        ("inputs", "at_most"),
        (),
        _counts("removed", "skipped", "narrowed", "weakened", "altered", "hollow", "settings", "hooks"),
        judge="verifflowcc.sprint.rules.measured_verdict:judge_tests_kept",
        computed=True,
        newer=True,
    ),
    CriterionKind.DIFF: KindRule(
        "something changed",
        ("files", *_LIMITS),
        (),
        _counts("files", "lines"),
        assess="verifflowcc.gates.rules.gate_check:assess_diff",
        plant="verifflowcc.gates.rules.canary_plan:plant_history",
        asks="git",
    ),
    CriterionKind.COMMIT: KindRule(
        "each commit says what it is for",
        ("pattern",),
        assess="verifflowcc.gates.rules.gate_check:assess_commit",
        plant="verifflowcc.gates.rules.canary_plan:plant_history",
        asks="git",
    ),
    CriterionKind.REVIEW: KindRule(
        "somebody else approved it",
        ("inputs", "at_least"),
        (),
        _counts("approvals"),
        assess="verifflowcc.gates.rules.people_criteria:assess_review",
        plant="verifflowcc.gates.rules.canary_plan:plant_reviews",
        asks="git",
    ),
    CriterionKind.ATTESTATION: KindRule(
        "a person accepted it",
        ("inputs", "at_least"),
        (),
        _counts("acceptances"),
        assess="verifflowcc.gates.rules.people_criteria:assess_attestation",
        plant="verifflowcc.gates.rules.canary_plan:plant_reviews",
        asks="git",
    ),
    CriterionKind.FEEDBACK: KindRule(
        "no comment is left open",
        assess="verifflowcc.gates.rules.people_criteria:assess_feedback",
        plant="verifflowcc.gates.rules.canary_plan:plant_comment",
    ),
    CriterionKind.UPSTREAM: KindRule(
        "the stages before still hold",
        assess="verifflowcc.gates.rules.gate_check:assess_stages",
        plant="verifflowcc.gates.rules.canary_plan:plant_earlier",
        asks="stages",
    ),
    CriterionKind.TRACE: KindRule(
        "the trace holds",
        ("checks", "items"),
        assess="verifflowcc.gates.rules.evidence_criteria:assess_trace",
        plant="verifflowcc.gates.rules.canary_plan:plant_findings",
        asks="trace",
    ),
    CriterionKind.RULES: KindRule(
        "",
        assess="verifflowcc.gates.rules.gate_check:assess_rules",
        plant="verifflowcc.gates.rules.canary_plan:plant_rules",
        asks="rules",
    ),
}
RULES = {kind: rule for kind, rule in KINDS.items() if rule.title}
"""The kinds that a workflow may ask for."""
REPORTS = {kind.value: rule.report for kind, rule in KINDS.items() if rule.report}
"""The reports of commands, by the name of their placeholder."""
COMPUTED = frozenset(kind for kind, rule in KINDS.items() if rule.computed)
RECORDED = frozenset(kind for kind, rule in KINDS.items() if rule.assess == _RECORDED)
"""Kinds that rest on an evidence file; the others are read from the tree, from git or from the ledger when asked."""
NEWER = frozenset(kind for kind, rule in KINDS.items() if rule.newer)
PEOPLE = frozenset({CriterionKind.REVIEW, CriterionKind.ATTESTATION})
"""Kinds that ask for the word of a person."""


BASELINES = ".memory/project/baselines/accepted"
"""The folder of the faults that a person accepts."""


class BaselineKind(StrEnum):
    """The kind of fault that a baseline lists."""

    TESTS = "tests"
    LINT = "lint"
    TRACE = "trace"

    @property
    def path(self) -> str:
        """The file of the baseline, below the project's root."""
        return f"{BASELINES}/{self}.json"


class Mode(StrEnum):
    """What an unmet criterion does.

    `hard` closes the gate, `soft` goes on record, `off` is not asked.
    """

    HARD = "hard"
    SOFT = "soft"
    OFF = "off"


class EvidenceTrust(StrEnum):
    """Whose word a piece of evidence is."""

    RAN_BY_VFCC = "ran_by_vfcc"
    IMPORTED_CI = "imported_ci"
    ASSERTED = "asserted"

    @property
    def rank(self) -> int:
        """Higher is more."""
        return {EvidenceTrust.RAN_BY_VFCC: 2, EvidenceTrust.IMPORTED_CI: 1, EvidenceTrust.ASSERTED: 0}[self]


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
    kind: CriterionKind
    title: str
    mode: Mode = Mode.HARD
    waivable: bool = True
    trust: EvidenceTrust = EvidenceTrust.RAN_BY_VFCC
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
        """The unmet criteria that are on record without closing the gate."""
        return tuple(each for each in self.assessments if not each.met and not each.blocks)

    @property
    def is_open(self) -> bool:
        """Whether the stage may be left, or entered."""
        return not self.blockers
