"""Evidence that is made for one criterion by itself: a baseline, the proof of a change, what its tests lost."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.adapters.files.evidence import put_blob
from verifflowcc.adapters.git.place import top_of
from verifflowcc.adapters.git.protected import head_commit
from verifflowcc.adapters.git.versions import commit_files, disk_files
from verifflowcc.domain.baselines import NO_BASELINE, BaselineKind
from verifflowcc.domain.evidence import Command, Measured, Run
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import COMPUTED, Criterion, Kind, Trust
from verifflowcc.domain.testcases import Loss
from verifflowcc.errors import VfccError
from verifflowcc.formats.junit_tests import reported_name
from verifflowcc.formats.result_lines import ProofLine, encode_proof, traced_name
from verifflowcc.proving.runners import Runner, runner_of
from verifflowcc.proving.verdicts import TestVerdict, Verdict, judge_change
from verifflowcc.records import dataclass, replace
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.evidence_making import Report, Source
from verifflowcc.services.evidence_results import has_items
from verifflowcc.services.evidence_running import Made, kept, now, take_baseline, wrote
from verifflowcc.services.proving.changes import Change
from verifflowcc.services.proving.command import program_of
from verifflowcc.services.proving.proof import ChangeProof, prove_change
from verifflowcc.services.proving.proof import Wanted as Proving
from verifflowcc.services.proving.reading import read_change
from verifflowcc.services.proving.trials import Limits
from verifflowcc.services.tests_kept import compare_tests
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.placeholders import fill
from verifflowcc.workflow.evidence_wanted import Wanted
from verifflowcc.workflow.measured_verdict import REFACTORING, examples_of, report_paths
from verifflowcc.workflow.staleness import differences, inputs_now

SINGLE = COMPUTED | {Kind.RED_FIRST}
"""The kinds whose evidence is made here; commands that write reports show several criteria at once."""
_RUNS, _RUNS_BY_HUNK = 4, 40
_A_DAY_S = 86_400
"""No bound that matters: the number of runs bounds a proof, so that another machine makes the same."""


def make_single(workspace: Workspace, one: Wanted, facts: Facts, refactoring: str = "") -> Made:
    """Return the evidence for a criterion of one of the kinds `SINGLE`; nothing is on record yet.

    The command of a proof must be allowed. With `refactoring`, the reason of a person who states that behaviour stays,
    every test must pass with the change and without it.
    """
    if one.criterion.kind is Kind.BASELINE:
        return take_baseline(workspace, one, facts)
    before = now(workspace, facts)
    inputs = inputs_now(one.criterion, one.stage, before)
    if one.criterion.kind is Kind.TESTS_KEPT:
        measured, run, results = _lost(workspace, facts), None, None
    else:
        measured, run, results = _proven(workspace, one.criterion, facts, refactoring)
    moved = differences(inputs, inputs_now(one.criterion, one.stage, now(workspace, facts)))
    if moved:
        return Made(one, None, wrote(one.criterion.id, moved))
    source = Source(facts.sprint.id, Trust.RAN_BY_VFCC, head_commit(workspace.root), run, Report(), results)
    return kept(workspace, one, inputs, measured, source)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a project is: the top of its repository, its folder below that, and the commit that its sprint began at."""

    top: Path
    folder: str
    base: str


def _place(workspace: Workspace, facts: Facts) -> _Place | str:
    """Return the place, or why nothing can be compared with the sprint's base."""
    top, root = top_of(workspace.root), workspace.root.resolve()
    if top is None:
        return f"{workspace.root} is in no git repository"
    if facts.sprint.base is None:
        return "the sprint began before the repository's first commit, so nothing can be compared with its base"
    top = top.resolve()
    return _Place(top, "" if root == top else root.relative_to(top).as_posix(), facts.sprint.base)


