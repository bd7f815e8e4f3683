"""A word in the place of each secret, in values that are shown as JSON and in the cells of a table.

All strings are looked through at once, since most hold none; only where something is found, each is looked at alone.
"""

from collections.abc import Iterator, Sequence

from verifflowcc.text.secrets import find_secrets, withhold

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
    name, said = value
    return (name, said) if isinstance(name, str) and isinstance(said, str) else None


def _beside(name: str, value: Json) -> Json:
    if not isinstance(value, str):
        return _replaced(value)
    start = len(name) + 1
    whole = f"{name}={value}"
    if any(each.start >= start for each in find_secrets(whole)):
        shown = withhold(whole)
        return shown[start:] if shown.startswith(whole[:start]) else withhold(value)
    return withhold(value)
