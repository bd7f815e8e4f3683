"""How what memory did is shown to a person: its counters, its indicators, and a model's use beside the caps."""

from typing import TYPE_CHECKING

from verifflowcc.cli.output import folded
from verifflowcc.cli.table import table

if TYPE_CHECKING:
    from verifflowcc.services.memory.metrics import Indicator, ModelUse
    from verifflowcc.services.memory.statistics import Numbers


def metrics(found: "Numbers") -> list[str]:
    """Return the counters, the indicators, and what a model took today."""
    of = found.metrics
    since = f"counted since {of.since}" if of.since else "nothing was counted yet"
    lines = ["", table((since, "number"), [(name, f"{number:,}") for name, number in of.counters.items()], right=(1,))]
    if of.fallbacks:
        causes = ", ".join(f"{number:,} {why}" for why, number in of.fallbacks.items())
        lines.append(folded(f"fallbacks: {causes}", 2))
    lines += ["", *(f"{each.name}: {_value(each)}" for each in of.indicators)]
    return [*lines, "", _model(found.model)]


def _value(each: "Indicator") -> str:
    return each.why if each.value is None else f"{each.value:g} ({each.why})"


def _model(use: "ModelUse") -> str:
    if use.name is None and not use.calls_today:
        return "model: none is named in your own settings; rules extract"
    today = (
        f"{use.calls_today:,} of {use.max_calls_per_day:,} calls and "
        f"{use.tokens_today:,} of {use.max_tokens_per_day:,} tokens today"
    )
    calls = f"{use.max_calls_per_turn:,} {'call' if use.max_calls_per_turn == 1 else 'calls'}"
    turn = f"a turn has at most {calls} and {use.max_tokens_per_turn:,} tokens"
    return folded(f"model {use.name or 'none'}: {today}; {turn}", 2)
