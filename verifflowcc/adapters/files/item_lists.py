"""Lists of mappings in an item's front matter (links, refs), changed entry by entry and read again afterwards."""

from collections.abc import Callable

from verifflowcc.adapters.files.items import read_block
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.front_matter_list import ListEdit, edit_list
from verifflowcc.formats.front_matter_read import Scalar, Sequence, Table, Value
from verifflowcc.formats.item_fields import is_null

Decide = Callable[[tuple[Value, ...]], ListEdit]


def edit_item_list(path: str, data: bytes, key: str, decide: Decide) -> bytes:
    """Return a file's bytes with the list under `key` changed as `decide` says of its present entries.

    Only the lines of the entries that change are touched. The result is read again: the list must say what was meant,
    and all other keys what they said. Raises FormatError where the file is not UTF-8, has no front matter, or cannot be
    edited without loss.
    """
    try:
        before = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}:1: not UTF-8 at byte {error.start}", hint="edit the file by hand") from error
    table = _table(path, before)
    values = _list(path, key, table)
    change = decide(values)
    if not change.changed and not change.added:
        return data
    after = edit_list(before, key, values, change, path=path)
    read = _table(path, after)
    others = (_without(table, key), _without(read, key))
    meant = Sequence(change.on(values), 1), Sequence(_list(path, key, read), 1)
    if not same_meaning(*others) or not same_meaning(*meant):
        raise FormatError(f"{path}:1: {key} cannot be edited by lines", hint="edit the file by hand")
    return after.encode("utf-8")


def same_meaning(one: Value, other: Value) -> bool:
    """Say whether two values say the same, however they are quoted and wherever they stand."""
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return (one.text, is_null(one)) == (other.text, is_null(other)) or (is_null(one) and is_null(other))
    if isinstance(one, Table) and isinstance(other, Table):
        names = [key for key, _ in one.pairs] == [key for key, _ in other.pairs]
        return names and all(same_meaning(a, b) for (_, a), (_, b) in zip(one.pairs, other.pairs, strict=True))
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.values) == len(other.values) and all(map(same_meaning, one.values, other.values))
    return False


def _table(path: str, text: str) -> Table:
    block = split(text.replace("\r\n", "\n")).block
    if block is None:
        raise FormatError(f"{path}:1: there is no front matter to edit", hint="edit the file by hand")
    try:
        return read_block(block)
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(
            f"{path}:{int(line) + 1}: front matter cannot be edited: {reason}", hint="edit the file by hand"
        ) from error


def _without(table: Table, key: str) -> Table:
    return Table(tuple(pair for pair in table.pairs if pair[0] != key), 1)


def _list(path: str, key: str, table: Table) -> tuple[Value, ...]:
    value = next((each for name, each in table.pairs if name == key), None)
    if value is None or is_null(value):
        return ()
    if isinstance(value, Sequence):
        return value.values
    raise FormatError(f"{path}:{value.line + 1}: {key} is no list", hint="edit the file by hand")
