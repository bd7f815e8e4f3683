"""Whether what a sentence asks for, on any topic, is asked for as a rule: for good, of all, of those who listen."""

import re
from enum import IntEnum
from functools import lru_cache

from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.clauses import StatedRequest, asked
from verifflowcc.memory.rules.code_names import NormalForm, key_of, named, noun
from verifflowcc.memory.rules.tool_kinds import kind_of, plain_role, plain_tool, word_for

# How a sentence asks for something: as a rule that lasts, as a wish, as an order, or not at all.


class Force(IntEnum):
    """How a sentence makes a rule: not, by its verb alone, by telling what is done, in words, or for good."""

    NONE = 0
    BARE = 1
    PRACTICE = 2
    WORDED = 3
    LASTING = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """The force of a sentence, and from which character on it says what is asked for."""

    force: Force
    start: int = 0


_NOTHING = Frame(Force.NONE)
_LASTING = re.compile(
    r"\bthe team (?:has |have )?(?:decided|agreed|chosen)\b|"
    r"\b(?:from (?:now|here|today|this point|this moment) on(?:wards?)?|(?:going|moving) forward|"
    r"henceforth|as of (?:now|today)|(?:starting|beginning|effective) (?:today|now|tomorrow|immediately|(?:this|"
    r"next) \w+)|"
    r"always|never|at all times|every time|whenever|by default|as a rule|in (?:the )?future|no longer|"
    r"any ?more|effective immediately|without exception|consistently|habit|permanently|"
    r"(?:we|(?:the|our) team)(?:'ve| have| has)?(?: (?:actually|also|just|officially|fully|now|all))? "
    r"(?:decided|agreed|settled|chosen|switched|migrated|moved|adopted|transitioned to|"
    r"standardi[sz]ed|picked|made the decision|"
    r"been (?:shifting|moving|switching|transitioning) to)|we(?:'re| are) (?:now )?(?:switching|moving|"
    r"adopting|changing|updating|migrating|transitioning|shifting|standardi[sz]ing)|"
    r"(?:our|the|this|team|company|new|coding|naming) (?:\w+ )?(?:standard|convention|policy|rule|"
    r"practice|guideline)s?)\b",
    re.IGNORECASE,
)
_OF_YOU = r"\byou(?:'re| are|'ll be| will be)(?: all| now| also)* (?:expected|required|asked|instructed|obliged) to\b"
_RULE_IS = r"\b(?:the|our|my) (?:new )?(?:rule|policy|request|advice) (?:here )?is ?:"
_OWN_WORDS = (
    r"\bwhat (?:I|we)(?:'d like| want| need| expect| ask)\b[^.,;:]{0,30} is\b|\b(?:I|we) (?:insist|demand|ask) that "
    r"(?:you|we)\b|\bprefer it if you\b|\bchanged my mind\b|\bcontrary to\b|"
    r"\b(?:want|like|need|have) to (?:update|revise|correct) my\b"
)
_HAVE_ALL = (
    r"\bhave (?:you|everyone|everybody|(?:all )?(?:us|the team|our team)) (?:start|stop|use|switch|move|adopt)\b"
)
_WORDED = re.compile(
    r"\b(?:I|we)(?:'d|'ll| would| will| really| also| do| now|'m now|'m| just| only| strongly| always|"
    r" don't| do not| never)* (?:want|need|like|love|expect|ask(?:ing)?|require|prefer|recommend|suggest|"
    r"advise|encourage|urge|insist)(?:ing)?"
    r"(?: that)? (?:you|your|everyone|us|all|every|each|any|the team|our|developers|engineers|for you|"
    r"to (?:start|see|emphasi[sz]e|stress|remind|suggest|recommend|propose|ask|adopt|use|standardi[sz]e|implement|"
    r"make sure|ensure|"
    r"transition|switch|shift|move|introduce you))\b|"
    r"\b(?:I|we)(?:'d| would)? (?:(?:now|also|really|strongly) )*(?:recommend|suggest|advise|insist on|"
    r"advocate|prefer (?:(?:[\w-]+ ){1,4}to (?:start|end|begin|be|have|include|use|contain)|using|that|if|"
    r"you|"
    r"we|for|our|the|all|to (?:see|have)))\b|"
    r"\byou're (?:not )?(?:to|allowed to|permitted to|expected to|required to)\b|\bI'm (?:now |also |"
    r"\w+ly )*(?:recommending|"
    r"suggesting|asking)\b|"
    r"\byou(?:'ll| will)?(?: all| also| always)? (?:should|must|need to|have to|are to|ought to|"
    r"are (?:expected|required|encouraged|asked|not allowed|not permitted|not) to|can no longer|may not|can't|"
    r"cannot)\b|"
    r"\b(?:please|make sure|be sure|ensure|remember|don't forget|do not forget|keep in mind|see to it|"
    r"take care|aim (?:to|for)|strive to|try to)\b|"
    r"\b(?:let's|let us)\b|"
    r"\bwe(?:'ll| will)?(?: all| also| only| exclusively)* (?:require|avoid|standardi[sz]e|make sure)\b|"
    r"\bwe(?:'re| are)(?: now| all| also| going to| currently)* (?:us(?:e|ing)|start|stop|switch|adopt|transition|"
    r"move|implement(?:ing)?|"
    r"enforc(?:e|ing)|require|requiring|adding|introduc(?:e|ing)|standardi[sz](?:e|ing)|asking)\b|"
    r"\bit(?:'s| is)(?: also| really| very| quite| absolutely| now)* (?:important|essential|crucial|vital|"
    r"best|mandatory|necessary|imperative|critical|required|better|a good (?:idea|practice|habit)|"
    r"good practice|best practice)\b|"
    rf"{_OF_YOU}|"
    r"\bwhat (?:I|we)(?:'d like| want| need| expect| ask)\b[^.,;:]{0,30} is (?:that (?:you|we)|for you to|to)?\b|"
    rf"\b(?:I|we) (?:insist|demand|ask) that\b|{_RULE_IS}|"
    r"\b(?:I|we)(?:'d| would)? prefer it if you\b|\b(?:I|we) no longer want\b|\byou (?:shouldn't|mustn't)\b|"
    r"\b(?:one|another) (?:more )?(?:thing|rule|request|requirement|expectation|policy|convention)\b[^.,;:]{0,40} is "
    r"(?:that (?:you|we)|to)\b|"
    r"\b(?:I|we)(?:'d| would) like (?!to\b)|\b(?:advise|ask|encourage|urge|remind|request|require|"
    r"instruct|tell|recommend) you\b|\bwe(?:'ll| will)(?: now| all| no longer| not)* be (?:using|switching|"
    r"adopting|starting|adding|moving|ending|naming|transitioning)\b|\b(?:we|you) won't (?:be )?(?:use|using|need)\b|"
    r"\b(?:we|I)(?:'ve| have) (?:made the decision|chosen|picked|opted)\b|\b(?:of choice|is now (?:our|the)|"
    r"will be (?:our|the)|will now be)\b|\bI'd rather (?:you|we)\b|\bwe (?:don't|do not) allow\b|"
    r"\b(?:my|our) (?:\w+ )?(?:advice|recommendation|request|rule|expectation) (?:here )?is\b|"
    r"^no (?!prob|worries|need|doubt|matter|rush|one|way|thanks|idea|wonder|question)\w+|\b(?:step|"
    r"thing|way|key|point|habit|approach)\b[^.]{0,40} is (?:to|using|the use|including|adding)\b|"
    r"\bit (?:would|might|'d|could) be (?:beneficial|good|best|better|helpful|great|useful|wise|"
    r"more \w+)\b|\bwould be (?:beneficial|best|better|ideal|great)\b|"
    r"\b(?:appreciate (?:it )?if you|kindly|you(?:'ll| will) want to|we(?:'re| are) banning|(?:is|are) to be|lean on|"
    r"make use of|non-negotiable|the way to go|a must|we have an? (?:\w+ )?(?:policy|rule|convention)|"
    r"it(?:'s| is) our (?:\w+ )?(?:policy|rule|convention|practice))\b|"
    r"\b(?:names?|functions|methods|classes|variables|attributes|arguments) needs? to\b|"
    r"\b(?:has|have) become (?:our|the)\b|\b(?:our|the) adoption of\b|\bintroduc(?:e|ing) you to\b|"
    r"\b(?:instruction|guideline|rule|directive|convention|standard|practice)s?\b[^.]{0,40}\b(?:is|"
    r"are) to\b|"
    r"(?:^|[,:;] |\b(?:and|so|please|but) )(?:do not|don't|avoid|refrain from|stop|steer clear of|"
    r"stay away from) (?!hesitate|worry|"
    r"forget|be\b|feel|let|think|mind|know|see|need|want|skip|by\b)|"
    r"\bwe (?:do not|don't|never|avoid)\b|\bis (?:to )?(?:avoid|refrain)\b|"
    rf"{_HAVE_ALL}|"
    r"\b(?:should|must|shall)(?: not| never| always| all| only)?\b|\b(?:has|have) to\b|"
    r"\b(?:emphasi[sz]e|stress|remind you|importance of|the (?:use|usage) of|stick (?:to|with)|instead|"
    r"(?:would be|is|are) (?:the |our |your |my )?(?:ideal|best|preferred|go-to|default|standard|main|"
    r"primary)|required|mandatory|prohibited|forbidden|not allowed|instruct(?:ion)?s?)\b",
    re.IGNORECASE,
)
_PRACTICE = re.compile(
    r"\bwe(?:'ll| will)?(?: all| also| only| primarily| usually| generally| exclusively| mostly| mainly|"
    r" currently| do| typically)* (?:use|follow|stick|don't use|do not use|start|end|name|prefix|suffix|"
    r"import|write|include|add|adopt|implement|rely|run|keep|deploy|store|have|maintain|place|put|go with|"
    r"uphold)\b",
    re.IGNORECASE,
)
_VERB = (
    r"use|start|begin|end|include|add|avoid|stop|always|never|do not|don't|import|name|prefix|suffix|"
    r"write|prefer|keep|annotate|"
    r"ensure|make|incorporate|employ|utili[sz]e|switch|refrain|implement|apply|adopt|document|comment|"
    r"follow|stick|set|take|"
    r"go|work|commit|communicate|decorate|put|insert|end|finish|append|opt|rely|focus|store|run|format|"
    r"wrap|give|treat|limit|only|no|prepend|tack|attach|update|rename|adjust|"
    r"replace|remove|drop|skip|consider|continue|move|bring|return|call|create|log|test|pin|quote|sort|"
    r"throw|raise|validate|handle|answer|reply|respond|explain|show|speak|talk|be"
)
_LEAD = (
    r"(?:(?:and|also|so|then|now|next|just|please|again|yes|no|ok(?:ay)?|well|but|plus|likewise|similarly|"
    r"finally|lastly|additionally|"
    r"furthermore|moreover|instead|remember|first(?:ly)?(?: of all| and foremost)?|second(?:ly)?|"
    r"third(?:ly)?|another thing|one more thing|"
    r"great|good|perfect|excellent|right|exactly|(?-i:[A-Z])\w+(?=,)|for [^,]{2,50}|when [^,]{2,70}|"
    r"as for [^,]{2,50}|regarding [^,]{2,50}|in [^,]{2,50}|whenever [^,]{2,60}|"
    r"if [^,]{2,60}|to [^,]{2,60}|with [^,]{2,40})[,:!.]?\s+)"
)
_LATE = (
    r"use|start|begin|end|include|add|avoid|always|never|do not|don't|make|ensure|keep|name|import|write|prefix|"
    r"stick|follow|remember|opt|switch"
)
_BARE = re.compile(
    rf"^(?:{_LEAD}){{0,4}}(?P<verb>{_VERB})\b(?!['’]|\s*(?:is|are|was)\b)|[,:;]\s*(?:(?:and|please|so|just|"
    rf"also|then)\s+)*(?P<late>{_LATE})\b(?!ing)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\bI(?:'\w+)? \w+|\bI'(?:ll|ve|m|d)\b|\b(?:will do|we'll|it'll|let me|my (?:plan|goal|approach))\b", re.IGNORECASE
)
_YOU = re.compile(
    r"\b(?:want|need|like|expect|ask(?:ing|ed)?|require|prefer|recommend|suggest|advise|encourage|urge|"
    r"love|remind|instruct|request(?:ing)?|give|tell)(?:ing)?(?: that)?(?: for)? (?:you|your|everyone|every|each|"
    r"everybody|all|us|we|the team|our)\b|"
    r"\b(?:I|we)(?:'d| would)? (?:like|want|need)(?: to)? (?:see|emphasi[sz]e|stress|remind|suggest|recommend|"
    r"propose|ask|request|update|make|"
    r"start|add|introduce|implement|go over|use|adopt|discuss|talk)\b|"
    r"\bto (?:emphasi[sz]e|stress)\b|\bI (?:also )?(?:want|need) (?:all|to make sure|to emphasi[sz]e)\b|"
    r"\bI(?:'d| would)?(?: now| also| strongly)* (?:recommend|suggest|advise|prefer (?:(?:[\w-]+ ){1,4}to (?:start|"
    r"end|begin|be|"
    r"have|include|use|contain)|using|that|if|you|we|for|our|the|all|"
    r"to (?:see|have)))\b|\bI(?:'ve| have) decided\b|\bI have for you\b|\bimportance of\b|\b(?:reinforce|"
    r"highlight)\b|\b(?:I|we)(?:'d| would) like (?!to\b)|\b(?:advise|ask|encourage|urge|remind|request|"
    r"require|instruct|tell|recommend) you\b|[,:;-] (?:always|never|do not|avoid|use|start|end|include|"
    r"add)\b|\bwe(?:'ll| will)(?: no longer| not| now| all)* be \w+ing\b|\bI'd rather (?:you|we)\b|\bit (?:would|"
    r"might|'d|could) be \w+ (?:to|if|for)\b|\bintroduc(?:e|"
    r"ing) you to\b|\b(?:transition|switch|shift|move) to\b|\bthat (?:you|we|developers|"
    r"engineers) (?:should|must|need|always|never|use|start|end|add|include|avoid|do not|don't|have|take|"
    r"are|work|set|utili[sz]e|write|keep|make|consistently|only|adopt|follow)\b|\bwe've\b|"
    r"\bI(?: \w+)? (?:want|need) (?!to\b)|\bone of (?:the|our) [^.,;:]{3,60}? is\b|"
    r"\bhave (?:the team|everyone|everybody|you) (?:start|stop|use)\b|\bour adoption of\b|"
    rf"{_OWN_WORDS}|\bno longer want you\b|"
    r"\b(?:thing|rule|request|requirement|expectation|policy|convention) (?:that )?(?:I|we) [a-z ]{2,20} is\b|"
    r"\b(?:my|our) (?:\w+ )?(?:advice|recommendation|request|rule|expectation) (?:\w+ )?is\b|"
    r"\bemphasi[sz]ing the use\b|\bappreciate (?:it )?if you\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:as you (?:said|mentioned|told|instructed|suggested|asked|recommended)|you (?:said|mentioned|"
    r"told|asked|suggested|instructed|recommended|wanted)|"
    r"(?:I|we) (?:told|asked|said|mentioned|instructed|suggested|discussed|talked|used to|previously)|"
    r"(?:I|we)(?:'d|'ve| had| have) (?:previously|told|mentioned|discussed|asked|said)|"
    r"last (?:time|week|month|session|meeting)|our (?:last|previous) (?:conversation|discussion|meeting|session))\b",
    re.IGNORECASE,
)
_TO_YOU = re.compile(
    r"\b(?:you (?:should|must|need|always|never|use|have to)|remind you|to emphasi[sz]e|to stress|"
    r"I recommend|recommend you|(?:important|crucial|essential|vital|imperative) (?:that|to))\b",
    re.IGNORECASE,
)
_NEWER = re.compile(
    r"\b(?:now|from (?:now|here|today)|going forward|moving forward|instead|update|change|chang(?:ed|ing)|contrary to|"
    r"adjust\w*|revis\w*|amend\w*|new|want you|need you|like you|switch\w*|but|however)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:(?:and|so|also|[A-Z]\w+),? )?(?:can|could|would|will) (?:you|we)(?: please| all)?\b(?! (?:tell|"
    r"explain|elaborate|share|give|help|provide|clarify|describe|imagine|believe|recommend|walk|show))",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",? *(?:okay|ok|alright|all right|right|got it|understood|is that clear|does that make sense|"
    r"can you do that|please|agreed)\?$",
    re.IGNORECASE,
)


