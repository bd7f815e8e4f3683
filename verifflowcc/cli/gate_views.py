"""How a gate is shown to a person: every criterion, what shows it, and the way on."""

from verifflowcc.domain.gates import Assessment, Gate, Mode, Side, Verdict
from verifflowcc.services.canary import Canaries, Proof
from verifflowcc.services.gates import StageGates, way_on
from verifflowcc.services.scratch import Trial

_WORDS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "FAIL",
    Verdict.NOT_EVALUABLE: "NOTHING",
    Verdict.WAIVED: "waived",
}
"""`NOTHING` shouts as loud as `FAIL`: there was nothing to evaluate, and that blocks."""


def both(asked: StageGates) -> str:
    """Return a stage's gates and the next command."""
    parts = [one_gate(gate) for gate in asked.gates if gate.assessments]
    parts.append(f"next: {way_on(asked)}")
    return "\n\n".join(parts)


def one_gate(gate: Gate) -> str:
    """Return a gate with all its criteria."""
    what = f"{gate.sprint}/{gate.stage}"
    verb = "leave" if gate.side is Side.EXIT else "enter"
    if gate.is_open:
        more = f", {len(gate.findings)} on record" if gate.findings else ""
        head = f"{what}: the gate to {verb} it is open ({len(gate.assessments)} criteria{more})"
    else:
        head = f"{what}: the gate to {verb} it is closed ({len(gate.blockers)} of {len(gate.assessments)} block)"
    return "\n".join([head, *(line for each in gate.assessments for line in _lines(each))])


def _lines(each: Assessment) -> list[str]:
    mode = "" if each.met else f" ({each.criterion.mode})"
    lines = [f"  {_WORDS[each.verdict]:7}  {each.criterion.id}{mode}: {each.reason}"]
    lines += [f"           note: {note}" for note in each.notes]
    if each.used and each.verdict is not Verdict.NOT_EVALUABLE:
        lines.append(f"           by: {', '.join(each.used)}")
    if each.step and not each.met:
        lines.append(f"           → {each.step}")
    return lines


def proofs(proved: Canaries) -> str:
    """Return each criterion with the violations that were planted for it, and what its command did in a copy."""
    lines = [f"{proved.sprint}/{proved.stage}: a violation for each criterion, in a scratch copy"]
    for proof in proved.proofs:
        lines += _proof(proof)
    lines += [_trial(trial) for trial in proved.trials]
    bad = sum(not one.sound for one in proved.proofs) + sum(bool(one.still_met) for one in proved.trials)
    lines.append("every criterion can close its gate" if proved.sound else f"{bad} cannot fail: correct the workflow")
    return "\n".join(lines)


def _proof(proof: Proof) -> list[str]:
    soft = " (soft: goes on record)" if proof.mode is Mode.SOFT else ""
    lines = [f"  {'closes' if proof.sound else 'DEFECT':7}  {proof.criterion}{soft}"]
    for one in proof.planted:
        seen = f"seen: {one.said}" if one.closed else f"NOT SEEN: {one.said}"
        lines.append(f"           {one.what}: {seen}")
    return lines


def _trial(trial: Trial) -> str:
    if trial.doubt:
        return f"  unknown  the command {trial.command}: {trial.doubt}"
    if trial.still_met:
        met = ", ".join(trial.still_met)
        return f"  DEFECT   the command {trial.command}: with its inputs spoilt, {met} is still met"
    ended = "did not end" if trial.spoilt is None else f"ended with {trial.spoilt}"
    return f"  closes   the command {trial.command}: with its inputs spoilt it {ended}"
