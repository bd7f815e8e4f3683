"""What a run of tests showed: the outcome of each test, and by what kind of failure it failed."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from verifflowcc.records import dataclass, field


class Result(StrEnum):
    """How a test ended; `absent` is one that the run has no result for."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ABSENT = "absent"


class Cause(StrEnum):
    """Why a test failed. `name` is the lack of a name alone (an import, an attribute, a parameter, a fixture)."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one test ended, and by which failure, in words. `line` is where it begins in its file, 0 if unknown."""

    result: Result
    cause: Cause | None = None
    message: str = ""
    line: int = 0


ABSENT = Outcome(Result.ABSENT)


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run of some tests. `outcomes` are by the test's id; `unloaded` are failures to load, by file.

    `loaded` are the files of the project's modules that were imported, by module. `problem` says why a run showed
    nothing at all.
    """

    __test__ = False

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    unloaded: Mapping[str, Outcome] = field(default_factory=dict)
    loaded: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    duration_ms: int = 0

    def of(self, test: str) -> Outcome:
        """Return the outcome of a test; of one whose file could not be loaded, that."""
        return self.outcomes.get(test) or self.unloaded.get(test.partition("::")[0], ABSENT)

    @property
    def all_passed(self) -> bool:
        """Whether tests ran, and none of them failed or could not be loaded."""
        results = [each.result for each in self.outcomes.values()]
        return not self.problem and not self.unloaded and Result.PASSED in results and Result.FAILED not in results


_NAME_ERRORS = frozenset(("ImportError", "FixtureLookupError", "ModuleNotFoundError"))
_ASSERTIONS = frozenset(("AssertionError", "Failed"))
_NO_ATTRIBUTE = re.compile(r"has no attribute|does not have the attribute|object has no field", re.DOTALL)
_SIGNATURE = re.compile(
    r"unexpected keyword argument|positional arguments?\b|required (?:positional |keyword-only )?argument"
    r"|takes no arguments|takes no keyword arguments|got multiple values for"
)


def cause_of(kinds: Sequence[str], message: str, *, in_product: bool) -> Cause:
    """Return the cause of a failure by an exception of these classes, the most specific first.

    A missing attribute or parameter that the test itself meets shows that a name is missing. Met inside the product,
    it is the product that fails (`in_product`), which a missing import or fixture never is.

    >>> str(cause_of(["AttributeError"], "module 'a' has no attribute 'b'", in_product=False))
    'name'
    """
    if not _ASSERTIONS.isdisjoint(kinds):
        return Cause.ASSERTION
    if not _NAME_ERRORS.isdisjoint(kinds) or ("AttributeError" in kinds and message.isidentifier()):
        return Cause.NAME  # a module's `__getattr__` raises with the bare name
    if in_product:
        return Cause.EXCEPTION
    if "NameError" in kinds and "UnboundLocalError" not in kinds:
        return Cause.NAME
    if "AttributeError" in kinds and _NO_ATTRIBUTE.search(message) and not message.startswith("'NoneType'"):
        return Cause.NAME
    if "TypeError" in kinds and _SIGNATURE.search(message):
        return Cause.NAME
    return Cause.EXCEPTION


def is_misfit(outcome: Outcome) -> bool:
    """Say whether a failure is that of parts which do not fit: a caller and a function, or an object and its user.

    >>> is_misfit(Outcome(Result.FAILED, Cause.EXCEPTION, "TypeError: f() missing 1 required positional argument: 'a'"))
    True
    >>> is_misfit(Outcome(Result.FAILED, Cause.EXCEPTION, "AttributeError: 'NoneType' object has no attribute 'b'"))
    False
    """
    kind, _, words = outcome.message.partition(": ")
    if outcome.cause is not Cause.EXCEPTION or words.startswith("'NoneType'"):
        return False
    lacks = kind == "AttributeError" and _NO_ATTRIBUTE.search(words)
    return bool(lacks or (kind == "TypeError" and _SIGNATURE.search(words)) or kind == "NameError")


def summed(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a test of which each part has one: setup, call, teardown, subtests.

    A failure counts before all else; of several, the one that shows most.
    """
    order = {Cause.ASSERTION: 0, Cause.EXCEPTION: 1, Cause.NAME: 2}
    failed = sorted((each for each in outcomes if each.result is Result.FAILED), key=lambda each: order[_cause(each)])
    if failed:
        return failed[0]
    skipped = [each for each in outcomes if each.result is Result.SKIPPED]
    return (skipped or list(outcomes) or [ABSENT])[0]


def _cause(outcome: Outcome) -> Cause:
    return outcome.cause or Cause.EXCEPTION
