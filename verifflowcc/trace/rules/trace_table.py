"""Trace items as CSV or JSON for other tools: one row each, by id."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Stamp
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_values import TraceBaseline, TraceItem
from verifflowcc.base.text.canonical import canonical, parse_canonical

# Rows as CSV (RFC 4180), safe to open in a spreadsheet.
#
# Lines end with CRLF; a cell with a comma, a quote or a line end is quoted, quotes are doubled. A cell that begins
# with `=`, `+`, `-`, `@`, a tab or a line end, which a spreadsheet would run as a formula, gets a `'` before it; so
# does one whose first letter is `'`, so that taking one `'` away always gives back what was written.

_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
_QUOTED = frozenset(',"\r\n')


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return headings and rows as CSV.

    >>> csv_text(["id", "text"], [["REQ-a", "=1, 2"]])
    'id,text\r\nREQ-a,"\'=1, 2"\r\n'
    """
    return "".join(f"{','.join(map(_csv_table_cell, row))}\r\n" for row in (headings, *rows))


def unguarded(cell: str) -> str:
    """Return the original text of a cell that was made safe for spreadsheets."""
    return cell[1:] if cell.startswith("'") and cell[1:].lstrip(" ").startswith(_RUN) else cell


def _csv_table_cell(text: str) -> str:
    safe = f"'{text}" if text.lstrip(" ").startswith(_RUN) else text
    return '"{}"'.format(safe.replace('"', '""')) if not _QUOTED.isdisjoint(safe) or safe != safe.strip() else safe


# A baseline's file: canonical JSON that maps the ids of items to their fingerprints at a moment.

FORMAT = 1
KIND = "trace"
_DIGEST = lazy_pattern(r"[0-9a-f]{20}")
_TEXTS = ("name", "created", "by", "note")


def encode_baseline(baseline: TraceBaseline) -> bytes:
    """Return the bytes of a baseline's file, the same for the same baseline."""
    value: dict[str, Json] = {
        "format": FORMAT,
        "kind": KIND,
        "name": baseline.name,
        "created": baseline.created,
        "by": baseline.by,
        "commit": baseline.commit,
        "note": baseline.note,
        "items": dict(baseline.items),
    }
    return canonical(value) + b"\n"


def is_baseline(data: bytes) -> bool:
    """Say whether a JSON file is meant as a baseline of the trace.

    Other kinds lie beside it and are left alone.

    A file that is no JSON at all is one that was damaged, so it is asked further.
    """

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return True
    return isinstance(value, dict) and value.get("kind") == KIND


def read_baseline(path: str, data: bytes) -> TraceBaseline:
    """Return the baseline in a file's bytes.

    Raises FormatError, beginning with the path, where it is none.
    """
    try:
        value = parse_canonical(data.replace(b"\r\n", b"\n").removesuffix(b"\n"))
        return _baseline(path, value)
    except FormatError as error:
        raise FormatError(f"{path}:1: {error.message}", hint=f"git log -- {path}") from error


def _baseline(path: str, value: Json) -> TraceBaseline:
    if not isinstance(value, Mapping) or value.get("kind") != KIND:
        raise FormatError("this is no baseline of the trace")
    version = value.get("format")
    if isinstance(version, bool) or not isinstance(version, int):
        raise FormatError("format is no whole number")
    if version != FORMAT:
        raise FormatError(f"format {version} is newer than this vfcc reads ({FORMAT})")
    texts = {name: _text(value, name) for name in _TEXTS}
    commit, items = value.get("commit"), value.get("items")
    if not (commit is None or isinstance(commit, str)):
        raise FormatError("commit is no text")
    if not isinstance(items, Mapping):
        raise FormatError("its items are no mapping")
    digests: dict[str, str] = {}
    for name, digest in items.items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise FormatError(f"the fingerprint of {name} is not 20 hexadecimal digits")
        digests[name] = digest
    return TraceBaseline(texts["name"], path, texts["created"], texts["by"], digests, texts["note"], commit)


def _text(value: Mapping[str, Json], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str):
        raise FormatError(f"{name} is missing, or no text")
    return text


COLUMNS = (
    *("id", "type", "title", "status", "verification", "links", "text", "rationale", "derived", "integrity"),
    *("planned", "tests", "evidence", "tags", "files", "path"),
)

