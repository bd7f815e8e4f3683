"""Read an `Item` from a file's parts.

Front matter counts first, then the folder, the text and the name, then the defaults.
"""

import re
from collections.abc import Mapping
from typing import Any

from verifflowcc.base.formats.front_matter_values import Fields, FieldTable, Value, quoted, reader_of
from verifflowcc.base.model.item_values import (
    DEFAULT_CONFIDENCE,
    KNOWN_KEYS,
    MEMORY_KEYS,
    NOTE,
    TYPES,
    DecisionFacts,
    DecisionStatus,
    Item,
    Recency,
    Source,
    Status,
    Trust,
    item_type,
    scope_of,
    type_of_path,
)
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.dates import date_in_name, number_in_name, read_date
from verifflowcc.base.text.markdown import Section, open_fence, sections
from verifflowcc.base.text.plain_words import nearest

# Plain decision records without our front matter: facts from the heading, header lines and status.
#
# Understands the customs of Nygard's records, adr-tools and MADR, and small departures from them. Only the record's
# head and its status are read; a sentence elsewhere that speaks of another record is prose.

_NUMBERED = lazy_pattern(
    r"(?P<word>(?:ADR|Decision|RFC)[ #:_-]*)?(?P<number>\d{1,6})(?P<mark>[.):]| *[-–—:]+ )? *(?=\D)(?P<title>.*)", re.I
)
_HEADER = lazy_pattern(r"[\s>*_+|-]*(?P<label>[A-Za-z][A-Za-z -]{2,20}?)[\s*_]*[:|][\s*_|]*(?P<value>.*)")
_DATE_LABELS = frozenset({"date", "decided", "decided on", "decision date", "date decided"})
_STATUS_LABELS = frozenset({"status", "state", "decision status"})
_RELATION_LABELS = lazy_pattern(r"super[sc]ede[sd]?|superseded by|superceded by|replaces|replaced by|amended by", re.I)
_STRUCK = lazy_pattern(r"~~.*?~~")
_HEAD_LINES = 30
_STATUS_LINES = 8

_WORDS = (
    (DecisionStatus.REJECTED, r"not accepted|rejected|declined|abandoned|withdrawn|cancelled"),
    (DecisionStatus.SUPERSEDED, r"super[sc]eded|replaced|obsoleted"),
    (DecisionStatus.DEPRECATED, r"deprecated|obsolete|retired"),
    (DecisionStatus.ACCEPTED, r"accepted|approved|adopted|decided|implemented|amended"),
    (
        DecisionStatus.PROPOSED,
        r"proposed|proposal|draft|incomplete|pending|in review|under (?:review|discussion)|wip|open",
    ),
)
_STATUS_WORD = lazy_pattern("|".join(rf"(?P<{status.value}>\b(?:{words})\b)" for status, words in _WORDS), re.I)
_EMOJI = {"✅": "accepted", "❌": "rejected", "🤔": "proposed", "⌛": "superseded", "♻": "accepted"}

_PARTLY = lazy_pattern(r"\b(?:partly|partially|in part)\b", re.I)
_SUPERSEDED_BY = lazy_pattern(r"\b(?:super[sc]eded|replaced|obsoleted)\s+by\b:?(?P<rest>.*)", re.I)
_SUPERSEDES = lazy_pattern(r"\b(?:super[sc]edes|replaces|obsoletes)\b:?(?P<rest>.*)", re.I)
_AMENDED_BY = lazy_pattern(r"\bamended\s+by\b:?(?P<rest>.*)", re.I)
_TARGET = lazy_pattern(
    r"\[\[(?P<wiki>[^\]|#]+)[^\]]*\]\]"
    r"|\[[^\]]*\]\(<?(?P<link>[^)\s>#]+)[^)]*\)"
    r"|(?P<file>[\w./-]+\.md)\b"
    r"|\b(?:ADR|Decision|RFC)[ #:_-]*(?P<named>\d{1,6})\b"
    r"|(?<![\w./-])#?(?P<number>\d{1,4})(?![\w/-])",
    re.I,
)


def decision_facts(text: str, name: str = "") -> DecisionFacts:
    """Return the facts in the text of a record.

    `text` has LF newlines, `name` is its file's name.

    >>> facts = decision_facts("# 7. Use X\\n\\nDate: 05/02/2018\\n\\n## Status\\n\\nSuperseded by [9](0009-y.md)\\n")
    >>> facts.title, facts.number, facts.date, facts.status.value, facts.superseded_by
    ('Use X', 7, '2018-02-05', 'superseded', ('0009-y.md',))
    """
    parts = sections(text)
    title, number = _heading(parts, name)
    header, status_lines = _parts(text, parts)
    dates = [date for label, value in header if label in _DATE_LABELS and (date := read_date(value))]
    lines = [value for label, value in header if label in _STATUS_LABELS]
    lines += [f"{label} {value}" for label, value in header if _RELATION_LABELS.fullmatch(label)]
    status = status_facts(lines + status_lines)
    return DecisionFacts(
        title,
        number,
        dates[0] if dates else None,
        status.status,
        status.superseded_by,
        status.supersedes,
        status.amended_by,
        status.instead,
    )


