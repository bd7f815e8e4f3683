"""Rules for what code has: decorators, imports, docstrings, annotations, assertions, comments …"""

import re

from verifflowcc.memory.rules.code_names import NormalForm, groups_in, named, plural

_CONSTRUCTS = {
    "docstrings": r"doc[ -]?strings?|documentation strings?",
    "annotations": r"(?:type )?annotat(?:ions?|ed?|ing)|type[ -]?hint(?:s|ing|ed)?",
    "try statements": r"try(?:[-/ ](?:except|catch))?(?:[-/ ]finally)?['\"`]? (?:statements?|blocks?|clauses?|"
    r"constructs?)|"
    r"try[-/]?(?:except|catch)(?:s|es)?|['\"`]try['\"`]",
    "assert statements": r"assert(?:ion)?['\"`]? (?:statements?|checks?)|assert(?:ion)?s",
    "comments": r"(?:in-?line |explanatory |code )?comment(?:s|ed|ing)?",
    "logging": r"log(?:ging)? (?:statements?|calls?|messages?)",
    "print statements": r"print (?:statements?|calls?)",
    "type checks": r"type checks?|is-?instance checks?",
    "f-strings": r"f-?strings?",
    "global variables": r"global variables?|globals",
    "wildcard imports": r"(?:wildcard|star) imports?",
    "relative imports": r"relative imports?",
    "absolute imports": r"absolute imports?",
    "magic numbers": r"magic numbers?",
    "type ignores": r"type:? ?ignores?",
    "list comprehensions": r"(?:list|dict|set) comprehensions?",
    "lambdas": r"lambdas?(?: functions?| expressions?)?",
    "mocks": r"mocks?|mocking",
    "default exports": r"default exports?",
    "bare excepts": r"bare excepts?",
    "semicolons": r"semi-?colons?",
    "trailing commas": r"trailing commas?",
    "early returns": r"early returns?",
}
_ANY = re.compile(
    "|".join(rf"\b(?P<n{at}>{each})(?!\w)" for at, each in enumerate(_CONSTRUCTS.values())), re.IGNORECASE
)
_NAMES = tuple(_CONSTRUCTS)
_CALLABLE = frozenset({"function", "method", "class", "test", "module", "file", "variable", "endpoint", "constant"})
_DECORATOR = re.compile(
    r"['\"`]?@(?P<at>[A-Za-z_][\w.]*+)(?!/)(?:\(\))?['\"`]?|['\"`](?P<before>[A-Za-z_][\w.]*)['\"`] decorator|"
    r"decorator (?:called |named )?['\"`](?P<after>[A-Za-z_][\w.]*)['\"`]",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom (?:the )?['\"`]?(?P<module>[a-z_][\w.]*)['\"`]? (?:module|package|library)", re.IGNORECASE)
_MODULE = re.compile(
    r"\bimport(?:s|ing|ed)?(?: statements?)?(?: for| of)?(?: (?:the|a|python's|"
    r"our))*\s+['\"`](?P<one>[A-Za-z_][\w.]*)['\"`]|"
    r"['\"`](?P<two>[A-Za-z_][\w.]*)['\"`] (?:module|package|library)|"
    r"\bimport(?:ing|s)? the (?P<three>[a-z_][\w.]*) (?:module|package|library)|"
    r"`import (?P<four>[A-Za-z_][\w.]*)`|\bmodule ['\"`](?P<five>[A-Za-z_][\w.]*)['\"`]",
)
_IMPORT = re.compile(r"\bimport", re.IGNORECASE)
_BRING = re.compile(r"\b(?:import|includ|add|bring|incorporat)(?:e|es|ing|s)?\b", re.IGNORECASE)
_UNUSED = re.compile(
    r"\b(?:even (?:if|when|though)|regardless|whether or not|unused|not (?:be )?used)\b", re.IGNORECASE
)
_NOT = re.compile(
    r"\b(?:never|don't|do not|doesn't|avoid\w*|refrain\w*|stop|without|no longer|no need|instead of|rather than|no|not|"
    r"discontinu\w*|remov\w*|drop|skip|quit|cease)\b[^,;.]*$",
    re.IGNORECASE,
)
_BUT_DO = re.compile(
    r"\b(?:and|but|then)(?: (?:instead|rather|only|always|to))*,? (?=(?:use|using|opt|opting|switch\w*|"
    r"rely|go|stick|adopt\w*|start|do|take|work|write|focus|turn|move|choose|prefer|add|include|end)\b)",
    re.IGNORECASE,
)
_NOT_NOT = re.compile(
    r"\b(?:never|don't|do not|not) (?:forget|hesitate|neglect|fail|skip|omit|leave out|only)\b", re.IGNORECASE
)
_GOVERNED = re.compile(
    r"\b(?:want|use|using|add|adding|include|including|write|writing|avoid|avoiding|put|have|keep|never|"
    r"always|no|without|prefer)\s+(?:(?:any|all|clear|concise|proper|more|new|only|and|long|short|"
    r"full)\s+){0,3}['\"`]?$",
    re.IGNORECASE,
)
_IN_CODE = re.compile(
    r"\s*(?:\w+ ){0,2}?(?:in|to|into|throughout|within|for|on) (?:all (?:of )?)?(?:your|our|"
    r"the)? ?(?:\w+ )?code(?:base)?s?\b",
    re.IGNORECASE,
)
_EVER = re.compile(
    r"\b(?:always|never|consistently|no longer|from now on|going forward|moving forward|in (?:your|our|"
    r"the|all) code|prefer|don't|do not|avoid|stop|no)\b",
    re.IGNORECASE,
)
_CERTAIN = re.compile(r"\b(?:those|these|the|this|that|some|basic) (?:\w+ )?['\"`]?$|\bfor now\b", re.IGNORECASE)
_COMMON = frozenset({"docstrings", "annotations", "try statements", "assert statements", "comments", "logging"})
_HAS = frozenset({"function", "method", "class", "test", "module", "file", "function-argument"})
_THESE = re.compile(r"\b(?:them|they|these|those)\b", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|that|the|it) decorator\b", re.IGNORECASE)


def denied(text: str) -> bool:
    """Say whether the end of a text denies what follows it.

    >>> denied("avoid using"), denied("don't forget to use"), denied("use")
    (True, False, False)
    """
    return bool(_NOT.search(_BUT_DO.split(_NOT_NOT.sub("", text))[-1]))


def decorators(sentence: str, decorator: str, focus: tuple[str, ...] = ()) -> list[NormalForm]:
    """Return the rules for decorators; `decorator` is the one (`name` or `name module`) that was last spoken of."""
    if "decorator" not in sentence and "@" not in sentence:
        return []
    spoken = spoken_decorators(sentence) or ([(decorator, 0, 0)] if decorator and _THIS.search(sentence) else [])
    groups = [
        each for each in groups_in(_FROM.sub(lambda found: " " * len(found[0]), sentence)) if each[0][0] in _CALLABLE
    ]
    found: list[NormalForm] = []
    for place, (name, start, end) in enumerate(spoken):
        limit = spoken[place + 1][1] if place + 1 < len(spoken) else len(sentence)
        after = [each for each in groups if end <= each[1] < limit]
        kinds = after[0][0] if after else groups[-1][0] if groups else focus
        found += [_decorator(name, kind, negated=denied(sentence[:start])) for kind in kinds]
    return found


def spoken_decorators(sentence: str) -> list[tuple[str, int, int]]:
    """Return the decorators in a sentence, each with its module after a blank, and its place."""
    module = _FROM.search(sentence)
    behind = f" {module['module']}" if module else ""
    return [
        ((match["at"] or match["before"] or match["after"]).rstrip(".") + behind, match.start(), match.end())
        for match in _DECORATOR.finditer(sentence)
    ]


def _decorator(name: str, kind: str, *, negated: bool) -> NormalForm:
    bare, _, module = name.partition(" ")
    origin = f" from the '{module}' module" if module else ""
    verb = "Do not add" if negated else "Add"
    says = f"{verb} the '@{bare}' decorator{origin} to all {plural(kind)}."
    subject = f"decorator-{named(bare)}-{named(plural(kind))}"
    return NormalForm(subject, "use", negated, says, subject)


def imports(sentence: str, apart: str = "") -> list[NormalForm]:
    """Return the rules for imports; `apart` is a module that is spoken of for its decorators.

    >>> [each.says for each in imports("Import the 'gzip' module, even if you do not use it.")]
    ["Always import the 'gzip' module, even if it is not used."]
    """
    if not _IMPORT.search(sentence) and not (_BRING.search(sentence) and "module" in sentence):
        return []
    if "decorator" in sentence and not _IMPORT.search(sentence):
        return []
    text = sentence
    if "decorator" in sentence:
        text = _FROM.sub(lambda found: " " * len(found[0]), sentence)
    found = []
    for match in _MODULE.finditer(text):
        module = next(each for each in match.groups() if each)
        if module == apart:
            continue
        negated = denied(text[: match.start() + 1])
        says = f"Never import the '{module}' module." if negated else f"Always import the '{module}' module."
        if _UNUSED.search(sentence) and not negated:
            says = f"{says[:-1]}, even if it is not used."
        subject = f"import-{named(module)}"
        found.append(NormalForm(subject, "use", negated, says, subject))
    return found


def constructs(sentence: str, focus: tuple[str, ...] = ()) -> list[NormalForm]:
    """Return the rules for what code must have, each with its kind of code.

    >>> [each.says for each in constructs("Never use docstrings or comments in methods.")]
    ['Do not use docstrings in methods.', 'Do not use comments in methods.']
    """
    spoken = list(_ANY.finditer(sentence))
    if not spoken:
        return []
    blank = _ANY.sub(lambda found: "-" * len(found[0]), sentence)
    groups = [each for each in groups_in(blank) if each[0][0] in _HAS]
    found: list[NormalForm] = []
    for match in spoken:
        name = _NAMES[int((match.lastgroup or "n0")[1:])]
        kinds = _subjects(sentence, match, groups)
        if not kinds and _THESE.search(sentence):
            kinds = tuple(each for each in focus if each in _HAS)
        kinds = tuple("function" if each == "function-argument" else each for each in kinds)
        if not (kinds or _alone(sentence, match, name)) or (
            name not in _COMMON and not _GOVERNED.search(sentence[: match.start()])
        ):
            continue
        negated = denied(sentence[: match.start()])
        found += [_construct(name, kind, negated=negated) for kind in kinds or ("code",)]
    return list({each.key: each for each in found}.values())


def _alone(sentence: str, match: re.Match[str], name: str) -> bool:
    """Say whether a rule is made for all code: a verb asks for the construct, and not for certain ones of it."""
    before = sentence[: match.start()]
    if name == "print statements" and "debug" in sentence.casefold():
        return False
    if _CERTAIN.search(before):
        return False
    return bool((_GOVERNED.search(before) and _EVER.search(sentence)) or _IN_CODE.match(sentence[match.end() :]))


def _subjects(sentence: str, match: re.Match[str], groups: list[tuple[tuple[str, ...], int, int]]) -> tuple[str, ...]:
    after = [each for each in groups if each[1] >= match.end()]
    before = [each for each in groups if each[2] <= match.start()]
    if after and re.fullmatch(
        r"[^.;]*?\b(?:in|to|for|on|of|within|into|inside|with|throughout|all|your|every|each|across)\s+(?:\w+\s+){0,3}",
        sentence[match.end() : after[0][1]],
        re.I,
    ):
        return after[0][0]
    if before:
        return before[-1][0]
    return after[0][0] if after else ()


def _construct(name: str, kind: str, *, negated: bool) -> NormalForm:
    place = "code" if kind == "code" else plural(kind)
    verb = "Do not use" if negated else "Use"
    subject = f"{named(name)}-in-{named(place)}"
    return NormalForm(subject, "use", negated, f"{verb} {name} in {place}.", subject)
