"""Files of the memory tree as items, and the one way to change a key of theirs."""

from collections.abc import Mapping
from itertools import repeat

from verifflowcc.adapters.files.front_matter_yaml import read_yaml
from verifflowcc.domain.items import Item
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import BOM, edit, split
from verifflowcc.formats.front_matter_read import Scalar, Sequence, Table, Value, read_simple
from verifflowcc.formats.item_record import plain_item, read_item
from verifflowcc.records import dataclass

_MARKDOWN = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class ParsedItem:
    """A file as an item; `body` has LF newlines, no byte order mark and no front matter.

    `unknown` are the keys that vfcc does not know, as written; `notices` begin with `path:line:`.
    """

    item: Item
    body: str
    notices: tuple[str, ...] = ()
    unknown: tuple[tuple[str, Value], ...] = ()


def parse_item(path: str, data: bytes) -> ParsedItem:
    """Return the item in a file's bytes; `path` uses `/`, and the defaults follow from it.

    Front matter that is not YAML is a notice, and its fields have their defaults. Raises FormatError where the bytes
    are not UTF-8, with file, line and byte.
    """
    text = decode(path, data).replace("\r\n", "\n")
    if not path.lower().endswith(_MARKDOWN):
        return ParsedItem(plain_item(path), text.removeprefix(BOM))
    parts = split(text)
    notices: tuple[str, ...] = ()
    table = None
    if parts.unclosed and looks_like_keys(parts.body):
        notices = (f"{path}:1: front matter is opened by --- and never closed; all of it is text",)
    if parts.block is not None:
        try:
            table = read_block(parts.block)
        except FormatError as error:
            line, _, reason = error.message.partition(": ")
            notices = (f"{path}:{int(line) + 1}: front matter cannot be read, its defaults are used: {reason}",)
    record = read_item(path, table, parts.body)
    return ParsedItem(record.item, parts.body, notices + record.notices, record.unknown)


def read_block(block: str) -> Table:
    """Return what a block of front matter with LF newlines says; raises FormatError as `read_yaml` does."""
    return read_simple(block) or read_yaml(block)


def edit_item(path: str, data: bytes, changes: Mapping[str, str | None]) -> bytes:
    """Return a file's bytes with keys of its front matter set, or removed where the value is None.

    Only the lines of these keys change. The result is read again: all other keys must say what they said. Raises
    FormatError where the file is not UTF-8 or cannot be edited without risk.
    """
    before = decode(path, data)
    after = edit(before, changes, path=path)
    expected = [pair for pair in _pairs(path, before) if pair[0] not in changes]
    found = [pair for pair in _pairs(path, after) if pair[0] not in changes]
    if not _same(Table(tuple(expected), 1), Table(tuple(found), 1), set()):
        raise FormatError(f"{path}:1: front matter cannot be edited by lines", hint="edit the file by hand")
    return after.encode("utf-8")


def _pairs(path: str, text: str) -> tuple[tuple[str, Value], ...]:
    block = split(text.replace("\r\n", "\n")).block
    if block is None:
        return ()
    try:
        return read_block(block).pairs
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(
            f"{path}:{int(line) + 1}: front matter cannot be edited: {reason}", hint="edit the file by hand"
        ) from error


def _same(one: Value, other: Value, seen: set[tuple[int, int]]) -> bool:
    """Say whether two values are equal but for their lines; a pair of shared values is compared once."""
    if (id(one), id(other)) in seen:
        return True
    seen.add((id(one), id(other)))
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return (one.text, one.plain) == (other.text, other.plain)
    if isinstance(one, Table) and isinstance(other, Table):
        names = [key for key, _ in one.pairs] == [key for key, _ in other.pairs]
        return names and all(_same(a, b, seen) for (_, a), (_, b) in zip(one.pairs, other.pairs, strict=True))
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.values) == len(other.values) and all(map(_same, one.values, other.values, repeat(seen)))
    return False


def decode(path: str, data: bytes) -> str:
    """Return a file's text. Raises FormatError, with file, line and byte, where it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{path}:{line}: not UTF-8: byte {error.start} (0x{data[error.start]:02x}) begins no character",
            hint=f"iconv -f WINDOWS-1252 -t UTF-8 {path}",
        ) from error


def looks_like_keys(body: str) -> bool:
    """Say whether what follows a first line `---` was meant as front matter."""
    second = body.split("\n", 2)[1:2]
    return bool(second) and ":" in second[0]