VERIFIED = ("method", "by", "on", "fingerprint", "content", "saw")
_SPECIAL = lazy_pattern(r'[",;|\t\r\n]')
_SEPARATORS = frozenset(",;\n")
_NOT_XML = lazy_pattern("[^\\t\\n -\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_RATIONALE = lazy_pattern(r" {0,3}(?:#{1,6}[ \t]+rationale\b|[=-]{3,}$|rationale\b)", re.IGNORECASE)


def trace_csv(items: Iterable[TraceItem]) -> str:
    """Return items as CSV with a head; links are `relation:ID`, separated by blanks. `vfcc trace import` reads it."""
    return "".join(",".join(map(_cell, row)) + "\n" for row in (COLUMNS, *map(_row, items)))


def trace_json(items: Iterable[TraceItem], bodies: Mapping[str, str]) -> str:
    """Return items as JSON: `items`, each with all its fields and its body (by path), keys sorted."""
    every = [_object(item, bodies.get(item.path, "")) for item in items]
    return json.dumps({"items": every}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def not_carried(items: Sequence[TraceItem], bodies: Mapping[str, str], *, in_file_only: bool) -> Iterator[str]:
    """Yield what a table, or ReqIF, says less of than the items do; JSON has all. `in_file_only`: links as in ReqIF."""
    known = {item.id for item in items}
    lost = {
        "reviews": sum(item.reviewed is not None for item in items),
        "stamps of links": sum(link.stamp is not None for item in items for link in item.links),
        "words that items were verified": sum(item.verified is not None for item in items),
        "symbols and digests of files": sum(bool(ref.symbol or ref.digest) for item in items for ref in item.refs),
        "commas in tags, files and tests": sum(
            any(_SEPARATORS & set(word) or word != word.strip() or not word for word in _listed(item)) for item in items
        ),
        "notes, comments and history": sum(_has_more(item, bodies.get(item.path, "")) for item in items),
        "links to items that are not exported": sum(
            in_file_only and link.to not in known for item in items for link in item.links
        ),
        "characters that XML does not have": sum(
            in_file_only and _NOT_XML.search(f"{item.title}{item.text}{item.rationale}") is not None for item in items
        ),
    }
    yield from (f"{what} ({count})" for what, count in lost.items() if count)


def without_bad_xml(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _NOT_XML.sub("", text)


def _listed(item: TraceItem) -> tuple[str, ...]:
    return (*item.tags, *item.tests, *item.evidence, *(ref.path for ref in item.refs))


def _has_more(item: TraceItem, body: str) -> bool:
    """Whether a body has words that are neither in the text nor in the rationale."""
    kept = set(f"{item.text}\n{item.rationale}".split("\n"))
    return any(line.strip() and line not in kept and not _RATIONALE.match(line) for line in body.split("\n"))


def _cell(text: str) -> str:
    """Return a cell, in quotes where a reader would cut it or trim it."""
    if _SPECIAL.search(text) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _row(item: TraceItem) -> Iterator[str]:
    links = " ".join(f"{link.relation}:{link.to}" for link in item.links)
    yield from (item.id, item.type, item.title, str(item.status), item.verification or "", links, item.text)
    yield from (item.rationale, "true" if item.derived else "", item.integrity or "")
    yield from (item.planned or "", ", ".join(item.tests), ", ".join(item.evidence), ", ".join(item.tags))
    yield from (", ".join(ref.path for ref in item.refs), item.path)


def _object(item: TraceItem, body: str) -> dict[str, object]:
    links = [{"to": link.to, "relation": link.relation, **_stamp(link.stamp)} for link in item.links]
    refs = [{"path": ref.path, "symbol": ref.symbol, "digest": ref.digest} for ref in item.refs]
    return {
        "id": item.id,
        "type": item.type,
        "title": item.title,
        "status": str(item.status),
        "verification": item.verification,
        "text": item.text,
        "rationale": item.rationale,
        "derived": item.derived,
        "integrity": item.integrity,
        "planned": item.planned,
        "links": links,
        "refs": refs,
        "tests": list(item.tests),
        "evidence": list(item.evidence),
        "reviewed": item.reviewed.fingerprint if item.reviewed else None,
        "review": _stamp(item.reviewed) if item.reviewed else None,
        "verified": {name: getattr(item.verified, name) for name in VERIFIED} if item.verified else None,
        "body": body,
        "tags": list(item.tags),
        "path": item.path,
        "fingerprint": item.digest,
    }


def _stamp(stamp: Stamp | None) -> dict[str, str | None]:
    names = ("fingerprint", "by", "on", "reason")
    found = {name: getattr(stamp, name) if stamp else None for name in names}
    return {name: value for name, value in found.items() if value is not None or name == "fingerprint"}
