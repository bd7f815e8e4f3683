"""Gates as they are now: asked from the ledger, the tree and git, with nothing run and nothing written."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.config.config_load import FILE
from verifflowcc.base.errors import FormatError, VfccError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.project_content import MemoryDigests, memory_content, project_content
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.git.git_command import asked_once
from verifflowcc.base.model.config_values import Config
from verifflowcc.base.model.evidence_values import Command, Evidence
from verifflowcc.base.model.gate_input import Facts, History
from verifflowcc.base.model.gate_values import KINDS, Criterion, CriterionKind, Gate
from verifflowcc.base.model.sprint_state import (
    DONE,
    ArtifactText,
    Route,
    SprintState,
    Stage,
    StageState,
    artifacts_folder,
)
from verifflowcc.base.model.trace_values import Outcome
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import fold_newlines
from verifflowcc.base.use.baseline_files import baseline_statuses, changed_rules
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.gates.rules.artifact_criteria import artifact_puts, recorded_edits
from verifflowcc.gates.rules.evidence_wanted import everything
from verifflowcc.sprint.rules.sprint_fold import ledger_day
from verifflowcc.sprint.rules.sprint_people import reviews, waivers, with_addresses
from verifflowcc.sprint.rules.stage_moves import after_passing, next_in_order
from verifflowcc.sprint.store.evidence_store import put_blob, read_artifact_texts, read_blob
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.feedback import sprint_feedback
from verifflowcc.sprint.use.pinned_workflow import check_pinned_workflow, policy_of
from verifflowcc.sprint.use.sprint_reading import changed_by_hand, command_in, ledger_of, load_movable, open_sprints

# The tests of a report one by one, committed beside the evidence, so that each clone can tell which item they show.


def results_path(sprint_id: str, stage_id: str, digest: str) -> str:
    """Return where results lie, relative to `.memory/`."""
    return f"stage/{sprint_id}/{stage_id}/results/{digest.removeprefix('sha256:')[:16]}.jsonl"


def keep_results(workspace: Workspace, criterion: Criterion, report: bytes | None) -> str | None:
    """Keep what a report says of single tests below `local/blobs/`, and return its digest.

    None where the evidence is no report of tests, or the project has no trace item. Raises ConfigError where the
    configuration or the workflow is not sound, FormatError where the report cannot be read.
    """
    from verifflowcc.base.formats.result_lines import encode_results
    from verifflowcc.sprint.rules.junit_tests import read_tests

    if criterion.kind is not CriterionKind.JUNIT or report is None or not has_items(workspace.memory):
        return None
    from verifflowcc.trace.rules.join_tests import MarkedTests, ReportTests, results_of, specified
    from verifflowcc.trace.use.trace_code import read_code, read_items

    policy = policy_of(workspace)
    items = read_items(workspace, policy).items
    if not items:
        return None
    content = project_content(workspace.root, workspace.local)
    code = read_code(workspace, content, policy, items, effective_config(workspace).config.trace.exclude)
    read = read_tests(report)
    found = results_of(ReportTests("", read.tests), MarkedTests(code))
    named = {each.test for each in specified(found, items) if each.items}
    worth = [each for each in found if each.test in named or each.outcome is not Outcome.PASSED]
    return put_blob(workspace.local, encode_results(len(read.tests), worth))


def write_results(workspace: Workspace, evidence: Evidence) -> tuple[str, ...]:
    """Put the results that a piece of evidence names beside it; return their path relative to `.memory/`, if any.

    Raises WorkspaceError where they are not kept any more, or cannot be written.
    """
    if evidence.results is None:
        return ()
    path = results_path(evidence.sprint, evidence.stage, evidence.results)
    data = read_blob(workspace.local, evidence.results)
    if data is None:
        raise WorkspaceError(f"what {evidence.criterion} found of single tests is gone", hint="vfcc evidence run")
    target = workspace.memory / path
    check_inside(target.parent, workspace.memory)
    if not target.is_file() or fold_newlines(target.read_bytes()) != data:
        write_atomic(target, data)
    return (path,)


def read_results_file(workspace: Workspace, evidence: Evidence) -> bytes:
    """Return the bytes that lie where the results of a piece of evidence are to be; they are not yet compared.

    Raises FormatError with the reason alone where there is no such file, or it cannot be read.
    """
    from verifflowcc.base.formats.result_lines import LARGEST_RESULTS_BYTES

    if evidence.results is None:
        return b""
    target = workspace.memory / results_path(evidence.sprint, evidence.stage, evidence.results)
    try:
        check_inside(target.parent, workspace.memory)
        with target.open("rb") as file:
            data = file.read(LARGEST_RESULTS_BYTES + 1)
    except FileNotFoundError as error:
        raise FormatError(f"its results are missing: {_shown(target, workspace)}") from error
    except OSError as error:
        raise FormatError(f"{_shown(target, workspace)} cannot be read: {error.strerror or error}") from error
    if len(data) > LARGEST_RESULTS_BYTES:
        raise FormatError(f"{_shown(target, workspace)} is larger than {LARGEST_RESULTS_BYTES // 2**20} MiB")
    return data


def results_differ(workspace: Workspace, was: Evidence, now: Evidence) -> str:
    """Return in what the recorded results of single tests are not those of a second run; "" where they are.

    The outcome of a proof holds the verdict on each test. Which tests are worth a line depends on the items, which may
    have changed: what passed and has no mark is compared
    where both speak of it. Messages are not compared, as they may hold what no two runs share.
    """
    if was.results is None or now.results is None or now.kind is not CriterionKind.JUNIT:
        return ""
    try:
        then = _comparable(read_results_file(workspace, was), was.results)
        again = _comparable(read_blob(workspace.local, now.results) or b"", now.results)
    except FormatError as error:
        return error.message
    for test in sorted({*then, *again}):
        one, other = then.get(test), again.get(test)
        if one != other and ((one and other) or _must_be_there(one or other)):
            return f"{test} is {_outcome(one)} on record, and {_outcome(other)} now"
    return ""


_Compared = tuple[Outcome, int, tuple[str, ...]]


def _comparable(data: bytes, digest: str) -> dict[str, _Compared]:
    from verifflowcc.base.formats.result_lines import parse_results

    lines = parse_results(data, digest, "").results
    return {each.test: (each.outcome, each.cases, each.items) for each in lines}


def _must_be_there(found: _Compared | None) -> bool:
    return found is not None and (found[0] is not Outcome.PASSED or bool(found[2]))


def _outcome(found: _Compared | None) -> str:
    if found is None:
        return "not reported"
    return f"{found[0]} ({found[1]} cases, of {', '.join(found[2]) or 'no item'})"


def _shown(target: Path, workspace: Workspace) -> str:
    return target.relative_to(workspace.root).as_posix()


def has_items(memory: Path) -> bool:
    """Say whether a project keeps trace items."""
    return any((memory / "project" / "items").glob("*/*.md"))


# What it takes to compare evidence with what was before: the commands at a sprint's start, and tests that are gone.

_CONFIG = f"{MEMORY}/{FILE}"


def with_comparisons(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the commands of the start, where the configuration changed, and with lost tests."""
    changed = any(each.path == _CONFIG for each in facts.rules)
    then = commands_at_start(workspace, facts.sprint) if changed else None
    return replace(facts, commands_then=then, lost_tests=dict(_lost_tests(workspace, facts)))


