"""One field of an item at a time: from front matter's values to ours, with a notice where a value cannot be used.

Nothing here raises: a prompt must still compile when somebody wrote `importance: high`, and the person must be told.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from operator import methodcaller
from typing import TypeVar

from verifflowcc.domain.item_keys import ItemKey, Kind
from verifflowcc.domain.items import Archived, Link, Ref, Relation, Source, SourceKind, Stamp, Uses
from verifflowcc.formats.front_matter_read import Scalar, Sequence, Table, Value
from verifflowcc.records import dataclass, field
from verifflowcc.text.dates import read_moment
from verifflowcc.text.near import nearest

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_NUMBER = re.compile(r"\+?(\d*)(?:\.(\d*))?")
_T = TypeVar("_T")


@dataclass(slots=True)
class Fields:
    """The front matter of one file; `line_shift` turns a line of the block into one of the file."""

    path: str
    values: Mapping[str, Value]
    line_shift: int = 1
    notices: list[str] = field(default_factory=list)

    def note(self, value: Value, sentence: str) -> None:
        """Add a notice that begins with the file and the value's line."""
        self.notices.append(f"{self.path}:{value.line + self.line_shift}: {sentence}")

    def text(self, name: str) -> str | None:
        """Return a scalar's text as written; None where it is missing, null or no scalar."""
        value = self.values.get(name)
        if value is None or is_null(value):
            return None
        if isinstance(value, Scalar):
            return " ".join(value.text.split())
        self.note(value, f"{name} is {_shape(value)}, not a text; it is ignored")
        return None

    def word(self, name: str, known: Callable[[str], _T], default: _T, allowed: tuple[str, ...]) -> _T:
        """Return one of the allowed words as `known` makes it a value, else the default."""
        text = self.text(name)
        if text is None:
            return default
        try:
            return known(text)
        except ValueError:
            self.note(
                self.values[name], f"{name} {quoted(text)} is not one of {_choice(text, allowed)}; {default} is used"
            )
            return default

    def thousandths(self, name: str, default: int) -> int:
        """Return a number from 0 to 1 in thousandths, else the default."""
        text = self.text(name)
        if text is None:
            return default
        value = read_thousandths(text)
        if value is None:
            said = f"{name} {quoted(text)} is not a number from 0 to 1"
            self.note(self.values[name], f"{said}; {show_thousandths(default)} is used")
            return default
        return value

    def moment(self, name: str) -> str | None:
        """Return an ISO date or date-time, else None."""
        text = self.text(name)
        moment = read_moment(text) if text else None
        if text and moment is None:
            self.note(self.values[name], f"{name} {quoted(text)} is not a date; it is ignored")
        return moment

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a scalar is a list of what its commas part."""
        value = self.values.get(name)
        if isinstance(value, Scalar):
            return tuple(part.strip() for part in (self.text(name) or "").split(",") if part.strip())
        texts = [each.text for each in self._list(name) if isinstance(each, Scalar) and not is_null(each)]
        if isinstance(value, Sequence) and len(texts) < len(value.values):
            self.note(value, f"{name} holds what is no text; that is ignored")
        return tuple(" ".join(text.split()) for text in texts)

    def links(self) -> tuple[Link, ...]:
        """Return the links that are whole and whose relation is known."""
        found = []
        for value, to, relation, parts in self.whole_links():
            mark = parts.get("fingerprint")
            if relation not in set(Relation):
                near = f"relation {quoted(relation)} is not one of {_choice(relation, tuple(Relation))}"
                self.note(value, f"{near}; the link is ignored")
            else:
                found.append(Link(to, relation, stamp=Stamp(mark) if mark else None))
        return tuple(found)

    def whole_links(self) -> Iterator[tuple[Value, str, str, Mapping[str, str | None]]]:
        """Yield each link that has both parts: the value, its end, its relation, and the texts of all its keys."""
        for value in self._list("links"):
            parts = texts_of(value)
            to, relation = parts.get("to"), parts.get("relation")
            if to and relation:
                yield value, to, relation, parts
            else:
                self.note(value, "a link needs `to` and `relation`; it is ignored")

    def refs(self) -> tuple[Ref, ...]:
        """Return the places in code; a plain text is a path."""
        found = []
        for value in self._list("refs"):
            path = value.text.strip() if isinstance(value, Scalar) else member(value, "path")
            if path:
                found.append(Ref(path, member(value, "symbol"), member(value, "digest")))
            else:
                self.note(value, "a ref needs `path`; it is ignored")
        return tuple(found)

    def source(self) -> Source:
        """Return where the item came from; explicit, by a human, where nothing is said."""
        value = self.values.get("source")
        if value is None or is_null(value):
            return Source()
        kind = value.text.strip() if isinstance(value, Scalar) else member(value, "kind")
        if isinstance(value, Sequence) or (kind is not None and kind not in set(SourceKind)):
            said = quoted(kind) if kind else "a list"
            self.note(value, f"source {said} is not one of {_choice(kind or '', tuple(SourceKind))}; explicit is used")
            kind = None
        names = (member(value, name) for name in ("project", "session", "origin", "turn", "speaker"))
        return Source(SourceKind(kind or "explicit"), member(value, "actor") or "human", *names)

    def uses(self) -> Uses:
        """Return how often the item was used and when last; none where nothing is said."""
        value = self.values.get("uses")
        if value is None or is_null(value):
            return Uses()
        count, last = member(value, "count"), member(value, "last")
        day = read_moment(last) if last else None
        if not isinstance(value, Table) or not whole_number(count or "0") or (last and day is None):
            self.note(value, "uses needs a whole `count` and a date `last`; it is ignored")
            return Uses()
        return Uses(int(count or "0"), day)

    def archived(self) -> Archived | None:
        """Return when and why the item was put away; None where nothing is said, or by somebody's own key."""
        value = self.values.get("archived")
        on = member(value, "on") if value is not None else None
        day = read_moment(on) if on else None
        if value is None or day is None:
            return None
        return Archived(day[:10], member(value, "why") or "", member(value, "into"), member(value, "was"))

    def truth(self, name: str) -> bool:
        """Return true or false; false where the key is missing."""
        text = self.text(name)
        if text not in {None, "true", "false"}:
            self.note(self.values[name], f"{name} {quoted(text or '')} is not true or false; false is used")
        return text == "true"

    def whole(self, name: str) -> int | None:
        """Return a whole number from 0 up, else None."""
        text = self.text(name)
        if text is not None and not whole_number(text):
            self.note(self.values[name], f"{name} {quoted(text)} is no whole number; it is ignored")
            return None
        return None if text is None else int(text)

    def details(self) -> tuple[tuple[str, str], ...]:
        """Return the texts of the mapping `details`, in its order; of a key that stands twice, the last."""
        value = self.values.get("details")
        if value is None or is_null(value):
            return ()
        if not isinstance(value, Table):
            self.note(value, f"details is {_shape(value)}, not a mapping; it is ignored")
            return ()
        found = {key: text for key, _ in value.pairs if (text := member(value, key)) is not None}
        if any(not isinstance(each, Scalar) for _, each in value.pairs):
            self.note(value, "details holds what is no text; that is ignored")
        return tuple(found.items())

    def _list(self, name: str) -> tuple[Value, ...]:
        value = self.values.get(name)
        if value is None or is_null(value):
            return ()
        if isinstance(value, Sequence):
            return value.values
        self.note(value, f"{name} is {_shape(value)}, not a list; it is ignored")
        return ()


