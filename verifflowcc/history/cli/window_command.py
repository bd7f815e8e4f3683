"""`vfcc window`: what an agent's model is shown, kept within a limit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import FullFlag, JsonFlag, StdinFlag
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.history.rules.window_values import WindowItem
    from verifflowcc.history.use.window_use import (
        PruningReport,
        SnapshotLine,
        WindowAddition,
        WindowPage,
        WindowRestore,
    )


app = typer.Typer(help="Keep what an agent's model is shown within a limit.", no_args_is_help=True)

SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The window's session (default: the one written last).")
]


@app.command()
def show(session: SessionOption = None, as_json: JsonFlag = False) -> None:
    """Show what a window holds, and how relevant each item is now."""
    from verifflowcc.base.terminal import output as out
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
    from verifflowcc.history.use.window_use import prune_window

    done = prune_window(_here(), session, force=force)
    out.emit_json(done) if as_json else out.emit(pruned(done))


@app.command()
def snapshots(session: SessionOption = None, full: FullFlag = False, as_json: JsonFlag = False) -> None:
    """List the states of a window that are kept, newest first."""
    from verifflowcc.base.terminal import output as out
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


_ABOUT = 60
_HOUR, _DAY = 60, 24 * 60


def page(shown: "WindowPage") -> str:
    """Return a window as a table, under a line with the tokens in use."""
    from verifflowcc.base.terminal.table import table

    task = f", task {shown.task}" if shown.task else ""
    head = f"{shown.session}{task}: {_in_use(shown.tokens, shown.limit_tokens)}"
    if not shown.items:
        return printable(f"{head}\nthere is nothing in it")
    rows = [
        (
            f"{each.item.type}{' *' if each.item.sticky else ''}",
            f"{each.item.tokens:,}",
            f"{each.relevance / 1000:.3f}",
            age(each.age_minutes),
            about(each.item),
        )
        for each in shown.items
    ]
    shown_table = table(("item", "tokens", "relevance", "age", "says"), rows, right=(1, 2, 3))
    sticky = ["* is never pruned"] if any(each.item.sticky for each in shown.items) else []
    full = shown.tokens > shown.prune_above_tokens
    state = "it is above" if full else "pruning begins above"
    last = f"{state} {shown.prune_above_tokens:,} tokens{': vfcc window prune' if full else ''}"
    return "\n".join((printable(head), shown_table, *sticky, last))


def added(done: "WindowAddition") -> str:
    """Return what was added, and what is in use with it."""
    item = done.item
    place = f" of {item.files[0].place}" if item.files else ""
    return printable(
        f"{item.type}{place}: {_tokens(item.tokens)}\n{done.session}: {_in_use(done.tokens, done.limit_tokens)}"
    )


def pruned(done: "PruningReport") -> str:
    """Return what was removed, and where it can be had again."""
    in_use = _in_use(done.tokens, done.limit_tokens)
    if not done.removed:
        why = "there is no item that is not sticky" if done.due else "no more than 80 % of the limit is in use"
        return printable(f"nothing was removed from {done.session}: {why}\n  {in_use}")
    count = len(done.removed)
    gone = done.tokens_before - done.tokens
    lines = [
        f"{count} {'item' if count == 1 else 'items'} removed from {done.session}, {_tokens(gone)}",
        *(f"  {each.type}, {_tokens(each.tokens)}, relevance {each.relevance / 1000:.3f}" for each in done.removed),
        in_use,
        f"to have them again: vfcc window restore {done.snapshot}",
    ]
    return printable("\n".join(lines))


def kept(found: Sequence["SnapshotLine"], *, full: bool = False) -> str:
    """Return snapshots as a table, with whole ids where they are to be `full`."""
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.text.identifiers import shown_ids

    if not found:
        return "no state of this window is kept"
    ids = shown_ids((line.id for line in found), full=full)
    rows = [
        (
            ids[line.id],
            line.time[:16].replace("T", " "),
            str(line.reason),
            line.task or "–",
            str(line.items),
            f"{line.tokens:,}",
            str(line.pruned),
        )
        for line in found
    ]
    return table(("snapshot", "kept (UTC)", "at", "task", "items", "tokens", "went"), rows, right=(4, 5, 6))


def restored(done: "WindowRestore") -> str:
    """Return what a window holds again, and where what it held before is kept."""
    count = f"{done.items} {'item' if done.items == 1 else 'items'}"
    return printable(
        f"{done.session} is as in {done.snapshot} again: {count}, {_tokens(done.tokens)}\n"
        f"what it held before: vfcc window restore {done.before}"
    )


def age(minutes: int) -> str:
    """Return an age in its largest whole unit.

    >>> age(0), age(59), age(150), age(3000)
    ('0 min', '59 min', '2 h', '2 d')
    """
    if minutes < _HOUR:
        return f"{minutes} min"
    return f"{minutes // _HOUR} h" if minutes < _DAY else f"{minutes // _DAY} d"


def about(item: "WindowItem") -> str:
    """Return where an item is from, or its first words; secrets have gone before it is cut."""
    if item.files:
        return item.files[0].place
    words = plain_line(withhold(item.content[:4_000]), _ABOUT)
    return f"{item.tool}: {words}" if item.tool else words


def _in_use(tokens: int, limit: int) -> str:
    share = tokens * 1000 // limit
    return f"{tokens:,} of {limit:,} tokens ({share // 10}.{share % 10} %)"


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number:,} tokens"
