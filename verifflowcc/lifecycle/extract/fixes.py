"""Errors together with what mended them."""

import re
from collections.abc import Sequence

from verifflowcc.lifecycle.extract.generic import generic
from verifflowcc.lifecycle.extract.stated import Stated, named

_ERROR = re.compile(
    r"\b(?P<name>[A-Z]\w*(?:Error|Exception|Warning|Timeout))\b|\b(?:error|exception|crash(?:es|ed)?|"
    r"fail(?:s|ed|ing|ure)?|bug|timed out|regression)\b"
)
_FIX = re.compile(
    r"\b(?:(?:the|our|a) (?:fix|solution|workaround|cure) (?:is|was)|(?:was |is |got |be )?(?:fixed|"
    r"solved|resolved|cured|worked around) (?:it |this |that )?(?:by|with|when|after)|"
    r"(?:fixed|solved|resolved) (?:it|this|that|the \w+)|(?:fixes|solves|resolves) (?:it|this|that|the)|"
    r"(?:root )?cause was)\b",
    re.IGNORECASE,
)


def fixes(said: Sequence[str]) -> dict[int, Stated]:
    """Return the fixes that sentences tell of, by place: an error, and what mended it, there or one sentence before.

    >>> fixes(["We got a KeyError in load.", "The fix was to call strip first."])[1].subject
    'keyerror'
    """
    found: dict[int, Stated] = {}
    for place, sentence in enumerate(said):
        fix = _FIX.search(sentence)
        if not fix or sentence.endswith("?"):
            continue
        here = _ERROR.search(sentence)
        error = here or (_ERROR.search(said[place - 1]) if place else None)
        if not error:
            continue
        whole = sentence if here else f"{said[place - 1]} {sentence}"
        subject = named(error["name"]) if error["name"] else generic(whole).subject
        found[place] = Stated(subject, named(sentence)[:80], False, whole, subject, known=False)
    return found
