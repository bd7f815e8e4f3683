"""What a run of tests showed: the outcome of each test, and by what kind of failure it failed."""

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field

# What the output of a running test command says: how many tests ended and how, and which one runs.

_LETTERS = lazy_pattern(r"(?:\S+\.py )?([.FEsxX]+)(?:\s+\[\s*\d+%\])?\s*")
_ENDS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS"
_WORDS = lazy_pattern(rf"\S+::\S.* ({_ENDS})\b.*\[|\[gw\d+\] \[\s*\d+%\] ({_ENDS}) \S+::")
_AFTERWARDS = lazy_pattern(r"=+ (?:FAILURES|ERRORS|short test summary info|warnings summary|slowest|\d+ \w+.* in )\b")
_PERCENT = lazy_pattern(r"\[\s*(\d{1,3})%\]")
_PASSED, _FAILED = frozenset({".", "PASSED", "X", "XPASS"}), frozenset({"F", "E", "FAILED", "ERROR"})
_COLOUR = lazy_pattern(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
_FRAME = lazy_pattern(r'^  File "([^"\n]+)", line (\d+) in (\S+)$', re.MULTILINE)
_LONGEST_LINE = 10_000
_MOST_LINES = 20


@dataclass(slots=True)
class RunProgress:
    """The output of a command, read as it comes. Only with `counts` is it taken for that of pytest or unittest."""

    counts: bool = True
    last: str = ""
    percent: int | None = None
    _partial: str = ""
    _results: Counter[str] = field(default_factory=Counter)
    _lines: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_LINES))

    def feed(self, text: str) -> None:
        """Take the next part of the output; it may end within a line."""
        *whole, self._partial = (self._partial + text).split("\n")
        for line in whole:
            self._results.update(self._read(line))
            self._lines.append(_shown(line))
        self._partial = self._partial[-_LONGEST_LINE:]
        self._read(self._partial)

    def tail(self, count: int) -> list[str]:
        """Return the last lines that are not empty, at most 20, without colours."""
        return [line for line in (*self._lines, _shown(self._partial)) if line.strip()][-count:]

    def summary(self) -> str:
        """Return the counts as a clause; "" while no test is known to have ended."""
        results = self._results + self._read(self._partial)
        if not results:
            return ""
        passed, failed = (sum(results[each] for each in names) for names in (_PASSED, _FAILED))
        percent = f", {self.percent} %" if self.percent is not None else ""
        return f"{passed} passed{f', {failed} failed' if failed else ''}{percent}"

    def _read(self, raw: str) -> Counter[str]:
        line = _shown(raw).strip()
        self.last = line or self.last
        if _AFTERWARDS.match(line):
            self.counts = False  # what follows is about tests that were counted
        if not self.counts:
            return Counter()
        letters = _LETTERS.fullmatch(line)
        words = None if letters else _WORDS.match(line)
        percent = _PERCENT.search(line) if letters or words else None
        self.percent = int(percent[1]) if percent else self.percent
        if letters:
            return Counter(letters[1])
        return Counter([words[1] or words[2]]) if words else Counter()


def _shown(raw: str) -> str:
    """Return what a terminal would show of a line: what follows its last carriage return, without colours."""
    return _COLOUR.sub("", raw.rstrip("\r").rpartition("\r")[2]).rstrip()


def running_test(output: str, root: str) -> str:
    """Return which test ran, as `path:line (name)`, from the stacks that Python's faulthandler writes; "" if unknown.

    It is the innermost function of the project whose name is that of a test, else its innermost function at all.

    >>> dump = '  File "/p/src/a.py", line 3 in wait\\n  File "/p/tests/test_a.py", line 9 in test_wait\\n'
    >>> running_test(dump, "/p"), running_test("no stack", "/p")
    ('tests/test_a.py:9 (test_wait)', '')
    """
    inside = f"{root}/"
    own = [
        (path.removeprefix(inside), line, name)
        for path, line, name in _FRAME.findall(output)
        if path.startswith(inside) and "/site-packages/" not in path
    ]
    tests = [each for each in own if each[2].rpartition(".")[2].startswith("test")]
    for path, line, name in (*tests[:1], *own[:1]):
        return f"{path}:{line} ({name})"
    return ""


def without_stacks(output: str) -> str:
    """Return an output up to the stacks that Python's faulthandler wrote when the run was ended."""
    return output.partition("Fatal Python error: Aborted")[0]


# What a run of tests left behind, before it is read, and the words of its failures.

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class RunText:
    """A run's report and output, its exit code (None where it did not end) and why it did not end.

    A framework that writes its results to the terminal has its whole output as the report.
    """

    report: str
    output: str
    exit_code: int | None
    failure: str
    duration_ms: int = 0


def clipped(words: str) -> str:
    """Return a message on one line, at most 160 characters long."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def first_error(text: str) -> str:
    """Return the line that pytest marks as the error, else the first that names one, else the last with words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marked = next((line[1:].strip() for line in lines if line.startswith("E  ")), "")
    if marked:
        return marked
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")


