"""Statements about the person: preferences, habits of work, goals, limits, people."""

import re
from collections.abc import Mapping
from functools import lru_cache

from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.code_names import named
from verifflowcc.memory.rules.generic_form import generic

# Which kinds of rules can have anything to say of a sentence, told from its single words: most have not.

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


class Spotter:
    """Kinds of rules, each with a pattern that matches at least one word of its sentences."""

    def __init__(self, words: Mapping[str, str]) -> None:
        patterns = {kind: re.compile(pattern) for kind, pattern in words.items()}

        @lru_cache(maxsize=20_000)
        def kinds_of(word: str) -> frozenset[str]:
            return frozenset(kind for kind, pattern in patterns.items() if pattern.fullmatch(word))

        self._kinds_of = kinds_of

    def kinds(self, sentence: str) -> frozenset[str]:
        """Return the kinds that may have something to say of a sentence.

        >>> Spotter({"goal": "hop(?:e|ing)", "size": "big"}).kinds("I hope so")
        frozenset({'goal'})
        """
        return frozenset().union(*map(self._kinds_of, set(_WORD.findall(sentence.casefold()))))


_WHO = (
    r"(?:(?:I|the user|user|he|she|they)(?:'m|'ve| am| have)?(?: (?:also|really|generally|personally|still|"
    r"much|strongly|would|mostly|mainly))*\s+|^(?:(?:also|and|generally|personally|usually),?\s+)?)"
)
_TIME = (
    r"(?:on|in|at|before|after|during|every|each|by)\s+(?:the\s+|a\s+)?(?:\w+\s+)?(?:(?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)days?|mornings?|afternoons?|evenings?|nights?|weekends?|weekdays?|lunch|noon|day|week|"
    r"month|quarter|standup|sprint|[0-9]{1,2}(?::[0-9]{2})?\s?(?:am|pm|h)?)\b"
)
_PREFER = re.compile(
    r"(?:(?:^|[,;] |\b(?:and|but|so) )(?:(?:in general|personally|generally|usually|also|whatever [^,]+|"
    r"(?:in|for|across) [^,]{2,40}),? )*(?:I|the user|user|he|she|they)"
    r"(?: (?:also|really|generally|personally|still|much|strongly|would|mostly|mainly|always|never|don't|"
    r"doesn't|do not|does not))* "
    r"(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rs?|can't stand|would rather|rather|"
    r"wants? (?!to\b|you\b|it\b|this\b|that\b))|"
    r"^(?:(?:also|really|strongly) )*(?:prefers?|likes|loves|enjoys|hates|dislikes|favou?rs|wants)|"
    r"\bI'd (?:rather|prefer))\s*(?P<what>.+)",
    re.IGNORECASE,
)
_MY_FAVOURITE = re.compile(
    r"\b(?:my|the user's) (?:preferred|favou?rite|default|preference) (?P<what>.+)", re.IGNORECASE
)
_HABIT = re.compile(
    rf"(?:{_WHO}(?:(?:usually|typically|normally|often|mostly|rarely|generally|tends? to|likes? to|"
    rf"prefers? to|loves? to)\s+)+|\bI (?:always|never) )(?P<what>\w+.*)",
    re.IGNORECASE,
)
_DONE = re.compile(
    rf"^I (?P<what>(?!need|want|think|have|had|am|was|know|see|got|get|will|can|found|fixed)[a-z]+ (?:.* )?{_TIME}.*)",
    re.IGNORECASE,
)
_NOT_HABITS = frozenset(
    "want need think believe have know see like love prefer get hope forget confuse wonder misread misspell struggle "
    "mix lose end feel enjoy mess fail eat drink sleep".split()
)
_WORKS_AT = re.compile(
    rf"{_WHO}(?:works?|working|employed|consults?|freelances?) (?:at|for|in) (?P<what>.+)|"
    r"\bI(?:'m| am) (?:an?|the) (?P<role>[a-z][\w -]{2,40}? (?:at|for|in|by) .+|(?:data |software |product |"
    r"frontend |backend |security |ux |ui |full[- ]stack |devops |machine learning )*(?:engineer|"
    r"developer|designer|analyst|scientist|manager|lawyer|doctor|nurse|teacher|student|researcher|"
    r"consultant|freelancer|contractor|founder|accountant|writer|journalist|architect)\b.*)|"
    r"\b(?:my|our|the user's) (?:company|employer|startup|firm|agency|business|"
    r"organi[sz]ation)(?:'s)? (?P<is>.+)|^company (?P<bare>(?:is|has|sells|makes) .+)|\bwe(?:'re|"
    r" are) an? (?P<we>[^.]*\b(?:company|startup|agency|firm|shop|business|consultancy|bank|"
    r"non-?profit)\b.*)|\bwe (?P<sell>(?:sell|offer|consult|serve|manufacture|make|build|"
    r"develop) [^.]*\b(?:for|to) .*)",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"(?:works? (?:closely |together |directly )?with|reports? to|manages?|mentors?|pairs? with|"
    r"collaborates? with) (?P<name>(?-i:[A-Z][a-zA-Z-]+))\b(?P<rest>.*)",
    re.IGNORECASE,
)
_ROLE = (
    r"(?:boss|manager|mentor|lead|team ?lead|tech lead|colleague|co-?worker|teammate|designer|co-?founder|cto|"
    r"ceo|pm|product manager|partner|assistant|intern|report|client contact|accountant|lawyer|advisor|coach)"
)
_NAMED_ROLE = re.compile(
    rf"\b(?:my|the user's)? ?(?P<role>{_ROLE}) (?:is|:|=|-) ?(?:called |named )?(?P<name>(?-i:[A-Z][a-zA-Z-]+))\b|"
    rf"\b(?P<name2>(?-i:[A-Z][a-zA-Z-]+))(?:\b[^.]{{0,50}}?[,;] (?:she|he|they|who))? (?:is|was|are) (?:my|"
    rf"our|the user's) (?P<role2>{_ROLE})\b|\bmy (?P<role3>{_ROLE}),? (?P<name3>(?-i:[A-Z][a-zA-Z-]+))\b",
    re.IGNORECASE,
)
_GOAL = re.compile(
    rf"(?:{_WHO}|\bI'd |\bwe(?:'re| are|'d)? )(?:trying|hoping|aiming|planning|working|looking|want|wants|"
    rf"aims?|hopes?|plans?|intends?|like|would like|dream(?:ing)?)(?: on| of)? (?:to|"
    rf"towards?) (?P<what>(?:eventually |one day |finally )?(?:be |raise|become|learn|launch|grow|build|"
    rf"get|ship|start|switch|move|reach|hire|publish|open|write|finish|earn|pass|reduce|improve|master|"
    rf"sell|found|retire|expand|double|lead)\w*\b.*)|"
    r"\b(?:my|our|the user's|main|long[- ]term|career) (?:\w+ )?(?:goal|aim|objective|ambition|dream|"
    r"mission) (?:is|:)(?: to)? (?P<goal>.+)|^goal: (?P<bare>.+)",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    rf"(?:{_WHO}(?:only (?:have|has|got)|(?:can|could) only|can(?:no|')t|don't have|doesn't have|have no|"
    rf"has no|lacks?|am not allowed to|not allowed to|are limited|is limited|never have|colou?r-?blind|"
    rf"deaf|blind|dyslexic)|\bwe(?:'re| are) (?:only )?(?:an? )?(?:very )?(?:small|tiny|one-person|"
    rf"two-person|three-person) team|"
    rf"\bwe (?:only have|have no|don't have|lack|can't (?:afford|hire|install))|\bmy (?:laptop|computer|"
    rf"machine|hardware|phone|internet|connection|time|schedule|budget|employer|company|contract|visa|"
    rf"health|eyes|keyboard) (?:has no|doesn't|does not|can't|cannot|is (?:limited|slow|old|blocked|not)|"
    rf"only|forbids|blocks|won't)|"
    r"^(?:small|tiny|limited|no|tight|one-person|two-person) (?:team|budget|resources|time|bandwidth|"
    r"engineering|gpu|admin|internet))\b(?P<what>.*)",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"\b(?:(?:be|keep (?:it|them|answers|replies|responses|explanations|your (?:answers|replies|responses|"
    r"messages|explanations))|(?:answer|reply|respond|write|speak|talk|explain|communicate)(?: to me|"
    r" me)?(?: (?:things|it|back|everything))?)(?: \w+){0,2}? (?:brief|short|concise|terse|formal(?:ly)?|"
    r"informal(?:ly)?|casual(?:ly)?|friendly|polite(?:ly)?|direct|blunt|detailed|simple|"
    r"plain(?= (?:english|words|language|terms)|$)|simply|"
    r"in (?:\w+ )?(?:english|german|french|spanish|japanese|bullet points|plain (?:english|words|language|"
    r"terms|text)|simple terms|"
    r"short sentences))|"
    r"(?:formal|informal|casual|friendly|neutral|professional|direct|warm|playful|dry) (?:tone|voice|"
    r"style|language)|tone (?:for|of|in|is|should)|"
    r"no (?:emojis?|small talk|jargon|fluff|apologies)|(?:address|call) me\b|(?:use|avoid|skip|drop|"
    r"without) (?:the )?(?:emojis?|jargon|exclamation marks|small talk|pleasantries|flattery)|"
    r"^(?:please )?(?:stop|no more|don't keep|quit|less|more) (?:apologi[sz]|explain|repeat|summari[sz]|"
    r"ask|flatter|thank|prais)ing\b|\b(?:explain|show|describe|spell out)\b[^.]* to me\b|\b(?:be|"
    r"stay) (?:more |very |always )?(?:direct|honest|brief|concise|polite|formal|blunt|friendly|terse|"
    r"patient|critical) with me\b|"
    r"^(?:please )?(?:(?:always|first|only|never|don't) )*(?:show|tell|give|explain|ask|warn|remind|"
    r"answer|apologi[sz]e|repeat|summari[sz]e)\b.* (?:before|first|after|instead|without|when|at once|"
    r"one at a time|just tell me)\b|"
    r"\bwhen(?:ever)? you (?:explain|answer|reply|respond|write to me|talk|show|tell|ask)\b|"
    r"\byour (?:answers?|replies|explanations?|responses?|messages?) (?:should|must|to be)\b)",
    re.IGNORECASE,
)
_ROLE_WORDS = (
    r"boss|manager|mentor|lead|colleague|worker|coworker|teammate|designer|founder|cofounder|cto|ceo|pm|"
    r"partner|assistant|intern|report|contact|"
    r"accountant|lawyer|advisor|coach"
)
_SPOTTER = Spotter(
    {
        "relationship": rf"with|reports?|manages?|mentors?|pairs?|collaborates?|{_ROLE_WORDS}",
        "business_fact": r"work(?:s|ing)?|employed|employer|consults?|freelances?|compan(?:y|ies)(?:'s)?|startup|firm|"
        r"agency|business|organi[sz]ation|shop|"
        r"consultancy|bank|profit|i'm|am|we're|sell|offer|serve|manufacture|make|build|develop",
        "communication_style": r"be|keep|answer|reply|respond|write|speak|talk|explain|communicate|tone|voice|style|"
        r"language|"
        r"emojis?|jargon|fluff|apologies|address|"
        r"call|use|avoid|skip|drop|without|show|tell|give|ask|warn|remind|stop|more|quit|less|your|stay|"
        r"describe|summari[sz]e|repeat|apologi[sz]e|don't|you",
        "work_pattern": r"usually|typically|normally|often|mostly|rarely|generally|tends?|likes?|prefers?|loves?|"
        r"always|"
        r"never|on|in|at|before|after|during|every|each|by",
        "goal": r"trying|hoping|aiming|planning|working|looking|wants?|aims?|hopes?|plans?|intends?|i'd|we'd|like|"
        r"would|dream(?:ing)?|goal|objective|ambition|mission",
        "constraint": r"only|can|can't|cannot|don't|doesn't|no|lacks?|not|limited|never|colou?r|colou?rblind|deaf|"
        r"blind|"
        r"dyslexic|small|tiny|tight|team|slow|old|blocked|"
        r"forbids|blocks|won't|person|one|two",
        "preference": r"prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rs?|stand|rather|wants?|needs?|preferred|"
        r"favou?rite|default|preference",
    }
)
_ASPECTS = (
    ("format", r"bullet|prose|paragraph|table|markdown|format|list(?:s|ed)?\b|headings?"),
    ("tone", r"tone|formal|casual|friendly|polite|direct|blunt|voice"),
    ("length", r"short|brief|concise|terse|long|detailed|verbose|length"),
    ("language", r"english|german|french|spanish|italian|japanese|chinese|portuguese|language"),
    ("emoji", r"emojis?"),
    ("theme", r"dark (?:mode|theme)|light (?:mode|theme)|themes?|colou?r scheme"),
    ("indentation", r"\btabs?\b|\bspaces\b|indent"),
    ("editor", r"\bvim\b|emacs|vs ?code|editor|\bide\b"),
    ("shell", r"\bzsh\b|\bfish\b|\bbash\b|shell"),
    ("meeting", r"meetings?|calls?\b|stand-?ups?"),
    ("units", r"metric|imperial|celsius|fahrenheit|units?"),
    ("address", r"call me|address me"),
)
_COMPANY = (
    ("company_size", r"\b\d[\d,]* (?:engineers|developers|staff)|people\b|employees|headcount|-person"),
    ("company_type", (r"b2b|b2c|saas|startup|start-up|agency|consultanc|enterprise|non-?profit|bank|company|firm|"
    r"corporation|shop|business|fintech|health|hospital|university|scale-?up|industry|studio|lab|"
    r"government")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PersonalStatement:
    """A statement about a person or the project: type, normal form and certainty of the layer."""

    type: str
    subject: str
    value: str
    negated: bool
    certainty: int


def personal(sentence: str) -> PersonalStatement | None:
    """Return the statement of a sentence about its speaker, or about an unnamed person.

    >>> personal("Prefers bullet points over prose").subject, personal("Works closely with Alice on design").subject
    ('format_preference', 'colleague_alice')
    """
    text = sentence.strip(" .!\"'")
    spotted = _SPOTTER.kinds(text)
    for kind, finder in _FINDERS:
        found = finder(text) if kind in spotted else None
        if found:
            subject, certainty = found
            return PersonalStatement(kind, subject, _value(text), _denies(text), certainty)
    return None


def personal_form(text: str, kind: str) -> tuple[str, str, bool]:
    """Return the normal form of what is known to tell of the person in this way."""
    finder = dict(_FINDERS).get(kind)
    found = finder(text.strip(" .!\"'")) if finder else None
    if found:
        return found[0], _value(text), _denies(text)
    form = generic(text)
    if kind in {"preference", "communication_style"}:
        return (
            _aspect(text, "preference" if kind == "preference" else "style") or form.subject,
            form.value,
            form.negated,
        )
    return form.subject, form.value, form.negated


def _relationship(text: str) -> tuple[str, int] | None:
    if match := _NAMED_ROLE.search(text):
        role = match["role"] or match["role2"] or match["role3"]
        name = match["name"] or match["name2"] or match["name3"]
        return f"{named(role).replace('-', '_')}_{named(name)}", 900
    match = _RELATION.search(text)
    return (f"colleague_{named(match['name'])}", 850) if match else None


def _business(text: str) -> tuple[str, int] | None:
    if re.match(r"I(?:'m| am) (?:responsible for|in charge of) \w", text):
        return "responsibility", 850
    match = _WORKS_AT.search(text)
    if not match:
        return None
    what = next(each for each in match.groups() if each)
    if (
        match["what"]
        and not re.search("|".join(each for _, each in _COMPANY), what, re.IGNORECASE)
        and not re.match(r"[A-Z]", what)
    ):
        return None
    return next((key for key, pattern in _COMPANY if re.search(pattern, what, re.IGNORECASE)), "company_type"), 850


def _timing(text: str) -> tuple[str, int] | None:
    match = _HABIT.search(text) or _DONE.match(text)
    if not match:
        return None
    verb = match["what"].split()[0]
    if verb.casefold() in _NOT_HABITS:
        return None
    if re.search(_TIME, match["what"], re.IGNORECASE):
        return f"{named(verb)}_timing", 850
    if re.search(r"\b(?:never|always|usually|typically|normally|often|generally|tends? to)\b", text, re.IGNORECASE):
        return f"{named(verb)}_habit", 750
    return None


def _style(text: str) -> tuple[str, int] | None:
    return (_aspect(text, "style") or "style", 850) if _STYLE.search(text) else None


def _goal(text: str) -> tuple[str, int] | None:
    match = _GOAL.search(text)
    if not match:
        return None
    what = next(each for each in match.groups() if each)
    return f"goal_{generic(what).subject.replace('-', '_')[:40]}", 750


def _limit(text: str) -> tuple[str, int] | None:
    match = _LIMIT.search(text)
    return (f"constraint_{generic(text).subject.replace('-', '_')[:40]}", 750) if match else None


def _preference(text: str) -> tuple[str, int] | None:
    match = _PREFER.search(text) or _MY_FAVOURITE.search(text)
    if not match:
        return None
    if re.match(
        r"(?:the sound|the idea|how|your|this\b|it\b(?! when)|you|everyone|the team|us|we|that (?:we|you)|"
        r"that\b$|to (?:see|know|go|talk|discuss|hear|point|say|thank|emphasi|stress|make|add|give))\b",
        match["what"],
        re.IGNORECASE,
    ):
        return None
    own = _aspect(match["what"], "preference")
    return own or f"{generic('use ' + match['what']).subject.replace('-', '_')[:40]}_preference", 800


def _aspect(text: str, ending: str) -> str | None:
    return next((f"{key}_{ending}" for key, pattern in _ASPECTS if re.search(pattern, text, re.IGNORECASE)), None)


def _value(text: str) -> str:
    return generic(text).value if len(text) < 16 else named(" ".join(re.findall(r"[A-Za-z0-9+#.]+", text)))[:80]


def _denies(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:hates?|dislikes?|not|never|no longer|don't|doesn't|can't stand|avoids?)\b", text, re.IGNORECASE
        )
    )


_FINDERS = (
    ("relationship", _relationship),
    ("business_fact", _business),
    ("communication_style", _style),
    ("work_pattern", _timing),
    ("goal", _goal),
    ("constraint", _limit),
    ("preference", _preference),
)
PERSONAL_TYPES = frozenset(kind for kind, _ in _FINDERS)
