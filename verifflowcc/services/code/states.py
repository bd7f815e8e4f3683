"""The state of a tree as it is kept: what is known of each file that may be a source file."""

from collections.abc import Sequence

from verifflowcc.adapters.index.code_graph import Row, State
from verifflowcc.adapters.index.code_graph_coded import packed, unpacked
from verifflowcc.adapters.index.code_graph_tables import Tree
from verifflowcc.records import dataclass

READING = "1"
"""Which reading the facts are of: another number wherever a text's facts, words, language or marks become others."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was done for a state: how many files were read, known already, and are gone."""

    parsed: int
    known: int
    removed: int


def tree_of(listing: bytes, names: Sequence[bytes], stamps: Sequence[str], rows: Sequence[Row | None]) -> Tree:
    """Return a tree to keep; there is no row for what is no source file."""
    return Tree(listing, b"\0".join(names), "\n".join(stamps).encode(), packed(rows))


def rows_of(tree: Tree) -> list[Row | None]:
    """Return the rows of a tree, in the order of its names."""
    rows: list[Row | None] = unpacked(tree.states)
    return rows


def state_kept(tree: Tree) -> State:
    """Return the state that a tree was kept with."""
    return state_of(tree.names, rows_of(tree))


def state_of(names: bytes, rows: Sequence[Row | None]) -> State:
    """Return the state of rows; bytes of `names` that are no UTF-8 are shown as `\\xff`."""
    paths = names.decode("utf-8", "backslashreplace").split("\0")
    return State(dict(sorted((path, row) for path, row in zip(paths, rows, strict=False) if row)))
