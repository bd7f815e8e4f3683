"""When a model is asked to order the best hits anew: the words alone do not tell them apart.

Three conditions, the first that holds is told. Each is a rule over whole numbers and words, so that the same hits give
the same answer on every machine.

1. *Margin*: the best score is ahead of the second by less than `trigger_min_margin` of itself.
2. *Intent*: the question asks for more than one thing (two sentences that end in a question mark, or alternatives with
   "or" in at most `SHORT` words; in a longer text an "or" joins details), or it has one word at most that any hit holds
   itself, so that nothing tells which of them is meant.
3. *Subject*: of the hits whose score is at least `CLOSE` of the best, `FACTS` or more speak of one subject: they share
   the first word of their key, a tag, or the first word of their title where the question has that word too.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.domain.config import RerankSettings
from verifflowcc.domain.recall import Hit
from verifflowcc.text.stems import terms

CLOSE = 700
"""In thousandths of the best score: a hit from there on is close to it."""

FACTS = 3
"""So many close hits about one subject may contradict each other."""

SHORT = 12
"""So many words are a question; more are a task that somebody describes."""

_THOUSAND = 1000
_ASKED = re.compile(r"\?+(?=\s|$)")
_ALTERNATIVES = re.compile(r"\w\W*\sor\s\W*\w", re.IGNORECASE)
_KEY_PART = re.compile(r"[^\W_]+")
_BESIDE = "beside"


def why_rerank(question: str, hits: Sequence[Hit], settings: RerankSettings) -> str | None:
    """Return the first condition that holds, as a clause; None where none does.

    `hits` are the direct ones, best first; those that a model would not be given (`max_candidates`) are not looked at.
    Of fewer than two there is nothing to order. Whether rerank is switched on is not asked here.
    """
    best = hits[: settings.max_candidates]
    if len(best) < 2:
        return None
    return _margin(best, settings.trigger_min_margin) or _intent(question, best) or _subject(question, best)


def _margin(hits: Sequence[Hit], least: int) -> str | None:
    first, second = hits[0].score, hits[1].score
    if (first - second) * _THOUSAND >= least * first:
        return None
    margin = (first - second) * _THOUSAND // first
    told = f"{_fraction(margin)}, below memory.rerank.trigger_min_margin ({_fraction(least)})"
    return f"the margin between the best two hits is {told}"


def _intent(question: str, hits: Sequence[Hit]) -> str | None:
    asked = len(_ASKED.findall(question))
    if asked > 1:
        return f"it is unclear what is meant: {asked} questions are asked at once"
    if len(question.split()) <= SHORT and _ALTERNATIVES.search(question):
        return "it is unclear what is meant: the question names alternatives"
    held = {word for hit in hits for word, fields in hit.matched.items() if set(fields) - {_BESIDE}}
    if len(held) > 1:
        return None
    return f"it is unclear what is meant: {'one word' if held else 'no word'} of the question is in any hit"


def _subject(question: str, hits: Sequence[Hit]) -> str | None:
    close = [hit for hit in hits if hit.score * _THOUSAND >= CLOSE * hits[0].score]
    asked = frozenset(terms(question))
    shared = Counter(subject for hit in close for subject in set(_subjects(hit, asked)))
    many = _most(shared.items())
    return None if many is None else f"{many[1]} close hits speak of one subject: {many[0]}"


def _subjects(hit: Hit, asked: frozenset[str]) -> Iterator[str]:
    """Yield what a hit speaks of, each as it is told to a person."""
    head = _KEY_PART.search(hit.item.key or "")
    if head:
        yield f"key {head[0].casefold()}"
    yield from (f"tag {tag.casefold()}" for tag in hit.item.tags)
    named = terms(hit.item.title)[:1]
    yield from (f"title {word}" for word in named if word in asked)


def _most(counted: Iterable[tuple[str, int]]) -> tuple[str, int] | None:
    """Return the subject of most hits, the first by name of several; None where none has enough."""
    enough = [each for each in counted if each[1] >= FACTS]
    return min(enough, key=lambda each: (-each[1], each[0]), default=None)


def _fraction(thousandths: int) -> str:
    """Return thousandths as a decimal.

    >>> _fraction(150), _fraction(42), _fraction(1000)
    ('0.15', '0.042', '1')
    """
    return f"{thousandths / _THOUSAND:g}"
