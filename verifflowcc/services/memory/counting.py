"""Count what memory does, in a log that git ignores. What is counted is done all the same where that fails."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from verifflowcc.domain.ports import Clock
from verifflowcc.errors import VfccError
from verifflowcc.formats.metric_line import count_line, eval_line, prompt_line
from verifflowcc.services.memory.access import log_folder
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.domain.entries import MemoryUse

CALLS, FALLBACK = "extraction.calls", "extraction.fallback.count"
RERANK_CALLS, RERANK_SKIPPED = "rerank.calls", "rerank.skipped"
CANDIDATES, FINAL = "retrieval.candidate_count", "retrieval.final_count"
CONTRADICTION, SUPERSEDED = "contradiction.detected", "items.superseded"
MISMATCH, OVERHEAD = "scope.mismatch.filtered", "token.overhead"


def note_metrics(workspace: Workspace | None, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Add to counters, each by a number, in one line each; return notices where that cannot be done.

    Outside of a project they go to the person's own log.
    """
    at = moment(workspace)
    return note_lines(workspace, b"".join(count_line(at, metric, by) for metric, by in counts.items() if by))


def note_prompt_use(workspace: Workspace | None, use: "MemoryUse") -> tuple[str, ...]:
    """Add what memory was in a prompt, in one line; return notices where that cannot be done."""
    numbers = {
        "memory_tokens": use.tokens,
        "candidates": use.candidates,
        "final": use.final,
        "filtered": use.filtered,
        "conflicts": use.conflicts,
    }
    return note_lines(workspace, prompt_line(moment(workspace), numbers))


def note_recall(workspace: Workspace | None, k: int, recall_bp: int, questions: int) -> tuple[str, ...]:
    """Add what was measured of recall, in basis points, in one line; return notices where that cannot be done."""
    numbers = {"k": k, "recall_bp": recall_bp, "questions": questions}
    return note_lines(workspace, eval_line(moment(workspace), numbers))


def note_lines(workspace: Workspace | None, lines: bytes) -> tuple[str, ...]:
    """Add whole lines to the log; return notices where that cannot be done."""
    from verifflowcc.adapters.files.metrics import add_metrics

    if not lines:
        return ()
    try:
        folder, inside = log_folder(workspace, of_user=workspace is None)
        add_metrics(folder, inside, lines, moment(workspace)[:10])
    except VfccError as error:
        return (f"metrics are not counted: {error.message}",)
    return ()


def moment(workspace: Workspace | None) -> str:
    """Return the present as the lines of logs have it."""
    from verifflowcc.adapters.clock import SystemClock

    clock: Clock = workspace.clock if workspace else SystemClock()
    return f"{clock.now():%Y-%m-%dT%H:%M:%SZ}"
