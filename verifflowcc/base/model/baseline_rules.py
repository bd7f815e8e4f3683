"""Which baseline counts in a sprint: one rule for tests, lint and trace."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.model.baselines import (
    FAILED,
    NO_BASELINE,
    OF_KIND,
    PASSED,
    Baseline,
    BaselineAct,
    BaselineEntry,
    BaselineStatus,
)
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts, RuleChange
from verifflowcc.base.model.gate_values import BaselineKind, Criterion
from verifflowcc.base.model.people import is_named_person
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.model.trace_values import EarlierFindings, Family, Finding, TraceReport
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.record_codec import record_to_json

# Files of baselines: JSON with sorted keys, one line for each key, so that a person can read and compare them.

FORMAT = 1
KIND = "baseline"
_TEXTS = ("base", "by", "reason", "expires")


def baseline_text(baseline: Baseline) -> str:
    """Return the content of a baseline's file, the same for the same baseline."""
    document = {
        "format": FORMAT,
        "kind": KIND,
        "of": str(baseline.kind),
        "base": baseline.base,
        "by": baseline.by,
        "reason": baseline.reason,
        "expires": baseline.expires,
        "runs": baseline.runs,
        "exit_codes": {name: list(codes) for name, codes in baseline.exit_codes.items()},
        "entries": [record_to_json(each) for each in sorted(baseline.entries)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def read_baseline_file(data: bytes, kind: BaselineKind) -> Baseline:
    """Return the baseline in a file's bytes. Raises FormatError, beginning with the path, where it is none."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _fault(kind, "it is not JSON", getattr(error, "lineno", 1)) from error
    if not isinstance(document, dict) or document.get("kind") != KIND or document.get("of") != str(kind):
        raise _fault(kind, f'it is no baseline of "{kind}"')
    given = document.get("format")
    if given != FORMAT:
        if isinstance(given, int) and given > FORMAT:
            reason = f"format {given} is newer than this vfcc reads ({FORMAT})"
            raise FormatError(f"{kind.path}:1: {reason}", hint="pip install --upgrade verifflowcc")
        raise _fault(kind, f"its format is not {FORMAT}")
    try:
        texts = {name: _text(document[name]) for name in _TEXTS}
        codes = {_text(name): tuple(map(_number, each)) for name, each in document["exit_codes"].items()}
        entries = tuple(sorted(map(_entry, document["entries"])))
        return Baseline(kind, **texts, entries=entries, runs=_number(document["runs"]), exit_codes=codes)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _fault(kind, "a key is missing, or has a value of another type") from error


def _entry(record: object) -> BaselineEntry:
    if not isinstance(record, dict):
        raise TypeError
    seen = tuple(record["seen"])
    if not seen or not set(seen) <= {FAILED, PASSED} or FAILED not in seen:
        raise ValueError
    texts = (_text(record["command"]), _text(record["name"]))
    return BaselineEntry(*texts, seen, _number(record["count"]), _text(record["text"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _fault(kind: BaselineKind, reason: str, line: int = 1) -> FormatError:
    return FormatError(f"{kind.path}:{line}: {reason}", hint=f"vfcc baseline {kind} --help")


# Evidence without the old faults that a baseline lists, as far as the baseline counts.

_LISTED = "listed_"
_MARK = "baseline "
_MENDED = "baseline passed: "
_NOT_FAULTS = frozenset({"passed", "new_error", "new_warning", "new_note"})
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The evidence as it is to be judged, the number of its faults that a baseline lists, and whether that counts."""

    evidence: Evidence
    listed: int = 0
    status: BaselineStatus = BaselineStatus()

    def clause(self, *, passed: bool) -> str:
        """Return what the baseline adds to the reason of a verdict; "" where it lists no fault of this evidence."""
        baseline = self.status.baseline
        if not self.listed:
            return ""
        if not self.status.holds or baseline is None:
            return "" if passed else f"; the baseline does not count: {self.status.problem or 'it is gone'}"
        return f"; {self.listed} old fault{'' if self.listed == 1 else 's'} {baseline.acceptance}"


def compare_baseline(evidence: Evidence, status: BaselineStatus) -> BaselineComparison:
    """Return the evidence as a gate judges it.

    The exit code of a run whose faults are all old is no fault where the base content ended with the same.
    """
    listed = {
        name.removeprefix(_LISTED): number for name, number in evidence.measures.items() if name.startswith(_LISTED)
    }
    old = sum(number for name, number in listed.items() if name not in _NOT_FAULTS)
    if not old:
        return BaselineComparison(evidence)
    if not status.holds or status.baseline is None:
        examples = tuple(each.removeprefix(_MARK) for each in evidence.examples)
        return BaselineComparison(replace(evidence, examples=examples), old, status)
    left = {name: number - listed.get(name, 0) for name, number in evidence.measures.items() if name != "passed"}
    measures = {**left, "passed": evidence.measures.get("passed", 0), "listed": old}
    return BaselineComparison(_without_exit_code(replace(evidence, measures=measures), status.baseline), old, status)


def baseline_notes(evidence: Evidence, status: BaselineStatus) -> Iterator[str]:
    """Yield the tests of a baseline that pass now, which a person should take out of it."""
    mended = evidence.measures.get(f"{_LISTED}passed", 0)
    if mended and status.holds:
        names = [each.removeprefix(_MENDED) for each in evidence.examples if each.startswith(_MENDED)][:_SHOWN]
        more = f" and {mended - len(names)} more" if mended > len(names) else ""
        passes = "test of the baseline passes" if mended == 1 else "tests of the baseline pass"
        yield f"{mended} {passes} now ({', '.join(names)}{more}): vfcc baseline tests --prune"


def _without_exit_code(evidence: Evidence, baseline: Baseline) -> Evidence:
    run = evidence.run
    if run is None or run.exit_code not in baseline.exit_codes.get(run.command, ()):
        return evidence
    return replace(evidence, run=replace(run, exit_code=0))


def baseline_payload(baseline: Baseline, digest: str, email: str) -> Mapping[str, Json]:
    """Return the payload of `baseline_set`; `digest` is that of the baseline's file."""
    return {
        "of": str(baseline.kind),
        "path": baseline.kind.path,
        "digest": digest,
        "base": baseline.base,
        "entries": len(baseline.entries),
        "reason": baseline.reason,
        "expires": baseline.expires,
        **({"email": email} if email else {}),
    }


def baseline_acts(notes: Sequence[Event]) -> tuple[BaselineAct, ...]:
    """Return who made which baseline in a sprint, in the order of its events."""
    return tuple(
        BaselineAct(
            kind=BaselineKind(fields.text(event.payload, "of")),
            digest=fields.text(event.payload, "digest"),
            base=fields.text(event.payload, "base"),
            actor=event.actor,
            expires=fields.text(event.payload, "expires"),
            reason=fields.text(event.payload, "reason"),
            entries=fields.number(event.payload, "entries"),
            day=event.time[:10],
        )
        for event in notes
        if event.type is EventType.BASELINE_SET
    )


def expiry_problem(baseline: Baseline, today: str) -> str:
    """Return why a baseline is over; "" while it is not."""
    return f"it ended on {baseline.expires}" if baseline.expires < today else ""


def baseline_problem(baseline: Baseline, digest: str, state: SprintState, today: str) -> str:
    """Return why a baseline does not count in a sprint, as a clause; "" where it counts.

    `digest` is that of its file. It counts until its last day, in the sprint on whose base it was made, exactly as a
    person made it, and in no strict workflow.
    """
    if state.workflow and state.workflow.strict:
        return f"the workflow {state.workflow.name} is strict and accepts none"
    if baseline.base != state.base:
        return f"it was made on {baseline.base[:7]}, and {state.id} began at {(state.base or 'no commit')[:7]}"
    act = _last_act(baseline.kind, state)
    if act is None or act.digest != digest:
        return "its file is not as a person made it"
    if not is_named_person(act.actor):
        return f"it was made by {act.actor}, and not by a person"
    return expiry_problem(baseline, today)


def is_act_of_person(change: RuleChange, state: SprintState) -> bool:
    """Whether a changed protected file is a baseline, exactly as a person made it in the sprint."""
    kind = next((each for each in BaselineKind if each.path == change.path), None)
    act = _last_act(kind, state) if kind else None
    return act is not None and act.digest == change.digest and is_named_person(act.actor)


def _last_act(kind: BaselineKind, state: SprintState) -> BaselineAct | None:
    return next((each for each in reversed(baseline_acts(state.notes)) if each.kind is kind), None)


def baseline_for(criterion: Criterion, facts: Facts) -> BaselineStatus:
    """Return the baseline that a criterion is compared with."""
    kind = OF_KIND.get(criterion.kind)
    return facts.baselines.get(kind, NO_BASELINE) if kind else NO_BASELINE


def baseline_step(kind: BaselineKind) -> str:
    """Return the command with which a person makes a baseline."""
    return f'vfcc baseline {kind} --reason "…" --expires DAY'


# A report narrowed to what concerns its reader: findings that are new, in what changed.

_OF_THE_WHOLE = frozenset({Family.RESULTS, Family.PROCESS})
"""Families whose findings about no item speak of the whole project, whatever changed."""


def narrow(report: TraceReport, known: Iterable[str] = (), changed: Collection[str] | None = None) -> TraceReport:
    """Return the report without known findings, and those outside of changed paths.

    `known` are keys of findings; findings outside of the paths that changed are left out.

    Known ones are kept in `known`; a key of which there is nothing any more, in any file, is in `fixed`. A finding is
    inside where its own file changed or one that it is about, too (`Finding.also`); `outside` counts the others. With
    None nothing is outside. A check's `found` is what is left of it.
    """
    keys, paths = set(known), frozenset(changed or ())
    new = [each for each in report.findings if each.key not in keys]
    old = [each for each in report.findings if each.key in keys]
    inside = new if changed is None else [each for each in new if _inside(each, paths)]
    found = Counter(each.code for each in inside)
    fixed = keys.difference(each.key for each in (*report.findings, *report.known))
    return replace(
        report,
        findings=tuple(inside),
        checks=tuple(replace(each, found=found[each.code]) for each in report.checks),
        known=(*report.known, *old),
        fixed=tuple(sorted({*report.fixed, *fixed})),
        outside_changes=report.outside_changes + len(new) - len(inside),
    )


def only_new(report: TraceReport, earlier: EarlierFindings | None) -> TraceReport:
    """Return the report without earlier findings; those become `known`."""
    return report if earlier is None else replace(narrow(report, known=earlier.keys), fixed=report.fixed)


def _inside(finding: Finding, changed: frozenset[str]) -> bool:
    if finding.path in changed or any(path in changed for path in finding.also):
        return True
    return not finding.item and finding.family in _OF_THE_WHOLE
