"""A list in front matter, changed entry by entry; other lines stay.

A list on one line, or over lines in brackets, becomes one line per entry when it is changed. What a comment
says about a link is never thrown away: where a change would, the edit is refused.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value, is_null, member
from verifflowcc.base.formats.item_render import inner, scalar
from verifflowcc.base.model.item_values import Link
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field_names
from verifflowcc.items.rules.front_matter import EditRefusal, FrontMatter, KeySpan, inline_value, key_spans, split

# Change one key at the top of a YAML text and leave every other byte as it is.

_VALUE = r"""(?:"[^"\\\n]*"|'[^'\n]*'|[^\s#"'{}\[\]|>&*!][^\s#]*)"""


def with_top_value(text: str, key: str, value: str) -> str | None:
    """Return the text with `key: value` at its top level, comments kept.

    None where that takes more than one line.

    A key that is not there goes below `format`, else to the end. Both `key` and `value` are plain words.

    >>> with_top_value("format: 1\\nworkflow: light  # ours\\n", "workflow", "agile")
    'format: 1\\nworkflow: agile  # ours\\n'
    """
    line = re.compile(rf"^({key}[ \t]*:[ \t]+){_VALUE}([ \t]*(?:[ \t]#[^\r\n]*)?)(?=\r?$)", re.MULTILINE)
    if line.search(text):
        return line.sub(lambda found: f"{found[1]}{value}{found[2]}", text, count=1)
    if re.search(rf"^[\"']?{key}[\"']?[ \t]*:", text, re.MULTILINE):
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    format_line = re.search(r"^format[ \t]*:[^\r\n]*(?:\r?\n|$)", text, re.MULTILINE)
    at = format_line.end() if format_line else len(text)
    before = text[:at]
    if before and not before.endswith("\n"):
        before += newline
    return f"{before}{key}: {value}{newline}{text[at:]}"


_COMMENT = lazy_pattern(r"(?:^|(?<=\s))#")
_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*")
_IN_BRACKETS = lazy_pattern(r"[A-Za-z0-9_./~-](?:[A-Za-z0-9_./@+*-]|:(?=[A-Za-z0-9_./])| (?=[A-Za-z0-9_./]))*")


