"""Front matter of Markdown: split without loss, and edited by lines.

Only the lines of the edited keys change.

What a value means is read elsewhere (`front_matter_read`); where a key's value begins and ends is found in
`front_matter_spans`. Only YAML front matter is known: `---` in the first line, `---` or `...` behind it.
"""

import re
from collections.abc import Mapping

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

# Where the values of the top-level keys of a YAML block begin and end, without reading what they mean.
#
# The scanner knows YAML's shapes (plain, quoted, block and flow values, nested blocks, comments) well enough to find
# their ends. What it does not know it refuses: an edit must never damage a file that somebody else wrote.

_BREAKS = lazy_pattern("[\x85\u2028\u2029]|\r(?!\n)")
_BLOCK_HEADER = lazy_pattern(r"[|>](?:[-+]?[1-9]?|[1-9][-+])(?=[ \t]|\r?$)", re.MULTILINE)
_PLAIN_KEY = lazy_pattern(
    r"(?![-?:](?:[ \t]|$))[^\s\[\]{},#&*!|>'\"%@`](?:[^\n\r:#]|:(?=\S)|(?<=\S)#){0,500}?(?=[ \t]*:(?:\s|$))"
)
_PROPERTY = lazy_pattern(r"[&!]\S*[ \t]*")
_INDENT = lazy_pattern(r" *")
_DASH = lazy_pattern(r"-(?=[ \t\r\n]|\Z)[ \t]*")


