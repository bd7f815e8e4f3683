"""What a statement leaves open, and the sentences before it say: what the talk is of, where it was opened.

People name a subject once (`I want to talk about our issue tracker.`) and say what is to be done with it later (`We use
Lumen, so please open an account.`), in that turn or in one of their next. Such a statement is kept with the sentence
that names its subject. The subject is closed again by the next one, and by words that lead to something else.
"""

import re
from functools import lru_cache

from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.code_names import ABSTRACT, is_concrete, is_name, stem
from verifflowcc.memory.rules.qualifiers import qualifiers
from verifflowcc.memory.rules.sentences import quote, spoken
from verifflowcc.memory.rules.tool_kinds import word_for
from verifflowcc.memory.rules.turns import Speaker, Turn

LEFT_OUT = " … "
"""Stands between two pieces of a conversation, where words between them are left out."""

_MOST_WORDS = 32
_SPEAK = (
    r"(?:talk|speak|chat)(?:ing)?(?: (?:to|with) \w+)?(?: \w+)? about|discuss(?:ing)?|go(?:ing)? (?:over|through)|"
    r"touch(?:ing)? (?:base|on)|bring(?:ing)? up|cover(?:ing)?|revisit(?:ing)?|update (?:you|everyone) (?:on|about)|"
    r"emphasi[sz]e|stress|highlight|introduce (?:you|everyone|us) to|address|follow(?:ing)? up on|"
    r"check in (?:on|about)|share (?:some|a few|with you|my)\b|look(?:ing)? at|focus(?:ing)? on|turn(?:ing)? to|"
    r"move on to|start (?:with|by)"
)
_ANNOUNCES = re.compile(
    rf"\b(?:I|we)(?:'d| would|'ve|'ll| have| will|'re| are|'m| am)?(?: also| just| really| now| been| going)* "
    rf"(?:want(?:ed|ing)?|like|need(?:ed)?|have|had|meant|meaning|going|here)? ?"
    rf"(?:us )?to (?:\w+ )?(?:{_SPEAK})\b|"
    rf"\blet(?:'s| us) (?:{_SPEAK})\b|\b(?:today|now|next|first),? (?:is|it's|comes)\b|"
    r"\b(?:I|we)(?:'ve| have)? been (?:thinking|talking|wondering) about\b|"
    r"\b(?:you (?:may |might |probably )?(?:remember|recall)|remember|do you remember) "
    r"(?:our (?:conversation|talk|chat|discussion) (?:about|on)|(?:when |that |how )?we (?:talked|spoke|discussed))\b|"
    r"\b(?:another|one|the (?:next|last|first|other|final)) (?:\w+ )?(?:thing|topic|subject|aspect|point|area|practice|"
    r"item|matter)\b[^.,;]{0,40} is (?!to\b|that\b|not\b|never\b|always\b|how\b)|"
    r"^(?:\w+, )?(?:regarding|as for|on the (?:topic|subject) of|when it comes to|speaking of)\b|"
    r"\bimportan(?:t|ce)\b[^.]{0,60}(?:: | - )",
    re.IGNORECASE,
)
_REPORTS = re.compile(r"\b(?:mentioned|asked you|used to|previous(?:ly)?|but I|however)\b", re.IGNORECASE)
_TURNS_AWAY = re.compile(
    r"^(?:(?:and|so|okay|ok|well|alright|now),? )*(?:additionally|furthermore|moreover|in addition|also|second(?:ly)?|"
    r"third(?:ly)?|finally|lastly|another|one more|on another|on a (?:different|another|separate|related)|separately|"
    r"besides|apart from|aside from|other than|by the way|as for|regarding|moving on|next up|when it comes to)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Za-z][\w/+#.-]*\w")