_EXPLAINS = re.compile(
    r"^(?:and |so )?by (?:[a-z]+ly )?[a-z]+ing\b[^,]{0,60}, (?!.*\b(?:must|should|want|need|please|from now)\b)",
    re.IGNORECASE,
)
"""What a rule is good for: `by using X, we ensure that all calls are typed`."""


@lru_cache(maxsize=256)
def frame(sentence: str) -> Frame:
    """Return how a sentence asks for something.

    >>> frame("From now on, use tabs.").force.name, frame("I'll use tabs from now on.").force.name
    ('LASTING', 'NONE')
    """
    if sentence.endswith("?") and not _ASKED.match(sentence) and not _TAG.search(sentence):
        return _NOTHING
    if _EXPLAINS.match(sentence):
        return _NOTHING
    lasting, worded, bare = _LASTING.search(sentence), _WORDED.search(sentence), _BARE.search(sentence)
    practice = None if lasting or worded or bare else _PRACTICE.search(sentence)
    if practice:
        return Frame(Force.PRACTICE, practice.start())
    if not (lasting or worded or bare):
        return Frame(Force.WORDED) if _ASKED.match(sentence) else _NOTHING
    if _REPORT.search(sentence) and not (_NEWER.search(sentence) or _TO_YOU.search(sentence)):
        return _NOTHING
    start = min(each.start() for each in (lasting, worded, bare) if each)
    own = _OWN.search(sentence)
    if own and not _YOU.search(sentence) and own.start() <= max(start, 40):
        return _NOTHING
    if lasting and (worded or bare):
        return Frame(Force.LASTING, start)
    if lasting:
        return Frame(Force.LASTING, start)
    return Frame(Force.WORDED, start) if worded else Frame(Force.BARE, start)


