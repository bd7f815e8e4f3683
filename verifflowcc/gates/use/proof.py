"""Prove one change: run its tests with it and without it, then at finer grain, and judge."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.git.git_place import objects_folder
from verifflowcc.base.git.git_versions import TreeFile
from verifflowcc.base.git.work_tree import FOLDER
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass, replace
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.rules.script_shape import SCRIPTS
from verifflowcc.gates.rules.behaviour_before import kept_names
from verifflowcc.gates.rules.change_parts import ChangeParts, FileChange
from verifflowcc.gates.rules.hunks import LineHunk, TestFile, put_back, union
from verifflowcc.gates.rules.new_imports import import_roots, missing_modules, module_of, none_loads
from verifflowcc.gates.rules.project_parts import PartRules, ProjectPart, is_suite, part_of
from verifflowcc.gates.rules.proof_verdicts import (
    ProofVerdict,
    TestVerdict,
    better,
    function_of,
    judge_change,
    judge_tests,
)
from verifflowcc.gates.rules.run_outcomes import FailureCause, OutcomeKind, RunOutcome, RunResult, is_misfit
from verifflowcc.gates.rules.runners import Runner
from verifflowcc.gates.store.scratch_tree import scratch_of, sweep
from verifflowcc.gates.use.proof_input import (
    Choice,
    ProofChange,
    changes_of,
    contents_after,
    environments,
    generated,
    read_change,
    test_lines,
)
from verifflowcc.gates.use.trials import NO_RUN_LEFT, ProofLimits, Setup, Trials

# Notes on a proof: what its scratch tree has otherwise than a checkout, and what its environment seems to lack.


def tree_notes(change: ProofChange, made: Collection[str], pointers: Collection[str]) -> Iterator[str]:
    """Yield what a scratch tree has otherwise than a checkout of the change would."""
    empty = [path for path, file in change.after.items() if file.mode == FOLDER]
    for paths, what in (
        (empty, "not checked out at the commit of the change, so left empty: submodule"),
        (pointers, "content not on this machine, so left a pointer of Git LFS:"),
        (made, "ignored by git, so copied as it is now:"),
    ):
        if paths:
            first, *others = sorted(paths)
            yield f"{what} {first}{f' and {len(others)} more' if others else ''}"


def not_installed(why: str, tests: Collection[TestVerdict], files: Collection[str]) -> Iterator[str]:
    """Yield a hint where tests fail with the change for want of a module that is not the project's."""
    failures = [why, *(each.why for each in tests if each.verdict is ProofVerdict.BROKEN)]
    names = missing_modules(failures, files)
    if names:
        listed = ", ".join(names)
        yield f"not installed where the tests run: {listed}; test requirements seem to be missing in this environment"


@dataclass(frozen=True, slots=True)
class Unguarded:
    """Lines of the product that could be put back with every test of the change still passing."""

    path: str
    first: int
    last: int
    size: int


@dataclass(frozen=True, slots=True)
class ChangeProof:
    """The proof of one change: a commit, a range, `staged` or `work tree`.

    `unguarded` are lines that no test needs, `not_tried` counts hunks without a run, and `notes` are sentences.
    """

    change: str
    subject: str
    verdict: ProofVerdict
    why: str
    tests: tuple[TestVerdict, ...] = ()
    unguarded: tuple[Unguarded, ...] = ()
    not_tried: int = 0
    runs: int = 0
    duration_ms: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """How to prove: by which command and framework, in which folder of the repository, and what to leave out.

    With `any_test`, all tests run where the change adds or alters none: one that was red before may prove it.
    """

    argv: tuple[str, ...]
    runner: Runner
    folder: str = ""
    patterns: tuple[str, ...] = ()
    grain: bool = True
    cached: bool = True
    refactoring: bool = False
    timeout_s: int = 1800
    any_test: bool = False


