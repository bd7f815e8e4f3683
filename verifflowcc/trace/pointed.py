"""What an item's code is like now: one digest over all files and symbols that its marks and refs point to."""

from verifflowcc.domain.trace import TraceItem
from verifflowcc.formats.symbols_braces import digest_of_named
from verifflowcc.text.canonical import digest_text
from verifflowcc.trace.answers import implementers
from verifflowcc.trace.view import TraceView

GONE = "gone"


def pointed_content(view: TraceView, item: TraceItem) -> str:
    """Return the digest of the code that an item points to, or that points to it (`sha256:…`).

    Of a symbol its own text counts, wherever in the file it stands; of a whole file all of it. An item without code has
    the digest of nothing.
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
    """Return the digest of a symbol's text; None where the file or the symbol is not known."""
    file = view.code.get(path)
    return digest_of_named(each.digest for each in file.symbols if each.name == symbol) if file else None
