"""Add to a JSON text, and take away from it, without touching a byte of the rest: whose file it is keeps its form.

Places are counted in characters. What is added goes in as insertions alone, so that cutting those out again gives the
text that was there.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

# What vfcc remembers of a file of a client that it wrote into.


@dataclass(frozen=True, slots=True)
class Record:
    """What vfcc wrote into a file, so that it can be undone to the byte.

    `written` is the digest of the file after it, and `before` that of the file before: empty where there was none, None
    where nobody knows. `spans` are the places of what was inserted, in characters: from, up to. `made` are the keys
    that were not there before, `folders` those made for the file.
    """

    client: str
    written: str
    before: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    made: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Span = tuple[int, int]

_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(strict=True)
_FIRST_INDENT = lazy_pattern(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a text: from `start` up to `end`; in an object its key, which begins at `key_start`, else empty."""

    start: int
    end: int
    key: str = ""
    key_start: int = 0

    @property
    def first(self) -> int:
        """Where it begins, with its key."""
        return self.key_start if self.key_start else self.start


def checked(text: str) -> object:
    """Return the value of a JSON text. Raises ValueError, whose words name the line, for what is none."""
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refused, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def whole(text: str) -> Part:
    """Return the one value of a text that is JSON."""
    start = _past_space(text, 1 if text.startswith("\ufeff") else 0)
    return Part(start, len(text.rstrip(_SPACE)))


def parts(text: str, value: Part) -> list[Part]:
    """Return the members of an object, or the elements of a list, in order."""
    found: list[Part] = []
    in_object = text[value.start] == "{"
    at = _past_space(text, value.start + 1)
    while text[at] not in "}]":
        key, key_start = "", 0
        if in_object:
            key_start = at
            key, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(Part(at, end, key, key_start))
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)
    return found


def member(text: str, value: Part, key: str) -> Part | None:
    """Return the member of an object that has a key."""
    return next((each for each in parts(text, value) if each.key == key), None)


def added(text: str, value: Part, new: Sequence[tuple[str, Json]], depth: int) -> tuple[int, str]:
    """Return where to insert what, so that an object gets members, or a list elements, after those that it has.

    `new` are keys, which are left empty for a list, and values; `depth` is how deep in the text `value` lies.
    """
    there = parts(text, value)
    unit, newline = _form(text)
    if not unit:
        joined = ",".join(_spelled(key, each, None) for key, each in new)
        return (there[-1].end, f",{joined}") if there else (value.start + 1, joined)
    inner = (_indent_at(text, there[0].first) if there else None) or unit * (depth + 1)
    lines = [_spelled(key, each, unit).replace("\n", f"{newline}{inner}") for key, each in new]
    joined = f",{newline}{inner}".join(lines)
    if there:
        return there[-1].end, f",{newline}{inner}{joined}"
    after = text[value.start + 1 : _past_space(text, value.start + 1)]
    outer = _indent_at(text, value.first) or unit * depth
    return value.start + 1, f"{newline}{inner}{joined}" + ("" if "\n" in after else f"{newline}{outer}")


def inserted(text: str, new: Iterable[tuple[int, str]]) -> tuple[str, list[Span]]:
    """Return a text with all insertions, and where they are in it: from, up to."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for place, more in sorted(new, key=lambda each: each[0]):
        pieces += [text[at:place], more]
        length += place - at
        spans.append((length, length + len(more)))
        length += len(more)
        at = place
    return "".join((*pieces, text[at:])), spans


def cut(text: str, spans: Iterable[Span]) -> str:
    """Return a text without some of its parts.

    >>> cut(*inserted("[1]", [(2, ", 2")]))
    '[1]'
    """
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def removed(text: str, value: Part, unwanted: Sequence[Part]) -> list[Span]:
    """Return what to cut, so that an object or a list loses some of its parts and the commas that go with them."""
    there = parts(text, value)
    kept = [each for each in there if each not in unwanted]
    if not kept:
        return [(value.start + 1, value.end - 1)] if unwanted else []
    spans: list[Span] = []
    last_kept = 0
    for number, each in enumerate(there):
        if each in kept:
            last_kept = each.end
        elif last_kept:
            spans.append((last_kept if not spans or spans[-1][1] < last_kept else spans[-1][1], each.end))
        else:
            spans.append((each.first, there[number + 1].first))
    return spans


def fresh(value: Json) -> str:
    """Return a value as a new file holds it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _spelled(key: str, value: Json, unit: str | None) -> str:
    text = json.dumps(value, indent=unit, separators=(",", ":") if unit is None else None, ensure_ascii=False)
    colon = ":" if unit is None else ": "
    return f"{json.dumps(key)}{colon}{text}" if key else text


def _form(text: str) -> tuple[str, str]:
    """Return the indentation step (empty where all is on one line) and the line end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if found := _FIRST_INDENT.search(text):
        return found[1], newline
    inside = text.strip(f"{_SPACE}\ufeff")
    return ("  " if "\n" in inside or not inside[1:-1].strip() else ""), newline


def _indent_at(text: str, place: int) -> str | None:
    """Return the space before a place on its line; None where there is anything else."""
    before = text[text.rfind("\n", 0, place) + 1 : place]
    return before if "\n" in text[:place] and not before.strip(" \t") else None


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _refused(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" appears twice in one object')
    return found
