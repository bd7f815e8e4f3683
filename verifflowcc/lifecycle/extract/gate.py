"""Whether a turn is worth a closer look: signs of code, of an error, of a decision or a rule, of a change."""

import re
from functools import lru_cache

from verifflowcc.domain.candidates import Signals

_CODE_MARKS = re.compile(
    r"```|`[^`\n]{1,80}`|\b\w{1,60}\(\)|\b[a-z]{1,40}_[a-z_]{1,40}\b|\b[\w/]{1,80}\.(?:py|js|ts|go|rs|"
    r"java|md|ya?ml|toml|json|sql|sh)\b"
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_KINDS = (
    re.compile(
        r"(?:function|method|class|variable|argument|parameter|attribute|module|decorator|docstring|"
        r"import|annotation|commit|branch|repository|"
        r"database|api|endpoint|deploy|linter|formatter|ide|test)(?:e?s)?"
    ),
    re.compile(
        r"\w*(?:error|exception)s?|traceback|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|bugs?|broken|"
        r"segfault|timeout|panic|regression|"
        r"fix(?:ed|es)?|solved|resolved|workaround"
    ),
    re.compile(
        r"all|every|each|decid\w+|decisions?|agreed?|chose|chosen|settled?|always|never|must|should|shall|needs?|"
        r"requires?|prefer\w*|likes?|wants?|avoid\w*|refrain|"
        r"conventions?|standards?|polic(?:y|ies)|rules?|guidelines?|ensure|please|remember|let's|"
        r"important|recommend\w*|suggest\w*|us(?:e|es|ed|ing)|"
        r"assum\w+|deadline|due|goal|usually|typically|audience|clients?|customers?|target|don't|not|no|"
        r"only|focus|aim|questions?|approver|tone|company|"
        r"teams?|i|i'\w+|my|me|we|we'\w+|our|us|works?|working|with|is|are|loves?|hates?|trying|hopes?|"
        r"plans?|rather|keep|make|stop|be|explain|answer|"
        r"reply|show|call|runs?|lives?|written|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    ),
    re.compile(
        r"instead|longer|switch\w*|chang(?:e[ds]?|ing)|updat(?:e[ds]?|ing)|replac\w+|migrat\w+|"
        r"deprecat\w+|forward|now|henceforth|onwards?|renam\w+|moved|moving|"
        r"drop(?:ped|ping)?|anymore|new"
    ),
)


def signals_of(text: str) -> Signals:
    """Return how often a text shows each sign.

    >>> signals_of("We decided to drop `utils.py`."), signals_of("Good morning!").worth
    (Signals(code=1, error=0, decision=2, change=1), False)
    """
    counts = [sum(1 for _ in _CODE_MARKS.finditer(text)), 0, 0, 0]
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        for kind in _signs_of(word):
            counts[kind] += 1
    return Signals(*counts)


@lru_cache(maxsize=20_000)
def _signs_of(word: str) -> tuple[int, ...]:
    return tuple(place for place, pattern in enumerate(_KINDS) if pattern.fullmatch(word))
