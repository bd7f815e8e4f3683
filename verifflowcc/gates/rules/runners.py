"""How a project's test command is made to run some tests, and how its report is read: one runner for each framework."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import replace
from verifflowcc.gates.rules.hunks import RunSelection
from verifflowcc.gates.rules.run_outcomes import (
    FailureCause,
    OutcomeKind,
    RunOutcome,
    RunResult,
    RunText,
    cause_of,
    clipped,
    first_error,
    has_words,
    summed,
)

if TYPE_CHECKING:
    from verifflowcc.code.rules.code_views import AffectedTest

_GO_ENDS = {"pass": OutcomeKind.PASSED, "fail": OutcomeKind.FAILED, "skip": OutcomeKind.SKIPPED}
_BUILD_ERROR = lazy_pattern(r"^(?:vet: )?(\S+\.go):\d+(?::\d+)?: (.+)$")
_PACKAGE_ERROR = lazy_pattern(r"^# (\S+)")
_UNFOUND = lazy_pattern(r"(?m)^ERROR: (?:not found: |found no collectors for )(\S.*?)::")
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
    ends, outputs = _go_tests(events)
    packages = {str(each.get("Package") or "") for each in events} | set(broken)
    for path in selection.paths:
        package = _matching(_package(path), packages)
        if package in broken:
            unloaded[path] = RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, broken[package])
            continue
        for name in selection.names(path):
            end = ends.get((package, name))
            if end is not None:
                outcomes[f"{path}::{name}"] = _go_outcome(end, outputs[package, name], selection.line(path, name))
    problem = "" if outcomes or unloaded else _go_problem(text, events)
    return RunResult(outcomes, unloaded, {}, problem)


def _go_problem(text: RunText, events: Sequence[Mapping[str, object]]) -> str:
    if events and text.exit_code == 0:
        return ""  # it ran, and none of the tests is in it
    return "go test ran no test"


def _event(line: str) -> Mapping[str, object] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "Action" in found else None


def _go_tests(
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
        elif event["Action"] in _GO_ENDS and "/" not in test:
            ends[key] = str(event["Action"])
    return ends, outputs


def _go_outcome(end: str, output: Sequence[str], number: int) -> RunOutcome:
    result = _GO_ENDS[end]
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


# `cargo test`: the words that run some tests, and what it prints as outcomes.

_TARGET = lazy_pattern(r"^\s+Running (?:unittests )?(\S+\.rs) \(")
_DOCTESTS = lazy_pattern(r"^\s+Doc-tests ")
_TEST = lazy_pattern(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_FAILURE = lazy_pattern(r"^---- (\S+) stdout ----$")
_ENDS = {"ok": OutcomeKind.PASSED, "FAILED": OutcomeKind.FAILED, "ignored": OutcomeKind.SKIPPED}
_NOT_COMPILED = lazy_pattern(r"^error: could not compile|^error\[E\d+\]", re.MULTILINE)


def cargo_argv(argv: Sequence[str], selection: RunSelection) -> tuple[str, ...]:
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


def read_cargo(text: RunText, selection: RunSelection) -> RunResult:
    """Return what a run showed. Where the tests do not compile, all of them are unloaded."""
    if _NOT_COMPILED.search(text.report):
        lost = RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, clipped(first_error(text.report)))
        return RunResult({}, dict.fromkeys(selection.paths, lost))
    ends, failures = _tests(text.report)
    outcomes = {}
    for path in selection.paths:
        target, module = module_in(path)
        for name in selection.names(path):
            full = f"{module}::{name}" if module else name
            end = next((ends[each, test] for each, test in ends if each.startswith(target) and test == full), None)
            if end is not None:
                outcomes[f"{path}::{name}"] = _outcome(end, failures.get(full, []), selection.line(path, name))
    return RunResult(outcomes, {}, {}, "" if outcomes or ends or text.exit_code == 0 else "cargo test ran no test")


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


def _outcome(end: str, lines: Sequence[str], number: int) -> RunOutcome:
    result = _ENDS[end]
    if result is not OutcomeKind.FAILED:
        return RunOutcome(result, line=number)
    words = [line for line in lines if not line.startswith(("thread ", "note: "))]
    message = clipped(" ".join(words[:3]) or " ".join(lines[:1]) or "the test failed")
    is_assertion = any("assertion" in line for line in lines)
    return RunOutcome(result, FailureCause.ASSERTION if is_assertion else FailureCause.EXCEPTION, message, number)


# Jest and Vitest: the words that run some test files, and their JSON report, which is of one form, as outcomes.

_RESULTS = {"passed": OutcomeKind.PASSED, "failed": OutcomeKind.FAILED}
_COLOURS = lazy_pattern(r"\x1b\[[0-9;]*m")
_KIND = lazy_pattern(r"^(?:\w+: )?([A-Z]\w*(?:Error|Exception))(?: \[[A-Z_]+\])?: ")
_FRAME = lazy_pattern(r"^\s+at (?:.*\()?(?:file://)?([^()\s]+?):(\d+):\d+\)?\s*$")
_NO_NAME = lazy_pattern(
    r"is not a (?:function|constructor)|Cannot read propert(?:y|ies) of undefined|is not defined"
    r"|Class extends value undefined|does not provide an export|Cannot find module|Failed to resolve import"
)
_TEMPLATE = lazy_pattern(r"%[sdifjop#%]|\$\{[^}]*\}|\$[\w.]+")


def jest_argv(argv: Sequence[str], selection: RunSelection) -> tuple[str, ...]:
    """Return the words that run the wanted files, without snapshots being written or coverage being judged."""
    own = ("--json", "--outputFile={report}", "--ci", "--coverage=false")
    return (*argv, *own, "--cacheDirectory={private}/cache", "--runTestsByPath", *selection.paths)


def vitest_argv(argv: Sequence[str], selection: RunSelection) -> tuple[str, ...]:
    """Return the words that run the wanted files once."""
    own = ("--reporter=json", "--outputFile={report}", "--coverage.enabled=false", "--bail=0")
    return (*argv, *(() if "run" in argv else ("--run",)), *own, *selection.paths)


def read_javascript(text: RunText, selection: RunSelection, *, is_product: Callable[[str], bool]) -> RunResult:
    """Return what a run showed: of each file the tests whose titles are wanted."""
    try:
        report = json.loads(text.report)
        files = [each for each in report["testResults"] if isinstance(each, dict)]
    except (ValueError, KeyError, TypeError):
        return RunResult(problem="the report could not be read")
    outcomes: dict[str, RunOutcome] = {}
    unloaded: dict[str, RunOutcome] = {}
    for file in files:
        path = _path(str(file.get("name", "")), selection.paths)
        if not path:
            continue  # Vitest takes a path for a part of one, and runs more files
        cases = file.get("assertionResults")
        if not cases and file.get("status") == "failed":
            unloaded[path] = RunOutcome(
                OutcomeKind.FAILED, FailureCause.NAME, _load_message(str(file.get("message", "")))
            )
        outcomes.update(_cases(path, cases if isinstance(cases, list) else [], selection, is_product))
    return RunResult(outcomes, unloaded)


def _path(name: str, paths: Sequence[str]) -> str:
    return next((each for each in paths if name == each or name.endswith(f"/{each}")), "")


def _cases(
    path: str, cases: Sequence[object], selection: RunSelection, is_product: Callable[[str], bool]
) -> Iterator[tuple[str, RunOutcome]]:
    wanted = next((each.names for each in selection.files if each.path == path), ())
    known = selection.known.get(path, {})
    seen: Counter[str] = Counter()
    for case in cases:
        if not isinstance(case, dict):
            continue
        title = str(case.get("title", ""))
        if not wanted or any(is_title(title, name) for name in wanted):
            around = case.get("ancestorTitles")
            name = " > ".join([*(str(each) for each in (around if isinstance(around, list) else ()) if each), title])
            seen[name] += 1  # a title may be that of several tests
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            line = known.get(title) or next((at for written, at in known.items() if is_title(title, written)), 0)
            yield f"{path}::{name}{number}", _javascript_runs_outcome(case, line, is_product)


def is_title(title: str, written: str) -> bool:
    """Say whether a test has the title that its source writes, which may be a template for several.

    >>> is_title("adds 1 and 2", "adds %i and %i"), is_title("adds", "adds more")
    (True, False)
    """
    if title == written:
        return True
    parts = _TEMPLATE.split(written)
    return len(parts) > 1 and re.fullmatch(".*".join(map(re.escape, parts)), title, re.DOTALL) is not None


def _javascript_runs_outcome(case: Mapping[str, object], number: int, is_product: Callable[[str], bool]) -> RunOutcome:
    result = _RESULTS.get(str(case.get("status")), OutcomeKind.SKIPPED)
    if result is not OutcomeKind.FAILED:
        return RunOutcome(result, line=number)
    messages = case.get("failureMessages")
    text = _COLOURS.sub("", "\n".join(map(str, messages)) if isinstance(messages, list) else "")
    return RunOutcome(result, _cause(text, is_product), clipped(_first(text)), number)


def _cause(text: str, is_product: Callable[[str], bool]) -> FailureCause:
    kind = _KIND.match(text)
    name = kind[1] if kind else ""
    where = next((found[1] for line in text.splitlines() if (found := _FRAME.match(line))), "")
    if name in ("TypeError", "ReferenceError", "SyntaxError", "Error", "") and _NO_NAME.search(_first(text)):
        return FailureCause.EXCEPTION if is_product(where) else FailureCause.NAME
    if name in ("", "Error", "JestAssertionError") and "expect(" in text:
        return FailureCause.ASSERTION
    return cause_of([name], "", in_product=True) if name else FailureCause.EXCEPTION


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _load_message(text: str) -> str:
    lines = [line.strip(" ●\t") for line in _COLOURS.sub("", text).splitlines()]
    named = [line for line in lines if "Error" in line or "Cannot find" in line or "export named" in line]
    return clipped((named or [line for line in lines if line] or ["the file could not be loaded"])[0])


# Lines that a reporter of ours wrote while Python tests ran, as outcomes.

_LONGEST = 160
_REPORTER_LINES_RESULTS = {"passed": OutcomeKind.PASSED, "failed": OutcomeKind.FAILED, "skipped": OutcomeKind.SKIPPED}


def read_lines(text: str, *, is_product: Callable[[str], bool]) -> RunResult:
    """Return the run that these lines record; `is_product` knows the paths of the product's own files.

    A run that did not come to its end has a problem: its tests may have been fewer than wanted.
    """
    parts: dict[str, list[RunOutcome]] = defaultdict(list)
    unloaded: dict[str, RunOutcome] = {}
    loaded: dict[str, str] = {}
    ended = False
    for line in text.splitlines():
        record = _record(line)
        at, name = record.get("at"), str(record.get("id", ""))
        if at == "load":
            unloaded[name] = _load_failure(record)
        elif at == "modules":
            loaded.update({str(key): str(value) for key, value in _mapping(record.get("modules")).items()})
        elif at == "end":
            ended = True
        elif name:
            parts[name].append(_part(record, is_product))
    outcomes = {name: summed(each) for name, each in parts.items()}
    return RunResult(outcomes, unloaded, loaded, "" if ended else "the tests did not come to their end")


def _part(record: Mapping[str, object], is_product: Callable[[str], bool]) -> RunOutcome:
    result = _REPORTER_LINES_RESULTS.get(str(record.get("outcome")), OutcomeKind.ABSENT)
    line = record.get("line")
    number = line if isinstance(line, int) else 0
    if result is not OutcomeKind.FAILED:
        return RunOutcome(result, line=number)
    kinds = [str(each) for each in _list(record.get("kinds"))]
    text = str(record.get("text", ""))
    if not kinds and record.get("expected"):  # a strict xfail that passed
        return RunOutcome(result, FailureCause.ASSERTION, "passes, and is marked xfail", number)
    cause = cause_of(kinds, text, in_product=is_product(str(record.get("where", ""))))
    return RunOutcome(result, cause, _words(kinds, text), number)


def _load_failure(record: Mapping[str, object]) -> RunOutcome:
    """Return the failure to load a file: whatever the exception, no test of it ran, so no more than that is shown."""
    kinds = [str(each) for each in _list(record.get("kinds"))]
    named = kinds if kinds and kinds[0] not in ("CollectError",) else []
    return RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, _words(named, str(record["text"])))


def _words(kinds: list[str], text: str) -> str:
    lines = (line.strip().removeprefix("E  ").strip() for line in text.splitlines())  # pytest marks them with E
    first = next((line for line in lines if line), "")
    kind = kinds[0] if kinds else ""
    words = f"{kind}: {first}" if kind and first and not first.startswith(kind) else first or kind
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _record(line: str) -> Mapping[str, object]:
    try:
        return _mapping(json.loads(line))
    except ValueError:
        return {}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


__all__ = ["RunText", "Runner", "argv_for", "narrowed", "prints_results", "read_run", "runner_of"]


class Runner(StrEnum):
    """A test framework whose outcomes can be read."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    GO = "go test"
    JEST = "jest"
    VITEST = "vitest"
    CARGO = "cargo test"


