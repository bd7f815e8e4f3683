"""ULIDs: 26 characters of Crockford's base 32, 48 bits of time in milliseconds, then 80 bits."""

from verifflowcc.errors import FormatError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
TIME_LENGTH = 10
ENTROPY_BYTES = 10
_LETTERS = frozenset(ALPHABET)


def ulid(milliseconds: int, entropy: bytes) -> str:
    """Return the ULID of a time (since 1970, UTC) and ten bytes.

    Raises FormatError where the time is negative or beyond the year 10889, or the bytes are not ten.

    >>> ulid(1469918176385, bytes(10))
    '01ARYZ6S410000000000000000'
    """
    if not 0 <= milliseconds < 2**48:
        raise FormatError(f"a ULID cannot hold the time {milliseconds} ms")
    if len(entropy) != ENTROPY_BYTES:
        raise FormatError(f"a ULID takes 10 bytes, not {len(entropy)}")
    bits = milliseconds << 80 | int.from_bytes(entropy, "big")
    return "".join(ALPHABET[bits >> shift & 31] for shift in range(125, -1, -5))


def is_ulid(text: str) -> bool:
    """Say whether `text` is a ULID in its one spelling: upper-case, no I, L, O or U, within 128 bits."""
    return len(text) == LENGTH and text[0] <= "7" and _LETTERS.issuperset(text)


def content_part(name: str) -> str:
    """Return the 80 bits that do not come from the clock: what breaks ties between ULIDs."""
    return name[TIME_LENGTH:]
