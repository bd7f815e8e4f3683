"""Ids as people type and read them: a beginning, or the end of one that begins with its time, as ULIDs do."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.text.ulid import is_ulid

LEAST_ENDING = 4
"""An end of fewer characters than this is more often a slip than an id."""
LISTED = 6


def fitting_ids(wanted: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the id that is `wanted`; where there is none, those that begin with it or, for four characters, end so.

    Capitals do not matter; each id is returned once.

    >>> ids = ["01ABCD", "02ABCD"]
    >>> fitting_ids("01a", ids), fitting_ids("abcd", ids), fitting_ids("cd", ids)
    (('01ABCD',), ('01ABCD', '02ABCD'), ())
    """
    low = wanted.strip().casefold()
    known = {each: each.casefold() for each in ids}
    same = tuple(each for each, folded in known.items() if folded == low)
    if same or not low:
        return same
    ends = len(low) >= LEAST_ENDING
    return tuple(each for each, folded in known.items() if folded.startswith(low) or (ends and folded.endswith(low)))


def ambiguous(wanted: str, found: Sequence[str], what: str) -> str:
    """Return a sentence that lists the ids that an ambiguous one can be.

    >>> ambiguous("01", ["01B", "01A"], "comments")
    '01 can be any of 2 comments: 01A, 01B'
    """
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return f"{wanted} can be any of {len(found)} {what}: {', '.join(sorted(found)[:LISTED])}{more}"


def short_id(name: str, names: Iterable[str], least: int = LEAST_ENDING) -> str:
    """Return the shortest end of an id, `least` characters or more, that no other of `names` has.

    >>> short_id("01ABCD", ["01ABCD", "01XBCD", "01ABCE"])
    'ABCD'
    """
    others = [other for other in names if other != name]
    for length in range(least, len(name)):
        if not any(other.endswith(name[-length:]) for other in others):
            return name[-length:]
    return name


def shown_ids(names: Iterable[str], *, full: bool = False) -> Mapping[str, str]:
    """Return each name as a person reads it: a ULID by its end, unless it is to be `full`; all others as they are.

    >>> list(shown_ids(["plan.md", "01M84NND98A1WQHHME1JSKQW3D"]).values())
    ['plan.md', 'QW3D']
    """
    known = list(dict.fromkeys(names))
    ids = [] if full else [each for each in known if is_ulid(each)]
    return {each: short_id(each, ids) if each in ids else each for each in known}
