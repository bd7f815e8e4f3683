"""How it is shown what the last prompts say of a role's shares."""

from typing import TYPE_CHECKING

from verifflowcc.cli.folding import folded
from verifflowcc.cli.table import table
from verifflowcc.packing.suggest import Outcome
from verifflowcc.services.tuning_said import share_said

if TYPE_CHECKING:
    from verifflowcc.packing.suggest import LayerFindings
    from verifflowcc.services.allocation_tuning import RoleTuning, Tuning

HEADINGS = ("layer", "share", "gives", "used", "borrowed", "lacked", "starved", "wasted", "suggested")


def tuning(found: "Tuning") -> str:
    """Return a part for each role, the lines for the configuration, and the roles without prompts."""
    parts = [_role(each) for each in found.roles]
    if found.snippet:
        told = "To follow it, put this into .memory/config.yaml, in the place of what these roles have there:"
        parts.append(f"{folded(told, 0)}\n\ntoken_allocation:\n{found.snippet.rstrip()}")
    if found.without_runs:
        parts.append(folded(f"no prompt was compiled here yet for {', '.join(found.without_runs)}", 2))
    return "\n\n".join(parts)


def _role(found: "RoleTuning") -> str:
    prompts = f"{found.runs} {'prompt' if found.runs == 1 else 'prompts'}"
    heading = f"{found.agent}: {prompts} of {found.budget_tokens:,} tokens; medians"
    if not found.runs:
        heading = f"{found.agent}: {prompts}"
    left_out = [
        f"{many} {what}"
        for many, what in ((found.other_shares, "with other shares"), (found.other_budget, "with another budget"))
        if many
    ]
    lines = [heading + (f" (left out: {', '.join(left_out)})" if left_out else "")]
    if found.runs:
        rows = [_row(one, found) for one in found.layers if one.share or one.used_tokens or one.starved]
        lines.append(table(HEADINGS, rows, right=tuple(range(1, len(HEADINGS)))))
    return "\n".join([*lines, folded(found.why, 2), *(folded(f"note: {note}", 2) for note in found.notes)])


def _row(one: "LayerFindings", found: "RoleTuning") -> tuple[str, ...]:
    changes = found.outcome is Outcome.CHANGE and one.suggested != one.share
    return (
        str(one.layer),
        share_said(one.share),
        f"{one.own_tokens:,}",
        f"{one.used_tokens:,}",
        f"{one.borrowed_tokens:,}",
        f"{one.lacking_tokens:,}",
        f"{one.starved} of {found.runs}",
        f"{one.wasted} of {found.runs}",
        share_said(one.suggested) if changes else "as it is",
    )
