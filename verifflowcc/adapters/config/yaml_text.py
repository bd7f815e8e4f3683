"""The bytes of a YAML file → text, and a syntax error → a sentence that says what to write instead."""

import re

from verifflowcc.adapters.config.read import too_large
from verifflowcc.errors import ConfigError

_CONTROL = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CANNOT_BEGIN = "@`%"


def decode(data: bytes | str, name: str, limit_bytes: int, first_line: int = 1) -> str:
    """Return the text without a byte order mark.

    Raises ConfigError where it is too large, not UTF-8, or holds control characters.
    """
    if len(data) > limit_bytes:
        raise ConfigError((too_large(name, len(data), limit_bytes),))
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError((_not_utf8(data, name, error.start, first_line),)) from error
    else:
        text = data
    text = text.removeprefix("\ufeff")
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + first_line
        raise ConfigError((f"{name}:{line}: the control character U+{ord(found[0]):04X} is not allowed in YAML",))
    return text


def _not_utf8(data: bytes, name: str, offset: int, first_line: int) -> str:
    line = data.count(b"\n", 0, offset) + first_line
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{name}:{line}: the file is UTF-16; save it as UTF-8"
    return f"{name}:{line}: byte {data[offset]:#04x} at offset {offset} is not UTF-8; save the file as UTF-8"


def syntax_sentence(text: str, at: tuple[int, int], problem: str, context: str) -> str:
    """Say what is wrong at (line, column), both from 0, where the parser gave up with `problem` in `context`."""
    lines = re.split("\r\n|[\n\r\x85\u2028\u2029]", text)
    line = lines[at[0]] if at[0] < len(lines) else ""
    rest = line[at[1] :]
    if line.lstrip(" ").startswith("\t") or rest.startswith("\t"):
        return "YAML does not allow tabs for indentation; indent with spaces"
    if "alias" in context:
        word = line[max(0, line.rfind("*", 0, at[1] + 1)) :].strip()
        return f"{word} begins with *, which YAML takes for an alias; put it in quotes"
    if rest[:1] and rest[0] in _CANNOT_BEGIN and "cannot start" in problem:
        return f"a value cannot begin with {rest[0]} unless it is in quotes"
    return f"this is not YAML: {problem}{', ' + context if context else ''}"
