"""The trace items of a sprint, and others near a task, each with the reason."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.item_values import Link, Status
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.stems import JoinedTexts
from verifflowcc.trace.rules.trace_view import TraceView

MOST_BELOW = 20
"""So many items below those that a sprint names are in its scope: a need may have hundreds."""

_UNIT = 1_000_000
_FIRST = -(1 << 60)
_WORD = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]*[A-Za-z0-9])?")
_PART = lazy_pattern(r"[A-Za-z0-9]+|[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class SprintItem:
    """An item, and why a prompt has it, or leaves it out."""

    item: TraceItem
    why: str


@dataclass(frozen=True, slots=True)
class SprintScope:
    """The items of a sprint in their order, named ones first.

    `above` are the ones beyond `MOST_BELOW`.
    """

    items: tuple[SprintItem, ...]
    above: tuple[SprintItem, ...] = ()


class ItemNames:
    """Finds ids of live items in texts.

    An id that is a plain word counts only in its own capitals.
    """

    def __init__(self, items: Iterable[TraceItem]) -> None:
        self._exact = {item.id for item in items}
        self._folded = {name.casefold(): name for name in self._exact if not name.isalpha()}

    def in_text(self, text: str) -> Iterator[str]:
        """Yield the ids that a text names as words of their own."""
        for word in _WORD.findall(text):
            name = self._find(word) or self._find(word.removesuffix(".md"))
            if name:
                yield name

    def in_branch(self, branch: str) -> Iterator[str]:
        """Yield the ids in a branch's name: `feature/req-12-login` names REQ-12."""
        parts = _PART.findall(branch)
        for first in range(len(parts)):
            for last in range(len(parts), first, -1):
                name = self._find("".join(parts[first:last]))
                if name:
                    yield name

    def _find(self, word: str) -> str | None:
        return word if word in self._exact else self._folded.get(word.casefold())


def sprint_scope(view: TraceView, named: Mapping[str, str], *, with_below: bool) -> SprintScope:
    """Return the named items, all above them, and with `with_below` those below.

    `named` maps an id to what names it.

    Above an item is what it refines, over any number of links; below it is what refines it. A sprint that names an item
    and some below it is about those: nothing else below it is taken.
    """
    found = {name: SprintItem(view.by_id[name], why) for name, why in named.items()}
    for child, link, parent in _walk(view, named, view.parents):
        if parent.id not in found and parent.status is not Status.ARCHIVED:
            found[parent.id] = SprintItem(parent, f"{child.id} {link.relation} it")
    above: dict[str, SprintItem] = {}
    room = len(found) + MOST_BELOW
    for parent, link, child in (
        _walk(view, named.keys() - _with_named_below(view, named), view.children) if with_below else ()
    ):
        if child.id not in found:
            into = found if len(found) < room else above
            into.setdefault(child.id, SprintItem(child, f"it {link.relation} {parent.id}"))
    return SprintScope(tuple(found.values()), tuple(above.values()))


def _with_named_below(view: TraceView, named: Iterable[str]) -> set[str]:
    """Return the ids of the items above any that is named."""
    found: set[str] = set()
    level = set(named)
    while level:  # of thousands of items few are above these: `view.above` of all would take longer
        links = [(item, above) for item in view.live if item.id in level for above, _ in view.parents(item)]
        level = {above.id for item, above in links if above.status is not Status.ARCHIVED and above.id != item.id}
        level -= found
        found |= level
    return found


def _walk(
    view: TraceView, start: Iterable[str], step: Callable[[TraceItem], Iterable[tuple[TraceItem, Link]]]
) -> Iterator[tuple[TraceItem, Link, TraceItem]]:
    """Yield each step that leads to an item for the first time, nearest first.

    A step is the item before, the link, and the item reached.
    """
    seen = set(start)
    level = [view.by_id[name] for name in sorted(seen)]
    while level:
        following = []
        for item in level:
            for other, link in sorted(step(item), key=lambda each: each[0].id):
                if other.id not in seen:
                    seen.add(other.id)
                    following.append(other)
                    yield item, link, other
        level = following


def near_task(
    items: Sequence[TraceItem], task: str, terms: Mapping[str, str], names: ItemNames
) -> Iterator[SprintItem]:
    """Yield items in the order of their worth for a task.

    First those that it names, then those with its words, then the others.

    `terms` maps the stem of each word of the task to the word. A word that few items have weighs more. Ties go by id.
    """
    named = set(names.in_text(task))
    joined = JoinedTexts([f"{item.title}\n{item.text}".casefold() for item in items])
    beginning: dict[str, set[int]] = {}  # words of a task may share a form
    scores = [0] * len(items)
    for term, word in terms.items():
        places: set[int] = set()
        for form in _forms(term, word.casefold()):
            if form not in beginning:
                beginning[form] = {*joined.having(form, re.compile(rf"\b{re.escape(form)}").match)}
            places |= beginning[form]
        for at in places:
            scores[at] += _UNIT // len(places)
    worth = sorted(zip(items, scores, strict=True), key=lambda each: each[0].id)
    worth.sort(key=lambda each: -each[1] if each[0].id not in named else _FIRST - each[1])
    return (SprintItem(item, _why_near(item, score, named)) for item, score in worth)


def _forms(term: str, word: str) -> tuple[str, ...]:
    """Return a term and its word, without the one that begins as the other does."""
    if word.startswith(term):
        return (term,)
    return (word,) if term.startswith(word) else (term, word)


def _why_near(item: TraceItem, score: int, named: Collection[str]) -> str:
    if item.id in named:
        return "named by the task"
    return "words of the task are in it" if score else "not in the sprint's scope; there is room for it"
