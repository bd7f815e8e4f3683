"""How well units match a question: BM25 over the fields of a unit and of those beside it, in whole numbers.

Robertson and Zaragoza (2009), with the counts of fields weighted before they are saturated (BM25F). A turn of a
conversation takes a share of the counts of its neighbours: what one asks is often answered in the next. The longer a
neighbour is, the smaller its share: a long turn holds its own subject. In a chat with an agent questions are not
answered by facts, so that what depends on questions is for people among themselves; there a question in the first
person is about what the person wrote. People among themselves name one thing by several words: a word like the one
that is asked for counts a little, too. A text that is no turn is longer and more of one piece: there its parts count
for themselves, a repeated word says more, and everyday words say less. Integers alone: every machine ranks alike.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from verifflowcc.base.model.config_values import code_path
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.recall_values import FIELDS, Corpus, Extent, KeptUnit, Unit
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.text.stems import EVERYDAY, stems, words_of

# A question to memory: its words, whom and which time it names, and whether it asks for a time.

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ANY_MONTH = "|".join(MONTHS)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NAME = lazy_pattern(r"\b[^\W\d_a-z][^\W_]*")
_YEAR = lazy_pattern(r"\b((?:19|20)\d\d)\b")
_DAY = lazy_pattern(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?:{_ANY_MONTH})\b|\b(?:{_ANY_MONTH}) (\d{{1,2}})\b")
_MAY = lazy_pattern(r"\b(in|on|of|since|until|by|during|\d+) may\b|\bmay,? \d")
_ASKS_TIME = lazy_pattern(r"when\b|.*\b(how long|what (date|month|year|day))\b", re.DOTALL)
_TIME = lazy_pattern(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|years|day|days|recently|morning|since|"
    rf"{_DAYS}|{_ANY_MONTH}|\d+(st|nd|rd|th)?)\b"
)
_SELF = lazy_pattern(r"\b(?:i|me|my|mine|we|us|our)\b")
_OTHER = lazy_pattern(r"\bsummar|(?<!can )(?<!could )(?<!would )(?<!will )\byou\b")
"""A question about an assistant's words, or about all of a chat; `can you list …` only asks politely."""
_ISO = lazy_pattern(r"(\d{4})-(\d{2})-(\d{2})")

MONTH, NEAR_DAY, YEAR = 500, 200, 150
"""Thousandths that are added to a score: the month is named; for each day nearer than five; only the year is named."""
_NEAR_DAYS = 5


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question taken apart.

    `terms` are its terms, each once, with the word as it was written. `names` are terms of words with a capital letter.
    `years`, `months` (1 to 12) and `days` are those that it names. `asks_self`: it is about the person who asks
    (`Where did I meet Ann?`), and not about an answer that they got (`What did you tell me?`).
    """

    terms: dict[str, str]
    names: frozenset[str]
    years: frozenset[int]
    months: frozenset[int]
    days: tuple[int, ...]
    asks_time: bool
    asks_self: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether it names a year or a month."""
        return bool(self.years or self.months)

    def date_bonus(self, day: str) -> int:
        """Return what an ISO day adds to a score, in thousandths; 0 where it is another time, or none is named."""
        found = _ISO.match(day)
        if found is None or not self.is_dated:
            return 0
        year, month, number = int(found[1]), int(found[2]), int(found[3])
        if not self.months:
            return YEAR if year in self.years else 0
        if month not in self.months or (self.years and year not in self.years):
            return 0
        return MONTH + (NEAR_DAY * max(0, _NEAR_DAYS - abs(number - self.days[0])) if self.days else 0)


def question_of(text: str, more: Iterable[str] = ()) -> QuestionTerms:
    """Take a question apart; `more` are terms that it has beside its words.

    >>> question_of("Did Ann change GitHub in May 2023?").terms
    {'ann': 'Ann', 'chang': 'change', 'git': 'GitHub', 'hub': 'GitHub', 'github': 'GitHub', '2023': '2023'}
    """
    low = text.casefold()
    terms: dict[str, str] = {}
    for word in words_of(text):
        for term in stems(word):
            terms.setdefault(term, word)
    terms |= {term: term for term in more}
    names = frozenset(term for word in _NAME.findall(text) for term in stems(word))
    months = (
        number
        for number, name in enumerate(MONTHS, 1)
        if re.search(rf"\b{name}\b", low) and (name != "may" or _MAY.search(low))
    )
    days = tuple(int(first or second) for first, second in _DAY.findall(low))
    years = frozenset(int(year) for year in _YEAR.findall(low))
    asks_self = bool(_SELF.search(low)) and not _OTHER.search(low)
    return QuestionTerms(terms, names, years, frozenset(months), days, bool(_ASKS_TIME.match(low.lstrip())), asks_self)


