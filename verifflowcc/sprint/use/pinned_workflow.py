"""Whether the workflow that a sprint was started under is still there, and is what its ledger says.

A sprint goes by its workflow as the ledger holds it. A project's own workflow file that is gone, cannot be read, or
calls a stage of the sprint by another name is refused all the same: people read that file, and would be misled. So is
a ledger that names the very file that lies here, and asks for something else than it does.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from verifflowcc.base.errors import ConfigError, FormatError, LedgerError, UsageError
from verifflowcc.base.files.layout import stamp
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.config_values import TraceSettings
from verifflowcc.base.model.gate_values import Criterion, Mode
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus, Stage, Workflow
from verifflowcc.base.model.trace_codes import TracePolicy, policy_from_json, policy_to_json
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.stage_moves import pinned_digest
from verifflowcc.sprint.store.workflow_load import OWN, load_shipped, parse_workflow, workflow_text
from verifflowcc.sprint.use.configuration import effective_config, shipped_workflows

KEPT = "workflow.json"
_KEPT = DerivedFile(
    KEPT, 1, keyed_by="the file's stamp and digest; the workflow of the ledger", largest_bytes=64 * 1024
)
"""That a project's own workflow file is in order for a sprint; to read it takes as long as the rest of `next`."""

RULES = "rules.json"
_RULES = DerivedFile(RULES, 1, keyed_by="the workflow file's name and digest", largest_bytes=8 << 20)
"""What a workflow asks of the trace: to parse one takes longer than to look at an item."""


# What is asked of the trace here: the workflow's rules, and what `config.yaml` says on top of them.


def policy_of(workspace: Workspace, workflow: Workflow | None = None) -> TracePolicy:
    """Return the rules of a workflow, that of `config.yaml` where none is given, with the settings of `trace` in it.

    Raises ConfigError where the configuration or the workflow is not sound, UsageError where there is no such workflow.
    """
    config = effective_config(workspace).config
    rules = _rules_of(workspace, config.workflow) if workflow is None else workflow.trace
    return with_settings(rules, config.trace)


def _rules_of(workspace: Workspace, name: str) -> TracePolicy:
    """Return the rules in a workflow file, as they were kept for one with the same bytes; else parse it."""
    data, file = workflow_text(workspace.memory, name)
    kept, key = workspace.local / RULES, [file, digest_text(data)]
    value = _RULES.read(kept, key) if workspace.ledgers.cached else None
    if value is not None:
        try:
            return policy_from_json(value)
        except FormatError:
            pass  # not what is written here
    rules = parse_workflow(data, file).trace
    if workspace.ledgers.cached:
        _RULES.write(kept, policy_to_json(rules), key)
    return rules


def with_settings(policy: TracePolicy, settings: TraceSettings) -> TracePolicy:
    """Return the rules with what the settings say in place of theirs; what the settings leave out stays."""
    merged = replace(
        policy,
        code=settings.code or policy.code,
        tests=settings.tests or policy.tests,
        id_pattern=settings.id_pattern or policy.id_pattern,
        digest="",
    )
    text = json.dumps(policy_to_json(merged), ensure_ascii=True, sort_keys=True)
    return replace(merged, digest=digest_text(text))


def check_pinned_workflow(workspace: Workspace, state: SprintState, *, thorough: bool = False) -> tuple[str, ...]:
    """Return notices about the workflow file of a sprint; a closed one needs the project's own no more.

    Only where it is `thorough` is a shipped workflow compared with the ledger: to parse one takes a tenth of a second.

    Raises ConfigError where the project's own workflow is missing, unsound, or lost a stage that the sprint has;
    LedgerError where the ledger says that it holds the file as it lies here, and asks for something else.
    """
    pinned = state.workflow
    if pinned is None:
        return ()
    if pinned.name in shipped_workflows():
        if digest_text(workflow_text(workspace.memory, pinned.name)[0]) != pinned.digest:
            return (f"{state.id} goes by {pinned.name} as another version of vfcc ships it",)
        if thorough:
            _check_same(pinned, load_shipped(pinned.name), state)
        return ()
    if state.status is SprintStatus.CLOSED:
        return ()
    path, kept = workspace.memory / OWN, workspace.local / KEPT
    before = stamp(path)
    with _explained(pinned.name, state):
        data, file = workflow_text(workspace.memory, pinned.name)
    digest = digest_text(data)
    key = [before, digest, pinned_digest(pinned)]
    if not workspace.ledgers.cached or _KEPT.read(kept, key) is None:
        with _explained(pinned.name, state):
            now = parse_workflow(data, file)
        _compare(pinned, now, state)
        if workspace.ledgers.cached:
            _KEPT.write(kept, True, key)
    if digest != pinned.digest:
        return (f".memory/{OWN} changed since {state.id} was started; the sprint goes by what it was then",)
    return ()


def _compare(pinned: Workflow, now: Workflow, state: SprintState) -> None:
    gone = [stage.id for stage in pinned.stages if now.stage(stage.id) is None]
    if gone:
        reason = f"{OWN}:1: {state.id} has the stage {gone[0]}, and {pinned.name} does not any more"
        raise ConfigError((reason,), hint=f"git diff -- .memory/{OWN}  # bring the stage's id back")
    if now.digest == pinned.digest:
        _check_same(pinned, now, state)


@contextmanager
def _explained(name: str, state: SprintState) -> Iterator[None]:
    """Raise what is wrong with a workflow file with what the sprint has to do with it."""
    try:
        yield
    except UsageError as error:
        reason = f"{OWN}:1: {state.id} goes by the workflow {name}, which is not here any more"
        raise ConfigError((reason,), hint=f"git checkout -- .memory/{OWN}") from error
    except ConfigError as error:
        raise ConfigError(error.problems, hint=error.hint or "vfcc check workflow") from error


def _check_same(pinned: Workflow, now: Workflow, state: SprintState) -> None:
    """Raise LedgerError where the two are not one; only the modes may differ, which `config.yaml` may have set."""
    for stage in now.stages:
        there = pinned.stage(stage.id)
        differs = _differs(there, stage, strict=now.strict) if there else "is not there"
        if differs or pinned.strict != now.strict:
            detail = f"{stage.id} {differs}" if differs else "it is not strict"
            folder = f".memory/sprint/{state.id}/events"
            raise LedgerError(
                f"{folder}: {state.id} records the workflow {now.name} as it is here, but differs from it: {detail}",
                hint=f"git log --stat -- {folder}  # who changed its first event?",
            )


def _differs(pinned: Stage, now: Stage, *, strict: bool) -> str:
    there = {each.id: each for each in (*pinned.enter, *pinned.exit)}
    for each in (*now.enter, *now.exit):
        one = there.get(each.id)
        if one is None:
            return f"lacks {each.id}"
        if _modeless(one) != _modeless(each) or (strict and one.mode is not each.mode is Mode.HARD):
            return f"asks something else by {each.id}"
    return ""


def _modeless(criterion: Criterion) -> Criterion:
    return replace(
        criterion, mode=Mode.HARD, title="", at_least=dict(criterion.at_least), at_most=dict(criterion.at_most)
    )
