"""`vfcc trace import` and `vfcc trace export`: items from and for other tools."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc import __version__
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import DryRunFlag, IdArgument, JsonFlag, JunitOption, OutputOption
from verifflowcc.base.text.plain_words import counted
from verifflowcc.trace.rules.importers import IMPORTERS

if TYPE_CHECKING:
    from verifflowcc.base.model.trace_help import Catalogue
    from verifflowcc.base.model.trace_values import TraceReport
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.trace.rules.answers import ReachedItem
    from verifflowcc.trace.rules.impact import Impact
    from verifflowcc.trace.use.trace_sources import BaselineChange, Drift


# The formats of a check's findings, and the options that every check has.

FINDINGS = 1


def report_text(form: str, report: "TraceReport", prefix: str, of: "Catalogue") -> str:
    """Return a report as `sarif`, `junit` or `github` annotations.

    `prefix` is the folder of the project in its repository. `of` has the codes of the check.
    """
    if form == "sarif":
        from verifflowcc.trace.rules.findings_formats import sarif_text

        return sarif_text(report, __version__, prefix, of)
    if form == "junit":
        from verifflowcc.trace.rules.findings_formats import junit_text

        return junit_text(report, of)
    from verifflowcc.trace.rules.findings_formats import annotations

    return annotations(report.findings, prefix, of)


def problem_in(report: "TraceReport", exit_code: int) -> "Problem":
    """Return the problem to report, for a check with an exit code other than 0."""
    from verifflowcc.base.model.trace_values import Severity
    from verifflowcc.base.use.document_form import Problem, problem_with

    if exit_code != FINDINGS:
        return problem_with(exit_code)
    found = Counter(each.severity for each in report.findings)
    errors, warnings = found[Severity.ERROR], found[Severity.WARNING]
    return Problem("findings", f"errors: {errors}, warnings: {warnings}")


# `vfcc trace baseline`: write down what all items say now, and compare later.

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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.use.trace_sources import create_baseline

    acting = moves.acting_here()
    made = create_baseline(acting.workspace, name, note, actor=acting.actor)
    out.emit_json(made) if as_json else out.emit(
        f"{made.name}: {counted(len(made.items), 'item')} written to {made.path}"
    )


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the baselines, the oldest first."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_sources import list_baselines

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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_sources import compare_baselines

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


def _parts(drift: "Drift") -> "tuple[tuple[str, tuple[BaselineChange, ...]], ...]":
    return (("added", drift.added), ("removed", drift.removed), ("changed", drift.changed))


def _change(change: "BaselineChange") -> str:
    fields = f" ({', '.join(change.fields)})" if change.fields else ""
    return f"{change.item}{fields}{f': {change.title}' if change.title else ''}"


# `vfcc trace impact`: what a change of an item would touch.


def impact(item: IdArgument, junit: JunitOption = None, as_json: JsonFlag = False) -> None:
    """Show what a change of an item would touch.

    Everything below it with the way to it, the code and the tests, and its parents. Exits with 3 where there is
    no item at all.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.trace.cli.matrix_output import see
    from verifflowcc.trace.rules.impact import impact as touched
    from verifflowcc.trace.rules.trace_view import find_item

    view = see(junit, item).view
    found = touched(view, find_item(view, item).id)
    out.emit_json(found) if as_json else out.emit("\n".join(_page(found)))


def _page(found: "Impact") -> Iterator[str]:
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.terminal.terminal import wants_color
    from verifflowcc.trace.rules.answers import place_word

    if wants_color():
        from verifflowcc.trace.cli.trace_item_output import reach_tree

        yield reach_tree(f"{found.id}: {found.title}", f"a change touches {_sum(found)}", found.below)
    else:
        yield f"{found.id}: {found.title}"
        yield f"  a change touches {_sum(found)}"
    if found.below and not wants_color():
        yield "\nbelow"
        yield table(("item", "way", "title"), [(each.id, _way(each), each.title) for each in found.below])
    if found.code:
        yield "\ncode"
        places = dict.fromkeys((place_word(each.place), ", ".join(each.items)) for each in found.code)
        yield table(("place", "of"), list(places))
    if found.tests:
        yield "\ntests"
        yield table(
            ("test", "outcome", "of"), [(each.test.test, each.test.word, ", ".join(each.items)) for each in found.tests]
        )
    if found.above:
        yield "\ntraces to"
        yield table(("item", "way", "title"), [(each.id, _way(each, up=True), each.title) for each in found.above])
    if found.beside:
        yield "\nbeside"
        rows = [
            (each.id, each.relation if each.outward else f"its {each.relation}", each.title) for each in found.beside
        ]
        yield table(("item", "relation", "title"), rows)


