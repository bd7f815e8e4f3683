"""Conversations of a test's own, and what is remembered after them, ids left aside."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.turns import Conversation, Speaker, Turn
from verifflowcc.memory.use.ingesting import IngestOptions, IngestResult, ingest
from verifflowcc.memory.use.purging import PurgeResult, purge
from verifflowcc.memory.use.stores import open_store

ME, AGENT, CI = "human:You", "agent:coder", "ci"
Seen = Counter[tuple[object, ...]]


def turn(number: int, text: str, **more: Any) -> Turn:
    """A turn of the person, unless said otherwise."""
    said: dict[str, Any] = {"speaker": Speaker.PERSON, "session": "s", "name": "User", **more}
    return Turn(f"t{number}", text=text, **said)


def talk(*turns: Turn | str, origin: str = "talk.md@0", **more: Any) -> Conversation:
    """A conversation; a text is a turn of the person."""
    return Conversation(
        origin, tuple(turn(place, each, **more) if isinstance(each, str) else each for place, each in enumerate(turns))
    )


def learn(here: Workspace | None, *conversations: Conversation, actor: str = ME, **more: Any) -> IngestResult:
    """Ingest; what is no option of `ingest` is a choice."""
    own = {name: more.pop(name) for name in ("extract", "confirm", "letters") if name in more}
    if here is None:
        more.setdefault("scopes", ("user",))
    return ingest(here, conversations, IngestOptions(**more), actor=actor, **own)


def unlearn(here: Workspace | None, source: str, *, actor: str = ME, dry_run: bool = False) -> PurgeResult:
    """Purge a source, saying yes."""
    scopes = ("user", "project") if here else ("user",)
    return purge(here, source, scopes, actor=actor, confirm=lambda _: None, dry_run=dry_run)


def kept(here: Workspace | None, *scopes: str) -> list[StoredItem]:
    """All items of the person and the project, or of the scopes given, by id."""
    found: list[StoredItem] = []
    for scope in scopes or (("user", "project") if here else ("user",)):
        with open_store(here, scope) as store:
            found += store.list_all()
    return found


def state(here: Workspace | None) -> Seen:
    """What is remembered, ids and origins left aside: links name what they lead to by what it says, and where."""
    items = kept(here)
    names = {each.item.id: _said(each) for each in items}
    return Counter(
        (
            *_said(each),
            *_standing(each.item),
            tuple(sorted((str(link.relation), names.get(link.to)) for link in each.item.links)),
        )
        for each in items
    )


def _said(stored: StoredItem) -> tuple[object, ...]:
    item = stored.item
    return item.scope, item.type, item.key, stored.body.strip(), item.source.session, item.source.turn


def _standing(item: Item) -> tuple[object, ...]:
    return item.status, item.trust, item.importance, item.confidence, item.created, item.tags, item.source.speaker


def in_force(here: Workspace | None) -> set[str]:
    """What the items say that stand now."""
    from verifflowcc.memory.rules.superseded import excluded_items

    found = kept(here)
    left_out = excluded_items([each.item for each in found]).left_out
    return {each.body.strip() for each in found if each.item.path not in left_out}


def texts(here: Workspace | None) -> dict[str, str]:
    """The files of all items by id."""
    return {each.item.id: each.text for each in kept(here)}


def parts(turns: Sequence[Turn], cuts: Sequence[int]) -> list[list[Turn]]:
    """Cut turns into pieces at these places."""
    places = sorted({0, len(turns), *(cut % (len(turns) + 1) for cut in cuts)})
    return [list(turns[start:end]) for start, end in pairwise(places)]
