"""Evidence that is made for one criterion by itself: a baseline, the proof of a change, what its tests lost."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from verifflowcc.base.errors import VfccError
from verifflowcc.base.formats.result_lines import ProofLine, encode_proof, traced_name
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.git.git_protected import head_commit
from verifflowcc.base.git.git_versions import TreeFile, commit_files, contents, disk_files
from verifflowcc.base.git.work_tree import FOLDER
from verifflowcc.base.model.baselines import NO_BASELINE
from verifflowcc.base.model.evidence_values import Command, Measurement, Run
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import COMPUTED, BaselineKind, Criterion, CriterionKind, EvidenceTrust
from verifflowcc.base.model.testcases import Loss, LostTest, TestCase
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.command_placeholders import fill
from verifflowcc.base.text.glob import matches
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.rules.source_testcases import CASES_OF, read_cases
from verifflowcc.gates.rules.change_parts import FileChange, split
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest
from verifflowcc.gates.rules.new_imports import package_folders
from verifflowcc.gates.rules.project_parts import PartRules, ProjectPart, part_of
from verifflowcc.gates.rules.proof_verdicts import NOT_RUN, ProofVerdict, TestVerdict, judge_change
from verifflowcc.gates.rules.python_tests import python_tests
from verifflowcc.gates.rules.runner_settings import PYTEST_HOOKS_FILES as FILES
from verifflowcc.gates.rules.runner_settings import changed_hooks, is_settings, lowered_settings, pytest_settings
from verifflowcc.gates.rules.runners import Runner, runner_of
from verifflowcc.gates.rules.staleness import differences, inputs_now
from verifflowcc.gates.rules.tests_lost import lost_tests, text_tests
from verifflowcc.gates.use.evidence_running import (
    EvidenceResult,
    EvidenceSource,
    RunReport,
    kept,
    now,
    take_baseline,
    wrote,
)
from verifflowcc.gates.use.gates_now import has_items
from verifflowcc.gates.use.proof import ChangeProof, prove_change
from verifflowcc.gates.use.proof import ProofRequest as Proving
from verifflowcc.gates.use.proof_input import ProofChange, program_of, read_change
from verifflowcc.gates.use.trials import ProofLimits
from verifflowcc.sprint.rules.junit_tests import reported_name
from verifflowcc.sprint.rules.measured_verdict import REFACTORING, examples_of, report_paths
from verifflowcc.sprint.store.evidence_store import put_blob
from verifflowcc.sprint.use.configuration import effective_config

# What the tests of a project lost between two contents of it: both read, and compared.

_SNAPSHOTS = ("**/__snapshots__/**", "**/*.snap", "**/*.ambr", "**/*golden*/**", "**/*golden*", "**/*expected*/**")
_SNAPSHOTS_TOO = ("**/*expected*", "**/snapshots/**", "**/*snapshot*", "**/*.approved.*", "**/cassettes/**")


@dataclass(frozen=True, slots=True)
class TestsKept:
    """What tests lost; `files` is the number of changed files that were compared."""

    __test__ = False

    lost: tuple[LostTest, ...]
    files: int


@dataclass(frozen=True, slots=True)
class _Sides:
    """The changed files of a project, with what each of them is on either side."""

    changed: tuple[FileChange, ...]
    before: PartRules
    after: PartRules

    def part(self, path: str) -> ProjectPart:
        """Return what a file is; one that was a test, or is one, counts as a test."""
        found = {part_of(path, self.before), part_of(path, self.after)}
        return next(
            part
            for part in (ProjectPart.TESTS, ProjectPart.SUPPORT, ProjectPart.PRODUCT, ProjectPart.OTHER)
            if part in found
        )


def compare_tests(
    top: Path,
    folder: str,
    before: Mapping[str, TreeFile],
    after: Mapping[str, TreeFile],
    patterns: tuple[str, ...] = (),
) -> TestsKept:
    """Return what tests below a folder of the repository lost between two contents of it.

    `patterns` name further files of tests. Raises WorkspaceError where git does not have a content.
    """
    sides = _read(top, folder, (before, after), patterns)
    product = tuple(file.path for file in sides.changed if sides.part(file.path) is ProjectPart.PRODUCT)
    changed = bool(split([file for file in sides.changed if file.path in product], (), sides.after, _no_units).product)
    old: dict[str, dict[str, TestCase]] = {}
    new: dict[str, dict[str, TestCase]] = {}
    lost: list[LostTest] = []
    files = 0
    for file in sides.changed:
        part = sides.part(file.path)
        if part in (ProjectPart.TESTS, ProjectPart.SUPPORT):
            files += 1
            old[file.path] = _tests(file.path, file.before, (), part, sides.before)
            new[file.path] = _tests(file.path, file.after, product, part, sides.after)
            lost += changed_hooks(file.path, file.before, file.after) if file.path.endswith(".py") else ()
            lost += _data(file, altered=not changed) if part is ProjectPart.SUPPORT else ()
    settings = [file for file in sides.changed if is_settings(file.path)]
    lost += lowered_settings(
        {file.path: file.before for file in settings if file.before is not None},
        {file.path: file.after for file in settings if file.after is not None},
    )
    files += len(settings)
    lost += lost_tests(old, new, product_changed=changed)
    return TestsKept(tuple(sorted(set(lost), key=lambda each: (each.path, each.line, str(each)))), files)


def _read(
    top: Path, folder: str, both: tuple[Mapping[str, TreeFile], Mapping[str, TreeFile]], patterns: tuple[str, ...]
) -> _Sides:
    old, new = (_below(folder, files) for files in both)
    prefix = f"{folder}/" if folder else ""
    differing = [path for path in sorted(old.keys() | new.keys()) if _id(old, path) != _id(new, path)]

    def texts(files: Mapping[str, TreeFile], wanted: list[str]) -> dict[str, bytes]:
        asked = {f"{prefix}{path}": files[path] for path in wanted if path in files and files[path].mode != FOLDER}
        return {path.removeprefix(prefix): data for path, data in contents(top, asked)}

    def rules(files: Mapping[str, TreeFile]) -> PartRules:
        settings = {path: data.decode("utf-8", "replace") for path, data in texts(files, list(FILES)).items()}
        return PartRules(pytest_settings(settings), patterns, package_folders(files))

    was, now = texts(old, differing), texts(new, differing)
    changed = tuple(FileChange(path, was.get(path), now.get(path)) for path in differing if path in was or path in now)
    return _Sides(changed, rules(old), rules(new))


def _tests(
    path: str, content: bytes | None, product: tuple[str, ...], part: ProjectPart, rules: PartRules
) -> dict[str, TestCase]:
    """Return the tests of one side of a file; of a file that is not collected there, its helpers at most."""
    if content is None:
        return {}
    helpers = part_of(path, rules) is not ProjectPart.TESTS
    try:
        if path.endswith(".py"):
            found = python_tests(content, product, helpers=helpers)
            return {name: each for name, each in found.items() if not (helpers and _is_test(name))}
    except (SyntaxError, ValueError, RecursionError):
        return {}
    if helpers or part is ProjectPart.SUPPORT:
        return {}
    language = language_of(path)
    return read_cases(language, content) if language in CASES_OF else text_tests(content)


def _is_test(name: str) -> bool:
    return name.rpartition("::")[2].startswith("test")


def _data(file: FileChange, *, altered: bool) -> tuple[LostTest, ...]:
    """Return the loss of recorded expectations: that they are gone, or changed where no product did."""
    path = file.path
    if file.before is None or not any(matches(path, each) for each in (*_SNAPSHOTS, *_SNAPSHOTS_TOO)):
        return ()
    if file.after is None:
        return (LostTest(Loss.REMOVED, path, 1, "recorded expectations are gone"),)
    return (LostTest(Loss.ALTERED, path, 1, "recorded expectations changed"),) if altered else ()


def _no_units(_path: str, _content: bytes) -> tuple[()]:
    return ()


def _below(folder: str, files: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    prefix = f"{folder}/" if folder else ""
    return {path.removeprefix(prefix): file for path, file in files.items() if path.startswith(prefix)}


def _id(files: Mapping[str, TreeFile], path: str) -> tuple[str, str] | None:
    return (files[path].mode, files[path].blob) if path in files else None


SINGLE = COMPUTED | {CriterionKind.RED_FIRST}
"""The kinds whose evidence is made here; commands that write reports show several criteria at once."""
_RUNS, _RUNS_BY_HUNK = 4, 40
_A_DAY_S = 86_400
"""No bound that matters: the number of runs bounds a proof, so that another machine makes the same."""


def make_single(workspace: Workspace, one: EvidenceRequest, facts: Facts, refactoring: str = "") -> EvidenceResult:
    """Return the evidence for a criterion of one of the kinds `SINGLE`; nothing is on record yet.

    The command of a proof must be allowed. With `refactoring`, the reason of a person who states that behaviour stays,
    every test must pass with the change and without it.
    """
    if one.criterion.kind is CriterionKind.BASELINE:
        return take_baseline(workspace, one, facts)
    before = now(workspace, facts)
    inputs = inputs_now(one.criterion, one.stage, before)
    if one.criterion.kind is CriterionKind.TESTS_KEPT:
        measured, run, results = _lost(workspace, facts), None, None
    else:
        measured, run, results = _proven(workspace, one.criterion, facts, refactoring)
    moved = differences(inputs, inputs_now(one.criterion, one.stage, now(workspace, facts)))
    if moved:
        return EvidenceResult(one, None, wrote(one.criterion.id, moved))
    source = EvidenceSource(
        facts.sprint.id, EvidenceTrust.RAN_BY_VFCC, head_commit(workspace.root), run, RunReport(), results
    )
    return kept(workspace, one, inputs, measured, source)


@dataclass(frozen=True, slots=True)
class _ProjectPlace:
    """Where a project is: the top of its repository, its folder below that, and the commit that its sprint began at."""

    top: Path
    folder: str
    base: str


def _place(workspace: Workspace, facts: Facts) -> _ProjectPlace | str:
    """Return the place, or why nothing can be compared with the sprint's base."""
    top, root = top_of(workspace.root), workspace.root.resolve()
    if top is None:
        return f"{workspace.root} is in no git repository"
    if facts.sprint.base is None:
        return "the sprint began before the repository's first commit, so nothing can be compared with its base"
    top = top.resolve()
    return _ProjectPlace(top, "" if root == top else root.relative_to(top).as_posix(), facts.sprint.base)