_NOW_ONLY = re.compile(
    r"\b(?:yet|for now|this time|right now|just this|at the moment|(?<!starting )(?<!beginning )(?<!effective )"
    r"(?:today|tomorrow)|tonight|"
    r"by (?:the end|(?:mon|tues|wednes|thurs|"
    r"fri)day))\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    rf"{_OF_YOU}|{_OWN_WORDS}|{_RULE_IS}|"
    r"\b(?:rule|policy|request|requirement|expectation|thing (?:that )?(?:I|we) "
    r"\w+)\b[^.,;]{0,40} is (?:that|to)\b|"
    r"\b(?:my|our) (?:\w+ )?(?:advice|recommendation|request|rule|expectation) (?:\w+ )?is (?:to|that)\b|"
    r"\b(?:I|we)\b[^.,;]{0,24}\b(?:want|need|like|expect|ask|require|prefer|recommend|encourage|urge|"
    r"advise)(?:ing)? (?:for )?(?:that )?"
    r"(?:you|your|us|every|each|everyone|everybody|all|the team|our|developers)\b|\b(?:must|never|mandatory|no longer|"
    r"not (?:allowed|permitted)|forbidden|prohibited|we require|"
    r"preferred|primary|(?:make sure|ensure)(?: that)? you|it would be|policy|convention|appreciate|kindly|way to go|"
    r"a must|non-negotiable|(?:must|should|shall|has to|have to|is to|are to) (?:not |never |only |always )?be|"
    r"standard)\b|\b(?:switching|moving|transitioning) (?:\w+ )?(?:from|to)\b|^no \w|"
    r"\b(?:important|crucial|essential|vital|imperative) that (?:you|we|everyone)\b|\bI'd (?:rather|"
    r"prefer if) (?:you|we)\b|"
    r"\b(?:recommend|suggest|advise)(?:ing)? (?:you|against|using)\b|\bstarting (?:today|tomorrow|now)\b|"
    r"\b(?:emphasi[sz]e|stress|reinforce|highlight|remind you of) (?:\w+ )?the (?:importance of \w+ing|"
    rf"us(?:e|age) of)\b|{_HAVE_ALL}",
    re.IGNORECASE,
)
_MERELY = re.compile(
    r"^(?:\w+, )?we (?:typically|usually|generally|mostly|currently|mainly) |"
    r"\b(?:important|crucial|essential|better|best|we want|helps?|helping|empowers?|order|us|able) to (?:\w+ )?avoid\b|"
    r"\bevery \w+ (?:counts|matters)\b|\bfor your (?:first|next) (?:task|assignment|project)\b|\bextensively\b|"
    r"\bstart with (?:an? )?(?:simple|small|basic)\b|"
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
    r"^(?:for|when it comes to) [^,]{3,40}, we(?:'ll)? (?:only |exclusively |always )?(?:use|rely on|go with|"
    r"stick (?:to|with))"
    r" (?-i:[A-Z])\w|\bwe(?:'ll)? use (?-i:[A-Z])[\w.-]*(?: (?-i:[A-Z])[\w.-]*)? (?:exclusively|only)\b|"
    r"\bis (?:our|my) (?:preferred|main|primary|default|standard|official|go-to)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^(?:something like|for (?:example|instance)|such as|e\.g\.)", re.IGNORECASE)
