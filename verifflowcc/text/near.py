"""The nearest valid name to a mistyped one."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None where none is near.

    >>> nearest("alway_load", ["always_load", "max_tokens"])
    'always_load'
    """
    import difflib

    matches = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
