"""The lines of a session's file, one at a time: each a JSON object, and a note for each that is none."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from verifflowcc.domain.session_told import Json
from verifflowcc.records import dataclass, field

LONGEST = 16 * 1024 * 1024
"""No line of more bytes is read."""
_MOST_TOLD = 20


@dataclass(slots=True)
class CallLines:
    """The lines of a file called `name`; `notes` are filled while `rows` is read.

    A line that begins with one of `skipped` is left out, unread.
    """

    name: str
    lines: Iterable[bytes]
    skipped: tuple[bytes, ...] = ()
    notes: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the object of each line that holds one."""
        wrong = 0
        for number, line in enumerate(self.lines, 1):
            if self.skipped and line.startswith(self.skipped):
                continue
            row, why = _row(line)
            if row is not None:
                yield row
            elif why:
                wrong += 1
                torn = not line.endswith(b"\n") and len(line) < LONGEST
                if torn or wrong <= _MOST_TOLD:
                    self.notes.append(f"{self.name}:{number}: {_TORN if torn else why}")
        if wrong > _MOST_TOLD:
            self.notes.append(f"{self.name}:1: {wrong:,} lines in all are no JSON objects")


_TORN = "the last line is not whole yet; it is left for next time"


def _row(line: bytes) -> tuple[Mapping[str, Json] | None, str]:
    if len(line) >= LONGEST:
        return None, f"the line is longer than {LONGEST // 1_048_576} MiB; it is left out"
    try:
        value = json.loads(line)
    except UnicodeDecodeError as error:
        return None, f"not UTF-8 at byte {error.start} of the line"
    except (ValueError, RecursionError) as error:
        return None, f"this is no JSON: {error}" if line.strip() else ""
    return (value, "") if isinstance(value, dict) else (None, "this is no JSON object")


def milliseconds(value: Json) -> int | None:
    """Return a moment that a line says, in milliseconds since 1970; None where it says none.

    >>> milliseconds("2026-11-22T13:15:44.461Z"), milliseconds("soon"), milliseconds(None)
    (1795353344461, None, None)
    """
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        moment = found if found.tzinfo else found.replace(tzinfo=UTC)
        since = moment - _EPOCH
    except (ValueError, OverflowError):
        return None
    return max((since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000, 0)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def mapping_at(value: Json, *names: str) -> Mapping[str, Json]:
    """Return the object at a path of names in an object; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def word_at(value: Json, *names: str) -> str:
    """Return the text at a path of names in an object; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def number_at(value: Json, name: str) -> int:
    """Return a whole number from nothing up that an object says; 0 where it says none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**62 else 0
