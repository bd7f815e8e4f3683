"""How test results get here: the command that a hint names where results are missing. Nothing is run."""

from collections.abc import Iterator

from verifflowcc.domain.config import Config
from verifflowcc.domain.gates import Kind
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import VfccError
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.evidence_wanted import everything

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
        if criterion.kind is Kind.JUNIT and criterion.command in config.gates.commands:
            return f"vfcc evidence run {criterion.id}"
    return FALLBACK


def results_hint(workspace: Workspace) -> str:
    """Return the end of a sentence that says how to get test results in a project as it is now."""
    from verifflowcc.services.configuration import effective_config
    from verifflowcc.services.sprint_reading import command_in

    config = effective_config(workspace).config
    if not config.trace.results_from:
        for state in _movable_sprints(workspace):
            command = results_command(config, state)
            if command != FALLBACK:
                return f"run `{command_in(workspace, state.id)(command)}`"
    command = results_command(config, None)
    return command if command == FALLBACK else f"run `{command}`"


def _movable_sprints(workspace: Workspace) -> Iterator[SprintState]:
    from verifflowcc.services.sprint_reading import load_movable, open_sprints

    for state in open_sprints(workspace):
        try:
            yield load_movable(workspace, state.id)[1]
        except VfccError:
            continue  # `vfcc check` reports it as a gate that cannot be checked
