"""Read from the output of a test runner how many tests passed and which failed. It runs inside of hooks.

Only what a runner's own summary states counts: pytest, unittest, jest, vitest, `go test` and `cargo test`.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = Any
    Withhold = Callable[[str], str]
    Counts = dict[str, int]
    _Found = tuple[str, Counts, list[tuple[str, str]]] | None

MOST_FAILING = 20
"""So many failing tests are named; the number of failures is always exact."""
_LOOKED_AT = 60_000
"""Summaries are at the end of an output; of a longer one, so many last characters are read."""
_LONGEST, _LONGEST_NAME = 200, 300

_HINTS = (" passed", " failed", " error", "no tests ran", "Ran ", "Tests", "ok  \t", "FAIL", "test result:")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PYTEST = re.compile(
    r"^=* ?((?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))? ?=*$", re.MULTILINE
)
_PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::[^\[\n]+?(?:\[.*\])?)?)(?: - (.*))?$", re.MULTILINE)
_UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s\n+(OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
_UNITTEST_FAILED = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", re.MULTILINE)
_JEST = re.compile(r"^Tests:\s+(.*\d+ total)$", re.MULTILINE)
_VITEST = re.compile(r"^\s*Tests\s+(\d+ \w+(?: \| \d+ \w+)*) \(\d+\)$", re.MULTILINE)
_SCRIPT_FAILED = re.compile(r"^\s*(?:FAIL|❯)\s+([\w./@-]+\.[cm]?[jt]sx?)\b", re.MULTILINE)
_GO = re.compile(r"^(ok|FAIL)[ \t]+(\S+)[ \t]+(?:[\d.]+s|\(cached\)|\[build failed\])", re.MULTILINE)
_GO_FAILED = re.compile(r"^--- FAIL: (\S+)|^FAIL[ \t]+(\S+)[ \t]", re.MULTILINE)
_CARGO = re.compile(r"^test result: \w+\. (.*?)(?:; finished in .*)?$", re.MULTILINE)
_CARGO_FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+) (filtered out|[a-z]+)")
_BAD = ("failed", "error", "errors", "failures")
_PASSED = ("passed", "xfailed", "xpassed")
_LEFT_OUT = ("deselected", "filtered out")


def report_of(text: str, withhold: "Withhold") -> "dict[str, Json] | None":
    """Return `{runner, passed, failed, left_out?, failing?}` by the summary in an output; None where there is none.

    `failing` are `{test, why?}` as the runner writes them; `left_out` are tests that were deselected.
    """
    if not any(hint in text for hint in _HINTS):
        return None
    tail = _COLOUR.sub("", text[-_LOOKED_AT:]).replace("\r\n", "\n")
    for read in (_pytest, _unittest, _jest, _vitest, _cargo, _go):
        found = read(tail)
        if found is not None:
            runner, counts, failing = found
            return _report(runner, counts, failing, withhold)
    return None


def _report(runner: str, counts: "Counts", failing: "list[tuple[str, str]]", withhold: "Withhold") -> "dict[str, Json]":
    report: dict[str, Json] = {
        "runner": runner,
        "passed": sum(counts.get(name, 0) for name in _PASSED),
        "failed": sum(counts.get(name, 0) for name in _BAD),
    }
    if left_out := sum(counts.get(name, 0) for name in _LEFT_OUT):
        report["left_out"] = left_out
    named = []
    for test, why in dict(failing[::-1]).items():
        one = {"test": withhold(test)[:_LONGEST_NAME]}
        named.append({**one, "why": withhold(why)[:_LONGEST]} if why else one)
    if named:
        report["failing"] = named[::-1][:MOST_FAILING]
    return report


def _counts(text: str) -> "Counts":
    counts: Counts = {}
    for number, name in _NUMBER.findall(text):
        counts[name] = counts.get(name, 0) + int(number)
    return counts


def _pytest(text: str) -> "_Found":
    summaries = _PYTEST.findall(text)
    if not summaries:
        return None
    return "pytest", _counts(summaries[-1]), _PYTEST_FAILED.findall(text)


def _unittest(text: str) -> "_Found":
    found = _UNITTEST.findall(text)
    if not found:
        return None
    ran, _, more = found[-1]
    bad = {name: int(number) for name, number in re.findall(r"(failures|errors)=(\d+)", more)}
    failing = [(f"{case}.{name}" if not case.endswith(f".{name}") else case, "") for name, case in
               _UNITTEST_FAILED.findall(text)]  # fmt: skip
    return "unittest", {"passed": max(int(ran) - sum(bad.values()), 0), **bad}, failing


def _jest(text: str) -> "_Found":
    found = _JEST.findall(text)
    return ("jest", _counts(found[-1]), _scripts(text)) if found else None


def _vitest(text: str) -> "_Found":
    found = _VITEST.findall(text)
    return ("vitest", _counts(found[-1]), _scripts(text)) if found else None


def _scripts(text: str) -> "list[tuple[str, str]]":
    return [(path, "") for path in _SCRIPT_FAILED.findall(text)]


def _cargo(text: str) -> "_Found":
    found = _CARGO.findall(text)
    return ("cargo", _counts(" ".join(found)), [(name, "") for name in _CARGO_FAILED.findall(text)]) if found else None


def _go(text: str) -> "_Found":
    packages = _GO.findall(text)
    if not packages:
        return None
    failing, names = [], []
    for test, package in _GO_FAILED.findall(text):
        if test:
            names.append(test)
        else:
            failing += [(f"{package} {name}", "") for name in names] or [(package, "")]
            names = []
    bad = sum(state == "FAIL" for state, _ in packages)
    return "go", {"passed": len(packages) - bad, "failed": len(failing) or bad}, failing
