"""What an expression refers to while names are bound, the parts of a receiver, and names that are too common."""

import builtins
from collections.abc import Sequence
from enum import StrEnum

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import FILE, BindingCandidate, BindingResult


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
        if self.sure <= sure and why in ("", self.why):
            return self
        return Thing(
            self.kind, self.path, self.place, min(self.sure, sure), why or self.why, text=self.text, line=self.line
        )


EXTERNAL = (Thing(ThingKind.EXTERNAL),)
UNKNOWN = (Thing(ThingKind.UNKNOWN),)
"""What is taken from a module that is neither here nor declared."""


def as_instances(things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return objects of types that are ours in the place of these; what is unknown stays so."""
    return tuple(
        [
            Thing(ThingKind.INSTANCE, each.path, each.place, each.sure, each.why)
            if each.kind is ThingKind.DEFINITION
            else each
            for each in things
        ]
    )


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


# The languages' own names: too common to show which definition is meant.

_SCRIPT = (
    "Array Boolean Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy Reflect RegExp Set String"
    " Symbol WeakMap WeakSet alert clearInterval clearTimeout console document fetch isFinite isNaN parseFloat parseInt"
    " queueMicrotask require setInterval setTimeout undefined window globalThis URL encodeURIComponent"
    " decodeURIComponent process module exports"
)
_GO = (
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32"
    " float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune"
    " string true uint uint16 uint32 uint64 uint8 uintptr"
)
_METHODS = (
    "add all any append apply apply_async bind call catch clear clone close concat contains copy count create"
    " decode delete display done dump dumps each empty encode end equals exec execute exists exit fetch filter"
    " find first flush forEach format get group hash has hashCode id includes index indexOf info init insert"
    " is_empty isEmpty items iter iterator join key keys last len length list load loads lock log lower map"
    " match name new next of on open parse path pop print println push put read readline reduce remove render"
    " replace request reset resolve reverse run save search seek send set setup shift size slice sort splice"
    " split start stat status stop strip sub submit substring tell test text then toString to_s trim type"
    " unlock unwrap update upper value values wait warn write"
)

BUILTINS = {
    "python": frozenset(dir(builtins)) | {"__file__", "__name__", "__path__"},
    "script": frozenset(_SCRIPT.split()),
    "go": frozenset(_GO.split()),
}
"""What a name alone means in a family of languages if no scope has it."""

COMMON_METHODS = frozenset(_METHODS.split()).union(
    *(dir(each) for each in (str, bytes, list, dict, set, tuple, int, float, Exception))
)
"""Methods that objects of any kind have: that one alone is defined here does not say that it is meant."""


DEFINED = frozenset({ThingKind.DEFINITION, ThingKind.MODULE})
LEAST = 5


def as_bound(things: Sequence[Thing]) -> BindingResult:
    """Return definitions and modules among some things as what a reference may mean, surest first."""
    candidates = [
        BindingCandidate(each.path, each.place, each.sure, each.why) for each in things if each.kind in DEFINED
    ]
    candidates.sort(key=lambda each: (-each.confidence, each.path, each.place))
    outside = bool(things) and all(each.kind is ThingKind.EXTERNAL for each in things)
    return BindingResult(tuple(candidates), outside)


def by_number(places: Sequence[tuple[str, int]], alone: int, shared: int) -> BindingResult:
    """Return all definitions of a name as what a reference may mean, the less sure the more there are."""
    count = len(places)
    if count == 1:
        return BindingResult((BindingCandidate(*places[0], alone, "the only one of its name"),))
    sure = max(shared // count, LEAST) if count else 0
    return BindingResult(
        tuple([BindingCandidate(*each, sure, f"one of {count} of its name") for each in sorted(places)])
    )