def prove_change(
    top: Path,
    change: ProofChange,
    wanted: ProofRequest,
    limits: ProofLimits,
    read: tuple[ChangeParts, PartRules] | None = None,
) -> ChangeProof:
    """Return what is shown of a change; `read` is what `read_change` returned for it, where it is known already.

    Raises WorkspaceError where a content cannot be read or written.
    """
    started = time.monotonic()
    split, rules = read or read_change(top, wanted.folder, change, wanted.patterns)
    if split.product and (wanted.refactoring or (wanted.any_test and not split.tests)):
        split = replace(split, tests=_all_tests(change, wanted.folder, rules), nothing="")
    if split.nothing:
        return _nothing(change, split.nothing, started)
    texts = contents_after(top, wanted.folder, change, [each.path for each in split.tests])
    known = {path: test_lines(path, data) for path, data in texts.items()}
    chosen = tuple(
        each for each in split.tests if each.path.endswith(".py") or is_suite(each.path) or known.get(each.path)
    )
    if not chosen:
        return _nothing(change, "there is no test", started)
    made = generated(top, change.after)
    files = {**made, **change.after}
    with scratch_of(top, change.head, environments(top, {*change.before, *change.after})) as scratch:
        setup = _setup(wanted, change, split, rules, known)
        objects = objects_folder(top) if wanted.cached else None
        cache = objects.parent / "vfcc" / "prove" if objects else None  # all worktrees share it
        trials = Trials(scratch, setup, files, chosen, limits, cache, wanted.timeout_s)
        if wanted.refactoring:
            verdict, why, tests, unguarded, untried = _refactored(trials, change, split, wanted)
        else:
            verdict, why, tests, unguarded, untried = _judged(trials, change, split, wanted, texts)
        notes = (*tree_notes(change, made, scratch.pointers), *not_installed(why, tests, files))
    return ChangeProof(
        change=change.name,
        subject=change.subject,
        verdict=verdict,
        why=why,
        tests=tests,
        unguarded=unguarded,
        not_tried=untried,
        runs=trials.runs,
        duration_ms=_since(started),
        notes=notes,
    )


def _nothing(change: ProofChange, why: str, started: float) -> ChangeProof:
    return ChangeProof(change.name, change.subject, ProofVerdict.NOTHING, why, duration_ms=_since(started))


def _all_tests(change: ProofChange, folder: str, rules: PartRules) -> tuple[TestFile, ...]:
    prefix = f"{folder}/" if folder else ""
    paths = sorted(path.removeprefix(prefix) for path in change.after if path.startswith(prefix))
    return tuple(TestFile(path) for path in paths if path.endswith(".rs") or part_of(path, rules) is ProjectPart.TESTS)


_Judged = tuple[ProofVerdict, str, tuple[TestVerdict, ...], tuple[Unguarded, ...], int]


def _judged(
    trials: Trials, change: ProofChange, split: ChangeParts, wanted: ProofRequest, texts: Mapping[str, bytes]
) -> _Judged:
    present = _present(trials)
    trials.expect(present)
    problem = present.problem or _installed(present, trials.files) or _no_test(present)
    if problem:
        return ProofVerdict.INCONCLUSIVE, problem, (), (), 0
    without = _without(change, split.product, wanted.folder)
    tests = _compared(trials, present, split, without, texts)
    if tests is None:
        took = f"the tests took {present.duration_ms / 1000:.0f} s with the change"
        return ProofVerdict.INCONCLUSIVE, f"{took}, and no time or run was left without it (--time, --runs)", (), (), 0
    if judge_change(tests) is ProofVerdict.INCONCLUSIVE:
        tests = _by_part(trials, present, tests, split)
    verdict = judge_change(tests)
    if verdict is ProofVerdict.PROVEN and wanted.grain:
        unguarded, untried = _unguarded(trials, split, without)
        return verdict, "", tests, unguarded, untried
    lost = tuple(map(_as_unguarded, split.hunks)) if verdict is ProofVerdict.NOT_DISCRIMINATING else ()
    return verdict, "", tests, lost, 0


