"""How canaries are shown to a person: each criterion, what was planted, and whether it was seen."""

from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.terminal.output import folded
from verifflowcc.gates.cli.gate_output import HANG
from verifflowcc.gates.use.canary import Canaries, CanaryProof, Trial
from verifflowcc.gates.use.rerun import RED, Reproduction

# How a second run is shown to a person.


def reproduction(found: Reproduction) -> str:
    """Return one line for each piece of evidence and each word of a person, and the sum."""
    lines = []
    for row in found.rows:
        colour = "RED  " if row.found in RED else "     "
        by = f" ({row.evidence})" if row.evidence else ""
        lines.append(f"{colour}{row.stage}/{row.criterion}: {row.found}: {row.reason}{by}")
        lines += [f"       note: {note}" for note in row.notes]
        if row.step:
            lines.append(f"       → {row.step}")
    for one in found.people:
        written = f"; written by {', '.join(one.written)}" if one.written else ""
        lines.append(
            f"{'     ' if one.good else 'RED  '}{one.what} by {one.actor}{written}: {one.reason} ({one.event})"
        )
        if one.step:
            lines.append(f"       → {one.step}")
    red = sum(row.found in RED for row in found.rows) + sum(not one.good for one in found.people)
    total = len(found.rows) + len(found.people)
    lines.append(f"{found.sprint}: {red} of {total} are red" if red else f"{found.sprint}: none of {total} is red")
    return "\n".join(lines)


def proofs(proved: Canaries) -> str:
    """Return each criterion with the violations that were planted for it, and what its command did in a copy."""
    lines = [f"{proved.sprint}/{proved.stage}: a violation for each criterion, in a scratch copy"]
    for proof in proved.proofs:
        lines += _proof(proof)
    lines += [f"  off      {name}: it is never asked" for name in proved.off]
    lines += [_trial(trial) for trial in proved.trials]
    return "\n".join([*lines, _sum(proved)])


def _sum(proved: Canaries) -> str:
    bad = sum(not one.sound for one in proved.proofs) + sum(bool(one.still_met) for one in proved.trials)
    doubts = sum(not one.planted for one in proved.proofs) + sum(bool(one.doubt) for one in proved.trials)
    if bad:
        return f"{bad} cannot fail: correct the workflow, or the command"
    return f"nothing was found that cannot fail; {doubts} unknown" if doubts else "every criterion can close its gate"


def _proof(proof: CanaryProof) -> list[str]:
    if not proof.planted:
        return [f"  unknown  {proof.criterion}: no stage before has left anything that could be taken away"]
    soft = " (soft: recorded only)" if proof.mode is Mode.SOFT else ""
    lines = [f"  {'closes' if proof.sound else 'DEFECT':7}  {proof.criterion}{soft}"]
    for one in proof.planted:
        seen = f"seen: {one.reason}" if one.closed else f"NOT SEEN: {one.reason}"
        lines.append(folded(f"{'':{HANG}}{one.what}: {seen}", HANG + 2))
    return lines


def _trial(trial: Trial) -> str:
    if trial.doubt:
        return f"  unknown  the command {trial.command}: {trial.doubt}"
    if trial.still_met:
        met = ", ".join(trial.still_met)
        return f"  DEFECT   the command {trial.command}: with its inputs spoilt, {met} is still met"
    ended = "did not end" if trial.spoilt is None else f"ended with {trial.spoilt}"
    return f"  closes   the command {trial.command}: with its inputs spoilt it {ended}, and nothing is met"
