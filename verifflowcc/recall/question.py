"""A question to memory: its words, whom and which time it names, and whether it asks for a time."""

import re
from collections.abc import Iterable

from verifflowcc.records import dataclass
from verifflowcc.text.stems import stems, words_of

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ANY_MONTH = "|".join(MONTHS)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NAME = re.compile(r"\b[^\W\d_a-z][^\W_]*")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_DAY = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?:{_ANY_MONTH})\b|\b(?:{_ANY_MONTH}) (\d{{1,2}})\b")
_MAY = re.compile(r"\b(in|on|of|since|until|by|during|\d+) may\b|\bmay,? \d")
_ASKS_TIME = re.compile(r"when\b|.*\b(how long|what (date|month|year|day))\b", re.DOTALL)
_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|years|day|days|recently|morning|since|"
    rf"{_DAYS}|{_ANY_MONTH}|\d+(st|nd|rd|th)?)\b"
)
_SELF = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b")
_OTHER = re.compile(r"\bsummar|(?<!can )(?<!could )(?<!would )(?<!will )\byou\b")
"""A question about an assistant's words, or about all of a chat; `can you list …` only asks politely."""
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")

MONTH, NEAR_DAY, YEAR = 500, 200, 150
"""Thousandths that are added to a score: the month is named; for each day nearer than five; only the year is named."""
_NEAR_DAYS = 5


@dataclass(frozen=True, slots=True)
class Question:
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


def question_of(text: str, more: Iterable[str] = ()) -> Question:
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
    return Question(terms, names, years, frozenset(months), days, bool(_ASKS_TIME.match(low.lstrip())), asks_self)


def tells_time(text: str) -> bool:
    """Say whether a text tells a time.

    >>> tells_time("We moved last week."), tells_time("We moved.")
    (True, False)
    """
    return bool(_TIME.search(text.casefold()))
