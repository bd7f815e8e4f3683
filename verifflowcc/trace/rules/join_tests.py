"""Join tests with items: by report properties, by marks, by the items' `tests`.

Within a report the cases of one test are one result, of which the worst counts; a test that failed and passed under one
name is flaky. What several reports make of a test together is not decided here (`trace_view.py`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.formats.trace_tests import TestNames
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_values import CodeFile, Outcome, TestResult, TraceItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.sprint.rules.junit_claims import CaseResult, ProjectPaths

if TYPE_CHECKING:
    from verifflowcc.sprint.rules.junit_tests import JUnitTest

# Which file and symbol of the tree a test of a report is, whatever its tool calls it.

_ARGUMENTS = lazy_pattern(r"[\[({]")
_SEPARATORS = lazy_pattern(r"[./\\:$>#\s]+")
_NOT_LETTERS = lazy_pattern(r"[\W_]+")
# A class name in a report can have any length, and each prefix of it is looked up.
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class LocatedTest:
    """A test: its name, file and symbol ("" if not found), and whether it exists."""

    test: str
    path: str = ""
    symbol: str = ""
    known: bool = False


class TestPlaces:
    """Looks up tests by class name, name and file among files with known symbols."""

    __test__ = False

    def __init__(self, code: Iterable[CodeFile]) -> None:
        self._files = {file.path: file for file in code if file.test or file.symbols}
        self._symbols = {path: {each.name for each in file.symbols} for path, file in self._files.items()}
        self._paths = ProjectPaths(self._files)
        self._by_stem: dict[str, list[tuple[str, ...]]] = {}
        self._path_of: dict[tuple[str, ...], str] = {}
        self._by_last: dict[str, set[tuple[str, str]]] = {}
        self._by_title: dict[str, set[tuple[str, str]]] = {}
        self._in_folder: dict[str, list[str]] = {}
        for path, file in self._files.items():
            self._add(path, file)

    def find(self, classname: str, name: str, file: str) -> LocatedTest:
        """Return the place of a test in the tree.

        One that is not found is named as the report names it, without its arguments.
        """
        bare = _ARGUMENTS.split(name, maxsplit=1)[0].strip() or name
        for path, within in self._candidates(classname, file):
            symbol = self._symbol(path, within, bare, name)
            if symbol:
                return LocatedTest(f"{path}::{symbol}", path, symbol, known=True)
            if self._inherited(path, within):
                return LocatedTest(f"{path}::{'.'.join((*within, bare))}", path, ".".join(within), known=True)
        only = self._by_name(classname, bare, name)
        if only:
            return LocatedTest(f"{only[0]}::{only[1]}", *only, known=True)
        return LocatedTest(f"{classname}::{bare}" if classname else bare, known=False)

    def _add(self, path: str, file: CodeFile) -> None:
        names = path.split("/")
        self._in_folder.setdefault("/".join(names[:-1]), []).append(path)
        for stem in dict.fromkeys((names[-1], names[-1].rpartition(".")[0], names[-1].partition(".")[0])):
            if stem:
                dotted = (*names[:-1], stem)
                self._path_of.setdefault(dotted, path)
                self._by_stem.setdefault(stem, []).append(dotted)
        for each in file.symbols:
            self._by_last.setdefault(each.name.rpartition(".")[2], set()).add((path, each.name))
            self._by_title.setdefault(_letters(each.name), set()).add((path, each.name))

    def _candidates(self, classname: str, file: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield files that may hold a test, with the classes around it, likeliest first."""
        names = tuple(name for name in _SEPARATORS.split(classname) if name)[:_DEEPEST]
        path = self._paths.find(file) if file else None
        if path:
            yield path, self._behind(names, path)
            yield path, ()
        whole = self._paths.find(classname) if classname else None
        if whole:
            yield whole, ()
        found = [
            (len(dotted), self._path_of[dotted], names[end:])
            for end in range(1, len(names) + 1)
            for dotted in self._by_stem.get(names[end - 1], ())
            if _ends_alike(dotted, names[:end])
        ]
        most = max((length for length, _, _ in found), default=0)
        best = [each for each in found if each[0] == most]
        # Two files that match equally well would be a guess.
        if len({path for _, path, _ in best}) == 1:
            yield from ((path, within) for _, path, within in best)
        for folder in self._folders(classname):
            yield from ((path, ()) for path in self._in_folder[folder])

    def _behind(self, names: tuple[str, ...], path: str) -> tuple[str, ...]:
        stem = path.rpartition("/")[2].partition(".")[0]
        return names[names.index(stem) + 1 :] if stem in names else names

    def _folders(self, classname: str) -> list[str]:
        """Return the folder of a Go package: the longest that ends its name."""
        found = [folder for folder in self._in_folder if folder and f"/{classname}".endswith(f"/{folder}")]
        return [max(found, key=len)] if found else ([""] if classname and "" in self._in_folder and not found else [])

    def _symbol(self, path: str, within: tuple[str, ...], bare: str, name: str) -> str:
        """Return the symbol of a test in a file; "" where it has none such."""
        symbols = self._symbols[path]
        last = _SEPARATORS.split(bare)[-1]
        stem = path.rpartition("/")[2].partition(".")[0]
        for words in ((*within, bare), (*within, last), (stem, *within, bare), (stem, *within, last)):
            if ".".join(words) in symbols:
                return ".".join(words)
        titles = [each for each in symbols if _letters(each) == _letters(" ".join((*within, name)))]
        titles = titles or [each for each in symbols if _letters(each) == _letters(name)]
        if len(titles) == 1:
            return titles[0]
        ends = {full for at, full in self._by_last.get(last, ()) if at == path}
        around = [full for full in ends if not within or within[-1] in full.split(".")[:-1]]
        if len(around) == 1:
            return around[0]
        subtest = bare.partition("/")[0]
        return subtest if subtest in symbols else ""

    def _inherited(self, path: str, within: tuple[str, ...]) -> bool:
        """Whether the file has the class of a test: its method is then inherited."""
        return bool(within) and ".".join(within) in self._symbols[path]

    def _by_name(self, classname: str, bare: str, name: str) -> tuple[str, str] | None:
        """Return the only symbol of a test file with the title, or name and class word."""
        for title in (name, f"{classname} {name}", classname):
            found = self._of_tests(self._by_title.get(_letters(title), ())) if len(_letters(title)) > 3 else []
            if len(found) == 1:
                return found[0]
        words = set(_SEPARATORS.split(f"{classname} {bare}"))
        last = _SEPARATORS.split(bare)[-1]
        near = [
            (path, symbol)
            for path, symbol in self._of_tests(self._by_last.get(last, ()))
            if words & {*symbol.split(".")[:-1], *(part.partition(".")[0] for part in path.split("/"))}
        ]
        return near[0] if len(near) == 1 else None

    def _of_tests(self, found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [each for each in found if self._files[each[0]].test]


def _ends_alike(dotted: tuple[str, ...], names: tuple[str, ...]) -> bool:
    least = min(len(dotted), len(names))
    return dotted[-least:] == names[-least:]


def _letters(title: str) -> str:
    return _NOT_LETTERS.sub(" ", title).strip().lower()


# The results of one report, with the items of each test.

_OUTCOMES = {
    CaseResult.ERROR: Outcome.ERROR,
    CaseResult.FAILED: Outcome.FAILED,
    CaseResult.FLAKY: Outcome.FLAKY,
    CaseResult.SKIPPED: Outcome.SKIPPED,
    CaseResult.PASSED: Outcome.PASSED,
}
_WORST_FIRST = list(Outcome)
_DID_NOT_PASS = frozenset({Outcome.ERROR, Outcome.FAILED, Outcome.FLAKY, Outcome.CONFLICTING})


@dataclass(frozen=True, slots=True)
class ReportTests:
    """The tests of one report; `report` is its path, or the id of the evidence."""

    report: str
    tests: "tuple[JUnitTest, ...]"


def specified(results: Iterable[TestResult], items: Iterable[TraceItem]) -> tuple[TestResult, ...]:
    """Add to each result the items that name its test."""
    given = tuple(results)
    names = TestNames(each.test for each in given)
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for test in names.named(item.tests) if item.tests else ():
            found[test].add(item.id)
    return tuple(replace(each, items=tuple(sorted({*each.items, *found.get(each.test, ())}))) for each in given)


class MarkedTests:
    """The source of tests: where each one is, and which items its marks name."""

    def __init__(self, code: Sequence[CodeFile]) -> None:
        self._places = TestPlaces(code)
        self._marks: dict[tuple[str, str], list[str]] = defaultdict(list)
        for file in code:
            for mark in file.marks if file.test else ():
                self._marks[file.path, mark.symbol] += mark.ids

    def find(self, test: "JUnitTest") -> LocatedTest:
        """Return the place of a test in the tree."""
        found = self._places.find(test.classname, test.name, test.file)
        # A title that is a sentence may have values filled in, so that no symbol has its words: it counts as known.
        return replace(found, known=True) if " " in test.name.strip() and test.classname else found

    def items(self, path: str, symbol: str) -> set[str]:
        """Return the ids in the marks of a symbol, of all around it, and of its file."""
        names = symbol.split(".") if symbol else []
        around = ("", *(".".join(names[:end]) for end in range(1, len(names) + 1)))
        return {item for each in around for item in self._marks.get((path, each), ())}


def results_of(ran: ReportTests, marked: MarkedTests) -> tuple[TestResult, ...]:
    """Return the results of a report by its marks and properties, each test once."""
    groups: dict[str, list[tuple[JUnitTest, LocatedTest]]] = defaultdict(list)
    for test in ran.tests:
        found = marked.find(test)
        groups[found.test].append((test, found))
    return tuple(_result(name, groups[name], ran.report, marked) for name in sorted(groups))


def _result(
    name: str, cases: "Sequence[tuple[JUnitTest, LocatedTest]]", report: str, marked: MarkedTests
) -> TestResult:
    by_key: dict[tuple[str, str, str], list[JUnitTest]] = defaultdict(list)
    for test, _ in cases:
        by_key[test.classname, test.name, test.file].append(test)
    judged = [_of_one_case(tests) for tests in by_key.values()]
    worst = min((outcome for outcome, _ in judged), key=_WORST_FIRST.index)
    message = next((message for outcome, message in judged if outcome is worst and message), "")
    items = {item for test, _ in cases for item in test.items}
    for _, found in cases:
        items |= marked.items(found.path, found.symbol) if found.path else set()
    known = all(found.known for _, found in cases)
    return TestResult(name, worst, len(cases), tuple(sorted(items)), report, message, known)


def _of_one_case(tests: "Sequence[JUnitTest]") -> tuple[Outcome, str]:
    """Return the outcome and the message of all runs under one name."""
    outcomes = [_OUTCOMES[test.outcome] for test in tests]
    # Failed and passed under one name: a tool ran the test again after it failed.
    mixed = Outcome.FLAKY in outcomes or (Outcome.PASSED in outcomes and not _DID_NOT_PASS.isdisjoint(outcomes))
    worst = Outcome.FLAKY if mixed else min(outcomes, key=_WORST_FIRST.index)
    messages = [test.message for test in tests if test.message]
    return worst, messages[0] if messages else ""
