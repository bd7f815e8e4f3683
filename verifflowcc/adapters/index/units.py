"""Units as a line of JSON, for the index of files."""

import json
from collections.abc import Sequence

from verifflowcc.domain.recall import Unit


def units_to_text(units: Sequence[Unit]) -> str:
    """Return units as JSON."""
    rows = [
        [each.terms, each.thread, each.place, each.day, each.asks, each.ends_asking, each.timed, each.heading]
        for each in units
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def units_from_text(text: str) -> tuple[Unit, ...]:
    """Return the units that `units_to_text` wrote."""
    return tuple(Unit(tuple(terms), *rest) for terms, *rest in json.loads(text))
