"""A new item as a file: front matter in one canonical order, then the body.

Only for files that do not exist yet; an existing file is edited (`front_matter.edit`), never written again. What is
empty is left out, so that the file shows what was said.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verifflowcc.base.formats.front_matter_values import show_thousandths
from verifflowcc.base.model.item_values import (
    MEMORY_KEYS,
    ArchiveNote,
    Item,
    ItemKey,
    Link,
    Ref,
    Source,
    Uses,
    ValueKind,
)
from verifflowcc.base.model.lazy import lazy_pattern

# Text of anybody's as text in a page: nothing in it deceives a reader about what is there.

_SHOWN = frozenset("\n\t")


def visible_text(text: str) -> str:
    """Return a text with the number of each character that cannot be seen in its place; nothing is escaped.

    That is control characters, marks of direction and lone halves of characters.

    >>> visible_text("<b> \\u202e")
    '<b> [U+202E]'
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(letter if _shows(letter) else f"[U+{ord(letter):04X}]" for letter in text)


def _shows(letter: str) -> bool:
    return letter.isprintable() or letter in _SHOWN or letter in "\u00a0\u2009\u202f\u3000"


_PLAIN = lazy_pattern(r"[A-Za-z0-9_/][A-Za-z0-9_./@+ -]*(?<! )")
_MEANS_MORE = lazy_pattern(r"(?i)(?:null|true|false|yes|no|on|off|y|n)|[-+.0-9][-+.0-9_:a-fox]*")
_PRINTABLE = lazy_pattern("[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}(?:[T ][0-9:.]+(?:Z|[+-]\d{2}:?\d{2})?)?")


def render_item(item: Item, body: str) -> str:
    """Return the text of an item's file, with LF newlines and a final one."""
    return render_rows(((key.name, _value(key, getattr(item, key.name))) for key in MEMORY_KEYS), body)


def render_rows(rows: Iterable[tuple[str, str | None]], body: str) -> str:
    """Return the text of a file from keys, each with its YAML, and the body; a key without a value is left out."""
    lines = [f"{name}:{'' if value[:1].isspace() else ' '}{value}\n" for name, value in rows if value is not None]
    text = body.replace("\r\n", "\n").strip("\n")
    return "".join(["---\n", *lines, "---\n", f"\n{text}\n" if text else ""])


def render_links(links: Iterable[Link]) -> str:
    """Return links as the one line of YAML that follows `links:`.

    >>> from verifflowcc.base.model.item_values import Relation
    >>> render_links([Link("drop-grep-7q2m", Relation.SUPERSEDES)])
    '[{to: drop-grep-7q2m, relation: supersedes}]'
    """
    return _list(
        _table((("to", link.to), ("relation", str(link.relation)), ("fingerprint", link.fingerprint))) for link in links
    )


def render_uses(uses: Uses) -> str:
    """Return uses as the one line of YAML that follows `uses:`.

    >>> render_uses(Uses(12, "2026-11-20"))
    '{count: 12, last: 2026-11-20}'
    """
    return "{" + f"count: {uses.count}" + (f", last: {_date(uses.last)}" if uses.last else "") + "}"


def render_archived(archived: ArchiveNote) -> str:
    """Return when and why an item was archived: the line of YAML after `archived:`.

    >>> render_archived(ArchiveNote("2026-11-21", "ended", previous_status="active"))
    '{on: 2026-11-21, why: ended, was: active}'
    """
    pairs = (("why", archived.why), ("into", archived.into), ("was", archived.previous_status))
    return (
        "{on: " + archived.on + "".join(f", {name}: {inner(value)}" for name, value in pairs if value is not None) + "}"
    )


def render_tags(tags: Iterable[str]) -> str:
    """Return tags as the one line of YAML that follows `tags:`."""
    return _list(map(scalar, tags))


def render_details(details: Iterable[tuple[str, str]]) -> str:
    """Return details as the one line of YAML that follows `details:`."""
    return _table(details)


def scalar(text: str) -> str:
    """Return a text as one line of YAML, quoted only where it must be.

    >>> scalar("Index with FTS5"), scalar("no"), scalar("a: 'b'"), scalar("010")
    ('Index with FTS5', "'no'", "'a: ''b'''", "'010'")
    """
    if _PLAIN.fullmatch(text) and not _MEANS_MORE.fullmatch(text):
        return text
    if _PRINTABLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(each if _PRINTABLE.fullmatch(each) else _escape(each) for each in escaped)


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def _value(key: ItemKey, value: Any) -> str | None:
    """Return a value as one line of YAML; None where it is left out."""
    if value in (None, (), Uses()) or (value is False and key.kind is ValueKind.TRUTH):
        return None
    return _WRITERS[key.kind or key.name](value)


def _date(text: str) -> str:
    """Return a date without quotes, as people write it."""
    return text if _DATE.fullmatch(text) else scalar(text)


def render_source(source: Source) -> str:
    """Return where an item came from as the one line of YAML that follows `source:`."""
    pairs = ((name, getattr(source, name)) for name in ("project", "session", "origin", "turn", "speaker"))
    return _table((("kind", str(source.kind)), ("actor", source.actor), *pairs))


def _ref(ref: Ref) -> str:
    return _table((("path", ref.path), ("symbol", ref.symbol), ("digest", ref.digest)))


def _table(pairs: Iterable[tuple[str, str | None]]) -> str:
    return "{" + ", ".join(f"{inner(name)}: {inner(value)}" for name, value in pairs if value is not None) + "}"


def inner(text: str) -> str:
    """Return a text inside brackets; a digest or an actor needs no quotes for its colon."""
    if re.fullmatch(r"[a-z][a-z0-9]*:[A-Za-z0-9_./-]+", text):
        return text
    return scalar(text)


def _list(values: Iterable[str]) -> str:
    return "[" + ", ".join(values) + "]"


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    ValueKind.TEXT: scalar,
    ValueKind.WORD: str,
    ValueKind.DECIMAL: show_thousandths,
    ValueKind.WHOLE: str,
    ValueKind.MOMENT: _date,
    ValueKind.TEXTS: render_tags,
    ValueKind.TRUTH: lambda _: "true",
    "links": render_links,
    "source": render_source,
    "refs": lambda refs: _list(map(_ref, refs)),
    "uses": render_uses,
    "details": render_details,
    "archived": render_archived,
}
