"""What an expression refers to while names are bound: things, questions that lead round in circles, lines of types.

Beside them the parts of a receiver, and names that are too common.
"""

import builtins
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import FILE, BindingCandidate, BindingResult

if TYPE_CHECKING:
    Answer = tuple["Thing", ...]


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


# Imports can form circles, so a question may lead back to itself; its answer must not depend on earlier questions.

DEEPEST = 60
"""A question that leads to more questions inside of each other has no answer: well below what Python itself allows."""
_NONE: frozenset[Hashable] = frozenset()


class _TooDeepError(Exception):
    pass


_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Circles:
    """Answers questions once.

    A question that is met again while it is answered has no answer there: its circle is cut. Which cut it is depends
    on where the circle was entered, so what was found inside of a circle serves only while that is open, and the answer
    of the question where it was entered serves as long as no other one of the circle is open. So each answer is the one
    that the question has where nothing was asked before.

    Of each open question: `_grounds` has the outermost open one that its answer rests on so far, `_made` the questions
    of its circle that were answered inside of it, `_heights` how many questions stand inside of each other in it.
    """

    def __init__(self) -> None:
        self.read = 0
        """A bit for each file that was looked at for what is open, and for each name that was asked for."""
        self._answers: dict[Hashable, tuple[Answer, int, frozenset[Hashable], int]] = {}
        self._for_now: dict[Hashable, tuple[Answer, int, int, int]] = {}
        self._open: dict[Hashable, int] = {}
        self._grounds: list[int] = []
        self._made: list[list[Hashable]] = []
        self._heights: list[int] = []

    def ask(self, question: Hashable, answer: "Callable[[], Answer]") -> "Answer":
        """Return the answer to a question: a known one, or what `answer` returns."""
        known = self._answers.get(question)
        if known is not None and (not known[2] or self._open.keys().isdisjoint(known[2])):
            self._rests_on(len(self._grounds), known[1])
            self.read |= known[3]
            return known[0]
        if self._open:
            return self._answer_inside(question, answer)
        try:
            return self._answer_inside(question, answer)
        except _TooDeepError:
            self._answers[question] = ((), DEEPEST, _NONE, self.read)
            return ()
        finally:
            for each in (self._for_now, self._open, self._grounds, self._made, self._heights):
                each.clear()

    def kept(self, question: Hashable) -> tuple[int, int] | None:
        """Return of an answer that holds always how many questions are inside of each other in it, and what was read
        for it; None for another."""
        known = self._answers.get(question)
        return (known[1], known[3]) if known is not None and not known[2] else None

    def lean(self, height: int, read: int) -> None:
        """Note that what is open rests on answers that hold always, of at most that height."""
        self._rests_on(len(self._grounds), height)
        self.read |= read

    def once(self, known: "dict[_K, tuple[_V, int]]", key: _K, make: "Callable[[], _V]") -> _V:
        """Return what is known under a key, or is made now; what was read for it is noted each time."""
        found = known.get(key)
        if found is None:
            outer, self.read = self.read, 0
            try:
                value = make()
            finally:
                inner, self.read = self.read, outer | self.read
            found = known[key] = (value, inner)
        else:
            self.read |= found[1]
        return found[0]

    def _answer_inside(self, question: Hashable, answer: "Callable[[], Answer]") -> "Answer":
        if question in self._for_now:
            found, ground, height, read = self._for_now[question]
            self._rests_on(ground, height)
            self.read |= read
            return found
        if question in self._open:
            self._rests_on(self._open[question], 0)
            return ()
        depth = len(self._grounds)
        self._rests_on(depth, 0)
        self._open[question] = depth
        self._grounds.append(depth + 1)
        self._made.append([])
        self._heights.append(0)
        outer, self.read = self.read, 0
        try:
            found = answer()
        finally:
            inner, self.read = self.read, outer | self.read
        self._close(question, found, depth, inner)
        return found

    def _close(self, question: Hashable, found: "Answer", depth: int, read: int) -> None:
        ground, made, height = self._grounds.pop(), self._made.pop(), self._heights.pop()
        del self._open[question]
        for each in made:
            if each in self._for_now and self._for_now[each][1] >= depth:
                del self._for_now[each]
        if ground >= depth:
            circle = frozenset([*made, question]) if ground == depth else _NONE
            self._answers[question] = (found, height, circle, read)
        else:
            self._for_now[question] = (found, ground, height, read)
            self._made[-1] += [*made, question]
        self._rests_on(ground, height)

    def _rests_on(self, ground: int, height: int) -> None:
        """Note that the innermost open question rests on another one, in which so many stand inside of each other."""
        grounds = self._grounds
        if not grounds:
            return
        if len(grounds) + height >= DEEPEST:
            raise _TooDeepError
        grounds[-1] = min(grounds[-1], ground)
        if height >= self._heights[-1]:
            self._heights[-1] = height + 1


