"""What a stage hands to the next one: `summary.md` and `metrics.json`, as texts."""

import json
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import PEOPLE, Assessment, CriterionKind, Gate, Mode, Verdict
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import Decision
from verifflowcc.base.model.sprint_state import Artifact, SprintState, Stage, StageState
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.extract import short_form
from verifflowcc.gates.rules.people_criteria import waiver_fault
from verifflowcc.gates.rules.stage_failures import clause, deviations, review_line, waiver_line
from verifflowcc.sprint.rules.sprint_people import concerning, latest_words
from verifflowcc.sprint.rules.stage_numbers import percent

# Numbers from the evidence that a gate used: tests, coverage, how much there was.

BASIS_POINTS = 10_000
_SHARES = {
    "coverage_branch_bp": ("branches_hit", "branches"),
    "coverage_changed_bp": ("changed_hit", "changed"),
    "coverage_line_bp": ("lines_hit", "lines"),
}
NAMES = (*_SHARES, "evidence", "tests", "tests_failed")


def used_numbers(gate: Gate, recorded: Sequence[RecordedEvidence]) -> dict[str, int | None]:
    """Return the numbers named in `NAMES`; None for what no evidence measured.

    `evidence` counts the pieces used. `tests` and `tests_failed` (errors among them) add up over the reports used, each
    once however many criteria rest on it. Coverage is in hundredths of a percent, cut, the lowest of those used.
    """
    used = _used(gate, recorded)
    found: dict[str, int | None] = {"evidence": len(used), "tests": None, "tests_failed": None}
    reports = {one.outcome: one.measures for one in used if one.kind is CriterionKind.JUNIT and "tests" in one.measures}
    if reports:
        found["tests"] = sum(each["tests"] for each in reports.values())
        found["tests_failed"] = sum(each.get("failed", 0) + each.get("errors", 0) for each in reports.values())
    measured = [one.measures for one in used if one.kind is CriterionKind.COVERAGE]
    for name, (part, whole) in _SHARES.items():
        found[name] = min(
            (share for each in measured if (share := _share(each, part, whole)) is not None), default=None
        )
    return found


def _used(gate: Gate, recorded: Sequence[RecordedEvidence]) -> list[Evidence]:
    names = {name for each in gate.assessments for name in each.used}
    found = {one.evidence.id: one.evidence for one in recorded if one.evidence and one.evidence.id in names}
    return [found[name] for name in sorted(found)]


def _share(measures: Mapping[str, int], part: str, whole: str) -> int | None:
    total = measures.get(whole, 0)
    return measures.get(part, 0) * BASIS_POINTS // total if total else None


_FEW = 3
_KINDS = {"md": "markdown", "json": "json"}
_HEADING = lazy_pattern(r"#{1,4} ")
_LONGEST_CHARS = 3000
"""Of the short form of one artifact: about 750 tokens."""
_LONGEST_HANDOVER_CHARS = 32_000
"""A quarter of the largest event at most, whatever the characters."""


@dataclass(frozen=True, slots=True)
class StageExit:
    """What is known when a stage is left.

    `outputs` are its artifacts now. `earlier` maps each stage done before to its artifacts as they lie there now.
    `feedback_lines` counts the lines of its `feedback.md` that are not empty. `duration_s` is the time between the
    events of entering and leaving, in whole seconds, or None where the clocks of the two disagree. `gate` is its exit
    gate as asked, and `facts` what it was asked on. `failures` counts the evidence of this stage that did not meet its
    criterion since it was entered.
    """

    state: SprintState
    stage: StageState
    outputs: tuple[Artifact, ...]
    earlier: Mapping[str, tuple[Artifact, ...]]
    feedback_lines: int
    duration_s: int | None
    following: Stage | None
    gate: Gate
    facts: Facts
    failures: int


