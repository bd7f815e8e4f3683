"""How a compiled prompt is delivered, its account shown, and two prompts compared."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.model.config_values import WHOLE
from verifflowcc.base.model.entries import ContextPackage, Fate, LayerUse, PartUse, PlacedCandidate, Prompt
from verifflowcc.base.model.layers import PRIORITY
from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.terminal import UNBOUNDED, width_of

if TYPE_CHECKING:
    from verifflowcc.prompt.use.prompt_diff import Comparison


# Every candidate of a prompt with its fate and the reason, as `--explain` shows it.

_Row = tuple[str, str, str, str, str, str]
_INDENT = " " * 14


def explanation(package: ContextPackage) -> str:
    """Return every candidate with its tokens, rank, fate and reason, and the digests of what is no entry."""
    rows = [_placed(one) for one in package.placed]
    rows += [(str(one.layer), "–", one.key, f"{one.tokens:,}", "skipped", one.reason) for one in package.skipped]
    inputs = "\n".join(f"{name}: {digest}" for name, digest in sorted(package.inputs.items()))
    return f"{_listing(rows, width_of(sys.stderr))}\n\n{_account(package)}\n\n{inputs}\n"


def _account(package: ContextPackage) -> str:
    """How many typed items the role is offered, and what each lifetime has of the prompt."""
    caps = ", ".join(
        f"{number} {name.replace('_', ' ')}" for name, number in sorted(package.caps.items(), reverse=True)
    )
    tiers = ", ".join(f"{tier} {tokens:,}" for tier, tokens in package.tiers.items())
    lines = [f"offered: up to {caps}", f"tokens by lifetime: {tiers}"]
    total = sum(use.tokens for use in package.code.values())
    if total:
        uses = (_used(name, use, total) for name, use in package.code.items())
        lines.append(f"code: {', '.join(uses)} of {total:,} tokens")
    return "\n".join(lines)


def _used(part: str, use: PartUse, total: int) -> str:
    return f"{part} {use.tokens * 100 // total} % (share {use.share * 100 / WHOLE:g} %)"


def _placed(one: PlacedCandidate) -> _Row:
    """Return the reason without the fate, which has a column of its own."""
    reason = one.reason.removeprefix(f"{Fate.DROPPED}: ")
    return (
        str(one.candidate.layer),
        str(one.candidate.rank),
        one.candidate.key,
        f"{one.candidate.tokens:,}",
        str(one.outcome) if one.outcome is not Fate.TRIMMED else f"trimmed to {one.tokens:,}",
        _why(one, reason),
    )


def _why(one: PlacedCandidate, reason: str) -> str:
    """The reason, why it does not hold any more or is stale, the virtual source with its lifetime, and the score."""
    candidate = one.candidate
    source = f"{candidate.origin} ({candidate.tier})" if candidate.origin else ""
    stale = f"stale: {candidate.stale}" if candidate.stale else ""
    return "; ".join(part for part in (reason, candidate.invalid_reason, stale, source, candidate.why) if part)


def _listing(rows: list[_Row], width: int) -> str:
    """One line for each candidate; where the terminal is too narrow for that, two, under the name of the layer."""
    from verifflowcc.base.terminal.table import table

    wide = table(("layer", "rank", "entry", "tokens", "fate", "reason"), rows, right=(1, 3), width=10_000)
    if max(map(len, wide.splitlines())) <= width or width == UNBOUNDED:
        return wide
    lines = []
    for layer in PRIORITY:
        mine = [row for row in rows if row[0] == layer]
        lines += [f"{layer}", *(line for row in mine for line in _two_lines(row, width))] if mine else []
    return "\n".join(lines)


def _two_lines(row: _Row, width: int) -> list[str]:
    from textwrap import wrap  # its expressions are compiled at its import

    _, rank, entry, tokens, fate, reason = row
    why = wrap(reason, max(width, 40), initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    return [f"{rank:>4} {tokens:>7}  {fate}: {entry}", *why]


def deliver(text: str, path: Path | None) -> None:
    """Write a prompt to `path`, or to stdout where there is none: the same bytes.

    Secrets are withheld already. On a terminal what comes after it is a line apart.
    """
    if path is not None:
        from verifflowcc.base.files.text_files import write_given

        write_given(path, text if text.endswith("\n") else text + "\n")
        return
    out.emit(text, withheld=True, paint=_in_colour)
    if sys.stdout.isatty() and out.person_is_looking():
        out.say("")


def _in_colour(text: str) -> str:
    from verifflowcc.memory.cli.painting import markdown

    return markdown(text)


def account(prompt: Prompt, *, looking: bool, more: Sequence[str] = ()) -> None:
    """Say on stderr what must be known (warnings, always) and what a person wants to see (the table per layer)."""
    for notice in (*prompt.notices, *more):
        out.warn(notice)
    if looking:
        out.say(_layers(prompt))


def comparison(found: "Comparison") -> str:
    """Return what came, went or changed between two prompts, and the difference in tokens."""
    from verifflowcc.base.terminal.table import table

    rows = [
        (change.change, str(change.layer), change.key, f"{change.left_tokens:,}", f"{change.right_tokens:,}")
        for change in found.changes
    ]
    listing = table(("", "layer", "entry", found.left, found.right), rows, right=(3, 4))
    total = found.right_tokens - found.left_tokens
    summary = f"{found.left_tokens:,} → {found.right_tokens:,} tokens ({total:+,}); {found.same} entries are the same"
    return f"{listing}\n{summary}" if rows else summary


def _layers(prompt: Prompt) -> str:
    from verifflowcc.base.terminal.table import table

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
