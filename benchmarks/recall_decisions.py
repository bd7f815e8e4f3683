"""Questions of somebody new about a team's decision records, through what `vfcc memory eval` does.

The records are the decisions of an empty project; the questions and the files that answer them are
`docs/examples/eval-decisions.yaml`. Recall at k is the share of the expected files among the best k.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.recall_locomo import at_home
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.ingested_turns import read_labelled_file
from verifflowcc.memory.use.recall_evaluating import evaluate

QUESTIONS = Path(__file__).parents[1] / "docs" / "examples" / "eval-decisions.yaml"
RECORDS = "architecture-decision-record"
DEPTHS = (1, 3, 5)
MEASURED_AT, TARGET = 3, 90.0


@dataclass(frozen=True)
class Measured:
    """Recall in percent at each depth, the mean reciprocal rank, and what was not among the best."""

    records: int
    questions: int
    recall: dict[str, float]
    mean_reciprocal_rank: float
    missed: tuple[str, ...]


def measured(data: Path, questions: Path = QUESTIONS) -> Measured:
    """Ask the questions of a file about the records in a folder."""
    with tempfile.TemporaryDirectory() as scratch, at_home(Path(scratch)):
        root = Path(scratch) / "project"
        decisions = root / ".memory" / "project" / "decisions"
        shutil.copytree(data / RECORDS if (data / RECORDS).is_dir() else data, decisions)
        (root / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")
        queries = read_labelled_file(questions, questions.name)
        found = evaluate(
            Workspace(root), queries, lambda _: ("project",), file=questions.name, ks=DEPTHS, at=MEASURED_AT
        )
    missed = [
        f"{asked.question} {answer.name}: {f'rank {answer.rank}' if answer.rank else f'not in {found.depth}'}"
        for asked in found.questions
        for answer in asked.answers
        if answer.rank is None or answer.rank > MEASURED_AT
    ]
    return Measured(
        len(list(decisions_of(data))),
        len(found.questions),
        {f"at {each.k}": each.recall / 100 for each in found.recall},
        found.reciprocal_rank / 10_000,
        tuple(missed),
    )


def decisions_of(data: Path) -> Iterator[Path]:
    """Yield the records in a folder."""
    folder = data / RECORDS
    yield from (folder if folder.is_dir() else data).glob("*.md")


def shown(found: Measured) -> Iterator[str]:
    """Yield the lines of a readable table."""
    yield f"decisions: {found.questions} questions about {found.records} records"
    yield "recall in percent: " + ", ".join(f"{value:.1f} {name}" for name, value in found.recall.items())
    yield f"mean reciprocal rank: {found.mean_reciprocal_rank:.3f}"
    at = found.recall[f"at {MEASURED_AT}"]
    yield f"target: at {MEASURED_AT} at least {TARGET}: {at:.1f} ({'met' if at >= TARGET else 'MISSED'})"
    yield from (f"    not among {MEASURED_AT}: {each}" for each in found.missed)


def as_plain(found: Measured) -> dict[str, object]:
    """Return the figures as JSON holds them."""
    return asdict(found)
