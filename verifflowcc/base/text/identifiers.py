"""Names that are safe as a folder on every system, as a word in a command and in a URL."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from verifflowcc.base.model.lazy import lazy_pattern

LONGEST = 40
_SHAPE = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)


def slug(title: str, otherwise: str) -> str:
    """Return a lower-case ASCII name of at most 40 characters for `title`; `otherwise` where nothing of it remains.

    >>> slug("Café: log in!", "sprint"), slug("登录", "sprint"), slug("CON", "sprint")
    ('cafe-log-in', 'sprint', 'sprint-con')
    """
    import re
    import unicodedata  # a library of its own, which no hook needs

    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode("ascii")
    name = _shorten("-".join(re.findall(r"[a-z0-9]+", plain.lower().replace("'", ""))), LONGEST)
    if not name:
        return otherwise
    return f"{otherwise}-{name}" if name in _RESERVED else name


def numbered(name: str, number: int) -> str:
    """Return `name` with `-number` behind it, shortened so that both fit.

    >>> numbered("login", 2)
    'login-2'
    """
    tail = f"-{number}"
    return name[: LONGEST - len(tail)].rstrip("-") + tail


def is_slug(name: str) -> bool:
    """Say whether `name` could be a slug: the pattern, the length, and no name that some system reserves."""
    return len(name) <= LONGEST and _SHAPE.fullmatch(name) is not None and name not in _RESERVED


def _shorten(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    head = name[: longest + 1].rpartition("-")[0]
    return head if len(head) >= longest // 2 else name[:longest].rstrip("-")


# Ids of items: the slug of the title and four letters that the caller drew.

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without the look-alikes i, l, o and u."""

LETTERS = 4

GIVEN_ID = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,118}")
"""An id that somebody chose: it names a file."""


def item_id(title: str, letters: str) -> str:
    """Return the id of a new item; `letters` are four of `ALPHABET`, drawn at random by the caller.

    Raises ValueError where the letters are not that.

    >>> item_id("Index with FTS5", "k3f9"), item_id("登录", "7q2m")
    ('index-with-fts5-k3f9', 'item-7q2m')
    """
    if len(letters) != LETTERS or not set(letters) <= set(ALPHABET):
        raise ValueError(f"{letters!r} is not {LETTERS} letters of {ALPHABET}")
    return f"{slug(title, 'item')}-{letters}"


# ULIDs: 26 characters of Crockford's base 32, 48 bits of time in milliseconds, then 80 bits.

ULID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
TIME_LENGTH = 10
ENTROPY_BYTES = 10
_LETTERS = frozenset(ULID_ALPHABET)


def ulid(milliseconds: int, entropy: bytes) -> str:
    """Return the ULID of a time (since 1970, UTC) and ten bytes.

    Raises FormatError where the time is negative or beyond the year 10889, or the bytes are not ten.

    >>> ulid(1469918176385, bytes(10))
    '01ARYZ6S410000000000000000'
    """
    if not 0 <= milliseconds < 2**48 or len(entropy) != ENTROPY_BYTES:
        from verifflowcc.base.errors import FormatError  # hooks draw ids, and need no error of ours otherwise

        if len(entropy) != ENTROPY_BYTES:
            raise FormatError(f"a ULID takes 10 bytes, not {len(entropy)}")
        raise FormatError(f"a ULID cannot hold the time {milliseconds} ms")
    bits = milliseconds << 80 | int.from_bytes(entropy, "big")
    return "".join(ULID_ALPHABET[bits >> shift & 31] for shift in range(125, -1, -5))


def is_ulid(text: str) -> bool:
    """Say whether `text` is a ULID in its one spelling: upper-case, no I, L, O or U, within 128 bits."""
    return len(text) == LENGTH and text[0] <= "7" and _LETTERS.issuperset(text)


def content_part(name: str) -> str:
    """Return the 80 bits that do not come from the clock: what breaks ties between ULIDs."""
    return name[TIME_LENGTH:]


# Ids as people type and read them: a beginning, or the end of one that begins with its time, as ULIDs do.

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


def only_fitting(wanted: str, ids: Iterable[str], what: str, *, hint: str) -> str | None:
    """Return the one id that `wanted` can be, as in `fitting_ids`; None where there is none.

    Raises UsageError where there are several.
    """
    known = tuple(ids)
    found = fitting_ids(wanted, known)
    if len(found) > 1:
        from verifflowcc.base.errors import UsageError

        shown = shown_ids(known)
        raise UsageError(ambiguous(wanted, [shown[each] for each in found], what), hint=hint)
    return found[0] if found else None


def short_ids(names: Iterable[str]) -> Mapping[str, str]:
    """Return each id by its shortest end of four characters or more that no other has, in time that grows with n log n.

    Sorted by their last characters, the name that shares the longest end with another is next to it.

    >>> short_ids(["01ABCD", "01XBCD", "01ABCE"])
    {'01ABCD': 'ABCD', '01XBCD': 'XBCD', '01ABCE': 'ABCE'}
    """
    known = list(dict.fromkeys(names))
    turned = sorted(name[::-1] for name in known)
    shared = [_shared(one, other) for one, other in pairwise(turned)]
    found = {}
    for name, *both in zip(turned, [0, *shared], [*shared, 0], strict=False):
        length = max(LEAST_ENDING, max(both) + 1)
        found[name[::-1]] = name[:length][::-1]
    return {name: found[name] for name in known}


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def shown_ids(names: Iterable[str], *, full: bool = False) -> Mapping[str, str]:
    """Return each name as a person reads it: a ULID by its end, unless it is to be `full`; all others as they are.

    >>> list(shown_ids(["plan.md", "01M84NND98A1WQHHME1JSKQW3D"]).values())
    ['plan.md', 'QW3D']
    """
    known = list(dict.fromkeys(names))
    short = {} if full else short_ids(each for each in known if is_ulid(each))
    return {each: short.get(each, each) for each in known}
