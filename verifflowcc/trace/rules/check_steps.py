"""What the trace checks share: the content that an item points to, and the next commands."""

from verifflowcc.base.model.findings import MARK
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.text.canonical import digest_of_named, digest_text
from verifflowcc.trace.rules.answers import implementers
from verifflowcc.trace.rules.trace_view import TraceView

# What an item's code is like now: one digest over all files and symbols that its marks and refs point to.

GONE = "gone"


def pointed_content(view: TraceView, item: TraceItem) -> str:
    """Return the digest of the code that an item names, or that is marked with it.

    Of a symbol its own text counts, wherever it is in the file; of a whole file all of it. An item without code has the
    digest of nothing.
    """
    places = {(place.path, place.symbol) for place in implementers(view, item)}
    lines = [f"{path}\0{symbol}\0{_digest(view, path, symbol)}\n" for path, symbol in sorted(places)]
    return digest_text("".join(lines))


def _digest(view: TraceView, path: str, symbol: str) -> str:
    file = view.code.get(path)
    if symbol:
        return symbol_digest(view, path, symbol) or GONE
    return file.digest if file else view.sources.files.get(path, GONE)


def symbol_digest(view: TraceView, path: str, symbol: str) -> str | None:
    """Return the digest of a symbol's text, None where it is not known."""
    file = view.code.get(path)
    return digest_of_named(each.digest for each in file.symbols if each.name == symbol) if file else None


# The next command after a finding. An id is quoted for the shell where it must be.

_PLAIN = frozenset("-_./:")


def quote(word: str) -> str:
    """Return a word as `shlex.quote` does; that module is imported for the few that need quotes.

    >>> print(quote("REQ-1"), quote("it's"))
    REQ-1 'it'"'"'s'
    """
    if word and word.isascii() and all(each.isalnum() or each in _PLAIN for each in word):
        return word
    from shlex import quote as quoted

    return quoted(word)


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
