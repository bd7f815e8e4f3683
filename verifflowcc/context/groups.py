"""Entries as they stand on a page: items as lists by their type, files under their names, data in fences.

What a person wrote is printed as it is, unable to start a heading of the prompt's. What agents, tools and others wrote
is data: items in one fence for each level of trust, each file in a fence of its own.
"""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.context.compile import Shown
from verifflowcc.context.prose import below_headings, has_headings, items_of_a_list, list_item, split_title
from verifflowcc.context.view import GroupView, group_view, one_line, plain_text
from verifflowcc.domain.items import Trust
from verifflowcc.text.secrets import withhold

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


def groups_of(shown: Sequence[Shown], level: int = 3, *, rules: bool = False) -> tuple[GroupView, ...]:
    """Return entries as groups under headings of a level: lists of a person's items, then what is data.

    With `rules`, a person's pages stand first, unfenced.
    """
    items = [one for one in shown if one.candidate.item and one.candidate.kind == MARKDOWN]
    files = [one for one in shown if one not in items]
    pages = [one for one in files if rules and one.candidate.trust == _HUMAN and one.candidate.kind == MARKDOWN]
    found = [_page(one, level) for one in pages]
    found += _lists([one for one in items if one.candidate.trust == _HUMAN], level)
    found += [
        group_view(level, _BY[trust], "\n".join(_as_data(those)), fenced=MARKDOWN)
        for trust in _BY
        if (those := [one for one in items if one.candidate.trust == trust])
    ]
    found += [_data_file(one, level) for one in files if one not in pages]
    return tuple(each for each in found if each.text)


def list_group(heading: str, shown: Sequence[Shown], level: int = 3) -> tuple[GroupView, ...]:
    """Return entries whose texts are items of a list already: a person's as they are, those of others fenced."""
    own = "\n".join(items_of_a_list(plain_text(one.text)) for one in shown if one.candidate.trust == _HUMAN)
    found = [group_view(level, heading, own)]
    for trust, by in _BY.items():
        text = "\n".join(plain_text(one.text) for one in shown if one.candidate.trust == trust)
        found.append(group_view(level, f"{heading}: {by[:1].lower()}{by[1:]}", text, fenced=MARKDOWN))
    return tuple(each for each in found if each.text)


def _page(one: Shown, level: int) -> GroupView:
    text = below_headings(_plain(one.text), level + 1)
    return group_view(level, _with_marks(one.candidate.key, one), text)


def _data_file(one: Shown, level: int) -> GroupView:
    trust = one.candidate.trust
    marks = [trust] if trust != _HUMAN else []
    return group_view(level, _with_marks(one.candidate.key, one, marks), one.text, fenced=one.candidate.kind)


def _lists(items: Sequence[Shown], level: int) -> Iterator[GroupView]:
    """Yield the items of each type under one heading, those with headings of their own behind the list."""
    for name in _types(items):
        those = [one for one in items if one.candidate.type == name]
        dated = _dated(those)
        divided = [one for one in those if _is_divided(_body(one))]
        lines = [_item(one, dated=one.candidate.path in dated) for one in those if one not in divided]
        parts = ["\n".join(lines), *(_divided(one, level + 1, dated=one.candidate.path in dated) for one in divided)]
        yield group_view(level, _plural(name), "\n\n".join(filter(None, parts)))


def _is_divided(text: str) -> bool:
    """Return whether a text reads better under a heading of its own than as an item of a list."""
    return text.count("\n") >= _LONGEST_IN_A_LIST or has_headings(text)


def _as_data(items: Sequence[Shown]) -> Iterator[str]:
    for name in _types(items):
        those = [one for one in items if one.candidate.type == name]
        dated = _dated(those)
        yield f"{_plural(name)}:"
        yield from (_item(one, dated=one.candidate.path in dated) for one in those)


def _item(one: Shown, *, dated: bool) -> str:
    return list_item(_head(one, dated=dated), _body(one))


def _divided(one: Shown, level: int, *, dated: bool) -> str:
    marks = _marks(one, dated=dated)
    heading = f"{'#' * level} {_title(one) or one_line(one.candidate.key)}{_error(one)}{f' ({marks})' if marks else ''}"
    return f"{heading}\n\n{below_headings(_body(one), level + 1)}"


def _head(one: Shown, *, dated: bool) -> str:
    """Return what is printed before an item's text: its title, if the text does not begin with it, and its marks."""
    marks = _marks(one, dated=dated)
    begun = f"({marks}) " if marks else ""
    title, error = _title_to_print(one), _error(one)
    if not title:
        return f"{begun}{error.strip()}{' ' if error else ''}"
    if error:
        return f"{begun}**{title}**{error}. "
    return f"{begun}**{title}{'' if title[-1] in '.?!:…' else '.'}** "


def _title_to_print(one: Shown) -> str:
    """Return the title, empty where it is only the file's name, or what the text begins with."""
    title, body = _title(one), _body(one).strip()
    if not body:
        return title or one_line(one.candidate.key)
    stem = one.candidate.path.rpartition("/")[2].rpartition(".")[0]
    begins = " ".join(body.lstrip("#* ").split())[: len(title) + 1]
    same = begins.casefold().startswith(title.rstrip(_SAME).casefold())
    return "" if same or title in (stem, one.candidate.item) else title


def _title(one: Shown) -> str:
    return one_line(split_title(one.candidate.title, _plain(one.text))[0])


def _body(one: Shown) -> str:
    return split_title(one.candidate.title, _plain(one.text))[1]


def _plain(text: str) -> str:
    return plain_text(withhold(text))


def _error(one: Shown) -> str:
    return f" ({one_line(one.candidate.error)})" if one.candidate.error else ""


def _marks(one: Shown, *, dated: bool) -> str:
    """Return what a reader must know before an item's text: that it does not hold, is stale or cut, and its date."""
    date = one.candidate.date if dated and one.candidate.date else ""
    return "; ".join(filter(None, [*_states(one), one_line(date)]))


def _states(one: Shown) -> Iterator[str]:
    if one.candidate.standing:
        yield f"not in force: {one_line(one.candidate.standing)}"
    if one.candidate.stale:
        yield f"stale: {one_line(one.candidate.stale)}"
    if one.candidate.unsettled:
        yield one.candidate.unsettled
    if one.trimmed:
        yield "trimmed"


def _with_marks(name: str, one: Shown, before: Iterable[str] = ()) -> str:
    marks = "; ".join([*before, *_states(one)])
    return one_line(f"{name} ({marks})" if marks else name)


def _dated(items: Sequence[Shown]) -> frozenset[str]:
    """Return the paths of items of one type that repeat or replace each other: only their dates differ."""
    subjects = [one.candidate.subject for one in items if one.candidate.subject]
    return frozenset(
        one.candidate.path for one in items if one.candidate.standing or subjects.count(one.candidate.subject) > 1
    )


def _types(items: Iterable[Shown]) -> list[str]:
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
