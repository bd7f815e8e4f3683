"""`vfcc window`: what an agent's model is shown, kept within a limit."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import FullFlag, JsonFlag, StdinFlag

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace


app = typer.Typer(help="Keep what an agent's model is shown within a limit.", no_args_is_help=True)

SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The window's session (default: the one written last).")
]


@app.command()
def show(session: SessionOption = None, as_json: JsonFlag = False) -> None:
    """Show what a window holds, and how relevant each item is now."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.history.cli.window_output import page
    from verifflowcc.history.use.window_use import show_window

    shown = show_window(_here(), session)
    out.emit_json(shown) if as_json else out.emit(page(shown))


@app.command()
def add(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Text of the item.")] = None,
    type_: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="user_message, assistant_response, tool_result, code_snippet, task_state, graph_query or "
            "system_prompt.",
        ),
    ] = "user_message",
    task: Annotated[
        str | None, typer.Option("--task", metavar="ID", help="Its task, the window's current one from then on.")
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="The tool whose result it is.")] = None,
    file: Annotated[str | None, typer.Option("--file", metavar="PATH", help="The file that it is from.")] = None,
    lines: Annotated[
        str | None, typer.Option("--lines", metavar="FIRST-LAST", help="The lines of the file, as in 10-20.")
    ] = None,
    sticky: Annotated[bool, typer.Option("--sticky", help="It is never pruned.")] = False,
    relevance: Annotated[
        str, typer.Option("--relevance", metavar="NUMBER", help="How much it matters, from 0 to 1.")
    ] = "1",
    stdin: StdinFlag = False,
    session: SessionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Add an item to a window, or begin one.

    A new window needs --session. Secrets are redacted.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import read_stdin
    from verifflowcc.history.cli.window_output import added
    from verifflowcc.history.use.context_window import NewWindowItem
    from verifflowcc.history.use.window_use import add_to_window
    from verifflowcc.memory.use.task_finding import fitting_task_id

    if (text is None) is not stdin:
        raise UsageError("say a text or --stdin, one of the two", hint='vfcc window add "The text"')
    span = _lines(lines) if lines else None
    weight = _thousandths(relevance)
    content = read_stdin() if text is None else text
    here = _here()
    task = fitting_task_id(here, task) if task else task
    given = NewWindowItem(content, type_, task, weight, sticky=sticky, tool=tool, path=file, lines=span)
    done = add_to_window(here, session, given)
    out.emit_json(done) if as_json else out.emit(added(done))


@app.command()
def prune(
    force: Annotated[bool, typer.Option("--force", help="Whatever share of the limit is in use.")] = False,
    session: SessionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Remove the least relevant items.

    Where more than 80 % of the limit is in use, until 30 % of the tokens are gone; sticky items stay. What goes is
    recorded first, and the window as it was can be restored.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.history.cli.window_output import pruned
    from verifflowcc.history.use.window_use import prune_window

    done = prune_window(_here(), session, force=force)
    out.emit_json(done) if as_json else out.emit(pruned(done))


@app.command()
def snapshots(session: SessionOption = None, full: FullFlag = False, as_json: JsonFlag = False) -> None:
    """List the states of a window that are kept, newest first."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.history.cli.window_output import kept
    from verifflowcc.history.use.window_use import list_snapshots

    found = list_snapshots(_here(), session)
    out.emit_json(found) if as_json else out.emit(kept(found, full=full))


@app.command()
def restore(
    snapshot: Annotated[
        str,
        typer.Argument(metavar="SNAPSHOT", help="Its id, or its beginning, or four or more of its last characters."),
    ],
    session: SessionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Restore a window as a snapshot has it.

    The window as it is now is kept first.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.history.cli.window_output import restored
    from verifflowcc.history.use.window_use import restore_window

    done = restore_window(_here(), session, snapshot)
    out.emit_json(done) if as_json else out.emit(restored(done))


def _here() -> "Workspace":
    from verifflowcc.base.use.workspace import open_workspace

    return open_workspace()


def _lines(text: str) -> tuple[int, int]:
    """Read `10-20`, or `10` for one line."""
    from verifflowcc.base.errors import UsageError

    first, dash, last = text.partition("-")
    numbers = [first, last if dash else first]
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in numbers):
        raise UsageError(f"{text!r} are no lines: these are a first and a last one", hint="--lines 10-20")
    return int(numbers[0]), int(numbers[1])


def _thousandths(text: str) -> int:
    """Read a number from 0 to 1 with at most three decimals."""
    from verifflowcc.base.errors import UsageError

    whole, _, decimals = text.partition(".")
    digits = f"{whole or '0'}{decimals:0<3}"
    if not (digits.isascii() and digits.isdecimal()) or len(decimals) > 3 or len(whole) > 1 or int(digits) > 1000:
        raise UsageError(f"{text!r} is no relevance: this is a number from 0 to 1", hint="--relevance 0.8")
    return int(digits)
