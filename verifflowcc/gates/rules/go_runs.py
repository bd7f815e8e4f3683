"""`go test`: the words that run some tests, and its stream of events as outcomes.

A package is tested as a whole: the names of the wanted tests are one pattern for all packages that hold one.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.gates.rules.hunks import RunSelection
from verifflowcc.gates.rules.run_outcomes import FailureCause, OutcomeKind, RunOutcome, RunResult, RunText, clipped

_ENDS = {"pass": OutcomeKind.PASSED, "fail": OutcomeKind.FAILED, "skip": OutcomeKind.SKIPPED}
_BUILD_ERROR = lazy_pattern(r"^(?:vet: )?(\S+\.go):\d+(?::\d+)?: (.+)$")
_PACKAGE_ERROR = lazy_pattern(r"^# (\S+)")
_NOISE = lazy_pattern(r"^\s*(?:=== |--- |(?:FAIL|PASS|ok)\b|Error Trace:|Test:|goroutine \d+|\[signal )")
_ERROR = lazy_pattern(r"^\s*Error:\s+(.+)$")
_PLACE = lazy_pattern(r"^\s*\S+_test\.go:\d+:\s*$")


def go_argv(argv: Sequence[str], selection: RunSelection) -> tuple[str, ...]:
    """Return the words that run the wanted tests: the packages of the command give way to those of the tests.

    >>> from verifflowcc.gates.rules.hunks import TestFile
    >>> " ".join(go_argv(["go", "test", "-race", "./..."], RunSelection((TestFile("a/b_test.go", ("TestB",)),))))
    'go test -json -count=1 -vet=off -race -run ^(TestB)$ ./a'
    """
    start = next(place for place, word in enumerate(argv) if word == "test") + 1
    options = [word for word in argv[start:] if not _is_package(word)]
    names = sorted({name for path in selection.paths for name in selection.names(path)})
    packages = sorted({_package(path) for path in selection.paths})
    own = ("-json", "-count=1", "-vet=off")  # vet would refuse a package for code that is not the tests' matter
    return (*argv[:start], *own, *options, "-run", f"^({'|'.join(names)})$", *packages)


def _is_package(word: str) -> bool:
    return word in (".", "..", "all") or word.startswith(("./", "../")) or word.endswith("...")


def _package(path: str) -> str:
    folder = path.rpartition("/")[0]
    return f"./{folder}" if folder else "."


def read_go(text: RunText, selection: RunSelection) -> RunResult:
    """Return what a run showed. A package that does not compile has all of its wanted tests unloaded."""
    events = [each for line in text.report.splitlines() if (each := _event(line)) is not None]
    broken = _broken(text.report, events)
    outcomes: dict[str, RunOutcome] = {}
    unloaded: dict[str, RunOutcome] = {}
    ends, outputs = _tests(events)
    packages = {str(each.get("Package") or "") for each in events} | set(broken)
    for path in selection.paths:
        package = _matching(_package(path), packages)
        if package in broken:
            unloaded[path] = RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, broken[package])
            continue
        for name in selection.names(path):
            end = ends.get((package, name))
            if end is not None:
                outcomes[f"{path}::{name}"] = _outcome(end, outputs[package, name], selection.line(path, name))
    problem = "" if outcomes or unloaded else _problem(text, events)
    return RunResult(outcomes, unloaded, {}, problem)


def _problem(text: RunText, events: Sequence[Mapping[str, object]]) -> str:
    if events and text.exit_code == 0:
        return ""  # it ran, and none of the tests is in it
    return "go test ran no test"


def _event(line: str) -> Mapping[str, object] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "Action" in found else None


def _tests(
    events: Sequence[Mapping[str, object]],
) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], list[str]]]:
    """Return how each test of a package ended, and what it and its subtests wrote."""
    ends: dict[tuple[str, str], str] = {}
    outputs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for event in events:
        test = str(event.get("Test") or "")
        key = str(event.get("Package") or ""), test.partition("/")[0]
        if not test:
            continue
        if event["Action"] == "output":
            outputs[key].append(str(event.get("Output", "")))
        elif event["Action"] in _ENDS and "/" not in test:
            ends[key] = str(event["Action"])
    return ends, outputs


def _outcome(end: str, output: Sequence[str], number: int) -> RunOutcome:
    result = _ENDS[end]
    if result is not OutcomeKind.FAILED:
        return RunOutcome(result, line=number)
    lines = [line for line in "".join(output).splitlines() if line.strip()]
    panic = next((line for line in lines if line.startswith("panic: ")), "")
    if panic:
        return RunOutcome(result, FailureCause.EXCEPTION, clipped(panic), number)
    return RunOutcome(result, FailureCause.ASSERTION, clipped(_message(lines)), number)


def _message(lines: Sequence[str]) -> str:
    named = next((found[1] for line in lines if (found := _ERROR.match(line))), "")
    return named or next(
        (line for line in lines if not _NOISE.match(line) and not _PLACE.match(line)), "the test failed"
    )


def _broken(report: str, events: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Return the packages that did not compile or start, with the first error of each."""
    found: dict[str, str] = {}
    for package, line in _lines(report):
        error = _BUILD_ERROR.match(line)
        if package and error:
            found.setdefault(package, clipped(error[2]))
    for event in events:
        output = str(event.get("Output", ""))
        if "[build failed]" in output or "[setup failed]" in output:
            package = str(event.get("Package") or "")
            found.setdefault(package, next(iter(found.values()), "the package does not compile"))
    return found


def _lines(report: str) -> Iterator[tuple[str, str]]:
    """Yield each line that the compiler wrote, with its package: plain lines, and those in events since Go 1.24."""
    package = ""
    for line in report.splitlines():
        event = _event(line)
        if event is None:
            words = line
        elif event["Action"] == "build-output":
            words = str(event.get("Output", "")).rstrip()
        else:
            continue
        head = _PACKAGE_ERROR.match(words)
        if head:
            package = head[1].removesuffix("_test")
        else:
            yield package, words


def _matching(folder: str, packages: set[str]) -> str:
    """Return the package in a folder: the shortest name that ends with it, for `.` the shortest of all."""
    inner = folder.removeprefix(".")
    those = [each for each in packages if each and each.endswith(inner)]
    return min(those, key=lambda each: (len(each), each), default="")