def _compared(
    trials: Trials,
    present: RunResult,
    split: ChangeParts,
    without: Mapping[str, bytes | TreeFile | None],
    texts: Mapping[str, bytes],
) -> tuple[TestVerdict, ...] | None:
    """Judge the tests by runs with the change and without it; None where no run was left.

    Tests that cannot be loaded without the change run with its names kept at once: without these they show nothing.
    """
    early: tuple[TestVerdict, ...] = ()
    if present.all_passed and none_loads(trials.wanted, texts, split.product, trials.setup.roots):
        every = judge_tests(present, RunResult())
        early = better(every, tuple(_with_names(trials, present, every, split, without)))
        if all(_is_proof(each) or not _ran(present, each) for each in early):
            return early
    absent = trials.run(without)
    if absent.problem == NO_RUN_LEFT:
        return None
    tests = judge_tests(present, _with_problem(absent, present))
    unsettled = tuple(each for each in tests if each.verdict is ProofVerdict.INCONCLUSIVE and _ran(present, each))
    if unsettled:  # a test that is skipped with the change as well shows nothing in any other run
        tests = better(tests, early or tuple(_with_names(trials, present, unsettled, split, without)))
    return tests


def _refactored(trials: Trials, change: ProofChange, split: ChangeParts, wanted: ProofRequest) -> _Judged:
    """Judge a change of which a person states that behaviour stays: every test must pass with it and without it."""
    present = trials.run()
    problem = present.problem or _installed(present, trials.files) or _no_test(present)
    if problem:
        return ProofVerdict.INCONCLUSIVE, problem, (), (), 0
    absent = trials.run(_without(change, split.product, wanted.folder))
    if absent.problem:
        return ProofVerdict.INCONCLUSIVE, f"without the change, {absent.problem}", (), (), 0
    tests = judge_tests(present, absent)
    broken = tuple(each for each in tests if each.verdict is ProofVerdict.BROKEN)
    if broken:
        why = f"stated as a refactoring, and {counted(len(broken), 'test')} failed with it"
        return ProofVerdict.BROKEN, why, broken, (), 0
    differing = tuple(
        each for each in tests if each.verdict is not ProofVerdict.NOT_DISCRIMINATING and _ran(present, each)
    )
    if differing:
        why = f"stated as a refactoring, and {counted(len(differing), 'test')} failed without it"
        return ProofVerdict.INCONCLUSIVE, why, differing, (), 0
    count = sum(each.verdict is ProofVerdict.NOT_DISCRIMINATING for each in tests)
    return ProofVerdict.NOTHING, f"a refactoring: {counted(count, 'test')} passed with it and without it", tests, (), 0


def _ran(present: RunResult, test: TestVerdict) -> bool:
    """Say whether a case of a test passed with the change; a test that is skipped there shows nothing of it."""
    cases = (each for name, each in present.outcomes.items() if function_of(name) == test.test)
    return any(each.result is OutcomeKind.PASSED for each in cases)


def _present(trials: Trials) -> RunResult:
    """Run the tests with the change: those that it alters alone, and whole files where one fails that way.

    Some tests need what others in their file leave behind. From then on whole files run.
    """
    alone = trials.run()
    wanted = trials.wanted
    if alone.problem or alone.all_passed or not any(each.names for each in wanted) or not trials.limits.allow():
        return alone
    trials.wanted = tuple(TestFile(each.path) for each in wanted)
    whole = trials.run()
    failed = {test for test, each in alone.outcomes.items() if each.result is OutcomeKind.FAILED}
    if not whole.problem and any(whole.of(test).result is OutcomeKind.PASSED for test in failed):
        trials.only = frozenset(alone.outcomes)
        return trials.chosen(whole)
    trials.wanted = wanted
    return alone


def _installed(run: RunResult, files: Collection[str]) -> str:
    """Return a problem where a module of the change was imported from elsewhere than the files of the scratch tree."""
    elsewhere = {name: path for name, path in run.loaded.items() if path and path not in files}
    if not elsewhere:
        return ""
    name, path = sorted(elsewhere.items())[0]
    return f"the tests import the installed copy: {name} is {path}"


def _no_test(run: RunResult) -> str:
    if run.outcomes or run.unloaded:
        return ""
    return "none of the tests that changed was collected"


def _with_problem(absent: RunResult, present: RunResult) -> RunResult:
    """Return the run without the change; where nothing could run at all, every test lacks a name there."""
    if not absent.problem:
        return absent
    lost = RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, absent.problem)
    return RunResult({test: absent.outcomes.get(test, lost) for test in present.outcomes})


