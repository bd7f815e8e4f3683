"""Fields that only trace items have: links with stamps, reviews, verifications; each fault a flaw with its line."""

from collections.abc import Mapping

from verifflowcc.domain.items import MEMORY_RELATIONS, Link, Stamp, Status
from verifflowcc.domain.trace import Flaw, Verified
from verifflowcc.domain.trace_codes import METHODS
from verifflowcc.formats.fingerprint import read_stamp
from verifflowcc.formats.front_matter_read import Fields, Table, Value, is_null, quoted, texts_of
from verifflowcc.records import dataclass, field
from verifflowcc.text.article import nearest
from verifflowcc.text.dates import read_date

_LINK_KEYS = ("to", "relation", "fingerprint", "by", "on", "reason")
_REVIEW_KEYS = ("fingerprint", "by", "on", "reason")
_VERIFIED_KEYS = ("method", "by", "on", "fingerprint", "content", "saw")
_STATUS_WORDS = {
    **dict.fromkeys(("draft", "proposed", "planned"), Status.PENDING),
    **dict.fromkeys(("retired", "deleted", "obsolete", "withdrawn"), Status.ARCHIVED),
}


@dataclass(slots=True)
class TraceFields(Fields):
    """The front matter of one trace item; what is wrong becomes a flaw `bad-field`, about the key that it stands in."""

    flaws: list[Flaw] = field(default_factory=list)

    def note(self, value: Value, sentence: str) -> None:
        """Add a flaw at the value's line."""
        above = [(each.line, key) for key, each in self.values.items() if each.line <= value.line]
        self.flaws.append(Flaw("bad-field", value.line + self.line_shift, sentence, max(above)[1] if above else ""))

    def life(self) -> Status:
        """Return the status; active, with a flaw, where it is a word for one that has another name here."""
        text = self.text("status")
        meant = _STATUS_WORDS.get(text or "")
        if text and meant:
            allowed = ", ".join(Status)
            self.note(self.values["status"], f"status {quoted(text)} is not one of {allowed} (did you mean {meant}?)")
            return Status.ACTIVE
        return self.word("status", Status, Status.ACTIVE, tuple(Status))

    def method(self) -> str | None:
        """Return the verification method in lower case, also one that is not known (which is a flaw)."""
        text = self.text("verification")
        method = text.lower() if text else None
        if method and method not in METHODS:
            self.note(self.values["verification"], f"verification {_none_of(method, METHODS)}")
        return method

    def planned(self) -> str | None:
        """Return when an item will be built; None where it is, or where it says `false`."""
        text = self.text("planned")
        return None if text == "false" else text

    def stamped_links(self) -> tuple[Link, ...]:
        """Return the links that are whole, whatever their relation; those of the memory's relations are left out."""
        found: list[Link] = []
        for value, to, relation, parts in self.whole_links():
            if relation not in MEMORY_RELATIONS:
                line = value.line + self.line_shift
                mark = None if parts.keys() == _PLAIN_LINK else self._link_stamp(value, parts, to)
                found.append(Link(to, relation, line, mark))
        return tuple(found)

    def review(self) -> Stamp | None:
        """Return the stamp of the item's own review."""
        value = self.values.get("reviewed")
        if value is None or is_null(value):
            return None
        if not isinstance(value, Table):
            self.note(value, "reviewed must be a mapping with fingerprint, by and on; it is ignored")
            return None
        said = texts_of(value)
        self._known_keys(value, said, _REVIEW_KEYS, "a review")
        return self._stamp(value, said, "a review", ends=1)

    def verified(self) -> Verified | None:
        """Return a person's word that the item was verified; None, with a flaw, where a part of it is missing."""
        value = self.values.get("verified")
        if value is None or is_null(value):
            return None
        said = texts_of(value)
        missing = [key for key in _VERIFIED_KEYS if not said.get(key)]
        if missing:
            self.note(value, f"verified needs {', '.join(missing)}; it is ignored")
            return None
        self._known_keys(value, said, _VERIFIED_KEYS, "verified")
        method = (said["method"] or "").lower()
        if method not in METHODS:
            self.note(value, f"the method of verified {_none_of(method, METHODS)}")
        self._demand_date(value, said, "verified")
        return Verified(method, *(said[key] or "" for key in _VERIFIED_KEYS[1:]))

    def _link_stamp(self, value: Value, said: Mapping[str, str | None], to: str) -> Stamp | None:
        about = f"the link to {to}"
        self._known_keys(value, said, _LINK_KEYS, about)
        if not any(said.get(key) for key in _LINK_KEYS[2:]):
            return None
        return self._stamp(value, said, about, ends=2)

    def _stamp(self, value: Value, said: Mapping[str, str | None], about: str, ends: int) -> Stamp | None:
        mark = said.get("fingerprint")
        if not mark:
            self.note(value, f"{about} has no fingerprint, so the reviewed version is unknown; its stamp is ignored")
            return None
        parts = read_stamp(mark)
        if parts is None or (parts.comparable and len(parts.digests) != ends):
            self.note(value, f"the fingerprint {quoted(mark)} of {about} is no stamp of vfcc; it never matches")
        self._demand_date(value, said, about)
        reason = (said["reason"] or "") if "reason" in said else None  # there and empty: cleared with no reason
        return Stamp(mark, said.get("by"), said.get("on"), reason)

    def _demand_date(self, value: Value, said: Mapping[str, str | None], about: str) -> None:
        day = said.get("on")
        if day and read_date(day) is None:
            self.note(value, f"`on` {quoted(day)} of {about} is not a date")

    def _known_keys(self, value: Value, said: Mapping[str, str | None], known: tuple[str, ...], about: str) -> None:
        for key in said:
            if key not in known:
                self.note(value, f"{about} has the unknown key {key}; {_ask(key, known)}")


def _none_of(text: str, known: tuple[str, ...]) -> str:
    near = nearest(text, known)
    return f"{quoted(text)} is not one of {', '.join(known)}" + (f" (did you mean {near}?)" if near else "")


def _ask(name: str, known: tuple[str, ...]) -> str:
    near = nearest(name, known)
    return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


_PLAIN_LINK = frozenset({"to", "relation"})
