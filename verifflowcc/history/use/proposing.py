"""Patterns out of the history, offered to the project's memory: as items that wait for a person, never more."""

from verifflowcc.base.model.item_values import Ref, Source, SourceKind
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import LearnedPattern, PatternType
from verifflowcc.history.use.history_sharing import learned_patterns
from verifflowcc.memory.use.adding import AddOutcome, ItemRequest, add_item
from verifflowcc.memory.use.stores import open_store

LEAST_SEEN = {PatternType.CO_EDIT: 3, PatternType.ERROR_FIX: 1, PatternType.REFACTOR: 3}
LEAST_CONFIDENCE = 400
"""What is less sure is told by `history show --by pattern`, and offered to nobody."""
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
