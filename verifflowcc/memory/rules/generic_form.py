"""The normal form of a statement whose subject the rules do not know by name: from its own words."""

import re
from collections.abc import Sequence

from verifflowcc.memory.rules.code_names import NormalForm, key_of, named
from verifflowcc.memory.rules.constructs import denied
from verifflowcc.memory.rules.qualifiers import AFTER_NO_VERB, FROM_DAY, RETRACTED

_LEAD = re.compile(
    rf"^(?:(?:{RETRACTED}|{FROM_DAY})[,:;.]? (?:-+ )?|"
    r"(?:and|also|so|then|now|next|just|please|well|but|plus|finally|lastly|additionally|furthermore|"
    r"moreover|instead|first(?:ly)?|second(?:ly)?|third(?:ly)?|"
    r"another thing|one more thing|remember|note|ok(?:ay)?|great|good|perfect|yes|no|right|"
    r"from (?:now|here|today|this point) on(?:wards?)?|(?:going|moving) forward|in (?:the )?future|"
    r"henceforth|as of (?:now|today)|by default|as a rule)\b[,:]?\s+|"
    r"(?:I|we)(?:'d| would| 'll)?(?: also| really| do| just| now)? (?:want|need|like|love|expect|ask|"
    r"require|prefer|recommend|suggest|advise|encourage|urge)(?:ing)?(?: (?:you|everyone|us|"
    r"all)(?: all)?)?(?: to| that(?: you| we)?)?\s+|"
    r"it(?:'s| is) (?:\w+ )?(?:important|essential|crucial|vital|best|mandatory|necessary|imperative|"
    r"critical|better)(?: (?:to|that (?:you|we)|for you to))?\s+|"
    r"you (?:should|must|need to|have to|are to)(?: always| also)?\s+|we (?:should|must|need to|have to|"
    r"always|have decided to|'ve decided to|agreed to)\s+|we've (?:decided|agreed|chosen)(?: to| on|"
    r" that)?\s+|"
    r"(?:let's|let us|make sure(?: to| that| you)*|be sure to|ensure(?: that)?(?: you)?|remember to|"
    r"don't forget to|try to|start by|always)\s+)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:(?:we|you)(?: must| should| shall)? )?(?:never|don't|do not|avoid|stop|no longer|refrain from|no)\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,? (?:from now on|going forward|moving forward|in (?:the )?future|any ?more|please|at all times|"
    r"by default|for now|as well|too))+$",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"{AFTER_NO_VERB},?\s+(?:instead of|rather than|over|and not|not)\s+(?P<other>[^,.;]+)", re.IGNORECASE
)
_FOR = re.compile(
    r"^(?:us(?:e|ing)|prefer|adopt(?:ing)?|go(?:ing)? with|stick(?:ing)? (?:to|with)|switch(?:ing)? to|"
    r"choose|pick|rely(?:ing)? on|employ)\s+(?P<what>[^,.;]+?)(?:\s+(?:as|for)\s+(?P<aim>[^,.;]+))?$",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^(?P<what>(?:(?!\b(?:is|are|was)\b)[^,;:]){2,60}?)\s+(?P<verb>is|are|was|were|uses?|runs?(?: on)?|"
    r"lives?(?: in| at)?|needs?|requires?|expects?|must|should|shall|has to|have to|goes?|stays?|will be|"
    r"can(?:not|'t)?|depends? on|returns?|supports?)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"^(?P<what>(?!(?:I|we|you|he|she|they|it|that|this|the)\b)(?:[\w'-]+ ){0,3}?[\w'-]+) never (?P<rest>[a-z]+ .+)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.]*\w)")
_EACH_APART = re.compile(r"(?:support|test|target|allow|add|include|run|return|reserve)(?:s|ing)?$", re.IGNORECASE)
"""Verbs of which several can hold at once: two versions are supported, two codes returned."""
_VERB = re.compile(r"^(?P<verb>[a-z]+(?:ing)?)\s+(?P<rest>.+)$", re.IGNORECASE)
_STOP = frozenset(
    "a an the all any your our my their its his her this that these those to of in on at by with and or "
    "for from as be is are it them you we i so "
    "only just also now currently really always never new preferred main primary default every each own per into when "
    "if do does".split()
)
_WORD = re.compile(r"[A-Za-z0-9_@./#+*-]*[A-Za-z0-9_]")
_NOT_WANTED = re.compile(
    r"^(?:I|we) (?:don't|do not|never) (?:want|like|expect|need) (?:you|anyone|anybody|us|the team|people) to\s+",
    re.IGNORECASE,
)
_NOT_BE = re.compile(r"^(?:not|no longer|never)\s+", re.IGNORECASE)


def bare(sentence: str) -> str:
    """Return a sentence without what makes it a request: `I'd like you to use tabs from now on.` becomes `use tabs`."""
    text = sentence.strip(" .!:;,-")
    while match := _LEAD.match(text):
        text = text[match.end() :]
    return _TAIL.sub("", text).strip(" .!:;,-")


def generic(sentence: str) -> NormalForm:
    """Return the normal form of any statement.

    >>> one, other = generic("Use Redis for sessions."), generic("Please use Memcached for the sessions from now on.")
    >>> one.subject == other.subject == "session", one.value, other.value
    (True, 'redis', 'memcached')
    """
    text = bare(_NOT_WANTED.sub("never ", sentence))
    negated = bool(_NO.match(text))
    text = _NO.sub("", text)
    says = f"{'Never ' if negated else ''}{text[:1].lower() + text[1:] if negated else text[:1].upper() + text[1:]}."
    subject, value, denies = _taken_apart(text)
    subject = subject or named(text)[:60]
    return NormalForm(subject, value, negated != denies, says, key_of(subject, ""), known=False)


def _taken_apart(text: str) -> tuple[str, str, bool]:
    over = _OVER.search(text)
    kept = _OVER.sub("", text) if over else text
    if match := _FOR.match(kept):
        if match["aim"]:
            return _name(match["aim"]), _name(match["what"], 8), False
        return _name(match["what"]), "use", False
    if match := _NEVER.match(kept):
        return _name(f"{match['what']} {match['rest']}"), "do", True
    if match := _IS.match(kept):
        rest = match["rest"]
        denies = bool(_NOT_BE.match(rest)) or match["verb"].casefold() in {"cannot", "can't"}
        return _name(match["what"]), _required(match, _NOT_BE.sub("", rest)), denies
    if match := _VERB.match(kept):
        numbers = _NUMBER.findall(kept)
        if numbers and not _EACH_APART.match(match["verb"]):
            return _name(_NUMBER.sub(" ", kept)), "-".join(numbers), denied(match["verb"])
        return _name(kept), "do", denied(match["verb"])
    return _name(kept), "so", False


_REQUIRES = re.compile(r"needs?|requires?|expects?|supports?|returns?|must|should|shall|has to|have to", re.IGNORECASE)
_COUNT = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)*(?![\w.]*\w)|one|two|three|four|five)\b", re.IGNORECASE)


