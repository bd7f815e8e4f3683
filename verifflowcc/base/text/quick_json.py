"""JSON read and written with the C parts of Python's own module alone: the module itself imports `re` and `enum`.

For programs that start, do one thing and end within milliseconds. `read` gives what `json.loads` does.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    Json = Any


class _DecoderContext:
    """What the C scanner asks of a decoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the annotation that ruff wants lives in typing


def read(text: str) -> "Any":
    """Return the value that a text spells. Raises ValueError for anything else, or what is nested too deep."""
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    try:
        value, end = make_scanner(_DecoderContext())(text, len(text) - len(text.lstrip(" \t\r\n")))  # type: ignore[arg-type]
    except (StopIteration, RecursionError, SystemError) as error:
        # SystemError: without the json package the scanner has no class for what is wrong with the text
        raise ValueError("no JSON") from error
    if text[end:].strip(" \t\r\n"):
        raise ValueError("more than one value")
    return value


def write(value: object) -> str:
    """Return a value as JSON on one line, in ASCII, with keys in the order in which they stand.

    Raises ValueError for what JSON does not have, what is not finite, and what is nested too deep.

    >>> write({"b": [1, True, None], "a": "é"})
    '{"b":[1,true,null],"a":"\\\\u00e9"}'
    """
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    encode = make_encoder({}, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
    try:
        return "".join(encode(value, 0))
    except (RecursionError, TypeError) as error:
        raise ValueError("no JSON") from error


def _refuse(value: object) -> object:
    raise ValueError(f"a {type(value).__name__} has no JSON")
