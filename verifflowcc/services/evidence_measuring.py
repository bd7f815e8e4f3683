"""Measure what a criterion asks for in a report, with what the project holds at hand."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.project.words import known_words
from verifflowcc.domain.baselines import OF_KIND, Baseline, BaselineEntry
from verifflowcc.domain.evidence import Measured
from verifflowcc.domain.facts import Facts, History
from verifflowcc.domain.gates import KINDS, Criterion
from verifflowcc.domain.lazy import load
from verifflowcc.errors import FormatError
from verifflowcc.formats.cobertura import measure_coverage
from verifflowcc.formats.junit_tests import Known, measure_junit
from verifflowcc.formats.metric_json import measure_metrics
from verifflowcc.formats.sarif import measure_lint, measure_sarif
from verifflowcc.records import dataclass, field, replace
from verifflowcc.services.baselines import load_baseline
from verifflowcc.text.canonical import digest_text


@dataclass(slots=True)
class Project:
    """What reports are compared with. The words in its files are read once, when a test report asks for them."""

    root: Path
    content: Mapping[str, str]
    history: History | None
    _known: Known | None = field(default=None, init=False)

    def known(self) -> Known:
        """Return the paths and identifiers of the project's files."""
        if self._known is None:
            self._known = Known(frozenset(self.content), known_words(self.root, self.content))
        return self._known

    def tests(self, criterion: Criterion) -> tuple[BaselineEntry, ...]:
        """Return the old faults of tests that the baseline lists for the criterion's command."""
        found = self._baseline(criterion)
        return found.of(criterion.command) if found else ()

    def findings(self, criterion: Criterion) -> Counter[str]:
        """Return how often the baseline lists each old finding of the criterion's command."""
        found = self._baseline(criterion)
        return found.counts(criterion.command) if found else Counter()

    def _baseline(self, criterion: Criterion) -> Baseline | None:
        """Return the baseline that a criterion is compared with; whether it counts is not asked."""
        kind = OF_KIND.get(criterion.kind)
        try:
            return load_baseline(self.root, kind) if kind else None
        except FormatError:
            return None  # the gate reports it


def measure_report(criterion: Criterion, data: bytes, project: Project) -> Measured:
    """Return what a report says for the criterion; `problem` says why where it says nothing."""
    report = KINDS[criterion.kind].report
    if report is None:
        return Measured({}, "", problem=f"a {criterion.kind} has no report")
    measured: Measured = load(report.measure)(criterion, data, project)
    return measured


def measure_tests(criterion: Criterion, data: bytes, project: Project) -> Measured:
    """Return the results in a JUnit file."""
    return measure_junit(data, known=project.known(), baseline=project.tests(criterion))


def measure_scan(criterion: Criterion, data: bytes, project: Project) -> Measured:
    """Return the findings in a SARIF file."""
    return measure_sarif(data, baseline=project.findings(criterion), paths=frozenset(project.content))


def measure_lines(criterion: Criterion, data: bytes, project: Project) -> Measured:
    """Return the findings in lines of text."""
    return measure_lint(data.decode("utf-8", "replace"), project.findings(criterion))


def measure_numbers(_criterion: Criterion, data: bytes, _project: Project) -> Measured:
    """Return the numbers in a JSON object."""
    return measure_metrics(data)


def measure_baseline(criterion: Criterion, facts: Facts, digest: str) -> Measured:
    """Return what a baseline holds: the number of tags at the present commit; `digest` is that of its files."""
    history = facts.history
    tags = history.tags if history else ()
    told = tuple(f"tag: {tag}" for tag in tags)
    if criterion.tagged and (history is None or history.problem):
        told = (f"tags not known: {history.problem if history else 'git was not asked'}",)
    return Measured({"tags": len(tags)}, digest, told)


def outcome_of(measured: Measured, exit_code: int | None) -> str:
    """Return the digest of all that a second run must reproduce: how it ended, and what its report says."""
    ended = "none" if exit_code is None else str(exit_code)
    return digest_text(f"exit {ended}\n{measured.problem}\n{measured.outcome}\n")


def measure_cobertura(criterion: Criterion, data: bytes, project: Project) -> Measured:
    """Return the coverage in a Cobertura file, of the lines that changed too."""
    history = project.history
    problem = history.problem if history else "git was not asked"
    changed = (
        None
        if problem or history is None
        else {each.path: None if each.whole else each.lines for each in history.changes}
    )
    found = measure_coverage(data, paths=frozenset(project.content), files=criterion.files, changed=changed)
    if changed is None and not found.problem:
        return replace(found, examples=(f"changes not known: {problem}", *found.examples))
    return found
