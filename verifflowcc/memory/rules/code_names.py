"""What of code is named: functions, methods, classes … as people write of them."""

import re
from collections.abc import Iterator

from verifflowcc.base.records import dataclass

# A statement in its normal form.

_SPACE = re.compile(r"[^a-z0-9@_.+#/*-]+")


@dataclass(frozen=True, slots=True)
class NormalForm:
    """The subject of a statement (`function-names`), its value (`start:a_`), and whether it is denied.

    `says` is the whole as a sentence that stands alone. `key` is what all statements have in common of which only the
    newest can hold. `known` says that the subject is one that the rules know by name, not merely words of a sentence.
    """

    subject: str
    value: str
    negated: bool
    says: str
    key: str
    known: bool = True


def named(text: str) -> str:
    """Return words as one name in lower case.

    >>> named("Function  argument names")
    'function-argument-names'
    """
    return _SPACE.sub("-", text.casefold()).strip("-.")


def key_of(subject: str, value: str) -> str:
    """Return the key of a normal form: the subject, and the aspect where the value names one.

    >>> key_of("function-names", "start:a_"), key_of("ide", "vim"), key_of("class-names", "include=chx")
    ('function-names.start', 'ide', 'class-names.include-chx')
    """
    if "=" in value:
        return f"{subject}.{value.replace('=', '-')}"
    aspect, colon, _ = value.partition(":")
    return f"{subject}.{aspect}" if colon else subject


# Noun phrases and numbers of a request, in their normal forms: what is spoken of, its quality, how much of it.

_EMPTY = frozenset(
    "a an the any all your our my their its his her this that these those every each some of own new more both"
    " preferred main primary default standard official ideal go-to favorite favourite usual next future very"
    " most own such other own designated dedicated proper traditional existing current allotted"
    " only just here yourself".split()
)
_QUALITIES = frozenset(
    "personal private public company corporate physical digital single one two dual double three triple "
    "multiple several"
    " short long brief concise detailed descriptive verbose terse clear simple small large big high low fast slow"
    " plain strict loose local remote".split()
)
_TOOLS = frozenset(
    "tool tools platform platforms system systems software solution service option choice way app".split()
)
ABSTRACT = frozenset(
    "it them this that these those one you me us him her everything anything something nothing time advantage"
    " care opportunity moment chance judgment judgement effort feedback questions question help support"
    " resources skills approach ideas idea mind part look initiative pride fun balance attention steps step"
    " note lead place yourself work job progress thing things way others people team colleagues strengths"
    " potential knowledge learning growth here there well best good great hard open positive what how who where"
    " when why convention conventions practice practices standard standards guideline guidelines change changes"
    " adjustment adjustments rule rules habit habits update updates mindset agenda importance consistency"
    " consistently productivity burnout value culture communication security opportunities benefits benefit"
    " decision decisions instruction instructions concept concepts discussion discussions into for to of with"
    " is are in on at by from as over ahead a-lot details together up out down success experience environment"
    " solution solutions problem problems issue issues features strategy plan plans goal goals project projects"
    " feature topic topics policy policies language expectations requirement requirements names discuss talk"
    " see know hear meet feel improve learn continue explore leverage share insight meeting meetings and or but"
    " not process processes routine initiative initiatives challenge challenges participation structure need needs"
    " autonomy methodologies methodology across throughout right exceptions possible reasons effective "
    "together training"
    " formality essays mindfulness collaboration transparency honesty including so within respect space "
    "room method methods".split()
)
_NO_START = frozenset(
    "it them this that these those you me us him her everything anything something nothing advantage care what how who"
    " where why into for to of with is are in on at by from as over ahead up out down and or but not discuss talk see"
    " know hear feel improve learn continue explore including so within across throughout right touch here there well"
    " pride fun attention base look yourself major common".split()
)
_VAGUE = frozenset(
    "it them this that these those one convention conventions practice practices standard standards "
    "guideline guidelines"
    " change changes habit habits rule rules process approach mindset communication consistency value skills way ways"
    " training initiatives work style structure strategy effectively consistently".split()
)
_FINITE = frozenset(
    "that these those this should must need we i you they he she is are was were has gets can could will "
    "would i'm you're we're it's don't who".split()
)
_NUMBERS = {
    word: str(at)
    for at, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
     "ninety": "90", "hundred": "100"}  # fmt: skip
