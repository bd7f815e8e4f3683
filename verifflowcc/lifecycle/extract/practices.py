"""Rules for tools and habits that the lexicon knows: which editor, which chat, a linter or none, breaks, places."""

import re
from dataclasses import dataclass
from functools import lru_cache

from verifflowcc.lifecycle.extract.constructs import but_do, denied
from verifflowcc.lifecycle.extract.lexicon import PRACTICES
from verifflowcc.lifecycle.extract.practice import Practice, Value
from verifflowcc.lifecycle.extract.stated import Stated

_WORDS = "one two three four five six seven eight nine ten".split()
_NUMBERS = {word: str(at + 1) for at, word in enumerate(_WORDS)} | {
    "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
    "seventy": "70", "eighty": "80", "ninety": "90", "a hundred": "100",
}  # fmt: skip
_LETTERS = re.compile(r"[a-z]+")
_FROM_TO = re.compile(r"\bfrom (?:using )?(?:\w+ ){1,3}?to\b", re.IGNORECASE)
_LEAVE = re.compile(
    r"\b(?:ditch|disregard\w*|discontinu\w*|abandon\w*|forgo\w*|steer(?:ing)? clear of|mov(?:e|"
    r"ing) away from|eliminat\w*|quit|ceas\w*|hold off|"
    r"cut(?:ting)? out|do(?:ing)? without|get rid of|give up|giving up|prohibit\w*|forbid\w*|ban\w*|"
    r"phase out|turn off|disable|instead of|rather than|"
    r"not (?:to )?rely|relying (?:too much )?on|independen(?:t|tly) of|against)\b[^,;.]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[^,.;]{0,40}\b(?:is|are|will be|should be|must be)(?: \w+)? (?:not|no longer|prohibited|forbidden|"
    r"never|off|discouraged|discontinued|unnecessary|avoided)\b",
    re.IGNORECASE,
)


