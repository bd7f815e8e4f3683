"""Hold what a command prints with `--json` against the schema that is published for it.

`tests/cli/process.py` asks this of every command that a test runs with `--json`, whatever the test is about.
"""

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.forked import TRIED
from verifflowcc.base.model.command_words import spelled_today, split_globals

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


def check_document(arguments: Sequence[str | bytes], code: int, printed: str) -> None:
    """Assert that `printed` is one document, in the shape that is published for the command; a killed one has none."""
    typed = [each for each in arguments if isinstance(each, str)]
    words, _ = spelled_today(split_globals(typed)[2])
    if code < 0 or "--json" not in words or words[0] == "hook" or "--help" in words or os.environ.get(TRIED):
        return
    validator(schema_of(words).name)(json.loads(printed))


def schema_of(words: Sequence[str]) -> Path:
    """Return the schema of the command that a command line begins with; that of failures where there is none."""
    names = ["-".join(words[:length]) for length in range(3, 0, -1)]
    found = (SCHEMAS / f"{name}.json" for name in names if "/" not in name and len(name) < 80)
    return next((path for path in found if path.is_file()), SCHEMAS / "failure.json")


@cache
def validator(name: str) -> Callable[[Any], Any]:
    """Return what raises for a value that does not fit the schema of that name."""
    import fastjsonschema

    compiled: Callable[[Any], Any] = fastjsonschema.compile(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))
    return compiled