def commands_at_start(workspace: Workspace, state: SprintState) -> Mapping[str, tuple[str, ...]] | None:
    """Return the words of each command when the sprint started; None where git does not hold that configuration."""
    from verifflowcc.base.git.git_log import blob_bytes, earlier_bytes

    recorded = (state.rules or {}).get(_CONFIG)
    if state.rules and _CONFIG in state.rules:
        data = earlier_bytes(workspace.root, _CONFIG, recorded) if recorded else b""
    else:
        data = blob_bytes(workspace.root, f"{state.base}:./{_CONFIG}") if state.base else None
    return None if data is None else _commands_in(data)


def _commands_in(data: bytes) -> Mapping[str, tuple[str, ...]]:
    from verifflowcc.base.config.yaml_values import load_yaml  # reading YAML is for a changed file alone

    try:
        value = load_yaml(data, FILE)[0]
    except VfccError:
        return {}
    gates = value.get("gates") if isinstance(value, Mapping) else None
    commands = gates.get("commands") if isinstance(gates, Mapping) else None
    if not isinstance(commands, Mapping):
        return {}
    runs = {name: each.get("run") for name, each in commands.items() if isinstance(each, Mapping)}
    return {str(name): tuple(map(str, run)) for name, run in runs.items() if isinstance(run, list)}