_ASKED_FOR = re.compile(
    r"(?:\b(?:us(?:e|ing|age)|utili[sz]\w+|incorporat\w+|integrat\w+|adopt\w*|employ\w*|run(?:ning)?|"
    r"set(?:ting)? up|writ(?:e|ing)|do(?:ing)?|avoid\w*|stop\w*|rely\w*|relying|enabl\w+|"
    r"install\w*|leverag\w+|implement\w*|have|having|keep\w*|tak(?:e|ing)|engag\w+|work\w* with|start\w*|"
    r"discontinu\w+|ditch\w*|disregard\w*|switch\w*|embrac\w+|creat\w+|connect\w*|"
    r"practic\w+|prefer|no|never|always|without|clear of|refrain\w*|turn\w* (?:on|off)|opt\w* for|"
    r"go\w* with|stick\w* (?:to|with)|forgo\w*|skip\w*|abandon\w*|includ\w+|importance of|value of|"
    r"mandatory|get(?:ting)? rid of|mov(?:e|ing) away from|instead of|rather than|focus(?:ing)? on|"
    r"conduct\w*|perform\w*|eliminat\w*|bypass\w*|disabl\w*|familiar\w*|pair)\b|\b(?:to|please)(?= $))"
    r"(?:[^\w,;]+[\w'-]+){0,5}?[^\w,;]*$",
    re.IGNORECASE,
)
_TALKED_OF = re.compile(
    r"\b(?:(?:think|talk|learn|read|hear)\w* about|discuss\w*|familiari[sz]\w*)\b[^,;.]*$", re.IGNORECASE
)
_STANDS_AS = re.compile(
    r"\b(?:is|are|has become|will be|be|remains?) (?:now )?(?:the|our|my|your)? ?(?:team's |"
    r"company's )?(?:\w+ )?(?:preferred|main|primary|default|standard|go-to|official|ideal|best|mandatory|"
    r"required|tool|choice)\b|\bis (?:now )?mandatory\b",
    re.IGNORECASE,
)
_STANDS_FOR = re.compile(
    r"\b(?P<verb>(?:us(?:e|ing)|utili[sz]\w+|incorporat\w+|rely(?:ing)? on|adopt\w*|avoid(?:ing)?|"
    r"stop(?:ping)?|start(?:ing)? (?:using|with)|switch\w* to|stick\w* (?:to|with)|implement\w*|"
    r"integrat\w+)(?: using| relying on)?) "
    r"(?:it|them|this(?: tool| system| platform)?|that(?: tool| system| platform)?|one)\b",
    re.IGNORECASE,
)
_IS_ASKED_FOR = re.compile(
    r"^[^,.;]{0,30}\b(?:should|must|shall|is|are|will be)(?: now| no longer| not| always|"
    r" never)? (?:be )?(?:used|mandatory|required|needed|followed|avoided|prohibited|forbidden|run|"
    r"enabled|disabled|written|kept|off|out)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Known:
    practice: Practice
    stems: tuple[str, ...]
    about: re.Pattern[str]
    values: tuple[tuple[Value, re.Pattern[str]], ...]


def _known(practice: Practice) -> _Known:
    values = tuple(
        (each, re.compile(rf"(?<![\w-])(?:{each.pattern})(?![\w-])", re.IGNORECASE)) for each in practice.values
    )
    return _Known(
        practice,
        tuple(practice.stems.split()),
        re.compile(rf"(?<![\w-])(?:{practice.about})(?![\w-])", re.IGNORECASE),
        values,
    )


_ALL = tuple(_known(each) for each in PRACTICES)


def practices(sentence: str, start: int = 0) -> list[Stated]:
    """Return the rules for known practices in a sentence that asks for something from `start` on.

    >>> [each.says for each in practices("I'd like you to use Emacs instead of Vim, and never a linter.")]
    ['Use Emacs as the preferred IDE.', 'Never use a linter.']
    """
    if start and _STANDS_AS.search(sentence):
        start = 0
    found: list[Stated] = []
    taken: list[tuple[int, int]] = []
    for known in _spoken_of(sentence):
        stated = _valued(known, sentence, start, taken) if known.values else _followed(known, sentence, start)
        found += [stated] if stated else []
    return found


def _asked_for(sentence: str, start: int, end: int) -> bool:
    """Say whether a verb asks for what stands there, and it does not merely stand in the sentence."""
    before = sentence[:start]
    return bool((_ASKED_FOR.search(before) and not _TALKED_OF.search(before)) or _IS_ASKED_FOR.match(sentence[end:]))


def mentioned(sentence: str) -> str:
    """Return the words for the last known practice that a sentence speaks of; "" where it speaks of none."""
    last = -1, ""
    for known in _spoken_of(sentence):
        alone = [pattern for value, pattern in known.values if value.alone]
        for pattern in alone or ([] if known.values else [known.about]):
            last = max(last, *((match.start(), match[0]) for match in pattern.finditer(sentence)), (-1, ""))
    return last[1]


def speaks_of_practice(sentence: str) -> bool:
    """Say whether a sentence may speak of a known practice."""
    return any(map(_places_of, set(_LETTERS.findall(sentence.casefold()))))


def _spoken_of(sentence: str) -> list[_Known]:
    """Return the practices of which a sentence may speak, in the lexicon's order."""
    places = {place for word in set(_LETTERS.findall(sentence.casefold())) for place in _places_of(word)}
    return [_ALL[place] for place in sorted(places)]


@lru_cache(maxsize=20_000)
def _places_of(word: str) -> tuple[int, ...]:
    return tuple(place for place, known in enumerate(_ALL) if any(stem in word for stem in known.stems))


def stands_for_one(sentence: str) -> bool:
    """Say whether a sentence asks to use, or not to use, what only a pronoun names."""
    return bool(_STANDS_FOR.search(sentence))


def with_mention(sentence: str, mention: str) -> str:
    """Return a sentence with the words in the place of a pronoun that stands for them.

    >>> with_mention("I want you to stop relying on it.", "the debugger")
    'I want you to stop relying on the debugger.'
    """
    return _STANDS_FOR.sub(lambda match: f"{match['verb']} {mention}", sentence, count=1) if mention else sentence


def _negated(sentence: str, start: int, end: int) -> bool:
    before = sentence[:start]
    return denied(before) or bool(_LEAVE.search(but_do(before))) or bool(_AFTER.match(sentence[end:]))


def _followed(known: _Known, sentence: str, start: int) -> Stated | None:
    practice = known.practice
    match = next(
        (
            each
            for each in known.about.finditer(sentence, start)
            if _asked_for(sentence, each.start(), each.end()) or practice.says.startswith(sentence[: each.end()])
        ),
        None,
    )
    if not match:
        return None
    negated = _negated(sentence, match.start(), match.end())
    return Stated(practice.name, "use", negated, practice.denies if negated else practice.says, practice.name)


def _valued(known: _Known, sentence: str, start: int, taken: list[tuple[int, int]]) -> Stated | None:
    practice = known.practice
    about = known.about.search(sentence)
    if practice.name == "work-from-home" and about and not _value_there(known, sentence):
        negated = _negated(sentence, about.start(), about.end())
        return Stated(practice.name, "at-most:0", False, practice.denies, practice.name) if negated else None
    away: Stated | None = None
    gone = [(each.start(), each.end()) for each in _FROM_TO.finditer(sentence)]
    for value, pattern in known.values:
        if not value.alone and not about:
            continue
        for match in pattern.finditer(sentence, start):
            if any(first <= match.start() < last for first, last in [*taken, *gone]):
                continue
            if (
                about
                and not value.alone
                and about.start() <= match.start() < about.end()
                and practice.name != "team-contact"
            ):
                continue
            stated = _one(practice, value, match, sentence)
            if not stated.negated:
                taken.append((match.start(), match.end()))
                return stated
            away = away or stated
    return away


def _value_there(known: _Known, sentence: str) -> bool:
    return any(pattern.search(sentence) for _, pattern in known.values)


def _one(practice: Practice, value: Value, match: re.Match[str], sentence: str) -> Stated:
    groups = match.groupdict()
    number = (groups.get("n") or groups.get("m") or groups.get("o") or "").casefold()
    number = _NUMBERS.get(number, number)
    name, label = value.name.replace("{n}", number), (value.label or value.name).replace("{n}", number)
    negated = _negated(sentence, match.start(), match.end())
    if practice.name == "commit-messages" and negated:
        name, negated = ("long" if name == "short" else "short"), False
        label = next(each.label for each in practice.values if each.name == name)
    says = (practice.denies if negated else practice.says).replace("{}", label)
    normal = name.replace(":", "-").replace(" ", "-")
    return Stated(practice.name, normal, negated, says, practice.name)