_GENERAL = ABSTRACT | {
    stem(each)
    for each in (
        "about again also and any around as at base been before being both by can code coding continue "
        "current day development different discuss emphasize engineering ensure especially everyone few first "
        "follow following for forward from further general give given go going great guidance important in "
        "into is item keep last let little lot make matter moment more new next now of on or other our over "
        "part particular particularly point previous quick really regarding related review same sharing "
        "software some soon specific stage start subject sure talk task than the their through time today "
        "touch until upcoming update use used using very want we week where which while will working would "
        "you your area aspect base directive environment expectation full guide helpful journey mentoring "
        "preferred protocol recent role session settling strategies tool various workflow"
    ).split()
}
"""Words of a subject that name none: `some updates to our coding practices` leaves open what they are of."""
_TO_YOU = re.compile(
    r"\b(?:with|to|for|updat(?:e|ing)|giv(?:e|ing)|tell(?:ing)?|show(?:ing)?) (?:you|everyone|us)\b", re.I
)
_CLAUSE = re.compile(
    r"[,.;]|\b(?:as|that|which|who|whom|we|I|you|they|it|especially|before|after|now|when|while|because|since|so|"
    r"given|based)\b(?![-/])",
    re.IGNORECASE,
)
"""Where the name of a subject ends, and a clause about it begins."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A sentence that names what is spoken of after it: as it was written, and the turn that it is in."""

    says: str
    turn: str
    place: int = -1


def opened_by(sentence: str) -> bool:
    """Say whether a sentence names a subject, and says no more of it.

    >>> opened_by("I want to go over our version control system today."), opened_by("Use tabs.")
    (True, False)
    """
    if len(sentence.split()) > _MOST_WORDS or sentence.endswith("?") or _REPORTS.search(sentence):
        return False
    return bool(_ANNOUNCES.search(sentence)) and not qualifiers(sentence) and bool(_named_in(sentence))


def subject_of(turn: Turn, place: int) -> Opened | None:
    """Return the sentence that names what a turn's sentence of this number is of; None where nothing is open."""
    written = spoken(turn.text)
    found = _last_opened(turn.text, place)
    if found is not None:
        return (
            Opened(quote(turn.text, written[found].start, written[found].end), turn.id, found) if found >= 0 else None
        )
    for before in reversed(turn.before):
        if before.name != turn.name or before.speaker is not turn.speaker:
            continue
        found = _last_opened(before.text, len(spoken(before.text)))
        if found is not None:
            piece = spoken(before.text)[found] if found >= 0 else None
            return Opened(quote(before.text, piece.start, piece.end), before.id) if piece else None
    return None


@lru_cache(maxsize=1024)
def _last_opened(text: str, place: int) -> int | None:
    """Return the number of the last sentence before `place` that opens a subject; -1 where it was closed; else None."""
    written = spoken(text)
    for at in range(min(place, len(written) - 1), -1, -1):
        if at < place and opened_by(written[at].plain):
            return at
        if _TURNS_AWAY.match(written[at].plain):
            return -1
    return None


