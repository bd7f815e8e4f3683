"""The tests of each item: those with a result, and those that only a mark or a pattern names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from verifflowcc.domain.trace import CodeFile, CodeMark, TestResult, TraceItem
from verifflowcc.trace.test_names import TestNames
from verifflowcc.trace.verdicts import Verdict, verdicts
from verifflowcc.trace.view import TraceView

VERIFIES = "verifies"
"""The relation by which a specification hands its tests to what it verifies."""


@dataclass(frozen=True, slots=True)
class Named:
    """A test that is there but has no result: its name, and the place that names it."""

    test: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Joined:
    """An item's own tests: `told` with what became of them, `unrun` without a result, `lost` patterns of no test."""

    told: tuple[Verdict, ...]
    unrun: tuple[Named, ...]
    lost: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there is a test at all."""
        return bool(self.told or self.unrun)


NONE = Joined((), (), ())


@dataclass(frozen=True)
class Joins:
    """The tests of all live items of a view."""

    view: TraceView

    @cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Test → what became of it."""
        return verdicts(self.view.sources.results)

    @cached_property
    def by_id(self) -> Mapping[str, Joined]:
        """Id → the item's tests, for items that have or name any."""
        view, found = self.view, {}
        results, marks = view.results, self._test_marks
        for item in view.live:
            if item.id in results or item.id in marks or item.tests:
                found[item.id] = self._join(item, marks.get(item.id, ()))
        return found

    @cached_property
    def specifications(self) -> Mapping[str, tuple[TraceItem, ...]]:
        """Id → the live specifications of tests that verify the item and are not only planned."""
        found: dict[str, list[TraceItem]] = {}
        for item, link, target in self.view.ties:
            if link.relation == VERIFIES and item.planned is None:
                held = found.get(target.id)
                if held is None:
                    found[target.id] = [item]
                else:
                    held.append(item)
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def _test_marks(self) -> Mapping[str, tuple[tuple[CodeFile, CodeMark], ...]]:
        return {
            name: tuple([each for each in places if each[0].test])
            for name, places in self.view.marks.items()
            if any(file.test for file, _ in places)
        }

    @cached_property
    def _with_results(self) -> TestNames:
        return TestNames(self.verdicts)

    @cached_property
    def _in_tree(self) -> TestNames:
        files = [file for file in self.view.code.values() if file.test]
        symbols = [f"{file.path}::{symbol.name}" for file in files for symbol in file.symbols]
        return TestNames([*symbols, *(file.path for file in files if not file.symbols)])

    def _join(self, item: TraceItem, marks: Iterable[tuple[CodeFile, CodeMark]]) -> Joined:
        names = sorted({each.test for each in self.view.results.get(item.id, ()) if not self._gone(each)})
        unrun, lost = _unrun(marks, names) if marks else [], []
        for pattern in item.tests:
            if self._with_results.named_by(pattern):
                continue
            if self._in_tree.named_by(pattern) or self._unseen(pattern):
                unrun.append(Named(pattern, item.path, item.line("tests")))
            else:
                lost.append(pattern)
        return Joined(tuple(self.verdicts[name] for name in names), tuple(dict.fromkeys(unrun)), tuple(lost))

    def _gone(self, result: TestResult) -> bool:
        """Whether only reports about other content have the test, and the tree no longer has it.

        A report says so whose other tests the tree has: of one in which none is found, no name can be resolved.
        """
        return not result.known and result.report in self._located and self.verdicts[result.test].outcome is None

    @cached_property
    def _located(self) -> frozenset[str]:
        return frozenset(each.report for each in self.view.sources.results.tests if each.known)

    def _unseen(self, pattern: str) -> bool:
        """Whether a pattern names a symbol of a file in which no symbols are known: then nobody can say."""
        file = pattern.strip().partition("::")[0].removeprefix("./")
        known = self.view.code.get(file)
        return known is not None and known.test and not known.symbols


def _unrun(marks: Iterable[tuple[CodeFile, CodeMark]], names: Sequence[str]) -> list[Named]:
    """Return the tests that marks name and that none of these is."""
    named = [
        Named(f"{file.path}::{mark.symbol}" if mark.symbol else file.path, file.path, mark.line) for file, mark in marks
    ]
    left = [each for each in named if each.test not in names] if len(names) < 10 else named
    if not left:
        return []
    covered = _covered(names)
    return [each for each in left if not _answered(each.test, covered)]


def _covered(tests: Iterable[str]) -> frozenset[str]:
    """Return all that a mark may be called so that it is one of these tests, or holds it."""
    found: set[str] = set()
    for test in tests:
        path, joint, symbol = test.partition("::")
        if not joint:
            found.update(("", f"::{test.rpartition('.')[2]}"))
            continue
        found.add(path)
        parts = symbol.replace("::", ".").split(".")
        found.update(f"{path}::{'.'.join(parts[:count])}" for count in range(1, len(parts) + 1))
    return frozenset(found)


def _answered(test: str, covered: frozenset[str]) -> bool:
    """Whether a result is there; of results that name no file the last name of a test must do."""
    _, joint, symbol = test.partition("::")
    return test in covered or (f"::{symbol.rpartition('.')[2]}" if joint else "") in covered
