"""Which tests a command runs, by its words: the runner, what it names, and whether it leaves some out.

What cannot be known stays unknown: a script, `make` or `npm test` may run any test.
"""

from collections.abc import Iterator, Sequence

from verifflowcc.episodes.programs import Program, programs
from verifflowcc.episodes.read_only import only_reads
from verifflowcc.records import dataclass

_WITH_A_WORD = {
    "pytest": frozenset(
        "-k -m -n -p -c -o -W -r --tb --maxfail --rootdir --ignore --deselect --cov --junitxml".split()
    ),
    "unittest": frozenset(("-k", "-s", "-p", "-t")),
    "go": frozenset("-run -skip -count -timeout -tags -cpu -p -bench -coverprofile".split()),
    "cargo": frozenset("-p --package --test --bin --example --features --manifest-path -j --profile --target".split()),
    "jest": frozenset("-t -c -w --testNamePattern --config --maxWorkers --testPathPattern --reporters".split()),
    "vitest": frozenset("-t -c --testNamePattern --config --reporter --project --dir".split()),
}
_NARROWING = {
    "pytest": ("-k", "-m", "--lf", "--last-failed", "--sw", "--stepwise", "--deselect", "--ignore", "--co",
               "--collect-only", "--picked", "--testmon", "--nf"),
    "unittest": ("-k", "-p"),
    "go": ("-run", "-skip", "-short", "-tags", "-list"),
    "cargo": ("-p", "--package", "--test", "--bin", "--example", "--lib", "--doc", "--no-run", "--skip", "--exact"),
    "jest": ("-t", "--testNamePattern", "-o", "--onlyChanged", "--shard", "--testPathPattern", "--listTests"),
    "vitest": ("-t", "--testNamePattern", "--changed", "--shard", "--project", "--dir", "related"),
}  # fmt: skip
"""Options with which a run may leave out tests of the files that it names."""
_STOPPING = ("-x", "--exitfirst", "--maxfail", "-f", "--failfast", "-failfast", "--bail", "--sw", "--stepwise")
"""Options with which a run may end at a failure, before other tests."""
_PLAIN = frozenset(
    "cd mkdir cp mv rm touch chmod ls echo printf sleep kill true pip "
    "ruff mypy black isort flake8 eslint prettier tsc".split()
)
"""Programs that run no tests."""
_SAFE_GIT = (
    "add",
    "status",
    "diff",
    "log",
    "show",
    "branch",
    "checkout",
    "switch",
    "stash",
    "restore",
    "reset",
    "fetch",
)


@dataclass(frozen=True, slots=True)
class TestRun:
    """What a command runs: `targets` are paths or tests from the project's root, empty for all that the runner finds.

    A `narrowed` run may leave out some of these, one that `stops` the tests after a failure. `decides` says that the
    command's exit code is that of the runner. An `opaque` command may run any tests of any runner. `programs` are the
    names of what it runs, and `folder` is where the runner runs.
    """

    __test__ = False
    runner: str = ""
    targets: tuple[str, ...] = ()
    narrowed: bool = False
    stops: bool = False
    decides: bool = False
    opaque: bool = False
    programs: frozenset[str] = frozenset()
    folder: str = ""

    def covers(self, runner: str, test: str) -> bool:
        """Return whether a test is among the targets; of a run that is not `narrowed` it then ran.

        >>> TestRun("pytest", ("tests/a.py",)).covers("pytest", "tests/a.py::b"), TestRun("go").covers("pytest", "a")
        (True, False)
        """
        if self.runner != runner:
            return False
        return not self.targets or any(_is_within(test, target) for target in self.targets)


def run_of(command: str, folder: str = "") -> TestRun:
    """Return the tests that a shell command runs; `folder` is where it runs, from the project's root.

    >>> run_of("cd src && python -m pytest -q tests/a.py::b").targets
    ('src/tests/a.py::b',)
    >>> [run_of(each).opaque for each in ("make test", "cat a | head", "pytest -q", "git commit -m x")]
    [True, False, False, True]
    """
    if only_reads(command):
        return TestRun()
    found = programs(command, folder)
    names = frozenset(program.name for program in found if program.name)
    runs = [(runner, given, program) for program in found if (named := _runner(program)) for runner, given in [named]]
    others = [program for program in found if program.name and not _runner(program)]
    opaque = any(not _is_plain(program) for program in others)
    if len(runs) != 1 or opaque:
        runner = runs[0][0] if len({each[0] for each in runs}) == 1 else ""
        return TestRun(runner, narrowed=True, opaque=opaque or len(runs) > 1, programs=names)
    runner, given, program = runs[0]
    targets = tuple(_joined(program, target) for target in _targets(runner, given))
    if not targets and program.where not in ("", "."):
        targets = (program.path(""),)
    return TestRun(
        runner,
        targets,
        narrowed=_is_narrowed(runner, given),
        stops=any(word.partition("=")[0] in _STOPPING for word in given),
        decides=program is found[-1],
        programs=names,
        folder=program.where,
    )


def _runner(program: Program) -> "tuple[str, Sequence[str]] | None":
    name, given = program.name, program.given
    if name.startswith("python") and given[:1] == ["-m"] and given[1:2] in (["pytest"], ["unittest"]):
        return given[1], given[2:]
    if name in ("pytest", "py.test"):
        return "pytest", given
    if name in ("jest", "vitest"):
        return name, given[1:] if given[:1] in (["run"], ["watch"]) else given
    if name in ("go", "cargo") and given[:1] == ["test"]:
        return name, given[1:]
    return None


def _is_plain(program: Program) -> bool:
    if program.name == "git":
        return bool(program.given) and program.given[0] in _SAFE_GIT
    return program.name in _PLAIN or only_reads(" ".join(program.plain))


def _operands(runner: str, given: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in given:
        if skip:
            skip = False
        elif word in _WITH_A_WORD[runner]:
            skip = True
        elif not word.startswith("-"):
            yield word


def _targets(runner: str, given: Sequence[str]) -> Iterator[str]:
    for word in _operands(runner, given):
        if runner == "unittest" and word == "discover":
            return
        if runner == "go" and word in ("./...", "..."):
            continue
        yield word.removesuffix("/...")


def _is_narrowed(runner: str, given: Sequence[str]) -> bool:
    if runner in ("go", "cargo", "jest", "vitest", "unittest") and any(True for _ in _targets(runner, given)):
        return True  # their tests are not named by the words that choose them
    return any(word.partition("=")[0] in _NARROWING[runner] for word in given)


def _joined(program: Program, target: str) -> str:
    path, mark, rest = target.partition("::")
    return f"{program.path(path)}{mark}{rest}"


def _is_within(test: str, target: str) -> bool:
    plain = target.rstrip("/")
    return plain in ("", ".") or test == plain or test.startswith((f"{plain}/", f"{plain}::", f"{plain}["))
