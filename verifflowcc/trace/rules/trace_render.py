"""A new trace item as a file.

Front matter in one canonical order, one line per link, then the text.

Only for files that do not exist yet; an existing one is edited. What is empty is left out.
"""

from collections.abc import Iterable

from verifflowcc.base.formats.front_matter_values import FieldScalar
from verifflowcc.base.formats.item_render import render_rows, render_source, render_tags, scalar
from verifflowcc.base.model.item_values import Source, Stamp, Status
from verifflowcc.base.model.trace_codes import RelationRule, TracePolicy
from verifflowcc.base.model.trace_values import TraceItem, Verification
from verifflowcc.items.rules.front_matter_list import entry, link_entry, table_of
from verifflowcc.trace.rules.trace_view import TraceView

# The relations that may lead from one item to another, and the reasons against a new link.

REFINES = "refines"
"""The one relation that goes by levels: from a lower to a higher or the same."""


def fitting(policy: TracePolicy, from_type: str, to_type: str) -> tuple[str, ...]:
    """Return the relations from a type to another, in the order of the policy."""
    return tuple(rule.name for rule in policy.relations.values() if _fits(policy, rule, from_type, to_type))


def against(view: TraceView, item: TraceItem, target: TraceItem, relation: str) -> str:
    """Return why an item may not link to another; "" where it may."""
    if item.id == target.id:
        return f"{item.id} cannot link to itself"
    if any((link.to, link.relation) == (target.id, relation) for link in item.links):
        return f"{item.id} {relation} {target.id} already"
    if target.status is Status.ARCHIVED:
        return f"{target.id} is retired"
    if item.status is Status.ARCHIVED:
        return f"{item.id} is retired"
    if relation in view.upward and item.id in _above(view, target):
        return f"{target.id} already traces to {item.id}: the link would close a circle"
    return ""


def _fits(policy: TracePolicy, rule: RelationRule, from_type: str, to_type: str) -> bool:
    if from_type not in rule.from_types or to_type not in rule.to_types:
        return False
    levels = [each.level if (each := policy.types.get(name)) else None for name in (from_type, to_type)]
    if rule.name != REFINES:
        return True
    lower, higher = levels
    if lower is None or higher is None:
        return from_type == to_type
    return lower >= higher


def _above(view: TraceView, item: TraceItem) -> frozenset[str]:
    found: set[str] = set()
    left = [item]
    while left:
        for parent, _ in view.parents(left.pop()):
            if parent.id not in found:
                found.add(parent.id)
                left.append(parent)
    return frozenset(found)


def render_trace_item(item: TraceItem, body: str, *, source: Source = Source(), created: str | None = None) -> str:  # noqa: B008 - a frozen value
    """Return the text of an item's file, with LF newlines and a final one.

    `body` is all text below the front matter, the rationale too where it has a section of its own.
    """
    rows = (
        *((name, scalar(getattr(item, name))) for name in ("id", "type", "title")),
        ("status", str(item.status)),
        *((name, scalar(value)) for name in ("verification", "integrity") if (value := getattr(item, name))),
        ("derived", "true" if item.derived else None),
        ("planned", _plain(item.planned) if item.planned else None),
        ("links", _block(entry(link_entry(each)) for each in item.links)),
        ("refs", _block(entry(table_of(each)) for each in item.refs)),
        ("tests", _block(map(scalar, item.tests))),
        ("evidence", _block(map(scalar, item.evidence))),
        ("reviewed", stamp_line(item.reviewed) if item.reviewed else None),
        ("verified", stamp_line(item.verified) if item.verified else None),
        ("source", render_source(source)),
        ("trust", str(item.trust)),
        ("created", _plain(created) if created else None),
        ("tags", render_tags(item.tags) if item.tags else None),
    )
    return render_rows(rows, body if body.strip() else "")


def stamp_line(stamp: Stamp | Verification) -> str:
    """Return a person's stamp or word as the line behind its key."""
    return entry(table_of(stamp))


def _block(lines: Iterable[str]) -> str | None:
    """Return a list as one line for each entry below its key; None where it is empty."""
    return "".join(f"\n  - {line}" for line in lines) or None


def _plain(text: str) -> str:
    """Return a day without quotes."""
    return entry(FieldScalar(text, True, 1)) if text[:4].isdigit() and text.replace("-", "").isdigit() else scalar(text)
