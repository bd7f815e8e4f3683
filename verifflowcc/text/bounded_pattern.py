"""Regular expressions from a repository, bounded before they are run: a hostile one must not hang who only reads."""

import re

MOST_REPEATS = 3
LONGEST_LINE = 300
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_POSSESSIVE_GROUP = re.compile(r"\)\?\+")
_REPEAT = re.compile(r"[*+]|\{\d*,?\d*\}")
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")


def pattern_fault(pattern: str) -> str | None:
    """Return why a pattern cannot be used: it is no regular expression, or it could take for ever; None if it can.

    At most three repeats and no repeated group leave at most a cubic search, over lines of at most 300 characters.

    >>> pattern_fault("(REQ|NEED)-[0-9]+"), pattern_fault("(a+)+b")
    (None, 'it repeats a group, which can take for ever; repeat single characters')
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression: {error}"
    if _BACK_REFERENCE.search(pattern):
        return "it refers back to a group, which can take for ever"
    plain = _CLASS.sub("x", _ESCAPE.sub("x", pattern))
    if _REPEATED_GROUP.search(plain):
        return "it repeats a group, which can take for ever; repeat single characters"
    if _POSSESSIVE_GROUP.search(plain):
        return "it has a possessive group, which Python before 3.11.5 matches wrongly; write ? in place of ?+"
    repeats = len(_REPEAT.findall(plain))
    if repeats > MOST_REPEATS:
        return f"it has {repeats} repeats; more than {MOST_REPEATS} can take for ever"
    return None


def finds(pattern: re.Pattern[str], text: str) -> bool:
    """Say whether a pattern with no fault is found in a line of `text`, in its first 300 characters."""
    return any(pattern.search(line[:LONGEST_LINE]) for line in text.splitlines())
