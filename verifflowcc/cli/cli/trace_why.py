"""`vfcc trace matrix` and `vfcc trace why`: the matrix, and one item's story."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import IdArgument, JsonFlag, JunitOption, OutputOption, TypesOption
from verifflowcc.base.terminal.terminal import switch_color_off, wants_color

if TYPE_CHECKING:
    from verifflowcc.base.model.trace_values import CriterionState, Finding
    from verifflowcc.trace.rules.answers import ItemTest
    from verifflowcc.trace.rules.impact import ReviewRecord, Story
    from verifflowcc.trace.rules.matrix import Matrix
    from verifflowcc.trace.rules.trace_view import TraceView
    from verifflowcc.trace.use.trace_narrowing import CheckedTrace


# `vfcc trace matrix`: from need to test and back, as a table, as CSV, as JSON, or as a page for a browser.


class MatrixFormat(StrEnum):
    """What the matrix is written as."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


def matrix(
    form: Annotated[
        MatrixFormat | None,
        typer.Option("--format", help="Format of the output (default: by the output file's name, or text)."),
    ] = None,
    output: OutputOption = None,
    types: TypesOption = None,
    states: Annotated[
        list[str] | None,
        typer.Option("--state", metavar="WORD", help="Only items in a state (failed, untested, …); may be repeated."),
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option("--item", metavar="ID", help="Only an item, or a pattern of ids (REQ-*); may be repeated."),
    ] = None,
    tests: Annotated[bool, typer.Option("--tests", help="From the tests back to the needs, in text and CSV.")] = False,
    junit: JunitOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the state of each item, from need to test and back.

    As html it is one file that needs no network, with filters and search, in both directions, readable on paper. Exits
    with 3 where there is no item.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.trace.cli.matrix_output import see
    from verifflowcc.trace.use.trace_narrowing import narrow_matrix

    wanted = _format(form, output, as_json=as_json)
    seen = see(junit)
    shown = narrow_matrix(seen, types or (), states or (), items or ())
    if wanted is MatrixFormat.JSON:
        out.emit_json(shown, output)
        if output is not None:
            out.say(f"written: {output}")
        return
    if output is not None:
        switch_color_off()  # a file holds plain text
    text = _written(seen, shown, wanted, tests=tests)
    if output is None:
        out.emit(text)
    else:
        from verifflowcc.base.files.text_files import write_given

        write_given(output, text if wanted is MatrixFormat.HTML else out.without_secrets(text))
        out.say(f"written: {output}")


def _format(given: MatrixFormat | None, output: Path | None, *, as_json: bool) -> MatrixFormat:
    if as_json and given not in {None, MatrixFormat.JSON}:
        raise typer.TyperException(f"--json and --format {given} are two formats; give one")
    if as_json:
        return MatrixFormat.JSON
    suffix = output.suffix.lower().removeprefix(".") if output else ""
    return given or next((each for each in MatrixFormat if each == suffix), MatrixFormat.TEXT)


def _written(seen: "CheckedTrace", shown: "Matrix", wanted: MatrixFormat, *, tests: bool) -> str:
    if wanted is MatrixFormat.CSV:
        from verifflowcc.trace.rules.matrix import csv_of_items, csv_of_tests

        return csv_of_tests(shown) if tests else csv_of_items(shown)
    if wanted is MatrixFormat.HTML:
        from verifflowcc.base.use.workspace import open_workspace
        from verifflowcc.report.use.report_pages import matrix_page

        return matrix_page(open_workspace(), shown)
    from verifflowcc.trace.cli.matrix_output import items_table, tests_table

    return (tests_table(shown) if tests else items_table(shown)) + "\n"


def why(item: IdArgument, junit: JunitOption = None, as_json: JsonFlag = False) -> None:
    """Show one item's whole story.

    Why it is there, what answers it, whether its tests passed on this content, who looked at it, what is wrong, and the
    next commands. Exits with 3 where there is no item at all.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.rules.impact import story
    from verifflowcc.trace.rules.trace_view import find_item
    from verifflowcc.trace.use.trace_narrowing import see_trace

    seen = see_trace(open_workspace(), junit or (), item)
    for notice in seen.notices:
        out.warn(notice)
    found = story(seen.view, seen.report, find_item(seen.view, item).id)
    if as_json:
        out.emit_json(found)
    else:
        out.emit(_tree(found, seen.view) if wants_color() else "\n".join(map(_shown, _page(found, seen.view))))


def _tree(story: "Story", view: "TraceView") -> str:
    from verifflowcc.trace.cli.trace_item_output import item_tree

    item = story.item
    facts = (f"{story.state}: {story.state.means}", ", ".join(_facts(story)), item.path)
    parts = [(title, lines) for title, lines in _parts(story, view) if lines]
    return item_tree(f"{item.id}: {item.title}", facts, item.text.strip("\n"), parts)


def _page(story: "Story", view: "TraceView") -> Iterator[str]:
    from verifflowcc.base.terminal.output import folded
    from verifflowcc.base.text.secrets import withhold

    item = story.item
    yield folded(f"{item.id}: {item.title}", 2)
    yield folded(f"  {story.state}: {story.state.means}", 4)
    yield folded(f"  {', '.join(_facts(story))}", 4)
    yield f"  {item.path}"
    if item.text:
        yield from (f"  {line}".rstrip() for line in ("", *withhold(item.text).splitlines()))
    for title, lines in _parts(story, view):
        yield from _part(title, lines)


def _parts(story: "Story", view: "TraceView") -> Iterator[tuple[str, list[str]]]:
    yield "why it is there", list(_reasons(story, view))
    yield "what answers it", [_answer(story, number) for number in range(len(story.answers))]
    yield "what it still needs", list(story.missing)
    yield "implemented by", _places(story)
    yield "verified by", [_test(each, view) for each in story.tests]
    yield "shown by", list(map(_criterion, story.evidence))
    yield "who looked", list(map(_looked, story.records))
    yield "what is wrong", list(map(_finding, story.findings))
    yield "next", list(story.next)


def _part(title: str, lines: Sequence[str]) -> Iterator[str]:
    from verifflowcc.base.terminal.output import folded

    if lines:
        yield f"\n{title}"
        yield from (folded(f"  {line}", 4) for line in lines)


def _facts(story: "Story") -> Iterator[str]:
    item = story.item
    yield item.type
    yield f"verified by {story.method}" if story.method else "no verification asked"
    if item.planned is not None:
        yield f"planned: {item.planned}"
    if item.integrity:
        yield f"integrity {item.integrity}"
    if item.author:
        yield f"written by {item.author}"


def _reasons(story: "Story", view: "TraceView") -> Iterator[str]:
    for reason in story.reasons:
        yield " → ".join((f"{reason.id} {reason.title}", *reversed(reason.route[:-1])))
    for end in story.parents:
        if not end.type:
            yield f"{end.relation} {end.id}, which is not there"
    if story.item.rationale:
        yield " ".join(story.item.rationale.split())
    if not story.parents and not story.item.rationale:
        rule = view.policy.types.get(story.item.type)
        yield "it is where the trace begins" if rule and rule.root else "no reason: it has no parent and no rationale"


def _answer(story: "Story", number: int) -> str:
    answer = story.answers[number]
    return f"{answer.end.id} {answer.end.relation} it, {answer.state}: {answer.end.title}"


def _places(story: "Story") -> list[str]:
    from verifflowcc.trace.rules.answers import place_word

    return list(dict.fromkeys(map(place_word, story.code)))


def _test(each: "ItemTest", view: "TraceView") -> str:
    via = f" (of {each.specification})" if each.specification else ""
    source = f"says {_reports(each.report, view)}" if each.report else ""
    if each.passed:
        return f"{each.test}{via}: passed on this content, {source}"
    more = [part for part in (each.stale, each.message, source) if part]
    return f"{each.test}{via}: {each.word}{''.join(f'; {part}' for part in more)}"


def _reports(names: str, view: "TraceView") -> str:
    """Return names of reports: evidence by its criterion, others by their path."""
    found = [(name, view.reports.get(name)) for name in names.split(", ")]
    called = [f"{one.stage}/{one.criterion}" if one and one.stage and one.criterion else name for name, one in found]
    return ", ".join(dict.fromkeys(called))


def _criterion(each: "CriterionState") -> str:
    return f"{each.name}: {'met' if each.met else 'not met'}, {each.reason}"


def _finding(each: "Finding") -> str:
    return f"{each.severity} {each.code}: {each.message} ({each.path}:{each.line})"


def _looked(each: "ReviewRecord") -> str:
    what = f"its link to {each.other}" if each.other else each.kind
    reason = f": {each.observation}" if each.observation else ""
    holds = "still as it was" if each.holds else "changed since"
    return f"{each.on or 'some day'} {each.by or 'somebody'}: {what}{reason} ({holds})"


def _shown(text: str) -> str:
    """Text of an item without what it could do to a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