def _lost(workspace: Workspace, facts: Facts) -> Measurement:
    place = _place(workspace, facts)
    if isinstance(place, str):
        return Measurement({}, "", problem=place)
    try:
        files = commit_files(place.top, place.base), disk_files(place.top)
        found = compare_tests(place.top, place.folder, *files, _patterns(workspace))
    except VfccError as error:
        return Measurement({}, "", problem=error.message)
    counts = Counter(each.loss for each in found.lost)
    by_loss = {str(loss): [str(each).partition(": ")[2] for each in found.lost if each.loss is loss] for loss in Loss}
    # Lines move with every edit above them; a loss that was accepted stays the same one.
    outcome = digest_text("".join(f"{each.loss}\0{each.path}\0{each.test}\0{each.words}\n" for each in found.lost))
    measures = {"files": found.files, **{str(loss): counts[loss] for loss in Loss}}
    return Measurement(measures, outcome, tuple(examples_of(by_loss)))


def _proven(
    workspace: Workspace, criterion: Criterion, facts: Facts, refactoring: str
) -> tuple[Measurement, Run, str | None]:
    command = facts.commands[criterion.command or ""]
    started = time.monotonic()
    problem, found, product = "", None, 0
    place, runner = _place(workspace, facts), runner_of(command.argv)
    if isinstance(place, str):
        problem = place
    elif runner is None:
        problem = _unreadable(command, criterion)
    else:
        try:
            product, found = _prove(workspace, place, runner, command, criterion, refactoring)
            if "unguarded" not in criterion.at_most:  # a broken change is not tried hunk by hunk
                found = _without_old_failures(found, criterion, facts)
        except VfccError as error:
            problem = error.message
    measured = Measurement({}, "", problem=problem) if found is None else _measured(found, product, refactoring)
    output = "".join(f"{line}\n" for line in _lines(found)).encode()
    took = round((time.monotonic() - started) * 1000)
    limits = command.argv, command.timeout_s
    digest = put_blob(workspace.local, output)
    run = Run(command.name, *limits, 0, "", digest, len(output), took)
    return measured, run, _kept_tests(workspace, found) if found and not refactoring else None


