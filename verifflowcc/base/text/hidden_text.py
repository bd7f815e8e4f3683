"""Invisible characters that steer a reader or a terminal, and how they are shown.

Controls (with those that begin an escape sequence), bidirectional controls, zero-width characters and fillers, tags,
soft hyphens, private use, halves of pairs, and variation selectors where they vary nothing. Line feeds and tabs stay,
and what belongs to a letter or a picture: joiners inside emoji and inside words of the scripts that need them, and one
variation selector behind a character that has variants. The ranges are written out, so that they are the same whatever
Python reads them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.secrets import find_secrets, withhold

# A word in the place of each secret, in values that are shown as JSON and in the cells of a table.
#
# All strings are looked through at once, since most hold none; only where something is found, each is looked at alone.

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
_APART = "\n" * 8
"""More line ends than any pattern reads over, so that no two strings make a secret of one another."""


def withhold_json(value: Json) -> Json:
    """Return a value with a word for each secret in its strings and names; mostly the value itself.

    What a name says of its value counts: `["password", …]` and `{"password": …}` are read as `password=…`.

    >>> withhold_json({"details": [["password", "Wq7-rT2" + "xK9pZ4"]]})
    {'details': [['password', '[secret withheld: password or key beside its name]']]}
    """
    return _replaced(value) if find_secrets(_APART.join(_strings(value))) else value


def withhold_cells(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows with a word for each secret in their cells, before any of them is cut or folded."""
    if not find_secrets(_APART.join(cell for row in rows for cell in row)):
        return [list(row) for row in rows]
    return [[withhold(cell) for cell in row] for row in rows]


def withhold_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command with a word for each secret; an option speaks of the word behind it.

    >>> withhold_words(["deploy", "--password", "Wq7-rT2" + "xK9pZ4"])[-1]
    '[secret withheld: password or key beside its name]'
    """
    shown: list[str] = []
    for word, before in zip(words, ("", *words), strict=False):
        named = before.startswith("-") and "=" not in before
        beside = _beside(before.lstrip("-"), word) if named else withhold(word)
        shown.append(beside if isinstance(beside, str) else word)
    return tuple(shown)


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield f"{name}={each}" if isinstance(each, str) else name
            yield from _strings(each)
    elif isinstance(value, list):
        if (pair := _pair(value)) is not None:
            yield "=".join(pair)
        for each in value:
            yield from _strings(each)


def _replaced(value: Json) -> Json:
    if isinstance(value, str):
        return withhold(value)
    if isinstance(value, dict):
        return {withhold(name): _beside(name, each) for name, each in value.items()}
    if isinstance(value, list):
        if (pair := _pair(value)) is not None:
            return [withhold(pair[0]), _beside(*pair)]
        return [_replaced(each) for each in value]
    return value


def _pair(value: list[Json]) -> tuple[str, str] | None:
    if len(value) != 2:
        return None
    name, content = value
    return (name, content) if isinstance(name, str) and isinstance(content, str) else None


def _beside(name: str, value: Json) -> Json:
    if not isinstance(value, str):
        return _replaced(value)
    start = len(name) + 1
    whole = f"{name}={value}"
    if any(each.start >= start for each in find_secrets(whole)):
        shown = withhold(whole)
        return shown[start:] if shown.startswith(whole[:start]) else withhold(value)
    return withhold(value)


_PICTURE = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED_SCRIPTS = "\u0600-\u1cff\ua840-\uabff"
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_BEHIND = f"(?<![{_UNSEEN}])"
_STAYS = "|".join(
    (
        f"(?:(?<=[{_PICTURE}]){_BEHIND}|(?<=[{_PICTURE}]\ufe0f))\u200d(?=[{_PICTURE}])(?![{_UNSEEN}])",
        f"(?<=[{_JOINED_SCRIPTS}]){_BEHIND}[\u200c\u200d](?=[{_JOINED_SCRIPTS}])(?![{_UNSEEN}])",
        f"(?<=[#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139{_PICTURE}]){_BEHIND}[\ufe0e\ufe0f]",
        f"(?<=[\u1000-\u109f\u1820-\u18aa\u2200-\u23ff{_IDEOGRAPH}]){_BEHIND}[\ufe00-\ufe0d\u180b-\u180d]",
        f"(?<=[{_IDEOGRAPH}])[\U000e0100-\U000e01ef]",
    )
)
_MAY_BE = lazy_pattern(f"[{_UNSEEN}]")


@cache
def _invisible() -> re.Pattern[str]:
    """Return the pattern of all that may be written out; few texts need it, and it takes longest to compile."""
    return re.compile(f"(?P<stays>{_STAYS})|[{_UNSEEN}]")


def show_invisible(text: str) -> str:
    """Return a text in which each such character is written out; doing it again changes nothing.

    >>> show_invisible("pay \u202eesu\u202c now")
    'pay <U+202E>esu<U+202C> now'
    """
    if not _MAY_BE.search(text):
        return text
    return _invisible().sub(lambda found: found[0] if found["stays"] else _written(found[0]), text)


def count_invisible(text: str) -> int:
    """Return how many characters `show_invisible` writes out."""
    if not _MAY_BE.search(text):
        return 0
    return sum(not found["stays"] for found in _invisible().finditer(text))


def printable(text: str) -> str:
    """Return a text that a terminal only shows: tabs as spaces, line feeds kept, all else that is unseen written out.

    >>> printable("a\\x1b[2Jb")
    'a<U+001B>[2Jb'
    """
    shown = show_invisible(text.expandtabs(4))
    if shown.replace("\n", "").isprintable():
        return shown
    return "".join(each if each.isprintable() or each == "\n" or each in _KEPT else _written(each) for each in shown)


def escape_invisible(json_text: str) -> str:
    """Return JSON that says the same, with each such character inside its strings as an escape.

    >>> escape_invisible('{"title": "a\u202eb"}')
    '{"title": "a\\\\u202eb"}'
    """
    if json_text.isascii() or not _MAY_BE.search(json_text):
        return json_text
    return _MAY_BE.sub(lambda found: found[0] if found[0] in "\r\x7f" else _escaped(found[0]), json_text)


_KEPT = frozenset("\u200c\u200d")


def _written(letter: str) -> str:
    return f"<U+{ord(letter):04X}>"


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
