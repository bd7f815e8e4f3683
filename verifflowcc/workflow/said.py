"""A review or a waiver as one line, with what is wrong with it now."""

from verifflowcc.domain.actors import Review, Waiver
from verifflowcc.domain.gates import Assessment
from verifflowcc.workflow.deviations import clause
from verifflowcc.workflow.people import expired


def review_line(review: Review, assessment: Assessment | None, today: str) -> str:
    """Return who said what of which criterion, when and for how long.

    `assessment` is the criterion as it was asked; with it, the line says whether the word is on what lies there now.
    """
    word = "accepted" if review.statement else str(review.opinion)
    ends = f", until {review.expires}" if review.expires else ""
    signed = f", signed in {review.signed[:12]}" if review.signed else ""
    why = review.statement or review.reason
    told = f": {why}" if why else ""
    faults = []
    if assessment and review.subject != assessment.subject:
        faults.append("for other content than lies there now")
    if expired(review.expires, today):
        faults.append("expired")
    where = f"`{review.criterion}` " if review.criterion else ""
    return clause(f"{where}{word} by {review.actor} on {review.time[:10]}{ends}{signed}{told}") + _shown(faults)


def waiver_line(waiver: Waiver, assessment: Assessment | None, today: str, fault: str = "") -> str:
    """Return which criterion is waived by whom, why and for how long.

    `assessment` is the criterion as it was asked; with it, the line says that nothing needs the waiver. `fault` is why
    it does not hold.
    """
    ends = f"until {waiver.expires}" if waiver.expires else "without end"
    faults = []
    if assessment and assessment.met and not assessment.waiver:
        faults.append("not needed")
    elif fault:
        faults.append(fault)
    elif expired(waiver.expires, today):
        faults.append("expired")
    told = f"`{waiver.criterion}` waived by {waiver.actor} on {waiver.time[:10]}, {ends}: {waiver.reason}"
    return clause(told) + _shown(faults)


def _shown(faults: list[str]) -> str:
    return f" ({'; '.join(faults)})" if faults else ""
