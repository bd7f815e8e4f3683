"""Lines of JSON of a transcript: each an object, with what is broken told, and a torn last line left for next time."""

import json
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.records import dataclass, field

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
_MOST_TOLD = 20


@dataclass(slots=True)
class JsonLines:
    """The lines of a file; `problems` and `notes` are filled while `rows` is read."""

    name: str
    data: bytes
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[int, Mapping[str, Json]]]:
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
                if broken <= _MOST_TOLD:
                    self.problems.append(f"{self.name}:{number}: {why or 'this is no JSON object'}")
        if broken > _MOST_TOLD:
            self.problems.append(f"{self.name}:1: {broken - _MOST_TOLD:,} more lines are no JSON objects")


def _value(line: bytes) -> tuple[Json, str]:
    try:
        return json.loads(line.decode("utf-8")), ""
    except UnicodeDecodeError as error:
        return None, f"not UTF-8 at byte {error.start} of the line"
    except (ValueError, RecursionError) as error:
        return None, f"this is no JSON: {error}"


def text_at(value: Json, *names: str) -> str | None:
    """Return the text at a path of names in an object; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else None


def texts_of(content: Json) -> str:
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
