"""Checks of each item by itself: its type, the fields that this type needs, and the flaws seen when it was read."""

import re

from verifflowcc.domain.trace import TraceItem
from verifflowcc.text.placeholder import has_part
from verifflowcc.trace import steps
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView

_OF_ITEMS = (
    *("missing-field", "bad-field", "unknown-field", "unknown-type"),
    *("empty-text", "placeholder", "weak-wording", "non-atomic"),
)
_LINE = re.compile(r"(\d{1,9}): ", re.ASCII)
_ATTRIBUTES = frozenset(
    {"title", "verification", "links", "refs", "tests", "evidence", "rationale", "planned", "integrity", "reviewed"}
    | {"verified", "tags"}
)
"""Keys of the front matter that an item holds as values; any other is there if its line is."""


def check_schema(view: TraceView, tell: Telling) -> None:
    """Tell what is wrong with single items, and which files cannot be read as one."""
    unreadable = view.sources.unreadable
    tell.ask(("unreadable-item",), len(view.items) + len(unreadable))
    tell.ask(_OF_ITEMS, len(view.live))
    for path, why in unreadable.items():
        at = _LINE.match(why)
        message = f"{path} cannot be read as an item: {why[at.end() :] if at else why}"
        line = int(at[1]) if at else 1
        tell.place("unreadable-item", path, line, message, steps.edit(path, line))
    types, levels = view.policy.types, frozenset(view.policy.integrity)
    for item in view.live:
        for flaw in item.flaws:
            tell.item(flaw.code, item, flaw.line, flaw.message, steps.edit(item.path, flaw.line), flaw.about)
        rule = types.get(item.type)
        if rule is None:
            message = f"{item.id} is of type {item.type or '(none)'}; types are {', '.join(sorted(types)) or '(none)'}"
            tell.item("unknown-type", item, item.line("type"), message, steps.edit(item.path, item.line("type")))
        else:
            _fields(item, rule.fields, tell)
            _parts(item, rule.requires, tell)
        if levels and item.integrity and item.integrity not in levels:
            line = item.line("integrity")
            message = f"integrity {item.integrity} is not one of {', '.join(view.policy.integrity)}"
            tell.item("bad-field", item, line, message, steps.edit(item.path, line), "integrity")


def _fields(item: TraceItem, fields: tuple[str, ...], tell: Telling) -> None:
    for name in fields:
        there = bool(getattr(item, name)) if name in _ATTRIBUTES else name in item.lines
        if not there and not any(flaw.about == name for flaw in item.flaws):
            message = f"{item.id} has no {name}, which every {item.type} needs"
            tell.item("missing-field", item, 1, message, f"add {name}: to {item.path}", name)


def _parts(item: TraceItem, requires: tuple[str, ...], tell: Telling) -> None:
    for part in requires:
        if not has_part(item.path, item.text, part):
            message = f"{item.id} says nothing below a heading {part}, which every {item.type} needs"
            tell.item("missing-field", item, 1, message, f"add ## {part} to {item.path}", part)
