"""Files of the memory tree as items, and edits of keys in their front matter."""

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value, is_null, read_simple
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import decode
from verifflowcc.items.rules.front_matter import BOM, FrontMatter, edit, split
from verifflowcc.items.rules.item_record import plain_item, read_item

if TYPE_CHECKING:
    from verifflowcc.items.rules.front_matter_list import ListEdit


_BY_HAND = "edit the file by hand"
_MARKDOWN = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class ParsedItem:
    """A file as an item, with its body.

    `body` has LF newlines, no byte order mark and no front matter.

    `unknown` are the keys that vfcc does not know, as written; `notices` begin with `path:line:`.
    """

    item: Item
    body: str
    notices: tuple[str, ...] = ()
    unknown: tuple[tuple[str, Value], ...] = ()


def parse_item(path: str, data: bytes) -> ParsedItem:
    """Return the item in a file's bytes; `path` uses `/`, and gives the defaults.

    Front matter that is not YAML is a notice, and its fields have their defaults. Raises FormatError where the bytes
    are not UTF-8, with file, line and byte.
    """
    text = decode(path, data).replace("\r\n", "\n")
    if not path.lower().endswith(_MARKDOWN):
        return ParsedItem(plain_item(path), text.removeprefix(BOM))
    parts, table, problem = read_front(text, "its defaults are used")
    notices = (f"{path}:{problem[0]}: {problem[1]}",) if problem else ()
    record = read_item(path, table, parts.body)
    return ParsedItem(record.item, parts.body, notices + record.notices, record.unknown)


def read_body(path: str, data: bytes) -> str:
    """Return the body that `parse_item` finds in a file's bytes, and raise as it does; the front matter is not read."""
    text = decode(path, data).replace("\r\n", "\n")
    return split(text).body if path.lower().endswith(_MARKDOWN) else text.removeprefix(BOM)


def read_front(text: str, instead: str = "") -> tuple[FrontMatter, FieldTable | None, tuple[int, str] | None]:
    """Split a text with LF newlines: its parts, its front matter, and faults by line.

    `instead` says in the sentence what holds where the block cannot be read.
    """
    parts = split(text)
    if parts.unclosed and ":" in parts.body.partition("\n")[2].partition("\n")[0]:
        return parts, None, (1, "front matter is opened by --- and never closed; all of it is text")
    if parts.block is None:
        return parts, None, None
    try:
        return parts, read_block(parts.block), None
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        more = f", {instead}" if instead else ""
        return parts, None, (int(line) + 1, f"front matter cannot be read{more}: {reason}")


def read_block(block: str) -> FieldTable:
    """Return the values in a block of front matter with LF newlines.

    Raises FormatError as `read_yaml` does.
    """
    simple = read_simple(block)
    if simple:
        return simple
    from verifflowcc.items.store.front_matter_yaml import read_yaml

    return read_yaml(block)


def edit_item(path: str, data: bytes, changes: Mapping[str, str | None]) -> bytes:
    """Return a file's bytes with keys of its front matter set, or removed where None.

    Only the lines of these keys change. The result is read again: all other keys must have their old values. Raises
    FormatError where the file is not UTF-8 or cannot be edited without risk.
    """
    before = decode(path, data)
    after = edit(before, changes, path=path)
    if not _same(_without(_table(path, before), changes), _without(_table(path, after), changes), set()):
        raise FormatError(f"{path}:1: front matter cannot be edited by lines", hint=_BY_HAND)
    return after.encode("utf-8")


def edit_item_list(path: str, data: bytes, key: str, decide: Callable[[tuple[Value, ...]], "ListEdit"]) -> bytes:
    """Return a file's bytes with the list under `key` changed by `decide`.

    Only the lines of the entries that change are touched. The result is read again: the list must say what was meant,
    and all other keys their old values. Raises FormatError where the file is not UTF-8, has no front matter, or cannot
    be edited without loss.
    """
    from verifflowcc.items.rules.front_matter_list import edit_list  # few commands change a list

    try:
        before = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}:1: not UTF-8 at byte {error.start}", hint=_BY_HAND) from error
    if split(before).block is None:
        raise FormatError(f"{path}:1: there is no front matter to edit", hint=_BY_HAND)
    table = _table(path, before)
    values = _list(path, key, table)
    change = decide(values)
    if not change.changed and not change.added:
        return data
    after = edit_list(before, key, values, change, path=path)
    read = _table(path, after)
    meant, found = FieldList(change.on(values), 1), FieldList(_list(path, key, read), 1)
    others = _same(_without(table, (key,)), _without(read, (key,)), set())
    if not others or not same_meaning(meant, found):
        raise FormatError(f"{path}:1: {key} cannot be edited by lines", hint=_BY_HAND)
    return after.encode("utf-8")


def same_meaning(one: Value, other: Value) -> bool:
    """Say whether two values mean the same, whatever their quotes and lines."""
    return _same(one, other, set(), quotes=False)


def _table(path: str, text: str) -> FieldTable:
    block = split(text.replace("\r\n", "\n")).block
    if block is None:
        return FieldTable((), 1)
    try:
        return read_block(block)
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(f"{path}:{int(line) + 1}: front matter cannot be edited: {reason}", hint=_BY_HAND) from error


def _without(table: FieldTable, keys: Container[str]) -> FieldTable:
    return FieldTable(tuple(pair for pair in table.pairs if pair[0] not in keys), 1)


def _list(path: str, key: str, table: FieldTable) -> tuple[Value, ...]:
    value = next((each for name, each in table.pairs if name == key), None)
    if value is None or is_null(value):
        return ()
    if isinstance(value, FieldList):
        return value.values
    raise FormatError(f"{path}:{value.line + 1}: {key} is no list", hint=_BY_HAND)


def _same(one: Value, other: Value, seen: set[tuple[int, int]], *, quotes: bool = True) -> bool:
    """Say whether two values are equal but for their lines.

    A pair of shared values is compared once.

    Without `quotes` they may be quoted otherwise, as long as they mean the same.
    """
    if (id(one), id(other)) in seen:
        return True
    seen.add((id(one), id(other)))
    if isinstance(one, FieldScalar) and isinstance(other, FieldScalar):
        if quotes:
            return (one.text, one.plain) == (other.text, other.plain)
        return is_null(one) == is_null(other) and (one.text == other.text or is_null(one))
    if isinstance(one, FieldTable) and isinstance(other, FieldTable):
        if [key for key, _ in one.pairs] != [key for key, _ in other.pairs]:
            return False
        pairs = zip((each for _, each in one.pairs), (each for _, each in other.pairs), strict=True)
    elif isinstance(one, FieldList) and isinstance(other, FieldList) and len(one.values) == len(other.values):
        pairs = zip(one.values, other.values, strict=True)
    else:
        return False
    return all(_same(a, b, seen, quotes=quotes) for a, b in pairs)
