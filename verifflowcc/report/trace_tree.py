"""The items of a matrix as a tree, from needs down, in the order in which a page writes them."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.records import dataclass
from verifflowcc.trace.matrix import MatrixRow

DEEPEST = 24
"""Levels that are drawn; browsers flatten what is nested much deeper."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An item at a depth. `first` is false where the item was shown before: its answers are there.

    `opens` says that answers follow, `cut` that there are some that are not drawn. `closing` ends the lists that end
    behind it.
    """

    row: MatrixRow
    depth: int
    first: bool
    opens: bool
    cut: bool
    closing: str = ""


def tree_of(rows: Sequence[MatrixRow]) -> tuple[TreeNode, ...]:
    """Return each item once with its answers below it, and again, alone, below each further parent.

    Items in a circle, which have no top, come last, each circle from its first item.
    """
    by_id = {row.id: row for row in rows}
    tops = [row for row in rows if not any(end.id in by_id for end in row.parents)]
    seen: set[str] = set()
    nodes: list[TreeNode] = []
    for row in (*tops, *rows):
        if row.id not in seen:
            nodes += _below(row, by_id, seen)
    return tuple(_closed(nodes))


def _below(top: MatrixRow, by_id: Mapping[str, MatrixRow], seen: set[str]) -> Iterator[TreeNode]:
    waiting = [(top, 0)]
    while waiting:
        row, depth = waiting.pop()
        first = row.id not in seen
        seen.add(row.id)
        kids = [by_id[name] for name in dict.fromkeys(end.id for end in row.children) if name in by_id]
        kids = [each for each in kids if each.id != row.id] if first else []
        drawn = depth < DEEPEST
        yield TreeNode(row, depth, first, opens=bool(kids) and drawn, cut=bool(kids) and not drawn)
        if drawn:
            waiting += [(each, depth + 1) for each in reversed(kids)]


def _closed(nodes: Sequence[TreeNode]) -> Iterator[TreeNode]:
    for node, following in zip(nodes, (*nodes[1:], None), strict=True):
        after = following.depth if following else 0
        ends = range(node.depth - 1, after - 1, -1) if not node.opens else ()
        closing = "".join("</ul></details></li>" if depth == 0 else "</ul></li>" for depth in ends)
        yield TreeNode(node.row, node.depth, node.first, node.opens, node.cut, closing)