def has_words(argv: Sequence[str], *words: str) -> bool:
    """Say whether these words follow one another in a command, a path counting by its last part.

    >>> has_words(["/usr/bin/go", "test", "./..."], "go", "test"), has_words(["go", "vet"], "go", "test")
    (True, False)
    """
    names = [word.rpartition("/")[2] for word in argv]
    count = len(words)
    return any(tuple(names[start : start + count]) == words for start in range(len(names) - count + 1))


class OutcomeKind(StrEnum):
    """How a test ended; `absent` is one that the run has no result for."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ABSENT = "absent"


class FailureCause(StrEnum):
    """Why a test failed. `name` is the lack of a name alone (an import, an attribute, a parameter, a fixture)."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How one test ended, and by which failure, in words. `line` is where it begins in its file, 0 if unknown."""

    result: OutcomeKind
    cause: FailureCause | None = None
    message: str = ""
    line: int = 0


ABSENT = RunOutcome(OutcomeKind.ABSENT)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run of some tests. `outcomes` are by the test's id; `unloaded` are failures to load, by file.

    `loaded` are the files of the project's modules that were imported, by module. `problem` says why a run showed
    nothing at all.
    """

    __test__ = False

    outcomes: Mapping[str, RunOutcome] = field(default_factory=dict)
    unloaded: Mapping[str, RunOutcome] = field(default_factory=dict)
    loaded: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    duration_ms: int = 0

    def of(self, test: str) -> RunOutcome:
        """Return the outcome of a test; of one whose file could not be loaded, that."""
        return self.outcomes.get(test) or self.unloaded.get(test.partition("::")[0], ABSENT)

    @property
    def all_passed(self) -> bool:
        """Whether tests ran, and none of them failed or could not be loaded."""
        results = [each.result for each in self.outcomes.values()]
        return (
            not self.problem
            and not self.unloaded
            and OutcomeKind.PASSED in results
            and OutcomeKind.FAILED not in results
        )


_NAME_ERRORS = frozenset(("ImportError", "FixtureLookupError", "ModuleNotFoundError"))
_ASSERTIONS = frozenset(("AssertionError", "Failed"))
_NO_ATTRIBUTE = lazy_pattern(r"has no attribute|does not have the attribute|object has no field", re.DOTALL)
_SIGNATURE = lazy_pattern(
    r"unexpected keyword argument|positional arguments?\b|required (?:positional |keyword-only )?argument"
    r"|takes no arguments|takes no keyword arguments|got multiple values for"
)


def cause_of(kinds: Sequence[str], message: str, *, in_product: bool) -> FailureCause:
    """Return the cause of a failure by an exception of these classes, the most specific first.

    A missing attribute or parameter that the test itself meets shows that a name is missing. Met inside the product,
    it is the product that fails (`in_product`), which a missing import or fixture never is.

    >>> str(cause_of(["AttributeError"], "module 'a' has no attribute 'b'", in_product=False))
    'name'
    """
    if not _ASSERTIONS.isdisjoint(kinds):
        return FailureCause.ASSERTION
    if not _NAME_ERRORS.isdisjoint(kinds) or ("AttributeError" in kinds and message.isidentifier()):
        return FailureCause.NAME  # a module's `__getattr__` raises with the bare name
    if in_product:
        return FailureCause.EXCEPTION
    if "NameError" in kinds and "UnboundLocalError" not in kinds:
        return FailureCause.NAME
    if "AttributeError" in kinds and _NO_ATTRIBUTE.search(message) and not message.startswith("'NoneType'"):
        return FailureCause.NAME
    if "TypeError" in kinds and _SIGNATURE.search(message):
        return FailureCause.NAME
    return FailureCause.EXCEPTION


def is_misfit(outcome: RunOutcome) -> bool:
    """Say whether a failure is that of parts which do not fit: a caller and a function, or an object and its user.

    >>> lacking = "TypeError: f() missing 1 required positional argument: 'a'"
    >>> is_misfit(RunOutcome(OutcomeKind.FAILED, FailureCause.EXCEPTION, lacking))
    True
    >>> foreign = "AttributeError: 'NoneType' object has no attribute 'b'"
    >>> is_misfit(RunOutcome(OutcomeKind.FAILED, FailureCause.EXCEPTION, foreign))
    False
    """
    kind, _, words = outcome.message.partition(": ")
    if outcome.cause is not FailureCause.EXCEPTION or words.startswith("'NoneType'"):
        return False
    lacks = kind == "AttributeError" and _NO_ATTRIBUTE.search(words)
    return bool(lacks or (kind == "TypeError" and _SIGNATURE.search(words)) or kind == "NameError")


def summed(outcomes: Sequence[RunOutcome]) -> RunOutcome:
    """Return the outcome of a test of which each part has one: setup, call, teardown, subtests.

    A failure counts before all else; of several, the one that shows most.
    """
    order = {FailureCause.ASSERTION: 0, FailureCause.EXCEPTION: 1, FailureCause.NAME: 2}
    failed = sorted(
        (each for each in outcomes if each.result is OutcomeKind.FAILED), key=lambda each: order[_cause(each)]
    )
    if failed:
        return failed[0]
    skipped = [each for each in outcomes if each.result is OutcomeKind.SKIPPED]
    return (skipped or list(outcomes) or [ABSENT])[0]


def _cause(outcome: RunOutcome) -> FailureCause:
    return outcome.cause or FailureCause.EXCEPTION
