"""Where a sentence says what it asks for: behind `I'd like you to`, `from now on`, `please`, `make sure that` …"""

import re
from collections.abc import Iterator

from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.code_names import (
    COMMON,
    VERBS,
    NormalForm,
    is_concrete,
    is_name,
    is_tool,
    key_of,
    much,
    named,
    noun,
    plainer,
    quality,
    words_of,
)
from verifflowcc.memory.rules.qualifiers import RETRACTED
from verifflowcc.memory.rules.subject_words import ADDITIVE
from verifflowcc.memory.rules.tool_kinds import SEVERAL, kind_of, plain_role, plain_tool

_WHO = (
    r"(?: (?:for )?(?:you|us|everyone (?:on|in) the team|everyone|everybody|all of (?:you|us)|the (?:whole )?team|"
    r"(?:all (?:of )?|every )?(?:our |the )?(?:team|developers?|engineers?|people|staff)|"
    r"nobody|anyone)\b)"
)
_SURELY = r"(?:'d|'ll| would| will| do| did| really| now| also| just| (?!only)[a-z]+ly| only)"
_WISH = (
    rf"\b(?:I|we){_SURELY}*(?P<no> (?:don't|do not|never|no longer))?{_SURELY}* (?:want|need|like|love|expect|ask|"
    rf"require|prefer|"
    rf"recommend|suggest|advise|encourage|urge|insist|demand)(?:ing)?{_WHO}?(?: all)?(?: (?:to|(?:it )?(?:that|if) "
    rf"(?:you|we|developers|engineers)(?: would| could)?))?"
)
_CALM = (
    r"from (?:now|here|today|this (?:point|moment)) on(?:wards?)?|(?:going|moving) forward|henceforth|"
    r"(?:starting|beginning|effective) (?:today|now|tomorrow|immediately|(?:this|next) \w+)|I'd rather (?:you|we)|"
    r"(?:you|we)(?:'re| are)(?= not (?:to|allowed|permitted)\b)|we(?:'re| are) going to(?= (?:start|stop|use|switch|"
    r"move|adopt|transition)\b)|(?:suggest|recommend|ask|request|propos)(?:e|ing)? that (?:you|we)|"
    r"(?<!that )(?<!which )(?:we|(?:the|our) team)(?:'ve| have| has)(?: all| now| recently| actually| also| just|"
    r" officially| fully| since| already)*(?= (?:adopted|"
    r"standardi[sz]ed on|switched|moved|"
    r"migrated|transitioned|settled on|picked)\b)|"
    r"as of (?:now|today)|in (?:the )?future|by default|as a rule|"
    r"please|let's|let us|(?:do not|don't) forget to|remember to|be sure to|try to|"
    r"make sure(?: (?:that )?(?:you(?:'re| are)?|we(?:'re| are)?|to))?(?: that)?|"
    r"ensur(?:e|ing)(?: (?:that )?(?:you(?:'re| are)?|we(?:'re| are)?))?(?: that)?|"
    r"(?:\w+ing |\w+ )?the (?:importance|value) of|"
    r"(?:emphasi[sz](?:e|ing)|stress|highlight)(?= (?:the )?use of\b| [a-z]+ing\b)|to (?:emphasi[sz]e|stress)(?: "
    r"that)?|"
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
    r"we(?: [a-z]+ly)?(?= use\b)|we(?= require (?:an?|all|every)\b)|recommend(?:ing)? (?=you\b)|"
    r"(?:recommend|advise|encourage|urge|ask|remind)(?:ing)? (?:you|us|everyone|the team)(?: to| that you)?|"
    r"(?:is|directive) to(?= (?:never|always|avoid|not|use)\b)|"
    r"(?:you|we)(?= (?:always|never|no longer|do not|don't|avoid)\b)|we(?:'re| are)(?: now)?(?= (?!going)\w+ing\b)|"
    r"(?<!how )(?<!what )(?<!why )(?<!when )(?<!as )(?<!since )(?<!while )(?<!if )(?:you|we)(?:'ll| will)(?: "
    r"now| all)*(?= (?:be|not be|"
    r"no longer be) \w+ing\b)|"
    r"(?:you|we)(?= (?:won't|shouldn't|mustn't)\b)|"
    r"(?:you|we|everyone|developers|engineers)(?:'re| are| is|'ll be| will be)(?: all| now| also)* (?:expected|"
    r"required|"
    r"asked|instructed|obliged) to|what (?:I|we)(?:'d like| want| need| expect| ask)(?: from| of)?(?: you)?(?: to do| "
    r"from now on)* "
    r"is(?: that (?:you|we)| for you to| to)?|(?:the|our|my) (?:new )?(?:rule|policy|request|advice) (?:here )?is(?= "
    r"*:)|"
    r"(?:one|another) (?:more )?(?:thing|rule|request|requirement|expectation|policy|convention)(?: (?:that )?(?:I|we) "
    r"(?:ask|have|want|expect|follow|need|require|insist on))?(?: (?:of|from) you)? is (?:that (?:you|we)|to)|"
    r"(?:my|our) (?:\w+ )?(?:advice|recommendation|request|rule|expectation) (?:\w+ )?is (?:to|that)|"
    r"(?:we|I)(?:'ve| have) made the decision(?: to| that)|have (?:the team|everyone|everybody)(?= (?:start|stop|"
    r"use)\b)"
)
_WEAK = re.compile(
    r"(?:make sure|ensur|it's|it is|\w+ing the|the importance|importance|to (?:emphas|stress))", re.IGNORECASE
)
_OPEN = re.compile(
    rf"{_WISH}|(?=\bour adoption of\b)|\bso (?=(?:using|the use of)\b)|"
    rf"(?<=[,:;–—-] )(?=(?:never|always|do not|don't) \w)|\b(?:{_CALM})(?!\w)",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|(?:going|moving) forward|henceforth|at all times)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?:[\s,:;-]+|(?:so|then|and|but|also|always|consistently|really|just|now|instead|to|that|you|we|all|both|please|"
    r"immediately|simply|only)\b(?!-))*",
    re.IGNORECASE,
)
_SPEECH = re.compile(
    r"^(?:(?:and|also|so|then|now|next|but|plus|again|yes|no,|ok(?:ay)?|well|first(?:ly)?|second(?:ly)?|third(?:ly)?|"
    r"finally|lastly|additionally|furthermore|moreover|remember|note|actually|however|(?-i:[A-Z])\w+(?=,)|"
    rf"{RETRACTED}|(?:after|following|based on|given) (?:[\w-]+ ){{1,3}}(?:discussions?|consideration|thought|feedback|"
    r"conversations?|reviews?)(?=,)|(?:instead of|rather than|contrary to) [^,;.]{{2,60}}(?=,))[,:!]?\s+)+",
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
_ALSO = re.compile(r"\band (?=(?:[a-z]+ly )?(?:use|avoid|stop|never|refrain from|switch to|rely on|adopt)\b)", re.I)
"""Where a second thing is asked for: `shift your focus and primarily use X`."""
_MOST = 8


@dataclass(frozen=True, slots=True)
class Clause:
    """What is asked for, and `when`. `negated`: it is asked not to be; `asks`: words beside the clause ask for it."""

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
    position, seen, strongly = 0, 0, False
    while seen < _MOST and (found := _OPEN.search(text, position)):
        negated, end, chained = bool(found["no"]), found.end(), False
        while again := _again(text, end):
            negated, end, chained = negated or bool(again["no"]), again.end(), True
        rest = _between(text, end)
        to_you = re.match(r"\s*(?:that )?you\b", text[found.end() :], re.IGNORECASE)
        strong = (
            to_you or chained or not found[0] or found.start() <= len(text) - len(plain) or not _WEAK.match(found[0])
        )
        if (
            strong
            or _FROM_NOW.search(text)
            or re.match(r"(?:always|never)\b", text[found.end() : rest + 6].strip(), re.IGNORECASE)
        ):
            yield Clause(text[rest:], negated, True, _condition(text[:rest]))
        strongly = strongly or bool(found[0] and (to_you or not _WEAK.match(found[0])))
        position, seen = max(end, found.start() + 1), seen + 1
    if strongly:
        yield from (Clause(text[also.end() :], False, True) for also in _ALSO.finditer(text, position))


def _condition(before: str) -> str:
    found = list(_CONDITION.finditer(before))
    return found[-1]["when"] if found and not _OWN.search(found[-1]["when"]) else ""


def _again(text: str, end: int) -> re.Match[str] | None:
    found = _OPEN.match(text, _between(text, end))
    return found if found and found.end() > end else None


def _between(text: str, end: int) -> int:
    found = _BETWEEN.match(text, end)
    return found.end() if found else end


# What a request asks for, read from its grammar: whatever the topic, what it speaks of and what it says of that.

_FROM = r"(?: (?:away )?from [^,.;]+?)?"
_USE = re.compile(
    rf"(?:us(?:e|ing)|used(?! to)|standardi[sz](?:e|ing|ed) on|settled on|picked|"
    rf"(?:the )?(?:use|usage) of|our adoption of|utili[sz](?:e|ing)|adopt(?:ing|ed)?|employ(?:ing)?|"
    rf"incorporat(?:e|ing)|"
    rf"go(?:ing)? with|stick(?:ing)? (?:to|with)|(?:switch|transition|shift|migrat)(?:e|"
    rf"ing|ed)?(?: over)?{_FROM} to(?: using)?|"
    rf"mov(?:e|ing|ed)(?: over)?{_FROM} to(?: using)?|rely(?:ing)? (?:solely )?on|opt(?:ing)? for|choos(?:e|ing)|"
    rf"prefer|require(?= (?:an?|all|every)\b)|mov(?:e|ing) (?:you|us|everyone) (?:over )?to|"
    rf"leverag(?:e|ing)|mak(?:e|ing) use of|lean(?:ing)? on|integrat(?:e|ing)|embrac(?:e|ing)|"
    rf"set(?:ting)? up|practic(?:e|ing)|engag(?:e|"
    rf"ing) in|do(?:ing)?|"
    rf"implement(?:ing)?|enabl(?:e|ing)|cod(?:e|ing) on(?= (?:at least |only |just )*(?:an? single|one|two|three|\d))|"
    rf"work(?:ing)? with(?= (?:at least |only |just )*(?:an? single|one|two|three|\d)))\b"
    rf"(?: (?:the )?(?:use|usage) of\b| using\b)?\s*",
    re.IGNORECASE,
)
_MORE = {
    "rely": "rely on",
    "set": "set up",
    "enabl": "enable",
    "implement": "implement",
    "practic": "practice",
    "engag": "engage in",
}
"""Verbs that say more than to use something, by the letters with which they start."""
_INTO = re.compile(r"incorporat|integrat|introduc", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"(?:mak(?:e|ing) the (?:switch|change|move|transition) (?:and|to) |"
    r"(?:start(?:ed)?|begin|keep|continue|consider|be|try|get)(?:ning|ting|ing)? (?:to )?"
    r"(?=(?!(?:start|begin|end)ing with)\w+ing\b(?! names))|"
    r"commit(?:ting)? to (?=[a-z]+ing\b)|get(?:ting)? (?:into the habit of|in the habit of|used to) |"
    r"mak(?:e|ing) it (?:a|our|your) (?:rule|policy|practice) (?:to )?|"
    r"(?:develop|form|build|keep|cultivat)(?:e|ing)? (?:a|the) (?:\w+ )?habit of |"
    r"mak(?:e|ing) (?:it a habit|a point|a habit|a conscious effort|an effort|use|it a point)(?: of| to)? |"
    r"(?:also|always|only|just|instead|all|now|ever) |"
    r"aim(?:ing)? (?:for|to) (?=\w)|(?!(?:only|apply|rely|reply|supply) )[a-z]+ly (?=[a-z])|focus(?:ing)? on "
    r"(?=[a-z]+ing\b))",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:never|shouldn't|mustn't|not(?: (?:allowed |permitted )?to)?|don't|do not|doesn't|didn't|no longer|can no "
    r"longer|won't)\b\s*",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    r"(?:(?:advise|recommend|warn|caution)(?: you| everyone| the team)? against|against(?= \w+ing\b)|avoid(?:ing)?|"
    r"stop(?:ping)?|refrain(?:ing)? from|quit(?:ting)?|ceas(?:e|ing)|discontinu(?:e|ing)|"
    r"drop(?:ping)?|"
    r"ditch(?:ing)?|ban(?:ning)?|abandon(?:ing)?|steer(?:ing)? clear of|stay(?:ing)? away from|mov(?:e|ing) away from|"
    r"do(?:ing)? (?:without|away with)|hold(?:ing)? off on|"
    r"disregard(?:ing)?|forgo(?:ing)?|forbid|no(?: more)?(?! (?:prob|need|matter|doubt|one|stone|problem|major|idea|"
    r"longer)\b)|without|get(?:ting)? rid of|eliminat(?:e|ing))\b"
    r"(?: the (?:use|usage|practice) of)?\s*",
    re.IGNORECASE,
)
_END = re.compile(
    r"\s*(?:;|, (?:especially|particularly)\b|\((?![A-Z]{2,5}\))|:(?=\s))|\s+-+\s|,\s+(?!(?:when|unless|except)|"
    r"(?:[\w-]+(?: [\w-]+)?, )*(?:and|or) [\w-]+(?: [\w-]+)?$)|"
    r"\s+(?:because|since|so(?= )|as (?=(?:it|they|this|we|you|that|I)\b)|"
    r"and (?=I\b|we\b|you\b|it\b|let\b|make\b|avoid\b|stop\b|never\b|that\b|this\b|don't\b|please\b|then\b|to\b)|"
    r"but (?=I\b|we\b|you\b|"
    r"only\b|rather\b|instead\b)|(?:in order )?to (?=ensure|help|maintain|make|avoid|improve|boost|keep|"
    r"streamline|facilitate)|"
    r"even |anymore|any more|any longer|altogether|right away|from here on out|at all(?! times)|again$|from now on|"
    r"(?:going|moving) forward|in (?:the )?future|instead$|"
    r"by default$|please$|as well$|too$|whenever possible|at all times|if (?:needed|possible))",
    re.IGNORECASE,
)
_APPOSED = re.compile(
    r",\s+(?:an?|the|or) [^,;:.]{3,60},(?=\s+(?:when(?:ever)?|while|for|as|in|on|if)\b)", re.IGNORECASE
)
"""What a name is, put beside it: `a VPN, a private network, whenever …`."""
_MAKE_OUR = re.compile(
    r"^mak(?:e|ing) (?P<name>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z])[\w.+#-]*)?) (?P<role>(?:our|your|the) .+)",
    re.IGNORECASE,
)
_FITTED = re.compile(
    r"^(?:set(?:ting)? up|equip(?:ping)?|fit(?:ting)?) (?:your|the|our|a|every) (?:[\w-]+ )?"
    r"(?:workstation|workspace|desk|setup|machine|computer|environment) with (?:at least |up to )?",
    re.IGNORECASE,
)
"""What a place of work is to have: `set up your desk with two screens`."""
_QUANTITY = re.compile(
    r"^(?:at least |at most |no more than |up to |exactly |about )*(?:half|all|most|part) (?:of )?", re.I
)
_SO = re.compile(r"(?: more| very| as)? [a-z]+ly$")
_AFTER = (
    r"as|for|when(?:ever)?|while|in|on|at|during|but|because|to|that|which|unless|if|until|before|after|with|from|into|"
    r"under|within|every|per|without|by|via|through|across|throughout|only|inside|outside|out of|over|"
    r"between|(?:we|you)(?= (?:have|use|provide|offer|own|keep|maintain|support|run)\b)|and (?=use|"
    r"opt|go|switch|instead|rely|stick)|regularly"
)
_NEXT = re.compile(rf"\s+(?=(?:{_AFTER})\b)", re.IGNORECASE)
_OTHER = re.compile(
    rf",?\s+(?:instead of|rather than|over|and not|not)\s+(?:using |"
    rf"the )*.+?(?=\s+(?:{_AFTER.replace('over|', '')})\b|$)",
    re.IGNORECASE,
)
_AS = re.compile(r"\bas (?P<role>.+)", re.IGNORECASE)
_FOR = re.compile(r"\b(?:for|when|during) (?P<aim>.+)", re.IGNORECASE)
_BUT_USE = re.compile(
    r"(?:,| and| but)+(?: (?:instead|only|rather|to))*,? (?=(?:us(?:e|ing)|opt(?:ing)? for|"
    r"switch(?:ing)? to|go(?:ing)? with)\b)",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:when|whenever|while|if|for|as)\b", re.IGNORECASE)
_IN_ALL = re.compile(
    r"^(?P<what>.+?) (?:in|for|to|on|of|into|with) (?P<where>(?:every|all|each|any)\b.+)", re.IGNORECASE
)
_PLACED = frozenset(
    "store keep put save deploy host publish release upload send track work go write log commit push document run"
    " import export load build cache place ship backup back format render communicate force-push merge".split()
)
_TO_PLACE = re.compile(
    r"^(?P<what>.*?)\s*\b(?P<how>to|in|on|at|into|under|via|through|with|out of|inside) (?P<where>.+)", re.IGNORECASE
)
_NEAR = re.compile(r"(?:to|in|at|from|with|directly)\b|(?:\w+ly )?only\b|regularly", re.IGNORECASE)
_WITH = re.compile(r"^(?P<what>.+?) (?:with|by|after) (?P<affix>.+)", re.IGNORECASE)
_ONLY = re.compile(
    r"^(?P<what>.*?)\s*\b(?P<how>only (?:when|if|after|with) .+|(?:only )?when (?:\w+ )?(?:asked|"
    r"necessary|needed|required)|"
    r"unless .+|regularly|frequently|daily|weekly|monthly|often|rarely)$",
    re.IGNORECASE,
)
_AFFIXES = {"start": "start", "begin": "start", "prefix": "start", "end": "end", "finish": "end", "suffix": "end"}
_ARTICLE = re.compile(r"^(?:the|a|an|our|your|only) ", re.IGNORECASE)
_HOLDS = frozenset("include add put have write set give attach insert document".split())
_MUST = re.compile(
    r"^(?:(?P<all>every|all|each|any|the|our|your)\s+)?(?P<what>(?:[\w'-]+ ){0,3}?[\w'-]+) (?:(?:must|should|shall|has "
    r"to|have to|needs? to|may(?= not)|can(?=n't| not))(?P<no>n't| not| never| no longer)?(?: always)?|(?=(?:has|have|"
    r"includes?|contains?|carr(?:y|ies)|(?:begin|start|end)s?(?= with))\b)) ?(?P<verb>[a-z-]+) (?P<rest>.+)$",
    re.IGNORECASE,
)
_ROLE_OF = re.compile(
    r"^(?:the (?:use|usage) of |using )?(?P<what>[^,;:]+?) (?:is|are|has become|have become|will be|remains?)(?: now)?"
    r"(?P<no> no longer| not)? (?:"
    r"(?:(?:our|the|my|your)(?: (?:team|company)(?:'s)?)? )(?:new )?(?:preferred|main|primary|default|"
    r"standard|go-to|official)(?P<role>.*)|our (?:new )?(?P<tool>(?:[a-z-]+ ){0,3}(?:tool|system|platform|tracker|"
    r"editor|framework|assistant|database|language|library|broker|host))|"
    r"(?P<yes>mandatory|required|compulsory|obligatory|non-negotiable|"
    r"(?:\w+ly )?(?:encouraged|recommended|expected)|"
    r"a must|the way to go)"
    r"(?P<of> (?:for|in|on|before|with|when(?:ever)?) .+)?|"
    r"(?P<never>forbidden|prohibited|banned|"
    r"not (?:allowed|permitted)(?: any ?more)?|off[- ]limits|deprecated))$",
    re.IGNORECASE,
)
_BE_DONE = re.compile(
    r"^(?:(?:all|every|each|any|the|our)(?: of)?(?: the| our)? )*(?P<what>(?:[\w'-]+ ){0,3}?[\w'-]+) "
    r"(?:must|should|shall|"
    r"will|(?:is|are)(?P<not> not)? to|has to|have to|needs? to)(?P<no> not| never| no longer)?(?: only| always)? be"
    r"(?: only| always)? "
    r"(?P<done>[a-z-]+ed|written|kept|built|sent|put|set|run|made|taken|given|shown|held|done|drawn)\b(?P<rest> .+)?$",
    re.IGNORECASE,
)
_CARRIED_OUT = frozenset("held hosted conducted made taken done".split())
_AVOIDED = frozenset("avoided banned forbidden prohibited dropped".split())
_EVERY = frozenset("every each all any".split())
_TOOLISH = re.compile(
    r"\b(?:tools?|platforms?|systems?|frameworks?|librar(?:y|ies)|software|services?|databases?|VCS|IDE|editors?|"
    r"shell|runners?|managers?|assistants?|machines?|computers?|compilers?|hosts?|providers?|clouds?|brokers?|queues?|"
    r"formats?|protocols?|branch|branches)\b",
    re.IGNORECASE,
)
_HAVE = frozenset("has have include contain carry carrie".split())
_SPEAKERS = frozenset("i you we he she they it who that this there".split())
_LONGEST = 25


@dataclass(frozen=True, slots=True)
class StatedRequest:
    """A request as read: its normal form, whether words beside it ask for it, whether its form is that of a rule."""

    stated: NormalForm
    asks: bool
    sure: bool


def asked(sentence: str) -> StatedRequest | None:
    """Return the request that a sentence makes, in its own words; None where its grammar is none of the known ones.

    >>> one = asked("Going forward, I'd like you to use Zig for the parser instead of C.").stated
    >>> one.says, one.subject, one.value, one.negated
    ('Use Zig for the parser instead of C.', 'parser', 'zig', False)
    """
    unsure: StatedRequest | None = None
    for clause in clauses(sentence):
        found = _read(clause)
        if found and found.subject and len(found.says.split()) <= _LONGEST:
            read = StatedRequest(found, clause.asks, _is_sure(found))
            if read.sure:
                return read
            unsure = unsure or read
    return unsure


def _is_sure(stated: NormalForm) -> bool:
    """Say whether a request is for something that can be kept to: not an everyday verb with nothing but its object."""
    verb = stated.says.removeprefix("Never ").split()[0].casefold().rstrip(".")
    return verb not in COMMON or stated.value != "do"


def _read(clause: Clause) -> NormalForm | None:
    text, negated, left = clause.text, clause.negated, False
    text = re.sub(r"^(?:do not|don't|never) (?=forget|hesitate|fail)\w+ to ", "", text, flags=re.IGNORECASE)
    while True:
        if found := _NEUTRAL.match(text):
            text = text[found.end() :]
        elif found := _NOT.match(text):
            text, negated = text[found.end() :], not negated
        elif found := _LEAVE.match(text):
            text, negated, left = text[found.end() :], not negated, True
        else:
            break
    if negated and (found := _BUT_USE.search(text)):
        text, negated, left = text[found.end() :], False, False
    text = _FITTED.sub("use ", text)
    text = plainer(text)
    text = _MAKE_OUR.sub(r"use \g<name> as \g<role>", _APPOSED.sub("", text))
    end = _END.search(text)
    text = text[: end.start()].strip() if end else text
    if not text:
        return None
    text = f"{text} {clause.when}" if clause.when and not _WHEN.search(text) else text
    return (
        _used(text, negated, left=left)
        or _done(text, negated)
        or _must(text, negated, asks=clause.asks)
        or _passive(text, negated)
        or _role_of(text, negated)
    )


def _worded(verb: str, rest: str, subject: str, value: str, negated: bool) -> NormalForm:
    words = f"{verb} {rest}".strip()
    says = f"Never {words[:1].lower()}{words[1:]}." if negated else f"{words[:1].upper()}{words[1:]}."
    return NormalForm(subject, value, negated, says, key_of(subject, value), known=False)


def _used(text: str, negated: bool, *, left: bool) -> NormalForm | None:
    """Read `use X as Y`, `avoid X`: what is used, for what."""
    verb = _USE.match(text)
    first = text.split(" ", 1)[0].casefold()
    if not verb and (not left or first in VERBS or first.endswith("ing")):
        return None
    rest = text[verb.end() :] if verb else text
    plain = _OTHER.sub("", rest)
    what, tail = _parted(plain)
    what = _SO.sub("", what)
    if not is_concrete(_QUANTITY.sub("", what)):
        return None
    subject, value = _used_for(what, tail)
    rest = rest.replace(" into ", " in ", 1) if _INTO.match(verb[0] if verb else "") else rest
    return _worded(_verb_of_use(verb[0] if verb else ""), rest, subject, value, negated) if subject else None


def _verb_of_use(verb: str) -> str:
    """Return the verb under which a thing is to be used: its own, where that says more than to use it."""
    word = verb.casefold()
    return next((base for start, base in _MORE.items() if word.startswith(start)), "use")


def _parted(text: str) -> tuple[str, str]:
    found = _NEXT.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _used_for(what: str, tail: str) -> tuple[str, str]:
    role, aim = _AS.search(tail), _FOR.search(tail)
    whole = plain_tool(_whole(what))
    kind = _parted(role["role"])[0] if role else ""
    if known := kind_of(whole) or kind_of(f"{whole}s"):
        aimed = noun(_parted(aim["aim"])[0]) if aim else ""
        if known == "communication" and re.search(r"\bvideo[- ](?:call|conferenc|meeting)", tail, re.IGNORECASE):
            return "video-call", whole
        return aimed if known in SEVERAL and aimed.endswith(f"-{known}") else known, whole
    if role and not is_tool(kind):
        return plain_role(noun(kind)), whole
    aimed = noun(_parted(aim["aim"])[0]) if aim else ""
    if aimed and (role or is_name(what)) and is_concrete(aim["aim"] if aim else ""):
        return plain_role(aimed), whole
    return noun(what), quality(what) or "use"


def _whole(what: str) -> str:
    """Return the words of a phrase as one; a name as it is."""
    bare = _ARTICLE.sub("", what)
    return named(bare) if is_name(bare) else named("-".join(words_of(what)))


def _done(text: str, negated: bool) -> NormalForm | None:
    """Read `write X in every Y`, `store X in Y`, `start X with Y`, `take X every N minutes`: what is done."""
    first, _, rest = text.partition(" ")
    verb = VERBS.get(first.casefold(), "")
    if not verb or not rest or rest.startswith("in mind"):
        return None
    plain = _OTHER.sub("", rest)
    number = much(plain)
    counted = number is not None and (number[1] == "part" or is_concrete(number[1]))
    if not (counted or is_concrete(_parted(plain)[0]) or (verb in _PLACED and _NEAR.match(plain))):
        return None
    subject, value = _form(verb, plain, negated)
    return _worded(verb, rest, subject, value, negated) if subject else None


def _form(verb: str, rest: str, negated: bool) -> tuple[str, str]:
    if verb in _AFFIXES and (found := _WITH.match(rest)):
        return noun(found["what"]), f"{_AFFIXES[verb]}:{_flat(found['affix'])}"
    if verb == "name" and (found := _WITH.match(rest)):
        return noun(found["what"]), f"name:{_flat(found['affix'])}"
    if number := much(rest):
        value, unit, without = number
        return _joined(verb, _NOT_COUNTED.sub(" ", f"{_parted(without)[0]} {unit}")), value
    if verb == "take" and (every := _ALL_DAYS.match(rest)):
        return _joined(verb, _NOT_COUNTED.sub(" ", every["what"])), "all"
    if found := _IN_ALL.match(rest):
        what = f"{noun(found['what'])}-in-{noun(_parted(found['where'])[0])}"
        return (what, "use") if verb in _HOLDS else (f"{verb}-{what}", "do")
    if found := _ONLY.match(rest):
        return _joined(verb, found["what"]), _flat(found["how"])
    if verb in _PLACED and not negated and (found := _TO_PLACE.match(rest)):
        where = _parted(found["where"])[0]
        if (
            is_concrete(where)
            and (verb != "go" or _ARTICLE.match(where))
            and not where.split()[0].endswith("ing")
            and (verb != "work" or found["how"] != "on")
        ):
            away = "out-of-" if found["how"] == "out of" else ""
            return _joined(verb, found["what"]), f"{away}{_flat(where)}"
    what, tail = _parted(rest)
    if verb not in COMMON and (value := quality(what)):
        return noun(what), value
    return _joined(verb, what, tail), "do"


_NOT_COUNTED = re.compile(r"\b(?:short|quick|brief|or so|year|part|each|allotted)\b", re.IGNORECASE)
"""Words beside a number that make no other subject of it: `a short break every 50 minutes or so`."""
_ALL_DAYS = re.compile(
    r"all (?:of )?(?:your |the |our )?(?P<what>(?:[\w-]+ ){0,3}(?:days|hours|weeks))\b", re.IGNORECASE
)


def _joined(*phrases: str) -> str:
    return named("-".join(word for each in phrases for word in words_of(each)))[:60].strip("-")


def _flat(phrase: str) -> str:
    return _whole(phrase.strip("'\"`"))[:60].strip("-") or named(phrase)


def _must(text: str, negated: bool, *, asks: bool) -> NormalForm | None:
    """Read `every X must begin with Y`, `each X has Y`: what is so of all."""
    found = _MUST.match(text)
    if not found or found["what"].split()[0].casefold() in _SPEAKERS or not is_concrete(found["what"]):
        return None
    verb, rest, no = (
        found["verb"].casefold().removesuffix("s" if found["verb"] != "has" else "\0"),
        found["rest"],
        bool(found["no"]),
    )
    if verb not in {*VERBS, *_HAVE, "be"} or found["what"].split()[0].casefold().endswith("ing"):
        return None
    every = (found["all"] or "").casefold() in (_EVERY | {"your", "our"} if asks else _EVERY)
    if verb not in _AFFIXES and (not (every or (no and verb == "be")) or (verb in _HAVE and not asks)):
        return None
    subject, value = _held(found["what"], verb, rest)
    words = text[:1].upper() + text[1:]
    stated = NormalForm(subject, value, negated != no, f"{words}.", key_of(subject, value), known=False)
    return replace(stated, says=f"Never: {words}.") if negated else stated


def _passive(text: str, negated: bool) -> NormalForm | None:
    """Read `X should be used for Y`, `X are to be deleted after Y`, `X will be sent via Y`."""
    found = _BE_DONE.match(text)
    if not found or found["what"].split()[0].casefold() in _SPEAKERS or not is_concrete(found["what"]):
        return None
    what, done, rest = found["what"], found["done"].casefold(), (found["rest"] or "").strip()
    denied = negated != bool(found["no"] or found["not"] or done in _AVOIDED)
    if done in {"used", *_AVOIDED}:
        subject, value = _used_for(what, rest)
    else:
        where = _TO_PLACE.match(rest)
        subject = plain_role(noun(what)) if where and done in _CARRIED_OUT else _joined(what, done)
        value = _flat(where["where"]) if where else "do"
    words = text[:1].upper() + text[1:]
    return NormalForm(subject, value, denied, f"{words}.", key_of(subject, value), known=False) if subject else None


def _held(what: str, verb: str, rest: str) -> tuple[str, str]:
    if verb in _AFFIXES and rest.casefold().startswith("with "):
        return noun(what), f"{_AFFIXES[verb]}:{_flat(rest[5:])}"
    if verb in _HAVE:
        return f"{noun(_parted(rest)[0])}-in-{noun(what)}", "use"
    if number := much(rest):
        return _joined(what, number[1]), number[0]
    if verb == "be":
        return noun(what), f"is={_flat(rest)}"
    return (noun(what), f"{verb}={_flat(rest)}") if verb in ADDITIVE else (_joined(what, verb), _flat(rest))


def _role_of(text: str, negated: bool) -> NormalForm | None:
    """Read `X is our preferred Y`, `X is mandatory`: what a tool is here."""
    found = _ROLE_OF.match(text)
    if not found or found["what"].casefold() in _SPEAKERS or not is_concrete(found["what"]):
        return None
    what, role = found["what"], found["role"] or (f" {found['tool']}" if found["tool"] else "")
    denied = negated != bool(found["no"] or found["never"])
    if not found["yes"] and not found["never"]:
        if not (is_name(_ARTICLE.sub("", what)) and (_TOOLISH.search(role) or kind_of(_whole(what)))):
            return None
        subject, value = _used_for(what, f"as {role.strip()}" if role.strip() else "")
        return _worded("use", f"{what} as the{role}" if role.strip() else what, subject, value, denied)
    subject, value = noun(what), quality(what) or "use"
    return NormalForm(subject, value, denied, f"{text[:1].upper()}{text[1:]}.", key_of(subject, value), known=False)
