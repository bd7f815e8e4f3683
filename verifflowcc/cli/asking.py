"""Ask a person at the terminal whether they mean it, and show what was then recorded."""

from collections.abc import Sequence

from verifflowcc.adapters.clock import terminal_in_use
from verifflowcc.cli import output as out
from verifflowcc.services.transitions import Transition
from verifflowcc.services.workspace import Workspace

MOST_LINES = 40


def confirm(shown: Sequence[str], question: str, *, yes: bool) -> None:
    """Show what it is about, on stderr, and ask; return only on a yes. `yes` answers the question beforehand.

    Raises typer.Abort on any other answer, with nothing recorded.
    """
    import typer

    out.say("\n".join(shown))
    if not yes:
        with terminal_in_use():
            typer.confirm(question, default=False, abort=True, err=True)


def listed(lines: Sequence[str]) -> list[str]:
    """Return the first of many lines, and how many more there are."""
    return [*lines] if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more"]


def show_note(value: object, done: Transition, lines: Sequence[str], workspace: Workspace, *, as_json: bool) -> None:
    """Print what was recorded: `value` as JSON, or `lines` and what commits it to git."""
    from verifflowcc.cli import moves
    from verifflowcc.services.status import remember_status

    remember_status(workspace)
    for warning in done.warnings:
        out.warn(warning)
    if as_json:
        out.emit_json(value)
        return
    for line in lines:
        out.emit(line)
    moves.show_commit(done, workspace)
