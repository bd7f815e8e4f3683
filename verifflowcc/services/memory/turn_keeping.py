"""Keep the turns of conversations as items that a search finds and no prompt holds: what was written, word for word."""

from collections.abc import Iterator, Sequence

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.domain.items import DEFAULT_CONFIDENCE, TURN, Item, Source, SourceKind, item_type, least_trust
from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.turns import TRUST_OF, Conversation, Turn
from verifflowcc.formats.item_render import render_item
from verifflowcc.formats.turn_ids import short_digest
from verifflowcc.formats.turn_tools import OWN
from verifflowcc.records import dataclass
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import trust_of
from verifflowcc.services.memory.recording import title_of
from verifflowcc.services.memory.remembering import speaker_said
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import plain_line
from verifflowcc.text.injected import without_injected
from verifflowcc.text.secrets import withhold


@dataclass(frozen=True, slots=True)
class KeptTurns:
    """How many turns were kept in a scope, or would be, and how many were kept before."""

    scope: str
    kept: int
    """Turns that are new."""
    known: int
    """Turns that were kept before."""


def keep_turns(
    workspace: Workspace | None,
    conversations: Sequence[Conversation],
    scope: str,
    *,
    actor: str,
    today: str,
    dry_run: bool = False,
) -> KeptTurns:
    """Keep each turn once, in its place in its session; secrets in it are withheld.

    A turn has the same id whenever it is read, so that an interrupted run is completed by the next one. Raises as
    `open_store` and the store do.
    """
    items = [
        _item(turn, number, conversation.origin, scope, actor, today)
        for conversation in conversations
        for number, turn in _numbered(conversation.turns)
    ]
    once = list({each.item.id: each for each in items}.values())
    with open_store(workspace, scope) as store:
        there = {each.id for each in store.items()}
        new = [each for each in once if each.item.id not in there]
        if new and not dry_run:
            store.create_all(new)
    return KeptTurns(scope, len(new), len(once) - len(new))


def _numbered(turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Yield the turns that have a text, with their place in their session, from 1."""
    places: dict[str, int] = {}
    for turn in turns:
        if turn.tool != OWN and turn.id and turn.session and without_injected(turn.text).strip():
            places[turn.session] = places.get(turn.session, 0) + 1
            yield places[turn.session], turn


def _item(turn: Turn, number: int, origin: str, scope: str, actor: str, today: str) -> StoredItem:
    session = plain_line(_encodable(turn.session))
    text = withhold(without_injected(_encodable(turn.text))).strip()
    digest = short_digest("\0".join((session, _encodable(turn.id))))
    name = f"turn-{digest}"
    path = home_path(folder_of(scope), TURN, name)
    # The place stands last: by the last number of `turn`, a search knows which turns stand beside each other.
    place = f"{plain_line(_encodable(turn.id))}.{number}"
    speaker = plain_line(_encodable(speaker_said(turn)))
    item = Item(
        id=name,
        type=TURN,
        title=title_of(text, f"turn {number}"),
        path=path,
        scope=scope,
        importance=item_type(TURN).importance,
        confidence=DEFAULT_CONFIDENCE,
        source=Source(
            SourceKind.EXTRACTED, actor, session=session, origin=plain_line(origin), turn=place, speaker=speaker
        ),
        trust=least_trust(trust_of(actor), TRUST_OF[turn.speaker]),
        created=turn.at or today,
    )
    return stored_item(path, render_item(item, text).encode("utf-8"))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
