"""The report of a sprint: its ledger, its evidence and its stages' metrics, read and brought together."""

from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.report_page import SprintReport, make_report
from verifflowcc.gates.use.gates_now import artifacts_of
from verifflowcc.gates.use.sprint_metrics import sprint_metrics
from verifflowcc.sprint.rules.sprint_fold import arrange
from verifflowcc.sprint.rules.sprint_people import reviews, waivers
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.feedback import sprint_feedback
from verifflowcc.sprint.use.sprint_reading import load_sprint


def report_sprint(workspace: Workspace, sprint_id: str) -> SprintReport:
    """Return the report of a sprint, open or closed; what is wrong with its ledger or its evidence is in `problems`.

    It runs nothing and asks no gate: the verdicts are those on record. Raises UsageError for an unknown sprint.
    """
    seen, state = load_sprint(workspace, sprint_id)
    facts = Facts(
        sprint=state,
        today=workspace.today(),
        artifacts={each.stage.id: artifacts_of(workspace, state.id, each.stage.id) for each in state.stages},
        recorded=read_recorded(workspace, state) if not state.problems else (),
        reviews=reviews(state.notes),
        waivers=waivers(state.notes),
        feedback=sprint_feedback(workspace, state),
    )
    return make_report(facts, arrange(seen.events).ordered, sprint_metrics(workspace, sprint_id))
