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
    return Tree(listing, joined_names(names), joined_stamps(stamps), packed(rows))


def joined_names(names: Sequence[bytes]) -> bytes:
    """Return names as they are kept, each with a NUL after it."""
    return b"".join([name + b"\0" for name in names])


def names_of(tree: Tree) -> list[bytes]:
    """Return the names of a tree."""
    return tree.names.split(b"\0")[:-1]


def joined_stamps(stamps: Sequence[str]) -> bytes:
    """Return stamps as they are kept, each with a line feed after it."""
    return "".join([stamp + "\n" for stamp in stamps]).encode()


def stamps_kept(tree: Tree) -> list[str]:
    """Return the stamps of a tree."""
    return tree.stamps.decode().split("\n")[:-1]


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
