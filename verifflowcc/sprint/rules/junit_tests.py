"""The tests of a JUnit report one by one, with what their properties say of trace items and of content."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.baselines import FAILED, PASSED, BaselineEntry
from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.secrets import withhold
from verifflowcc.sprint.rules.junit_claims import (
    FAILING,
    Case,
    CaseResult,
    ProjectPaths,
    Suite,
    check_claims,
    read_report,
    read_xml,
)

# Whether a test in a report is one of this tree's: its file is there, or its name is in some file.
#
# Names reach a report in many spellings (`tests.test_a.TestB`, `com.acme.FooTest$Inner`, `github.com/acme/pkg`, a
# sentence), some with values that stand nowhere in the source. So the check is lenient: it is there to see a report of
# another tree, where next to nothing is known.

_WORD = lazy_pattern(r"\b[^\W\d]\w*")
_NUMBERED = lazy_pattern(r"(.+?)_\d+(?:_.*)?")
_SEPARATORS = lazy_pattern(r"[./\\:$>\s]+")
_ARGUMENTS = lazy_pattern(r"[\[({]")
_BY_THE_RUNNER = frozenset({"runTest"})
"""Names that a test framework gives to tests itself."""
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """The project's paths, and the identifiers that stand in its files."""

    paths: frozenset[str]
    words: frozenset[str]


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return every identifier in the texts, in any script.

    >>> sorted(words_of(["def prüfe(x1): ...", "it('adds 2')"]))
    ['adds', 'def', 'it', 'prüfe', 'x1']
    """
    found: set[str] = set()
    for text in texts:
        found.update(_WORD.findall(text))
    return frozenset(found)


class KnownTests:
    """Looks up tests by (classname, name, file)."""

    def __init__(self, known: ProjectNames) -> None:
        self._paths = ProjectPaths(known.paths)
        self._words = known.words
        self._by_stem: dict[str, set[str]] = {}
        self._folders: dict[str, set[str]] = {}
        self._places: dict[tuple[str, str], bool] = {}
        for path in known.paths:
            self._add(path)

    def has(self, classname: str, name: str, file: str) -> bool:
        """Say whether both the place and the name of a test are of this tree."""
        place = (classname, file)
        if place not in self._places:
            self._places[place] = self._place_is_known(classname, file)
        return self._places[place] and self._name_is_known(name)

    def _add(self, path: str) -> None:
        """Remember a path without its extensions, and its folders, by their last names."""
        folder, _, file = path.rpartition("/")
        before = f"{folder}/" if folder else ""
        for stem in {file, file.rpartition(".")[0], file.partition(".")[0]} - {""}:
            self._by_stem.setdefault(stem, set()).add(before + stem)
        while folder:
            known = self._folders.setdefault(folder.rpartition("/")[2], set())
            if folder in known:
                return
            known.add(folder)
            folder = folder.rpartition("/")[0]

    def _place_is_known(self, classname: str, file: str) -> bool:
        if not classname.strip():
            return not file or self._paths.find(file) is not None
        if (file and self._paths.find(file)) or self._paths.find(classname):
            return True
        words = _WORD.findall(classname)
        if not words or self._word_is_known(words[-1]) or self._path_is_in(classname, whole=False):
            return True
        return re.search(r"\s", classname.strip()) is not None and self._sentence(words)

    def _path_is_in(self, dotted: str, *, whole: bool) -> bool:
        """Say whether the dotted names are a path of the tree, or the end of one, perhaps with more before it; and, if
        not `whole`, with classes behind it.
        """
        names = [name for name in _SEPARATORS.split(dotted) if name][-_DEEPEST:]
        for end in range(len(names), len(names) - 1 if whole else 0, -1):
            way = "/" + "/".join(names[:end])
            stems = self._by_stem.get(names[end - 1], set())
            # A package of Go or Java is a folder; only a whole name is one, else every `tests.x` would be known.
            folders = self._folders.get(names[end - 1], set()) if end == len(names) else set()
            for stem in stems | folders:
                if way.endswith("/" + stem) or ("/" + stem).endswith(way):
                    return True
        return False

    def _name_is_known(self, name: str) -> bool:
        if self._paths.find(name):
            return True
        words = _WORD.findall(_ARGUMENTS.split(name, maxsplit=1)[0])
        if not words:
            return True
        head = _ARGUMENTS.split(name, maxsplit=1)[0].strip()
        if re.search(r"\s", head):
            return self._sentence(words)
        # `TestA/with_b` is a part of TestA; in `pkg.mod.f` and `mod::f` the last is the test.
        first = _WORD.findall(head.partition("/")[0])
        return self._word_is_known((first or words)[-1]) or self._path_is_in(head, whole=True)

    def _sentence(self, words: list[str]) -> bool:
        """At least half of the words: the others may be values that were put into it."""
        return 2 * sum(map(self._word_is_known, words)) >= len(words)

    def _word_is_known(self, word: str) -> bool:
        if word in self._words or word in self._by_stem or word in _BY_THE_RUNNER:
            return True
        numbered = _NUMBERED.fullmatch(word)
        return numbered is not None and numbered[1] in self._words


# Test reports in JUnit's XML, as the many tools write it that speak it.
#
# Measures: `tests` (every `<testcase>`, doubled ones too), and each of them is one of `passed`, `failed`, `errors`,
# `skipped` and `flaky`; `unknown`, where the tree was given, are those that are not of this tree. `errors` also counts
# an `<error>` or `<failure>` that a suite has outside of its tests.
#
# Counts come from the test cases; what the attributes of a suite claim is only compared with them. Nothing that failed
# once is passed: a test that failed and then passed is `flaky`, whether it says so (`flakyFailure`, `rerunError` …) or
# appears twice in the report. Of pytest's tests each appears once; one that is there again was run again by a plugin
# that leaves no other trace, so it is flaky even where it seems to have passed each time.
#
# With a baseline, `listed_failed`, `listed_errors` and `listed_flaky` are the tests among them that it lists, and
# `listed_passed` its tests that passed, without those known as flaky.

__all__ = ["ProjectNames", "measure_junit", "words_of"]

MOST_EXAMPLES = 20
_LONGEST_ID = 300
_LONGEST_READ = 4_000
"""Characters of a name that are looked through for secrets before it is cut: a cut would leave half of one."""
_SPELLED = {CaseResult.ERROR: "error", CaseResult.FAILED: "failed", CaseResult.FLAKY: "flaky"}
_SEEN = {
    CaseResult.ERROR: {FAILED},
    CaseResult.FAILED: {FAILED},
    CaseResult.FLAKY: {FAILED, PASSED},
    CaseResult.PASSED: {PASSED},
}
_FAULTS = (CaseResult.FAILED, CaseResult.ERROR, CaseResult.FLAKY)


def measure_junit(data: bytes, *, known: ProjectNames | None, baseline: Sequence[BaselineEntry] = ()) -> Measurement:
    """Return what a report says; `known` is what the tree holds, None where that is not to be compared.

    `baseline` has the tests that are known to fail.

    Where it cannot be read, or contradicts itself, `problem` says why, and there are no measures. A report without a
    test is no problem: `tests` is 0.
    """
    try:
        cases, suites = read_report(read_xml(data))
        check_claims(cases, suites)
    except FormatError as error:
        return Measurement({}, "", problem=str(error))
    judged = with_retries(cases, suites)
    broken = [f"error outside of any test, in suite {each.name or '(no name)'}" for each in suites if each.marks]
    foreign = _unknown(judged, known)
    counts = Counter(each.result for each in judged)
    measures = {"tests": len(judged)} | {str(result): counts[result] for result in CaseResult}
    measures[CaseResult.ERROR] += sum(each.marks for each in suites)
    if known is not None:
        measures["unknown"] = len(foreign)
    listed = _BaselineTests(baseline)
    measures |= listed.measures(judged)
    lines = sorted([f"{each.id}\0{each.result}\n" for each in judged] + [f"{each}\n" for each in broken])
    outcome = digest_bytes("".join(lines).encode("utf-8", "surrogatepass"))
    return Measurement(measures, outcome, tuple(islice(_lines(judged, broken, foreign, listed), MOST_EXAMPLES)))


def failing_tests(data: bytes) -> dict[str, set[str]]:
    """Return the results, `failed` or `passed`, of each test of a report; skipped ones have none.

    A test that failed and then passed has both. Raises FormatError where the report cannot be read, or contradicts
    itself.
    """
    cases, suites = read_report(read_xml(data))
    check_claims(cases, suites)
    seen: dict[str, set[str]] = {}
    for case in with_retries(cases, suites):
        results = _SEEN.get(case.result)
        if results:
            seen.setdefault(case.id, set()).update(results)
    return seen


def with_retries(cases: Sequence[Case], suites: Sequence[Suite]) -> list[Case]:
    """Return the cases, those that seem to have passed but were run again as flaky."""
    results: dict[tuple[str, str, str], set[CaseResult]] = {}
    for case in cases:
        results.setdefault(case.key, set()).add(case.result)
    again = _pytest_repeats(cases, suites)
    found = []
    for case in cases:
        failed_once = bool(results[case.key] & (FAILING | {CaseResult.FLAKY}))
        hides = case.result is CaseResult.PASSED and failed_once
        ran_again = case.result in {CaseResult.PASSED, CaseResult.SKIPPED} and (case.suite, case.key) in again
        found.append(replace(case, result=CaseResult.FLAKY) if hides or ran_again else case)
    return found


def _pytest_repeats(cases: Sequence[Case], suites: Sequence[Suite]) -> set[tuple[int, tuple[str, str, str]]]:
    """Return the tests that stand twice in one suite that pytest wrote, by the suite's place and the test's key."""
    by_pytest = [suite.name == "pytest" or suites[0].name == "pytest tests" for suite in suites]
    counts = Counter((case.suite, case.key) for case in cases if by_pytest[case.suite])
    return {place for place, count in counts.items() if count > 1}


def _unknown(cases: Sequence[Case], known: ProjectNames | None) -> list[Case]:
    if known is None:
        return []
    tree = KnownTests(known)
    return [case for case in cases if not tree.has(case.classname, case.name, case.file)]


@dataclass(frozen=True, slots=True)
class _BaselineTests:
    """The tests of a baseline, compared with those of a report."""

    entries: Sequence[BaselineEntry]

    def has(self, case: Case) -> bool:
        """Whether a case that did not simply pass is one of the baseline."""
        return case.result in _FAULTS and any(each.name == case.id for each in self.entries)

    def mended(self, cases: Sequence[Case]) -> list[str]:
        """Return the tests that passed, of those that failed each time on the base content."""
        results: dict[str, set[CaseResult]] = {}
        for case in cases:
            results.setdefault(case.id, set()).add(case.result)
        return [
            each.name for each in self.entries if not each.is_flaky and results.get(each.name) == {CaseResult.PASSED}
        ]

    def measures(self, cases: Sequence[Case]) -> dict[str, int]:
        """Return the numbers by name; none without a baseline."""
        if not self.entries:
            return {}
        counts = Counter(case.result for case in cases if self.has(case))
        found = {f"listed_{result}": counts[result] for result in _FAULTS}
        return {**found, "listed_passed": len(self.mended(cases))}


def _lines(
    cases: Sequence[Case], broken: Sequence[str], foreign: Sequence[Case], listed: _BaselineTests
) -> Iterator[str]:
    """What needs a person comes first; of what failed, all, and what the baseline lists last."""
    new = [case for case in cases if not listed.has(case)]
    yield from (_line(_SPELLED[case.result], case) for case in new if case.result in FAILING)
    yield from broken
    yield from (_line("flaky", case) for case in new if case.result is CaseResult.FLAKY)
    yield from (_line("not of this tree", replace(case, message="")) for case in foreign)
    yield from (f"baseline passed: {withhold(name[:_LONGEST_READ])[:_LONGEST_ID]}" for name in listed.mended(cases))
    yield from (_line(f"baseline {_SPELLED[case.result]}", case) for case in cases if listed.has(case))
    yield from (_line("skipped", case) for case in cases if case.result is CaseResult.SKIPPED)


def _line(word: str, case: Case) -> str:
    name = withhold(" ".join(case.id[:_LONGEST_READ].split()))[:_LONGEST_ID]
    return f"{word}: {name}: {case.message}" if case.message else f"{word}: {name}"


_ITEMS = "vfcc"
_CONTENT = "vfcc.content"


@dataclass(frozen=True, slots=True)
class JUnitTest:
    """A test case. `items` are the ids that its properties `vfcc` name. `file` is that of the case, or of its suite.

    A case that passed in the end, but was run again, is flaky.
    """

    classname: str
    name: str
    file: str
    outcome: CaseResult
    message: str = ""
    items: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The test as the report names it."""
        return f"{self.classname}::{self.name}" if self.classname else self.name


