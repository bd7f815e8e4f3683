"""What a sentence takes back: `we moved from X to Y`, `we dropped X`, `Y instead of X`, `actually, it is Y`.

Such a sentence has another subject than the statement that it ends. It is found by what both speak of: by its object,
or because it denies the same words. Where that
is certain, the new statement replaces the old one; else a person is asked.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.fact_statements import declared
from verifflowcc.memory.rules.qualifiers import AFTER_NO_VERB, roots

_GONE = (
    r"dropp?(?:ed|ing)?|retir(?:ed|ing)|ditch(?:ed|ing)?|abandon(?:ed|ing)|deprecat(?:ed|ing)|discontinu(?:ed|ing)|"
    r"phas(?:ed|ing) out|got rid of|removed|decommissioned|sunset|quit|outgrew|(?:are|am) done with"
)
_MOVED = re.compile(
    r"\b(?:mov(?:ed|ing)|migrat(?:ed|ing)|switch(?:ed|ing)|chang(?:ed|ing)|transition(?:ed|ing)|went|ported|upgraded)"
    r"(?: (?P<topic>(?!from\b|away\b|over\b)[^,.;]+?))?(?: away| over)? from (?P<old>.+?) (?:in)?to (?P<new>[^,;]+)|"
    r"\b(?:replac(?:ed|ing)|swap(?:ped|ping)|trad(?:ed|ing)|exchang(?:ed|ing)) (?P<old2>.+?) (?:with|by|for) "
    r"(?P<new2>[^,;]+)|"
    rf"\b(?:{_GONE}) (?P<old3>(?!support\b)[^,.;]+?) (?:in favou?r of|for) (?P<new3>[^,;]+)|"
    r"^(?P<new4>(?!we\b|I\b|the team\b)[^,.;]+?) (?:now )?(?:replaces|has replaced|replaced|supersedes|takes "
    r"the place of) (?P<old4>[^,;]+)|"
    r"^(?P<old5>[^,.;]+?) (?:was|is|has been|were|are|have been) (?:now )?(?:replaced|superseded) (?:by|with) "
    r"(?P<new5>[^,;]+)",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"{AFTER_NO_VERB}(?:,| and| -+)? (?:(?:instead of|rather than|in place of)(?: using)?|no longer|not(?! only\b|"
    rf" just\b)) "
    r"(?:(?:in|on|at|with|by|to|from|via|through|under|the|an?|our) )*(?P<old>[^,;.]*[^,;.\s][^,;]*?)(?:[,;]| "
    r"from now on| any ?more|\.?$)",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    rf"\b(?:we|the team|our team|I)(?:'ve| have| all| finally| now| just| recently| fully)* (?:{_GONE}|"
    rf"(?:stopp?(?:ed|ing)|"
    r"no longer|don't|do not|never) (?:us(?:e|ing)|rely(?:ing)? on|need(?:ing)?|run(?:ning)?|depend(?:ing)? "
    r"on)) (?P<old>[^,;]+)|"
    r"^(?:please )?(?:stop using|don't use|do not use|never use|avoid|avoid using) (?P<old2>[^,;]+)|"
    r"^(?P<old3>[^,;]+?) (?:is|are|was|were|has been|have been)(?: now)? (?:gone|deprecated|retired|dropped|no "
    r"longer (?:used|in use|"
    r"supported|needed)|discontinued|forbidden|prohibited|off[- ]limits|decommissioned|phased out|removed)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",? (?:any ?more|altogether|completely|entirely|at all|now|from now on|going forward|as well|too|for good|"
    r"everywhere|last \w+|this \w+|(?:because|since|so|as|after) .*)$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^(?:(?:actually|correction|sorry|wait|no|oops|scratch that|my mistake|I was wrong|update|I meant|i "
    r"misspoke)[,:;.!]* )+"
    r"(?P<what>it|that|this|they|those)(?:'s| is| are|'re| should be| must be| was)(?: now| actually)? (?P<new>.+)$|"
    r"^(?P<what2>it|that|this|they)(?:'s| is| are|'re)(?: actually| now) (?P<new2>.+)$|"
    r"^(?P<what4>it|that|this|they)(?:'s| is| are|'re) (?P<new4>[\w .-]+ now)(?:, not .+)?$|"
    r"^(?:correction|i meant)[,:] (?P<new3>[\w.-]+(?: [\w.-]+)?), not .+$",
    re.IGNORECASE,
)
_SUBJECT_MOVED = re.compile(
    r"\b(?:has|have|was|were|is|are)(?: been| now)? (?:moved|switched|migrated|changed|relocated) to ", re.I
)
_DENIES = re.compile(
    r"\b(?:never|not|no longer|don't|do not|doesn't|does not|isn't|aren't|stop(?:ped)?|avoid|any ?more|quit)\b",
    re.IGNORECASE,
)
_FILL = frozenset("no longer never not don't doesn't isn't aren't stop avoid any anymore more always use".split())
_BEFORE_OBJECT = (
    r"(?:use|uses|using|used|in|on|with|by|through|via|under|to|from|is|are|called|named|as|run|runs|at|adopt|"
    r"prefer|support|"
    r"supports|it's|be|into|chose|picked|decided to use|settled on|went with|require|requires|rely on|log|write|keep|"
    r"decided on|agreed on|for|over|against)"
)
_AFTER_OBJECT = (
    r"(?=$|[.,;:!)]| (?:for|as|in|on|at|to|with|by|when|while|instead|rather"
    r"|and|or|before|after|from|everywhere|now|v?\d))"
)


class Match(IntEnum):
    """How surely a sentence takes back a statement."""

    NONE = 0
    MAYBE = 1
    SURE = 2


@dataclass(frozen=True, slots=True)
class Revision:
    """What a sentence takes back: words that name it, words of its topic; `last` means what was spoken of before it."""

    old: str = ""
    topic: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    last: bool = False
    subject: str = ""


@lru_cache(maxsize=512)
def revision(sentence: str) -> Revision | None:
    """Return what a sentence takes back, where it says so.

    >>> revision("We moved from Jenkins to GitHub Actions.").old, revision("We use Jenkins.")
    ('Jenkins', None)
    """
    text = " ".join(sentence.split()).strip(" .!\"'")
    if _CORRECTS.match(text):
        return Revision(last=True)
    denied = tuple(each for each in roots(text) if each not in _FILL) if _DENIES.search(text) else ()
    found = _MOVED.search(text)
    if found:
        old = next(each for each in (found["old"], found["old2"], found["old3"], found["old4"], found["old5"]) if each)
        return Revision(_plain(old), roots(found["topic"] or ""), denied)
    if gone := _DROPPED.search(text):
        return Revision(_plain(next(each for each in gone.groups() if each)), (), denied)
    if over := _OVER.search(text):
        return Revision(_plain(over["old"]), (), denied)
    if _SUBJECT_MOVED.search(text) and (moved := declared(text)):
        return Revision(subject=moved.subject)
    return Revision("", (), denied) if denied else None


def _plain(words: str) -> str:
    text = _TAIL.sub("", words.strip(" .,;:'\"`"))
    return re.sub(r"^(?:using |the |our |an? |all |any |support (?:for|of) )+", "", text, flags=re.IGNORECASE).strip(
        " '\"`"
    )


def takes_back(found: Revision, held: str) -> Match:
    """Say whether a sentence takes back a held one, which says yes to what it denies or names its object.

    >>> [takes_back(Revision("Redis"), each) for each in ("We use Redis for caching.", "Redis keys have a TTL.")]
    [<Match.SURE: 2>, <Match.NONE: 0>]
    """
    text = " ".join(held.split()).strip(" .!\"'")
    if _DENIES.search(text):
        return Match.NONE
    if found.subject:
        before = declared(text)
        return Match.SURE if before and before.subject == found.subject else Match.NONE
    words = {each for each in roots(text) if each not in _FILL}
    if found.denied and len(words) > 1 and words == set(found.denied):
        return Match.SURE
    if not found.old or len(found.old) < 2:
        return Match.NONE
    old = r"\s+".join(map(re.escape, found.old.split()))
    if not re.search(
        rf"\b{_BEFORE_OBJECT} (?:the |our |an? )?['\"`]?{old}['\"`]?{_AFTER_OBJECT}", text, re.IGNORECASE
    ) and not (re.match(rf"(?:the |our )?{old} (?:is|are) (?:the|our)\b", text, re.IGNORECASE)):
        return Match.NONE
    if found.topic and not set(found.topic) & words:
        return Match.MAYBE
    return Match.SURE


def newest(held: Sequence[str], sentence: str) -> int | None:
    """Return the place of the last held statement of which a bare correction (`it is five`) can be."""
    wanted = _shape(sentence)
    places = [place for place, each in enumerate(held) if _shape(each) == wanted]
    return places[-1] if places else None


def _shape(text: str) -> str:
    number = r"\b(?:\d[\d.,:]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty)\b"
    return "number" if re.search(number, text, re.IGNORECASE) else "words"