def _lost_tests(workspace: Workspace, facts: Facts) -> Iterator[tuple[str, tuple[str, ...]]]:
    from verifflowcc.gates.rules.staleness import fewer_tests

    for stage in facts.sprint.stages:
        for criterion in (*stage.stage.enter, *stage.stage.exit):
            found = fewer_tests(criterion, stage.stage.id, facts)
            if found:
                now, most = found
                yield now.id, _without_result(workspace, now, most)


def _without_result(workspace: Workspace, now: Evidence, before: Evidence) -> tuple[str, ...]:
    """Return the tests of an item that earlier evidence has a result for and the newest has not."""
    if now.results is None or before.results is None:
        return ()
    from verifflowcc.base.formats.result_lines import parse_results

    try:
        then = parse_results(read_results_file(workspace, before), before.results, "").results
        there = {each.test for each in parse_results(read_results_file(workspace, now), now.results, "").results}
    except VfccError:
        return ()
    return tuple(sorted(each.test for each in then if each.items and each.test not in there))


# Gather what a sprint's gates look at: files, evidence, git, and what people said. It runs nothing but git.

_ASKS_GIT = frozenset(kind for kind, rule in KINDS.items() if rule.asks == "git")


def gather_facts(
    workspace: Workspace,
    state: SprintState,
    *,
    with_history: bool = True,
    content: Mapping[str, str] | None = None,
    only_asks: bool = False,
) -> Facts:
    """Return what there is to know now about a sprint whose ledger is sound.

    Git's history takes longest to read; what is asked without it must not need it. `content` is that of the project,
    where the caller has just read it. Who `only_asks`, and runs nothing, has the memory read where it is looked at.
    """
    history = _history(workspace, state) if with_history else None
    today = today_of(workspace, state)
    commands = effective_config(workspace).config.gates.commands
    return Facts(
        sprint=state,
        today=today,
        content=project_content(workspace.root, workspace.local) if content is None else content,
        memory=MemoryDigests(workspace.root) if only_asks else memory_content(workspace.root),
        artifacts={each.stage.id: artifacts_of(workspace, state.id, each.stage.id) for each in state.stages},
        recorded=read_recorded(workspace, state),
        commands=commands,
        history=history,
        reviews=with_addresses(reviews(state.notes), state.id, history),
        waivers=with_addresses(waivers(state.notes), state.id, history),
        feedback=sprint_feedback(workspace, state),
        puts=with_addresses(artifact_puts(state.notes), state.id, history),
        edits=recorded_edits(state.notes),
        unreadable=_unreadable(commands),
        baselines=baseline_statuses(workspace.root, state, today),
    )


def _unreadable(commands: Mapping[str, Command]) -> frozenset[str]:
    """Return the commands whose single tests cannot be read."""
    if not commands:
        return frozenset()
    from verifflowcc.gates.rules.runners import runner_of

    return frozenset(name for name, each in commands.items() if runner_of(each.argv) is None)


def today_of(workspace: Workspace, state: SprintState) -> str:
    """Return the day, no earlier than the sprint's newest event: a clock that is set back renews nothing that ended."""
    return ledger_day(ledger_of(workspace).load(state.id).events, workspace.today())


