"""`vfcc history saved`: which searches, listings and reads the code in the prompts had answered."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, tokens

if TYPE_CHECKING:
    from verifflowcc.episodes.saved import Saved, Tally

_TITLES = {"search": "searches", "listing": "listings", "read": "reads"}
_CAUSES = {
    "the_same_again": "looked for the same again: the window had it",
    "written_since_the_prompt": "of files that were written since the prompt",
    "no_code": "of files that are no code: documents, settings, data",
    "code_that_was_not_chosen": "of code that was not among the pieces",
    "outside_of_the_project": "outside of the project",
    "not_there_now": "of files that are not there now",
    "finds_nothing_now": "find nothing now",
    "pattern_cannot_be_run": "have a pattern that is not run",
}


def saved(
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Of this session alone.")] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            parser=tokens,
            metavar="TOKENS",
            help="So many tokens of code in a prompt; 4k is 4,000 (default: 8,000).",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which searches, listings and reads were answered.

    Each prompt of the history is asked again for its code, and the calls that followed are held against it. Code and
    files are judged as they are now.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.code.offering import OFFERED_TOKENS
    from verifflowcc.services.history.saving import calls_saved
    from verifflowcc.services.workspace import open_workspace

    found = calls_saved(open_workspace(), session, budget or OFFERED_TOKENS)
    out.emit_json(found) if as_json else out.emit(saved_page(found))


def saved_page(found: "Saved") -> str:
    """Return what was answered as a page."""
    from verifflowcc.cli.table import table

    if not found.total.calls:
        return "no search, listing or read that follows a prompt was recorded here"
    rows = [_row(_TITLES[kind], each) for kind, each in found.kinds.items()] + [_row("all", found.total)]
    heading = ("", "calls", "answered", "in part", "again", "share", "of what was looked for")
    lines = [
        f"{found.prompts} prompts in {found.sessions} sessions, {found.budget_tokens:,} tokens of code in each:",
        "",
        table(heading, rows, right=(1, 2, 3, 4, 5, 6)),
        "",
        f"{_percent(found.of_all_calls)} of all {found.calls} calls of tools were answered before they were made",
    ]
    if found.interval:
        low, high = map(_percent, found.interval)
        lines.append(f"share answered, 95 % interval over sessions: {low} to {high}")
    lines.append(f"share answered with {2 * found.budget_tokens:,} tokens: {_percent(found.twice.share)}")
    if found.unasked:
        lines.append(f"{found.unasked} calls look around and belong to no prompt; they are not counted")
    if found.causes:
        lines += [
            "",
            "not answered, or in part:",
            *(f"  {each.calls:5} {_CAUSES[each.cause]}" for each in found.causes),
        ]
    return "\n".join(lines)


def _row(title: str, each: "Tally") -> tuple[str, ...]:
    counts = (each.calls, each.wholly, each.partly, each.again)
    return (title, *map(str, counts), _percent(each.share), _percent(each.covered))


def _percent(thousandths: int) -> str:
    return f"{thousandths // 10}.{thousandths % 10} %"
