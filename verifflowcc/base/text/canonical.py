"""Canonical JSON: one spelling for each value, so that bytes can be compared and digested.

The subset of RFC 8785 that needs no floating point: UTF-8, keys sorted by UTF-16 code units, no spaces, whole numbers
only. `canonical` makes the bytes; `parse_canonical` accepts no other spelling.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.lazy import lazy_pattern

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Iterable

# Digests of content: SHA-256, with CRLF folded to LF for text.

_LONG_BYTES = 1 << 18
encode_short = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
"""Writes a value that holds itself nowhere as JSON without spaces, its keys in their order."""


def sha256(data: bytes) -> "hashlib._Hash":
    """Return the SHA-256 of `data`, of little data by Python's own code: OpenSSL is faster and takes long to load.

    >>> sha256(b"").hexdigest()[:16]
    'e3b0c44298fc1c14'
    """
    if len(data) < _LONG_BYTES and "hashlib" not in sys.modules:
        try:
            if sys.version_info >= (3, 12):
                from _sha2 import sha256 as own
            else:
                from _sha256 import sha256 as own  # type: ignore[import-not-found]
        except ImportError:
            pass  # this Python was built without it
        else:
            made: hashlib._Hash = own(data)
            return made
    from hashlib import sha256 as fast

    return fast(data)


def sha1(data: bytes) -> "hashlib._Hash":
    """Return the SHA-1 of `data`, as git names its contents, in the same way.

    >>> sha1(b"").hexdigest()[:16]
    'da39a3ee5e6b4b0d'
    """
    if len(data) < _LONG_BYTES and "hashlib" not in sys.modules:
        try:
            from _sha1 import sha1 as own  # type: ignore[import-not-found]
        except ImportError:
            pass  # this Python was built without it
        else:
            made: hashlib._Hash = own(data, usedforsecurity=False)
            return made
    from hashlib import sha1 as fast

    return fast(data, usedforsecurity=False)


def fold_newlines(data: bytes) -> bytes:
    """Return `data` with every CRLF as LF, so that a Windows checkout has the digest of any other."""
    return data.replace(b"\r\n", b"\n")


def digest_bytes(data: bytes) -> str:
    """Return `sha256:` and 64 hexadecimal digits.

    >>> digest_bytes(b"")[:20]
    'sha256:e3b0c44298fc1'
    """
    return "sha256:" + sha256(data).hexdigest()


def digest_text(data: bytes | str) -> str:
    """Return the digest of a text file's content, the same for LF and CRLF.

    >>> digest_text("a\\r\\nb\\r\\n") == digest_text(b"a\\nb\\n")
    True
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return digest_bytes(fold_newlines(raw))


def digest_of_named(digests: "Iterable[str]") -> str | None:
    """Return the digest of all symbols of one name; None where there is none."""
    found = sorted(digests)
    return found[0] if len(found) == 1 else digest_text("\n".join(found)) if found else None


# The bytes of a file as text, and what a merge left in them.

_MARKERS = lazy_pattern(rb"(?ms)^<{7} [^\n]*\n.*?^={7}\r?\n.*?^>{7} ")
"""What a merge leaves in a file where both sides changed the same lines."""


def decode(path: str, data: bytes) -> str:
    """Return a file's text.

    Raises FormatError, with file, line and byte, where it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{path}:{line}: not UTF-8: byte {error.start} (0x{data[error.start]:02x}) begins no character",
            hint=f"iconv -f WINDOWS-1252 -t UTF-8 {path}",
        ) from error


def conflict_line(data: bytes) -> int | None:
    """Return the line of the first conflict that a merge left open; None where there is none.

    >>> conflict_line(b"title: x\\n<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n")
    2
    """
    found = _MARKERS.search(data) if b"<<<<<<< " in data else None
    return data.count(b"\n", 0, found.start()) + 1 if found else None


# Canonical JSON.

LARGEST = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly (RFC 7493)."""

DEEPEST = 32
_LONG_NUMBER = lazy_pattern(r"[0-9]{16}")
"""What a number beyond `LARGEST` has in its text."""


def canonical(value: Json) -> bytes:
    """Return the one spelling of `value`, without a final newline.

    Raises FormatError for a fraction, a whole number beyond ±(2^53 − 1), a lone surrogate, a key that is not text, a
    value nested deeper than 32, or anything that is not JSON.

    >>> canonical({"b": [1, None], "a": "é"})
    b'{"a":"\\xc3\\xa9","b":[1,null]}'
    """
    text = json.dumps(_ordered(value, 0), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"canonical JSON: a lone surrogate (U+{ord(text[error.start]):04X}) is no text") from error


def parse_canonical(data: bytes) -> Json:
    """Return the value that `data` spells; `canonical` of it gives `data` again.

    Raises FormatError where `data` is not UTF-8, not JSON, or JSON in any other spelling.
    """
    try:
        text = data.decode("utf-8")
        value: Json = json.loads(text, parse_float=_refuse_number, parse_constant=_refuse_number)
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error
    if not _in_order(value, text) and canonical(value) != data:
        raise FormatError(
            "not canonical JSON: key order, spaces, escapes or a doubled key differ from what vfcc writes"
        )
    return value


def _in_order(value: Json, text: str) -> bool:
    """Return whether a value that was read from `text` is surely canonical; False where only `canonical` can say.

    Events are read far more often than they are written, and the encoder of `json` sorts keys as fast as it writes.
    Its order is that of UTF-16 as long as no character takes two units; numbers and depth are looked at apart.
    """
    if not (text.isascii() or max(text) < "\ud800") or _LONG_NUMBER.search(text) or not _shallow(value, 0):
        return False
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")) == text


def _shallow(value: Json, depth: int) -> bool:
    """Return whether no list or object lies deeper than `canonical` allows."""
    if depth >= DEEPEST:
        return False
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_shallow(part, depth + 1) for part in parts if type(part) in (dict, list))


def _refuse_number(text: str) -> NoReturn:
    raise FormatError(f"canonical JSON: {text} is no whole number")


def _ordered(value: Json, depth: int) -> Json:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise FormatError(f"canonical JSON: {value} is beyond ±{LARGEST}")
        return value
    if depth >= DEEPEST:
        raise FormatError(f"canonical JSON: nested deeper than {DEEPEST}")
    if isinstance(value, Mapping):
        return {key: _ordered(value[key], depth + 1) for key in sorted(value, key=_code_units)}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_ordered(part, depth + 1) for part in value]
    raise FormatError(f"canonical JSON: a {type(value).__name__} has no spelling")


def _code_units(key: str) -> bytes:
    if not isinstance(key, str):
        raise FormatError(f"canonical JSON: the key {key!r} is not text")
    return key.encode("utf-16-be", "surrogatepass")
