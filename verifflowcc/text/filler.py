"""Words that only hold a place: TODO, "to be written", "your text here", and the mock Latin of printers."""

import re
from collections.abc import Sequence

LONGEST_PHRASE = 12
"""No stock phrase, nor two of them, has more words; what is longer was written for this place."""

FEWEST_LATIN = 5
"""Fewer words may be Latin by chance, unless they begin as the mock Latin begins."""

_DONE = "written|done|defined|determined|decided|completed|added|provided|announced|confirmed|specified|described"
_BEFORE = r"(?:(?:this|the) )?(?:\w+ )?(?:(?:is|are|has|have|needs|still|yet) )*"
_PHRASES = (
    r"todo|to do|tbd|t b d|tbc|tba|fixme|xxx+|wip|na|n a|null|placeholder|changeme|(?:change|replace) me",
    r"work in progress|coming soon|to follow",
    rf"{_BEFORE}to be (?:{_DONE}|documented|filled(?: in)?)(?: (?:later|soon|here))?",
    rf"not (?:yet )?(?:{_DONE}|documented)(?: yet)?",
    r"(?:please )?(?:still )?(?:to )?fill (?:(?:me|this|it|them|these) )?in(?: (?:here|later|this|the blanks?))?",
    r"(?:your|insert|add|write|put|enter|describe|type)(?: \w+){0,5} here",
    r"(?:\w+ )?(?:text|content|details|description) goes here",
)
_ONE = "|".join(f"(?:{phrase})" for phrase in _PHRASES)
_STOCK = re.compile(rf"(?:{_ONE})(?: (?:{_ONE}))*")
_LATIN = frozenset(
    "ad adipiscing aliqua aliquip amet anim aute cillum commodo consectetur consequat culpa cupidatat deserunt do "
    "dolor dolore duis ea eiusmod elit enim esse est et eu ex excepteur exercitation fugiat id in incididunt ipsum "
    "irure labore laboris laborum lorem magna minim mollit nisi non nostrud nulla occaecat officia pariatur proident "
    "qui quis reprehenderit sed sint sit sunt tempor ullamco ut velit veniam voluptate".split()
)


def is_stock(words: Sequence[str]) -> bool:
    """Say whether `words`, in lower case, are stock phrases and nothing else.

    >>> is_stock(["todo"]), is_stock("this is to be written later".split()), is_stock("the todo list".split())
    (True, True, False)
    """
    return 0 < len(words) <= LONGEST_PHRASE and _STOCK.fullmatch(" ".join(words)) is not None


def is_mock_latin(words: Sequence[str]) -> bool:
    """Say whether `words`, in lower case, begin with "lorem ipsum", or are mock Latin in four of five.

    >>> is_mock_latin("lorem ipsum dolor".split()), is_mock_latin("sed ut magna dolore velit".split())
    (True, True)
    >>> is_mock_latin("sed in".split())
    False
    """
    if list(words[:2]) == ["lorem", "ipsum"]:
        return True
    return len(words) >= FEWEST_LATIN and sum(word in _LATIN for word in words) * 5 >= len(words) * 4