def summary_document(left: StageExit) -> str:
    """Return `summary.md`: a short form of each artifact, then what the gate left open. Empty sections are left out."""
    state, stage = left.state, left.stage.stage
    following = f"{left.following.id} ({left.following.role})" if left.following else "none: this was the last stage"
    parts = [
        f"# {stage.id}: summary",
        f"Sprint: {state.title} ({state.id}). Stage: {stage.id}, by the {stage.role}. Next: {following}.",
        *_contents(left),
        *_handed_over(left),
        _section("Metrics", [_metric(name, value) for name, value in metrics(left).items() if value]),
        _section("Built on", [_line(stage, one) for stage, artifacts in left.earlier.items() for one in artifacts]),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def kept_of(left: StageExit) -> Mapping[str, Json]:
    """Return what the event of the exit keeps: the numbers, and the text that goes into the next stage's prompt."""
    return {"metrics": metrics(left), "handover": handover_text(left)}


def handover_text(left: StageExit) -> str:
    """Return the sections of `summary.md` that no artifact holds, as the event keeps them; empty where there is none.

    A longer text is cut at the end of a line and says how much is left out: an event has a largest size.
    """
    text = "\n\n".join(filter(None, _handed_over(left)))
    if len(text) <= _LONGEST_HANDOVER_CHARS:
        return f"{text}\n" if text else ""
    kept = text[:_LONGEST_HANDOVER_CHARS].rpartition("\n")[0]
    more = text.count("\n") - kept.count("\n")
    return f"{kept}\n- … {more:,} more lines are left out here; `vfcc sprint report {left.state.id}` has them\n"


def _handed_over(left: StageExit) -> list[str]:
    return [
        _section("Evidence", [_verdict(each) for each in left.gate.assessments]),
        _section("Notes", [clause(note) for note in left.gate.notes]),
        _section("Approvals and waivers", list(_opinions_and_waivers(left))),
        _section("Deviations", _deviations(left)),
        _section("Open points", list(_open_points(left))),
    ]


def _contents(left: StageExit) -> Iterator[str]:
    """Each artifact under its name: its short form where it is a text, else its size."""
    name = left.stage.stage.id
    texts = {one.artifact.path: one.text for one in left.facts.artifacts.get(name, ())}
    for artifact in left.outputs:
        kind = _KINDS.get(artifact.path.rpartition(".")[2], "text")
        short = short_form(texts.get(artifact.path) or "", kind, lambda form: len(form) <= _LONGEST_CHARS)
        lines = (f"##{line}" if kind == "markdown" and _HEADING.match(line) else line for line in short.splitlines())
        yield "\n".join([f"## {artifact.path}", "", _line(name, artifact), *([""] if short else []), *lines])


def metrics_document(left: StageExit) -> str:
    """Return `metrics.json`."""
    document = {"sprint": left.state.id, "stage": left.stage.stage.id, **metrics(left)}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def metrics(left: StageExit) -> dict[str, int | None]:
    """Return the numbers of this exit, sorted by name; what each means is in docs/reference/metrics.md.

    `passes` counts this exit, and `rework` those before it. None is for what is not known.
    """
    asked = left.gate.assessments
    passed = [each for each in asked if each.verdict is Verdict.PASS]
    approvals = {name for each in passed if each.criterion.kind in PEOPLE for name in each.used}
    found = {
        "approvals": len(approvals),
        "artifact_bytes": sum(artifact.bytes for artifact in left.outputs),
        "artifacts": len(left.outputs),
        "criteria": len(asked),
        "deviations": len(_deviations(left)),
        "duration_s": left.duration_s,
        "failures": left.failures,
        "feedback_lines": left.feedback_lines,
        "findings": len(left.gate.findings),
        "passed": len(passed),
        "passes": left.stage.passes + 1,
        "reopened": left.stage.reopened,
        "rework": left.stage.passes,
        "waived": sum(each.verdict is Verdict.WAIVED for each in asked),
        **used_numbers(left.gate, left.facts.recorded),
    }
    return {name: found[name] for name in sorted(found)}


def _deviations(left: StageExit) -> tuple[str, ...]:
    return deviations(left.state, left.gate, _before(left))


def _before(left: StageExit) -> dict[str, tuple[Artifact, ...]]:
    """What earlier stages left; a stage's own artifacts may change until it is left."""
    return {name: artifacts for name, artifacts in left.earlier.items() if name != left.stage.stage.id}


def _line(stage: str, artifact: Artifact) -> str:
    return f"`{stage}/artifacts/{artifact.path}` ({artifact.bytes} bytes, {artifact.digest[:19]})"


def _verdict(each: Assessment) -> str:
    soft = ", soft" if each.criterion.mode is Mode.SOFT else ""
    used = f" ({_listed(each.used)})" if each.used and each.criterion.kind is not CriterionKind.ARTIFACT else ""
    return clause(f"{str(each.verdict).replace('_', ' ')}{soft}: `{each.criterion.id}`: {each.reason}{used}")


def _opinions_and_waivers(left: StageExit) -> Iterator[str]:
    """Each opinion and each waiver in this stage, with what is wrong with it."""
    name, facts = left.stage.stage.id, left.facts
    asked = {each.criterion.id: each for each in left.gate.assessments}
    for review in latest_words([one for one in facts.reviews if one.stage == name]):
        yield review_line(review, asked.get(review.criterion), facts.today)
    for waiver in facts.waivers:
        if waiver.stage == name:
            assessment = asked.get(waiver.criterion)
            fault = waiver_fault(waiver, assessment, name, facts) if assessment else ""
            yield waiver_line(waiver, assessment, facts.today, fault)


def _open_points(left: StageExit) -> Iterator[str]:
    name = left.stage.stage.id
    for one in concerning(name, left.state, left.facts.feedback):
        if one.decision in {Decision.OPEN, Decision.LATER}:
            later = ", for the next sprint" if one.decision is Decision.LATER else ""
            yield clause(f"{one.text} ({one.actor}{later})")
    if left.feedback_lines:
        yield f"`{name}/feedback.md` holds review comments ({left.feedback_lines} lines)"


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {line}" for line in lines)]) if lines else ""


def _metric(name: str, value: int) -> str:
    return f"{name.removesuffix('_bp')}: {percent(value)}" if name.endswith("_bp") else f"{name}: {value}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
