"""Ids of items: the slug of the title and four letters that the caller drew."""

import re

from verifflowcc.text.slug import slug

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without the look-alikes i, l, o and u."""

LETTERS = 4

GIVEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,118}")
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