def with_changes(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with all that a gate lists as changed: rules, the product outside of the stage, evidence."""
    from verifflowcc.base.model.baseline_rules import is_act_of_person
    from verifflowcc.history.use.outside_edits import with_recorded_edits, with_stage_watched

    rules = changed_rules(workspace, facts.sprint, facts.content, facts.history)
    changes = tuple(each for each in rules.changes if not is_act_of_person(each, facts.sprint))
    facts = replace(facts, rules=changes, rules_problem=rules.problem)
    facts = with_recorded_edits(workspace, with_comparisons(workspace, facts))
    return with_stage_watched(workspace, facts)


def artifacts_of(workspace: Workspace, sprint_id: str, stage_id: str) -> tuple[ArtifactText, ...]:
    """Return what lies in a stage's `artifacts/` now."""
    return read_artifact_texts(workspace.root / artifacts_folder(sprint_id, stage_id), workspace.memory)


def _history(workspace: Workspace, state: SprintState) -> History | None:
    asked = {criterion.kind for each in state.stages for criterion in (*each.stage.enter, *each.stage.exit)}
    if not asked & _ASKS_GIT:
        return None
    from verifflowcc.base.git.git_protected import read_history

    stage = state.stage(state.current) if state.current else None
    entered = stage.entry.head if stage and stage.entry else None
    return read_history(workspace.root, state.base, entered)


# How test results get here: the command that a hint names where results are missing. Nothing is run.

FALLBACK = "run the tests and name their JUnit report in trace.reports"


def results_command(config: Config, state: SprintState | None) -> str:
    """Return the command after which there are test results for the project's content.

    It is what the configuration names (`trace.results_from`), else the evidence of the sprint that runs tests; where
    there is neither, the sentence `FALLBACK`.
    """
    if config.trace.results_from:
        return config.trace.results_from
    for wanted in everything(state) if state else ():
        criterion = wanted.criterion
        if criterion.kind is CriterionKind.JUNIT and criterion.command in config.gates.commands:
            return f"vfcc evidence run {criterion.id}"
    return FALLBACK


def results_hint(workspace: Workspace) -> str:
    """Return the end of a sentence that says how to get test results in a project as it is now."""

    config = effective_config(workspace).config
    if not config.trace.results_from:
        for state in _movable_sprints(workspace):
            command = results_command(config, state)
            if command != FALLBACK:
                return f"run `{command_in(workspace, state.id)(command)}`"
    command = results_command(config, None)
    return command if command == FALLBACK else f"run `{command}`"


def _movable_sprints(workspace: Workspace) -> Iterator[SprintState]:
    for state in open_sprints(workspace):
        try:
            yield load_movable(workspace, state.id)[1]
        except VfccError:
            continue  # `vfcc check` reports it as a gate that cannot be checked


@dataclass(frozen=True, slots=True)
class StageGates:
    """The gates between a stage and the next one.

    `exit` is the stage's own gate, `entry` that of the `following` stage, if there is one: the next that is open, of a
    stage in work, else the next in order. `failures` counts the stage's evidence that failed since it was entered;
    `route` is set where that makes its fail route due. `notices` are sentences.
    """

    sprint: SprintState
    stage: StageState
    exit: Gate
    entry: Gate | None
    following: str | None
    """The next stage."""
    failures: int
    """Failed evidence since the stage was entered."""
    route: Route | None
    """Where the workflow sends you back, once that is due."""
    notices: tuple[str, ...] = ()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Both, or the one that there is."""
        return (self.exit, self.entry) if self.entry else (self.exit,)

    @property
    def is_open(self) -> bool:
        """Whether the stage may be left."""
        return all(gate.is_open for gate in self.gates)


def ask_stage(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> StageGates:
    """Return the gates of a stage (default: the active one, or else the last).

    Raises LedgerError where the ledger or an evidence file was not written by vfcc as it is, ConflictError under a
    fork, ConfigError where the project's own workflow is gone, UsageError for an unknown stage.
    """
    return ask_stage_with_facts(workspace, sprint_id, stage_id)[0]


def ask_stage_with_facts(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> tuple[StageGates, Facts]:
    """Return the gates of a stage and the facts that they were asked with. Raises as `ask_stage` does."""
    from verifflowcc.base.use.stage_words import stage_meant

    state = load_movable(workspace, sprint_id)[1]
    wanted = stage_meant(state, stage_id).stage.id
    notices = check_pinned_workflow(workspace, state)
    facts = sound_facts(workspace, state, stages_asked(state, wanted), only_asks=True)
    return gates_of(state, wanted, facts, notices), facts


def ask_entry(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> Gate:
    """Return the entry gate of a stage (default: the active one).

    Raises as `ask_stage` does.
    """
    from verifflowcc.base.use.stage_words import stage_meant
    from verifflowcc.gates.rules.gate_check import entry_gate

    state = load_movable(workspace, sprint_id)[1]
    wanted = stage_meant(state, stage_id).stage.id
    check_pinned_workflow(workspace, state)
    return entry_gate(wanted, sound_facts(workspace, state, only_asks=True))


def gates_of(state: SprintState, stage_id: str, facts: Facts, notices: tuple[str, ...] = ()) -> StageGates:
    """Return the gates of a stage from facts that are already there."""
    from verifflowcc.base.use.stage_words import find_stage
    from verifflowcc.gates.rules.evidence_criteria import specified
    from verifflowcc.gates.rules.gate_check import entry_gate, exit_gate
    from verifflowcc.gates.rules.stage_failures import failures_of

    stage = find_stage(state, stage_id)
    artifacts = tuple(one.artifact for one in facts.artifacts.get(stage_id, ()))
    following = (
        after_passing(state, stage_id, artifacts, specified(stage.stage, facts))
        if stage_id == state.current
        else next_in_order(state, stage_id)
    )
    failures = failures_of(stage, facts)
    route = stage.stage.route
    return StageGates(
        sprint=state,
        stage=stage,
        exit=exit_gate(stage_id, facts),
        entry=entry_gate(following, facts) if following else None,
        following=following,
        failures=failures,
        route=route if route and failures >= route.after else None,
        notices=notices,
    )


def stages_asked(state: SprintState, stage_id: str) -> tuple[Stage, ...]:
    """Return the stages whose criteria the gates of a stage may ask: up to the next one that has not been passed."""
    found = []
    for each in state.stages:
        found.append(each.stage)
        if stage_id in [one.id for one in found[:-1]] and each.status not in DONE:
            break
    return tuple(found)


def sound_facts(
    workspace: Workspace, state: SprintState, stages: Sequence[Stage] | None = None, *, only_asks: bool = False
) -> Facts:
    """Return the facts of a sprint; where given `stages` ask nothing of the trace, it is not looked at.

    `only_asks` as in `gather_facts`.

    Raises LedgerError, one line per file, where evidence is not what vfcc wrote.
    """
    from verifflowcc.gates.rules.evidence_criteria import asks_trace

    asked = stages if stages is not None else state.workflow.stages if state.workflow else ()
    with asked_once():
        return _sound_facts(workspace, state, with_trace=asks_trace(asked), only_asks=only_asks)


def _sound_facts(workspace: Workspace, state: SprintState, *, with_trace: bool, only_asks: bool) -> Facts:
    facts = gather_facts(workspace, state, only_asks=only_asks)
    wrong = [f"{one.path}:1: {one.problem}" for one in facts.recorded if one.problem]
    if wrong:
        raise changed_by_hand(wrong, f".memory/stage/{state.id}")
    facts = with_changes(workspace, facts)
    if not with_trace:
        return facts
    from verifflowcc.trace.use.trace_checking import check_trace

    command = results_command(effective_config(workspace).config, state)
    report = check_trace(workspace, workflow=state.workflow, state=state).report
    return replace(facts, trace=report, results_command=command)
