"""The lines of a session's file, one at a time: each a JSON object, and a note for each that is none."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from verifflowcc.base.records import dataclass, field

# A client's session file is read into the form of its hooks, so that an import and a recording give the same events.

Json = Any


@dataclass(frozen=True, slots=True)
class Tokens:
    """Numbers of tokens. `input` was neither read from a cache nor written to one."""

    input: int = 0
    """Tokens read without a cache."""
    output: int = 0
    cache_read: int = 0
    """Tokens read from a cache."""
    cache_creation: int = 0
    """Tokens written to a cache."""

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_creation + other.cache_creation,
        )

    def beyond(self, other: "Tokens") -> "Tokens":
        """Return how much more there is of each kind than in `other`; never less than nothing.

        >>> Tokens(5, 7).beyond(Tokens(8, 3))
        Tokens(input=0, output=4, cache_read=0, cache_creation=0)
        """
        return Tokens(
            max(self.input - other.input, 0),
            max(self.output - other.output, 0),
            max(self.cache_read - other.cache_read, 0),
            max(self.cache_creation - other.cache_creation, 0),
        )

    @property
    def context(self) -> int:
        """What the model had before it when it answered."""
        return self.input + self.cache_read + self.cache_creation


@dataclass(frozen=True, slots=True)
class HookLine:
    """The words of a hook that a session would have called, at a time in milliseconds since 1970.

    `key` tells it from others of its kind in the session. A live hook has recorded the same where it told of the same
    call, prompt, turn or agent; where the words name none, it has where it spoke between the two times of `around`.
    """

    at: int
    key: str
    words: Mapping[str, Json]
    around: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class TokenSpending:
    """What one message of a model took, or what a client counts beyond its messages (`message` is empty then)."""

    at: int
    key: str
    tokens: Tokens
    model: str = ""
    message: str = ""
    task: str = ""
    agent: str = ""
    agent_type: str = ""


# A torn last line of a transcript is left for the next time: the client may still be writing it.

JsonLinesJson = None | bool | int | float | str | Sequence["JsonLinesJson"] | Mapping[str, "JsonLinesJson"]
_MAX_LINE_NOTES = 20


@dataclass(slots=True)
class JsonLines:
    """The lines of a file; `problems` and `notes` are filled while `rows` is read."""

    name: str
    data: bytes
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[int, Mapping[str, JsonLinesJson]]]:
        """Yield the number of each line that holds an object, and the object."""
        lines = self.data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        broken = 0
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            value, why = _value(line)
            if isinstance(value, Mapping):
                yield number, value
            elif why and number == len(lines) and line.lstrip().startswith(b"{"):
                self.notes.append(f"{self.name}:{number}: the last line is not whole yet; it is left for next time")
            else:
                broken += 1
                if broken <= _MAX_LINE_NOTES:
                    self.problems.append(f"{self.name}:{number}: {why or 'this is no JSON object'}")
        if broken > _MAX_LINE_NOTES:
            self.problems.append(f"{self.name}:1: {broken - _MAX_LINE_NOTES:,} more lines are no JSON objects")


def _value(line: bytes) -> tuple[JsonLinesJson, str]:
    try:
        return json.loads(line.decode("utf-8")), ""
    except UnicodeDecodeError as error:
        return None, f"not UTF-8 at byte {error.start} of the line"
    except (ValueError, RecursionError) as error:
        return None, f"this is no JSON: {error}"


def text_at(value: JsonLinesJson, *names: str) -> str | None:
    """Return the text at a path of names in an object; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else None


def texts_of(content: JsonLinesJson) -> str:
    """Return the text of a message's content: a text, or a list of blocks whose `text` counts.

    >>> texts_of("a"), texts_of([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
    ('a', 'a\\n\\nb')
    """
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    return "\n\n".join(
        text for block in blocks if (text := block if isinstance(block, str) else text_at(block, "text"))
    )


LONGEST = 16 * 1024 * 1024
"""No line of more bytes is read."""
_MAX_CALL_NOTES = 20


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
                if torn or wrong <= _MAX_CALL_NOTES:
                    self.notes.append(f"{self.name}:{number}: {_TORN if torn else why}")
        if wrong > _MAX_CALL_NOTES:
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
