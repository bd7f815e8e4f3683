"""Which failures of a session are still open, by test and target: a test that passed under another command is not.

A failure that a later call may have settled, in a way that the record does not show, is open without certainty.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.history.rules.read_only import only_reads
from verifflowcc.history.rules.shell_programs import Program, programs
from verifflowcc.history.rules.test_report import report_of

# Which tests a command runs, by its words: the runner, what it names, and whether it leaves some out.
#
# What cannot be known stays unknown: a script, `make` or `npm test` may run any test.

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


Event = Mapping[str, Json]
COMMANDS = ("Bash", "shell", "exec_command")
_LONGEST_LABEL = 200
_CHANGES = ("edit", "write")
_BY_PATH = ("pytest", "jest", "vitest")
"""Runners that name a test by its file."""
_NO_RUN = TestRun()


@dataclass(frozen=True, slots=True)
class OpenFailure:
    """A test or a call that failed last: `label` names it, `where` the command of a test.

    `ids` are the events in which it failed, `time` is the last one's. `certain` says that no later call of the session
    can have passed it; else all that is known is how the last run of `where` ended.
    """

    label: str
    error: str
    time: str
    ids: tuple[str, ...]
    where: str = ""
    certain: bool = True


@dataclass(frozen=True, slots=True)
class _CallAttempt:
    """One call of a tool: `ok` is None where its outcome is unknown; `failing` are the failed tests, each with why."""

    id: str
    time: str
    label: str
    ok: bool | None
    error: str
    run: TestRun = _NO_RUN
    runner: str = ""
    counted: bool = False
    whole: bool = False
    failing: Mapping[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()


def label_of(event: Event) -> str:
    """Return what was called, the same for the same call: the tool with its command line, else with its files."""
    tool, command = _text(event, "gen_ai.tool.name") or "unknown", command_of(event)
    paths = ", ".join(dict.fromkeys(_paths(event, ())))
    return plain_line(f"{tool} {command or paths}", _LONGEST_LABEL)


def command_of(event: Event) -> str:
    """Return the command line of a call; empty for another tool than a shell."""
    given = event.get("gen_ai.tool.call.arguments")
    is_shell = _text(event, "gen_ai.tool.name") in COMMANDS
    return _text(given, "command") if is_shell and isinstance(given, Mapping) else ""


def has_failed(event: Event) -> bool:
    """Return whether a call failed: by its exit code, or by the tests that failed in it behind a pipe."""
    return event.get("success") is False or _number(_report(event), "failed") > 0


def open_failures(events: Iterable[Event]) -> tuple[OpenFailure, ...]:
    """Return the failures of a session that are open at its end, the newest first; events are in order of time."""
    found: dict[tuple[str, str], tuple[OpenFailure, _CallAttempt]] = {}
    for event in events:
        if event.get("kind") != "tool_execution":
            continue
        attempt = _attempt(event)
        for key, (failure, first) in list(found.items()):
            settled = _settles(attempt, key, first)
            if settled is None:
                found[key] = replace(failure, certain=False), first
            elif settled:
                del found[key]
        for key, failure in _failures(attempt):
            before = found.pop(key, None)
            ids = (*before[0].ids, *failure.ids) if before else failure.ids
            found[key] = replace(failure, ids=ids), attempt
    newest = sorted((each for each, _ in found.values()), key=lambda each: (each.time, each.ids[-1]), reverse=True)
    return tuple(newest)


def _attempt(event: Event) -> _CallAttempt:
    report = _report(event)
    folder = _text(report, "folder")
    command = command_of(event)
    run = run_of(command, folder) if command else _NO_RUN
    base = run.folder or folder
    failing = {_from_root(name, run.runner, base): why for name, why in _named(report)}
    failed, left_out = _number(report, "failed"), _number(report, "left_out")
    success = event.get("success")
    ok = success if isinstance(success, bool) else None
    if run.runner and not run.decides and ok:
        ok = None  # the exit code is that of another program
    if report and ok is not False:
        ok = False if failed else _number(report, "passed") > 0 or ok
    return _CallAttempt(
        id=_text(event, "id"),
        time=_text(event, "time"),
        label=label_of(event),
        ok=ok,
        error=_text(event, "error.message"),
        run=run,
        runner=_text(report, "runner") or run.runner,
        counted=bool(report),
        whole=len(failing) == failed and not left_out and not run.narrowed and not (failed and run.stops),
        failing=failing,
        changed=frozenset(_paths(event, _CHANGES)),
    )


def _report(event: Event) -> Mapping[str, Json]:
    """Return the outcomes of tests that an event has; of an older one, those in the part of the output that it kept."""
    report = event.get("tests")
    if isinstance(report, Mapping):
        return report
    result = event.get("gen_ai.tool.call.result")
    kept = _text(result, "start") if isinstance(result, Mapping) else _text(event, "error.message")
    return (command_of(event) and report_of(kept, str)) or {}


def _failures(attempt: _CallAttempt) -> Iterator[tuple[tuple[str, str], OpenFailure]]:
    """Yield what failed in a call: each test that it names, else the call."""
    ids, time = (attempt.id,), attempt.time
    for test, why in attempt.failing.items():
        yield (attempt.runner, test), OpenFailure(test, why, time, ids, attempt.label)
    if attempt.ok is False and not attempt.failing:
        yield ("", attempt.label), OpenFailure(attempt.label, attempt.error, time, ids)


def _settles(attempt: _CallAttempt, key: tuple[str, str], first: _CallAttempt) -> bool | None:
    """Return whether a call shows that an older failure is over; None where it may be, and the record does not show."""
    runner, test = key
    if attempt.label == first.label and attempt.ok:
        return True
    if runner:
        return _settles_test(attempt, runner, test)
    if first.run.runner:
        targets = first.run.targets or ("",)
        every = [_settles_test(attempt, first.run.runner, target) for target in targets]
        return all(each is True for each in every) or (None if any(each is not False for each in every) else False)
    if attempt.ok is False:
        return False
    if first.changed:
        return first.changed <= attempt.changed
    alike = bool(attempt.run.programs & first.run.programs)
    return None if attempt.run.opaque or alike else False


def _settles_test(attempt: _CallAttempt, runner: str, test: str) -> bool | None:
    """Return whether a call ran a test that did not fail in it; None where it may have."""
    if test in attempt.failing:
        return False
    if attempt.run.opaque:
        return None
    if attempt.runner != runner or not attempt.run.covers(runner, test):
        return False
    if attempt.whole and (attempt.counted or attempt.ok):
        return True if attempt.ok or attempt.failing else None
    return None


def _from_root(test: str, runner: str, folder: str) -> str:
    """Return a test's name from the project's root, where it begins with a path from the folder of the run."""
    return f"{folder}/{test}" if folder not in ("", ".") and runner in _BY_PATH else test


def _named(report: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    named = report.get("failing")
    for each in named if isinstance(named, list) else []:
        if isinstance(each, Mapping) and _text(each, "test"):
            yield _text(each, "test"), _text(each, "why")


def _paths(event: Event, operations: tuple[str, ...]) -> list[str]:
    """Return the files of a call, those with one of some operations where such are named."""
    files = event.get("files")
    some = [each for each in files if isinstance(each, Mapping)] if isinstance(files, list) else []
    return [_text(each, "path") for each in some if not operations or _text(each, "operation") in operations]


def _number(report: Mapping[str, Json], name: str) -> int:
    value = report.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(event: Event, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""
