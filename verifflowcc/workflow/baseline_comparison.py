"""Evidence without the old faults that a baseline lists, as far as the baseline counts."""

from collections.abc import Iterator

from verifflowcc.domain.baselines import Baseline, BaselineStatus
from verifflowcc.domain.evidence import Evidence
from verifflowcc.records import dataclass, replace

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
