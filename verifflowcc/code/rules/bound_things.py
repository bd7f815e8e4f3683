"""What an expression refers to while names are bound, and the parts of a receiver."""

from enum import StrEnum

from verifflowcc.base.records import dataclass, replace
from verifflowcc.code.rules.graph import FILE


class ThingKind(StrEnum):
    """A definition itself, an object of a type, what a type inherits, a file or folder, a local name, the outside,
    and what comes from a module that is not found."""

    DEFINITION = "definition"
    INSTANCE = "instance"
    INHERITED = "inherited"
    MODULE = "module"
    FOLDER = "folder"
    LOCAL = "local"
    EXTERNAL = "external"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Thing:
    """Of a definition, type or local name: its file and place (its scope). Of a folder: its path.

    `sure` is from 0 to 100. `text` is the type that is said of a local name, at `line`.
    """

    kind: ThingKind
    path: str = ""
    place: int = FILE
    sure: int = 100
    why: str = ""
    text: str = ""
    line: int = 0

    def weaker(self, sure: int, why: str = "") -> "Thing":
        """Return it, at most so sure, with another reason if there is one."""
        return replace(self, sure=min(self.sure, sure), why=why or self.why)


EXTERNAL = (Thing(ThingKind.EXTERNAL),)
UNKNOWN = (Thing(ThingKind.UNKNOWN),)
"""What is taken from a module that is neither here nor declared."""


def segments(expression: str) -> tuple[tuple[str, int], ...]:
    """Take an expression apart at its dots: each name, and how often it is called. Empty where it is not plain.

    >>> segments("a.b().c")
    (('a', 0), ('b', 1), ('c', 0))
    >>> segments("a[0].b")
    ()
    """
    parts = []
    for part in expression.replace("::", ".").replace("->", ".").split("."):
        name, calls = part.strip(), 0
        while name.endswith("()"):
            name, calls = name[:-2], calls + 1
        if not name.lstrip("$@").isidentifier():
            return ()
        parts.append((name, calls))
    return tuple(parts)


def plain_type(text: str) -> str:
    """Return a type's text without what only says how it is held.

    >>> plain_type("*pkg.Server[T]"), plain_type("&mut Shape"), plain_type("f()")
    ('pkg.Server', 'Shape', 'f()')
    """
    text = text.strip(" *&?\"'").removeprefix("mut ").removeprefix("const ").strip(" *&")
    for bracket in "[<":
        begin = text.find(bracket)
        if begin > 0:
            text = text[:begin]
    return text.strip(" *&?")
