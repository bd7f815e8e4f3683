"""What the output of a running test command says: how many tests ended and how, and which one runs."""

import re
from collections import Counter, deque

from verifflowcc.records import dataclass, field

_LETTERS = re.compile(r"(?:\S+\.py )?([.FEsxX]+)(?:\s+\[\s*\d+%\])?\s*")
_ENDS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS"
_WORDS = re.compile(rf"\S+::\S.* ({_ENDS})\b.*\[|\[gw\d+\] \[\s*\d+%\] ({_ENDS}) \S+::")
_AFTERWARDS = re.compile(r"=+ (?:FAILURES|ERRORS|short test summary info|warnings summary|slowest|\d+ \w+.* in )\b")
_PERCENT = re.compile(r"\[\s*(\d{1,3})%\]")
_PASSED, _FAILED = frozenset({".", "PASSED", "X", "XPASS"}), frozenset({"F", "E", "FAILED", "ERROR"})
_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+) in (\S+)$', re.MULTILINE)
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
