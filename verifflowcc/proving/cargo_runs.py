"""`cargo test`: the words that run some tests, and what it prints as outcomes."""

import re
from collections import defaultdict
from collections.abc import Sequence

from verifflowcc.proving.outcomes import Cause, Outcome, Result, TestRun
from verifflowcc.proving.run_text import RunText, clipped, first_error
from verifflowcc.proving.targets import Selection

_TARGET = re.compile(r"^\s+Running (?:unittests )?(\S+\.rs) \(")
_DOCTESTS = re.compile(r"^\s+Doc-tests ")
_TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_FAILURE = re.compile(r"^---- (\S+) stdout ----$")
_ENDS = {"ok": Result.PASSED, "FAILED": Result.FAILED, "ignored": Result.SKIPPED}
_NOT_COMPILED = re.compile(r"^error: could not compile|^error\[E\d+\]", re.MULTILINE)


def cargo_argv(argv: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """Return the words that run the wanted tests; words after `--` are the project's own, for the test programs."""
    words = list(argv)
    split = words.index("--") if "--" in words else len(words)
    names = sorted({name.rpartition("::")[2] for path in selection.paths for name in selection.names(path)})
    crates = {_crate(path) for path in selection.paths}
    whole = () if "--manifest-path" in words or "--workspace" in words or crates == {""} else ("--workspace",)
    return (*words[:split], "--no-fail-fast", *whole, "--", *words[split + 1 :], *names)


def _crate(path: str) -> str:
    """Return the folder of the crate that a file is of, by the first folder of sources or tests in its path.

    >>> _crate("crates/a/src/lib.rs"), _crate("tests/b.rs")
    ('crates/a', '')
    """
    folders = path.split("/")
    return "/".join(folders[: next((place for place, each in enumerate(folders) if each in ("src", "tests")), 0)])


def module_in(path: str) -> tuple[str, str]:
    """Return the target that holds a file, as cargo names it below the crate, and the file's module there.

    >>> module_in("src/shop/price.rs"), module_in("tests/all.rs"), module_in("src/lib.rs")
    (('src/', 'shop::price'), ('tests/all.rs', ''), ('src/', ''))
    """
    inner = path.removeprefix(_crate(path)).lstrip("/")
    folder, _, rest = inner.partition("/")
    if folder == "tests":
        head, _, more = rest.partition("/")
        target = f"tests/{head}" if not more else f"tests/{head}/main.rs"
        return target, _module(more) if more else ""
    return "src/", _module(rest)


def _module(rest: str) -> str:
    stem = rest.removesuffix(".rs").removesuffix("/mod")
    return "" if stem in ("lib", "main", "mod") else stem.replace("/", "::")


def read_cargo(text: RunText, selection: Selection) -> TestRun:
    """Return what a run showed. Where the tests do not compile, all of them are unloaded."""
    if _NOT_COMPILED.search(text.report):
        lost = Outcome(Result.FAILED, Cause.NAME, clipped(first_error(text.report)))
        return TestRun({}, dict.fromkeys(selection.paths, lost))
    ends, failures = _tests(text.report)
    outcomes = {}
    for path in selection.paths:
        target, module = module_in(path)
        for name in selection.names(path):
            full = f"{module}::{name}" if module else name
            end = next((ends[each, test] for each, test in ends if each.startswith(target) and test == full), None)
            if end is not None:
                outcomes[f"{path}::{name}"] = _outcome(end, failures.get(full, []), selection.line(path, name))
    return TestRun(outcomes, {}, {}, "" if outcomes or ends or text.exit_code == 0 else "cargo test ran no test")


def _tests(report: str) -> tuple[dict[tuple[str, str], str], dict[str, list[str]]]:
    """Return how each test of a target ended, and what failed ones printed."""
    ends: dict[tuple[str, str], str] = {}
    failures: dict[str, list[str]] = defaultdict(list)
    target, failing = "", ""
    for line in report.splitlines():
        if found := _TARGET.match(line):
            target, failing = found[1], ""
        elif _DOCTESTS.match(line):
            target, failing = "doc", ""
        elif (found := _TEST.match(line)) and target:
            ends[target, found[1]] = found[2]
        elif found := _FAILURE.match(line):
            failing = found[1]
        elif line == "failures:":
            failing = ""
        elif failing and line.strip():
            failures[failing].append(line)
    return ends, failures


def _outcome(end: str, lines: Sequence[str], number: int) -> Outcome:
    result = _ENDS[end]
    if result is not Result.FAILED:
        return Outcome(result, line=number)
    words = [line for line in lines if not line.startswith(("thread ", "note: "))]
    message = clipped(" ".join(words[:3]) or " ".join(lines[:1]) or "the test failed")
    is_assertion = any("assertion" in line for line in lines)
    return Outcome(result, Cause.ASSERTION if is_assertion else Cause.EXCEPTION, message, number)