def _lost(workspace: Workspace, facts: Facts) -> Measured:
    place = _place(workspace, facts)
    if isinstance(place, str):
        return Measured({}, "", problem=place)
    try:
        files = commit_files(place.top, place.base), disk_files(place.top)
        found = compare_tests(place.top, place.folder, *files, _patterns(workspace))
    except VfccError as error:
        return Measured({}, "", problem=error.message)
    counts = Counter(each.loss for each in found.lost)
    by_loss = {str(loss): [str(each).partition(": ")[2] for each in found.lost if each.loss is loss] for loss in Loss}
    # Lines move with every edit above them; a loss that was accepted stays the same one.
    outcome = digest_text("".join(f"{each.loss}\0{each.path}\0{each.test}\0{each.words}\n" for each in found.lost))
    measures = {"files": found.files, **{str(loss): counts[loss] for loss in Loss}}
    return Measured(measures, outcome, tuple(examples_of(by_loss)))


def _proven(
    workspace: Workspace, criterion: Criterion, facts: Facts, refactoring: str
) -> tuple[Measured, Run, str | None]:
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
    measured = Measured({}, "", problem=problem) if found is None else _measured(found, product, refactoring)
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
        each for each in found.tests if each.verdict is not Verdict.BROKEN or reported_name(each.test) not in old
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
    workspace: Workspace, place: _Place, runner: Runner, command: Command, criterion: Criterion, refactoring: str
) -> tuple[int, ChangeProof]:
    """Return how many files of the product changed, and the proof. Nothing of an earlier proof is believed."""
    files = commit_files(place.top, place.base), disk_files(place.top)
    change = Change("the sprint", "", head_commit(place.top), *files)
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
    limits = Limits(time.monotonic() + _A_DAY_S, _RUNS_BY_HUNK if by_hunk else _RUNS)
    found = prove_change(place.top, change, wanted, limits, (split, rules))
    if not split.tests and not refactoring and found.verdict is Verdict.PROVEN:
        # All tests ran: of those that the change does not touch, the others say nothing of it.
        found = replace(found, tests=tuple(each for each in found.tests if each.verdict is Verdict.PROVEN))
    return len(split.product), found


def _argv(root: Path, command: Command) -> tuple[str, ...]:
    """Return the command's words, with its reports beside the scratch tree."""
    reports = {kind: f"{{private}}/{kind}" for kind in report_paths(command)}
    words = tuple(fill(word, reports) for word in command.argv)
    return (program_of(root, words[0]), *words[1:])


def _patterns(workspace: Workspace) -> tuple[str, ...]:
    return tuple(effective_config(workspace).config.trace.tests)


_NAMES = {
    Verdict.PROVEN: "proven",
    Verdict.NOT_DISCRIMINATING: "not discriminating",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.BROKEN: "broken",
}


_REPORTED = ((Verdict.INCONCLUSIVE, "inconclusive"), (Verdict.BROKEN, "broken"))
"""Verdicts on tests that mean little without their reason."""


def _report_of(test: TestVerdict) -> str:
    why = " ".join(test.why.split())
    return f"{test.test} {why}".replace(" fails with the change:", ":", 1)


def _measured(found: ChangeProof, product: int, refactoring: str) -> Measured:
    """Return the numbers of a proof; a run that showed nothing at all has a problem."""
    if found.verdict is Verdict.INCONCLUSIVE and not found.tests:
        return Measured({}, "", problem=found.why)
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
        "untried": found.untried,
        **({REFACTORING: 1} if refactoring else {}),
    }
    if refactoring:
        del by_name["not discriminating"]  # that is what is asked of every test of the project
    reasons = {name: [_report_of(each) for each in found.tests if each.verdict is one] for one, name in _REPORTED}
    weak_first = {name: reasons.get(name, tests) for name, tests in by_name.items() if name != "proven"}
    examples = examples_of({**stated, **weak_first, "unguarded": places, "proven": by_name["proven"]})
    return Measured(measures, outcome, tuple(examples))


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _lines(found: ChangeProof | None) -> Iterable[str]:
    """Yield the proof in full, as the output of its run."""
    if found is None:
        return
    yield f"{found.verdict}{f': {found.why}' if found.why else ''}"
    yield from (f"{each.verdict}: {each.test} {each.why}" for each in found.tests)
    yield from (f"unguarded: {each.path}:{_span(each.first, each.last)}" for each in found.unguarded)
