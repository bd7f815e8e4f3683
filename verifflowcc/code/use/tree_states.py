"""The state of a tree as it is kept: what is known of each file that may be a source file."""

from collections.abc import Callable, Mapping, Sequence

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import Mark, SearchedCode
from verifflowcc.code.rules.project_manifests import manifest_kind
from verifflowcc.code.store.code_graph import CodeState, KnownTree, Row
from verifflowcc.code.store.code_graph_parts import packed, unpacked

READING = "5"
"""Which reading the facts are of: another number wherever a text's facts, words, language or marks become others."""


@dataclass(frozen=True, slots=True)
class UpdateCounts:
    """What was done for a state: how many files were read, known already, and are gone."""

    parsed: int
    known: int
    removed: int


def digest_of(code: SearchedCode) -> str:
    """Return a digest of all that is known of a repository: while it stays the same, every answer does."""
    from verifflowcc.base.text.canonical import digest_text

    named: dict[frozenset[Mark], str] = {}
    for each in code.files.values():
        if each.marks not in named:
            named[each.marks] = " ".join(sorted(each.marks))
    files = (f"{path}\0{each.blob}\0{named[each.marks]}" for path, each in code.files.items())
    manifests = (f"{path}\0{rows}" for path, rows in code.manifests().items())
    return digest_text("\n".join([READING, *files, *manifests]))


def tree_of(listing: bytes, names: Sequence[bytes], stamps: Sequence[str], rows: Sequence[Row | None]) -> KnownTree:
    """Return a tree to keep; there is no row for what is no source file."""
    numbers, others = [row and row[0] for row in rows], [row and row[1:] for row in rows]
    return KnownTree(listing, joined_names(names), joined_stamps(stamps), packed(numbers), packed(others))


def joined_names(names: Sequence[bytes]) -> bytes:
    """Return names as they are kept, each with a NUL after it."""
    return b"".join([name + b"\0" for name in names])


def names_of(tree: KnownTree) -> list[bytes]:
    """Return the names of a tree."""
    return tree.names.split(b"\0")[:-1]


def joined_stamps(stamps: Sequence[str]) -> bytes:
    """Return stamps as they are kept, each with a line feed after it."""
    return "".join([stamp + "\n" for stamp in stamps]).encode()


def stamps_kept(tree: KnownTree) -> list[str]:
    """Return the stamps of a tree."""
    return tree.stamps.decode().split("\n")[:-1]


def rows_of(tree: KnownTree) -> list[Row | None]:
    """Return the rows of a tree, in the order of its names."""
    both = zip(unpacked(tree.numbers), unpacked(tree.states), strict=True)
    return [None if number is None else (number, *others) for number, others in both]


def state_kept(tree: KnownTree) -> CodeState:
    """Return the state that a tree was kept with."""
    numbers = zip(_paths(tree.names), unpacked(tree.numbers), strict=True)
    return _parted(
        {path: number for path, number in numbers if number is not None},
        lambda: _by_path(_paths(tree.names), rows_of(tree)),
    )


def state_of(names: bytes, rows: Sequence[Row | None]) -> CodeState:
    """Return the state of rows."""
    by_path = _by_path(_paths(names), rows)
    return _parted({path: row[0] for path, row in by_path.items()}, lambda: by_path)


def _parted(numbers: dict[str, int], rows: Callable[[], Mapping[str, Row]]) -> CodeState:
    """Return a state in which manifests are apart from source files."""
    manifests = {path: numbers.pop(path) for path in [each for each in numbers if manifest_kind(each)]}
    return CodeState(numbers, rows, manifests)


def _by_path(paths: Sequence[str], rows: Sequence[Row | None]) -> dict[str, Row]:
    return {path: row for path, row in zip(paths, rows, strict=True) if row is not None}


def _paths(names: bytes) -> list[str]:
    r"""Return the paths of names; bytes that are no UTF-8 are shown as `\xff`."""
    return names.decode("utf-8", "backslashreplace").split("\0")[:-1]
