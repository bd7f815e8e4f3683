"""Figures that a test reports and does not assert: `make sweep` shows them at its end."""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / ".memory" / "local" / "reports" / "figures.jsonl"


def report(name: str, **figures: object) -> None:
    """Add a line of figures, under the name of what they are of."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"of": name, **figures}, sort_keys=False) + "\n")