def states_time(text: str) -> bool:
    """Say whether a text names a time.

    >>> states_time("We moved last week."), states_time("We moved.")
    (True, False)
    """
    return bool(_TIME.search(text.casefold()))


# An item as what is searched: one unit, or for a long text several that stand beside each other.

LARGEST_TERMS = 240
"""A text of more terms is taken apart, at its headings first and then between paragraphs."""

_LAST_NUMBER = lazy_pattern(r"([0-9]{1,9})\D*$")
_PARAGRAPHS = lazy_pattern(r"\n[ \t]*\n")
_LETTERS = lazy_pattern(r"-[a-z0-9]{4}$")
_FILE_TERM = lazy_pattern(r"xf[0-9a-f]{8}")
_UNITS_DAY = lazy_pattern(r"([0-9]{4})-([0-9]{2})-[0-9]{2}")


def units_of(item: Item, body: str) -> tuple[Unit, ...]:
    """Return the units of an item with that text, in order; at least one.

    A turn of a conversation (its source has a session, a speaker and a numbered turn) stands beside the turns around
    it; the parts of a long one have the same place.
    """
    thread, place = _turn(item)
    day, date = _of_day(item)
    title, key, speaker = _title(item, body), _joined(item.key or _file_of(item)), _joined(item.source.speaker or "")
    tags = " ".join([_joined(*_tags(item)), *dict.fromkeys(file_term(ref.path) for ref in item.refs)]).strip()

    def unit(text: str, thread: str, place: int | None, heading: str = "") -> Unit:
        asks, ends, timed = "?" in text, text.rstrip().endswith("?"), states_time(text)
        terms = (f"{title} {_joined(heading)}".strip(), key, tags, _joined(text), speaker, date)
        return Unit(terms, thread, place, day, asks, ends, timed, heading)

    parts = _parts(body)
    if len(parts) == 1:
        return (unit(body, thread, place),)
    if place is not None:
        return tuple(unit(text, thread, place, heading) for heading, text in parts)
    return tuple(unit(text, item.path, number, heading) for number, (heading, text) in enumerate(parts))


def texts_of(item: Item, body: str) -> tuple[str, ...]:
    """Return the texts of the units of an item, in their order: who says it or the title first, but no title twice."""
    speaker = item.source.speaker
    before = f"{speaker}: " if speaker else "" if _repeats_title(item, body) else f"{item.title}\n"
    return tuple(before + text.strip() for _, text in _parts(body))


def _file_of(item: Item) -> str:
    """The name of the item's file, where it says more than the title that vfcc made it from."""
    name = item.path.rpartition("/")[2].removesuffix(".md")
    made = _LETTERS.sub("", name)
    return "" if made and slug(item.title, "").startswith(made) else name


def file_term(path: str) -> str:
    """Return the term under which items are found that speak of a file, in whatever form its path is written.

    >>> file_term("src/app.py"), file_term("./src//app.py")
    ('xf224014bb', 'xf224014bb')
    """
    return f"xf{crc32((code_path(path) or path).encode('utf-8', 'surrogatepass')):08x}"


def is_file_term(term: str) -> bool:
    """Say whether a term is one of a file."""
    return bool(_FILE_TERM.fullmatch(term))


def _joined(*texts: str) -> str:
    return " ".join(stems(" ".join(texts)))


def _title(item: Item, body: str) -> str:
    """The terms of the title, none where it only repeats how a short text begins."""
    return "" if _repeats_title(item, body) else _joined(item.title)


def _repeats_title(item: Item, body: str) -> bool:
    words = body.lstrip()
    return words.startswith(item.title.rstrip("….")) and not words.startswith("#") and "\n#" not in body


def _tags(item: Item) -> list[str]:
    """What names an item beside its title and key: its tags, its details, and the code that it speaks of."""
    code = (word for ref in item.refs for word in (ref.path, ref.symbol or ""))
    return [*item.tags, *(value for _, value in item.details), *code]


def _turn(item: Item) -> tuple[str, int | None]:
    """Return the conversation and the number of the turn, where an item is one."""
    source = item.source
    number = _LAST_NUMBER.search(source.turn) if source.turn and source.session else None
    if number is None or not source.speaker:
        return "", None
    return f"{source.origin or ''}\t{source.session}", int(number[1])


