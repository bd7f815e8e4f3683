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
    Found = tuple[str, Counts, list[tuple[str, str]]]


MOST_FAILING = 20
"""So many failing tests are named; the number of failures is always exact."""
_LOOKED_AT = 60_000
"""Summaries are at the end of an output; of a longer one, so many last characters are read."""
_LONGEST, _LONGEST_NAME = 200, 300

_COLOUR = r"\x1b\[[0-9;]*m"
_PYTEST = r"(?m)^=* ?((?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))? ?=*$"
_PYTEST_FAILED = r"(?m)^(?:FAILED|ERROR) (\S+?\.py(?:::[^\[\n]+?(?:\[.*\])?)?)(?: - (.*))?$"
_UNITTEST = r"(?m)^Ran (\d+) tests? in [\d.]+s\n+(OK|FAILED)(?: \((.*)\))?$"
_UNITTEST_FAILED = r"(?m)^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)"
_JEST = r"(?m)^Tests:\s+(.*\d+ total)$"
_VITEST = r"(?m)^\s*Tests\s+(\d+ \w+(?: \| \d+ \w+)*) \(\d+\)$"
_SCRIPT_FAILED = r"(?m)^\s*(?:FAIL|❯)\s+([\w./@-]+\.[cm]?[jt]sx?)\b"
_GO = r"(?m)^(ok|FAIL)[ \t]+(\S+)[ \t]+(?:[\d.]+s|\(cached\)|\[build failed\])"
_GO_FAILED = r"(?m)^--- FAIL: (\S+)|^FAIL[ \t]+(\S+)[ \t]"
_CARGO = r"(?m)^test result: \w+\. (.*?)(?:; finished in .*)?$"
_CARGO_FAILED = r"(?m)^test (\S+) \.\.\. FAILED$"
_NUMBER = r"(\d+) (filtered out|[a-z]+)"
# Texts, and no compiled patterns: a hook needs those of one runner, and compiling all takes longer than its other work.
_BAD = ("failed", "error", "errors", "failures")
_PASSED = ("passed", "xfailed", "xpassed")
_LEFT_OUT = ("deselected", "filtered out")


def report_of(text: str, withhold: "Withhold") -> "dict[str, Json] | None":
    """Return `{runner, passed, failed, left_out?, failing?}` by the summary in an output; None where there is none.

    `failing` are `{test, why?}` as the runner writes them; `left_out` are tests that were deselected.
    """
    tail = text[-_LOOKED_AT:]
    if not any(hint in tail for hints, _ in _READERS for hint in hints):
        return None
    if "\x1b" in tail:
        tail = re.sub(_COLOUR, "", tail)
    tail = tail.replace("\r\n", "\n")
    for hints, read in _READERS:
        found = read(tail) if any(hint in tail for hint in hints) else None
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
    for number, name in re.findall(_NUMBER, text):
        counts[name] = counts.get(name, 0) + int(number)
    return counts


def _pytest(text: str) -> "Found | None":
    summaries = re.findall(_PYTEST, text)
    if not summaries:
        return None
    return "pytest", _counts(summaries[-1]), re.findall(_PYTEST_FAILED, text)


def _unittest(text: str) -> "Found | None":
    found = re.findall(_UNITTEST, text)
    if not found:
        return None
    ran, _, more = found[-1]
    bad = {name: int(number) for name, number in re.findall(r"(failures|errors)=(\d+)", more)}
    failing = [(f"{case}.{name}" if not case.endswith(f".{name}") else case, "") for name, case in
               re.findall(_UNITTEST_FAILED, text)]  # fmt: skip
    return "unittest", {"passed": max(int(ran) - sum(bad.values()), 0), **bad}, failing


def _jest(text: str) -> "Found | None":
    found = re.findall(_JEST, text)
    return ("jest", _counts(found[-1]), _scripts(text)) if found else None


def _vitest(text: str) -> "Found | None":
    found = re.findall(_VITEST, text)
    return ("vitest", _counts(found[-1]), _scripts(text)) if found else None


def _scripts(text: str) -> "list[tuple[str, str]]":
    return [(path, "") for path in re.findall(_SCRIPT_FAILED, text)]


def _cargo(text: str) -> "Found | None":
    found = re.findall(_CARGO, text)
    return (
        ("cargo", _counts(" ".join(found)), [(name, "") for name in re.findall(_CARGO_FAILED, text)]) if found else None
    )


def _go(text: str) -> "Found | None":
    packages = re.findall(_GO, text)
    if not packages:
        return None
    failing, names = [], []
    for test, package in re.findall(_GO_FAILED, text):
        if test:
            names.append(test)
        else:
            failing += [(f"{package} {name}", "") for name in names] or [(package, "")]
            names = []
    bad = sum(state == "FAIL" for state, _ in packages)
    return "go", {"passed": len(packages) - bad, "failed": len(failing) or bad}, failing


_READERS: "tuple[tuple[tuple[str, ...], Callable[[str], Found | None]], ...]" = (
    ((" passed", " failed", " error", " skipped", " deselected", "no tests ran"), _pytest),
    (("Ran ",), _unittest),
    (("Tests:",), _jest),
    (("Tests ",), _vitest),
    (("test result:",), _cargo),
    (("ok  ", "FAIL\t"), _go),
)
"""Words of which one is in every summary of a runner, and what reads it."""