def status_facts(lines: list[str]) -> DecisionFacts:
    """Return the facts in the lines of a status: the status, and the records it names.

    >>> status_facts(["❌ Rejected (see [019](019-shared.md))"]).instead
    ('019-shared.md',)
    """
    lines = [line for raw in lines if (line := _STRUCK.sub("", raw).strip()) and not _is_template(line)]
    whole = [line for line in lines if not _PARTLY.search(line)]
    superseded_by = _targets(_SUPERSEDED_BY, whole)
    supersedes = _targets(_SUPERSEDES, [_SUPERSEDED_BY.sub("", line) for line in whole])
    status = _decision_record_status(lines)
    if any(_SUPERSEDED_BY.search(line) for line in whole):
        status = DecisionStatus.SUPERSEDED
    instead: tuple[str, ...] = ()
    if status in {DecisionStatus.REJECTED, DecisionStatus.DEPRECATED} and lines:
        instead = _found(lines[0])
    return DecisionFacts(None, None, None, status, superseded_by, supersedes, _targets(_AMENDED_BY, lines), instead)


def _heading(parts: tuple[Section, ...], name: str) -> tuple[str | None, int | None]:
    """Return the title without its number, and the number.

    The number is the file's, else the heading's.
    """
    in_name = number_in_name(name)
    title = next((section.title.strip() for section in parts if section.title.strip()), None)
    found = _NUMBERED.fullmatch(title) if title else None
    if found is None or not (found["word"] or found["mark"] or in_name is not None) or not found["title"].strip():
        return title, in_name
    return found["title"].strip(), in_name if in_name is not None else int(found["number"])


