"""`vfcc status`: a board at a terminal, text elsewhere; `fast/` prints the text again while nothing has changed."""

from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag

UNSOUND = 1
WatchFlag = Annotated[
    bool, typer.Option("--watch", help="Draw the board again whenever .memory/ changes, until Ctrl-C.")
]
LineFlag = Annotated[bool, typer.Option("--line", help="One line: sprint, stage, gate, evidence.")]


def status(watch: WatchFlag = False, line: LineFlag = False, as_json: JsonFlag = False) -> None:
    """Show the open sprints, their stages, and the next step.

    At a terminal it is a board: the V, what blocks the active stage, evidence, memory to review, and recent agents.
    Exits with 1 where a ledger is damaged.
    """
    from verifflowcc.cli import output as document
    from verifflowcc.cli import output as out
    from verifflowcc.cli.terminal import wants_color
    from verifflowcc.services.documents.envelope import Problem
    from verifflowcc.services.status import remember_status
    from verifflowcc.services.workspace import open_workspace

    if line and not as_json:
        from verifflowcc.services.status_line import status_line
        from verifflowcc.text.invisible import printable

        out.emit(printable(status_line(open_workspace())))
        return
    if watch:
        from verifflowcc.cli.board_watch import watch_board

        watch_board(open_workspace(), as_json=as_json)
        return
    shown = remember_status(open_workspace())
    if as_json:
        out.emit_json(shown.status)
    elif wants_color():
        from verifflowcc.cli.board_views import show_board

        show_board()
    else:
        out.emit(shown.text)
    if broken := shown.status.damaged:
        problem = f"the ledger of {', '.join(broken)} is damaged"
        document.explain(Problem("ledger_unsound", problem, f"vfcc sprint show {broken[0]}"))
        raise typer.Exit(UNSOUND)
