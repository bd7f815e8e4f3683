"""Lines of the log of runs: `{"at":…,"agent":…,"budget":…,"room":…,"layers":{"agent":[…]}}`.

Five numbers for each layer, as in `LayerRun`: its share, its own tokens, those that it used, wanted and was offered.
Beside numbers there is the role's name: no text and no path.
"""

import json
from collections.abc import Iterable

from verifflowcc.domain.config import SHARE_UNIT
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.records import dataclass
from verifflowcc.text.dates import read_moment

MOST_TOKENS = 1_000_000_000_000
"""The largest number that a line may have."""
LONGEST_NAME = 255
KEPT = 200
"""Runs of a role that stay when the log is made smaller, the latest."""
_NUMBERS = 5
_LAYERS = {layer.value: layer for layer in Layer}


@dataclass(frozen=True, slots=True)
class Runs:
    """What a log says, in its order. `bad` lines say nothing."""

    runs: tuple[Run, ...] = ()
    bad: int = 0


def run_line(run: Run) -> bytes:
    """Return the line, with its newline.

    >>> run_line(Run("2026-11-21T14:00:00Z", "coder", 900, 850, (LayerRun(Layer.AGENT, 1_000_000, 850, 20, 20, 20),)))
    b'{"at":"2026-11-21T14:00:00Z","agent":"coder","budget":900,"room":850,"layers":{"agent":[1000000,850,20,20,20]}}\\n'
    """
    layers = {
        one.layer.value: [one.share, one.own_tokens, one.used_tokens, one.wanted_tokens, one.offered_tokens]
        for one in run.layers
    }
    value = {
        "at": run.at,
        "agent": run.agent,
        "budget": run.budget_tokens,
        "room": run.room_tokens,
        "layers": layers,
    }
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def read_runs(data: bytes) -> Runs:
    """Return what the lines say, torn and foreign ones left out and counted."""
    found = [read_run(line) for line in data.split(b"\n") if line]
    runs = tuple(each for each in found if each is not None)
    return Runs(runs, len(found) - len(runs))


def read_run(line: bytes) -> Run | None:
    """Return what a line says; None for one that says nothing."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    at, agent, given = value.get("at"), value.get("agent"), value.get("layers")
    budget, room = _tokens(value.get("budget")), _tokens(value.get("room"))
    if not (isinstance(at, str) and read_moment(at) and isinstance(agent, str) and 0 < len(agent) <= LONGEST_NAME):
        return None
    if not (isinstance(given, dict) and given and budget and room):
        return None
    layers = [_layer(name, numbers) for name, numbers in given.items()]
    known = tuple(each for each in layers if each is not None)
    return Run(at, agent, budget, room, known) if len(known) == len(layers) else None


def latest_runs(data: bytes) -> bytes:
    """Return the log with the last lines of each role alone, in their order; of those that say nothing too."""
    kept: list[bytes] = []
    seen: dict[str, int] = {}
    for line in reversed(data.split(b"\n")):
        run = read_run(line) if line else None
        whose = run.agent if run else ""
        if line and seen.get(whose, 0) < KEPT:
            seen[whose] = seen.get(whose, 0) + 1
            kept.append(line)
    return _joined(reversed(kept))


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _layer(name: str, numbers: object) -> LayerRun | None:
    if name not in _LAYERS or not isinstance(numbers, list) or len(numbers) != _NUMBERS:
        return None
    known = [each for each in map(_tokens, numbers) if each is not None]
    if len(known) != _NUMBERS:
        return None
    share, own, used, wanted, offered = known
    sound = share <= SHARE_UNIT and used <= wanted <= offered
    return LayerRun(_LAYERS[name], share, own, used, wanted, offered) if sound else None


def _tokens(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if whole and isinstance(value, int) else None