_NUMBER = rf"(?:\d[\d,.]*|{'|'.join(_NUMBERS)})"
_LIMITS = {
    "most": r"at most|no more than|not more than|up to|under|below|within|less than|fewer than|a maximum of|"
    r"max(?:imum)?",
    "least": r"at least|no less than|not less than|more than|over|above|a minimum of|min(?:imum)?",
    "every": r"every|each",
}
_MUCH = re.compile(
    rf"(?:\b(?:(?P<most>{_LIMITS['most']})|(?P<least>{_LIMITS['least']})|(?P<every>{_LIMITS['every']})|"
    rf"only|exactly|to)\s+)"
    rf"*(?:\b(?P<number>{_NUMBER})[- ](?:or more |or so |full |consecutive )?(?P<unit>[a-z]{{3,}})|"
    rf"\b(?P<times>once|twice))"
    rf"(?:\s+(?:a|per|each|every)\s+(?P<per>[a-z]+))?\b",
    re.IGNORECASE,
)
_PART = re.compile(r"(?P<least>at (?:least|most) )?\bhalf (?:of )?", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_@./#+*-]*[A-Za-z0-9_+#]")
_NAME = re.compile(
    r"(?:[A-Z][\w.+#-]*|[a-z]+[A-Z]\w*|[a-z]+[_-]case|\w+\.(?:js|io|ai)|`[^`]+`)(?: (?:[A-Z][\w.+#-]*|\d[\w.]*))*$"
)
_POINTS = re.compile(
    r"(?:(?:a|an|the) )?(?:this|that|these|those|such|(?-i:it)|different|specific|particular|certain|couple|few|"
    r"everyone|new "
    r"(?:convention|standard|way|approach))\b",
    re.IGNORECASE,
)
_MOST_WORDS = 4


def stem(word: str) -> str:
    """Return a word in lower case without the ending of number.

    >>> stem("Queries"), stem("branches"), stem("status"), stem("Postgres")
    ('query', 'branch', 'status', 'postgre')
    """
    plain = word.casefold().strip(".")
    if not plain.isalpha():
        return plain
    if len(plain) > 4 and plain.endswith("ies"):
        return f"{plain[:-3]}y"
    if len(plain) > 5 and plain.endswith(("ches", "shes", "sses", "xes")):
        return plain[:-2]
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    return plain


def words_of(phrase: str) -> list[str]:
    """Return the words of a phrase that carry meaning, in lower case, each without its ending."""
    found = _WORD.findall(phrase)
    return [stem(each) for each in found if each.casefold() not in _EMPTY]


def noun(phrase: str) -> str:
    """Return what a phrase speaks of, without its quality: `long and detailed commit messages` is `commit-message`."""
    found = [each for each in words_of(phrase) if each not in _QUALITIES and each not in {"and", "or", "more"}]
    return named("-".join(found[-_MOST_WORDS:]))


def quality(phrase: str) -> str:
    """Return the qualities that a phrase gives what it speaks of; of rival ones only one can hold. "" for none."""
    found = [each for each in (word.casefold() for word in _WORD.findall(phrase)) if each in _QUALITIES]
    more = "-or-more" if re.search(r"\bor more\b", phrase) else ""
    return "-".join(found) + (more if found else "")


def is_name(phrase: str) -> bool:
    """Say whether a phrase is a name: of one thing, not of a kind of things.

    >>> is_name("Google Meet"), is_name("a linter"), is_name("Node.js")
    (True, False, True)
    """
    return bool(_NAME.match(phrase.strip("'\"")))


def is_tool(phrase: str) -> bool:
    """Say whether a phrase says no more than that something is a tool."""
    found = words_of(phrase)
    return not found or all(each in _TOOLS or f"{each}s" in _TOOLS for each in found)


def is_concrete(phrase: str) -> bool:
    """Say whether a phrase names something that can be used, written or avoided, not merely a mood or a pronoun."""
    if _POINTS.match(phrase) or "@" in phrase:
        return False
    found = [each if each == "IT" else each.casefold() for each in _WORD.findall(phrase)]
    kept = [each for each in found if each not in _EMPTY]
    if not kept or not _FINITE.isdisjoint(found):
        return False
    if is_name(phrase) and len(kept) > 1:
        return True
    if kept[0] in _NO_START:
        return False
    return not (len(kept) == 1 and kept[0] in ABSTRACT) and kept[-1] not in (ABSTRACT if len(kept) == 1 else _VAGUE)


def much(phrase: str) -> tuple[str, str, str] | None:
    """Return how much a phrase says, of which unit, and the phrase without it; None where it says no number.

    >>> much("a break every fifty minutes"), much("functions under 40 lines")
    (('every-50', 'minute', 'a break'), ('most-40', 'line', 'functions'))
    """
    found = _MUCH.search(phrase)
    if not found:
        part = _PART.search(phrase)
        return (f"{(part['least'] or 'at is').split()[1]}-half", "part", phrase[part.end() :].strip()) if part else None
    number = (found["number"] or {"once": "1", "twice": "2"}[found["times"].casefold()]).casefold()
    limit = next((each for each in ("most", "least", "every") if found[each]), "is")
    unit = stem(found["unit"] or "times") + (f"-{stem(found['per'])}" if found["per"] else "")
    rest = f"{phrase[: found.start()].rstrip()}{phrase[found.end() :]}"
    return f"{limit}-{_NUMBERS.get(number, number)}", unit, rest.strip()


# Verbs by which a request says what is to be done, each with its form in -ing.

_BASES = (
    "write include add keep store put save deploy run test log document annotate format wrap return validate handle"
    " commit push merge rebase review call throw raise pin sort quote import export create delete remove close open set"
    " check host publish release upload send track work go take communicate name prefix suffix start begin end finish"
    " limit group order indent escape encrypt hash mock seed cache retry lint type label mark tag squash sign order"
    " expose rename cover measure monitor configure install define declare pass register mount ship back limit query"
    " block lock mention attach touch edit change skip disable enable force-push hard-code hardcode copy nest chain"
    " maintain submit route file"
    " have give follow split place inject load fetch render style build generate translate backup "
    "restore split force-push"
).split()


def _gerund(base: str) -> str:
    if base.endswith("e") and not base.endswith("ee"):
        return f"{base[:-1]}ing"
    doubled = base in {"run", "log", "wrap", "commit", "pin", "put", "set", "begin", "tag", "ship", "skip", "split"}
    return f"{base}{base[-1]}ing" if doubled else f"{base}ing"


COMMON = frozenset(
    "have take go start begin end finish work communicate follow give track open cover place skip keep put"
    " change cut split lead limit order back send pass check measure attach build touch create".split()
)
"""Verbs of everyday talk: they make a rule only where they say how much, when or where, or of what all."""
VERBS = {base: base for base in _BASES} | {_gerund(base): base for base in _BASES}


_KINDS = {
    "function-argument": r"(?:function|method)s?[' ]*s? (?:arguments?|parameters?|args?|params?)|arguments?|"
    r"parameters?",
    "instance-variable": r"instance variables?",
    "class-variable": r"class variables?",
    "environment-variable": r"environment variables?|env vars?",
    "test": r"(?:unit |integration )?tests?(?: (?:functions?|cases?|methods?))?",
    "attribute": r"(?:class |instance |object )?(?:attributes?|propert(?:y|ies)|fields?)",
    "function": r"functions?",
    "method": r"methods?",
    "variable": r"(?:local |global )?(?:variables?|vars?)",
    "class": r"class(?:es)?",
    "constant": r"constants?",
    "module": r"modules?",
    "package": r"packages?",
    "file": r"files?",
    "folder": r"folders?|director(?:y|ies)",
    "branch": r"branch(?:es)?",
    "table": r"(?:database )?tables?",
    "column": r"columns?",
    "endpoint": r"endpoints?|routes?",
    "interface": r"interfaces?",
    "enum": r"enums?",
    "type": r"types?",
    "component": r"components?",
    "identifier": r"identifiers?",
}
_ANY = "|".join(f"(?P<{kind.replace('-', '_')}>{pattern})" for kind, pattern in _KINDS.items())
ENTITY = re.compile(rf"\b(?:{_ANY})\b(?:'s?)?", re.IGNORECASE)
_AND = re.compile(
    r"^(?:'s?)?(?: names?)?\s*(?:,|,? and|,? or|,? as well as|/)\s*(?:(?:for|in|to|all|your|our|the|of)\s+){0,2}$", re.I
)


def kinds_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kinds of named things in a text, each with its place."""
    for match in ENTITY.finditer(text):
        yield (match.lastgroup or "").replace("_", "-"), match.start(), match.end()


def groups_in(text: str) -> list[tuple[tuple[str, ...], int, int]]:
    """Return the named things of a text; those that are listed together (`functions and methods`) as one.

    >>> groups_in("all functions and methods of a class")
    [(('function', 'method'), 4, 25), (('class',), 31, 36)]
    """
    found: list[tuple[tuple[str, ...], int, int]] = []
    for kind, start, end in kinds_in(text):
        if found and _AND.match(text[found[-1][2] : start]):
            kinds, first, _ = found[-1]
            found[-1] = (tuple(dict.fromkeys((*kinds, kind))), first, end)
        else:
            found.append(((kind,), start, end))
    return found


def plural(kind: str) -> str:
    """Return the plural of a kind as people write it.

    >>> plural("function-argument"), plural("class"), plural("branch")
    ('function arguments', 'classes', 'branches')
    """
    word = kind.replace("-", " ")
    if word.endswith(("s", "ch")):
        return f"{word}es"
    return f"{word}s"


# Other orders of the same words, as the forms of requests are read.

_PLAINER = (
    (re.compile(r"\b(long|short|clear|concise|detailed|brief|small|simple|descriptive), (?=[a-z]+ "
    r")", re.I), r"\1 and "),
    (re.compile(r"^((?:your|our|all|every|each) (?:[\w-]+ ){1,4}?)to (?=(?:be|have|include|start|end|follow)\b)", re.I),
     r"\1must "),
    (re.compile(r"\b(?:an?|the|our|your) (?:[a-z-]+ ){1,4}[a-z]+(?:, or (?:an? )?| \()([A-Z]{2,5})\b\)?"), r"a \1"),
    (re.compile(r"^run(?:ning)? (?=(?:an? |the |your )?(?:linter|formatter|profiler|debugger|type "
    r"checker)s?\b)", re.I), "use "),
    (re.compile(r"^set an? (?:timer|reminder|alarm),? (?:and|so that you|to) (?=(?:take|have)\b)", re.I), ""),
    (re.compile(r"^use (?=(?:at least |at most )?(?:half|all|\d+|[a-z]+ days) (?:of )?(?:your |the |our "
    r")?.*\bdays\b)", re.I), "take "),
    (re.compile(r"\bdays off\b", re.I), "days of vacation"),
    (re.compile(r"^(?:the )?(?:temptation|urge|habit|need) (?:to|of) ", re.I), ""),
    (re.compile(r" as an? (?:crutch|substitute|habit|rule)\b", re.I), ""),
    (re.compile(r"^(take|make|write|run|draw|keep) ((?:[a-z]+ )?[a-z]+s) using (an? .+)", re.I), r"use \3 for \1 \2"),
    (re.compile(r"^(us(?:e|ing) )an? ([a-z -]+?) (?:called|named|known as) ((?-i:[A-Z])[\w.-]*(?: "
    r"(?-i:[A-Z])[\w.-]*)?)", re.I),
     r"\1\3 as the \2"),
    (re.compile(r"^only ([a-z]+ .+?) (?=(?:when|if|after) )", re.I), r"\1 only "),
    (re.compile(r"^(communicate|talk|meet|commit|push|report|sync|check) (regularly|frequently|daily|weekly) "
    r"(.+)", re.I),
     r"\1 \3 \2"),
    (re.compile(r"^(?:mov|shift|transition|migrat|switch)(?:e|ing)? (?:all )?(?:of )?our ([a-z ]+?) (?:over )?to "
                r"(?=(?-i:[A-Z]))(.+)", re.I), r"use \2 for \1"),
)  # fmt: skip


def plainer(request: str) -> str:
    """Return a request in the plainest order of its words that says the same.

    >>> plainer("communicate regularly with the team"), plainer("take notes using a notebook")
    ('communicate with the team regularly', 'use a notebook for take notes')
    """
    for pattern, form in _PLAINER:
        request = pattern.sub(form, request, count=1)
    return request