_STARTS = (
    (Runner.PYTEST, ("pytest",)),
    (Runner.PYTEST, ("py.test",)),
    (Runner.UNITTEST, ("-m", "unittest")),
    (Runner.GO, ("go", "test")),
    (Runner.CARGO, ("cargo", "test")),
    (Runner.JEST, ("jest",)),
    (Runner.VITEST, ("vitest",)),
)


def runner_of(argv: Sequence[str]) -> Runner | None:
    """Return the framework that a command starts; None for one that is not known.

    >>> runner_of([".venv/bin/python", "-m", "pytest", "-q"]), runner_of(["make", "test"])
    (<Runner.PYTEST: 'pytest'>, None)
    """
    return next((runner for runner, words in _STARTS if has_words(argv, *words)), None)


def argv_for(runner: Runner, argv: Sequence[str], selection: RunSelection) -> tuple[str, ...]:
    """Return the words that run the wanted tests, whatever the project's own options make a run stop at."""
    match runner:
        case Runner.PYTEST:
            # Without its cache pytest knows no such setting, and refuses it under --strict-config.
            cache = () if "no:cacheprovider" in argv else ("-o", "cache_dir={private}/cache")
            # Most tests fail in some run: their tracebacks are not read, and take long to write.
            own = ("-p", "vfcc_prove_reporter", *cache, "--maxfail=0", "--continue-on-collection-errors", "--tb=no")
            return (*argv, *own, *selection.paths)
        case Runner.UNITTEST:
            return (*argv[: list(argv).index("unittest")], "vfcc_prove_unittest")
        case Runner.GO:
            return go_argv(argv, selection)
        case Runner.JEST:
            return jest_argv(argv, selection)
        case Runner.VITEST:
            return vitest_argv(argv, selection)
        case Runner.CARGO:
            return cargo_argv(argv, selection)


