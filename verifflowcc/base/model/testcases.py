"""What a test file asks: its tests, each with its assertions, its cases, and what keeps it from running."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from verifflowcc.base.records import dataclass

# The shape of a JavaScript or TypeScript file: what it does as it runs, its functions, values and imports.


class ScriptKind(StrEnum):
    """What a statement at the top of a script, or a member of a class there, is."""

    FUNCTION = "function"
    CONSTRUCTOR = "constructor"
    VALUE = "value"
    CLASS = "class"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ScriptItem:
    """An item of a script, bytes `start` to `end`; its body or value is from `body` to `end_of_body`, both 0 for none.

    `name` is qualified by its class (`Shop.price`), and empty for a loose statement. `code` is what it does as it runs:
    two items with the same are the same but for types and layout. The body of a `brief` function is an expression.
    """

    kind: ScriptKind
    name: str
    start: int
    end: int
    code: str
    body: int = 0
    end_of_body: int = 0
    brief: bool = False


@dataclass(frozen=True, slots=True)
class ScriptShape:
    """A script: what it does as it runs, its items, and its imports as lines by the name that each binds."""

    code: str
    items: tuple[ScriptItem, ...]
    imports: Mapping[str, str]


class Strength(IntEnum):
    """How much an assertion asks of a value."""

    NOTHING = 0
    """It holds for every value: `assert True`, `x == x`, an assertion whose failure is caught."""
    EXISTENCE = 1
    """The value is there, is true, or is not one certain value."""
    RANGE = 2
    """The value is one of many: a bound, a part, a pattern."""
    EXACT = 3
    """The value, or the class of an exception."""
    DETAILED = 4
    """The class of an exception and its message."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion: its text on one line, how much it asks, and its line."""

    text: str
    strength: Strength
    line: int


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test of a file, or a function with assertions that tests use.

    `name` is qualified within the file (`TestPrice::test_half`). `cases` is how many times it runs, over parameters and
    tables. `skips` are what keeps it from running or from failing, as written. `hollow` says in clauses why it may not
    look at the product at all. `values` are the texts and numbers that it holds; None where they are not known.
    """

    __test__ = False

    name: str
    line: int
    assertions: tuple[Assertion, ...] = ()
    cases: int = 1
    skips: tuple[str, ...] = ()
    hollow: tuple[str, ...] = ()
    values: tuple[str, ...] | None = None

    @property
    def asking(self) -> tuple[Assertion, ...]:
        """Its assertions that can fail."""
        return tuple(each for each in self.assertions if each.strength)


class Loss(StrEnum):
    """What tests lost since a base."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    NARROWED = "narrowed"
    WEAKENED = "weakened"
    ALTERED = "altered"
    HOLLOW = "hollow"
    SETTINGS = "settings"
    HOOKS = "hooks"

    @property
    def means(self) -> str:
        """What the word says, in a clause."""
        return _MEANS[self]


_MEANS = {
    Loss.REMOVED: "a test is gone, and no other has its assertions",
    Loss.SKIPPED: "a test is skipped, or expected to fail",
    Loss.NARROWED: "a test runs for fewer cases",
    Loss.WEAKENED: "an assertion is gone, or asks for less",
    Loss.ALTERED: "a value that a test has is gone, and no product file changed",
    Loss.HOLLOW: "a test reads the source, or asserts only at some times",
    Loss.SETTINGS: "a setting deselects tests, or lowers a threshold",
    Loss.HOOKS: "a hook or a fixture changes what runs, or how it ends",
}


@dataclass(frozen=True, slots=True)
class LostTest:
    """One loss: where it is now, or was where it is gone, and what happened in words."""

    loss: Loss
    path: str
    line: int
    words: str
    test: str = ""

    def __str__(self) -> str:
        test = f" {self.test}" if self.test else ""
        return f"{self.loss}: {self.path}:{self.line}{test}: {self.words}"
