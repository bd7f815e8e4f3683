"""Open comments on a stage, as its prompt shows them: below its `feedback.md`."""

from verifflowcc.base.files.layout import MEMORY, DerivedSource, Place, SourceContent, check_inside
from verifflowcc.base.files.ledger import read_text
from verifflowcc.base.model.item_values import Trust, least_trust
from verifflowcc.base.model.people import Decision, Feedback
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.people_criteria import concerning
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.sprint.use.feedback import sprint_feedback

_WORD_OF = {"human": Trust.HUMAN, "tool": Trust.TOOL, "ci": Trust.TOOL, "agent": Trust.AGENT}


def comments_for_prompt(workspace: Workspace, place: Place, state: SprintState | None) -> SourceContent | None:
    """Return the stage's `feedback.md` with its open comments below.

    None where no comment is open: then the file is shown as it is. Comments carried from earlier sprints are shown in
    the first stage. Its trust is the least of all that is in it. Raises WorkspaceError where the file cannot be read as
    UTF-8.
    """
    if state is None or place.stage is None:
        return None
    known = concerning(place.stage, state, sprint_feedback(workspace, state))
    waiting = [one for one in known if one.decision is Decision.OPEN]
    if not waiting:
        return None
    path = f"{MEMORY}/stage/{place.sprint}/{place.stage}/{DerivedSource.FEEDBACK.value}"
    check_inside(workspace.root / path, workspace.memory)
    own = parse_item(path, read_text(workspace.root / path).encode())
    words = [_trust(one) for one in waiting] + ([own.item.trust] if own.body.strip() else [])
    comments = "\n".join(_line(one, state.id) for one in waiting)
    text = f"{own.body.strip()}\n\n## Open comments\n\n{comments}\n".lstrip()
    return SourceContent(path, text, str(least_trust(*words)))


def _line(comment: Feedback, sprint: str) -> str:
    where = f"{comment.sprint}/{comment.stage}" if comment.stage else comment.sprint
    of = f", of {where}" if comment.sprint != sprint else ""
    return f"- {comment.text} ({comment.actor or 'unknown'}, {comment.time[:10] or 'undated'}{of})"


def _trust(comment: Feedback) -> Trust:
    return _WORD_OF.get(comment.actor.partition(":")[0], Trust.EXTERNAL)
