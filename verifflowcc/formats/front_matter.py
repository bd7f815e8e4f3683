"""Front matter of Markdown: taken apart without loss, and edited so that only the lines of the edited keys change.

What a value means is read elsewhere (`front_matter_read`); where a key's value begins and ends is found in
`front_matter_spans`. Only YAML front matter is known: `---` in the first line, `---` or `...` behind it.
"""

import re
from collections.abc import Mapping

from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter_spans import KeySpan, Refused, inline_value, key_spans
from verifflowcc.records import dataclass

_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,99}")
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A text in parts that add up to it: `bom`, `opening` line, `block`, `closing` line, `body`.

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


def set_key(text: str, key: str, value: str, *, path: str = "front matter") -> str:
    """Return `text` with one key set; see `edit`."""
    return edit(text, {key: value}, path=path)


def edit(text: str, changes: Mapping[str, str | None], *, path: str = "front matter") -> str:
    """Return `text` with each key's value replaced by one line of YAML, or removed where the value is None.

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
    except Refused as refusal:
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
        raise Refused(f"{key} appears twice in it", same[1].start)
    hidden = [span for span in spans if span.key is None]
    if not same and hidden:
        raise Refused("a key is written with escapes", hidden[0].start)
    return same[0] if same else None


def _demand_no_alias(block: str, span: KeySpan) -> None:
    rest = block[: span.start] + block[span.end :]
    for name in re.findall(r"&([^\s,\[\]{}]+)", block[span.start : span.end]):
        if re.search(rf"\*{re.escape(name)}(?![^\s,\[\]{{}}])", rest):
            raise Refused(f"the value has the anchor &{name}, which is used elsewhere", span.start)


def _replace(block: str, span: KeySpan, value: str | None) -> str:
    if value is None:
        return block[: span.start] + block[span.end :]
    space = "" if span.value_start > span.colon else " "
    kept = block[span.value_end : span.drop_start] + block[span.drop_end :]
    return block[: span.value_start] + space + value + kept


def _new_lines(changes: Mapping[str, str | None], indent: str, newline: str) -> str:
    return "".join(f"{indent}{key}: {value}{newline}" for key, value in changes.items() if value is not None)
