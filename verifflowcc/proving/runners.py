"""How a project's test command is made to run some tests, and how its report is read: one runner for each framework."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from verifflowcc.proving.outcomes import TestRun
from verifflowcc.proving.pytest_lines import read_pytest
from verifflowcc.proving.targets import TestFile
from verifflowcc.records import dataclass


class Runner(StrEnum):
    """A test framework whose outcomes can be read."""

    PYTEST = "pytest"


@dataclass(frozen=True, slots=True)
class RunText:
    """What a run left behind: its report, its output, its exit code (None where it did not end) and its failure."""

    report: str
    output: str
    exit_code: int | None
    failure: str
    duration_ms: int = 0


def runner_of(argv: Sequence[str]) -> Runner | None:
    """Return the framework that a command starts; None for one that is not known.

    >>> runner_of([".venv/bin/python", "-m", "pytest", "-q"]), runner_of(["make", "test"])
    (<Runner.PYTEST: 'pytest'>, None)
    """
    names = [word.rpartition("/")[2] for word in argv]
    if any(name in ("pytest", "py.test") for name in names):
        return Runner.PYTEST
    return None


def argv_for(runner: Runner, argv: Sequence[str], wanted: Sequence[TestFile]) -> tuple[str, ...]:
    """Return the words that run the wanted tests, whatever the project's own options make a run stop at."""
    # Without its cache pytest knows no such setting, and refuses it under --strict-config.
    cache = () if "no:cacheprovider" in argv else ("-o", "cache_dir={private}/cache")
    own = ("-p", "vfcc_prove_reporter", *cache, "--maxfail=0", "--continue-on-collection-errors")
    return (*argv, *own, *(each.path for each in wanted))


def read_run(runner: Runner, text: RunText, *, is_product: Callable[[str], bool]) -> TestRun:
    """Return what a run showed; a run that showed nothing has a problem that says why."""
    found = read_pytest(text.report, is_product=is_product)
    problem = _problem(found, text)
    return TestRun(found.outcomes, found.unloaded, found.loaded, problem, text.duration_ms)


def _problem(found: TestRun, text: RunText) -> str:
    if text.failure or not found.problem:
        return text.failure
    lines = [line.strip() for line in text.output.splitlines() if line.strip()]
    why = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return f"the tests left no outcome (exit {text.exit_code}): {why[:200]}"
