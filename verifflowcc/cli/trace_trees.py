"""Items of the trace at a terminal, as trees drawn by rich: an item with its parts, and what a change reaches."""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from verifflowcc.cli.output import plain
from verifflowcc.cli.status_words import status_of
from verifflowcc.cli.table import width_of
from verifflowcc.cli.terminal import RICH, SYMBOLS, drawn, has_unicode, status_style

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from verifflowcc.trace.reach import Reached

WIDEST = 120
"""Columns beyond which a tree is not drawn any wider."""
Part = tuple[str, Sequence[str]]
"""A heading and its lines."""
_WEIGHTS = {"error": "bad", "warning": "warn", "note": "quiet"}
_COMMANDS = "next"


def item_tree(title: str, facts: Sequence[str], text: str, parts: Iterable[Part]) -> str:
    """Return an item as a tree: title, facts and text at its root, a branch for each part."""
    from rich.text import Text
    from rich.tree import Tree

    root = _text(title, "strong")
    for fact in facts:
        root.append("\n")
        root.append_text(_text(fact, status_style(status_of(fact)[0]) or "quiet"))
    if text:
        root.append("\n\n")
        root.append_text(Text(plain(text)))
        root.append("\n")
    tree = Tree(root, guide_style="dim")
    for heading, lines in parts:
        branch = tree.add(_text(heading, "strong"))
        for line in lines:
            branch.add(_leaf(heading, line))
    return _drawn(tree)


def reach_tree(title: str, summary: str, found: "Sequence[Reached]") -> str:
    """Return what is below an item as a tree: each under the item through which it is reached."""
    from rich.tree import Tree

    root = _text(title, "strong")
    root.append("\n")
    root.append_text(_text(summary, "quiet"))
    tree = Tree(root, guide_style="dim")
    places: dict[str, Tree] = {}
    for each in sorted(found, key=lambda one: one.steps):
        label = _text(f"{each.id} ", "accent")
        label.append_text(_text(each.relations[-1], "quiet"))
        label.append_text(_text(f"  {each.title}"))
        places[each.id] = places.get(each.way[-2], tree).add(label)
    return _drawn(tree)


def _leaf(heading: str, line: str) -> "Text":
    """Return a line of a part; a weight, a status behind its name and a command have their colour."""
    weight = line.partition(" ")[0]
    if weight in _WEIGHTS:
        leaf = _text(weight, _WEIGHTS[weight])
        leaf.append_text(_text(line.removeprefix(weight)))
        return leaf
    name, _, rest = line.partition(": ")
    status, _ = status_of(rest)
    if status:
        full, ascii_only, style = SYMBOLS[status]
        leaf = _text(f"{full if has_unicode() else ascii_only} ", style)
        leaf.append_text(_text(f"{name}: "))
        leaf.append_text(_text(rest, style))
        return leaf
    return _text(line, "accent" if heading == _COMMANDS else "")


def _drawn(tree: "Tree") -> str:
    width = min(width_of(sys.stdout), WIDEST)
    return drawn(tree, width)


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text.assemble((plain(text).replace("\n", " "), RICH.get(style, "")))
