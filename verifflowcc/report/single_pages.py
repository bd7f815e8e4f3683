"""Single pages of a report as a file of their own: the matrix of the trace, and a sprint's records."""

from verifflowcc import __version__
from verifflowcc.domain.sprints import DONE, SprintLine, SprintState
from verifflowcc.report.committed_source import origin_of
from verifflowcc.report.pages import matrix_html, sprint_html
from verifflowcc.report.report_facts import SprintFacts
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.matrix import Matrix
from verifflowcc.workflow.report_page import SprintReport


def matrix_page(workspace: Workspace, shown: Matrix) -> str:
    """Return the page of a matrix as the working folder has it."""
    return matrix_html(shown, origin_of(workspace, local=False), __version__)


def sprint_page(workspace: Workspace, state: SprintState, report: SprintReport) -> str:
    """Return the page of a sprint as the working folder has it, from its records; no gate is asked."""
    done = sum(each.status in DONE for each in state.stages)
    line = SprintLine(
        *(state.id, state.title, state.status, state.current, done, len(state.stages)),
        problems=len(state.problems),
        gaps=state.gaps,
    )
    return sprint_html(SprintFacts(line, state, report, (), (), {}), origin_of(workspace, local=False), __version__)