class EditRefusal(Exception):  # noqa: N818 - says what happened
    """A block that cannot be edited by lines; `offset` is the place of the fault."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset

    def line_in(self, block: str) -> int:
        """Return the line of the block, from 1."""
        return block.count("\n", 0, self.offset) + 1


@dataclass(frozen=True, slots=True)
class KeySpan:
    """One top-level entry, as offsets into the block.

    The entry is `start` to `end`, whole lines. A new value goes to `value_start`, in place of the text up to
    `value_end` and of the lines from `drop_start` to `drop_end`. `key` is None where it is written with escapes.
    """

    key: str | None
    indent: int
    start: int
    colon: int
    value_start: int
    value_end: int
    drop_start: int
    drop_end: int
    end: int


def key_spans(block: str) -> tuple[KeySpan, ...]:
    """Return the top-level entries in their order.

    Raises Refused where the block is no mapping of plain keys.
    """
    if found := _BREAKS.search(block):
        raise EditRefusal("it has a line break that is neither LF nor CRLF", found.start())
    spans: list[KeySpan] = []
    position, indent = 0, None
    while position < len(block):
        content = _content(block, position)
        if content is None:
            position = _next_line(block, position)
            continue
        column = content - position
        indent = column if indent is None else indent
        if column != indent:
            raise EditRefusal("a line is indented in a way that fits no key", position)
        span = _entry(block, position, column)
        spans.append(span)
        position = span.end
    return tuple(spans)


def inline_value(text: str) -> bool:
    """Say whether `text` is one whole YAML value on one line, without a comment.

    It is plain, quoted or flow.
    """
    if not text or text != text.strip() or "\n" in text or _BREAKS.search(text) or text[0] in "|>&!#":
        return False
    try:
        start, end = _inline(text, 0, -1)[:2]
    except EditRefusal:
        return False
    return (start, end) == (0, len(text))


def _entry(block: str, position: int, column: int) -> KeySpan:
    content = position + column
    key, colon = _key(block, content)
    if colon is None:
        raise EditRefusal("a line is no key with a value", position)
    value_start, value_end, after = _inline(block, colon, column)
    line_end = _line_end(block, value_end)
    if after == line_end and _is_empty(block, value_end, line_end):
        value_start = colon if value_start == value_end else value_start
        after = _nested(block, _next_line(block, line_end), column, value_end)
    drop_start = _next_line(block, value_end)
    drop_end = max(drop_start, _next_line(block, after) if after > line_end else drop_start)
    return KeySpan(key, column, position, colon, value_start, value_end, drop_start, drop_end, drop_end)


def _is_empty(block: str, value_end: int, line_end: int) -> bool:
    before = block[block.rfind("\n", 0, value_end) + 1 : value_end]
    return re.search(r"(?::|:[ \t]+(?:[&!]\S*[ \t]*)+)$", before) is not None and value_end <= line_end


def _key(block: str, content: int) -> tuple[str | None, int | None]:
    """Return a key and the offset behind its colon, None without a key."""
    if block[content] in "\"'":
        end = _quoted(block, content)
        colon = re.compile(r"[ \t]*:(?=\s|$)").match(block, end)
        raw = block[content + 1 : end - 1]
        if colon is None or "\n" in raw:
            return None, None
        text = raw.replace("''", "'") if block[content] == "'" else (None if "\\" in raw else raw)
        return text, colon.end()
    found = _PLAIN_KEY.match(block, content)
    return (found[0], block.index(":", found.end()) + 1) if found else (None, None)


def _inline(block: str, position: int, column: int) -> tuple[int, int, int]:
    """Return the start and end of a value on this line, and the end of its content.

    The last one is on the value's last line.

    Starts and ends at `position` where the line has only space or a comment there.
    """
    line_end = _line_end(block, position)
    start = _skip_space(block, position, line_end)
    point = start
    while found := _PROPERTY.match(block, point, line_end):
        point = found.end()
    if point == line_end or (block[point] == "#" and (point == 0 or block[point - 1] in " \t")):
        end = position if point == start else len(block[:point].rstrip(" \t"))
        return (position if point == start else start), end, line_end
    if block[point] in "|>":
        header = _BLOCK_HEADER.match(block, point)
        if header is None or header.end() > line_end:
            raise EditRefusal("a block value has a header that is unknown", point)
        _demand_rest(block, header.end())
        return start, header.end(), _block_scalar(block, line_end, column, header[0])
    if block[point] in "\"'[{":
        end = _quoted(block, point) if block[point] in "\"'" else _flow(block, point)
        _demand_rest(block, end)
        return start, end, _line_end(block, end)
    return start, *_plain(block, point, column)


def _plain(block: str, point: int, column: int) -> tuple[int, int]:
    """Return the end of a plain value on its first line, and the end of its last line."""
    if block[point] in "%@`,]}" or re.compile(r"[-?:](?=\s|\Z)").match(block, point):
        raise EditRefusal("a value begins with a character that YAML keeps for itself", point)
    end, last = _plain_line(block, point)
    commented = block[end : _line_end(block, point)].strip(" \t") != ""
    while not commented:
        content = _content(block, _next_line(block, last))
        if content is None:
            following = _after_blank_lines(block, _next_line(block, last))
            content = following
        if content is None or content - (block.rfind("\n", 0, content) + 1) <= column:
            break
        text_end, last = _plain_line(block, content)
        commented = block[text_end:last].strip(" \t") != ""
    return end, last


def _after_blank_lines(block: str, position: int) -> int | None:
    """Return the start of the next line with text, if only blank lines come before.

    A comment does not count as text.
    """
    while position < len(block) and not block[position : _line_end(block, position)].strip(" "):
        position = _next_line(block, position)
    return _content(block, position) if position < len(block) else None


def _plain_line(block: str, point: int) -> tuple[int, int]:
    line_end = _line_end(block, point)
    line = block[point:line_end]
    text = re.split(r"[ \t]#", line, maxsplit=1)[0].rstrip(" \t")
    if re.search(r":(?:[ \t]|$)", text):
        raise EditRefusal("a value has a colon that YAML takes for a key's", point)
    return point + len(text), line_end


def _nested(block: str, position: int, column: int, last: int) -> int:
    """Return the end of the nested block at `position`; `last` where there is none."""
    while position < len(block):
        content = _content(block, position)
        if content is not None:
            dash = _DASH.match(block, content)
            if content - position < column or (content - position == column and not dash):
                break
            last = _nested_line(block, content, content - position, column)
            position = _next_line(block, last)
        else:
            position = _next_line(block, position)
    return last


def _nested_line(block: str, point: int, column: int, parent: int) -> int:
    """Return the end of the value on a line of a nested block.

    A bare value hangs from the column `parent`.
    """
    line_end = _line_end(block, point)
    while found := _DASH.match(block, point, line_end):
        parent, column = column, column + found.end() - point
        point = found.end()
    if point == line_end or block[point] == "#":
        return line_end
    if block[point] == "?" and block[point + 1 : point + 2] in {" ", "\t", "\n", "\r"}:
        raise EditRefusal("a key is introduced by ?", point)
    named = _PROPERTY.match(block, point)
    point = named.end() if named else point
    if point >= line_end:
        return line_end
    _, colon = _key(block, point)
    if colon is None:
        return _inline(block, point, parent)[2]
    return _inline(block, colon, column)[2]


def _block_scalar(block: str, line_end: int, column: int, header: str) -> int:
    """Return the end of the content of a block scalar; of its header if it is empty."""
    digits = re.sub(r"\D", "", header)
    least = max(column, 0) + int(digits) if digits else None
    last, position = line_end, _next_line(block, line_end)
    while position < len(block):
        end = _line_end(block, position)
        spaces = len(_INDENT.match(block, position, end)[0])  # type: ignore[index]  # matches the empty text too
        if position + spaces < end:
            least = max(spaces, column + 1) if least is None else least
            if spaces < least:
                break
            last = end
        position = _next_line(block, position)
    return last


_DOUBLE_QUOTED = lazy_pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*"', re.DOTALL)
# The last quote has none behind it: else a text that nothing closes would end in the midst of its last pair.
_SINGLE_QUOTED = lazy_pattern(r"'[^']*+(?:''[^']*+)*'(?!')")


def _quoted(block: str, point: int) -> int:
    """Return the offset behind the closing quote."""
    quote, start = block[point], point
    found = (_DOUBLE_QUOTED if quote == '"' else _SINGLE_QUOTED).match(block, point)
    if found is None:
        raise EditRefusal("a quote is opened and never closed", start)
    return found.end()


_FLOW_SKIP = lazy_pattern(r"(?:[\s,]|(?<=\s)#[^\n]*|:(?=[\s,\[\]{}\"'])|[&*!][^\s,\[\]{}]*)+")
_FLOW_PLAIN = lazy_pattern(r"(?:[^\s,\[\]{}:]|:(?![\s,\[\]{}])|\s+(?![#\s,\[\]{}]|:[\s,\[\]{}]))+")


def _flow(block: str, point: int) -> int:
    """Return the offset behind the bracket that closes the flow collection at `point`."""
    start, open_brackets = point, ""
    while True:
        if found := _FLOW_SKIP.match(block, point):
            point = found.end()
        if point >= len(block):
            raise EditRefusal("a bracket is opened and never closed", start)
        character = block[point]
        if character in "[{":
            open_brackets += character
            point += 1
        elif character in "]}":
            if open_brackets[-1] + character not in {"[]", "{}"}:
                raise EditRefusal("brackets do not match", point)
            open_brackets = open_brackets[:-1]
            point += 1
            if not open_brackets:
                return point
        elif character in "\"'":
            point = _quoted(block, point)
        elif found := _FLOW_PLAIN.match(block, point):
            point = found.end()
        else:
            raise EditRefusal("a flow value is written in a way that is unknown", point)


def _demand_rest(block: str, point: int) -> None:
    rest = block[point : _line_end(block, point)]
    if rest.strip(" \t") and not re.match(r"[ \t]+#", rest):
        raise EditRefusal("a value is followed by more text", point)


def _content(block: str, position: int) -> int | None:
    """Return where a line's text begins; None for a blank line or a comment."""
    end = _line_end(block, position)
    point = _skip_space(block, position, end)
    if point >= end or block[point] == "#":
        return None
    if "\t" in block[position:point]:
        raise EditRefusal("a line is indented with a tab", position)
    return point


