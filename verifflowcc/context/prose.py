"""A person's Markdown as part of a prompt: unfenced, and unable to start one of the prompt's own headings.

Its headings move below those of the prompt, or become bold lines inside of a list item. Fences, comments and HTML that
are left open would swallow the text behind them, and are closed or written out.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from verifflowcc.text.markdown import ITEM, Kind, Line, close_fences, read_lines, split_lines

_FENCED = frozenset({Kind.OPENS, Kind.INSIDE, Kind.CLOSES})
_CODE = _FENCED | {Kind.CODE}
_HEADING = re.compile(r"(?P<indent> {0,3})(?P<marks>#{1,6})(?P<title>(?:[ \t].*)?)$", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_MARKERS = r"(?:[ \t]|>|[-+*](?=[ \t]+\S)|\d{1,9}[.)](?=[ \t]+\S))*"
_PREFIX = re.compile(_MARKERS)
_BEGINS = re.compile(r"#{1,6}(?=[ \t]|$)|=+[ \t]*$|-+[ \t]*$|<(?=[?!]|/?[a-z][a-z0-9-]*(?:[\s/>]|$))", re.IGNORECASE)
"""What begins a heading, an underline or a block of HTML, behind the markers of lists and quotes."""
_DEEPEST = 6
_INDENT = "  "


@lru_cache(maxsize=1024)
def below_headings(text: str, level: int) -> str:
    """Return Markdown whose topmost headings have `level`, with nothing left open at its end.

    >>> below_headings("# Rules\\n\\nBe short.\\n\\nWhy\\n---\\n", 4)
    '#### Rules\\n\\nBe short.\\n\\n##### Why'
    """
    lines = _read(text)
    levels = [found for at in range(len(lines)) if (found := _level(lines, at))]
    shift = level - min(levels, default=level)
    return _joined(lines, lambda found, title: f"{'#' * min(_DEEPEST, max(level, found + shift))} {title}".rstrip())


@lru_cache(maxsize=8192)
def list_item(head: str, text: str) -> str:
    """Return a text as one item of a list, `head` before it on its first line.

    >>> list_item("**Why.** ", "It is slow.\\n\\n# Then\\nMeasure.")
    '- **Why.** It is slow.\\n\\n  **Then**\\n  Measure.'
    """
    body = _joined(_read(text.strip()), lambda _, title: f"**{title}**" if title else "", in_list=True)
    first, *rest = body.strip("\n").split("\n")
    if head and _starts_a_block(first):
        first, rest = "", [first, *rest]
    lines = [f"- {head}{_plain(first.strip())}".rstrip(), *(f"{_INDENT}{line}".rstrip() for line in rest)]
    return "\n".join(lines)


def items_of_a_list(text: str) -> str:
    """Return lines that should be items of a list so that they cannot be anything else.

    >>> items_of_a_list("- A-1: It works.\\n  More.\\n# Not a heading")
    '- A-1: It works.\\n  More.\\n\\n  **Not a heading**'
    """
    found: list[list[str]] = []
    for line in text.split("\n"):
        if line.startswith("- ") or not found:
            found.append([line.removeprefix("- ")])
        else:
            found[-1].append(line.removeprefix(_INDENT) if line.startswith(_INDENT) else line)
    return "\n".join(list_item("", "\n".join(lines).strip("\n")) for lines in found)


@lru_cache(maxsize=8192)
def has_headings(text: str) -> bool:
    """Return whether a text is divided by headings of its own."""
    lines = _read(text)
    return any(_level(lines, at) for at in range(len(lines)))


@lru_cache(maxsize=8192)
def split_title(title: str, text: str) -> tuple[str, str]:
    """Return an item's title and its text without a first heading that says the title, with or without a number.

    >>> split_title("Use SQLite", "# 7. Use SQLite\\n\\nIt is small.")
    ('7. Use SQLite', 'It is small.')
    >>> split_title("Use SQLite", "# Context\\n\\nIt is small.")
    ('Use SQLite', '# Context\\n\\nIt is small.')
    >>> split_title("07", "It is small.")
    ('07', 'It is small.')
    """
    lines = _read(text)
    at = next((at for at, line in enumerate(lines) if line.kind is not Kind.BLANK), -1)
    found = _HEADING.match(lines[at].text.rstrip("\n")) if at >= 0 and lines[at].kind is Kind.HEADING else None
    heading = _title(found["title"]) if found and not lines[at].item else ""
    if not _is_title(heading, title):
        return title, text
    return heading, "".join(line.text for line in lines[at + 1 :]).strip("\n")


def _is_title(heading: str, title: str) -> bool:
    return bool(title and heading) and re.sub(r"^[\d.:)\s-]*", "", heading) == re.sub(r"^[\d.:)\s-]*", "", title)


def _read(text: str) -> list[Line]:
    # A blank line before it, since what looks like front matter at the top of a text is none inside of a prompt.
    return list(read_lines(["\n", *split_lines(close_fences(text).strip("\n"))])[1:])


def _level(lines: list[Line], at: int) -> int:
    """Return the level of the heading that a line is or underlines; 0 where it is none of the text's own."""
    line = lines[at]
    if line.depth or line.item:
        return 0
    if line.kind is Kind.HEADING and (found := _HEADING.match(line.text.rstrip("\n"))):
        return len(found["marks"])
    if line.kind is Kind.UNDERLINE and _is_one_line(lines, at - 1):
        return 1 if line.text.lstrip().startswith("=") else 2
    return 0


def _is_one_line(lines: list[Line], at: int) -> bool:
    """Return whether a paragraph has one line, which then is all of its heading."""
    return lines[at].kind is Kind.PARAGRAPH and (at == 0 or lines[at - 1].kind is not Kind.PARAGRAPH)


def _joined(lines: list[Line], heading: Callable[[int, str], str], *, in_list: bool = False) -> str:
    done: list[str] = []
    for at, line in enumerate(lines):
        text = line.text.rstrip("\n")
        if in_list and line.kind not in _FENCED:
            text = _without_tabs(text)
        if line.kind in _CODE or (line.kind is Kind.COMMENT and not in_list):
            done.append(text)
        elif level := _level(lines, at):
            title = done.pop() if line.kind is Kind.UNDERLINE else _title(_heading(text))
            done += [""] if in_list and done and done[-1].strip() else []
            done.append(heading(level, title.strip()))
        elif line.kind is Kind.RULE:
            done.append("" if in_list else "***")  # dashes could underline; behind an item's marker they end the list
        else:
            done.append(_plain(text))
    return "\n".join(done)


def _heading(text: str) -> str:
    found = _HEADING.match(text)
    return found["title"] if found else text


def _title(words: str) -> str:
    return _CLOSING_MARKS.sub("", words.strip()).strip()


def _plain(text: str) -> str:
    """Return a line outside of code that begins no heading, and no block that only an end of its own closes."""
    before = _PREFIX.match(text)
    at = before.end() if before else 0
    return f"{text[:at]}\\{text[at:]}" if _BEGINS.match(text, at) else text


def _without_tabs(text: str) -> str:
    """Return a line that an indentation moves as a whole: a tab in front would fill up to the same column."""
    before = _PREFIX.match(text)
    at = before.end() if before else 0
    return text[:at].expandtabs(4) + text[at:]


def _starts_a_block(line: str) -> bool:
    body = line.lstrip()
    return bool(ITEM.match(body)) or body.startswith((">", "```", "~~~", "|", "<", "    "))
