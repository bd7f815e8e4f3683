"""Statements about the project: requirements, facts, assumptions, questions, insights."""

import re

from verifflowcc.memory.rules.code_names import named
from verifflowcc.memory.rules.fact_statements import declared
from verifflowcc.memory.rules.generic_form import generic
from verifflowcc.memory.rules.personal_statements import PersonalStatement, Spotter

_THING = (
    r"(?:report|deliverable|document|proposal|deck|presentation|slides?|draft|contract|brief|"
    r"spec(?:ification)?|release|launch|demo|prototype|mvp|milestone|version|"
    r"feature|page|app|application|api|endpoint|service|client|customer|product|project|repo(?:sitory)?|"
    r"codebase|database|db|schema|server|backend|frontend|cli|library|package|build|pipeline|"
    r"website|site|dashboard|login|export|import|form|email|newsletter|audience|users?|budget|timeline|"
    r"scope|stakeholders?|system|module|test suite|tests|docs|documentation|readme|branch|server|port|"
    r"host|machine|volume|bucket|token|key|script|job|worker|table|column|domain|url|secret|environment|"
    r"licen[sc]e|python version|search|checkout|staging|production|cluster|deployment|config(?:uration)?|"
    r"architecture|stack|framework|queue|cache|migrations?)"
)
_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|tonight|end of (?:the )?(?:day|week|month|"
    r"quarter|year)|next (?:week|month|sprint|quarter)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|"
    r"dec)[a-z]* \d{1,2}|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|"
    r"dec)[a-z]*|\d{4}-\d{2}-\d{2}|Q[1-4])"
)
_DEADLINE = re.compile(
    rf"\b(?:deadline|due(?: date)?|(?:{_THING})[^.,;]{{0,60}}\b(?:by|for|on|before|"
    rf"until))\b[^.,;]{{0,40}}?\b{_DAY}\b|\b(?:deliver|ship|finish|submit|hand (?:it )?in|launch|need|want|"
    rf"done|ready)\w*\b[^.,;]{{0,40}}\b(?:by|on|before|until)\b[^.,;]{{0,20}}\b{_DAY}\b",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    rf"^(?:I need (?:the|our|this|my) (?:\w+ )?{_THING} (?P<aim>to .+)|"
    rf"(?P<who>(?:[\w'-]+\s+){{0,6}}?)(?:also\s+|still\s+)?"
    r"(?:needs?(?: to)?|must(?: have| be| include| support)?|has to|have to|should(?: not)?|requires?|shall|wants?)\s+"
    r"(?:to\s+(?:have|include|contain)\s+)?(?:an?\s+|the\s+)?(?P<what>.+))",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"\b(?:{_THING}|boss|board|management|users?)s?\b|^(?:every|each|all)\b", re.IGNORECASE)
