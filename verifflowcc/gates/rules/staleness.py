"""Whether evidence is stale, and which changes made it so."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from verifflowcc.base.model.baselines import OF_KIND
from verifflowcc.base.model.evidence_values import Command, Evidence, Inputs
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import Criterion, CriterionKind
from verifflowcc.base.model.sprint_state import artifacts_folder
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.glob import select
from verifflowcc.base.text.hidden_text import withhold_words
from verifflowcc.sprint.rules.evidence_files import folder_digests, inputs_digest

# Which pieces of evidence speak for a criterion.


@dataclass(frozen=True, slots=True)
class LatestEvidence:
    """The evidence of one criterion: `latest` are those after which there is no other, several only where branches
    were merged; `earlier` those that were opened of the rest, oldest first.
    """

    latest: tuple[RecordedEvidence, ...]
    earlier: tuple[Evidence, ...]


def chosen(criterion: Criterion, stage_id: str, facts: Facts) -> LatestEvidence:
    """Return the evidence recorded for a criterion of a stage."""
    mine = [one for one in facts.recorded if one.criterion == criterion.id and one.stage == stage_id and one.order >= 0]
    earlier = tuple(one.evidence for one in mine if one.evidence and not one.problem and not one.latest)
    return LatestEvidence(tuple(one for one in mine if one.latest), earlier)


def id_of(recorded: RecordedEvidence) -> str:
    """Return the id of a recorded piece of evidence, also where it cannot be read."""
    return recorded.path.rpartition("/")[2].removesuffix(".json")


# What changed about the evidence of a criterion: its command, the number of its tests.
#
# None of these is a fault. A person who reads the gate should know of them.

_SHOWN = 3
_LONGEST = 200


def evidence_changes(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[str, ...]:
    """Return a sentence for each change that a reader of the gate should know of."""
    return (
        *_of_command(criterion, stage_id, facts),
        *_of_tests(criterion, stage_id, facts),
        *_of_old_log(criterion, facts),
    )


def fewer_tests(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[Evidence, Evidence] | None:
    """Return the newest evidence and the earlier one with the most tests, where that one ran more; else None."""
    if criterion.kind is not CriterionKind.JUNIT:
        return None
    before, now = _before_and_now(criterion, stage_id, facts)
    counted = [one for one in before if "tests" in one.measures]
    most = max(counted, key=tests_run, default=None)
    if now is None or most is None or "tests" not in now.measures or tests_run(now) >= tests_run(most):
        return None
    return now, most


def tests_run(evidence: Evidence) -> int:
    """Return how many tests ran, without those that were skipped."""
    return evidence.measures.get("tests", 0) - evidence.measures.get("skipped", 0)


def _of_command(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[str]:
    name = criterion.command
    command = facts.commands.get(name) if name else None
    if name is None or command is None:
        return
    now = withhold_words(command.argv)
    then = facts.commands_then
    if then is not None and name not in then:
        yield f"{name}: command added after the sprint started. Now: {_words(now)}"
    elif then is not None and then[name] != command.argv:
        was = withhold_words(then[name])
        yield f"{name}: command changed since the sprint started. Was: {_words(was)} Now: {_words(now)}"
    before, newest = _before_and_now(criterion, stage_id, facts)
    runs = [one.run.argv for one in (*before, newest) if one and one.run and one.run.command == name]
    other = next((argv for argv in reversed(runs) if argv not in {now, command.argv}), None)
    if other is not None and (then is None or other != withhold_words(then.get(name, ()))):
        yield f"{name}: command changed since earlier evidence. Was: {_words(other)} Now: {_words(now)}"


def _of_tests(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[str]:
    found = fewer_tests(criterion, stage_id, facts)
    if found is None:
        return
    now, most = found
    lost = facts.lost_tests.get(now.id, ())
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    names = f"; no result now for {', '.join(lost[:_SHOWN])}{more}" if lost else ""
    yield f"fewer tests ran: {tests_run(now)} now, {tests_run(most)} before{names}"


def _of_old_log(criterion: Criterion, facts: Facts) -> Iterator[str]:
    """Yield that the list of known findings which version 0.1 read does not count any more."""
    path = f".memory/project/baselines/{criterion.command or criterion.id}.sarif"
    if criterion.kind is CriterionKind.SARIF and path in facts.memory:
        yield f"{path} is no longer read; see vfcc baseline lint"


def _before_and_now(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[Sequence[Evidence], Evidence | None]:
    """Return earlier evidence and the newest of the criterion; before its first, that of its command elsewhere."""
    of_it = chosen(criterion, stage_id, facts)
    newest = of_it.latest[-1] if of_it.latest else None
    now = newest.evidence if newest else None
    if of_it.earlier or criterion.command is None:
        return of_it.earlier, now
    others = [
        one.evidence
        for one in facts.recorded
        if one.evidence and not one.problem and (newest is None or one.order < newest.order)
    ]
    same = [one for one in others if one.kind is criterion.kind and one.run and one.run.command == criterion.command]
    return same, now


def _words(argv: Sequence[str]) -> str:
    import shlex  # few gates name a command

    text = shlex.join(argv)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


MOST = 5


def stale_reasons(evidence: Evidence, facts: Facts, criterion: Criterion, most: int | None = MOST) -> tuple[str, ...]:
    """Return why the evidence does not count any more, each a clause; nothing where it still does.

    Files are told as exactly as the evidence remembers them, `most` of them (None: all).
    """
    commands = tuple(_command_reasons(evidence, facts.commands, criterion))
    now = inputs_now(criterion, evidence.stage, facts, evidence.report)
    return (*commands, *differences(evidence.inputs, now, most))


def differences(then: Inputs, now: Inputs, most: int | None = MOST) -> tuple[str, ...]:
    """Return in what the inputs of two moments differ, a clause for each file, `most` of them (None: all).

    Inputs whose list of files contradicts their digest tell nothing of what changed, and differ all the same.
    """
    if now.digest == then.digest:
        return ()
    return _listed(_file_reasons(then, now), most) or ("its inputs changed",)


def inputs_now(criterion: Criterion, stage_id: str, facts: Facts, report: str | None = None) -> Inputs:
    """Return the files that evidence for the criterion would speak of now.

    They are those that the criterion's inputs choose, else the command's, else all of the project. For a baseline they
    are its files in the project, in `.memory/project/` and among the artifacts, else the artifacts of its stage; for
    tests and scans, the baseline is one more. Reports are never inputs, nor is `report`, the path of one
    that was imported.
    """
    if criterion.kind is CriterionKind.BASELINE:
        return inputs_digest(_frozen(criterion, stage_id, facts), criterion.files)
    command = facts.commands.get(criterion.command) if criterion.command else None
    reports = {path for each in facts.commands.values() for path in each.reports.values()} | {report}
    content = {path: digest for path, digest in facts.content.items() if path not in reports}
    patterns = criterion.inputs or (command.inputs if command else ())
    inputs = inputs_digest(content, patterns)
    known = baseline_path(criterion)
    if known is None or known not in facts.memory or not inputs.count:
        return inputs
    chosen = {path: content[path] for path in select(content, patterns)} | {known: facts.memory[known]}
    return replace(inputs_digest(chosen, ()), patterns=patterns)


def baseline_path(criterion: Criterion) -> str | None:
    """Return where the old faults lie that the criterion is compared with; None for kinds that have none."""
    kind = OF_KIND.get(criterion.kind)
    return kind.path if kind else None


def _frozen(criterion: Criterion, stage_id: str, facts: Facts) -> dict[str, str]:
    stages = facts.artifacts if criterion.files else {stage_id: facts.artifacts.get(stage_id, ())}
    found = {
        f"{artifacts_folder(facts.sprint.id, stage)}/{one.artifact.path}": one.artifact.digest
        for stage, artifacts in stages.items()
        for one in artifacts
    }
    return {**facts.content, **facts.memory, **found} if criterion.files else found


def _command_reasons(evidence: Evidence, commands: Mapping[str, Command], criterion: Criterion) -> Iterator[str]:
    from verifflowcc.sprint.rules.measured_verdict import report_path

    run = evidence.run
    if run is None:
        return
    command = commands.get(run.command)
    if criterion.command != run.command:
        yield f"it was made by the command {run.command}, not by {criterion.command}"
    elif command is None:
        yield f"the command {run.command} is not configured any more"
    elif (
        (command.argv != run.argv and withhold_words(command.argv) != run.argv)
        or command.timeout_s != run.timeout_s
        or (evidence.report is not None and evidence.report != report_path(command, report_kind(criterion)))
    ):
        yield f"the command {run.command} changed"


def report_kind(criterion: Criterion) -> str:
    """Return the kind of the report that the criterion reads."""
    return criterion.report or str(criterion.kind)


def _file_reasons(then: Inputs, now: Inputs) -> Iterator[str]:
    if then.patterns != now.patterns:
        yield f"its inputs are {_pattern_list(now.patterns)} now, and were {_pattern_list(then.patterns)}"
    if not then.digests and then.count:
        yield _counted(then.count, now.count)
    elif then.digests and all(path.endswith("/") for path in then.digests):
        yield from _differences(then.digests, folder_digests(now.digests), "something in ")
    else:
        yield from _differences(then.digests, now.digests, "")


def _pattern_list(patterns: tuple[str, ...]) -> str:
    return ", ".join(patterns) or "all files"


def _counted(then: int, now: int) -> str:
    return f"one or more of its {then} inputs changed" if then == now else f"it had {then} inputs, now there are {now}"


def _differences(then: Mapping[str, str], now: Mapping[str, str], changed: str) -> Iterator[str]:
    for path in sorted({*then, *now}):
        if path not in then:
            yield f"{path} is new"
        elif path not in now:
            yield f"{path} is gone"
        elif then[path] != now[path]:
            yield f"{changed}{path} changed"


def _listed(reasons: Iterator[str], most: int | None) -> tuple[str, ...]:
    shown = tuple(islice(reasons, most))
    more = sum(1 for _ in reasons)
    return (*shown, f"and {more} more") if more else shown
