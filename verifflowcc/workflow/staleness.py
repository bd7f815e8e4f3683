"""Whether evidence still speaks of what is there now, and, where it does not, what changed."""

from collections.abc import Iterator, Mapping
from itertools import islice

from verifflowcc.domain.baselines import OF_KIND
from verifflowcc.domain.evidence import Command, Evidence, Inputs
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion, Kind
from verifflowcc.domain.sprints import artifacts_folder
from verifflowcc.formats.evidence import folder_digests, inputs_digest
from verifflowcc.records import replace
from verifflowcc.text.glob import select
from verifflowcc.text.invisible import withhold_words
from verifflowcc.workflow.measured_verdict import report_path

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
    if criterion.kind is Kind.BASELINE:
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
        yield f"its inputs are {_told(now.patterns)} now, and were {_told(then.patterns)}"
    if not then.digests and then.count:
        yield _counted(then.count, now.count)
    elif then.digests and all(path.endswith("/") for path in then.digests):
        yield from _differences(then.digests, folder_digests(now.digests), "something in ")
    else:
        yield from _differences(then.digests, now.digests, "")


def _told(patterns: tuple[str, ...]) -> str:
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
    told = tuple(islice(reasons, most))
    more = sum(1 for _ in reasons)
    return (*told, f"and {more} more") if more else told
