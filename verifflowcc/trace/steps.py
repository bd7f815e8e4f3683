"""The next command after a finding. An id is quoted for the shell where it must be."""

from shlex import quote

from verifflowcc.domain.catalogue import MARK


def review(item_id: str) -> str:
    """Look at an item and stamp it, with its links that have no stamp."""
    return f"vfcc trace review {quote(item_id)}"


def clear(item_id: str, to: str) -> str:
    """Say that a suspect link still holds, and why."""
    return f'vfcc trace review {quote(item_id)} --to {quote(to)} --reason "…"'


def why(item_id: str) -> str:
    """See an item's whole story."""
    return f"vfcc trace why {quote(item_id)}"


def link(item_id: str) -> str:
    """Link an item to what is above it."""
    return f"vfcc trace link {quote(item_id)} PARENT"


def unlink(item_id: str, to: str) -> str:
    """Take a link out."""
    return f"vfcc trace unlink {quote(item_id)} {quote(to)}"


def add(kind: str) -> str:
    """Make an item."""
    return f'vfcc trace add {quote(kind)} "…"'


def add_below(kind: str, parent: str, relation: str) -> str:
    """Make an item that answers another."""
    return f"{add(kind)} --parent {quote(parent)} --relation {quote(relation)}"


def verify(item_id: str) -> str:
    """Say that an item was verified, and what one saw."""
    return f'vfcc trace verify {quote(item_id)} --saw "…"'


def edit(path: str, line: int) -> str:
    """Open a file at a line."""
    return f"edit {path}:{line}"


def mark(item_id: str) -> str:
    """Mark a test with an item that it verifies."""
    return f"{MARK}{item_id}"