def _with_names(
    trials: Trials,
    present: RunResult,
    unsettled: Sequence[TestVerdict],
    split: ChangeParts,
    without: Mapping[str, bytes | TreeFile | None],
) -> Iterator[TestVerdict]:
    """Judge some tests again with the behaviour of before below the names of after, where a name alone was missing.

    An old body that does not fit a new signature or object shows nothing. In a script an emptied function returns
    undefined, and all that uses it fails, so that an assertion alone shows something.
    """
    kept = kept_names(split.product)
    made = {path: each.content for path, each in kept.items() if each is not None}
    if not made:
        return
    others = {path: value for path, value in without.items() if path not in kept}
    wanted, trials.wanted = trials.wanted, _narrowed(trials, unsettled)
    absent = _with_problem(trials.run({**others, **made}), present)
    trials.wanted = wanted
    fitting = {
        test: replace(each, cause=FailureCause.NAME) if is_misfit(each) or _is_vague(test, each) else each
        for test, each in absent.outcomes.items()
    }
    again = judge_tests(present, replace(absent, outcomes=fitting))
    complete = all(each is not None and each.complete for each in kept.values())
    yield from (_by_names(each) for each in again if complete or each.verdict is ProofVerdict.PROVEN)


def _is_vague(test: str, outcome: RunOutcome) -> bool:
    return language_of(test.partition("::")[0]) in SCRIPTS and outcome.cause is FailureCause.EXCEPTION


def _narrowed(trials: Trials, tests: Sequence[TestVerdict]) -> tuple[TestFile, ...]:
    """Return the files of some tests to run, with these alone where no test needs what others leave behind."""
    paths = {each.test.partition("::")[0] for each in tests}
    if trials.only is not None or not all(path.endswith(".py") for path in paths):
        return trials.wanted
    return union(TestFile(path, (name,)) for path, _, name in (each.test.partition("::") for each in tests))


_MOST_PARTS = 8


def _by_part(
    trials: Trials, present: RunResult, tests: tuple[TestVerdict, ...], split: ChangeParts
) -> tuple[TestVerdict, ...]:
    """Judge again with one hunk put back at a time, the largest first, until a test fails by an assertion.

    A part may leave the names that the whole takes away. Other failures show nothing: half of a change may not fit.
    """
    after = {file.path: file.after for file in split.product}
    if len(split.hunks) < 2:
        return tests
    for hunk in sorted(split.hunks, key=lambda each: (-each.size, each.path, each.new))[:_MOST_PARTS]:
        content = after[hunk.path]
        if content is None or not hunk.before:  # without what only adds, its names are missing again
            continue
        absent = trials.run({hunk.path: put_back(content, [hunk])})
        failed = {test for test, each in absent.outcomes.items() if each.cause is FailureCause.ASSERTION}
        outcomes = {test: each for test, each in absent.outcomes.items() if test in failed}
        found = judge_tests(present, RunResult(outcomes))
        place = f"without {hunk.path}:{hunk.new}"
        shown = [
            replace(each, why=each.why.replace("without the change", place, 1)) for each in found if _is_proof(each)
        ]
        if shown:
            return better(tests, shown)
    return tests


def _is_proof(test: TestVerdict) -> bool:
    return test.verdict is ProofVerdict.PROVEN


def _by_names(test: TestVerdict) -> TestVerdict:
    """Return a verdict that came from names kept, with a reason that says so."""
    if test.verdict is ProofVerdict.NOT_DISCRIMINATING:
        return replace(test, why="passes with the new functions emptied and the changed ones as before")
    return replace(test, why=test.why.replace("without the change", "with the new functions emptied", 1))