def _of_day(item: Item) -> tuple[str, str]:
    """The ISO day that an item is from, and the terms of its year and month; empty where it does not say."""
    day = item.created or (item.decision.date if item.decision else None)
    found = _UNITS_DAY.match(day or "")
    if found is None or not 1 <= int(found[2]) <= len(MONTHS):
        return "", ""
    return found[0], " ".join([found[1], *stems(MONTHS[int(found[2]) - 1])])


def _parts(body: str) -> list[tuple[str, str]]:
    """Return (heading, text) of the parts of a text: its sections, long ones between paragraphs."""
    if len(stems(body)) <= LARGEST_TERMS:
        return [("", body)]
    from verifflowcc.base.text.markdown import sections

    parts: list[tuple[str, str]] = []
    room = 0
    for section in sections(body):
        for paragraph in _PARAGRAPHS.split(body[section.start : section.end]):
            number = len(stems(paragraph))
            if parts and number <= room and (parts[-1][0] == section.title or number == 0):
                parts[-1] = parts[-1][0], f"{parts[-1][1]}\n\n{paragraph}"
                room -= number
            elif number:
                parts.append((section.title, paragraph))
                room = LARGEST_TERMS - number
    return parts or [("", body)]


OWN, NEAR, ASKED, FAR = 20, 6, 12, 3
"""What a term counts in a turn itself, in the one before or after, in addition in the one before that asks, and in
those two places away; in twentieths."""

ALIKE, MOST_ALIKE = 20, 50
"""Percent of a term that an everyday word like it counts in talk between people, and in which share of the units (in
thousandths) it may be: a common word says little of what is asked."""

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


class ScoredUnit(NamedTuple):
    """A unit with its score above zero, and the fields that each term matched.

    `matched` maps a term to its fields, to `alike` where only a word like it is there, or to `beside`.

    `meaning` is what of the score is not by words.
    """

    kept: KeptUnit
    score: int
    matched: Mapping[str, tuple[str, ...]]
    meaning: int = 0


Alike = Mapping[str, Sequence[str]]
"""Terms of a question, each with those of words like it that are there."""

NONE_ALIKE: Alike = MappingProxyType({})


