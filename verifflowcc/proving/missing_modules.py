"""Modules that a run of tests lacked and that are not the project's own: they are not installed in its environment."""

import re
from collections.abc import Collection, Iterable

_MISSING = re.compile(r"No module named '([\w.]+)'|Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w-][\w.-]*)")


def missing_modules(messages: Iterable[str], paths: Collection[str]) -> tuple[str, ...]:
    """Return the modules that failures name as missing, sorted; the names in the project's `paths` are its own.

    >>> missing_modules(["No module named 'pytz.zoneinfo'", "No module named 'shop.a'"], ["shop/b.py"])
    ('pytz',)
    """
    own = {part.partition(".")[0] for path in paths for part in path.split("/")}
    found = (match for message in messages for match in _MISSING.finditer(message))
    names = {match[2] or match[1].partition(".")[0] for match in found}
    return tuple(sorted(name for name in names if name.partition("/")[0] not in own))
