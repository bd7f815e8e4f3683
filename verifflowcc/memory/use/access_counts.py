"""Note that items were used, in a log that git ignores: a read changes no item."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import VfccError
from verifflowcc.base.files.private_files import USER, user_home
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.metric_lines import PromptLine, RecallLine, count_line, metric_lines

if TYPE_CHECKING:
    from verifflowcc.base.model.entries import MemoryUse
    from verifflowcc.base.model.ports import Clock


PROJECT = "project"


def note_uses(workspace: Workspace | None, ids_by_scope: Mapping[str, Sequence[str]], by: str) -> tuple[str, ...]:
    """Note one use of each item; `by` is what used it (`context`, `show`). Return notices where that cannot be done.

    `ids_by_scope` has the items' ids by their scope. Uses of a task's items are not noted: they end with it. Outside of
    a project, only those of user items are. `vfcc memory maintain` merges the log into the items.
    """
    notices: list[str] = []
    for of_user in (True, False):
        wanted = {
            scope: tuple(dict.fromkeys(ids))
            for scope, ids in ids_by_scope.items()
            if ids and not scope.startswith("task/") and (scope == USER) is of_user
        }
        if wanted and (of_user or workspace is not None):
            notices += _noted(workspace, wanted, by, of_user=of_user)
    return tuple(notices)


def log_folder(workspace: Workspace | None, *, of_user: bool) -> tuple[Path, Path]:
    """Return the folder of a log, and the folder that it must not leave. Raises WorkspaceError where there is no home.

    Outside of a project there is the user's log alone.
    """
    if of_user or workspace is None:
        home = user_home()
        return home / USER / "local", home
    return workspace.local, workspace.memory


def _noted(workspace: Workspace | None, wanted: Mapping[str, Sequence[str]], by: str, *, of_user: bool) -> list[str]:
    from verifflowcc.memory.rules.access_lines import access_line
    from verifflowcc.memory.store.access_log import append_lines

    clock: Clock = workspace.clock if workspace else SystemClock()
    at = f"{clock.now():%Y-%m-%dT%H:%M:%SZ}"
    try:
        folder, inside = log_folder(workspace, of_user=of_user)
        append_lines(folder, inside, b"".join(access_line(at, by, scope, wanted[scope]) for scope in sorted(wanted)))
    except VfccError as error:
        return [f"uses are not counted: {error.message}"]
    return []


# Count what memory does, in a log that git ignores. What is counted is done all the same where that fails.

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
    at = moment(workspace)
    line = PromptLine(at, use.tokens, use.candidates, use.final, use.filtered, use.conflicts)
    return note_lines(workspace, metric_lines([line]))


def note_recall(workspace: Workspace | None, k: int, recall_bp: int, questions: int) -> tuple[str, ...]:
    """Add what was measured of recall, in basis points, in one line; return notices where that cannot be done."""
    return note_lines(workspace, metric_lines([RecallLine(moment(workspace), k, recall_bp, questions)]))


def note_lines(workspace: Workspace | None, lines: bytes) -> tuple[str, ...]:
    """Add whole lines to the log; return notices where that cannot be done."""
    from verifflowcc.memory.store.access_log import add_metrics

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

    clock: Clock = workspace.clock if workspace else SystemClock()
    return f"{clock.now():%Y-%m-%dT%H:%M:%SZ}"
