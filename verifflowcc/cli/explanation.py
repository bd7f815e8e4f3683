"""Every candidate of a prompt with its fate and the reason, as `--explain` shows it."""

import sys
from textwrap import wrap

from verifflowcc.cli.table import UNBOUNDED, table, width_of
from verifflowcc.domain.config import WHOLE
from verifflowcc.domain.entries import ContextPackage, Fate, PartUse, Placed
from verifflowcc.domain.layers import PRIORITY

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


def _placed(one: Placed) -> _Row:
    """The fate stands in a column of its own, so the reason does not begin with it."""
    reason = one.reason.removeprefix(f"{Fate.DROPPED}: ")
    return (
        str(one.candidate.layer),
        str(one.candidate.rank),
        one.candidate.key,
        f"{one.candidate.tokens:,}",
        str(one.fate) if one.fate is not Fate.TRIMMED else f"trimmed to {one.tokens:,}",
        _why(one, reason),
    )


def _why(one: Placed, reason: str) -> str:
    """The reason, why it does not hold any more or is stale, the virtual source with its lifetime, and the score."""
    candidate = one.candidate
    source = f"{candidate.origin} ({candidate.tier})" if candidate.origin else ""
    stale = f"stale: {candidate.stale}" if candidate.stale else ""
    return "; ".join(part for part in (reason, candidate.standing, stale, source, candidate.why) if part)


def _listing(rows: list[_Row], width: int) -> str:
    """One line for each candidate; where the terminal is too narrow for that, two, under the name of the layer."""
    wide = table(("layer", "rank", "entry", "tokens", "fate", "reason"), rows, right=(1, 3), width=10_000)
    if max(map(len, wide.splitlines())) <= width or width == UNBOUNDED:
        return wide
    lines = []
    for layer in PRIORITY:
        mine = [row for row in rows if row[0] == layer]
        lines += [f"{layer}", *(line for row in mine for line in _two_lines(row, width))] if mine else []
    return "\n".join(lines)


def _two_lines(row: _Row, width: int) -> list[str]:
    _, rank, entry, tokens, fate, reason = row
    why = wrap(reason, max(width, 40), initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    return [f"{rank:>4} {tokens:>7}  {fate}: {entry}", *why]