_WITH_VALUE = frozenset(
    "-c --config --config-file --rootdir --root --dir --project --confcutdir --ignore --deselect --cov --basetemp "
    "--junitxml --junit-xml -p -k -m -o -n -W -t".split()
)
"""Options whose next word may be a path that says nothing of which tests run."""
MOST_CHARACTERS = 60_000
"""Names of tests that take more, as arguments, give way to their files."""


def narrowed(
    runner: Runner, argv: Sequence[str], tests: "Sequence[AffectedTest]", is_path: Callable[[str], bool]
) -> list[tuple[str, ...]]:
    """Return the words that run some tests by a project's own command; none where no test is in its language.

    Paths that the command names give way to those of the tests; `is_path` says what is one.

    >>> from verifflowcc.code.rules.code_views import AffectedTest
    >>> one = AffectedTest("tests/test_a.py", "test_b", "python", 1, 100, "")
    >>> narrowed(Runner.PYTEST, ["pytest", "-q", "tests"], [one], "tests".__eq__)
    [('pytest', '-q', 'tests/test_a.py::test_b')]
    """
    from verifflowcc.code.rules.affected_tests import selections  # no other run needs the ranking of tests

    if sum(len(each.id) for each in tests) > MOST_CHARACTERS:
        tests = [replace(each, name="") for each in tests]
    ends = {words[-1] for known, words in _STARTS if known is runner}
    first = next(place for place, word in enumerate(argv) if word.rpartition("/")[2] in ends) + 1
    pairs = zip(argv[first:], argv[first - 1 :], strict=False)
    kept = [*argv[:first], *(word for word, before in pairs if _is_kept(runner, word, before, is_path))]
    found = []
    for words, _ in selections(tests, runner.partition(" ")[0]):
        found.append((*kept, *(words[1:] if words[:1] == ["--"] and "--" in kept else words)))
    return found