def wanted(
    question: QuestionTerms, corpus: Corpus, speakers: frozenset[str], alike: Alike = NONE_ALIKE
) -> dict[str, int]:
    """Return the terms to look for with their weight (how rare they are): without those who speak, unless that is all.

    `speakers` are the question's terms that name somebody who speaks. Units with a word `alike` count in part.
    """
    there = {term: corpus.containing.get(term, 0) for term in question.terms}
    for term, others in alike.items():
        there[term] += -(-ALIKE * sum(corpus.containing[other] for other in others) // 100)
    held = {term: number for term, number in there.items() if number}
    counts = {term: number for term, number in held.items() if term not in speakers} or held
    rarest = sorted(counts, key=lambda term: (counts[term], term))[:MOST_TERMS]
    return {term: max(1, log2(2 * corpus.units + 2, 2 * min(counts[term], corpus.units) + 1)) for term in rarest}


def score(
    question: QuestionTerms,
    corpus: Corpus,
    kept: Sequence[KeptUnit],
    *,
    speakers: frozenset[str] = frozenset(),
    alike: Alike = NONE_ALIKE,
) -> list[ScoredUnit]:
    """Return the units that match, best first; ties by path and part.

    Neighbours of a unit must be among `kept`. In talk between people words `alike` count, too.
    """
    terms = wanted(question, corpus, speakers)
    in_talk = wanted(question, corpus, speakers, alike) if alike else terms
    asked, asked_in_talk, like = frozenset(terms), frozenset(in_talk), _like(in_talk, alike)
    counted = {
        each.number: _CountedUnit(each, asked_in_talk, like) if is_talk(each.unit) else _CountedUnit(each, asked, None)
        for each in kept
    }
    # Of several units at one place, as two facts of one turn, the first stands for the place, whatever its number.
    turns = [each for each in kept if each.unit.place is not None]
    turns.sort(key=lambda each: (each.path, each.part), reverse=True)
    places = {(each.unit.thread, each.unit.place or 0): each.number for each in turns}
    mean = max(1, _mean(corpus))
    in_texts = _in_texts(terms)
    found: dict[int, tuple[int, MatchedFields]] = {}
    for number, one in counted.items():
        around = _around(one, places, counted)
        weights = in_talk if one.is_talk else terms if one.is_turn else in_texts
        words = _words(weights, around, mean, K1 if one.is_turn else K1_TEXT)
        if words:
            found[number] = words, MatchedFields(weights, around)
    best = _best_of_threads(found, counted)
    scored = [
        ScoredUnit(one.kept, _whole(question, speakers, one, words + best[_thread(one)] * THREAD // 100), matched)
        for number, (words, matched) in found.items()
        for one in (counted[number],)
    ]
    scored.sort(key=lambda one: (-one.score, one.kept.path, one.kept.part))
    return [one for one in scored if one.score > 0]


def score_alone(
    question: QuestionTerms,
    corpus: Corpus,
    lengths: Mapping[int, int],
    postings: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    times: Mapping[int, tuple[str, bool]],
    speakers: frozenset[str],
) -> dict[int, int]:
    """Return the scores of units without speakers and neighbours, by number; the same as those of `score`.

    `lengths` has the weighted length of each, `postings` of each term the numbers of what holds it, with its weighted
    number there; `times` their day and whether they name a time, where the question asks for either. Term by term: of
    ten thousand units each costs a few steps of each term that is in it.
    """
    mean, words = max(1, _mean(corpus)), dict[int, int]()
    saturations = {number: 50 * K1_TEXT * OWN * (mean + length) // mean for number, length in lengths.items()}
    for term, weight in _in_texts(wanted(question, corpus, speakers)).items():
        most = 256 * weight
        for number, counted in zip(*postings.get(term, ((), ())), strict=True):
            if number in saturations:
                count = 100 * OWN * counted
                words[number] = words.get(number, 0) + most * count // (count + saturations[number])
    found = {number: each + each * THREAD // 100 for number, each in words.items() if each}
    if not (question.asks_time or question.is_dated):
        return found
    return {number: _at_times(question, each, *times.get(number, ("", False))) for number, each in found.items()}


def _like(terms: Mapping[str, int], alike: Alike) -> dict[str, list[str]]:
    """Return, for each word that is like terms, these terms."""
    found: dict[str, list[str]] = {}
    for term, others in alike.items():
        for other in others if term in terms else ():
            found.setdefault(other, []).append(term)
    return found


def _in_texts(terms: Mapping[str, int]) -> dict[str, int]:
    """Return the weights of terms in what is no turn."""
    everyday = EVERYDAY.intersection(terms)
    return {term: weight * EVERYDAY_SHARE // 100 if term in everyday else weight for term, weight in terms.items()}


def counts_of(units: Iterable[Unit]) -> dict[str, int]:
    """Return the weighted number of each term in units."""
    counts: dict[str, int] = {}
    for unit in units:
        for weight, text in zip(WEIGHTS, unit.terms, strict=True):
            for term in text.split():
                counts[term] = counts.get(term, 0) + weight
    return counts


def length_of(extent: Extent) -> int:
    """Return the weighted length of what has an extent, in twentieths."""
    return sum(WEIGHTS[place] * extent.lengths[place] for place in _BODY)


def is_turn(unit: Unit) -> bool:
    """Say whether a unit is a turn of a conversation."""
    return unit.place is not None and bool(unit.speaker)


def is_talk(unit: Unit) -> bool:
    """Say whether a unit is a turn of people among themselves."""
    return is_turn(unit) and not is_of_chat(unit)


def is_of_chat(unit: Unit) -> bool:
    """Say whether a unit is a turn of a chat with an agent: its speaker has a part there and no name of a person."""
    return is_turn(unit) and (unit.speaker in PERSONS or unit.speaker.split()[0] in AGENTS)


class _CountedUnit:
    """A unit with the weighted counts of the terms in it, and its weighted length; both in twentieths."""

    __slots__ = ("counts", "fields", "is_talk", "is_turn", "kept", "length")

    def __init__(self, kept: KeptUnit, terms: frozenset[str], like: Alike | None) -> None:
        """Count `terms`, and what is a key of `like` for the terms that it is like; None for what is no talk."""
        self.kept, self.is_talk = kept, like is not None
        self.is_turn = self.is_talk or is_turn(kept.unit)
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
            for other, alike_terms in like.items() if like else ():
                for term in alike_terms if other in words else ():
                    self.counts[term] = self.counts.get(term, 0) + weight * words.count(other) * ALIKE // 100
                    self.fields.setdefault(term, ["alike"])


def _around(
    each: _CountedUnit, places: Mapping[tuple[str, int], int], counted: Mapping[int, _CountedUnit]
) -> list[tuple["_CountedUnit", int]]:
    """The units whose counts count for this one, itself first, with what they count in twentieths."""
    found = [(each, OWN)]
    thread, place, turn = each.kept.unit.thread, each.kept.unit.place, each.is_turn
    if place is None:
        return found
    for step, weight in ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR)) if turn else ((-1, BESIDE), (1, BESIDE)):
        number = places.get((thread, place + step))
        if number is not None:
            other = counted[number]
            asked = ASKED if each.is_talk and step == -1 and other.kept.unit.asks else 0
            share = (weight + asked) * min(other.length, SHORT * OWN) // max(1, other.length) if turn else weight
            if share:
                found.append((other, share))
    return found


def _words(terms: Mapping[str, int], around: Sequence[tuple[_CountedUnit, int]], mean: int, k1: int) -> int:
    """BM25 of the counts around a unit. Its length is the weighted mean of theirs, beside the mean of all."""
    if len(around) == 1:  # most units stand alone
        own = around[0][0]
        return _words_alone(terms, own.counts, own.length, mean, k1)
    total = 0
    shares = sum(weight for _, weight in around)
    length = sum(weight * one.length for one, weight in around)
    saturation = 50 * k1 * OWN * (mean * shares + length) // (mean * shares)
    for term, weight in terms.items():
        count = 100 * sum(share * one.counts[term] for one, share in around if term in one.counts)
        if count:
            total += 256 * weight * count // (count + saturation)
    return total


def _words_alone(terms: Mapping[str, int], counts: Mapping[str, int], length: int, mean: int, k1: int) -> int:
    total, saturation = 0, 50 * k1 * OWN * (mean + length) // mean
    for term, number in counts.items():
        count = 100 * OWN * number
        total += 256 * terms[term] * count // (count + saturation)
    return total


class MatchedFields(Mapping[str, tuple[str, ...]]):
    """The fields that each term matched, looked for once they are asked for: most units are never shown."""

    __slots__ = ("_around", "_found", "_terms")

    def __init__(self, terms: Iterable[str], around: Sequence[tuple[_CountedUnit, int]]) -> None:
        self._terms, self._around = terms, around
        self._found: dict[str, tuple[str, ...]] | None = None

    def _fields(self) -> dict[str, tuple[str, ...]]:
        self._found = _matched(self._terms, self._around) if self._found is None else self._found
        return self._found

    def __getitem__(self, term: str) -> tuple[str, ...]:
        return self._fields()[term]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())


def _matched(terms: Iterable[str], around: Sequence[tuple[_CountedUnit, int]]) -> dict[str, tuple[str, ...]]:
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
    found: Mapping[int, tuple[int, object]], counted: Mapping[int, _CountedUnit]
) -> dict[tuple[str, int], int]:
    best: dict[tuple[str, int], int] = {}
    for number, (words, _) in found.items():
        thread = _thread(counted[number])
        best[thread] = max(words, best.get(thread, 0))
    return best


def _thread(one: _CountedUnit) -> tuple[str, int]:
    """What a unit shares its best score with: its thread, else itself alone."""
    unit = one.kept.unit
    return (unit.thread, -1) if unit.place is not None else ("", one.kept.number)


def _whole(question: QuestionTerms, speakers: frozenset[str], one: _CountedUnit, words: int) -> int:
    unit = one.kept.unit
    if unit.ends_asking and one.is_talk:
        words = words * QUESTION // 100
    if one.is_turn and not one.is_talk and question.asks_self and unit.speaker in PERSONS:
        words = words * SELF // 100
    if len(speakers) and set(unit.speaker.split()) >= speakers:
        words = words * SPEAKER // 100
    return _at_times(question, words, unit.day, unit.timed)


def _at_times(question: QuestionTerms, words: int, day: str, timed: bool) -> int:
    words = words * TIME // 100 if question.asks_time and timed else words
    return words * (1000 + question.date_bonus(day)) // 1000


def _mean(corpus: Corpus) -> int:
    """The mean weighted length of a unit, in twentieths."""
    return (corpus.more + length_of(Extent(corpus.units, corpus.lengths))) // max(1, corpus.units)


def log2(numerator: int, denominator: int) -> int:
    """Return 1,024 times the binary logarithm of a fraction that is at least 1, rounded down, by integers alone.

    >>> log2(8, 1), log2(3, 2)
    (3072, 599)
    """
    value = (numerator << 32) // denominator
    whole = value.bit_length() - 33
    value >>= whole
    for _ in range(10):
        value = value * value >> 32
        bit = value >> 33
        whole, value = whole * 2 + bit, value >> bit
    return whole
