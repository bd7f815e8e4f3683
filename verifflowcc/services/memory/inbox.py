"""What waits for a person: who proposed it, why, from where, and what it would take the place of."""

from collections.abc import Iterator, Sequence

from verifflowcc.domain.items import Item, Relation, SourceKind, Status, awaits_promotion, may_be_heard
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.records import dataclass
from verifflowcc.services.memory.guarding import withheld_item
from verifflowcc.services.memory.heard import awaits_adoption
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.secrets import withhold

LOW_CONFIDENCE = 500
_OLDEST_LAST = "9999"


@dataclass(frozen=True, slots=True)
class Replaced:
    """An item that a proposal would take the place of, or contradicts; `title` is None where it is not there."""

    id: str
    relation: str
    title: str | None
    """Null if there is no such item."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An item that waits: `who` proposed it, `why` it waits, and `origin`, the text it was read from, "" for none."""

    item: Item
    scope: str
    text: str
    who: str
    why: str
    origin: str
    """Its source text, or empty."""
    replaces: tuple[Replaced, ...]
    """Items that it would replace or contradict."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """All that waits, the oldest first, and what could not be read."""

    waiting: tuple[Waiting, ...]
    """Oldest first."""
    notices: tuple[str, ...] = ()


def open_inbox(workspace: Workspace | None, scopes: Sequence[str]) -> Inbox:
    """Return what waits in these scopes. Raises WorkspaceError and BackendError where a store cannot be read."""
    found: list[Waiting] = []
    notices: list[str] = []
    for scope in dict.fromkeys(scopes):
        with open_store(workspace, scope) as store:
            stored = _stored(store)
            notices += store.problems
            titles = _titles(store.linked(_targets(stored)) if stored else ())
        found += [_waiting(each, scope, titles) for each in stored]
    found.sort(key=lambda each: (each.item.created or _OLDEST_LAST, each.scope, each.item.id))
    return Inbox(tuple(found), tuple(notices))


def count_waiting(workspace: Workspace | None, scopes: Sequence[str]) -> int:
    """Return how many items wait in these scopes. Raises as `open_inbox` does."""
    count = 0
    for scope in dict.fromkeys(scopes):
        with open_store(workspace, scope) as store:
            count += len(_stored(store))
    return count


def _stored(store: MemoryBackend) -> list[StoredItem]:
    ids = [item.id for item in store.items() if awaits_promotion(item) or may_be_heard(item)]
    return [each for name in ids if (each := store.get(name)) and _waits(each)]


def _waits(stored: StoredItem) -> bool:
    return awaits_promotion(stored.item) or awaits_adoption(stored)


def _targets(stored: Sequence[StoredItem]) -> list[str]:
    return [link.to for each in stored for link in each.item.links]


def _titles(items: Sequence[Item]) -> dict[str, str]:
    return {name: item.title for item in items for name in (item.path, item.key or "", item.id) if name}


def _waiting(stored: StoredItem, scope: str, titles: dict[str, str]) -> Waiting:
    item = stored.item
    source = item.source
    parts = (source.origin, source.turn and f"turn {source.turn}", source.session and f"session {source.session}")
    replaces = tuple(
        Replaced(link.to, str(link.relation), _title(titles.get(link.to)))
        for link in item.links
        if link.relation in (Relation.SUPERSEDES, Relation.CONTRADICTS)
    )
    return Waiting(
        withheld_item(item),
        scope,
        withhold(stored.body.strip("\n")),
        source.actor,
        "; ".join(_why(item, stored.body)),
        ", ".join(part for part in parts if part),
        replaces,
    )


def _title(title: str | None) -> str | None:
    return None if title is None else withhold(title)


def _why(item: Item, text: str) -> Iterator[str]:
    """Yield why an item waits, as far as it tells itself."""
    source = item.source
    said = {
        SourceKind.EXPLICIT: "proposed",
        SourceKind.EXTRACTED: "extracted",
        SourceKind.INFERRED: "inferred",
        SourceKind.IMPORTED: "imported",
    }[source.kind]
    yield f"{said} by {source.actor}" + (f", spoken by {source.speaker}" if source.speaker else "")
    if may_be_heard(item):
        yield "it is memory until a person adopts it into the trace"
    elif item.status is Status.ACTIVE:
        yield "it arrived as active, but no person promoted it"
    if reason := dict(item.details).get("waits"):
        yield withhold(reason)
    elif item.confidence < LOW_CONFIDENCE:
        yield (_doubt(text) if source.kind is SourceKind.EXTRACTED else "") or "its confidence is low"


def _doubt(text: str) -> str:
    """Return the words of a text that qualify it, as a reason to wait; "" for none."""
    from verifflowcc.lifecycle.extract.qualifiers import doubt_about, qualifiers  # its package compiles many patterns

    return doubt_about(text) if qualifiers(text) else ""
