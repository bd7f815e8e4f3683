"""Which tests an item names by the patterns under its key `tests`.

A pattern is a file (`tests/test_login.py`, `tests/login/**`), or a file and a symbol of it, joined by `::`, where `*`
and `?` stand for any letters (`tests/test_login.py::TestForm.test_a*`; pytest's own `TestForm::test_timeout[chromium]`
is understood, too). A class stands for all its tests. Tests of which only the report's name is known are named by that.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.glob import matches

_WILD = lazy_pattern(r"[*?\[]")
_SLASH = "\0"
"""What a `/` within a symbol is for the time of a comparison, since it ends nothing there."""


class TestNames:
    """Tests by their names, to look patterns up in; each pattern is worked out once."""

    __test__ = False

    def __init__(self, tests: Iterable[str]) -> None:
        self._files: dict[str, list[str]] = defaultdict(list)
        self._found: dict[str, tuple[str, ...]] = {}
        self._wild: dict[str, list[str]] = {}
        for test in sorted(set(tests)):
            self._files[test.partition("::")[0]].append(test)
        self._sorted = sorted(self._files)

    def named(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Return the tests that some of the patterns name, sorted, each once."""
        if len(patterns) == 1:
            return self.named_by(patterns[0])
        return tuple(sorted({test for pattern in patterns for test in self.named_by(pattern)}))

    def named_by(self, pattern: str) -> tuple[str, ...]:
        """Return the tests that a pattern names, sorted."""
        if pattern not in self._found:
            self._found[pattern] = tuple(self._look_up(pattern))
        return self._found[pattern]

    def _look_up(self, pattern: str) -> list[str]:
        file, _, symbol = pattern.strip().partition("::")
        tests = self._in_files(file.removeprefix("./"))
        return [each for each in tests if fits(symbol, each.partition("::")[2])] if symbol else tests

    def _in_files(self, file: str) -> list[str]:
        if file in self._files:
            return self._files[file]
        if _WILD.search(file) or file.endswith("/"):
            if file not in self._wild:
                self._wild[file] = [test for name in self._sorted if matches(name, file) for test in self._files[name]]
            return self._wild[file]
        return [test for name in self._below(f"{file}.") for test in self._files[name]]

    def _below(self, start: str) -> Iterator[str]:
        """Yield the names that begin so; it looks at no others, since there can be many patterns that name nothing."""
        place = bisect_left(self._sorted, start)
        while place < len(self._sorted) and self._sorted[place].startswith(start):
            yield self._sorted[place]
            place += 1


def fits(pattern: str, symbol: str) -> bool:
    """Return whether a pattern of symbols names this symbol or one around it.

    >>> fits("TestForm", "TestForm.test_a"), fits("test_a*", "test_ab"), fits("TestForm::test_a[1]", "TestForm.test_a")
    (True, True, True)
    """
    plain, name = _plain(pattern), symbol.replace("::", ".")
    if not _WILD.search(plain):
        return name == plain or name.startswith(f"{plain}.")
    parts = name.replace("/", _SLASH).split(".")
    wild = plain.replace("/", _SLASH)
    return any(matches(".".join(parts[:count]), wild) for count in range(len(parts), 0, -1))


def by_item(named: Mapping[str, Sequence[str]], tests: TestNames) -> Mapping[str, tuple[str, ...]]:
    """Return id → the tests that its patterns name, for those of which any is there."""
    found = {name: tests.named(patterns) for name, patterns in named.items()}
    return {name: each for name, each in found.items() if each}


def _plain(pattern: str) -> str:
    """Return a pattern with dots, and without arguments in brackets: the cases of a test are one."""
    dotted = pattern.replace("::", ".")
    return dotted.partition("[")[0] if dotted.endswith("]") else dotted