# The line of a type: itself and what it inherits from, in the order in which members are looked for.

BEYOND = frozenset({ThingKind.EXTERNAL, ThingKind.UNKNOWN})
_LONGEST_LINE, _DEEPEST_LINE = 200, 60
_Key = tuple[str, int]
"""A type by its file and place."""


@dataclass(frozen=True, slots=True)
class TypeLine:
    """Types in order; how many they are with repeats, the height of the answers that they rest on, what was read for
    these, and whether any of them inherits from outside."""

    types: tuple[_Key, ...]
    whole: int
    height: int
    read: int
    outside: bool


class TypeLines:
    """Puts the line of a type together out of those of its `bases`: hundreds of types share them."""

    def __init__(self, bases: Callable[[str, int], tuple[Thing, ...]], circles: Circles) -> None:
        self._bases, self._circles = bases, circles
        self._known: dict[_Key, TypeLine] = {}

    def of(self, path: str, place: int) -> TypeLine:
        """Return the line of a type. It comes after all that inherit from it, as far as that is possible."""
        key = (path, place)
        known = self._known.get(key) or self._put_together(key, set(), set())
        if known is not None:
            self._circles.lean(known.height, known.read)
            return known
        order: list[_Key] = []
        self._descend(key, order, set())
        types = _at_last_places(order)
        return TypeLine(types, len(order), 0, 0, any(_is_beyond(self._bases(*each)) for each in types))

    def _put_together(self, key: _Key, around: set[_Key], refused: set[_Key]) -> TypeLine | None:
        """Return the line out of those of the bases; None where types inherit from each other in circles."""
        known = self._known.get(key)
        if known is not None or key in refused:
            return known
        bases = self._bases(*key)
        kept = self._circles.kept(("bases", *key))
        around.add(key)
        lines: list[TypeLine] = []
        for each in bases if kept is not None and len(around) < _DEEPEST_LINE else ():
            if each.kind is ThingKind.DEFINITION:
                base = (each.path, each.place)
                line = None if base in around else self._put_together(base, around, refused)
                if line is None:
                    kept = None
                    break
                lines.append(line)
        around.discard(key)
        whole = 1 + sum([each.whole for each in lines])
        if kept is None or whole > _LONGEST_LINE:
            refused.add(key)
            return None
        height, read = kept
        for line in lines:
            height, read = max(height, line.height), read | line.read
        order = [key, *[one for each in lines for one in each.types]]
        outside = _is_beyond(bases) or any(each.outside for each in lines)
        found = self._known[key] = TypeLine(_at_last_places(order), whole, height, read, outside)
        return found

    def _descend(self, key: _Key, order: list[_Key], above: set[_Key]) -> None:
        if key in above or len(order) > _LONGEST_LINE:
            return
        order.append(key)
        above.add(key)
        for each in self._bases(*key):
            if each.kind is ThingKind.DEFINITION:
                self._descend((each.path, each.place), order, above)
        above.discard(key)


def _at_last_places(order: Sequence[_Key]) -> tuple[_Key, ...]:
    """Return each type once, at its last place."""
    return tuple(reversed(dict.fromkeys(reversed(order))))


def _is_beyond(things: Sequence[Thing]) -> bool:
    return any(each.kind in BEYOND for each in things)