_IN_GENERAL = re.compile(
    r"\w+ (?:up )?(?:your|(?:an? )?(?:new|more \w+|appropriate|proper)) [\w-]+(?: [\w-]+)?\.$",
    re.IGNORECASE,
)
"""Advice that names nothing to keep to: `use your creative side`, `implement a new standard`."""
_IS_ADVICE = re.compile(
    r"\bit(?:'s| is)(?: \w+)? (?:important|essential|crucial|vital|best|better|critical|helpful) to "
    r"(?!never\b|emphasi|stress|avoid\b)|"
    r"\b(?:clear|clearly|effective|effectively|good|better|proper|meaningful|healthy|strong|positive|"
    r"comprehensive|open|"
    r"thorough|thoughtful|constructive)\b(?! of\b)",
    re.IGNORECASE,
)
"""What is good anywhere, and waits for a person where people talk: `it is better to ask`, `have a clear agenda`."""
_AIMS = re.compile(
    r"\b(?:we|I) want (?:our|your|the|all) (?:[\w-]+ ){1,4}?to (?:be|feel|look|remain|stay)\b|"
    r"\b(?:we|I) (?:do not|don't) want (?:any|to (?:see|have|risk))\b|\bfocus(?:ing)? (?:more |only )?on\b|"
    r"\b(?:effectively|efficiently|properly|thoroughly|carefully|extensively|respectfully|professionally)\b|"
    r"^(?:\w+, )?every \w+ (?:counts|matters)\b|\bhelps? (?:to )?(?:maintain|keep|avoid|ensure|build|foster)\b",
    re.IGNORECASE,
)
"""What is wished for, and says of nothing how it is done: `we want our code to be readable`, `focus on quality`."""
_BEGINS_WITH = re.compile(r"\b(?:begin|start|end)s? with\b", re.IGNORECASE)
_MAINLY = re.compile(r"\bwe(?:'re| are)? (?:primarily|mainly) (?:use|using) (?!.* as (?:our|the)\b)", re.IGNORECASE)
"""What is used most leaves room for something else."""
_FOR_GOOD = re.compile(
    r"\b(?:from (?:now|here|today|this (?:point|moment)) on(?:wards?)?|(?:going|moving) forward|henceforth|"
    r"effective immediately|for (?:all|any|every) (?:of )?(?:our |your )?future)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\b(?:every|each|all|any|anything|everything|only)\b", re.IGNORECASE)
