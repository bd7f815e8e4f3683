"""How well units match a question: BM25 over the fields of a unit and of those beside it, in whole numbers.

Robertson and Zaragoza (2009), with the counts of fields weighted before they are saturated (BM25F). A turn of a
conversation takes a share of the counts of its neighbours: what one asks is often answered in the next. The longer a
neighbour is, the smaller its share: a long turn holds its own subject. In a chat with an agent questions are not
answered by facts, so that what depends on questions is for people among themselves; there a question in the first
person is about what the person wrote. A text that is no turn is longer and more of one piece: there its parts count for
themselves, a repeated word says more, and everyday words say less. Integers alone, so that every machine ranks alike.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from verifflowcc.domain.recall import FIELDS, Corpus, KeptUnit, Unit
from verifflowcc.recall.question import Question
from verifflowcc.text.stems import EVERYDAY, stems

OWN, NEAR, ASKED, FAR = 20, 6, 12, 3
"""What a term counts in a turn itself, in the one before or after, in addition in the one before that asks, and in
those two places away; in twentieths."""

BESIDE = 2
"""What a term counts in the part of a text before or after, in twentieths."""

WEIGHTS = (40, 40, 30, OWN, OWN, 1)
"""What a term counts in each of `FIELDS`, in twentieths."""

SHORT = 30
"""A neighbour of more terms than these counts less, in proportion."""

SELF = 250
"""Percent for a person's turn in a chat with an agent where the question is about the one who asks."""

REACH = 2
K1, K1_TEXT = 24, 40
"""k1 = 1.2 for turns, and 2 for other texts, in twentieths; b is a half."""

EVERYDAY_SHARE = 50
"""Percent of its weight that an everyday word has in what is no turn."""

THREAD = 30
"""Percent of the best score in its thread that a hit gets on top; a unit without one has itself as the best."""

SPEAKER, QUESTION, TIME = 120, 80, 120
"""Percent for a turn of the one who is named, for one that ends with a question, and for one that tells a time where
that is asked."""

MOST_TERMS = 24
"""Of a long question, so many of the rarest terms are looked for."""

PERSONS = frozenset({"person", "user", "human"})
AGENTS = frozenset(word for name in ("agent", "assistant", "tool", "outside", "system") for word in stems(name))
"""Speakers of a chat with an agent, as the terms of the field `speaker` begin."""

_BODY = (FIELDS.index("title"), FIELDS.index("key"), FIELDS.index("tags"), FIELDS.index("body"))


class Scored(NamedTuple):
    """A unit with its score, above zero, and term → the fields (or `beside`) in which it stands.

    `meaning` is what of the score is not by words.
    """

    kept: KeptUnit
    score: int
    matched: Mapping[str, tuple[str, ...]]
    meaning: int = 0


def wanted(question: Question, corpus: Corpus, speakers: frozenset[str]) -> dict[str, int]:
    """Return the terms to look for with their weight (how rare they are): without those who speak, unless that is all.

    `speakers` are the question's terms that name somebody who speaks.
    """
    there = {term: corpus.containing.get(term, 0) for term in question.terms}
    held = {term: number for term, number in there.items() if number}
    said = {term: number for term, number in held.items() if term not in speakers} or held
    rarest = sorted(said, key=lambda term: (said[term], term))[:MOST_TERMS]
    return {term: max(1, log2(2 * corpus.units + 2, 2 * min(said[term], corpus.units) + 1)) for term in rarest}