def _parts(text: str, parts: tuple[Section, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the header lines, and the lines of the status section.

    A header line is (label in lower case, value).
    """
    header: list[tuple[str, str]] = []
    status: list[str] = []
    first = next((section for section in parts if section.title), None)
    for section in parts:
        lines = text[section.start : section.end].splitlines()
        label = section.title.strip().strip("*_").rstrip(":").lower()
        content = _prose(lines[1:] if section.title else lines)
        if label in _STATUS_LABELS:
            status = status or content[:_STATUS_LINES]
        elif label in _DATE_LABELS:
            header += [(label, line) for line in content[:1]]
        elif section is first or not section.title:
            header += [pair for line in content[:_HEAD_LINES] if (pair := _header(line))]
    return header, status


def _prose(lines: list[str]) -> list[str]:
    """Return the lines that say something and stand in no code fence."""
    kept = []
    for number, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith(("```", "~~~", "===", "---", "<!--")):
            inside = "```" in "".join(lines[:number]) and open_fence(f"{one}\n" for one in lines[:number]) is not None
            kept += [] if inside else [line]
    return kept


def _header(line: str) -> tuple[str, str] | None:
    if found := _HEADER.fullmatch(line):
        return found["label"].strip().lower(), found["value"].strip().rstrip("|").strip()
    first, _, rest = line.strip(" \t*_-+|").partition(" ")
    if first.lower() == "date" and read_date(rest):
        return "date", rest
    for pattern in (_SUPERSEDED_BY, _SUPERSEDES):
        if (relation := pattern.match(line.strip(" \t*_-+|>⌛️"))) and _found(relation["rest"]):
            return "superseded by" if pattern is _SUPERSEDED_BY else "supersedes", relation["rest"]
    return None


def _is_template(line: str) -> bool:
    """Say whether a line still has the choices of a template."""
    return line.count("|") >= 2 and len({word[0].lower() for word in _STATUS_WORD.finditer(line)}) >= 3


def _decision_record_status(lines: list[str]) -> DecisionStatus | None:
    for line in lines:
        for found in _STATUS_WORD.finditer(line):
            status = DecisionStatus(found.lastgroup or "")
            if status is not DecisionStatus.SUPERSEDED or not _PARTLY.search(line):
                return status
        if shown := next((word for emoji, word in _EMOJI.items() if emoji in line), None):
            return DecisionStatus(shown)
    return None


def _targets(pattern: re.Pattern[str], lines: list[str]) -> tuple[str, ...]:
    found = [target for line in lines if (match := pattern.search(line)) for target in _found(match["rest"])]
    return tuple(dict.fromkeys(found))


def _found(text: str) -> tuple[str, ...]:
    """Return the records that a text names; bare numbers only if it names no others."""
    found = [(one.lastgroup, one[one.lastgroup].strip()) for one in _TARGET.finditer(text) if one.lastgroup]
    clear = tuple(target for kind, target in found if kind != "number")
    return clear or tuple(target for _, target in found)


_DEPENDENT = frozenset(
    {"id", "type", "title", "key", "importance", "confidence", "status", "links", "source", "trust"}
    | {"created", "updated", "archived"}
)
_REST = tuple((row.name, reader_of(row)) for row in MEMORY_KEYS if row.name not in _DEPENDENT)
"""Keys whose default depends on nothing else in the file."""
_TRUST_OF = {"agent": Trust.AGENT, "tool": Trust.TOOL, "ci": Trust.TOOL}


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """An item, unknown keys of its front matter, and notices (`path:line: …`)."""

    item: Item
    unknown: tuple[tuple[str, Value], ...]
    notices: tuple[str, ...]


def read_item(path: str, table: FieldTable | None, body: str, types: Mapping[str, object] = TYPES) -> ItemRecord:
    """Return the item of a Markdown file; `body` has LF newlines.

    `types` are the known type names.
    """
    fields = Fields(path, dict(table.pairs) if table else {})
    _note_duplicates(fields, table)
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    type_name = fields.text("type") or type_of_path(path)
    _note_unknown_type(fields, type_name, types)
    decision = _decision(fields, body, name) if type_name == "decision" else None
    source = fields.source()
    created, updated = fields.moment("created"), fields.moment("updated")
    created = created or fields.moment("date")
    title = fields.text("title") or (decision.title if decision else None) or first_heading(body) or stem
    status = Status.ACTIVE if decision and _is_decision_status(fields) else _status(fields)
    own: dict[str, Any] = {
        "id": fields.text("id") or _without_suffix(path),
        "type": type_name,
        "title": title,
        "importance": fields.thousandths("importance", item_type(type_name).importance),
        "confidence": fields.thousandths("confidence", DEFAULT_CONFIDENCE),
        "key": fields.text("key"),
        "status": status,
        "source": source,
        "links": fields.links(),
        "trust": trust_of(fields, source),
        "created": created,
        "updated": updated,
        "archived": fields.archived() if status is Status.ARCHIVED else None,
    }
    own |= {name: read(fields) for name, read in _REST if name in fields.values}
    age = recency(updated or created or (decision.date if decision else None), stem)
    item = Item(path=path, scope=scope_of(path), recency=age, decision=decision, **own)
    unknown = tuple((key, value) for key, value in (table.pairs if table else ()) if key not in KNOWN_KEYS)
    return ItemRecord(item, unknown, tuple(fields.notices))


def plain_item(path: str) -> Item:
    """Return the item of another file: all defaults, named after the file."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    defaults = item_type(NOTE)
    return Item(
        id=path,
        type=NOTE,
        title=name,
        path=path,
        scope=scope_of(path),
        importance=defaults.importance,
        confidence=DEFAULT_CONFIDENCE,
        recency=recency(None, stem),
    )


def recency(moment: str | None, stem: str) -> Recency:
    """Return how new an item is, for sorting.

    By its own date, the date in its name, the number in its name, else unknown.

    >>> recency(None, "0036-multi-cluster")
    Recency(kind='number', value=36)
    """
    date = moment[:10] if moment else date_in_name(stem)
    if date:
        return Recency("date", date)
    number = number_in_name(stem)
    return Recency() if number is None else Recency("number", number)


def _status(fields: Fields) -> Status:
    return fields.word("status", Status, Status.ACTIVE, tuple(Status))


def _is_decision_status(fields: Fields) -> bool:
    text = fields.text("status")
    return text is not None and text not in set(Status) and status_facts([text]).status is not None


def _decision(fields: Fields, body: str, name: str) -> DecisionFacts:
    """Return the facts in the body; a status in the front matter has precedence."""
    facts = decision_facts(body, name)
    if not _is_decision_status(fields):
        return facts
    own = status_facts([fields.text("status") or ""])
    return DecisionFacts(
        facts.title,
        facts.number,
        facts.date,
        own.status,
        own.superseded_by or facts.superseded_by,
        facts.supersedes,
        facts.amended_by,
        own.instead or facts.instead,
    )


def trust_of(fields: Fields, source: Source) -> Trust:
    """Return who vouches for an item: as it says, else by who wrote it."""
    default = _TRUST_OF.get(source.actor.partition(":")[0], Trust.HUMAN)
    return fields.word("trust", Trust, default, tuple(Trust))


def _note_duplicates(fields: Fields, table: FieldTable | None) -> None:
    seen: set[str] = set()
    for key, value in table.pairs if table else ():
        if key in seen:
            fields.note(value, f"{key} appears twice in the front matter; the last one is used")
        seen.add(key)


def _note_unknown_type(fields: Fields, type_name: str, types: Mapping[str, object]) -> None:
    if type_name in types:
        return
    near = nearest(type_name, types)
    meant = f" (did you mean {near}?)" if near else ""
    sentence = f"type {quoted(type_name)} is not in the table of types{meant}; the defaults of none are used"
    value = fields.values.get("type")
    if value is not None:
        fields.note(value, sentence)
    else:
        fields.notices.append(f"{fields.path}:1: {sentence}")


def first_heading(body: str) -> str | None:
    """Return the title of the first heading that has one."""
    return next((section.title.strip() for section in sections(body) if section.title.strip()), None)


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)