def _unguarded(
    trials: Trials, split: ChangeParts, without: Mapping[str, bytes | TreeFile | None]
) -> tuple[tuple[Unguarded, ...], int]:
    """Return the hunks without which all tests still pass, and how many could not be tried: the largest come first.

    One alone is guarded, for the tests fail without it. A file is put back as a whole first, which may settle all of
    its hunks at once.
    """
    found: list[LineHunk] = []
    untried = 0
    files = {file.path: [each for each in split.hunks if each.path == file.path] for file in split.product}
    if sum(map(len, files.values())) < 2:
        return (), 0
    contents = {file.path: file.after for file in split.product}
    order = sorted(files, key=lambda path: (-sum(each.size for each in files[path]), path))
    for path in order:
        hunks, after = files[path], contents[path]
        if len(files) > 1 and path in without:
            whole = trials.run({path: without[path]})
            if whole.problem == NO_RUN_LEFT:
                untried += len(hunks)
                continue
            if whole.all_passed:
                found += hunks
                continue
        if after is None or len(hunks) < 2:
            continue
        for hunk in sorted(hunks, key=lambda each: (-each.size, each.new)):
            single = trials.run({path: put_back(after, [hunk])})
            untried += single.problem == NO_RUN_LEFT
            found += [hunk] if single.all_passed else []
    return tuple(map(_as_unguarded, sorted(found, key=lambda each: (each.path, each.new)))), untried


def _as_unguarded(hunk: LineHunk) -> Unguarded:
    return Unguarded(hunk.path, hunk.new, max(hunk.last, hunk.new), hunk.size)


def _without(change: ProofChange, product: Collection[FileChange], folder: str) -> dict[str, bytes | TreeFile | None]:
    """Return what to put back so that the product is as it was before the change."""
    prefix = f"{folder}/" if folder else ""
    return {file.path: file.before if file.mixed else change.before.get(f"{prefix}{file.path}") for file in product}


def _setup(
    wanted: ProofRequest,
    change: ProofChange,
    split: ChangeParts,
    rules: PartRules,
    known: Mapping[str, Mapping[str, int]],
) -> Setup:
    prefix = f"{wanted.folder}/" if wanted.folder else ""
    paths = [path.removeprefix(prefix) for path in change.after if path.startswith(prefix)]
    sources = [path for path in paths if part_of(path, rules) is ProjectPart.PRODUCT]
    roots = import_roots(sources)
    modules = tuple(filter(None, (module_of(file.path, roots) for file in split.product)))
    is_product = frozenset(sources).__contains__
    return Setup(wanted.argv, wanted.runner, wanted.folder, roots, modules, is_product, known)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "test"), counted(2, "test")
    ('1 test', '2 tests')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


# Prove the changes of a repository, one after the other, within the limits that a person gives.


@dataclass(frozen=True, slots=True)
class Proof:
    """What is shown of each change, in order. `remaining` is the number of changes for which no time was left.

    Paths are relative to `folder`, which is relative to the repository's top.
    """

    command: tuple[str, ...]
    changes: tuple[ChangeProof, ...]
    remaining: int = 0
    """Changes for which there was no time."""
    folder: str = ""

    @property
    def red(self) -> bool:
        """Whether the tests of a change pass without it, or fail with it."""
        return any(each.verdict in (ProofVerdict.NOT_DISCRIMINATING, ProofVerdict.BROKEN) for each in self.changes)

    @property
    def open(self) -> bool:
        """Whether something could not be judged."""
        return self.remaining > 0 or any(each.verdict is ProofVerdict.INCONCLUSIVE for each in self.changes)


def prove(
    top: Path,
    choice: Choice,
    wanted: ProofRequest,
    *,
    time_s: int,
    runs: int,
    on_change: Callable[[ChangeProof], None] | None = None,
) -> Proof:
    """Prove the chosen changes; `runs` bounds those of one change, `time_s` all of them. `on_change` sees each proof.

    Scratch trees of killed proofs are removed first. Raises UsageError for a choice that names nothing, WorkspaceError
    where the repository cannot be read.
    """
    sweep()
    until = time.monotonic() + time_s
    found: list[ChangeProof] = []
    left = 0
    for change in changes_of(top, choice):
        if time.monotonic() >= until:
            left += 1
            continue
        with step(f"proving {change.name}"):
            found.append(prove_change(top, change, wanted, ProofLimits(until, runs)))
        if on_change:
            on_change(found[-1])
    return Proof(wanted.argv, tuple(found), left, wanted.folder)
