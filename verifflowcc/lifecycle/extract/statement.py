"""The normal form of a text that is an item already, whoever wrote it, so that new statements can be compared."""

from verifflowcc.lifecycle.extract.asked import asked
from verifflowcc.lifecycle.extract.fixes import fixes
from verifflowcc.lifecycle.extract.generic import generic
from verifflowcc.lifecycle.extract.personal import PERSONAL_TYPES, personal_form
from verifflowcc.lifecycle.extract.project import PROJECT_TYPES, project_form
from verifflowcc.lifecycle.extract.rules import Focus, code_rules
from verifflowcc.lifecycle.extract.sentences import sentences
from verifflowcc.lifecycle.extract.stated import Stated


def normal_form(text: str, type_name: str) -> tuple[str, str, bool]:
    """Return what a text of a type speaks of, what it says of it, and whether it says that it is not so.

    >>> normal_form("Function names start with `a_`.", "convention")
    ('function-names', 'start:a_', False)
    >>> normal_form("Always use a debugger.", "guideline") == normal_form("use the debugger", "guideline")
    True
    """
    said = sentences(text)
    if not said:
        return "", "", False
    if type_name in PERSONAL_TYPES:
        return personal_form(said[0], type_name)
    if type_name in PROJECT_TYPES - {"decision"}:
        return project_form(said[0], type_name)
    mended = fixes(said[:2]) if type_name == "fix" else {}
    rule = next(iter(mended.values()), None) or _ruled(said)
    if rule:
        return rule.subject, rule.value, rule.negated
    request = asked(said[0])
    if request:
        return request.stated.subject, request.stated.value, request.stated.negated
    if type_name == "decision":
        return project_form(said[0], type_name)
    other = generic(said[0])
    return other.subject, other.value, other.negated


def _ruled(said: list[str]) -> Stated | None:
    focus = Focus()
    for sentence in said[:3]:
        found = code_rules(sentence, focus)
        if found:
            return found[0]
        focus.follow(sentence)
    return None
