"""How evidence and metrics are shown to a person."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.model.evidence_values import Evidence, Inputs
from verifflowcc.base.model.gate_values import CriterionKind, Verdict
from verifflowcc.base.terminal.table import table
from verifflowcc.base.text.identifiers import shown_ids
from verifflowcc.gates.use.evidence_listing import EvidenceLine, EvidenceView, Staleness
from verifflowcc.sprint.rules.stage_numbers import (
    Numbers,
    SprintMetrics,
    lasting,
    shown,
    stage_time,
    words_of_coverage,
    words_of_tests,
)

if TYPE_CHECKING:
    from verifflowcc.gates.use.evidence_making import EvidenceAddition, EvidenceRow, EvidenceRun, FinishedCommand

_WORDS = {Verdict.NOT_EVALUABLE: "not evaluable"}


def ran(done: "EvidenceRun") -> str:
    """Return what became of each criterion, and the first thing to do about those that are not met."""
    rows = [(f"{row.stage}/{row.criterion}", _word(row.verdict), _clause(row), _took(row)) for row in done.rows]
    text = table(("criterion", "verdict", "reason", "took"), rows, right=(3,))
    unmet = [row for row in done.rows if not row.met]
    count = f"{len(unmet)} of {len(done.rows)} not met" if unmet else f"all {len(done.rows)} met"
    steps = list(dict.fromkeys(row.step for row in unmet if row.step and not row.ran))
    return "\n".join([text, "", count, *(f"to do: {step}" for step in steps)])


def affected(done: "EvidenceRun") -> str:
    """Return how the affected tests ended, and that this opens no gate."""
    lines = []
    for each in done.commands:
        lines += [f"{each.run.command}: {_end(each)}", *(f"  {test}" for test in each.failed)]
    return "\n".join([*lines, "this is no evidence: the gate asks for all tests", "next: vfcc evidence run"])


def _end(done: "FinishedCommand") -> str:
    return "passed" if done.passed else done.run.failure or f"failed (exit {done.run.exit_code})"


def outputs(done: "EvidenceRun", lines_of: "Callable[[FinishedCommand], Sequence[str]]") -> Iterator[str]:
    """Yield the end of the output of each command whose criteria are not all met, or that failed and has none."""
    unmet = {row.command for row in done.rows if row.ran and not row.met and row.kind is not CriterionKind.RED_FIRST}
    unmet |= {each.run.command for each in done.commands if not done.rows and not each.passed}
    yield from (_output(each, lines_of(each)) for each in done.commands if each.run.command in unmet)


def added(done: "EvidenceAddition") -> str:
    """Return what was recorded, and what the gate says now."""
    one, asked = done.evidence, done.assessment
    lines = [
        f"{one.stage}/{one.criterion}: recorded as {one.trust} ({one.id})",
        f"{_word(asked.verdict)}: {asked.reason}",
    ]
    if not asked.met and asked.step:
        lines.append(f"to do: {asked.step}")
    return "\n".join(lines)


def listed(lines: Sequence[EvidenceLine], *, full: bool = False) -> str:
    """Return a list of evidence as a table, with whole ids where they are to be `full`."""
    if not lines:
        return "no evidence yet"
    ids = shown_ids((one.id for one in lines), full=full)
    rows = [
        (
            ids[one.id],
            f"{one.stage}/{one.criterion}" if one.criterion else one.stage,
            _word(one.verdict),
            one.reason if one.latest else f"replaced; {one.reason}" if one.criterion else one.reason,
            one.trust or "–",
            one.actor or "–",
        )
        for one in lines
    ]
    return table(("id", "criterion", "verdict", "reason", "trust", "actor"), rows)


def one(view: EvidenceView) -> str:
    """Return all that a piece of evidence says."""
    evidence, asked = view.evidence, view.assessment
    lines = [f"{evidence.id}: {evidence.kind} for {evidence.sprint}/{evidence.stage}/{evidence.criterion}"]
    if asked:
        lines.append(f"{_word(asked.verdict)}: {asked.reason}" + ("" if view.latest else " (later evidence counts)"))
        lines += [f"note: {note}" for note in asked.notes]
    lines += [
        "",
        f"made: {evidence.time} by {view.actor}, {evidence.trust}, with {evidence.producer}",
        f"file: {view.path}",
        *_of_run(evidence),
        *_of_report(evidence),
        *_of_inputs(evidence.inputs),
    ]
    if evidence.tree:
        lines.append(f"commit: {evidence.tree}")
    lines += ["", *(f"{name}: {number}" for name, number in sorted(evidence.measures.items()))]
    if evidence.problem:
        lines.append(f"problem: {evidence.problem}")
    lines += [f"- {example}" for example in evidence.examples]
    return "\n".join(lines).rstrip()


def staleness(found: Staleness, *, why: bool) -> str:
    """Return which evidence is stale, with all that changed where that is asked for."""
    lines = []
    for each in found.stale:
        summary = f": {each.reasons[0]}" + (f", and {len(each.reasons) - 1} more" if len(each.reasons) > 1 else "")
        lines.append(f"{each.stage}/{each.criterion} is stale{'' if why else summary}")
        lines += [f"- {reason}" for reason in each.reasons] if why else []
        lines.append(f"  {each.step}")
    fresh = len(found.lines) - len(found.stale)
    return "\n".join([*lines, f"{fresh} of {len(found.lines)} fresh"])


def _output(each: "FinishedCommand", last: Sequence[str]) -> str:
    ended = each.run.failure or f"ended with exit code {each.run.exit_code}"
    digits = each.run.output.removeprefix("sha256:")
    lines = [f"{each.run.command} {ended}; the last lines of its output:", *(f"  {line}" for line in last)]
    if not last:
        lines = [f"{each.run.command} {ended}; it wrote nothing"]
    known = next(iter(each.evidence), None)
    whole = f".memory/local/blobs/{digits[:2]}/{digits}"
    return "\n".join([*lines, f"all of it: {whole}" + (f" (vfcc evidence show {known} --output)" if known else "")])


def _clause(row: "EvidenceRow") -> str:
    return "; ".join((row.reason, *row.notes))


def _took(row: "EvidenceRow") -> str:
    return f"{row.duration_ms / 1000:.1f} s" if row.duration_ms is not None else "–"


def _word(verdict: Verdict) -> str:
    return _WORDS.get(verdict, str(verdict))


def _of_run(evidence: Evidence) -> Iterator[str]:
    run = evidence.run
    if run is None:
        return
    from shlex import join

    yield f"command: {run.command}: {join(run.argv)}"
    ended = run.failure or f"exit code {run.exit_code}"
    yield f"ended: {ended}, after {run.duration_ms / 1000:.1f} s of {run.timeout_s} s"
    yield f"output: {run.output_bytes:,} bytes ({run.output})"


def _of_report(evidence: Evidence) -> Iterator[str]:
    if evidence.report:
        yield f"report: {evidence.report} ({evidence.report_digest or 'none'})"


def _of_inputs(inputs: Inputs) -> Iterator[str]:
    chosen = ", ".join(inputs.patterns) or "all files of the project"
    yield f"inputs: {inputs.count} ({chosen}), {inputs.digest}"


_COUNTS = ("failures", "rework", "findings", "waived")


def all_metrics(sprints: Iterable[SprintMetrics]) -> str:
    """Return a table for each sprint, with its totals."""
    return "\n\n".join(f"{each.id}: {each.title} ({each.status})\n\n{_stages(each)}" for each in sprints)


def _stages(sprint: SprintMetrics) -> str:
    rows = [(each.stage, stage_time(each), *_numbers(each.numbers)) for each in sprint.stages]
    rows.append(("total", shown(sprint.totals["duration_s"], lasting), *_numbers(sprint.totals)))
    headings = ("stage", "time", *_COUNTS, "tests", "coverage")
    return table(headings, rows, right=range(2, 2 + len(_COUNTS)))


def _numbers(numbers: Numbers) -> tuple[str, ...]:
    return (*(shown(numbers[name]) for name in _COUNTS), words_of_tests(numbers), words_of_coverage(numbers))