_SPEAKERS = re.compile(r"^(?:I|you|he|she|they|let|we)\b", re.IGNORECASE)
_DUTY = re.compile(
    r"^we (?:have to|must|need to|should) (?:support|deliver|provide|comply|handle|meet|ship|offer|"
    r"guarantee|reach|pass)\b",
    re.IGNORECASE,
)
_IT = re.compile(r"^(?:it|this) $", re.IGNORECASE)
_ASSUME = re.compile(
    r"\b(?:assum(?:e|es|ing)|(?:my|our|the) assumption is|presumably|we(?:'re| are) (?:guessing|betting|"
    r"supposing)|suppos(?:e|ing)|I (?:guess|suppose) (?:that )?(?:we|the|it|"
    r"they))\b(?: that)?\s*(?P<what>.*)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:open question|(?:it(?:'s| is) )?(?:still )?unclear (?:to (?:me|us) )?(?:if|whether|who|what|"
    r"which|how|when)|(?:we |I )?(?:still )?(?:(?:still )?don't know|do not know|need to (?:find out|"
    r"clarify|figure out|decide|ask)|haven't decided|have not decided)|to be (?:decided|determined|"
    r"confirmed)|TBD|not (?:yet )?(?:decided|sure (?:who|which|whether|when|if)))\b(?P<what>.*)",
    re.IGNORECASE,
)
_ROLES = (
    r"(?:approver|owner|stakeholder|reviewer|audience|deadline|budget|client|customer|contact|sponsor|scope|"
    r"approves?|owns?|signs?(?: off)?|decides?|pays?|users?|requirements?|maintains?)"
)
_WHO = re.compile(
    rf"^(?:who|what|which|when|where)(?:'s| is| are| will)?\b[^?]{{0,60}}\b{_ROLES}\b[^?]*\?$", re.IGNORECASE
)
_INSIGHT = re.compile(
    r"\b(?:(?:their|the client's|the customer's|the main|our main|the real|the biggest|the key) (?:main |"
    r"real |biggest |key )?(?:concern|worry|problem|pain point|issue|bottleneck|risk|driver|takeaway|"
    r"insight|lesson|finding)(?: \w+)? (?:is|was|are)|it turn(?:s|ed) out|turns out|(?:we|I) (?:learned|"
    r"learnt|found(?: out)?|noticed|discovered|concluded|realised|realized) that|(?:lesson|insight|"
    r"takeaway|finding|conclusion):)\s*(?P<what>.*)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:we(?:'ve| have)?(?: all| finally| now| just)? (?:decided|agreed|chose|chosen|went with|settled|"
    r"opted|picked|voted)|(?:the )?decision(?: is| was|(?=:))|it (?:was|has been) (?:decided|agreed)|"
    r"I(?:'ve| have)? decided|(?:I|we)(?:'ve| have)? (?:switched|moved|migrated|changed|ported) (?:the|"
    r"our|this) (?:project|repo|code(?:base)?|app|service|build|tests?|ci|database|frontend|backend|api|"
    r"docs))\b(?: (?:to|on|that|for))?\s*(?P<what>.*)",
    re.IGNORECASE,
)
_JUDGED = (
    r"(?:(?:very|so|really|quite|pretty|a|an|the|just|all|also|not|always|never|still|now|too|actually|"
    r"totally|completely|currently|already|going|been|had|to be) )*"
    r"(?:key|crucial|essential|important|great|good|bad|nice|amazing|fantastic|wonderful|awesome|"
    r"excellent|vital|paramount|helpful|useful|perfect|beautiful|here|there|open|what|why|how|"
    r"been|ready|done|fine|ok(?:ay)?|broken|down|slow|fast|failing|failed|blank|missing|wrong|red|green|"
    r"empty|stuck|off|weird|strange|better|worse|working|impressive|challenging|well|"
    r"enjoy\w*|looking|coming|making|getting)\b"
)
_FACT = re.compile(
    rf"^(?:(?:note|fyi|remember|by the way|btw)[:,]?\s+)?(?:(?:the|our|my|their|its?|this|target|main|"
    rf"primary|[\w']+)\s+){{0,3}}?(?P<thing>{_THING})(?:'s)?(?:\s+\w+|\s+(?:that |which )?(?:I|"
    rf"we) \w+(?: \w+)?)?\s+(?:is|are|uses?|runs?(?: on)?|lives?(?: in| at| under)?|has|have|was|were|"
    rf"supports?|depends? on|talks? to|expects?|returns?|sits?|comes? from|goes? (?:to|through)|"
    rf"consists? of|stores?)\s+(?!{_JUDGED})(?P<rest>.+)",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"^(?:we|the (?:project|team|app|repo|codebase|backend|frontend|service))\s+(?:(?:currently|still|"
    r"already|now|only|mostly|mainly)\s+)*(?:use|run|deploy|host|ship|store|support|target|build|release|"
    r"keep|uses|runs|deploys|hosts|ships|stores|supports|targets|builds|releases|keeps)\s+(?P<rest>.+)",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"^(?:I|we) (?:keep|store|put|host|deploy|save|log|run|publish) (?:the|our|my|all|"
    r"every) [^.]{2,60} (?:in|on|at|under|to|from|with) ",
    re.IGNORECASE,
)
_SHORT = {
    "executive": "exec",
    "summary": "summary",
    "documentation": "docs",
    "requirements": "reqs",
    "authentication": "auth",
}
_TIMELINE = re.compile(
    r"\b(?:\d+|an?|two|three|four|five|six|several)[- ](?:day|week|month|quarter|year|sprint)s?\b|"
    r"timeline|schedule|time ?frame|deadline",
    re.IGNORECASE,
)


