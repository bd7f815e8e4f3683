"""How a compiled prompt is delivered, its account shown, and two prompts compared."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.adapters.files.text_file import write_given
from verifflowcc.cli import output as out
from verifflowcc.cli.table import table
from verifflowcc.domain.entries import LayerUse, Prompt

if TYPE_CHECKING:
    from verifflowcc.services.context_diff import Comparison


def deliver(text: str, path: Path | None) -> None:
    """Write a prompt to `path`, or to stdout where there is none: the same bytes.

    Secrets are withheld already. On a terminal what comes after it is a line apart.
    """
    if path is not None:
        write_given(path, text if text.endswith("\n") else text + "\n")
        return
    from verifflowcc.cli.painting import markdown

    out.emit(text, withheld=True, paint=markdown)
    if sys.stdout.isatty() and out.person_is_looking():
        out.say("")


def account(prompt: Prompt, *, looking: bool, more: Sequence[str] = ()) -> None:
    """Say on stderr what must be known (warnings, always) and what a person wants to see (the table per layer)."""
    for notice in (*prompt.notices, *more):
        out.warn(notice)
    if looking:
        out.say(_layers(prompt))


def comparison(found: "Comparison") -> str:
    """Return what came, went or changed between two prompts, and the difference in tokens."""
    rows = [
        (change.what, str(change.layer), change.key, f"{change.left_tokens:,}", f"{change.right_tokens:,}")
        for change in found.changes
    ]
    listing = table(("", "layer", "entry", found.left, found.right), rows, right=(3, 4))
    total = found.right_tokens - found.left_tokens
    summary = f"{found.left_tokens:,} → {found.right_tokens:,} tokens ({total:+,}); {found.same} entries are the same"
    return f"{listing}\n{summary}" if rows else summary


def _layers(prompt: Prompt) -> str:
    mark = "~" if prompt.estimated else ""
    rows = [_row(layer, mark) for layer in prompt.layers]
    listing = table(
        ("layer", "budget", "used", "kept", "trimmed", "dropped"),
        rows,
        right=(1, 2, 3, 4, 5),
        stream=sys.stderr,
    )
    share = prompt.compression / 10
    place = "/".join(part for part in (prompt.sprint, prompt.stage) if part)
    return (
        f"{listing}\n{prompt.agent} {place}: {mark}{prompt.tokens:,} of {prompt.budget_tokens:,} tokens, "
        f"{share:.1f} % of what was offered; counted by {prompt.counter}"
    )


def _row(layer: LayerUse, mark: str) -> tuple[str, ...]:
    return (
        str(layer.layer),
        f"{layer.budget_tokens:,}",
        f"{mark}{layer.used_tokens:,}",
        str(layer.kept),
        str(layer.trimmed),
        str(layer.dropped),
    )
