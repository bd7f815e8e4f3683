"""How a gate is shown to a person: every criterion, what shows it, and the way on."""

from collections.abc import Iterator, Mapping

from verifflowcc.base.model.gate_values import Assessment, Gate, Side, Verdict
from verifflowcc.base.model.sprint_state import with_gaps
from verifflowcc.base.terminal.output import folded, shortened
from verifflowcc.base.terminal.terminal import painted, wants_color
from verifflowcc.base.text.identifiers import shown_ids
from verifflowcc.gates.use.gates_now import StageGates
from verifflowcc.sprint.rules.sprint_people import in_sprint

_COMMENT = "  # "
"""Begins what a step says beside its command."""
HANG = 11
"""The column in which a criterion begins, behind its verdict."""
_WORDS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "FAIL",
    Verdict.NOT_EVALUABLE: "NOTHING",
    Verdict.WAIVED: "waived",
}
"""`NOTHING` shouts as loud as `FAIL`: there was nothing to evaluate, and that blocks."""


def both(asked: StageGates, command: str, *, full: bool = False) -> str:
    """Return a stage's gates and the next command."""
    parts = [one_gate(gate, full=full) for gate in asked.gates if gate.assessments]
    parts.append(following(command))
    return "\n\n".join(parts)


def short(asked: StageGates, command: str, most: int) -> str:
    """Return a stage's gates with at most so many of the criteria that are not met, and the next command.

    The next command is left out where a criterion's step is the same.
    """
    lines, steps, left, hidden = list[str](), set[str](), most, 0
    for gate in asked.gates:
        if gate.assessments:
            unmet = sorted(
                (each for each in gate.assessments if not each.met), key=lambda one: one not in gate.blockers
            )
            lines += [head(gate), *(line for each in unmet[:left] for line in _brief(each))]
            steps.update(each.step for each in unmet[:left])
            hidden, left = hidden + len(unmet[left:]), max(0, left - len(unmet))
    if hidden:
        lines.append(f"  and {hidden} more: {in_sprint('vfcc check gate', asked.sprint.id)}")
    if command not in steps:
        lines.append(following(command))
    return "\n".join(lines)


def one_gate(gate: Gate, *, full: bool = False) -> str:
    """Return a gate with all its criteria, and with whole ids where they are to be `full`."""
    if wants_color():
        from verifflowcc.base.terminal.gate_panels import gate_panel

        return gate_panel(gate, full=full)
    notes = [folded(f"  note: {note}", HANG) for note in gate.notes]
    ids = shown_ids((name for each in gate.assessments for name in each.used), full=full)
    return "\n".join([head(gate), *(line for each in gate.assessments for line in _lines(each, ids)), *notes])


def following(command: str) -> str:
    """Return the line that names the next command."""
    return folded(f"next: {command}", len("next: "))


def head(gate: Gate) -> str:
    """Return the line that says whether a gate is open."""
    what = f"{gate.sprint}/{gate.stage}"
    verb = "leave" if gate.side is Side.EXIT else "enter"
    if gate.is_open:
        gaps = with_gaps(len(gate.findings))
        return f"{what}: the gate to {verb} it is open{gaps} ({len(gate.assessments)} criteria)"
    return f"{what}: the gate to {verb} it is closed ({len(gate.blockers)} of {len(gate.assessments)} block)"


def _brief(each: Assessment) -> Iterator[str]:
    """Yield a criterion that is not met in few lines: why, and the next step."""
    word = _WORDS[each.verdict]
    line = folded(f"  {word:7}  {each.criterion.id} ({each.criterion.mode}): {shortened(each.reason)}", HANG)
    yield line.replace(word, painted(word, "bad" if each.blocks else "warn"), 1)
    if each.step:
        yield painted(folded(f"{'':{HANG}}→ {each.step.partition(_COMMENT)[0]}", HANG + 2), "accent")


def _lines(each: Assessment, ids: Mapping[str, str]) -> list[str]:
    mode = "" if each.met else f" ({each.criterion.mode})"
    lines = [folded(f"  {_WORDS[each.verdict]:7}  {each.criterion.id}{mode}: {each.reason}", HANG + 2)]
    lines += [folded(f"{'':{HANG}}note: {note}", HANG + 2) for note in each.notes]
    if each.used and each.verdict is not Verdict.NOT_EVALUABLE:
        lines.append(folded(f"{'':{HANG}}by: {', '.join(ids[name] for name in each.used)}", HANG + 2))
    if each.step and not each.met:
        lines.append(folded(f"{'':{HANG}}→ {each.step}", HANG + 2))
    return lines
