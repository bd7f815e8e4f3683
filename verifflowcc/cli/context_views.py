"""How a compiled prompt is delivered, and its account and explanation shown."""

import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.cli import output as out
from verifflowcc.cli.table import table, width_of
from verifflowcc.domain.entries import ContextPackage, Fate, LayerUse, Placed, Prompt

if TYPE_CHECKING:
    from verifflowcc.services.context_diff import Comparison


def deliver(text: str, path: Path | None) -> None:
    """Write to `path`, or to stdout where there is none; on a terminal a line apart from what comes after it."""
    if path is not None:
        write_atomic(path, text if text.endswith("\n") else text + "\n")
        return
    out.emit(text)
    if sys.stdout.isatty() and out.person_is_looking():
        out.say("")


def account(prompt: Prompt, *, looking: bool) -> None:
    """Say on stderr what must be known (warnings, always) and what a person wants to see (the table per layer)."""
    for notice in prompt.notices:
        out.warn(notice)
    if looking:
        out.say(_layers(prompt))


def explanation(package: ContextPackage) -> str:
    """Return every candidate with its tokens, rank, fate and reason, layer by layer."""
    rows = [
        (
            str(one.candidate.layer),
            str(one.candidate.rank),
            one.candidate.key,
            f"{one.candidate.tokens:,}",
            str(one.fate) if one.fate is not Fate.TRIMMED else f"trimmed to {one.tokens:,}",
            _reason(one),
        )
        for one in package.placed
    ]
    rows += [(str(one.layer), "–", one.key, f"{one.tokens:,}", "skipped", one.reason) for one in package.skipped]
    inputs = "\n".join(f"{name}: {digest}" for name, digest in sorted(package.inputs.items()))
    return f"{_listing(rows)}\n\n{inputs}\n"


def _listing(rows: list[_Row]) -> str:
    """One line for each candidate, or two, layer by layer, where the terminal is too narrow for that."""
    width = width_of(sys.stderr)
    wide = table(("layer", "rank", "entry", "tokens", "fate", "reason"), rows, right=(1, 3))
    if max(map(cell_len, wide.splitlines())) <= width:
        return wide
    lines = []
    for layer, mine in groupby(rows, itemgetter(0)):
        lines.append(f"{layer}")
        for _, rank, entry, tokens, fate, reason in mine:
            lines.append(f"{rank:>4} {tokens:>7} {fate}: {entry}")
            lines += wrap(reason, max(width, 20), initial_indent=" " * 13, subsequent_indent=" " * 13)
    return "\n".join(lines)


def _reason(one: Placed) -> str:
    """Why it fared so, and how it was ranked; the fate itself stands in a column of its own."""
    reason = one.reason.removeprefix(f"{Fate.DROPPED}: ")
    return f"{reason}; {one.candidate.why}" if one.candidate.why else reason


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
    listing = table(("layer", "budget", "used", "kept", "trimmed", "dropped"), rows, right=(1, 2, 3, 4, 5))
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
