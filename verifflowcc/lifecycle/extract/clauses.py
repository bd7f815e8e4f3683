"""Where a sentence says what it asks for: behind `I'd like you to`, `from now on`, `please`, `make sure that` …"""

import re
from collections.abc import Iterator

from verifflowcc.records import dataclass

_WHO = (
    r"(?: (?:for )?(?:you|us|everyone|everybody|all of (?:you|us)|the (?:whole )?team|"
    r"(?:our |all )?(?:team|developers|engineers|people)|nobody|anyone))"
)
_SURELY = r"(?:'d|'ll| would| will| do| did| really| now| also| just| (?!only)[a-z]+ly| only)"
_WISH = (
    rf"\b(?:I|we){_SURELY}*(?P<no> (?:don't|do not|never))?{_SURELY}* (?:want|need|like|love|expect|ask|require|prefer|"
    rf"recommend|suggest|advise|encourage|urge)(?:ing)?{_WHO}?(?: all)?(?: (?:to|that (?:you|we|developers|"
    rf"engineers)))?"
)
_CALM = (
    r"from (?:now|here|today|this (?:point|moment)) on(?:wards?)?|(?:going|moving) forward|henceforth|"
    r"as of (?:now|today)|in (?:the )?future|by default|as a rule|"
    r"please|let's|let us|(?:do not|don't) forget to|remember to|be sure to|try to|"
    r"make sure(?: (?:that )?(?:you(?:'re| are)?|we(?:'re| are)?|to))?(?: that)?|"
    r"ensur(?:e|ing)(?: (?:that )?(?:you(?:'re| are)?|we(?:'re| are)?))?(?: that)?|"
    r"(?:\w+ing |\w+ )?the importance of|to (?:emphasi[sz]e|stress)(?: that)?|"
    r"it(?:'s| is)(?: \w+)? (?:important|essential|crucial|vital|best|mandatory|necessary|imperative|"
    r"critical|better|time)"
    r"(?: (?:to|that|for (?:you|us) to))?|"
    r"(?:you|we)(?:'ll| will)?(?: all)? (?:should|must|need to|have to|are to|ought to|shall)|"
    r"we(?:'ve| have)? (?:all )?(?:decided|agreed|chosen)(?: to| that(?: we)?| on)?|"
    r"it(?:'d| would| might| could) be (?:\w+ ){1,4}?(?:to|if (?:you|we)(?: all)?(?: could)?|for (?:you|us) to)|"
    r"one of (?:the|our) [^.,;:]{3,60}? is(?: to)?(?= (?:avoid|never|always|us(?:e|ing)|not|refrain))|"
    r"(?:our|the|company|team) (?:\w+ )?(?:policy|rule|convention|standard|practice)(?: here)? is(?: that| to)|"
    r"it(?:'s| is) (?:our|the|a) (?:\w+ )?(?:policy|rule|convention|standard|practice) (?:to|that)|"
    r"we have an? (?:\w+ )?(?:policy|rule|convention) (?:to|that)|"
    r"the team (?:has |have )?(?:decided|agreed|chosen)(?: to| that| on)|"
    r"appreciate (?:it )?if you(?: could| would)?|kindly|you(?:'ll| will) want to|"
    r"we(?: [a-z]+ly)?(?= use\b)|recommend(?:ing)? (?=you\b)|"
    r"(?:recommend|advise|encourage|urge|ask|remind)(?:ing)? (?:you|us|everyone|the team)(?: to| that you)?|"
    r"(?:is|directive) to(?= (?:never|always|avoid|not|use)\b)|"
    r"(?:you|we)(?= (?:always|never|no longer|do not|don't|avoid)\b)|we(?:'re| are)(?: now)?(?= (?!going)\w+ing\b)"
)
_WEAK = re.compile(
    r"(?:make sure|ensur|it's|it is|\w+ing the|the importance|importance|to (?:emphas|stress))", re.IGNORECASE
)
_OPEN = re.compile(
    rf"{_WISH}|\bso (?=(?:using|the use of)\b)|(?<=[,:;] )(?=(?:never|always|do not|don't) \w)|\b(?:{_CALM})(?!\w)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?:[\s,:;-]+|(?:so|then|and|but|also|always|consistently|really|just|now|instead|to|that|you|we|all|both|please|"
    r"immediately|simply|only)\b(?!-))*",
    re.IGNORECASE,
)
_SPEECH = re.compile(
    r"^(?:(?:and|also|so|then|now|next|but|plus|again|yes|no,|ok(?:ay)?|well|first(?:ly)?|second(?:ly)?|third(?:ly)?|"
    r"finally|lastly|additionally|furthermore|moreover|remember|note|actually|however|(?-i:[A-Z])\w+(?=,))[,:!]?\s+)+",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:^|[,;] )(?:(?:so|now|and|also|but|then|firstly|\w+),? )??(?P<when>(?:when(?:ever)?|while|if|for|"
    r"during|on) [^,;]{3,60}),\s",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"^if (?:you have|needed|possible|you)|^for (?:now|example|instance)|\b(?:I|we|you've|journey)\b", re.IGNORECASE
)
_MOST = 8


@dataclass(frozen=True, slots=True)
class Clause:
    """What is asked for. `negated`: it is asked not to be; `asks`: more than the words of the clause ask for it.

    `when` is the condition that stands before it: `when working remotely`.
    """

    text: str
    negated: bool
    asks: bool
    when: str = ""


def clauses(sentence: str) -> Iterator[Clause]:
    """Yield the places of a sentence from which on it may say what it asks for: the whole, then behind each opening.

    >>> [each.text for each in clauses("As you know, I'd like you to use tabs from now on.")]
    ["As you know, I'd like you to use tabs from now on", 'use tabs from now on', '']
    """
    text = sentence.strip(" .!:;,-")
    plain = _SPEECH.sub("", text)
    if not _OPEN.match(plain):
        found = _CONDITION.match(plain)
        start = _between(plain, found.end() if found else 0)
        yield Clause(plain[start:], False, False, _condition(plain[:start]))
    position, seen = 0, 0
    while seen < _MOST and (found := _OPEN.search(text, position)):
        negated, end, chained = bool(found["no"]), found.end(), False
        while again := _again(text, end):
            negated, end, chained = negated or bool(again["no"]), again.end(), True
        rest = _between(text, end)
        to_you = re.match(r"\s*(?:that )?you\b", text[found.end() :], re.IGNORECASE)
        strong = (
            to_you or chained or not found[0] or found.start() <= len(text) - len(plain) or not _WEAK.match(found[0])
        )
        if strong or re.match(r"(?:always|never)\b", text[found.end() : rest + 6].strip(), re.IGNORECASE):
            yield Clause(text[rest:], negated, True, _condition(text[:rest]))
        position, seen = max(end, found.start() + 1), seen + 1


def _condition(before: str) -> str:
    found = list(_CONDITION.finditer(before))
    return found[-1]["when"] if found and not _OWN.search(found[-1]["when"]) else ""


def _again(text: str, end: int) -> re.Match[str] | None:
    found = _OPEN.match(text, _between(text, end))
    return found if found and found.end() > end else None


def _between(text: str, end: int) -> int:
    found = _BETWEEN.match(text, end)
    return found.end() if found else end
