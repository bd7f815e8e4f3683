"""How a measurement of recall is shown: questions, worst first, with the ranks of their answers, then the numbers."""

from verifflowcc.base.terminal.output import folded
from verifflowcc.base.terminal.table import table
from verifflowcc.memory.use.recall_evaluating import Evaluation, ExpectedAnswer

MISSED = "missed"


def evaluation_page(found: Evaluation) -> list[str]:
    """Return the lines of an evaluation."""
    rows = [
        (", ".join(map(_rank, each.answers)), each.question, ", ".join(map(_named, each.answers)))
        for each in found.asked
    ]
    questions = f"{len(rows):,} {'question' if len(rows) == 1 else 'questions'}"
    measured = "; ".join(f"recall@{each.k} {share(each.recall_bp)}" for each in found.recall)
    lines = [table(("rank", "question", "expected"), rows), ""]
    lines.append(folded(f"{questions}: {measured}; mean reciprocal rank {share(found.reciprocal_rank_bp)}", 2))
    if any(answer.rank is None for each in found.asked for answer in each.answers):
        lines.append(folded(f"{MISSED}: not among the best {found.looked}", 2))
    return lines


def below(found: Evaluation) -> str:
    """Return the sentence on recall that is not enough."""
    of = found.measured
    return f"recall@{of.k} is {share(of.recall_bp)}, below {share(found.least_bp or 0)}"


def share(basis_points: int) -> str:
    """Return a share as a number from 0 to 1.

    >>> share(8333), share(9000)
    ('0.8333', '0.9')
    """
    return f"{basis_points / 10_000:g}"


def _rank(answer: ExpectedAnswer) -> str:
    return MISSED if answer.rank is None else str(answer.rank)


def _named(answer: ExpectedAnswer) -> str:
    return f"{answer.name} ({answer.invalid_reason})" if answer.invalid_reason else answer.name
