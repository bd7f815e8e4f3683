"""`vfcc trace baseline`: write down what all items say now, and compare later."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, counted

if TYPE_CHECKING:
    from verifflowcc.services.trace_baselines import Change, Drift

app = typer.Typer(help="Create, list and compare baselines of all items.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: lower-case letters, digits and -.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Note to keep with the baseline.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Create a baseline: what all items say now.

    Retired ones are left out. A baseline that is there is never overwritten.
    """
    from verifflowcc.cli import moves
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_baselines import create_baseline

    acting = moves.acting_here()
    made = create_baseline(acting.workspace, name, note, actor=acting.actor)
    out.emit_json(made) if as_json else out.emit(
        f"{made.name}: {counted(len(made.items), 'item')} written to {made.path}"
    )


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the baselines, the oldest first."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.table import table
    from verifflowcc.services.trace_baselines import list_baselines
    from verifflowcc.services.workspace import open_workspace

    found = list_baselines(open_workspace())
    if as_json:
        out.emit_json(found)
    elif found:
        rows = [
            (each.name, each.created, f"{len(each.items):,}", each.by, (each.commit or "–")[:12], each.note or "–")
            for each in found
        ]
        out.emit(table(("baseline", "created", "items", "by", "commit", "note"), rows, right=(2,)))
    else:
        out.emit("there is no baseline yet")


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="A", help="The baseline to compare from.")],
    new: Annotated[
        str | None, typer.Argument(metavar="[B]", help="The baseline to compare with (default: the items of today).")
    ] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where anything is different.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Compare a baseline with another, or with the current items."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_baselines import compare_baselines
    from verifflowcc.services.workspace import open_workspace
    from verifflowcc.text.invisible import printable

    drift = compare_baselines(open_workspace(), old, new)
    out.emit_json(drift) if as_json else out.emit(printable("\n".join(_lines(drift))))
    if exit_code and drift.any:
        raise typer.Exit(1)


def _lines(drift: "Drift") -> list[str]:
    head = f"{drift.old} → {drift.new}: "
    if not drift.any:
        return [f"{head}{counted(drift.same, 'item')}, none of them changed"]
    counts = [f"{len(each)} {word}" for word, each in _parts(drift) if each]
    lines = [f"{head}{', '.join(counts)}, {drift.same} as before"]
    for word, changes in _parts(drift):
        lines += [f"  {word:<8}{_change(each)}" for each in changes]
    return lines


def _parts(drift: "Drift") -> "tuple[tuple[str, tuple[Change, ...]], ...]":
    return (("added", drift.added), ("removed", drift.removed), ("changed", drift.changed))


def _change(change: "Change") -> str:
    fields = f" ({', '.join(change.fields)})" if change.fields else ""
    return f"{change.item}{fields}{f': {change.title}' if change.title else ''}"
