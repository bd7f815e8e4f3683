"""How canaries are shown to a person: each criterion, what was planted, and whether it was seen."""

from verifflowcc.cli.gate_views import HANG
from verifflowcc.cli.output import folded
from verifflowcc.domain.gates import Mode
from verifflowcc.services.canary import Canaries, Proof
from verifflowcc.services.scratch import Trial


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


def _proof(proof: Proof) -> list[str]:
    if not proof.planted:
        return [f"  unknown  {proof.criterion}: no stage before has left anything that could be taken away"]
    soft = " (soft: recorded only)" if proof.mode is Mode.SOFT else ""
    lines = [f"  {'closes' if proof.sound else 'DEFECT':7}  {proof.criterion}{soft}"]
    for one in proof.planted:
        seen = f"seen: {one.said}" if one.closed else f"NOT SEEN: {one.said}"
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
