"""How what waits for a person is shown to them, and what a promotion changes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.cli.memory_views import MOST_LINES
from verifflowcc.cli.output import folded
from verifflowcc.cli.terminal import painted
from verifflowcc.domain.candidates import QUOTE

if TYPE_CHECKING:
    from verifflowcc.services.memory.inbox import Inbox, Waiting
    from verifflowcc.services.memory.promoting import Promoting

MOST_CHANGED = 60
_WORDS = {"supersedes": "in the place of", "contradicts": "contradicts"}


def inbox_page(found: "Inbox") -> list[str]:
    """Return each item that waits, with a blank line between two, and what to do with them."""
    if not found.waiting:
        return ["nothing waits for a person"]
    lines: list[str] = []
    for each in found.waiting:
        lines += ([""] if lines else []) + list(_of_one(each))
    count = len(found.waiting)
    what = "1 item waits" if count == 1 else f"{count:,} items wait"
    ways = f"{painted('vfcc memory promote ID', 'accent')}, or {painted('vfcc memory reject ID', 'accent')}"
    return [*lines, "", f"{painted(f'{what}:', 'strong')} {ways}"]


def _of_one(each: "Waiting") -> Iterator[str]:
    item = each.item
    yield folded(f"{item.id}: {item.title}", 2).replace(item.id, painted(item.id, "accent"), 1)
    yield folded(f"  {item.type} for {each.scope}, trust {item.trust}, {item.created or 'without a day'}", 4)
    yield folded(f"  {each.why}", 4)
    if each.origin:
        yield folded(f"  from {each.origin}", 4)
    if original := dict(item.details).get(QUOTE):
        yield folded(f"  original: {original}", 4)
    for other in each.replaces:
        title = f": {other.title}" if other.title is not None else "  [there is no such item here]"
        yield folded(f"  {_WORDS[other.relation]} {other.id}{title}", 4)
    text = each.text.splitlines()
    if text != [item.title]:
        yield from (folded(f"  | {line}", 4).rstrip() for line in text[:MOST_LINES])
        if len(text) > MOST_LINES:
            yield f"  | and {len(text) - MOST_LINES} more lines: vfcc memory show {item.id}"


def change_lines(promoting: "Promoting") -> list[str]:
    """Return what a promotion changes, as a person reads it before they say yes."""
    change, name = promoting.change, promoting.after.item.id
    head = f"{name}, for {promoting.scope}"
    head += f", in the place of {change.against}:" if change.against else ", which is new:"
    lines = [f"  {line}".rstrip() for line in change.lines[:MOST_CHANGED]]
    if len(change.lines) > MOST_CHANGED:
        lines.append(f"  and {len(change.lines) - MOST_CHANGED} more lines: vfcc memory show {name}")
    return [head, *lines]
