"""Jest and Vitest: the words that run some test files, and their JSON report, which is of one form, as outcomes."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from verifflowcc.proving.outcomes import Cause, Outcome, Result, TestRun, cause_of
from verifflowcc.proving.run_text import RunText, clipped
from verifflowcc.proving.targets import Selection

_RESULTS = {"passed": Result.PASSED, "failed": Result.FAILED}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_KIND = re.compile(r"^(?:\w+: )?([A-Z]\w*(?:Error|Exception))(?: \[[A-Z_]+\])?: ")
_FRAME = re.compile(r"^\s+at (?:.*\()?(?:file://)?([^()\s]+?):(\d+):\d+\)?\s*$")
_NO_NAME = re.compile(
    r"is not a (?:function|constructor)|Cannot read propert(?:y|ies) of undefined|is not defined"
    r"|Class extends value undefined|does not provide an export|Cannot find module|Failed to resolve import"
)
_TEMPLATE = re.compile(r"%[sdifjop#%]|\$\{[^}]*\}|\$[\w.]+")


def jest_argv(argv: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """Return the words that run the wanted files, without snapshots being written or coverage being judged."""
    own = ("--json", "--outputFile={report}", "--ci", "--coverage=false")
    return (*argv, *own, "--cacheDirectory={private}/cache", "--runTestsByPath", *selection.paths)


def vitest_argv(argv: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """Return the words that run the wanted files once."""
    own = ("--reporter=json", "--outputFile={report}", "--coverage.enabled=false", "--bail=0")
    return (*argv, *(() if "run" in argv else ("--run",)), *own, *selection.paths)


def read_javascript(text: RunText, selection: Selection, *, is_product: Callable[[str], bool]) -> TestRun:
    """Return what a run showed: of each file the tests whose titles are wanted."""
    try:
        report = json.loads(text.report)
        files = [each for each in report["testResults"] if isinstance(each, dict)]
    except (ValueError, KeyError, TypeError):
        return TestRun(problem="the report could not be read")
    outcomes: dict[str, Outcome] = {}
    unloaded: dict[str, Outcome] = {}
    for file in files:
        path = _path(str(file.get("name", "")), selection.paths)
        if not path:
            continue  # Vitest takes a path for a part of one, and runs more files
        cases = file.get("assertionResults")
        if not cases and file.get("status") == "failed":
            unloaded[path] = Outcome(Result.FAILED, Cause.NAME, _load_message(str(file.get("message", ""))))
        outcomes.update(_cases(path, cases if isinstance(cases, list) else [], selection, is_product))
    return TestRun(outcomes, unloaded)


def _path(name: str, paths: Sequence[str]) -> str:
    return next((each for each in paths if name == each or name.endswith(f"/{each}")), "")


def _cases(
    path: str, cases: Sequence[object], selection: Selection, is_product: Callable[[str], bool]
) -> Iterator[tuple[str, Outcome]]:
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
            yield f"{path}::{name}{number}", _outcome(case, line, is_product)


def is_title(title: str, written: str) -> bool:
    """Say whether a test has the title that its source writes, which may be a template for several.

    >>> is_title("adds 1 and 2", "adds %i and %i"), is_title("adds", "adds more")
    (True, False)
    """
    if title == written:
        return True
    parts = _TEMPLATE.split(written)
    return len(parts) > 1 and re.fullmatch(".*".join(map(re.escape, parts)), title, re.DOTALL) is not None


def _outcome(case: Mapping[str, object], number: int, is_product: Callable[[str], bool]) -> Outcome:
    result = _RESULTS.get(str(case.get("status")), Result.SKIPPED)
    if result is not Result.FAILED:
        return Outcome(result, line=number)
    messages = case.get("failureMessages")
    text = _COLOURS.sub("", "\n".join(map(str, messages)) if isinstance(messages, list) else "")
    return Outcome(result, _cause(text, is_product), clipped(_first(text)), number)


def _cause(text: str, is_product: Callable[[str], bool]) -> Cause:
    kind = _KIND.match(text)
    name = kind[1] if kind else ""
    where = next((found[1] for line in text.splitlines() if (found := _FRAME.match(line))), "")
    if name in ("TypeError", "ReferenceError", "SyntaxError", "Error", "") and _NO_NAME.search(_first(text)):
        return Cause.EXCEPTION if is_product(where) else Cause.NAME
    if name in ("", "Error", "JestAssertionError") and "expect(" in text:
        return Cause.ASSERTION
    return cause_of([name], "", in_product=True) if name else Cause.EXCEPTION


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _load_message(text: str) -> str:
    lines = [line.strip(" ●\t") for line in _COLOURS.sub("", text).splitlines()]
    named = [line for line in lines if "Error" in line or "Cannot find" in line or "export named" in line]
    return clipped((named or [line for line in lines if line] or ["the file could not be loaded"])[0])
