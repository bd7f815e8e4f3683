"""The nearest valid name to a mistyped one."""

from collections.abc import Collection, Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None where none is near.

    >>> nearest("alway_load", ["always_load", "max_tokens"])
    'always_load'
    """
    import difflib

    matches = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def nearest_start(name: str, known: Collection[str]) -> str | None:
    """Return the known name most like `name`, else the first one that begins most like it; None where none is near.

    >>> nearest_start("REQ-Timeuot", ["REQ-Timeout-of-the-session-in-all-clients-k3f9"])
    'REQ-Timeout-of-the-session-in-all-clients-k3f9'
    """
    begun = {each[: len(name)]: each for each in sorted(known, reverse=True)}
    return nearest(name, known) or begun.get(nearest(name, begun) or "")
