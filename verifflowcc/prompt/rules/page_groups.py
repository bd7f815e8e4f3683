"""Entries as they are on a page: items as lists by their type, files under their names, data in fences.

What a person wrote is printed as it is, unable to start a heading of the prompt's. What agents, tools and others wrote
is data: items in one fence for each level of trust, each file in a fence of its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from verifflowcc.base.model.item_values import Trust
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.markdown import ITEM, Line, LineKind, close_fences, read_lines, split_lines
from verifflowcc.base.text.secrets import withhold
from verifflowcc.prompt.rules.compile import ShownEntry
from verifflowcc.prompt.rules.template_view import GroupView, group_view, one_line, plain_text

# A person's Markdown as part of a prompt: unfenced, and unable to start one of the prompt's own headings.
#
# Its headings move below those of the prompt, or become bold lines inside of a list item. Fences, comments and HTML
# that are left open would swallow the text behind them, and are closed or written out.

_FENCED = frozenset({LineKind.OPENS, LineKind.INSIDE, LineKind.CLOSES})
_CODE = _FENCED | {LineKind.CODE}
_HEADING = lazy_pattern(r"(?P<indent> {0,3})(?P<marks>#{1,6})(?P<title>(?:[ \t].*)?)$", re.DOTALL)
_CLOSING_MARKS = lazy_pattern(r"(?:^|[ \t]+)#+[ \t]*$")
_MARKERS = r"(?:[ \t]|>|[-+*](?=[ \t]+\S)|\d{1,9}[.)](?=[ \t]+\S))*"
_PREFIX = lazy_pattern(_MARKERS)
_BEGINS = lazy_pattern(r"#{1,6}(?=[ \t]|$)|=+[ \t]*$|-+[ \t]*$|<(?=[?!]|/?[a-z][a-z0-9-]*(?:[\s/>]|$))", re.IGNORECASE)
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
    lines = [f"- {head}{_prose_plain(first.strip())}".rstrip(), *(f"{_INDENT}{line}".rstrip() for line in rest)]
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
    at = next((at for at, line in enumerate(lines) if line.kind is not LineKind.BLANK), -1)
    found = _HEADING.match(lines[at].text.rstrip("\n")) if at >= 0 and lines[at].kind is LineKind.HEADING else None
    heading = _prose_title(found["title"]) if found and not lines[at].item else ""
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
    if line.kind is LineKind.HEADING and (found := _HEADING.match(line.text.rstrip("\n"))):
        return len(found["marks"])
    if line.kind is LineKind.UNDERLINE and _is_one_line(lines, at - 1):
        return 1 if line.text.lstrip().startswith("=") else 2
    return 0


def _is_one_line(lines: list[Line], at: int) -> bool:
    """Return whether a paragraph has one line, which then is all of its heading."""
    return lines[at].kind is LineKind.PARAGRAPH and (at == 0 or lines[at - 1].kind is not LineKind.PARAGRAPH)


def _joined(lines: list[Line], heading: Callable[[int, str], str], *, in_list: bool = False) -> str:
    done: list[str] = []
    for at, line in enumerate(lines):
        text = line.text.rstrip("\n")
        if in_list and line.kind not in _FENCED:
            text = _without_tabs(text)
        if line.kind in _CODE or (line.kind is LineKind.COMMENT and not in_list):
            done.append(text)
        elif level := _level(lines, at):
            title = done.pop() if line.kind is LineKind.UNDERLINE else _prose_title(_heading(text))
            done += [""] if in_list and done and done[-1].strip() else []
            done.append(heading(level, title.strip()))
        elif line.kind is LineKind.RULE:
            done.append("" if in_list else "***")  # dashes could underline; behind an item's marker they end the list
        else:
            done.append(_prose_plain(text))
    return "\n".join(done)


def _heading(text: str) -> str:
    found = _HEADING.match(text)
    return found["title"] if found else text


def _prose_title(words: str) -> str:
    return _CLOSING_MARKS.sub("", words.strip()).strip()


def _prose_plain(text: str) -> str:
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


RULES = ("constraint", "convention", "guideline", "decision")
"""Types of items that say what must be done or what holds, in the order in which they are printed."""
MARKDOWN = "markdown"
_HUMAN = str(Trust.HUMAN)
_BY = {
    str(Trust.TOOL): "Data from tools",
    str(Trust.AGENT): "Data written by agents",
    str(Trust.EXTERNAL): "Data from outside",
}
_LETTERS = str.maketrans({"_": " "})
_SAME = " .…:"
_LONGEST_IN_A_LIST = 12
"""Lines."""


def groups_of(shown: Sequence[ShownEntry], level: int = 3, *, rules: bool = False) -> tuple[GroupView, ...]:
    """Return entries as groups under headings of a level: lists of a person's items, then what is data.

    With `rules`, a person's pages stand first, unfenced.
    """
    items, files = _parted(shown, lambda one: bool(one.candidate.item) and one.candidate.kind == MARKDOWN)
    pages, files = _parted(
        files, lambda one: rules and one.candidate.trust == _HUMAN and one.candidate.kind == MARKDOWN
    )
    found = [_page(one, level) for one in pages]
    found += _lists([one for one in items if one.candidate.trust == _HUMAN], level)
    found += [
        group_view(level, _BY[trust], "\n".join(_as_data(those)), fenced=MARKDOWN)
        for trust in _BY
        if (those := [one for one in items if one.candidate.trust == trust])
    ]
    found += [_data_file(one, level) for one in files]
    return tuple(each for each in found if each.text)


def _parted(
    shown: Sequence[ShownEntry], holds: Callable[[ShownEntry], bool]
) -> tuple[list[ShownEntry], list[ShownEntry]]:
    """Return the entries of which something holds, and the others."""
    parts: tuple[list[ShownEntry], list[ShownEntry]] = [], []
    for one in shown:
        parts[not holds(one)].append(one)
    return parts


def list_group(heading: str, shown: Sequence[ShownEntry], level: int = 3) -> tuple[GroupView, ...]:
    """Return entries whose texts are items of a list already: a person's as they are, those of others fenced."""
    own = "\n".join(items_of_a_list(plain_text(one.text)) for one in shown if one.candidate.trust == _HUMAN)
    found = [group_view(level, heading, own)]
    for trust, by in _BY.items():
        text = "\n".join(plain_text(one.text) for one in shown if one.candidate.trust == trust)
        found.append(group_view(level, f"{heading}: {by[:1].lower()}{by[1:]}", text, fenced=MARKDOWN))
    return tuple(each for each in found if each.text)