def _sum(found: "Impact") -> str:
    files = {each.place.path for each in found.code}
    counts = ((len(found.below), "item"), (len(files), "file"), (len(found.tests), "test"))
    return listed([f"{number or 'no'} {noun}{'' if number == 1 else 's'}" for number, noun in counts])


def listed(words: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _way(each: "ReachedItem", *, up: bool = False) -> str:
    """Return the way between two ends, read upwards.

    As in `implements REQ-login → refines`.
    """
    steps = list(zip(each.relations, each.route[1:] if up else each.route[:-1], strict=True))
    words = [f"{relation} {name}" for relation, name in (steps if up else reversed(steps))]
    return " → ".join((*words[:-1], each.relations[-1 if up else 0]))


ONE_OF = ", ".join(IMPORTERS)
Pairs = list[str] | None


def import_(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or the folder of a tree.")],
    format_: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help=f"{ONE_OF} (default: by the content).")
    ] = None,
    type_: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="The type of items that --map-type does not name.")
    ] = None,
    map_type: Annotated[
        Pairs, typer.Option("--map-type", metavar="KIND=TYPE", help="The type of a kind, or of files (a pattern).")
    ] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="NAME", help="The relation of links whose role says none.")
    ] = None,
    verification: Annotated[
        str | None, typer.Option("--verification", metavar="METHOD", help="The method of items that state none.")
    ] = None,
    column: Annotated[
        Pairs, typer.Option("--map", metavar="COLUMN=FIELD", help="Map a column of a CSV file to a field.")
    ] = None,
    pattern: Annotated[
        str | None, typer.Option("--pattern", metavar="REGEX", help="Lines of Markdown that begin items: (?P<id>…).")
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option("--mapping", metavar="FILE", help="The fields of a tree of YAML, in YAML.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse malformed parts instead of skipping them.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Take what the other side changed.")] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Import items from another tool; the second run changes nothing."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.stage_words import one_of
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.cli.trace_item_output import import_text
    from verifflowcc.trace.rules.adopt import AdoptionChoices
    from verifflowcc.trace.store.foreign_files import ImportSource
    from verifflowcc.trace.use.trace_import import import_items

    chosen = one_of(format_, tuple(IMPORTERS), "format", "vfcc trace import PATH --format …") if format_ else None
    given = ImportSource(tuple(paths), chosen, pattern, _pairs(column, "--map"), mapping)
    choices = AdoptionChoices(type_, _pairs(map_type, "--map-type"), relation, verification)
    acting = moves.acting_here()
    report = import_items(
        acting.workspace, given, choices, actor=acting.actor, update=update, strict=strict, dry_run=dry_run
    )
    out.emit_json(report) if as_json else out.emit(import_text(report))


def export(
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="csv, json or reqif (default: by the output file's name, or csv)."
        ),
    ] = None,
    output: OutputOption = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Items of this type alone; may be repeated.")
    ] = None,
) -> None:
    """Export all items as CSV, JSON or ReqIF."""
    from verifflowcc.base.files.text_files import write_given
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_import import FORMATS, export_items

    suffix = output.suffix.lower().removeprefix(".") if output else ""
    exported = export_items(open_workspace(), format_ or (suffix if suffix in FORMATS else "csv"), tuple(type_ or ()))
    for notice in exported.notices:
        out.warn(notice)
    if output is None:
        out.emit(exported.text, withheld=True)
        return
    write_given(output, exported.text)
    out.say(f"{exported.items} item{'' if exported.items == 1 else 's'} written to {output}")


def _pairs(given: Pairs, option: str) -> dict[str, str]:
    from verifflowcc.base.errors import UsageError

    found: dict[str, str] = {}
    for each in given or ():
        name, equals, value = each.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(
                f"{each!r} after {option} is no NAME=VALUE", hint=f"vfcc trace import PATH {option} NAME=VALUE"
            )
        found[name.strip()] = value.strip()
    return found
