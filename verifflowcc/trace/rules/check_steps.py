"""The findings of the trace checks, and how many things each check examined."""

from collections import Counter
from collections.abc import Iterable

from verifflowcc.base.model.findings import MARK
from verifflowcc.base.model.trace_codes import CHECKS, TracePolicy
from verifflowcc.base.model.trace_values import CheckCount, Finding, Severity, TraceItem
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


_ORDER = {severity: number for number, severity in enumerate(Severity)}


class FindingCollector:
    """Collects findings; those of a check that is off are not kept.

    A finding's `message` is one sentence, `step` the next command, `about` tells it from others of its code and item,
    `also` are further files that it is about.
    """

    def __init__(self, policy: TracePolicy) -> None:
        self._weights = {code: policy.severities.get(code, check.severity) for code, check in CHECKS.items()}
        self._asked: Counter[str] = Counter()
        self._passed_over: Counter[str] = Counter()
        self.found: list[Finding] = []

    def on(self, *codes: str) -> bool:
        """Say whether any of these checks is asked at all."""
        return any(self._weights[code] is not Severity.OFF for code in codes)

    def ask(self, codes: Iterable[str], count: int, passed_over: int = 0) -> None:
        """Add to the number of things that checks examined, and skipped as planned."""
        for code in codes:
            self._asked[code] += count
            self._passed_over[code] += passed_over

    def item(
        self, code: str, item: TraceItem, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something of an item, at a line of its file."""
        weight = self._weights[code]
        if weight is not Severity.OFF:
            family = CHECKS[code].family
            self.found.append(
                Finding(code, family, weight, item.id, item.type, item.path, line, message, step, about, tuple(also))
            )

    def place(
        self, code: str, path: str, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something that is about no item."""
        weight = self._weights[code]
        if weight is not Severity.OFF:
            family = CHECKS[code].family
            self.found.append(Finding(code, family, weight, "", "", path, line, message, step, about, tuple(also)))

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in their stable order: severity, path, line, code, about."""
        order = _ORDER
        return tuple(
            sorted(
                self.found,
                key=lambda each: (
                    order[each.severity], each.path, each.line, each.code, each.about, each.item, each.message
                ),
            )
        )  # fmt: skip

    def asked(self) -> tuple[CheckCount, ...]:
        """Return each active check with its denominator, in the order of the table."""
        found = Counter(each.code for each in self.found)
        return tuple(
            CheckCount(code, weight, self._asked[code], found[code], self._passed_over[code])
            for code, weight in self._weights.items()
            if weight is not Severity.OFF
        )
