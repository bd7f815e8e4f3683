"""What the views of the trace are made from: everything that a check looks at, and what it says, in one reading."""

from collections.abc import Sequence

from verifflowcc.domain.trace import TraceReport
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.trace_sources import read_sources
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.check import check_view
from verifflowcc.trace.view import TraceView

MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class TraceSeen:
    """The trace as it is now, the report of a check of it, and what could not be read, in sentences."""

    view: TraceView
    report: TraceReport
    notices: tuple[str, ...] = ()


def see_trace(workspace: Workspace, junit: Sequence[str] = ()) -> TraceSeen:
    """Read the trace and check it; `junit` are reports of results beside those of the configuration.

    Nothing is written but the index. Raises VfccError (exit 3) where there is no item that counts, and the errors of
    `read_sources`.
    """
    read = read_sources(workspace, junit=junit)
    view = TraceView(read.sources, read.policy)
    unread = unread_files(view)
    if not view.live:
        told = f": {'; '.join(unread)}" if unread else ""
        raise VfccError(
            f"there is no trace item to look at{told}",
            hint="vfcc check trace" if unread else 'vfcc trace add need "What is needed"',
        )
    return TraceSeen(view, check_view(view), (*read.notices, *unread, *_unread_reports(view)))


def _unread_reports(view: TraceView) -> tuple[str, ...]:
    return tuple(
        f"{name} cannot be read as a report of results: {report.problem}"
        for name, report in sorted(view.reports.items())
        if report.problem
    )


def unread_files(view: TraceView) -> tuple[str, ...]:
    """Say which files are left out because they cannot be read; nothing that is shown counts them."""
    lines = [f"{path}:{reason}" for path, reason in sorted(view.sources.unreadable.items())]
    more = len(lines) - MOST_TOLD
    return (*lines[:MOST_TOLD], *([f"and {more} more files cannot be read: vfcc check trace"] if more > 0 else ()))
