"""`vfcc status`, the full form; `fast/` answers from its snapshot while nothing has moved."""

from verifflowcc.cli.options import JsonFlag


def status(as_json: JsonFlag = False) -> None:
    """Show the open sprints, their stages, and the next step."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.status import remember_status
    from verifflowcc.services.workspace import open_workspace

    shown = remember_status(open_workspace())
    out.emit_json(shown.status) if as_json else out.emit(shown.text)