def _is_kept(runner: Runner, word: str, before: str, is_path: Callable[[str], bool]) -> bool:
    if runner is Runner.GO:
        return not _is_package(word)
    if runner is Runner.UNITTEST:
        return False  # its words are names of tests, or `discover` with options of its own
    return word.startswith("-") or before in _WITH_VALUE or not is_path(word)


def not_collected(output: str) -> frozenset[str]:
    """Return the files, as absolute paths, in which pytest did not find a test that was named.

    >>> sorted(not_collected("ERROR: found no collectors for /p/tests/test_a.py::test_b\\n"))
    ['/p/tests/test_a.py']
    """
    return frozenset(_UNFOUND.findall(output))


def prints_results(runner: Runner) -> bool:
    """Say whether the results of a framework are what it prints, so that all of its output is its report."""
    return runner in (Runner.GO, Runner.CARGO)


def read_run(runner: Runner, text: RunText, selection: RunSelection, *, is_product: Callable[[str], bool]) -> RunResult:
    """Return what a run showed; a run that showed nothing has a problem that says why."""
    match runner:
        case Runner.GO:
            found = read_go(text, selection)
        case Runner.CARGO:
            found = read_cargo(text, selection)
        case Runner.JEST | Runner.VITEST:
            found = read_javascript(text, selection, is_product=is_product)
        case _:
            found = read_lines(text.report, is_product=is_product)
    return RunResult(found.outcomes, found.unloaded, found.loaded, _problem(found, text), text.duration_ms)


def _problem(found: RunResult, text: RunText) -> str:
    if text.failure or not found.problem:
        return text.failure
    return f"the tests left no outcome (exit {text.exit_code}): {first_error(text.output)[:200]}"
