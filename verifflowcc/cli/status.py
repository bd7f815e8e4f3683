"""`vfcc status`: a board at a terminal, text elsewhere; `fast/` prints the text again while nothing has changed."""

from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag

WatchFlag = Annotated[
    bool, typer.Option("--watch", help="Draw the board again whenever .memory/ changes, until Ctrl-C.")
]


def status(watch: WatchFlag = False, as_json: JsonFlag = False) -> None:
    """Show the open sprints, their stages, and the next step.

    At a terminal it is a board: the V, what blocks the active stage, evidence, memory to review, and recent agents.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.terminal import wants_color
    from verifflowcc.services.status import remember_status
    from verifflowcc.services.workspace import open_workspace

    if watch:
        from verifflowcc.cli.board_watch import watch_board

        watch_board(open_workspace(), as_json=as_json)
    elif not as_json and wants_color():
        from verifflowcc.cli.board_views import show_board

        show_board()
    else:
        shown = remember_status(open_workspace())
        out.emit_json(shown.status) if as_json else out.emit(shown.text)