def _page(one: ShownEntry, level: int) -> GroupView:
    text = below_headings(_plain(one.text), level + 1)
    return group_view(level, _with_marks(one.candidate.key, one), text)


def _data_file(one: ShownEntry, level: int) -> GroupView:
    trust = one.candidate.trust
    marks = [trust] if trust != _HUMAN else []
    return group_view(level, _with_marks(one.candidate.key, one, marks), one.text, fenced=one.candidate.kind)


def _lists(items: Sequence[ShownEntry], level: int) -> Iterator[GroupView]:
    """Yield the items of each type under one heading, those with headings of their own behind the list."""
    for name in _types(items):
        those = [one for one in items if one.candidate.type == name]
        dated = _dated(those)
        divided, listed = _parted(those, lambda one: _is_divided(_body(one)))
        lines = [_item(one, dated=one.candidate.path in dated) for one in listed]
        parts = ["\n".join(lines), *(_divided(one, level + 1, dated=one.candidate.path in dated) for one in divided)]
        yield group_view(level, _plural(name), "\n\n".join(filter(None, parts)))


def _is_divided(text: str) -> bool:
    """Return whether a text reads better under a heading of its own than as an item of a list."""
    return text.count("\n") >= _LONGEST_IN_A_LIST or has_headings(text)


def _as_data(items: Sequence[ShownEntry]) -> Iterator[str]:
    for name in _types(items):
        those = [one for one in items if one.candidate.type == name]
        dated = _dated(those)
        yield f"{_plural(name)}:"
        yield from (_item(one, dated=one.candidate.path in dated) for one in those)