def _required(found: re.Match[str], rest: str) -> str:
    """Return what a sentence states of a subject; what is required of it beside other things names its own aspect.

    That every pull request needs a reviewer leaves it as true that it needs a description; how many it needs does not.
    """
    value, what = _name(rest, 10) or "so", found["what"]
    many = re.match(r"(?:every|each|all|any)\b", what, re.IGNORECASE) or re.search(r"[a-z]s$", what)
    if not _REQUIRES.fullmatch(found["verb"]) or (re.match(r"be\b", rest, re.IGNORECASE) and not many):
        return value
    if counts := _COUNT.findall(rest):
        return f"need-{_name(_COUNT.sub(' ', rest)) or 'it'}:{'-'.join(counts).casefold()}"
    return f"need={value}"


def _name(words: str, most: int = 6) -> str:
    content = [each.casefold() for each in _WORD.findall(words) if each.casefold() not in _STOP]
    return named("-".join(_stem(each) for each in content[:most]))


def _stem(word: str) -> str:
    """Return a word without the endings of number and time, so that `running tests` and `run tests` come near."""
    if len(word) > 5 and word.endswith("ing") and word.isalpha():
        word = word[:-3]
        return word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


# Errors together with what mended them.

_ERROR = re.compile(
    r"\b(?P<name>[A-Z]\w*(?:Error|Exception|Warning|Timeout))\b|\b(?:error|exception|crash(?:es|ed)?|"
    r"fail(?:s|ed|ing|ure)?|bug|timed out|regression)\b"
)
_FIX = re.compile(
    r"\b(?:(?:the|our|a) (?:fix|solution|workaround|cure) (?:is|was)|(?:was |is |got |be )?(?:fixed|"
    r"solved|resolved|cured|worked around) (?:it |this |that )?(?:by|with|when|after)|"
    r"(?:fixed|solved|resolved) (?:it|this|that|the \w+)|(?:fixes|solves|resolves) (?:it|this|that|the)|"
    r"(?:root )?cause was)\b",
    re.IGNORECASE,
)


def fixes(texts: Sequence[str]) -> dict[int, NormalForm]:
    """Return the fixes that sentences tell of, by place: an error, and what mended it, there or one sentence before.

    >>> fixes(["We got a KeyError in load.", "The fix was to call strip first."])[1].subject
    'keyerror'
    """
    found: dict[int, NormalForm] = {}
    for place, sentence in enumerate(texts):
        fix = _FIX.search(sentence)
        if not fix or sentence.endswith("?"):
            continue
        here = _ERROR.search(sentence)
        error = here or (_ERROR.search(texts[place - 1]) if place else None)
        if not error:
            continue
        whole = sentence if here else f"{texts[place - 1]} {sentence}"
        subject = named(error["name"]) if error["name"] else generic(whole).subject
        found[place] = NormalForm(subject, named(sentence)[:80], False, whole, subject, known=False)
    return found