@dataclass(frozen=True, slots=True)
class ListEdit:
    """Changes of entries by their index (None removes one), and entries to append."""

    changed: Mapping[int, Value | None]
    added: tuple[Value, ...] = ()

    def on(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return what the list holds afterwards."""
        kept = (self.changed.get(index, value) for index, value in enumerate(values))
        return (*(value for value in kept if value is not None), *self.added)


def edit_list(text: str, key: str, values: tuple[Value, ...], change: ListEdit, *, path: str) -> str:
    """Return `text` with the list under `key` changed.

    `values` are its present entries, as they were read.

    Raises FormatError, with path and line, where that cannot be done without loss.
    """
    parts = split(text)
    if parts.block is None:
        raise FormatError(f"{path}:1: there is no front matter to edit", hint="edit the file by hand")
    try:
        block = _edited(parts, key, values, change)
    except EditRefusal as refusal:
        line = refusal.line_in(parts.block) + 1
        problem = f"{path}:{line}: {key} cannot be edited: {refusal}"
        raise FormatError(problem, hint="edit the file by hand") from refusal
    return parts.bom + parts.opening + block + parts.closing + parts.body


def entry(value: Value) -> str:
    """Return a value as one line of a list.

    >>> from verifflowcc.base.formats.front_matter_values import FieldScalar
    >>> entry(FieldTable((("to", FieldScalar("NEED-a", True, 1)), ("on", FieldScalar("2026-11-21", True, 1))), 1))
    '{to: NEED-a, on: 2026-11-21}'
    """
    if isinstance(value, FieldTable):
        return "{" + ", ".join(f"{_key(key)}: {entry(each)}" for key, each in value.pairs) + "}"
    if isinstance(value, FieldList):
        return "[" + ", ".join(map(entry, value.values)) + "]"
    if is_null(value):
        return "null"
    if value.plain and _IN_BRACKETS.fullmatch(value.text):
        return value.text
    return scalar(value.text) if value.plain else inner(value.text)


def link_entry(link: Link) -> FieldTable:
    """Return a link as a value of front matter."""
    stamp = table_of(link.stamp).pairs if link.stamp else ()
    return FieldTable(
        (("to", text_value("to", link.to)), ("relation", text_value("relation", link.relation)), *stamp), 1
    )


def without_links(values: Sequence[Value], to: str, relations: Collection[str]) -> ListEdit:
    """Return the edit that takes the links to an item away, those of these relations."""
    meant = (member(each, "to") == to and member(each, "relation") in relations for each in values)
    return ListEdit({place: None for place, is_meant in enumerate(meant) if is_meant})


def with_texts(value: Value, texts: Mapping[str, str | None]) -> FieldTable:
    """Return a mapping with keys set, or removed where None; new ones are behind the others, which stay."""
    pairs = dict(value.pairs) if isinstance(value, FieldTable) else {}
    for name, text in texts.items():
        if text is None:
            pairs.pop(name, None)
        else:
            pairs[name] = text_value(name, text)
    return FieldTable(tuple(pairs.items()), 1)


def table_of(record: object) -> FieldTable:
    """Return the fields of a record of texts as a mapping, without missing ones."""
    pairs = ((name, getattr(record, name)) for name in field_names(record))
    return FieldTable(tuple((name, text_value(name, value)) for name, value in pairs if value is not None), 1)


def text_value(name: str, text: str) -> FieldScalar:
    """Return a text as a value of front matter.

    A day (`on`) is not quoted, as people write it.
    """
    return FieldScalar(text, name == "on", 1)


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else scalar(key)


def _edited(parts: FrontMatter, key: str, values: tuple[Value, ...], change: ListEdit) -> str:
    block, newline = parts.block or "", parts.newline
    spans = key_spans(block)
    same = [span for span in spans if span.key == key]
    if len(same) > 1:
        raise EditRefusal("the key appears twice", same[1].start)
    if not same and (hidden := next((span for span in spans if span.key is None), None)):
        raise EditRefusal("a key is written with escapes", hidden.start)
    if not same:
        indent = " " * (spans[0].indent if spans else 0)
        added = "".join(_line(indent, each, newline) for each in change.added)
        return block + (f"{indent}{key}:{newline}{added}" if added else "")
    span = same[0]
    lines = _entry_lines(block, span, len(values))
    if lines is None:
        return _rewritten(block, span, change.on(values), newline)
    return _by_lines(block, span, lines, change, newline)


def _rewritten(block: str, span: KeySpan, values: tuple[Value, ...], newline: str) -> str:
    """Write the whole list as one line per entry.

    A comment behind a list on one line stays.
    """
    inside = block[span.value_start : span.value_end] + block[span.drop_start : span.drop_end]
    if "\n" in inside and _COMMENT.search(inside):
        raise EditRefusal("it holds a comment that would be lost", span.start)
    head = block[span.start : span.colon]
    rest = block[span.value_end : span.drop_start].strip()
    indent = " " * span.indent
    entries = "".join(_line(indent, each, newline) for each in values)
    tail = f" {rest}" if rest else ""
    value = "" if entries else " []"
    return f"{block[: span.start]}{head}{value}{tail}{newline}{entries}{block[span.end :]}"


@dataclass(frozen=True, slots=True)
class _EntryLines:
    """One entry of a block list: offsets of its lines and of its text."""

    start: int
    text: int
    end: int


def _entry_lines(block: str, span: KeySpan, count: int) -> list[_EntryLines] | None:
    """Return the lines of each entry; None where the list is no block list."""
    if block[span.value_start : span.value_end].strip() or span.drop_start == span.drop_end:
        return None
    found: list[_EntryLines] = []
    dashes = re.compile(r"^( *)-(?:[ \t]+|(?=\r?\n))", re.MULTILINE)
    first = dashes.search(block, span.drop_start, span.drop_end)
    if first is None:
        return None
    starts = [each for each in dashes.finditer(block, first.start(), span.drop_end) if each[1] == first[1]]
    for place, each in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else span.drop_end
        found.append(_EntryLines(each.start(), each.end(), _without_tail(block, each.end(), end, len(first[1]))))
    if len(found) != count:
        raise EditRefusal("its entries are written in a way that is unknown", span.start)
    return found


def _without_tail(block: str, start: int, end: int, indent: int) -> int:
    """Return where an entry ends, without trailing blank lines and outer comments.

    Comments at its dash's column or before it are outer ones.
    """
    lines = block[start:end].splitlines(keepends=True)
    while len(lines) > 1:
        text = lines[-1].strip()
        column = len(lines[-1]) - len(lines[-1].lstrip(" "))
        if text and not (text.startswith("#") and column <= indent):
            break
        end -= len(lines.pop())
    return end


def _by_lines(block: str, span: KeySpan, lines: list[_EntryLines], change: ListEdit, newline: str) -> str:
    indent = re.match(r" *", block[lines[0].start :])
    lead = f"{indent[0] if indent else ''}- "
    left = len(lines) - sum(value is None for value in change.changed.values()) + len(change.added)
    if left == 0:
        return _rewritten(block, span, (), newline)
    after = block[lines[-1].end :]
    pieces, place = [], 0
    for index, each in enumerate(lines):
        pieces.append(block[place : each.start])
        place = each.end
        if index not in change.changed:
            pieces.append(block[each.start : each.end])
        else:
            pieces.append(_changed(block, each, change.changed[index], newline))
    pieces += [f"{lead}{entry(value)}{newline}" for value in change.added]
    return "".join(pieces) + after


def _changed(block: str, each: _EntryLines, value: Value | None, newline: str) -> str:
    """Return the lines of one entry with its new value; a comment behind it stays."""
    raw = block[each.text : each.end].rstrip("\r\n")
    kept = ""
    if _COMMENT.search(raw):
        kept = next(_tails(raw), "") if "\n" not in raw and value is not None else ""
        if not kept:
            raise EditRefusal("it holds a comment that would be lost", each.start)
    dash = block[each.start : each.text]
    dash = dash if dash.endswith(" ") else f"{dash} "
    return "" if value is None else f"{dash}{entry(value)}{kept}{newline}"


def _tails(raw: str) -> Iterator[str]:
    """Yield the comment, with the space before it, of a value on one line."""
    for found in _COMMENT.finditer(raw):
        head = raw[: found.start()]
        if inline_value(head.rstrip()):
            yield raw[len(head.rstrip()) :]


def _line(indent: str, value: Value, newline: str) -> str:
    return f"{indent}  - {entry(value)}{newline}"