_TOPIC = re.compile(
    r"\b(?:(?:talk|chat|speak|think|know|heard?|tell you|ask|learn)(?:ing)?(?: (?:\w+|to you))? about|"
    r"introduc\w+ (?:you )?to|familiar with|called|named|"
    r"discuss|regarding|(?:importance|benefits?|use|value|power) of|"
    r"rel(?:y|ies|ied|ying) (?:[a-z]+ly |too much |so much )?on|us(?:e|es|ed|ing)|utili[sz]\w+)\s+"
    r"(?:(?:the|our|your|using|use of|implementing|a|an|new|concept of|team's|topic of)\s+)*"
    r"(?P<topic>(?:[\w'-]+ ){0,2}?[\w'-]+)(?=[,.;:!?]|\s+(?:for|in|as|and|to|on|at|with|that|which|when|"
    r"is|are|we|you|I|today|again|quite|very|rather|too|so|a (?:bit|lot)|because|but|or|over|from|by|since|if|while|"
    r"[a-z]+ly)\b|$)|"
    r"^(?:[A-Z][^,]{0,30}, )?(?P<name>(?-i:[A-Z])[\w.+#-]+(?: (?-i:[A-Z])[\w.+#-]+)?) "
    r"(?:is (?:an?\b|our\b|excellent|great|good|flexible|useful|powerful|popular)|"
    r"offers|provides|allows|lets|integrates)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?P<verb>(?:us(?:e|ing)|utili[sz]\w+|incorporat\w+|adopt\w*|avoid(?:ing)?|stop(?:ping)?|"
    r"start(?:ing)? (?:using|with)|switch\w* to|stick\w* (?:to|with)|implement\w*|integrat\w+|"
    r"(?:(?:transition|mov|shift)(?:e|ing)?|stay(?:ing)?) away from|steer(?:ing)? clear of|get(?:ting)? rid of|"
    r"rely(?:ing)? (?:[a-z]+ly |so much |too much )?on)(?: using| relying on)?) "
    r"(?P<pronoun>(?:it|them)(?![\w'’])|(?:those|these|this|that|one)(?=[.,;!?]|$| (?:for|in|as|and|when|while|from|to|"
    r"with|instead|going|moving|at|on|throughout|across|entirely|altogether|completely)\b)|(?:this|that) "
    r"(?:tool|system|platform|space|place|room|practice|service|approach|method|software|application|app|framework|"
    r"library)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def topic_in(sentence: str) -> str:
    """Return what a sentence speaks of, which the next may name by a pronoun.

    >>> topic_in("Are you familiar with our ticketing system?"), topic_in("You tend to rely on debuggers quite a bit.")
    ('ticketing system', 'debuggers')
    """
    found = (each["topic"] or each["name"] for each in _TOPIC.finditer(sentence))
    return next((each for each in found if is_concrete(each) and not each.endswith("ly")), "")


def points(sentence: str) -> bool:
    """Say whether a sentence has a pronoun for what is to be used or not."""
    return bool(_POINTS.search(sentence))


def pointed(sentence: str, topic: str) -> str:
    """Return a sentence with a topic in the place of a pronoun that is to be used or not.

    >>> pointed("I want you to stop using them.", "debuggers"), pointed("Please use it.", "debuggers")
    ('I want you to stop using debuggers.', 'Please use it.')
    """
    if not topic:
        return sentence
    several = _is_several(topic)
    return _POINTS.sub(
        lambda found: f"{found['verb']} {topic}" if (found["pronoun"].casefold() in _SEVERAL) == several else found[0],
        sentence,
    )


_SEVERAL = frozenset({"them", "those", "these"})


def _is_several(topic: str) -> bool:
    last = topic.rpartition(" ")[2]
    return not is_name(topic) and last.endswith("s") and not last.endswith(("ss", "us", "is"))


def topic_before(turn: Turn) -> tuple[str, Opened] | None:
    """Return what the turns right before one last spoke of, and the sentence that names it."""
    for before in reversed(turn.before[-_NEAR:]):
        for place, piece in reversed(list(enumerate(spoken(before.text)))):
            if topic := topic_in(piece.plain):
                named = Opened(quote(before.text, piece.start, piece.end), before.id, place)
                return None if qualifiers(piece.plain) else (topic, named)
    return None


_NEAR = 2
"""Turns before one in which a pronoun finds what it is of: the question that is answered, and what led to it."""


_PROMISES = re.compile(
    r"^(?:[^.!?;]{0,60}?[,;] (?:and |so )?|and |so |then )?I(?:'ll| will|'m going to| am going to)"
    r"(?: definitely| certainly| now| also| absolutely)* (?P<do>[a-z][^?]+)$",
    re.IGNORECASE,
)
_FOR_GOOD = re.compile(
    r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|(?:going|moving) forward|in (?:the )?future|henceforth)\b",
    re.IGNORECASE,
)
_EFFORT = re.compile(
    r"^(?:(?:make|put in) (?:a |an )?(?:\w+ )?effort to |(?:keep|bear) (?:that|this|it) in mind,? and )", re.IGNORECASE
)
_MINE = {"my": "your", "myself": "yourself"}