def score(
    question: Question,
    corpus: Corpus,
    kept: Sequence[KeptUnit],
    *,
    speakers: frozenset[str] = frozenset(),
) -> list[Scored]:
    """Return the units that match, best first; ties by path and part. What stands beside one must be among `kept`."""
    terms = wanted(question, corpus, speakers)
    asked = frozenset(terms)
    counted = {each.number: _Counted(each, asked) for each in kept}
    # Of several units at one place, as two facts of one turn, the first stands for the place, whatever its number.
    turns = [each for each in kept if each.unit.place is not None]
    turns.sort(key=lambda each: (each.path, each.part), reverse=True)
    places = {(each.unit.thread, each.unit.place or 0): each.number for each in turns}
    mean = max(1, _mean(corpus))
    everyday = EVERYDAY.intersection(terms)
    in_texts = {term: weight * EVERYDAY_SHARE // 100 if term in everyday else weight for term, weight in terms.items()}
    found: dict[int, tuple[int, dict[str, tuple[str, ...]]]] = {}
    for each in kept:
        around = _around(each, places, counted)
        weights, k1 = (terms, K1) if is_turn(each.unit) else (in_texts, K1_TEXT)
        words = _words(weights, around, mean, k1)
        if words:
            found[each.number] = words, _matched(terms, around)
    best = _best_of_threads(found, counted)
    scored = [
        Scored(one.kept, _whole(question, speakers, one.kept.unit, words + best[_thread(one)] * THREAD // 100), matched)
        for number, (words, matched) in found.items()
        for one in (counted[number],)
    ]
    scored.sort(key=lambda one: (-one.score, one.kept.path, one.kept.part))
    return [one for one in scored if one.score > 0]


def is_turn(unit: Unit) -> bool:
    """Say whether a unit is a turn of a conversation."""
    return unit.place is not None and bool(unit.speaker)


def is_of_chat(unit: Unit) -> bool:
    """Say whether a unit is a turn of a chat with an agent: its speaker has a part there and no name of a person."""
    return is_turn(unit) and (unit.speaker in PERSONS or unit.speaker.split()[0] in AGENTS)


class _Counted:
    """A unit with the weighted counts of the terms in it, and its weighted length; both in twentieths."""

    __slots__ = ("counts", "fields", "kept", "length")

    def __init__(self, kept: KeptUnit, terms: frozenset[str]) -> None:
        self.kept = kept
        self.counts: dict[str, int] = {}
        self.fields: dict[str, list[str]] = {}
        self.length = 0
        for place, text in enumerate(kept.unit.terms):
            if not text:
                continue
            words, weight = text.split(), WEIGHTS[place]
            if place in _BODY:
                self.length += weight * len(words)
            for term in terms.intersection(words):
                self.counts[term] = self.counts.get(term, 0) + weight * words.count(term)
                self.fields.setdefault(term, []).append(FIELDS[place])


def _around(
    each: KeptUnit, places: Mapping[tuple[str, int], int], counted: Mapping[int, _Counted]
) -> list[tuple["_Counted", int]]:
    """The units whose counts count for this one, itself first, with what they count in twentieths."""
    found = [(counted[each.number], OWN)]
    thread, place = each.unit.thread, each.unit.place
    if place is None:
        return found
    turn = is_turn(each.unit)
    talk = turn and not is_of_chat(each.unit)
    for step, weight in ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR)) if turn else ((-1, BESIDE), (1, BESIDE)):
        number = places.get((thread, place + step))
        if number is not None:
            other = counted[number]
            asked = ASKED if talk and step == -1 and other.kept.unit.asks else 0
            share = (weight + asked) * min(other.length, SHORT * OWN) // max(1, other.length) if turn else weight
            if share:
                found.append((other, share))
    return found


def _words(terms: Mapping[str, int], around: Sequence[tuple[_Counted, int]], mean: int, k1: int) -> int:
    """BM25 of the counts around a unit. Its length is the weighted mean of theirs, beside the mean of all."""
    total = 0
    if len(around) == 1:  # most units stand alone
        own = around[0][0]
        saturation = 50 * k1 * OWN * (mean + own.length) // mean
        for term, number in own.counts.items():
            count = 100 * OWN * number
            total += 256 * terms[term] * count // (count + saturation)
        return total
    shares = sum(weight for _, weight in around)
    length = sum(weight * one.length for one, weight in around)
    saturation = 50 * k1 * OWN * (mean * shares + length) // (mean * shares)
    for term, weight in terms.items():
        count = 100 * sum(share * one.counts[term] for one, share in around if term in one.counts)
        if count:
            total += 256 * weight * count // (count + saturation)
    return total


def _matched(terms: Iterable[str], around: Sequence[tuple[_Counted, int]]) -> dict[str, tuple[str, ...]]:
    if len(around) == 1:
        fields_of = around[0][0].fields
        return {term: tuple(fields_of[term]) for term in terms if term in fields_of}
    own, *others = (one for one, _ in around)
    found = {}
    for term in terms:
        fields = list(own.fields.get(term, ()))
        if any(term in one.counts for one in others):
            fields.append("beside")
        if fields:
            found[term] = tuple(fields)
    return found


def _best_of_threads(
    found: Mapping[int, tuple[int, object]], counted: Mapping[int, _Counted]
) -> dict[tuple[str, int], int]:
    best: dict[tuple[str, int], int] = {}
    for number, (words, _) in found.items():
        thread = _thread(counted[number])
        best[thread] = max(words, best.get(thread, 0))
    return best


def _thread(one: _Counted) -> tuple[str, int]:
    """What a unit shares its best score with: its thread, else itself alone."""
    unit = one.kept.unit
    return (unit.thread, -1) if unit.place is not None else ("", one.kept.number)


def _whole(question: Question, speakers: frozenset[str], unit: Unit, words: int) -> int:
    chat = is_of_chat(unit)
    if unit.ends_asking and is_turn(unit) and not chat:
        words = words * QUESTION // 100
    if chat and question.asks_self and unit.speaker in PERSONS:
        words = words * SELF // 100
    if len(speakers) and set(unit.speaker.split()) >= speakers:
        words = words * SPEAKER // 100
    if question.asks_time and unit.timed:
        words = words * TIME // 100
    return words * (1000 + question.date_bonus(unit.day)) // 1000


def _mean(corpus: Corpus) -> int:
    """The mean weighted length of a unit, in twentieths."""
    return sum(WEIGHTS[place] * corpus.lengths[place] for place in _BODY) // max(1, corpus.units)


def log2(numerator: int, denominator: int) -> int:
    """Return 1,024 times the binary logarithm of a fraction that is at least 1, rounded down, by integers alone.

    >>> log2(8, 1), log2(3, 2)
    (3072, 598)
    """
    value = (numerator << 32) // denominator
    whole = value.bit_length() - 33
    value >>= whole
    for _ in range(10):
        value = value * value >> 32
        bit = value >> 33
        whole, value = whole * 2 + bit, value >> bit
    return whole