@dataclass(frozen=True, slots=True)
class JUnitTests:
    """All cases of a report. `content` is the digest of the files on which they ran; None where the report does not say
    so, or its suites differ. `unsure` says why it does not, where the report tells that.
    """

    tests: tuple[JUnitTest, ...]
    content: str | None = None
    unsure: str = ""


def read_tests(data: bytes) -> JUnitTests:
    """Return the tests of a report; an error outside of any test is one that has the name of its suite.

    Raises FormatError with the reason where the report cannot be read, or contradicts itself.
    """
    cases, suites = read_report(read_xml(data))
    check_claims(cases, suites)
    judged = with_retries(cases, suites)
    tests = [_test(case, suites) for case in judged]
    tests += [JUnitTest("", f"suite {each.name or '(no name)'}", "", CaseResult.ERROR) for each in suites if each.marks]
    digests = {value for suite in suites for name, value in suite.properties if name == _CONTENT}
    return JUnitTests(tuple(tests), next(iter(digests)) if len(digests) == 1 else None, _unsure(suites, len(digests)))


def _test(case: Case, suites: Sequence[Suite]) -> JUnitTest:
    suite = suites[case.suite].attributes
    items = dict.fromkeys(_ids(case))
    return JUnitTest(
        case.classname,
        case.name,
        case.file or suite.get("file", "") or suite.get("filepath", ""),
        case.result,
        case.message,
        tuple(items),
    )


def _ids(case: Case) -> Iterator[str]:
    for name, value in case.properties:
        if name == _ITEMS:
            yield from (part for each in value.split(",") if (part := each.strip()))


def _unsure(suites: Sequence[Suite], digests: int) -> str:
    reasons = [value for suite in suites for name, value in suite.properties if name.startswith(f"{_CONTENT}.")]
    if reasons:
        return reasons[0]
    return "its suites ran on different content" if digests > 1 else ""


def reported_name(node: str) -> str:
    """Return how pytest's JUnit report names a test function, as examples and baselines do; others are as they were.

    >>> reported_name("tests/test_a.py::TestA::test_b"), reported_name("TestAdd")
    ('tests.test_a.TestA::test_b', 'TestAdd')
    """
    path, *inner = node.partition("[")[0].split("::")
    if not inner or not path.endswith(".py"):
        return node
    return f"{'.'.join([path.removesuffix('.py').replace('/', '.'), *inner[:-1]])}::{inner[-1]}"
