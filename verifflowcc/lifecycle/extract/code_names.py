"""What of code is named: functions, methods, classes … as people write of them."""

import re
from collections.abc import Iterator

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
    """Yield the kinds of named things that a text speaks of, with where each stands."""
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
