"""What limits or turns round a sentence: negations, conditions, exceptions, permissions; and whether a form keeps it.

The rules put a sentence into a normal form to compare it. Where the sentence has a qualifier that the form has not, or
has in another place, the form may say the opposite: then a person looks at it.
"""

import re

from verifflowcc.memory.rules.code_names import VERBS

_NAMED = (
    r"(?:(?:function|method)s?'? (?:arguments?|parameters?)|functions?|methods?|class(?:es)?|variables?|attributes?|"
    r"arguments?|parameters?|constants?|(?:\w+ )?code)(?: names?)?"
)
_HARMLESS = re.compile(
    r"\b(?:(?:don't|do not|never) (?:forget|hesitate)(?: to)?|without (?:fail|exception)|no exceptions?|no matter what|"
    r"(?:no|nope),? (?:wait|actually|sorry)|(?:no|not a) (?:problem|worries|rush)|"
    r"it(?:'d| would| might| could) be [^,.;:]{1,40}? if (?:you|we|everyone)(?: all)?(?: could)?|"
    r"when(?:ever)? (?:you(?:'re| are)? |we(?:'re| are)? )?(?:nam|declar|defin|creat|writ)(?:ing|e) "
    rf"(?:(?:your|our|the|an?|any|all|new|names? (?:of|for)) )*{_NAMED}(?=[, ])|"
    r"when(?:ever)? (?:you(?:'re| are)? )?(?:coding|programming)(?=,))",
    re.IGNORECASE,
)
"""What sounds like a qualifier and is none: a polite request, the topic of a rule."""
_CONCEDED = re.compile(r",? ?\beven if (?:you|we|it|they)\b[^,.;:]*", re.IGNORECASE)
"""What is so whether or not: no condition, where the form says it as well."""
_PLACES = (
    r"tests?|test suites?|scripts?|migrations?|production|staging|"
    r"development(?! (?:process|work|workflow|journey|team))|"
    r"CI|examples?|docs|prototypes?|backend|frontend|services?|notebooks?|fixtures?|benchmarks?|spikes?|branch(?:es)?|"
    r"Windows|Linux|macOS|laptops?|[\w.-]*/[\w./-]*|\w+\.(?:py|js|ts|go|rs|md|ya?ml|toml|json|sql|sh)|"
    r"modules?|packages?|apps?|components?|layers?|folders?|director(?:y|ies)|adapters?|handlers?|plugins?|"
    r"librar(?:y|ies)|(?:generated|legacy|third-party) code"
)
_KINDS = {
    "negation": r"not|\w+n't|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|without|hardly|barely|scarcely|"
    r"rarely|seldom|avoid\w*|stop(?:s|ped|ping)?|refrain\w*|quit|ceas(?:e|es|ed|ing)|discontinu\w*|forbid\w*|"
    r"prohibit\w*|ban(?:s|ned|ning)?|disallow\w*|ditch\w*|abandon\w*|eliminat\w*|disregard\w*|forgo\w*|"
    r"drop(?:s|ped|ping)?|steer(?:ing)? clear|stay(?:ing)? away|mov(?:e|ing) away|get(?:ting)? rid|"
    r"do(?:ing)? without|deprecated|off[- ]limits|against|dont|doesnt|cant|wont|shouldnt|mustnt",
    "condition": r"if|when|whenever|unless|until|till|once|while|as long as|provided|in case|wherever|depending|"
    r"otherwise|during|assuming|outside|(?:in|into|on|for|inside|within|under) "
    rf"(?!(?:this|our) (?:package|library|app)\b)(?:[\w-]+ ){{0,3}}?(?:{_PLACES})",
    "exception": r"(?<!try[-/ ])except(?:ing)?|exceptions? (?:is|are|for|to)|exception of|exclud(?:ing|ed)|apart from|"
    r"aside from|other than|besides|save for|but (?:for|not)|only|unless",
    "permission": r"(?:can|may|might|could)(?! (?:not|no longer|you|we)\b)|feel free|free to|"
    r"(?:okay|ok|fine|alright|welcome) (?:to|if)|allowed|permitted|optional|acceptable|"
    r"(?:don't|do not|doesn't|does not|not|never|no longer) (?:have|need) to|need not|needn't|"
    r"no (?:need|obligation)|(?:don't|do not|wouldn't|not) mind|"
    r"not (?:required|necessary|mandatory|obliged|needed)|up to (?:you|us)",
    "doubt": r"doubt\w*|mistakes?|wrong|bad idea|claims?|claimed|says?|suppos\w+|allegedly|rumou?r\w*|imagine|"
    r"pretend|as if|what (?:if|could)|would have|nonsense|myth|not (?:only|just|always|necessarily|every\w*|all)|"
    r"(?:he|she|they|manager|boss|(?!(?:You|As|It|That)\b)(?-i:[A-Z][a-z]+)) (?:said|told|thinks?|insists?|wants?)|"
    r"yeah,? right|hardly|barely|scarcely|rarely|seldom|even (?:if|when|though)|(?:don't|do not) always|"
    r"(?:never|stop) (?:not|avoid\w*|without)",
}
_FIND = {kind: re.compile(rf"(?<![\w'])(?:{words})(?![\w'])", re.IGNORECASE) for kind, words in _KINDS.items()}
_NEVER = re.compile(
    r"\b(?:(?:avoid(?:ing)?|stop|refrain(?:ing)? from|quit|never) (?:the (?P<use>use) of|(?P<doing>[a-z-]+ing))|"
    r"(?:let's|let us|must|should|shall|can) not|(?:no longer|do not|don't|mustn't|shouldn't|cannot|can't|must never|"
    r"should never))\b"
)
"""Words by which people say no to what follows; a closed list, since others are misread."""
_NAMES = {
    "negation": "a negation",
    "condition": "a condition",
    "exception": "an exception",
    "permission": "a permission",
    "doubt": "a doubt or a report",
}
_DENIES = re.compile(
    r"\b(?:never|no longer|cannot|(?:do|must|should|shall|may|can|to|will) not|\w+n't)\b", re.IGNORECASE
)
_LEAVES = re.compile(r"\b(?:drop|ditch|abandon|eliminat|discontinu|disregard|forgo)\w*\b", re.IGNORECASE)
_TWISTED = ("permission", "doubt")


