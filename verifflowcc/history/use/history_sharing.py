"""Share the history: a session's calls as a file to commit, and patterns as proposals to the project's memory.

A session's file holds which tools and files, when and with what outcome, without any words. There is one file for each
session, so that two people's never meet in one. A proposed item waits for a person.
"""

from collections.abc import Mapping

from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Ref, Source, SourceKind
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.quick_json import write
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import LearnedPattern, LearningType, PatternType, SessionLearning
from verifflowcc.history.rules.learning import learnings, patterns
from verifflowcc.history.store.history_tables import HistoryTables, calls, task_rows, telling_calls
from verifflowcc.history.store.partitions import ENDING
from verifflowcc.history.use.history_reading import SHARED, open_history, record, session_events
from verifflowcc.history.use.questions import pairs_in
from verifflowcc.memory.use.adding import AddOutcome, ItemRequest, add_item
from verifflowcc.memory.use.stores import open_store

# What is learnt from the history: patterns over all of it, and what each session showed.


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
        known = {
            (sort, subject, sentence)
            for sort, subject, sentence in history.rows(
                "SELECT learning_type, subject, sentence FROM session_learnings WHERE session_id = ?", (session,)
            )
        }
    new = tuple(each for each in found if (each.type, each.subject, each.sentence) not in known)
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


def _of_session(history: HistoryTables, session: str) -> tuple[SessionLearning, ...]:
    made = calls(history, session)
    ids = sorted({call.task for call in made if call.task})
    return learnings(session, made, {row.id: row.description for row in task_rows(history, ids)} if ids else {})


KEPT = (
    "v", "kind", "id", "time", "client", "gen_ai.conversation.id", "task", "gen_ai.agent.name", "gen_ai.tool.name",
    "gen_ai.tool.call.id", "success", "duration_ms", "context_tokens", "role", "sprint", "stage", "source", "trigger",
    "reason",
)  # fmt: skip
"""What is committed of an event, beside the paths of files in the project."""


def share_session(workspace: Workspace, session: str) -> None:
    """Write the file of a session that may be committed. Raises WorkspaceError."""
    events = session_events(workspace, session)
    lines = [write(redacted(event)) for event in events if event.get("kind") != "learning"]
    if not lines:
        return
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in session[:100])
    day = str(events[0].get("time"))[:10]
    write_atomic(workspace.memory / SHARED / f"{day}-{name}{ENDING}", "".join(f"{line}\n" for line in lines))


def redacted(event: Mapping[str, Json]) -> dict[str, Json]:
    """Return an event without parameters, results, errors and words, and without files outside of the project."""
    kept = {name: event[name] for name in KEPT if name in event}
    files = event.get("files")
    shown = [each for each in map(_file, files) if each] if isinstance(files, list) else []
    return kept | ({"files": shown} if shown else {})


def _file(file: Json) -> dict[str, Json] | None:
    path = file.get("path") if isinstance(file, dict) else None
    if not isinstance(file, dict) or not isinstance(path, str) or path.startswith(("/", "~")):
        return None
    return {name: file[name] for name in ("path", "operation", "lines", "changes") if name in file}


LEAST_SEEN = {PatternType.CO_EDIT: 3, PatternType.ERROR_FIX: 1, PatternType.REFACTOR: 3}
LEAST_CONFIDENCE = 400
"""What is less sure is shown by `history show --by pattern`, and not offered."""
_TYPE = {PatternType.CO_EDIT: "pattern", PatternType.ERROR_FIX: "fix", PatternType.REFACTOR: "pattern"}
_ACTOR = "agent:history"
"""Whoever asks: what a rule found is a proposal, and a person decides."""


@dataclass(frozen=True, slots=True)
class PatternProposal:
    """A pattern that was offered: the id of the item that waits, or that of the one that says so already."""

    pattern: LearnedPattern
    item: str
    """The id of the waiting item."""
    outcome: AddOutcome


def propose_patterns(workspace: Workspace) -> tuple[PatternProposal, ...]:
    """Offer the patterns that are sure enough, each as a pending item under a key of its own; return them all.

    One that waits already, or was decided upon, is not offered again. Raises BackendError and as the store does.
    """
    today, found = workspace.today(), []
    with open_store(workspace, "project") as store:
        known = {item.key for item in store.items() if item.key}
        for pattern in learned_patterns(workspace):
            key = f"history-{pattern.type}-{digest_text(pattern.key)[7:19]}".replace("_", "-")
            if pattern.count < LEAST_SEEN[pattern.type] or pattern.confidence < LEAST_CONFIDENCE or key in known:
                continue
            added = add_item(store, _wanted(pattern, key), actor=_ACTOR, today=today, confirm=lambda planned: None)
            found.append(PatternProposal(pattern, added.item.id, added.outcome))
    return tuple(found)


def _wanted(pattern: LearnedPattern, key: str) -> ItemRequest:
    details = (*pattern.details, ("seen", str(pattern.count)), ("first", pattern.first_seen[:10]))
    return ItemRequest(
        scope="project",
        type=_TYPE[pattern.type],
        title=pattern.sentence[:120],
        text=f"{pattern.sentence}\n",
        source=Source(kind=SourceKind.INFERRED, actor=_ACTOR),
        key=key,
        confidence=pattern.confidence,
        tags=("history", str(pattern.type).replace("_", "-")),
        details=details,
        refs=tuple(Ref(path) for path in pattern.files[:5] if not path.startswith(("/", "~"))),
    )
