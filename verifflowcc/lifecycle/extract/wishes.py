"""Whether what a sentence asks for, on any topic, is asked for as a rule: for good, of all, of those who listen."""

import re

from verifflowcc.lifecycle.extract.asked import Asked, asked
from verifflowcc.lifecycle.extract.frames import Force, frame
from verifflowcc.lifecycle.extract.kinds import kind_of, plain_role, plain_tool, word_for
from verifflowcc.lifecycle.extract.phrases import noun
from verifflowcc.lifecycle.extract.stated import Stated, key_of, named
from verifflowcc.records import dataclass, replace

_NOW_ONLY = re.compile(
    r"\b(?:yet|for now|this time|right now|just this|at the moment|today|tomorrow|tonight|"
    r"by (?:the end|(?:mon|tues|wednes|thurs|"
    r"fri)day))\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"\b(?:I|we)\b[^.,;]{0,24}\b(?:want|need|like|expect|ask|require|prefer|recommend|encourage|urge|"
    r"advise)(?:ing)? (?:for )?"
    r"(?:you|us|everyone|everybody|all|the team|our|developers)\b|\b(?:must|never|mandatory|no longer|"
    r"preferred|primary|(?:make sure|ensure)(?: that)? you|it would be|policy|convention|appreciate|kindly|way to go|"
    r"a must|non-negotiable|(?:must|should|shall|has to|have to|is to|are to) (?:not |never |only |always )?be|"
    r"standard)\b|\b(?:switching|moving|transitioning) (?:\w+ )?(?:from|to)\b|^no \w",
    re.IGNORECASE,
)
_MERELY = re.compile(
    r"^(?:\w+, )?we (?:typically|usually|generally|mostly|currently|mainly) |"
    r"\b(?:important|crucial|essential|better|best|we want|helps?|helping|empowers?|order|us|able) to (?:\w+ )?avoid\b|"
    r"\b(?:by|while|thus|thereby) avoiding\b|\bbest judge?ment\b|\bavoid(?:ing)? (?:any |"
    r"the )?(?:potential|possible|common|future)\b",
    re.IGNORECASE,
)
_OUR_OWN = re.compile(
    r"\bas (?:our|the) (?:team's )?(?:preferred|main|primary|default|standard|official)\b|"
    r"\bwe(?:'re| are|'ll be| will be)? (?:primarily |mainly |all |now )*(?:use|using|switching to|"
    r"transitioning to|moving to|adopting)"
    r"(?: using)? (?:(?-i:[A-Z])[\w.-]*(?: (?-i:[A-Z])[\w.-]*)?) (?:as (?:our|the|my)\b|for (?:our |all |"
    r"internal |team |video )?(?!projects?\b|work\b|software\b|everything\b)"
    r"[\w-]+)|"
    r"\bis (?:our|my) (?:preferred|main|primary|default|standard|official|go-to)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^(?:something like|for (?:example|instance)|such as|e\.g\.)", re.IGNORECASE)
_IN_GENERAL = re.compile(
    r"\w+ (?:up )?(?:your|(?:an? )?(?:new|more \w+|appropriate|proper)) [\w-]+(?: [\w-]+)?\.$",
    re.IGNORECASE,
)
"""Advice that names nothing to keep to: `use your creative side`, `implement a new standard`."""
_BEGINS_WITH = re.compile(r"\b(?:begin|start|end)s? with\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:every|each|all|any|anything|everything|only)\b", re.IGNORECASE)
_UNIVERSAL = re.compile(r"\b(?:every|each|never)\b", re.IGNORECASE)
_NOT_ALONE = re.compile(
    r"\b(?:this(?! (?:project|repo|repository|codebase|team|company|service|package))|these|those|them|there)\b",
    re.IGNORECASE,
)
_A_TASK = re.compile(r"\b(?:implement|set(?:ting)? up|embrac|choos|integrat|work(?:ing)? on)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """A rule that is asked for: `lasting`, for good or of all; `passing`, where it may be meant for this once only."""

    stated: Stated
    lasting: bool
    passing: bool = False


_INTRODUCED = re.compile(
    r"\b(?:introduc\w+|familiari[sz]\w+|get to know|start using|switch\w* to|transition\w* to|use|using|"
    r"adopt\w*|rely\w* on|go with)\b"
    r"[^.;:]{0,40}?\b(?:our|a|an|the) (?P<role>(?:[a-z-]+ ){0,3}(?:tool|system|platform|assistant|editor|"
    r"framework|software))"
    r"(?: that we (?:use|rely on|have)[^,]{0,20})?,? (?:called |named )?(?P<name>(?-i:[A-Z])[\w.]*(?: "
    r"(?-i:[A-Z])[\w.]*)?)(?=[,.!]|$| (?:for|as|to|and)\b)",
    re.IGNORECASE,
)


def introduced(sentence: str) -> Stated | None:
    """Return the tool that a sentence introduces as one of a kind: `our project management tool, Jira`.

    >>> introduced("I want to introduce you to our issue tracking tool, Jira.").value
    'jira'
    """
    found = _INTRODUCED.search(sentence)
    if not found or sentence.endswith("?"):
        return None
    role, name = noun(found["role"]), plain_tool(named(found["name"]))
    subject = kind_of(name) or plain_role(role)
    return Stated(subject, name, False, sentence, key_of(subject, name)) if subject and name else None


def wished(sentence: str, text: str, *, own: bool) -> Wish | None:
    """Return the rule that a sentence of a text asks for; `own` says that the user says it, who need not say more."""
    force = frame(sentence).force
    telling = force in {Force.NONE, Force.TOLD} and not (force is Force.TOLD and _OUR_OWN.search(sentence))
    if sentence.endswith("?") or (telling and not (own and _BEGINS_WITH.search(sentence))):
        return None
    if _NOW_ONLY.search(sentence) or _MERELY.search(sentence) or _EXAMPLE.match(sentence):
        return None
    found = asked(sentence)
    if found and own and force is Force.BARE and _OF_ALL.search(found.stated.says):
        return Wish(found.stated, lasting=False, passing=True)
    return _made(found, sentence, text, force, own=own) if found else None


def _made(found: Asked, sentence: str, text: str, force: Force, *, own: bool) -> Wish | None:
    stated, affix = found.stated, ":" in found.stated.value
    if not own and _NOT_ALONE.search(stated.says):
        return None
    if not own and stated.value in {"do", "use"} and _IN_GENERAL.match(stated.says):
        return None
    ours = force is Force.TOLD and bool(_OUR_OWN.search(sentence))
    if not found.sure or (force in {Force.NONE, Force.TOLD} and not (affix or ours)):
        return None
    if force is Force.BARE and not (
        affix or stated.value.startswith("every-") or stated.negated or (own and stated.value not in {"do", "use"})
    ):
        return None
    lasting = force is Force.LASTING or affix or ours or bool(_UNIVERSAL.search(stated.says))
    if not lasting and (stated.value == "do" or not (own or kind_of(stated.value) or _is_for_others(sentence, stated))):
        return None
    return Wish(_with_kind(stated, text), lasting)


def _is_for_others(sentence: str, stated: Stated) -> bool:
    return bool(_WISHES.search(sentence)) and not (stated.value == "use" and _A_TASK.search(sentence))


def _with_kind(stated: Stated, text: str) -> Stated:
    """Return a rule to use a tool with what it is used as, where its turn says that beside it."""
    if stated.negated or word_for(stated.subject, stated.says):
        return stated
    word = word_for(stated.subject, text)
    return replace(stated, says=f"{stated.says[:-1]} as the {word}.") if word else stated