def qualifiers(text: str) -> tuple[str, ...]:
    """Return the kinds of qualifier that a text has.

    >>> qualifiers("Never use print, except in scripts."), qualifiers("Use tabs.")
    (('negation', 'condition', 'exception'), ())
    """
    written = _HARMLESS.sub("", text.replace("’", "'"))
    return tuple(kind for kind, pattern in _FIND.items() if pattern.search(written))


def doubt_about(text: str) -> str:
    """Return why a person should check a sentence before it counts.

    >>> doubt_about("Never use print, except in tests/.")
    'it has a negation, a condition, an exception: check that it is meant as it reads'
    """
    kinds = ", ".join(_NAMES[kind] for kind in qualifiers(text))
    return f"it has {kinds}: check that it is meant as it reads" if kinds else "it may need the talk around it"


def keeps(written: str, form: str) -> bool:
    """Say whether a form of what was said cannot mean something else: nothing in it is qualified, or it is said so.

    `Never use X`, `do not use X`, `you must not use X` and `avoid using X` are one; what the form leaves out at either
    end has no qualifier.

    >>> keeps("From now on, don't use tabs.", "Never use tabs."), keeps("We never drop tables.", "Use tables.")
    (True, False)
    """
    if _CONCEDED.search(written) and _CONCEDED.search(form):
        written, form = _CONCEDED.sub("", written), _CONCEDED.sub("", form)
    if not (qualifiers(written) or qualifiers(form)):
        return True
    words, kept = _words(written), _words(form)
    if any(kind in _TWISTED for kind in qualifiers(written)):
        return False
    for start in range(len(words) - len(kept) + 1):
        if words[start : start + len(kept)] == kept:
            return not (qualifiers(" ".join(words[:start])) or qualifiers(" ".join(words[start + len(kept) :])))
    return False


def agrees(text: str, *, negated: bool) -> bool:
    """Say whether a text can mean what it was read as: `negated`, that something is not to be.

    >>> agrees("In tests, never sleep.", negated=False), agrees("Use tabs, not spaces.", negated=False)
    (False, True)
    >>> agrees("Always skip the tests.", negated=True)
    False
    """
    written = _HARMLESS.sub("", _CONCEDED.sub("", text.replace("’", "'")))
    if negated:
        return "negation" in qualifiers(_LEAVES.sub("", written))
    return not _DENIES.search(written)


def same_words(written: str, form: str) -> bool:
    """Say whether two texts have the same words in the same order."""
    return _words(written) == _words(form)


def _words(text: str) -> list[str]:
    plain = _NEVER.sub(_never, _HARMLESS.sub("", text.casefold().replace("’", "'")))
    return [word for each in plain.split() if (word := each.strip("'`\".,;:!?()*"))]


def _never(found: re.Match[str]) -> str:
    doing = found["use"] or found["doing"]
    return f"never {VERBS.get(doing, 'use' if doing == 'using' else doing)}" if doing else "never"