def _item(one: ShownEntry, *, dated: bool) -> str:
    return list_item(_head(one, dated=dated), _body(one))


def _divided(one: ShownEntry, level: int, *, dated: bool) -> str:
    marks = _marks(one, dated=dated)
    heading = f"{'#' * level} {_title(one) or one_line(one.candidate.key)}{_error(one)}{f' ({marks})' if marks else ''}"
    return f"{heading}\n\n{below_headings(_body(one), level + 1)}"


def _head(one: ShownEntry, *, dated: bool) -> str:
    """Return what is printed before an item's text: its title, if the text does not begin with it, and its marks."""
    marks = _marks(one, dated=dated)
    begun = f"({marks}) " if marks else ""
    title, error = _title_to_print(one), _error(one)
    if not title:
        return f"{begun}{error.strip()}{' ' if error else ''}"
    if error:
        return f"{begun}**{title}**{error}. "
    return f"{begun}**{title}{'' if title[-1] in '.?!:…' else '.'}** "


def _title_to_print(one: ShownEntry) -> str:
    """Return the title, empty where it is only the file's name, or what the text begins with."""
    title, body = _title(one), _body(one).strip()
    if not body:
        return title or one_line(one.candidate.key)
    stem = one.candidate.path.rpartition("/")[2].rpartition(".")[0]
    begins = " ".join(body.lstrip("#* ").split())[: len(title) + 1]
    same = begins.casefold().startswith(title.rstrip(_SAME).casefold())
    return "" if same or title in (stem, one.candidate.item) else title


def _title(one: ShownEntry) -> str:
    return one_line(split_title(one.candidate.title, _plain(one.text))[0])


def _body(one: ShownEntry) -> str:
    return split_title(one.candidate.title, _plain(one.text))[1]


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return plain_text(withhold(text))


def _error(one: ShownEntry) -> str:
    return f" ({one_line(one.candidate.error)})" if one.candidate.error else ""


def _marks(one: ShownEntry, *, dated: bool) -> str:
    """Return what a reader must know before an item's text: that it does not hold, is stale or cut, and its date."""
    date = one.candidate.date if dated and one.candidate.date else ""
    return "; ".join(filter(None, [*_states(one), one_line(date)]))


def _states(one: ShownEntry) -> Iterator[str]:
    if one.candidate.invalid_reason:
        yield f"not in force: {one_line(one.candidate.invalid_reason)}"
    if one.candidate.stale:
        yield f"stale: {one_line(one.candidate.stale)}"
    if one.candidate.conflict:
        yield one.candidate.conflict
    if one.trimmed:
        yield "trimmed"


def _with_marks(name: str, one: ShownEntry, before: Iterable[str] = ()) -> str:
    marks = "; ".join([*before, *_states(one)])
    return one_line(f"{name} ({marks})" if marks else name)


def _dated(items: Sequence[ShownEntry]) -> frozenset[str]:
    """Return the paths of items of one type that repeat or replace each other: only their dates differ."""
    subjects = Counter(one.candidate.subject for one in items if one.candidate.subject)
    return frozenset(
        one.candidate.path for one in items if one.candidate.invalid_reason or subjects[one.candidate.subject] > 1
    )


def _types(items: Iterable[ShownEntry]) -> list[str]:
    names = {one.candidate.type for one in items}
    return [name for name in RULES if name in names] + sorted(names - set(RULES))


def _plural(type_name: str) -> str:
    """Return a heading for items of a type.

    >>> _plural("failure"), _plural("summary"), _plural("business_fact"), _plural("fix"), _plural("reasoning")
    ('Failures', 'Summaries', 'Business facts', 'Fixes', 'Reasoning')
    """
    words = one_line(type_name.translate(_LETTERS)).capitalize()
    if words.endswith("ing"):
        return words
    if words.endswith("y"):
        return f"{words[:-1]}ies"
    return f"{words}es" if words.endswith(("s", "x")) else f"{words}s"