_READERS: Mapping[Kind, Callable[[Fields, str], object]] = {
    Kind.TEXT: Fields.text,
    Kind.WHOLE: Fields.whole,
    Kind.MOMENT: Fields.moment,
    Kind.TEXTS: Fields.words,
    Kind.TRUTH: Fields.truth,
}


def reader_of(key: ItemKey) -> Callable[[Fields], object]:
    """Return what reads the value of a key whose default depends on nothing else."""
    if key.kind is None:
        return methodcaller(key.name)
    read, name = _READERS[key.kind], key.name
    return lambda fields: read(fields, name)


def whole_number(text: str) -> bool:
    """Say whether a text is a whole number from 0 up, in at most 18 digits.

    >>> whole_number("12"), whole_number("-1"), whole_number("1.0")
    (True, False, False)
    """
    return text.isascii() and text.isdecimal() and len(text) <= 18


def read_thousandths(text: str) -> int | None:
    """Return a number from 0 to 1, written in decimals, in thousandths; None where it is not that.

    >>> read_thousandths("0.9"), read_thousandths("1"), read_thousandths(".8555"), read_thousandths("high")
    (900, 1000, 856, None)
    """
    found = _NUMBER.fullmatch(text)
    if found is None or not (found[1] or found[2]) or len(found[1]) > 20 or not text.isascii():
        return None
    decimals = (found[2] or "") + "0000"
    value = int(found[1] or "0") * 1000 + int(decimals[:3]) + (decimals[3] >= "5")
    return value if value <= 1000 and int(found[1] or "0") <= 1 else None


def show_thousandths(value: int) -> str:
    """Return thousandths as the shortest decimal.

    >>> show_thousandths(850), show_thousandths(1000), show_thousandths(0)
    ('0.85', '1', '0')
    """
    return f"{value // 1000}.{value % 1000:03d}".rstrip("0").rstrip(".")


def is_null(value: Value) -> bool:
    """Say whether YAML means nothing by this value."""
    return isinstance(value, Scalar) and value.plain and value.text in _NULL


def member(value: Value, name: str) -> str | None:
    """Return the text of one key of a mapping; None where it is missing, null or no text."""
    return texts_of(value).get(name)


def texts_of(value: Value) -> dict[str, str | None]:
    """Return the texts of a mapping; None for a key whose value is null or no text. Empty where it is no mapping."""
    if not isinstance(value, Table):
        return {}
    return {key: _text(each) for key, each in value.pairs}


def _text(value: Value) -> str | None:
    if not isinstance(value, Scalar) or (value.plain and value.text in _NULL):
        return None
    return value.text.strip() or None


def quoted(text: str) -> str:
    """Return a text for a notice: in quotes, at most 60 characters."""
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'


def _shape(value: Value) -> str:
    return {Scalar: "a text", Sequence: "a list", Table: "a mapping"}[type(value)]


def _choice(text: str, allowed: tuple[str, ...]) -> str:
    near = nearest(text, allowed)
    return ", ".join(allowed) + (f" (did you mean {near}?)" if near else "")