def _without_old_failures(found: ChangeProof, criterion: Criterion, facts: Facts) -> ChangeProof:
    """Return a proof without the tests that a baseline lists: they fail with the change and did so before it."""
    status = facts.baselines.get(BaselineKind.TESTS, NO_BASELINE)
    if not status.holds or status.baseline is None:
        return found
    old = {each.name.partition("[")[0] for each in status.baseline.of(criterion.command)}
    left = tuple(
        each for each in found.tests if each.verdict is not ProofVerdict.BROKEN or reported_name(each.test) not in old
    )
    return found if left == found.tests else replace(found, tests=left, verdict=judge_change(left), why="")


def _kept_tests(workspace: Workspace, found: ChangeProof) -> str | None:
    """Keep the verdict on each test where the project has items that may name it; return its digest."""
    if not found.tests or not has_items(workspace.memory):
        return None
    lines = [ProofLine(traced_name(each.test), str(each.verdict)) for each in found.tests]
    return put_blob(workspace.local, encode_proof(lines))


def _unreadable(command: Command, criterion: Criterion) -> str:
    known = ", ".join(Runner)
    return (
        f"the outcomes of {command.name} cannot be read test by test (known: {known}): let "
        f"gates.commands.{command.name} start one of these itself, or set gates.modes.{criterion.kind} to off"
    )


