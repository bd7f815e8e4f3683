"""What a statement leaves open, and the sentences before it say: what the talk is of, where it was opened.

People name a subject once (`I want to talk about our issue tracker.`) and say what is to be done with it later (`We use
Lumen, so please open an account.`), in that turn or in one of their next. Such a statement is kept with the sentence
that names its subject. The subject is closed again by the next one, and by words that lead to something else.
"""

import re
from collections.abc import Iterator, Sequence
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


def decorator_before(turn: Turn) -> list[str]:
    """Return the sentences of the turn right before one, where it speaks of a decorator."""
    before = turn.before[-1] if turn.before else None
    return [each.plain for each in spoken(before.text)] if before and "decorator" in before.text else []


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


_ASKED = r"^(?:[^,?]{1,40}[,.] )?(?:(?:and|so|then|but|also|okay|ok) )*"
_WE = r"(?:I|we|you|everyone|everybody|the team)(?: all)?"
_REST = r"(?: [^?,:;(–—]+)?(?:[,:;(–—][^?]*)?\?(?: …)?$"
_WHAT_TO_USE = re.compile(
    rf"{_ASKED}(?:what|which)(?: (?P<kind>[a-z][\w -]{{1,40}}?))? (?:(?:should|shall|must|do|will) {_WE}|"
    r"(?:do you want|would you like) (?:me|us|everyone) to|would you (?:rather )?have (?:me|us)) (?:always |all )?"
    rf"(?:use|go with|choose|pick|rely on)(?P<rest> (?:for|in|on|as|to|with|when) [^?,:;(–—]+)?{_REST}",
    re.IGNORECASE,
)
_WHAT_IT_IS = re.compile(
    rf"{_ASKED}(?:what|which)(?:'s| is| are) (?:our|the (?:team|project|company)'s) (?P<role>[a-z][\w -]{{2,40}}?)"
    r"(?: here| these days| at the moment)?\?(?: …)?$",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    rf"{_ASKED}(?:should|shall|do|must) (?:I|we|everyone|everybody|the team)(?: all)? (?:always |also |still )?"
    r"(?P<what>[a-z-]+ [^?,:;(–—]+)(?:[,:;(–—][^?]*)?\?(?: …)?$",
    re.IGNORECASE,
)
_OF_NOW = re.compile(
    r"\b(?:this|that|these|those|it|now|today|tonight|tomorrow|next|first|yet|again|mean|think|say|know|see|consider|discuss|try|start|schedule|expect|worry)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:we|us|our|team|everyone|everybody|always|every|all|each|by default|project)\b", re.IGNORECASE
)
_EACH = re.compile(r"\b(?:always|every|all|each|by default)\b", re.IGNORECASE)
_BY_NAME = re.compile(
    r"(?:(?:please|let's|we(?:'ll)?(?: all)?|you should|we should|I'd) )?"
    r"(?:(?:use|go with|prefer|stick (?:to|with)|pick) )?"
    r"(?P<name>(?:the |a )?[\w.+#/-]*\w(?: [\w.+#/-]*\w){0,2})(?:,? (?:please|always))?[.!]?$",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:yes|yeah|yep|correct|always)"
    r"(?:,? (?:please|always|exactly|absolutely|definitely|we do|we should|you should|(?-i:[A-Z])\w+))*[.!]?$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:no|nope|never)(?:,? (?:please|never|don't|we don't|we shouldn't|please don't|(?-i:[A-Z])\w+))*[.!]?$",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    "yes no none nothing either both whatever anything neither sure maybe good great thanks okay ok right well hmm not "
    "i it we you he she they there what which why how when depends done same another any other fine hello hi".split()
)


