"""Values beside a name such as `password` or `api_key`: assigned, in an element, of a command, in a sentence.

One pass looks for the roots of such names; what stands to the left and right of each root then decides. All of it reads
a bounded stretch around a root, so that it takes time in proportion to the text. What decides is compiled when a text
first has a root: a hook withholds secrets from every event that it records.
"""

import re
from collections.abc import Iterator

from verifflowcc.text.secret_kinds import pattern

_ROOT = re.compile(
    r"pass(?:w(?:or)?d|phrase|wort|code)|pass(?![a-z])|pwd|secret|credential|token|bearer|key(?![a-rt-z])|auth(?!o)|_pw"
)
_NEEDS_MORE = frozenset({"pass", "key", "auth", "_pw"})
"""Roots that are words of everyday: something in front of them says that they name a secret."""
_IN_FRONT = (
    r"(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|service|shared|signing|storage|"
    r"webhook|session|admin|db|database|user|root|smtp|ftp|ssh|redis|mysql|postgres|pg|mail|npm|x)[ _.-]?|[_.-]"
)
_KEYS_OF_DATA = (
    r"(?:public|publishable|foreign|primary|partition|sort|cache|idempotency|next[ _-]?page|page|sub|unsub|sync|"
    r"continuation|csrf|xsrf|next)[ _-]?$"
)
_QUOTED = r"""(?:"([^"\n]{6,300})"|'([^'\n]{6,300})'|`([^`\n]{6,300})`|\\"([^"\\\n]{6,300})\\"""
_VALUE = _QUOTED + r"""|([^\s"'`<>(){}\[\]\\]{6,300}))"""
_ASSIGNED = (
    r"""[A-Za-z0-9_]{0,24}(?:\\?["'`])?\]?(?:\*\*)?(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z]{2,20}\??)?"""
    r"""[ \t]{0,3}(?::=|=>|==|=|:|\||->|→)(?:\*\*)?[ \t]{0,3}""" + _VALUE
)
_PASSED = r"""[A-Za-z0-9_]{0,24}(?:["'`]\s{0,3},|\s{1,3}(?:by)?)\s{0,3}""" + _QUOTED + ")"
"""An argument behind the name of a variable, or a value in quotes right behind the word, as in SQL."""
_ELEMENT = r"[A-Za-z0-9_.-]{0,20}>\s{0,3}([^<>\s]{6,300})\s{0,3}</"
_BEHIND_SPACE = r"[A-Za-z0-9_]{0,20}\s{1,3}" + _VALUE
_COMMAND_IN_FRONT = r"(?u:(?:^|\s)--?[a-z0-9_.-]{0,30}|(?:^|\s)(?:env|arg|setx|set)\s{1,3}[a-z0-9_]{0,40})$"
_SAID = (
    r"s?(?:\s{1,2}(?:for|of|on|in|at|von)(?:\s{1,2}[^\s,;]{1,60}){1,3}?)?\s{1,2}"
    r"(?:is|are|was|to|ist|=|as)(?:\s{1,2}(?:now|still|always|set to))?:?\s{1,2}" + _VALUE
)
_LEFT = 60
ASSIGNED, SPOKEN = "password or key beside its name", "password or key in a sentence"


def beside_names(text: str, lower: str) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of each value that a name stands beside, whatever the value is.

    `lower` is the text in small letters, of the same length.
    """
    for root in _ROOT.finditer(lower):
        left = lower[max(0, root.start() - _LEFT) : root.start()]
        if not _names_a_secret(root[0], left):
            continue
        where = root.end()
        assigned = _first(text, where, _ASSIGNED, _ELEMENT, _PASSED)
        if assigned is None and pattern(_COMMAND_IN_FRONT).search(left):
            assigned = pattern(_BEHIND_SPACE).match(text, where)
        found, kind = (assigned, ASSIGNED) if assigned else (pattern(_SAID).match(text, where), SPOKEN)
        if found is not None and found.lastindex:
            yield kind, *found.span(found.lastindex)


def _first(text: str, where: int, *sources: str) -> re.Match[str] | None:
    return next((found for source in sources if (found := pattern(source).match(text, where))), None)


def _names_a_secret(root: str, left: str) -> bool:
    if pattern(_KEYS_OF_DATA).search(left):
        return False
    if root not in _NEEDS_MORE:
        return True
    return any(match.end() == len(left) for match in pattern(_IN_FRONT).finditer(left, max(0, len(left) - 12)))
