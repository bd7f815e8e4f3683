"""What the open sprints tell the trace checks of their course."""

from collections.abc import Mapping

from verifflowcc.domain.sprints import SprintStatus
from verifflowcc.domain.trace import ProcessFact
from verifflowcc.errors import VfccError
from verifflowcc.services.facts import gather_facts
from verifflowcc.services.sprint_reading import list_sprints, load_movable
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.process_facts import process_facts as facts_of_sprint


def process_facts(workspace: Workspace, traced: Mapping[str, str]) -> tuple[tuple[ProcessFact, ...], tuple[str, ...]]:
    """Return what is wrong with the course of the open sprints, and a notice for each that could not be read.

    `traced` are the digests of trace items by type, as of now (`TraceReport.digests`).
    """
    found: list[ProcessFact] = []
    notices = []
    for line in list_sprints(workspace):
        if line.status is SprintStatus.CLOSED:
            continue
        try:
            state = load_movable(workspace, line.id)[1]
        except VfccError as error:
            notices.append(f"{line.id} was not looked at: {error.message}")
            continue
        found += facts_of_sprint(gather_facts(workspace, state), traced)
    return tuple(found), tuple(notices)
