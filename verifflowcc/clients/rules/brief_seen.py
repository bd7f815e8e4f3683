"""What a session has seen in its briefs, kept as one line, so that a later brief can hold the difference alone."""

import json
from collections.abc import Iterable

from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text

_MARK = " brief "
OWED, RULE = "owed ", "rule "
"""How the identity of an entry begins that names a criterion or an item, whose end is worth a line."""
OVER = "over "
"""How the identity of an entry begins that says what is no longer owed or in force; the kind and the names follow."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SeenBrief:
    """The entries that a session has seen, as digests; the criteria that were owed, and the ids of the rules shown."""

    entries: frozenset[str] = frozenset()
    owed: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()

    def holds(self, identity: str) -> bool:
        """Return whether the session has seen an entry that says the same, and was not shown its end since."""
        known = self.owed if identity.startswith(OWED) else self.rules if identity.startswith(RULE) else None
        return _digest(identity) in self.entries and (known is None or _name(identity) in known)

    def with_entries(self, identities: Iterable[str]) -> "SeenBrief":
        """Return it after a brief with these entries."""
        found = list(identities)
        return SeenBrief(
            self.entries | frozenset(map(_digest, found)),
            (self.owed - _over(OWED, found)) | frozenset(_name(each) for each in found if each.startswith(OWED)),
            (self.rules - _over(RULE, found)) | rules_in(found),
        )

    @property
    def line(self) -> str:
        """The line of the list of what a session has seen."""
        kept = {"entries": sorted(self.entries), "owed": sorted(self.owed), "rules": sorted(self.rules)}
        return _MARK + json.dumps(kept, separators=(",", ":"))


def rules_in(identities: Iterable[str]) -> frozenset[str]:
    """Return the ids of the rules among entries of a brief."""
    return frozenset(_name(each) for each in identities if each.startswith(RULE))


def last_seen(lines: Iterable[str]) -> SeenBrief | None:
    """Return what the last brief left of what a session has seen; None without a brief, or where its line is damaged.

    >>> last_seen(["a.py", SeenBrief().with_entries(["owed plan missing"]).line]).owed
    frozenset({'plan'})
    """
    found = [line for line in lines if line.startswith(_MARK)]
    try:
        kept = json.loads(found[-1].removeprefix(_MARK)) if found else None
        return SeenBrief(*(frozenset(map(str, kept[name])) for name in ("entries", "owed", "rules"))) if kept else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _over(kind: str, identities: Iterable[str]) -> frozenset[str]:
    start = f"{OVER}{kind}"
    return frozenset(name for each in identities if each.startswith(start) for name in each[len(start) :].split(" "))


def _name(identity: str) -> str:
    return identity.split(" ")[1]


def _digest(identity: str) -> str:
    return digest_text(identity).partition(":")[2][:_DIGITS]
