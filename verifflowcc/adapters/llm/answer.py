"""Find the JSON in what a model answered: bare, in a fence, or with prose around it."""

import json
import re
from collections.abc import Iterator, Mapping
from json import JSONDecoder

MOST_ANSWER_BYTES = 256 * 1024
"""More than this is no answer to what was asked; nothing of it is read."""

_MOST_TRIES = 200
_FENCE = re.compile(r"^ {0,3}```[a-zA-Z]*[ \t]*$", re.MULTILINE)


def find_json(text: str, schema: Mapping[str, object]) -> str | None:
    """Return the JSON object in an answer; None where there is none.

    Of several, the last one that has all that the schema requires: a model may show an example first, or repeat the
    schema itself.

    >>> find_json('Here it is:\\n```json\\n{"a": 1}\\n```\\nAnything else?', {"required": ["a"]})
    '{"a": 1}'
    >>> find_json("I will not do that.", {"required": ["a"]}) is None
    True
    """
    found = [*_objects(text)]
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    fitting = [part for part, keys in found if names <= keys]
    return fitting[-1] if fitting else found[-1][0] if found else None


def _objects(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every outermost object with its keys: of the whole, else of each fence, else of the prose."""
    whole = text.strip()
    parts = _FENCE.split(whole)
    for part in (whole, *parts[1::2]):
        keys = _keys(part)
        if keys is not None:
            yield part.strip(), keys
            if part is whole:
                return
    if len(parts) < 3:
        yield from _in_prose(whole)


def _in_prose(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Try each opening brace, of which only so many: a text of nothing but braces must not take for ever."""
    decoder, at = JSONDecoder(), text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield text[at:end], frozenset(value)
        at = text.find("{", end)


def _keys(text: str) -> frozenset[str] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return frozenset(value) if isinstance(value, dict) else None
