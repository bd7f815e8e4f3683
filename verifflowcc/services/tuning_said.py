"""What is suggested for a role's shares, in words and in YAML."""

import json
import re
from collections.abc import Mapping, Sequence

from verifflowcc.domain.config import SHARE_UNIT
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.packing.suggest import FEWEST_RUNS, LayerFindings, Outcome, Suggestion

_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]+")
_NO_WORDS = {"yes", "no", "on", "off", "true", "false", "null"}


def why_of(found: Suggestion, runs: int) -> str:
    """Return why shares are suggested, or none are, in one sentence."""
    lacking = [str(one.layer) for one in found.layers if _lacks(one, runs)]
    match found.outcome:
        case Outcome.TOO_FEW:
            told = (
                "no prompt was" if runs == 0 else "one prompt alone was" if runs == 1 else f"only {runs} prompts were"
            )
            return f"{told} compiled with the shares of now, and a suggestion takes {FEWEST_RUNS}: keep what you have"
        case Outcome.NOTHING_LACKS:
            return "no layer lacked room in half of the prompts: keep what you have"
        case Outcome.NOTHING_TO_GIVE:
            return f"{listed(lacking)} lacked room, and no layer has any to give: keep what you have"
        case Outcome.NO_EFFECT:
            has = "has" if len(lacking) == 1 else "have"
            return (
                f"{listed(lacking)} lacked room, and {has} what others leave over already: other shares would change "
                "nothing, keep what you have"
            )
        case Outcome.CHANGE:
            return _why_changed(found)


def _why_changed(found: Suggestion) -> str:
    gives = [str(one.layer) for one in found.layers if one.suggested < one.share]
    effect = [
        f"{one.layer} {one.replayed_then:,} (now {one.replayed_now:,})"
        for one in found.layers
        if one.replayed_now != one.replayed_then
    ]
    told = f"{listed(gives)} did not need all of {'its' if len(gives) == 1 else 'their'} share in nine of ten prompts"
    return f"{told}; with the suggestion a prompt would lack these tokens: {listed(effect)}" if effect else told


def notes_of(found: Suggestion, runs: int, most: Mapping[Layer, int]) -> tuple[str, ...]:
    """Return what else is to be known: of layers that a larger share would not help, and of a budget that is small."""
    notes = [
        _capped(one, runs, most.get(one.layer, 0)) for one in found.layers if one.capped and 2 * one.capped >= runs
    ]
    short = sum(one.replayed_then for one in found.layers)
    if short and found.outcome not in (Outcome.TOO_FEW, Outcome.NOTHING_LACKS):
        notes.append(
            f"all layers together lack about {short:,} tokens: only a larger budget, or less to load, mends that"
        )
    return tuple(notes)


def _capped(one: LayerFindings, runs: int, most: int) -> str:
    seen = f"in {one.capped} of {runs} prompts"
    if one.layer is Layer.USER and not one.share:
        return (
            f"user has no share and lives on leftovers: more was offered than the {most:,} tokens it may have, {seen}"
        )
    return f"{one.layer} was offered more than its max_tokens ({most:,}) {seen}: no share lets in more, max_tokens does"


def _lacks(one: LayerFindings, runs: int) -> bool:
    return 2 * one.starved >= runs and (one.share > 0 or one.layer is not Layer.USER)


def role_line(role: str, shares: Mapping[Layer, int], budget_tokens: int | None) -> str:
    """Return a role's line as it stands below `token_allocation:`, with its newline.

    >>> role_line("coder", {Layer.AGENT: 650_000, Layer.PROJECT: 350_000}, None)
    '  coder: {agent: 0.65, project: 0.35}\\n'
    """
    parts = [f"{layer}: {share_said(shares.get(layer, 0))}" for layer in PRIORITY if shares.get(layer, 0)]
    budget = [f"budget: {budget_tokens}"] if budget_tokens else []
    plain = _PLAIN_KEY.fullmatch(role) and role.lower() not in _NO_WORDS
    return f"  {role if plain else json.dumps(role)}: {{{', '.join([*parts, *budget])}}}\n"


def share_said(share: int) -> str:
    """Return millionths as the shortest decimal.

    >>> share_said(350_000), share_said(1_000_000), share_said(0)
    ('0.35', '1', '0')
    """
    return f"{share / SHARE_UNIT:.6f}".rstrip("0").rstrip(".")


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> listed(["agent", "stage", "user"])
    'agent, stage and user'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