_SPOTTER = Spotter(
    {
        "assumption": r"assum\w+|presumably|guess(?:ing)?|betting|suppos\w+",
        "question": r"who(?:'s)?|what(?:'s)?|which|when|where|question|unclear|know|need|decide[ds]?|determined|"
        r"confirmed|tbd|sure",
        "decision": r"deci\w+|agreed|chose|chosen|went|settled|opted|picked|voted|switched|moved|migrated|changed|"
        r"ported",
        "insight": r"concern|worry|problem|point|issue|bottleneck|risk|driver|takeaway|insight|lesson|finding|"
        r"turn(?:s|ed)|learn(?:ed|t)|found|noticed|discovered|"
        r"concluded|reali[sz]ed|conclusion",
        "requirement": r"needs?|must|has|have|should|requires?|shall|wants?|deadline|due|by|for|on|before|until",
        "fact": r"is|are|uses?|runs?|lives?|has|have|was|were|supports?|depends?|talks?|expects?|returns?|sits?|"
        r"comes?|goes?|consists?|stores?|deploys?|hosts?|ships?|"
        r"targets?|builds?|releases?|keeps?|put|save|log|publish",
    }
)


def project(sentence: str) -> PersonalStatement | None:
    """Return the statement of a sentence about the project, except rules.

    >>> [project(each).subject for each in ("Report is for board meeting Tuesday", "Target audience is CTOs")]
    ['deadline', 'audience']
    """
    text = sentence.strip(" .!\"'")
    spotted = _SPOTTER.kinds(text)
    for kind, finder in _FINDERS:
        subject = finder(text) if kind in spotted else None
        if subject:
            return PersonalStatement(kind, *_form_of(kind, subject, text), 800)
    return None


def _form_of(kind: str, subject: str, text: str) -> tuple[str, str, bool]:
    plain = declared(text) if kind == "fact" else None
    if plain:
        form = plain.stated(text)
        return form.subject, form.value, form.negated
    return subject, _value(text), generic(text).negated


def project_form(text: str, kind: str) -> tuple[str, str, bool]:
    """Return the normal form of what is known to tell this of the project."""
    plain = text.strip(" .!\"'")
    finder = dict(_FINDERS).get(kind)
    form = generic(plain)
    subject = finder(plain) if finder else None
    stated = declared(plain) if kind == "fact" else None
    if subject or stated:
        return _form_of(kind, subject or "", plain)
    return form.subject, form.value, form.negated


def _requirement(text: str) -> str | None:
    if text.endswith("?"):
        return None
    if _DEADLINE.search(text):
        return "deadline"
    match = _NEEDS.match(text)
    if not match:
        return None
    if match["aim"]:
        return _short(text[: match.start("aim")].partition("need")[2] + match["aim"])
    who = match["who"]
    if (_SPEAKERS.match(who) and not _DUTY.match(text)) or (
        who and not (_SUBJECT.search(who) or _IT.match(who) or _DUTY.match(text))
    ):
        return None
    return _short(match["what"])


def _assumption(text: str) -> str | None:
    match = _ASSUME.search(text)
    if not match or text.endswith("?"):
        return None
    return "timeline" if _TIMELINE.search(text) else _short(match["what"])


def _question(text: str) -> str | None:
    if _WHO.match(text):
        return _short(re.sub(r"^\w+(?:'s| is| are| will)?\s+(?:be\s+)?", "", text.rstrip("?")))
    match = _OPEN.search(text)
    return _short(match["what"] or text) if match else None


def _insight(text: str) -> str | None:
    match = _INSIGHT.search(text)
    return (
        _short(text[match.start() : match.start("what")] if "turn" not in match[0] else match["what"])
        if match
        else None
    )


def _decision(text: str) -> str | None:
    match = _DECIDED.search(text)
    return generic(match["what"]).subject if match and match["what"] and not text.endswith("?") else None


def _fact(text: str) -> str | None:
    if text.endswith("?"):
        return None
    if match := _FACT.match(text):
        lead = re.sub(
            r"^(?:(?:note|fyi|remember|by the way|btw)[:,]?\s+)?(?:(?:the|our|my|their|its?|this|target|"
            r"main|primary)\s+)*",
            "",
            text[: match.end("thing")],
            flags=re.IGNORECASE,
        )
        return named(lead).replace("-", "_")
    match = _OURS.match(text) or _KEPT.match(text)
    return generic(text).subject.replace("-", "_") if match else None


def _short(words: str) -> str:
    parts = [each for each in generic(words).subject.split("-") if each][:3]
    return "_".join(_SHORT.get(each, each) for each in parts) or "other"


def _value(text: str) -> str:
    return named(" ".join(re.findall(r"[A-Za-z0-9+#./_-]+", text)))[:80]


_FINDERS = (
    ("assumption", _assumption),
    ("question", _question),
    ("decision", _decision),
    ("insight", _insight),
    ("requirement", _requirement),
    ("fact", _fact),
)
PROJECT_TYPES = frozenset(kind for kind, _ in _FINDERS)
