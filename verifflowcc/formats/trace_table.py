"""Trace items as a table or as JSON, for other tools: one row each, in the order of their ids."""

import csv
import json
from collections.abc import Iterable, Iterator

from verifflowcc.domain.trace import TraceItem

COLUMNS = (
    *("id", "type", "title", "status", "verification", "links", "text", "rationale", "derived", "integrity"),
    *("tags", "files", "path"),
)


def trace_csv(items: Iterable[TraceItem]) -> str:
    """Return items as CSV with a head; links are `relation:ID`, separated by blanks. `vfcc trace import` reads it."""
    rows = _Rows()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow(COLUMNS)
    for item in items:
        writer.writerow(_row(item))
    return "".join(rows.lines)


def trace_json(items: Iterable[TraceItem]) -> str:
    """Return items as JSON: `items`, each with all its fields, keys sorted."""
    return json.dumps({"items": [_object(item) for item in items]}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


class _Rows:
    """What `csv.writer` writes to."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> int:
        """Keep a line."""
        self.lines.append(text)
        return len(text)


def _row(item: TraceItem) -> Iterator[str]:
    links = " ".join(f"{link.relation}:{link.to}" for link in item.links)
    yield from (item.id, item.type, item.title, str(item.status), item.verification or "", links, item.text)
    yield from (item.rationale, "true" if item.derived else "", item.integrity or "", ", ".join(item.tags))
    yield from (", ".join(ref.path for ref in item.refs), item.path)


def _object(item: TraceItem) -> dict[str, object]:
    links = [
        {"to": link.to, "relation": link.relation, "fingerprint": link.stamp.fingerprint if link.stamp else None}
        for link in item.links
    ]
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
        "tags": list(item.tags),
        "path": item.path,
        "fingerprint": item.digest,
    }
