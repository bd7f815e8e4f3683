"""Gather what a sprint's gates look at: files, evidence, git, and what people said. It runs nothing but git."""

from verifflowcc.adapters.files.evidence import read_artifact_texts
from verifflowcc.adapters.git.protected import read_history
from verifflowcc.adapters.project.content import memory_content, project_content
from verifflowcc.domain.facts import ArtifactText, Facts, History
from verifflowcc.domain.gates import KINDS
from verifflowcc.domain.sprints import SprintState, artifacts_folder
from verifflowcc.proving.runners import runner_of
from verifflowcc.records import replace
from verifflowcc.services.baselines import baseline_statuses, changed_rules
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.evidence_compared import with_comparisons
from verifflowcc.services.evidence_reading import read_recorded
from verifflowcc.services.feedback import sprint_feedback
from verifflowcc.services.outside_edits import with_recorded_edits, with_stage_watched
from verifflowcc.services.sprint_reading import ledger_of
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.artifact_puts import artifact_puts, recorded_edits
from verifflowcc.workflow.baseline_rules import is_act_of_person
from verifflowcc.workflow.fold import ledger_day
from verifflowcc.workflow.people import reviews, waivers, with_addresses

_ASKS_GIT = frozenset(kind for kind, rule in KINDS.items() if rule.asks == "git")


def gather_facts(workspace: Workspace, state: SprintState, *, with_history: bool = True) -> Facts:
    """Return what there is to know now about a sprint whose ledger is sound.

    Git's history takes longest to read; what is asked without it must not need it.
    """
    history = _history(workspace, state) if with_history else None
    today = today_of(workspace, state)
    commands = effective_config(workspace).config.gates.commands
    return Facts(
        sprint=state,
        today=today,
        content=project_content(workspace.root, workspace.local),
        memory=memory_content(workspace.root),
        artifacts={each.stage.id: artifacts_of(workspace, state.id, each.stage.id) for each in state.stages},
        recorded=read_recorded(workspace, state),
        commands=commands,
        history=history,
        reviews=with_addresses(reviews(state.notes), state.id, history),
        waivers=with_addresses(waivers(state.notes), state.id, history),
        feedback=sprint_feedback(workspace, state),
        puts=with_addresses(artifact_puts(state.notes), state.id, history),
        edits=recorded_edits(state.notes),
        unreadable=frozenset(name for name, each in commands.items() if runner_of(each.argv) is None),
        baselines=baseline_statuses(workspace.root, state, today),
    )


def today_of(workspace: Workspace, state: SprintState) -> str:
    """Return the day, no earlier than the sprint's newest event: a clock that is set back renews nothing that ended."""
    return ledger_day(ledger_of(workspace).load(state.id).events, workspace.today())


def with_changes(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with all that a gate lists as changed: rules, the product outside of the stage, evidence."""
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
    stage = state.stage(state.current) if state.current else None
    entered = stage.entry.head if stage and stage.entry else None
    return read_history(workspace.root, state.base, entered) if asked & _ASKS_GIT else None
