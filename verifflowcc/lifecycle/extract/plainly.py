"""Demands and statements that a sentence makes in plain grammar, whatever its topic.

A demand is a rule if it is general: of every such thing, of things in the plural, or by a verb of habit. It is a task,
and nothing to remember, if it is of one thing here and now: `rename this variable`, `add a test`, `fix the build`.
"""

import re
from functools import lru_cache

from verifflowcc.lifecycle.extract.chatter import is_soft
from verifflowcc.lifecycle.extract.declared import declared
from verifflowcc.lifecycle.extract.demand_words import (
    ASKS,
    BARE_ADVERBS,
    DEFINITE,
    GENERAL_PLACE,
    HABITS,
    HERE,
    LASTS,
    LIMIT_FIRST,
    LIMIT_LAST,
    NEEDED,
    OBLIGED,
    OF_THE_MIND,
    ONE_OFF,
    OPENING,
    PEOPLE,
    PRONOUN,
    SINGLE,
    SPECIFIC,
    TALK,
    TASK_REST,
    THIS_PROJECT,
    UNIVERSAL,
)
from verifflowcc.lifecycle.extract.judged import trigger_of
from verifflowcc.lifecycle.extract.revised import revision
from verifflowcc.records import dataclass, replace

_DECIDED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|after [^,]+),? )?(?:after [^,]{3,40} )?(?:(?:we|I|the (?:\w+ )?(?:team|architects?|"
    r"board|group|maintainers|developers|engineers))(?:'ve| have| all| finally| now| just)* (?:decided|agreed|"
    r"chose|chosen|settled|opted|picked|voted|went with|standardi[sz]ed|adopted|committed to)\b(?! to (?:meet|"
    r"talk|wait|"
    r"postpone|go|have|take|see|call|look|grab)\b)|(?:(?:the|our) )?decision(?: is(?: to| that)|:)|it (?:was|"
    r"has been|is) (?:decided|agreed) (?:that|to)\b)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|actually|correction|update|fyi|note)[,:]? )*(?:(?:we|the team|our team)(?:'ve| have| "
    r"all| finally| "
    r"now| just| recently| fully)* (?:(?:moved|migrated|switched|upgraded|transitioned|changed|went|ported)(?= "
    r".*\bto\b)|"
    r"(?:replaced|swapped|traded|exchanged)(?= .*\b(?:with|by|for)\b)|dropped|retired|ditched|abandoned|deprecated|"
    r"discontinued|phased out|got rid of|stopped (?=\w+ing\b)|no longer|sunset|"
    r"decommissioned|quit|outgrew|are done with)|.{3,60} (?:replaces|replaced|has replaced|"
    r"supersedes|was replaced by|is replaced by|has been replaced by|is deprecated|is retired|is gone|was dropped|"
    r"was retired|has been (?:dropped|retired|removed)))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^no (?!problem|worries|need|doubt|matter|rush|one|way|thanks|idea|wonder|question|more\b|clue|luck|"
    r"offence|tests? |"
    r"error|issue|change|conflict|warning|failure|result|update|comment|objection|reply|response|hurry)(?P<what>.+)$",
    re.IGNORECASE,
)
_IS_A_STATEMENT = re.compile(
    r"^[\w-]+ (?:[\w-]+ ){0,2}?(?:is|are|was|were|has|must|should|shall|needs?|(?<=s )(?:start|starts|include|"
    r"live|go|have|"
    r"contain|end|use|follow|carry|expire|belong|come|sit|run|own|begin|point|require|get|cost|last|take)) ",
    re.IGNORECASE,
)
"""A noun that is also a verb: `commit messages start with …`, `search is powered by …`."""
_NO_PLACE = re.compile(
    r"\b(?:in|from|outside of|on|inside|into|between|for) (?!the\b|this\b|my\b|that\b)\w", re.IGNORECASE
)
_LEAVES = re.compile(r"(?:avoid|refrain from|stop(?= \w+ing\b)|steer clear of|stay away from)\b", re.IGNORECASE)
_PROPOSES = re.compile(r"let's|let us")
_SETTLES = frozenset({"standardize", "standardise", "adopt", "settle", "stick", "agree"})
_NO_OBJECT = re.compile(
    r"(?:me|us|him|her|out|in (?:with|to|as)|into|off|sure|on with|back|down|if|whether|how|why|what|that)\b",
    re.IGNORECASE,
)
_EACH_DOES = re.compile(
    r"(?:every|each) (?:[\w-]+ ){1,4}?(?!is\b|was\b|has\b|time\b|day\b|this\b)[a-z]+s (?!are\b|is\b)[\w`]+",
    re.IGNORECASE,
)
_HAS_BEEN = re.compile(
    r"\b(?:has|have|is|are) (?:been |now )?\w+(?:ed|ing)\b(?! (?:by|in|with|as|via|to|every|after|from)\b)"
)
_HOLD = re.compile(
    r"(?:[\w-]+ ){0,3}[\w-]+s (?:(?:start|begin|end) with|(?:include|contain|carry|name|follow|return|link to) )",
    re.IGNORECASE,
)
_BELONGS = re.compile(r"[\w' -]+? (?:belongs?|go(?:es)?) (?:in|into|on|to|under|behind) .+$", re.IGNORECASE)
_MOST_WORDS, _MOST_SURE = 30, 22
_RULE, _FACT, _DECISION = "guideline", "fact", "decision"


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement in plain grammar: its type, and whether it surely is one; `demand` says that it asks for "
    "something."""

    type: str
    sure: bool
    demand: bool = True


@lru_cache(maxsize=512)
def plainly(sentence: str) -> Plain | None:
    """Return what a sentence states or asks for in plain grammar, for good; None for a task, news or talk.

    >>> plainly("Wrap external calls in a timeout."), plainly("Rename this variable.")
    (Plain(type='guideline', sure=True, demand=True), None)
    """
    text = sentence.strip(" .\"'")
    if trigger_of(text) and not TALK.search(text):
        return Plain("communication_style", sure=len(text.split()) <= _MOST_SURE)
    if TALK.search(text):
        return None
    words = text.split()
    back = revision(text)
    if back and back.last:
        return Plain(_FACT, sure=False, demand=False)
    if not 3 <= len(words) <= _MOST_WORDS or sentence.endswith(("?", ":", "...", "…")) or PEOPLE.search(text):
        return None if len(words) != 2 else _of_two(text)
    found = _of_sentence(sentence, text)
    long = len(words) > _MOST_SURE
    return replace(found, sure=False) if found and (long or is_soft(sentence)) else found


def _of_sentence(sentence: str, text: str) -> Plain | None:
    if _DECIDED.match(text) and not re.search(r"\b(?:to|on|that|:) ?\w+$", text):
        clause = re.sub(r"\b(?:decided|agreed) that\b", "", text, flags=re.IGNORECASE)
        return Plain(_DECISION, sure=not re.search(r"\b(?:it(?! was| is| has)|this|that|them)\b(?! the)", clause))
    if _CHANGED.match(text):
        return Plain(_DECISION, sure=not HERE.search(text), demand=False)
    opened = OPENING.sub("", text)
    bare = OPENING.sub("", LIMIT_FIRST.sub("", opened))
    if bare != opened and re.match(r"(?:in|for|on) (?!case\b|theory\b|general\b)", opened, re.IGNORECASE):
        bare = _with_place(bare, opened)
    lasting = bool(LASTS.search(text))
    asks = ASKS.match(bare)
    rest = bare[asks.end() :] if asks else bare
    return _of_order(bare, rest, asks[0] if asks else "", lasting=lasting) or _of_duty(bare) or _of_fact(sentence, bare)


def is_task(sentence: str) -> bool:
    """Say whether a sentence speaks of one thing here and now (`this variable`, `line 42`) or orders a single act."""
    bare = OPENING.sub("", sentence.strip())
    single = not LASTS.search(sentence) and bare.split(" ", 1)[0].casefold() in ONE_OFF - {
        "write",
        "update",
        "include",
    }
    passing = re.match(r"(?:make sure|ensure|check) (?:that )?(?:the|it|this|if|whether)\b", bare, re.IGNORECASE)
    return bool(_here(sentence) or single or passing)


def _here(text: str) -> re.Match[str] | None:
    """Return the words by which a text points at one single thing, outside of a limit at its end."""
    return HERE.search(LIMIT_LAST.sub("", THIS_PROJECT.sub("", text)))


def _with_place(bare: str, opened: str) -> str:
    """Return a demand with the place that stood before it at its end: `In tests, use X` as `use X in tests`."""
    place = opened[: len(opened) - len(bare)].strip(" ,")
    return f"{bare} {place[:1].lower()}{place[1:]}" if bare.split(" ", 1)[0].casefold() in HABITS else bare


def _of_two(text: str) -> Plain | None:
    """Read an order of two words (`Pin dependencies`), of which one can only be sure by its `never` or `always`."""
    first, second = text.split()
    plural = second.endswith("s") and not second.endswith("ss")
    return Plain(_RULE, sure=False) if first.casefold() in HABITS and plural and not PEOPLE.search(text) else None


def _of_order(bare: str, rest: str, asks: str, *, lasting: bool) -> Plain | None:
    """Read an order, with or without words that ask for it."""
    if no := _NO.match(bare):
        states = re.search(r"\b(?:is|are|was|were)\b", bare)
        return None if states else Plain(_RULE, sure=bool(_NO_PLACE.search(no["what"])))
    if not asks and (_IS_A_STATEMENT.match(bare) or re.match(r"just ", bare, re.IGNORECASE)):
        return None
    asked = asks.casefold()
    gerund = bool(_LEAVES.match(bare[len(bare) - len(rest) - len(asks) :])) or "avoid" in asked or "refrain" in asked
    if stop := re.match(r"stop (?P<doing>\w+ing)\b (?P<what>.+)", rest, re.IGNORECASE):
        one = DEFINITE.match(stop["what"]) and not (stop["doing"] == "using" and GENERAL_PLACE.search(stop["what"]))
        return None if HERE.search(stop["what"]) or one else Plain(_RULE, sure=True)
    while found := BARE_ADVERBS.match(rest):
        rest = rest[found.end() :]
    here = _here(rest)
    if here and not (lasting and here[0].casefold() == "here"):
        return None
    if gerund:
        return Plain(_RULE, sure=not DEFINITE.match(rest) or bool(re.match(r"\w+ing ", rest))) if rest else None
    return _of_verb(rest, asked, lasting=lasting)


def _of_verb(rest: str, asked: str, *, lasting: bool) -> Plain | None:
    """Read an order from its verb on; `asked` has the words that ask for it."""
    verb, _, what = rest.partition(" ")
    plain = verb.casefold().strip(",")
    if _PROPOSES.match(asked) and plain in _SETTLES:
        return Plain(_RULE, sure=True)
    if (_PROPOSES.match(asked) or re.match(r"(?:we|you) should\b|try to|aim to", asked)) and not lasting:
        return None
    if asked.startswith(("make sure", "ensure", "be sure")) and not re.match(r"to\b", asked):
        general = UNIVERSAL.search(rest) or not SPECIFIC.match(rest)
        return Plain(_RULE, sure=True) if what and general else None
    forbids = bool(re.search(r"\b(?:don't|do not|not|never)\b", asked))
    if plain not in HABITS and plain not in ONE_OFF:
        if not (asked and what and plain.replace("-", "").isalpha()) or plain in OF_THE_MIND:
            return None
        banned = re.search(r"\b(?:don't|do not)\b", asked) and not (DEFINITE.match(what) or SINGLE.match(what))
        return Plain(_RULE, sure=True) if lasting or banned else None
    if not what or _NO_OBJECT.match(what) or (plain in OF_THE_MIND and re.match(r"we\b|i\b", asked)):
        return None
    if lasting or re.search(r"\bmust\b", asked):
        return Plain(_RULE, sure=True)
    return _of_object(plain, what, forbids=forbids)


def _of_object(verb: str, what: str, *, forbids: bool) -> Plain | None:
    """Say by its object whether an order is a rule or a task."""
    if verb == "use" and re.search(r" to \w+ (?:the|out|why|what|where|how|this)\b", what):
        return None
    place = bool(GENERAL_PLACE.search(what))
    if UNIVERSAL.search(what):
        return Plain(_RULE, sure=verb in HABITS or verb in {"add", "give", "write", "include"})
    if DEFINITE.match(what):
        if verb in {"use", "keep", "follow", "prefer", "stick", "treat", "respect", "rely"}:
            return (
                Plain(_RULE, sure=place or verb in {"keep", "follow", "stick", "respect"})
                if place or verb != "use"
                else None
            )
        return Plain(_RULE, sure=verb in HABITS and verb not in ONE_OFF) if place and verb in HABITS else None
    if SINGLE.match(what):
        if verb in HABITS and verb not in ONE_OFF and place:
            return Plain(_RULE, sure=True)
        return None
    if verb not in HABITS:
        return Plain(_RULE, sure=forbids) if forbids or place else None
    if re.search(r" \w+ly$", what) and verb in HABITS:
        return Plain(_RULE, sure=True)
    if re.match(r"(?:\w+ly )?(?:[\w-]+/)*[\w-]+\.\w+$|\w+$", what) and verb in ONE_OFF and not forbids:
        return None
    return Plain(_RULE, sure=forbids or place or verb not in ONE_OFF)


def _of_duty(bare: str) -> Plain | None:
    """Read `every X must …`, `X needs …`: what things have to be."""
    if found := OBLIGED.match(bare):
        return _of_obligation(found, bare)
    if _EACH_DOES.match(bare):
        often = re.search(r"\b(?:takes|lasts|costs|times|fails|crashes)\b", bare)
        return None if often or _here(bare.replace("its", "")) else Plain(_RULE, sure=True)
    needed = NEEDED.match(bare)
    if needed and re.match(r"(?:every|each|all|any|new|no) ", needed["what"], re.IGNORECASE):
        past = _HAS_BEEN.search(bare) or HERE.search(bare.replace("its", ""))
        return None if past else Plain(_RULE, sure=True)
    if needed and re.search(r"\b(?:needs?|requires?)\b", bare) and not SPECIFIC.match(needed["what"]):
        one = PRONOUN.match(needed["what"]) or TASK_REST.search(needed["rest"])
        return None if one else Plain(_RULE, sure=True)
    if (needed and _HOLD.match(bare)) or _BELONGS.match(bare):
        return None if PRONOUN.match(bare) or SPECIFIC.match(bare) else Plain(_RULE, sure=True)
    return None


def _of_obligation(found: re.Match[str], bare: str) -> Plain | None:
    """Read `X must Y`; of one thing that is named, it is a requirement, and with `should` it waits."""
    what, rest, verb = found["what"], found["rest"], found["verb"].casefold()
    if PRONOUN.match(what) and not re.match(r"(?:we|you) (?:may not|cannot|can't)", bare, re.IGNORECASE):
        return None
    if TASK_REST.search(rest) and not UNIVERSAL.search(what):
        return None
    if (verb in {"is to", "are to"} and not rest.startswith("be ")) or _here(bare):
        return None
    one = bool(SPECIFIC.match(what))
    return Plain("requirement" if one else _RULE, sure=not (one and verb in {"should", "ought to"}))


def _of_fact(sentence: str, bare: str) -> Plain | None:
    if re.match(
        r"we (?:require|enforce|expect|forbid|ban|mandate) (?!it\b|this\b|you\b|that you\b|a\b|an\b|the\b)\w",
        bare,
        re.I,
    ):
        return Plain(_RULE, sure=True)
    if re.match(r"we (?:want|need) (?!it\b|this\b|you\b|that\b|a\b|an\b|the\b|to\b|some\b|more\b)\w+ \w+", bare, re.I):
        return Plain(_RULE, sure=False)
    found = declared(sentence)
    return Plain(_FACT, sure=found.known, demand=False) if found else None
