"""XHTML in a ReqIF attribute as plain text: paragraphs and breaks become lines, what is preformatted stays as it is."""

import re
from collections.abc import Iterator
from typing import Any

_BLOCKS = frozenset({"p", "div", "ul", "ol", "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"})


def xhtml_text(node: Any) -> str:
    """Return the text of an element and of all in it."""
    text = "".join(_texts(node, False))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") if "\0" not in text else _kept(text)


def _texts(node: Any, kept: bool) -> Iterator[str]:
    name = _local(node)
    inside = kept or name == "pre"
    if name == "br":
        yield "\n"
    elif name == "li":
        yield "\n- "
    elif name in _BLOCKS:
        yield "\n\n"
    if name == "pre":
        yield "\0"
    yield _flat(node.text, inside)
    for child in node:
        yield from _texts(child, inside)
        yield _flat(child.tail, inside)
    if name == "pre":
        yield "\0"
    if name in _BLOCKS:
        yield "\n\n"


def _kept(text: str) -> str:
    """Return a text whose parts between NUL are preformatted."""
    parts = text.split("\0")
    flat = [re.sub(r"\n{3,}", "\n\n", part) if number % 2 == 0 else part for number, part in enumerate(parts)]
    return "".join(flat).strip("\n")


def _flat(text: str | None, kept: bool) -> str:
    return "" if not text else text if kept else re.sub(r"\s+", " ", text) if text.strip() else ""


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""