def _skip_space(block: str, point: int, end: int) -> int:
    while point < end and block[point] in " \t":
        point += 1
    return point


def _line_end(block: str, point: int) -> int:
    """Return where the line's text ends, before its newline."""
    end = block.find("\n", point)
    if end < 0:
        return len(block)
    return end - 1 if end > point and block[end - 1] == "\r" else end


def _next_line(block: str, point: int) -> int:
    end = block.find("\n", point)
    return len(block) if end < 0 else end + 1


_OPENING = lazy_pattern(r"---[ \t]*\r?\n")
_CLOSING = lazy_pattern(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]{0,99}")
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The parts of a text; together they are the whole text.

    `block` is None where there is no front matter; `unclosed` says that a first line `---` has no closing one, so that
    all is body. `newline` is that of the first line, else LF.
    """

    bom: str
    opening: str
    block: str | None
    closing: str
    body: str
    newline: str
    unclosed: bool = False

    def join(self) -> str:
        """Return the text that was split, character for character."""
        return self.bom + self.opening + (self.block or "") + self.closing + self.body


def split(text: str) -> FrontMatter:
    """Take a text apart; the text has the newlines of its file.

    >>> split("---\\ntitle: A\\n---\\n# A\\n").block
    'title: A\\n'
    """
    bom = BOM if text.startswith(BOM) else ""
    first_end = text.find("\n")
    newline = "\r\n" if first_end > 0 and text[first_end - 1] == "\r" else "\n"
    opening = _OPENING.match(text, len(bom))
    if opening is None:
        return FrontMatter(bom, "", None, "", text[len(bom) :], newline)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return FrontMatter(bom, "", None, "", text[len(bom) :], newline, unclosed=True)
    block = text[opening.end() : closing.start()]
    return FrontMatter(bom, opening[0], block, closing[0], text[closing.end() :], newline)


def edit(text: str, changes: Mapping[str, str | None], *, path: str = "front matter") -> str:
    """Return `text` with keys set to one line of YAML each, or removed where None.

    Only the lines of these keys change; a comment behind a value stays. A missing key goes to the end of the block; a
    text with no front matter gets one. Raises FormatError, with `path` and line, where the block cannot be edited
    without risk, and ValueError where a key or value is not one line of YAML.
    """
    for key, value in changes.items():
        _demand_plain_change(key, value)
    parts = split(text)
    if parts.unclosed or (parts.body.startswith("+++") and parts.block is None):
        what = "is opened by --- and never closed" if parts.unclosed else "is TOML"
        raise FormatError(f"{path}:1: front matter {what}; it cannot be edited", hint="edit the file by hand")
    if parts.block is None:
        added = _new_lines(changes, "", parts.newline)
        frame = f"---{parts.newline}"
        return f"{parts.bom}{frame}{added}{frame}{parts.body}" if added else text
    try:
        block = _edit_block(parts.block, changes, parts.newline)
    except EditRefusal as refusal:
        line = refusal.line_in(parts.block) + 1
        raise FormatError(
            f"{path}:{line}: front matter cannot be edited: {refusal}", hint="edit the file by hand"
        ) from refusal
    return parts.bom + parts.opening + block + parts.closing + parts.body


def _demand_plain_change(key: str, value: str | None) -> None:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not a plain key")
    if value is not None and not inline_value(value):
        raise ValueError(f"{value!r} is not one line of YAML for {key}")


def _edit_block(block: str, changes: Mapping[str, str | None], newline: str) -> str:
    spans = key_spans(block)
    found = {key: _only(spans, key) for key in changes}
    for key, span in sorted(found.items(), key=lambda each: -each[1].start if each[1] else 0):
        if span is not None:
            _demand_no_alias(block, span)
            block = _replace(block, span, changes[key])
    indent = " " * (spans[0].indent if spans else 0)
    return block + _new_lines({key: changes[key] for key, span in found.items() if span is None}, indent, newline)


def _only(spans: tuple[KeySpan, ...], key: str) -> KeySpan | None:
    same = [span for span in spans if span.key == key]
    if len(same) > 1:
        raise EditRefusal(f"{key} appears twice in it", same[1].start)
    hidden = [span for span in spans if span.key is None]
    if not same and hidden:
        raise EditRefusal("a key is written with escapes", hidden[0].start)
    return same[0] if same else None


def _demand_no_alias(block: str, span: KeySpan) -> None:
    rest = block[: span.start] + block[span.end :]
    for name in re.findall(r"&([^\s,\[\]{}]+)", block[span.start : span.end]):
        if re.search(rf"\*{re.escape(name)}(?![^\s,\[\]{{}}])", rest):
            raise EditRefusal(f"the value has the anchor &{name}, which is used elsewhere", span.start)


def _replace(block: str, span: KeySpan, value: str | None) -> str:
    if value is None:
        return block[: span.start] + block[span.end :]
    space = "" if span.value_start > span.colon else " "
    kept = block[span.value_end : span.drop_start] + block[span.drop_end :]
    return block[: span.value_start] + space + value + kept


def _new_lines(changes: Mapping[str, str | None], indent: str, newline: str) -> str:
    return "".join(f"{indent}{key}: {value}{newline}" for key, value in changes.items() if value is not None)


# Where the keys of front matter stand in a file, for messages about them.

_KEY_LINES_KEY = lazy_pattern(r"[ ]*([A-Za-z_][A-Za-z0-9_-]{0,99})[ ]*:(?: |$)")


def key_lines(text: str) -> dict[str, int]:
    """Return each top-level key with its line in the file; of several the first.

    Keys inside of another's value stand deeper, and are left out.

    >>> key_lines("---\\nid: a\\nsource:\\n  kind: explicit\\nlinks: []\\n---\\n")
    {'id': 2, 'source': 3, 'links': 5}
    """
    block = split(text.replace("\r\n", "\n")).block
    found: dict[str, int] = {}
    indent = None
    for number, line in enumerate((block or "").split("\n"), 2):
        match = _KEY_LINES_KEY.match(line)
        if match is None:
            continue
        depth = match.start(1)
        indent = depth if indent is None else indent
        if depth == indent:
            found.setdefault(match[1], number)
    return found