@lru_cache(maxsize=1024)
def promised(sentence: str) -> str:
    """Return what somebody promises to do from now on, as it would be asked of them; "" for any other sentence.

    >>> promised("Okay, I'll keep my tickets in Lumen from now on."), promised("I'll call you later.")
    ('Keep your tickets in Lumen from now on.', '')
    """
    found = _PROMISES.match(sentence)
    if not found or not _FOR_GOOD.search(found["do"]):
        return ""
    words = _EFFORT.sub("", found["do"])
    plain = re.sub(r"\b(?:my|myself)\b", lambda own: _MINE[own[0].casefold()], words, flags=re.IGNORECASE)
    return plain[:1].upper() + plain[1:]


def asked_before(turn: Turn, subject: str) -> Opened | None:
    """Return the last sentence of another person before a turn that names a subject in its normal form."""
    wanted = {stem(each) for each in re.split(r"[-.]", subject) if each}
    for before in reversed(turn.before):
        if before.name == turn.name or before.speaker is not Speaker.PERSON:
            continue
        for piece in reversed(spoken(before.text)):
            there = {stem(each) for each in _WORDS.findall(piece.plain.replace("-", " "))}
            if wanted and wanted <= there and not qualifiers(piece.plain):
                return Opened(quote(before.text, piece.start, piece.end), before.id)
    return None


def adds(subject: str, sentence: str, kind: str) -> bool:
    """Say whether a sentence that names a subject says what another leaves open.

    It does not where that one names the kind of what it speaks of itself.

    >>> subject = "I want to go over our version control system."
    >>> adds(subject, "We use Lumen for all projects.", ""), adds(subject, "Lumen is our version control system.", "")
    (True, False)
    """
    if kind and word_for(kind, sentence):
        return False
    there = {stem(each) for each in _WORDS.findall(sentence)}
    return any(each not in there for each in _named_in(subject))


def kind_before(turn: Turn, place: int, kind: str) -> Opened | None:
    """Return the nearest sentence before one, in its turn or the two before, that names a kind of tools."""
    for number, each in enumerate((turn, *reversed(turn.before[-_NEAR:]))):
        pieces = list(enumerate(spoken(each.text)))
        for at, piece in reversed(pieces[:place] if number == 0 else pieces):
            if word_for(kind, piece.plain) and not qualifiers(piece.plain):
                return Opened(quote(each.text, piece.start, piece.end), each.id, -1 if number else at)
    return None


_DEFINES = re.compile(
    r"(?:it|this|(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z])[\w.+#-]*)?)(?:'s| is) (?:an?|one of the|our|the)"
    r"(?: [^,.;:]{1,60})? "
    r"(?:tool|platform|system|editor|IDE|assistant|tracker|manager|framework|library|service|app|application|database|"
    r"client|runner|linter|formatter|software|server|environment|host|board)s?\b",
    re.IGNORECASE,
)


def defines(sentence: str) -> bool:
    """Say whether a sentence says what a thing is that the one before it names.

    >>> defines("It's a shared password manager."), defines("It's a great idea.")
    (True, False)
    """
    return bool(_DEFINES.match(sentence))


@lru_cache(maxsize=1024)
def _named_in(subject: str) -> tuple[str, ...]:
    """Return the words by which a sentence names its subject."""
    found = _ANNOUNCES.search(subject)
    phrase = _TO_YOU.sub(" ", subject[found.end() :]) if found else ""
    phrase = phrase[: end.start()] if (end := _CLAUSE.search(phrase)) else phrase
    words = [stem(each) for each in _WORDS.findall(phrase)]
    return tuple(each for each in words if each not in _GENERAL)
