"""How test results get here: the command that a hint names where results are missing. Nothing is run."""

from collections.abc import Iterable

from verifflowcc.domain.config import Config
from verifflowcc.domain.gates import Kind
from verifflowcc.domain.sprints import SprintState, SprintStatus
from verifflowcc.errors import VfccError
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.evidence_wanted import everything

FALLBACK = "run the tests and name their JUnit report in trace.reports"


def results_command(config: Config, open_sprints: Iterable[SprintState]) -> str:
    """Return the command after which there are test results for the project's content.

    It is what the configuration names (`trace.results_from`), else the evidence of an open sprint that runs tests;
    where there is neither, the sentence `FALLBACK`.
    """
    if config.trace.results_from:
        return config.trace.results_from
    states = tuple(open_sprints)
    for state in states:
        for wanted in everything(state):
            criterion = wanted.criterion
            if criterion.kind is Kind.JUNIT and criterion.command in config.gates.commands:
                which = f" --sprint {state.id}" if len(states) > 1 else ""
                return f"vfcc evidence run {criterion.id}{which}"
    return FALLBACK


def results_hint(workspace: Workspace) -> str:
    """Return the end of a sentence that says how to get test results in a project as it is now."""
    from verifflowcc.services.configuration import effective_config

    command = results_command(effective_config(workspace).config, _open_sprints(workspace))
    return command if command == FALLBACK else f"run `{command}`"


def _open_sprints(workspace: Workspace) -> Iterable[SprintState]:
    from verifflowcc.services.sprints import list_sprints
    from verifflowcc.services.transitions import load_movable

    for line in list_sprints(workspace):
        if line.status is not SprintStatus.CLOSED:
            try:
                yield load_movable(workspace, line.id)[1]
            except VfccError:
                continue  # `vfcc check` reports it as a gate that cannot be checked
