"""`vfcc context tune`: compile recent prompts of a role again, and suggest the shares that keep more."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from verifflowcc.services.allocation_tuning import RoleTuning, Tuning


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 6 or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is no number of prompts; give a whole number from 1 up")
    return int(text)


def tune(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="ROLE", help="One role (default: each that has prompts).")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(
            "--last", metavar="NUMBER", parser=_number, help="Number of recent prompts per role (default: 20)."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which layers lacked or wasted room, and suggest better shares.

    The last prompts of each role that were made here are compiled again, as they are now and with other shares.
    It suggests only what keeps more, and changes nothing.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.allocation_tuning import LAST, tune_allocation
    from verifflowcc.services.workspace import open_workspace

    found = tune_allocation(open_workspace(), agent, last or LAST)
    out.emit_json(found) if as_json else out.emit(_page(found))


def _page(found: "Tuning") -> str:
    """Return a part for each role, the lines for the configuration, and the roles without prompts."""
    from verifflowcc.cli.output import folded

    parts = [_role(each) for each in found.roles]
    if found.snippet:
        lead = "To follow it, put this into .memory/config.yaml, in the place of what these roles have there:"
        parts.append(f"{folded(lead, 0)}\n\ntoken_allocation:\n{found.snippet.rstrip()}")
    if found.without_runs:
        parts.append(folded(f"no prompt was compiled here yet for {', '.join(found.without_runs)}", 2))
    return "\n\n".join(parts)


def _role(found: "RoleTuning") -> str:
    from verifflowcc.cli.output import folded
    from verifflowcc.cli.table import table
    from verifflowcc.services.allocation_tuning import share_text

    lines = [f"{found.agent}: {found.runs} {'prompt' if found.runs == 1 else 'prompts'} compiled again; medians"]
    if found.layers:
        rows = [
            (
                str(one.layer),
                share_text(one.share),
                f"{one.used_tokens:,}",
                f"{one.wanted_tokens:,}",
                share_text(one.suggested) if found.change and one.suggested != one.share else "as it is",
                f"{one.suggested_tokens:,}",
            )
            for one in found.layers
            if one.share or one.used_tokens
        ]
        lines.append(table(("layer", "share", "used", "wanted", "suggested", "then"), rows, right=(1, 2, 3, 4, 5)))
    return "\n".join([*lines, folded(found.why, 2)])