_UNIVERSAL = re.compile(r"\b(?:every|each|never|regularly)\b", re.IGNORECASE)
_NOT_ALONE = re.compile(
    r"\b(?:this(?! (?:project|repo|repository|codebase|team|company|service|package))|these|those|them|there)\b",
    re.IGNORECASE,
)
_A_TASK = re.compile(r"\b(?:implement|set(?:ting)? up|embrac|choos|integrat|work(?:ing)? on)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """A rule that is asked for: `lasting`, for good or of all; `passing`, where it may be meant for this once only."""

    stated: NormalForm
    lasting: bool
    passing: bool = False


_INTRODUCED = re.compile(
    r"\b(?:introduc\w+|familiari[sz]\w+|get to know|start using|switch\w* to|transition\w* to|use|using|"
    r"adopt\w*|rely\w* on|go with)\b"
    r"[^.;:]{0,40}?\b(?:our|a|an|another|the) (?P<role>(?:[a-z-]+ ){0,3}(?:tool|system|platform|assistant|editor|"
    r"framework|software|tracker|IDE|database|provider|broker|library))"
    r"(?: that we (?:use|rely on|have)[^,]{0,20}|(?: (?:that|which|we)\b[^,.:;–—]{0,40}?)? as (?:our|the|your) "
    r"(?:(?:new|preferred|main|primary|default|standard|official|go-to) )?(?P<as>[a-z][a-z -]{2,40}?)"
    r"(?: (?:from now on|(?:going|moving) forward))?(?= ?[:–—-])|"
    r" (?:that|which|we)\b[^,.:;–—]{0,50}(?= ?[:–—]))?(?:,|:| ?[–—-]+)? (?:called |named )?"
    r"(?P<name>(?-i:[A-Z])[\w.]*(?: (?-i:[A-Z])[\w.]*)?)(?=[,.!]|$| (?:for|as|to|and)\b)",
    re.IGNORECASE,
)


_NAME = r"(?P<name>(?-i:[A-Z])[\w.+#]*(?: (?-i:[A-Z])[\w.+#]*){0,2})"
_ROLE = (
    r"(?P<role>(?:[a-z-]+ ){0,3}?(?:tools?|platforms?|systems?|assistant|editor|framework|software|IDE|tracker|"
    r"database|"
    r"provider|broker|library))"
)
_RANK = r"(?:(?:new|preferred|main|primary|default|standard|official|go-to|chosen) )?"
_IN_ROLE = re.compile(
    rf"^(?:[^,]{{2,40}}, )?(?:and |so |also )?(?:our|the) {_RANK}{_ROLE}(?: of choice| (?:that )?(?:we use|we'll use|"
    rf"we'll be using|you "
    rf"should use|I'd like you to use)(?: here)?)? (?:is|will be|has changed to)(?: now| going to be)? "
    rf"{_NAME}(?=[,.!]|$)|"
    rf"^(?:[^,]{{2,40}}, )?{_NAME.replace('name', 'name2')} (?:is|will be|has become)(?: now| going to be)? (?:our "
    rf"{_RANK}|the )"
    rf"{_ROLE.replace('role', 'role2')} (?:of choice|(?:that )?(?:we use|you should use|you'll use|you'll be using|"
    rf"I'd like you to "
    rf"use|I want you to use))(?= (?:for|here|from|going|moving)\b|[,.!]|$)|"
    rf"^(?:as|for) (?:your|our|the) {_RANK}{_ROLE.replace('role', 'role5')}, (?:(?:you|we)(?:'ll| will) (?:be "
    rf"using|use)|"
    rf"(?:please )?use|I'd like you to use|we use) {_NAME.replace('name', 'name5')}(?=[,.!]|$| (?:from|going|"
    rf"moving)\b)|"
    rf"^{_NAME.replace('name', 'name6')} is what (?:we|you(?:'ll)?) use (?:as|for) (?:our|the|your) "
    rf"{_RANK}{_ROLE.replace('role', 'role6')}(?=[,.!]|$)|"
    rf"\b(?:we(?:'ve| have) (?:now |all |also )?chosen|I(?:'d| would)?(?: strongly| now)? recommend|you(?:'ll| will) "
    rf"be using|"
    rf"(?:I've|we've|I have|we have) decided that) {_NAME.replace('name', 'name3')} (?:as|is going to be|will be) "
    rf"(?:your|our|the) "
    rf"{_RANK}{_ROLE.replace('role', 'role3')}(?=[,.!]|$| (?:from|going|moving)\b)|"
    rf"\bintroduc(?:e|ing) you to {_NAME.replace('name', 'name4')}, our "
    rf"{_RANK}{_ROLE.replace('role', 'role4')}(?=[,.!]|$)",
    re.IGNORECASE,
)
"""A tool by its name and what it is here: `our issue tracker is Lumen`, `Lumen is our issue tracker of choice`."""


def introduced(sentence: str) -> NormalForm | None:
    """Return the tool that a sentence introduces as one of a kind: `our project management tool, Jira`.

    >>> introduced("I want to introduce you to our issue tracking tool, Jira.").value
    'jira'
    >>> introduced("Our issue tracker is Lumen.").value
    'lumen'
    """
    if sentence.endswith("?") or _REPORT.search(sentence):
        return None
    words = _INTRODUCED.search(sentence)
    found = words.groupdict() if words else _in_role(sentence)
    if not found:
        return None
    role, name = noun(found.get("as") or found["role"]), plain_tool(named(found["name"]))
    subject = kind_of(name) or plain_role(role)
    return NormalForm(subject, name, False, sentence, key_of(subject, name)) if subject and name else None


def _in_role(sentence: str) -> dict[str, str]:
    found = _IN_ROLE.search(sentence)
    given = {key.rstrip("23456"): value for key, value in found.groupdict().items() if value} if found else {}
    return given if given.get("name", "").casefold() not in {"it", "that", "this", "we", "i", "the", "our"} else {}


def aims(sentence: str) -> bool:
    """Say whether a sentence names an aim, and not how it is reached: `we want our code to be readable`."""
    return bool(_AIMS.search(sentence))


def lasts(sentence: str) -> bool:
    """Say whether a sentence says that what it asks for holds for good: `from now on`, `henceforth`."""
    return bool(_FOR_GOOD.search(sentence))


def wished(sentence: str, text: str, *, own: bool) -> Wish | None:
    """Return the rule that a sentence of a text asks for; `own` says that the user says it, who need not say more."""
    force = frame(sentence).force
    telling = force in {Force.NONE, Force.PRACTICE} and not (force is Force.PRACTICE and _OUR_OWN.search(sentence))
    polite = _ASKED.match(sentence) and _FOR_GOOD.search(sentence)
    if (sentence.endswith("?") and not polite) or (telling and not (own and _BEGINS_WITH.search(sentence))):
        return None
    if _NOW_ONLY.search(sentence) or _MERELY.search(sentence) or _EXAMPLE.match(sentence):
        return None
    found = asked(sentence)
    if found and own and force is Force.BARE and _OF_ALL.search(found.stated.says):
        return Wish(found.stated, lasting=False, passing=True)
    return _made(found, sentence, text, force, own=own) if found else None


def _made(found: StatedRequest, sentence: str, text: str, force: Force, *, own: bool) -> Wish | None:
    stated, affix = found.stated, ":" in found.stated.value
    if not own and _NOT_ALONE.search(stated.says):
        return None
    vague = stated.value in {"do", "use"} or _IS_ADVICE.fullmatch(stated.value)
    if vague and not (own or stated.negated or _FOR_GOOD.search(sentence)) and _IS_ADVICE.search(sentence):
        return Wish(_with_kind(stated, text), lasting=False, passing=True)
    if not own and stated.value in {"do", "use"} and _IN_GENERAL.match(stated.says):
        return None
    if not (own or affix or kind_of(stated.value) or lasts(sentence)) and aims(sentence):
        return Wish(_with_kind(stated, text), lasting=False, passing=True)
    ours = force is Force.PRACTICE and bool(_OUR_OWN.search(sentence))
    if ours and not own and _MAINLY.search(sentence):
        return Wish(_with_kind(stated, text), lasting=False, passing=True)
    if not (found.sure or _FOR_GOOD.search(sentence)) or (
        force in {Force.NONE, Force.PRACTICE} and not (affix or ours)
    ):
        return None
    if force is Force.BARE and not (
        affix or stated.value.startswith("every-") or stated.negated or (own and stated.value not in {"do", "use"})
    ):
        return None
    lasting = force is Force.LASTING or affix or ours or bool(_UNIVERSAL.search(stated.says))
    if not lasting and (stated.value == "do" or not (own or kind_of(stated.value) or _is_for_others(sentence, stated))):
        return None
    return Wish(_with_kind(stated, text), lasting)


def _is_for_others(sentence: str, stated: NormalForm) -> bool:
    return bool(_WISHES.search(sentence)) and not (stated.value == "use" and _A_TASK.search(sentence))


def _with_kind(stated: NormalForm, text: str) -> NormalForm:
    """Return a rule to use a tool with what it is used as, where its turn says that beside it."""
    if stated.negated or word_for(stated.subject, stated.says):
        return stated
    word = word_for(stated.subject, text)
    return replace(stated, says=f"{stated.says[:-1]} as the {word}.") if word else stated
