"""How a project's test command is made to run some tests, and how its report is read: one runner for each framework."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from verifflowcc.proving.cargo_runs import cargo_argv, read_cargo
from verifflowcc.proving.go_runs import go_argv, read_go
from verifflowcc.proving.javascript_runs import jest_argv, read_javascript, vitest_argv
from verifflowcc.proving.outcomes import TestRun
from verifflowcc.proving.reporter_lines import read_lines
from verifflowcc.proving.run_text import RunText, first_error, has_words
from verifflowcc.proving.targets import Selection

__all__ = ["RunText", "Runner", "argv_for", "prints_results", "read_run", "runner_of"]


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


def argv_for(runner: Runner, argv: Sequence[str], selection: Selection) -> tuple[str, ...]:
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


def prints_results(runner: Runner) -> bool:
    """Say whether the results of a framework are what it prints, so that all of its output is its report."""
    return runner in (Runner.GO, Runner.CARGO)


def read_run(runner: Runner, text: RunText, selection: Selection, *, is_product: Callable[[str], bool]) -> TestRun:
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
    return TestRun(found.outcomes, found.unloaded, found.loaded, _problem(found, text), text.duration_ms)


def _problem(found: TestRun, text: RunText) -> str:
    if text.failure or not found.problem:
        return text.failure
    return f"the tests left no outcome (exit {text.exit_code}): {first_error(text.output)[:200]}"
