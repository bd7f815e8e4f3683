"""Digests of content: SHA-256, with CRLF folded to LF for text."""

import hashlib


def fold_newlines(data: bytes) -> bytes:
    """Return `data` with every CRLF as LF, so that a Windows checkout has the digest of any other."""
    return data.replace(b"\r\n", b"\n")


def digest_bytes(data: bytes) -> str:
    """Return `sha256:` and 64 hexadecimal digits.

    >>> digest_bytes(b"")[:20]
    'sha256:e3b0c44298fc1'
    """
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest_text(data: bytes | str) -> str:
    """Return the digest of a text file's content, the same for LF and CRLF.

    >>> digest_text("a\\r\\nb\\r\\n") == digest_text(b"a\\nb\\n")
    True
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return digest_bytes(fold_newlines(raw))
