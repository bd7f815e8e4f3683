"""What is learnt from the history: patterns over all of it, and what each session showed."""

from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import calls, task_rows, telling_calls
from verifflowcc.domain.episodes import LearnedPattern, LearningType, SessionLearning
from verifflowcc.episodes.learning import learnings, patterns
from verifflowcc.services.history.questions import pairs_in
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.history.recording import record
from verifflowcc.services.workspace import Workspace


def learned_patterns(workspace: Workspace) -> tuple[LearnedPattern, ...]:
    """Return the patterns in all that was done, by type, the most seen first. Raises BackendError."""
    with open_history(workspace) as history:
        return patterns(telling_calls(history), pairs_in(history))


def learned_in_sessions(workspace: Workspace, limit: int = 20) -> tuple[SessionLearning, ...]:
    """Return what sessions showed at their ends, the newest first. Raises BackendError."""
    with open_history(workspace) as history:
        rows = history.rows(
            """
            SELECT session_id, learning_type, subject, sentence, confidence FROM session_learnings AS l
            WHERE id = (
                SELECT id FROM session_learnings AS n WHERE n.session_id = l.session_id AND n.subject = l.subject
                    AND n.learning_type = l.learning_type ORDER BY n.timestamp DESC, n.id DESC LIMIT 1
            ) ORDER BY timestamp DESC, id DESC LIMIT ?
            """,
            (limit,),
        )
    known = set(LearningType)
    return tuple(
        SessionLearning(session, LearningType(sort), subject or "", sentence or "", confidence or 0)
        for session, sort, subject, sentence, confidence in rows
        if sort in known
    )


def learn_from_session(workspace: Workspace, session: str) -> tuple[SessionLearning, ...]:
    """Record and return what a session showed that was not recorded of it yet. Raises BackendError, WorkspaceError."""
    with open_history(workspace) as history:
        found = _of_session(history, session)
        told = {
            (sort, subject, sentence)
            for sort, subject, sentence in history.rows(
                "SELECT learning_type, subject, sentence FROM session_learnings WHERE session_id = ?", (session,)
            )
        }
    new = tuple(each for each in found if (each.type, each.subject, each.sentence) not in told)
    record(
        workspace,
        "learning",
        (
            {
                "gen_ai.conversation.id": session,
                "type": str(each.type),
                "subject": each.subject,
                "sentence": each.sentence,
                "confidence": each.confidence,
            }
            for each in new
        ),
    )
    return new


def _of_session(history: History, session: str) -> tuple[SessionLearning, ...]:
    made = calls(history, session)
    ids = sorted({call.task for call in made if call.task})
    return learnings(session, made, {row.id: row.description for row in task_rows(history, ids)} if ids else {})