def _prove(
    workspace: Workspace, place: _ProjectPlace, runner: Runner, command: Command, criterion: Criterion, refactoring: str
) -> tuple[int, ChangeProof]:
    """Return how many files of the product changed, and the proof. Nothing of an earlier proof is believed."""
    files = commit_files(place.top, place.base), disk_files(place.top)
    change = ProofChange("the sprint", "", head_commit(place.top), *files)
    patterns = _patterns(workspace)
    split, rules = read_change(place.top, place.folder, change, patterns)
    by_hunk = "unguarded" in criterion.at_most
    wanted = Proving(
        argv=_argv(workspace.root, command),
        runner=runner,
        folder=place.folder,
        patterns=patterns,
        grain=by_hunk,
        cached=False,
        refactoring=bool(refactoring),
        timeout_s=command.timeout_s,
        any_test=True,
    )
    limits = ProofLimits(time.monotonic() + _A_DAY_S, _RUNS_BY_HUNK if by_hunk else _RUNS)
    found = prove_change(place.top, change, wanted, limits, (split, rules))
    if not split.tests and not refactoring:
        # All tests ran: of those that the change does not touch, one that proves nothing or is skipped says nothing.
        proven = [each for each in found.tests if each.verdict is ProofVerdict.PROVEN]
        left = tuple(proven or (each for each in found.tests if each.why not in NOT_RUN))
        found = replace(found, tests=left, verdict=judge_change(left)) if left else found
    return len(split.product), found


def _argv(root: Path, command: Command) -> tuple[str, ...]:
    """Return the command's words, with its reports beside the scratch tree."""
    reports = {kind: f"{{private}}/{kind}" for kind in report_paths(command)}
    words = tuple(fill(word, reports) for word in command.argv)
    return (program_of(root, words[0]), *words[1:])


def _patterns(workspace: Workspace) -> tuple[str, ...]:
    return tuple(effective_config(workspace).config.trace.tests)


_NAMES = {
    ProofVerdict.PROVEN: "proven",
    ProofVerdict.NOT_DISCRIMINATING: "not discriminating",
    ProofVerdict.INCONCLUSIVE: "inconclusive",
    ProofVerdict.BROKEN: "broken",
}


_REPORTED = ((ProofVerdict.INCONCLUSIVE, "inconclusive"), (ProofVerdict.BROKEN, "broken"))
"""Verdicts on tests that mean little without their reason."""


def _report_of(test: TestVerdict) -> str:
    why = " ".join(test.why.split())
    return f"{test.test} {why}".replace(" fails with the change:", ":", 1)


def _measured(found: ChangeProof, product: int, refactoring: str) -> Measurement:
    """Return the numbers of a proof; a run that showed nothing at all has a problem."""
    if found.verdict is ProofVerdict.INCONCLUSIVE and not found.tests:
        return Measurement({}, "", problem=found.why)
    counts = Counter(each.verdict for each in found.tests)
    by_name = {name: [each.test for each in found.tests if each.verdict is one] for one, name in _NAMES.items()}
    places = [f"{each.path}:{_span(each.first, each.last)}" for each in found.unguarded]
    stated = {REFACTORING: [refactoring]} if refactoring else {}
    tests = sorted(f"{name}: {test}" for name, listed in by_name.items() for test in listed)
    outcome = digest_text("".join(f"{line}\n" for line in (str(found.verdict), *tests, *places)))
    measures = {
        "product": product,
        "tests": len(found.tests),
        **{name.replace(" ", "_"): counts[one] for one, name in _NAMES.items()},
        "unguarded": sum(each.size for each in found.unguarded),
        "untried": found.not_tried,
        **({REFACTORING: 1} if refactoring else {}),
    }
    if refactoring:
        del by_name["not discriminating"]  # that is what is asked of every test of the project
    reasons = {name: [_report_of(each) for each in found.tests if each.verdict is one] for one, name in _REPORTED}
    weak_first = {name: reasons.get(name, tests) for name, tests in by_name.items() if name != "proven"}
    examples = examples_of({**stated, **weak_first, "unguarded": places, "proven": by_name["proven"]})
    return Measurement(measures, outcome, tuple(examples))


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _lines(found: ChangeProof | None) -> Iterable[str]:
    """Yield the proof in full, as the output of its run."""
    if found is None:
        return
    yield f"{found.verdict}{f': {found.why}' if found.why else ''}"
    yield from (f"{each.verdict}: {each.test} {each.why}" for each in found.tests)
    yield from (f"unguarded: {each.path}:{_span(each.first, each.last)}" for each in found.unguarded)
