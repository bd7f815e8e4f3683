"""How a working window is shown to a person: its items as a table, what was added, pruned, kept and restored."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold

if TYPE_CHECKING:
    from verifflowcc.history.rules.window_values import WindowItem
    from verifflowcc.history.use.window_use import (
        PruningReport,
        SnapshotLine,
        WindowAddition,
        WindowPage,
        WindowRestore,
    )


_ABOUT = 60
_HOUR, _DAY = 60, 24 * 60


def page(shown: "WindowPage") -> str:
    """Return a window as a table, under a line with the tokens in use."""
    from verifflowcc.base.terminal.table import table

    task = f", task {shown.task}" if shown.task else ""
    head = f"{shown.session}{task}: {_in_use(shown.tokens, shown.limit_tokens)}"
    if not shown.items:
        return printable(f"{head}\nthere is nothing in it")
    rows = [
        (
            f"{each.item.type}{' *' if each.item.sticky else ''}",
            f"{each.item.tokens:,}",
            f"{each.relevance / 1000:.3f}",
            age(each.age_minutes),
            about(each.item),
        )
        for each in shown.items
    ]
    shown_table = table(("item", "tokens", "relevance", "age", "says"), rows, right=(1, 2, 3))
    sticky = ["* is never pruned"] if any(each.item.sticky for each in shown.items) else []
    full = shown.tokens > shown.prune_above_tokens
    state = "it is above" if full else "pruning begins above"
    last = f"{state} {shown.prune_above_tokens:,} tokens{': vfcc window prune' if full else ''}"
    return "\n".join((printable(head), shown_table, *sticky, last))


def added(done: "WindowAddition") -> str:
    """Return what was added, and what is in use with it."""
    item = done.item
    place = f" of {item.files[0].place}" if item.files else ""
    return printable(
        f"{item.type}{place}: {_tokens(item.tokens)}\n{done.session}: {_in_use(done.tokens, done.limit_tokens)}"
    )


def pruned(done: "PruningReport") -> str:
    """Return what was removed, and where it can be had again."""
    in_use = _in_use(done.tokens, done.limit_tokens)
    if not done.removed:
        why = "there is no item that is not sticky" if done.due else "no more than 80 % of the limit is in use"
        return printable(f"nothing was removed from {done.session}: {why}\n  {in_use}")
    count = len(done.removed)
    gone = done.tokens_before - done.tokens
    lines = [
        f"{count} {'item' if count == 1 else 'items'} removed from {done.session}, {_tokens(gone)}",
        *(f"  {each.type}, {_tokens(each.tokens)}, relevance {each.relevance / 1000:.3f}" for each in done.removed),
        in_use,
        f"to have them again: vfcc window restore {done.snapshot}",
    ]
    return printable("\n".join(lines))


def kept(found: Sequence["SnapshotLine"], *, full: bool = False) -> str:
    """Return snapshots as a table, with whole ids where they are to be `full`."""
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.text.identifiers import shown_ids

    if not found:
        return "no state of this window is kept"
    ids = shown_ids((line.id for line in found), full=full)
    rows = [
        (
            ids[line.id],
            line.time[:16].replace("T", " "),
            str(line.reason),
            line.task or "–",
            str(line.items),
            f"{line.tokens:,}",
            str(line.pruned),
        )
        for line in found
    ]
    return table(("snapshot", "kept (UTC)", "at", "task", "items", "tokens", "went"), rows, right=(4, 5, 6))


def restored(done: "WindowRestore") -> str:
    """Return what a window holds again, and where what it held before is kept."""
    count = f"{done.items} {'item' if done.items == 1 else 'items'}"
    return printable(
        f"{done.session} is as in {done.snapshot} again: {count}, {_tokens(done.tokens)}\n"
        f"what it held before: vfcc window restore {done.before}"
    )


def age(minutes: int) -> str:
    """Return an age in its largest whole unit.

    >>> age(0), age(59), age(150), age(3000)
    ('0 min', '59 min', '2 h', '2 d')
    """
    if minutes < _HOUR:
        return f"{minutes} min"
    return f"{minutes // _HOUR} h" if minutes < _DAY else f"{minutes // _DAY} d"


def about(item: "WindowItem") -> str:
    """Return where an item is from, or its first words; secrets have gone before it is cut."""
    if item.files:
        return item.files[0].place
    words = plain_line(withhold(item.content[:4_000]), _ABOUT)
    return f"{item.tool}: {words}" if item.tool else words


def _in_use(tokens: int, limit: int) -> str:
    share = tokens * 1000 // limit
    return f"{tokens:,} of {limit:,} tokens ({share // 10}.{share % 10} %)"


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number:,} tokens"
