"""What an item says, in one line, and several such lines without what is said twice."""

import re
from collections.abc import Sequence

from verifflowcc.domain.items import Item

LONGEST = 400
"""Characters of a statement; what is longer ends with …, and stands whole in its item."""
_WORDS = re.compile(r"\w+")


def statement(item: Item, body: str) -> str:
    """Return the first paragraph of an item's text as one line; its title where there is no text.

    A heading at its beginning is left out where there is more.
    """
    for part in re.split(r"\n[ \t]*\n", body.strip()):
        lines = [line for line in part.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        told = " ".join(" ".join(lines).split()).removeprefix("- ")
        if told:
            return _cut(told)
    return _cut(" ".join(item.title.split()))


def without_repeats(statements: Sequence[str]) -> tuple[str, ...]:
    """Return statements in order, without those whose words stand in another one.

    >>> without_repeats(["The cache is cold.", "the cache is cold", "At start the cache is cold."])
    ('At start the cache is cold.',)
    """
    said = [f" {' '.join(_WORDS.findall(each.casefold()))} " for each in statements]
    kept = []
    for place, words in enumerate(said):
        longer = any(words in other and (len(other) > len(words) or at < place) for at, other in enumerate(said))
        if not longer:
            kept.append(statements[place])
    return tuple(kept)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    return (head.rpartition(" ")[0] or head) + "…"
