"""Read the trace for a command that shows it, and say what could not be read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifflowcc.services.trace_seeing import TraceSeen


def see(junit: Sequence[str] | None) -> "TraceSeen":
    """Return the trace of the project here, with each notice told as a warning."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_seeing import see_trace
    from verifflowcc.services.workspace import open_workspace

    seen = see_trace(open_workspace(), junit or ())
    for notice in seen.notices:
        out.warn(notice)
    return seen
