"""What did not go as the workflow has it, up to the exit of a stage; one clause each."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.domain.gates import Gate, Mode, Verdict
from verifflowcc.domain.sprints import DONE, Artifact, SprintState, StageState, StageStatus, drifted

Outputs = Mapping[str, tuple[Artifact, ...]]
LONGEST = 400
"""Characters of a reason that are shown: it may quote somebody's test."""


def deviations(state: SprintState, gate: Gate, present: Outputs) -> tuple[str, ...]:
    """Return what deviates when a stage is left: in the sprint so far, then in its `gate`.

    `present` maps each stage whose artifacts are to be as they were to those that lie there now.
    """
    return (*deviations_in_sprint(state, present), *_in_gate(gate))


def deviations_in_sprint(state: SprintState, present: Outputs) -> Iterator[str]:
    """Yield stages reopened and skipped, artifacts changed since their stage passed, sides of forks set aside."""
    for each in state.stages:
        name = each.stage.id
        if each.reopened:
            yield f"{name} was reopened {times(each.reopened)}"
        if each.status is StageStatus.SKIPPED or (each.status in DONE and not each.passes):
            yield skipped(each)
        if name in present and each.status in {*DONE, StageStatus.STALE}:
            yield from _changes(name, each.artifacts, present[name])
    for move in state.aside:
        why = f": {move.reason}" if move.reason else ""
        yield clause(f"{move.actor} {move.does}, which {move.decided_by} set aside{why}")


def clause(text: str) -> str:
    """Return a text as one line of bounded length.

    >>> clause("two\\nlines")
    'two lines'
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def times(count: int) -> str:
    """Return how often: `once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"


def skipped(stage: StageState) -> str:
    """Return that a stage was skipped, by whom, until when and why, as far as that is on record."""
    skip = stage.skip
    if skip is None:
        return f"{stage.stage.id} was skipped"
    ends = f", until {skip.expires}" if skip.expires else ""
    return clause(f"{stage.stage.id} was skipped by {skip.actor}{ends}: {skip.reason}")


def _changes(stage: str, passed: Sequence[Artifact], present: Sequence[Artifact]) -> Iterator[str]:
    for path, gone in drifted(passed, present):
        yield f"{stage}/{path} {'is gone since' if gone else 'changed after'} {stage} passed"


def _in_gate(gate: Gate) -> Iterator[str]:
    for each in gate.assessments:
        name = each.criterion.id
        if not each.met:
            soft = " (soft)" if each.criterion.mode is Mode.SOFT else ""
            yield clause(f"{name}{soft} is not met: {each.reason}")
        elif each.verdict is Verdict.WAIVED:
            yield clause(f"{name} is not met and waived: {each.reason}")
        for note in each.notes:
            yield clause(f"{name}: {note}")