def answered(question: str, answer: str) -> str:
    """Return what the answer to a question asks for, in one sentence; "" where that is not for good, or not clear.

    >>> answered("What should we use for drafts?", "Lumen, please."), answered("Should we use tabs?", "No.")
    ('Use Lumen for drafts.', 'Never use tabs.')
    >>> answered("Which one should I open first?", "The shorter one.")
    ''
    """
    if _OF_NOW.search(question) or not question.rstrip(" …").endswith("?"):
        return ""
    if whether := _WHETHER.match(question):
        if _YES.match(answer):
            return f"{whether['what'][:1].upper()}{whether['what'][1:].strip()}."
        return f"Never {whether['what'].strip()}." if _NO.match(answer) else ""
    named = _BY_NAME.match(answer)
    if not named or not _NO_NAME.isdisjoint(named["name"].casefold().split()) or not is_concrete(named["name"]):
        return ""
    if use := _WHAT_TO_USE.match(question):
        kind = f" as the {use['kind']}" if use["kind"] and not use["rest"] else ""
        return f"Use {named['name']}{(use['rest'] or kind).rstrip()}." if use["rest"] or kind else ""
    role = _WHAT_IT_IS.match(question)
    return f"Use {named['name']} as the {role['role']}." if role and is_name(named["name"]) else ""


def for_all(question: str, value: str) -> bool:
    """Say whether a question is of what all do, and not of one task; `value` is what is answered of its subject."""
    return bool((_EACH if value == "do" else _OF_ALL).search(question))


_CHANGES = re.compile(
    r"(?:(?:actually|no|sorry|oh|wait|hm+|well|ok(?:ay)?|on second thoughts?|and|so),? )*"
    r"(?:please |let's |let us |can you |could you )?"
    r"(?:(?:change|set|switch|update|raise|lower|bump|move) (?:that|it|this|that one) to|make (?:that|it|this)) "
    r"(?P<value>['\"`]?[\w.+#@/-]*\w['\"`]?(?: (?!instead|please)[a-z]{3,})?)(?: instead)?(?:,? please)?[.!?]?$",
    re.IGNORECASE,
)
_A_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?![\w])")
_A_QUOTE = re.compile(r"(['\"`])[\w.@-]+\1")
_A_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][\w.+#-]*\w(?: [A-Z][\w.+#-]*\w)*")


def changes(sentence: str) -> bool:
    """Say whether a sentence changes a value that was spoken of: `Make that 60.`"""
    return bool(_CHANGES.match(sentence))


def changed(before: str, sentence: str) -> str:
    """Return a statement with the value that the next sentence gives it; "" where it has none, or several.

    >>> changed("Take a break every 80 minutes.", "Actually, make that 60.")
    'Take a break every 60 minutes.'
    >>> changed("Keep drafts in Lumen.", "Please change it to Zig."), changed("Keep drafts.", "Change it to Zig.")
    ('Keep drafts in Zig.', '')
    """
    found = _CHANGES.match(sentence)
    if not found:
        return ""
    before = before.removesuffix(LEFT_OUT.rstrip())
    first, _, unit = found["value"].partition(" ")
    if first[0] in "'\"`":
        kind = _A_QUOTE
    elif first[0].isdigit():
        kind = _A_NUMBER
    else:
        kind = _A_NAME
        if not is_name(first):
            return ""
    there = [*kind.finditer(before)]
    if len(there) != 1 or (unit and f" {unit}" not in before[there[0].end() :]):
        return ""
    return f"{before[: there[0].start()]}{first}{before[there[0].end() :]}"


def short_for(before: str, sentence: str) -> str:
    """Return what a sentence says together with the one before it: an answer, or another value; "" for any other."""
    return changed(before, sentence) or answered(before, sentence)


def before_it(written: Sequence[str], place: int, turn: Turn) -> Iterator[tuple[str, Opened | None]]:
    """Yield the sentences before one, nearest first: of its turn, then of the two turns before."""
    yield from ((written[at], None) for at in range(place - 1, -1, -1))
    for before in reversed(turn.before[-_NEAR:]):
        for at, piece in reversed(list(enumerate(spoken(before.text)))):
            yield piece.plain, Opened(quote(before.text, piece.start, piece.end), before.id, at)


def question_before(turn: Turn) -> Opened | None:
    """Return the question with which the turn before one ends, where another asks it."""
    before = turn.before[-1] if turn.before else None
    if before is None or (before.name, before.speaker) == (turn.name, turn.speaker) or "?" not in before.text[-8:]:
        return None
    pieces = spoken(before.text)
    if not pieces or not pieces[-1].plain.endswith("?"):
        return None
    return Opened(quote(before.text, pieces[-1].start, pieces[-1].end), before.id, len(pieces) - 1)


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
