"""Put a summary in the place of items that say much the same, and complete or undo what was interrupted.

The summary is written first and says what is being done; then its originals are put away, each with the summary's id;
then the summary no longer says so. Whatever interrupts this, what was remembered stands in the originals, in the
summary, or in both, and the next `vfcc memory maintain` comes to the end of it.
"""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.context.standing import superseded
from verifflowcc.domain.items import Item, Relation, Status
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import FormatError
from verifflowcc.formats.item_render import inner, render_item
from verifflowcc.lifecycle.consolidate import (
    DOING,
    EPISODIC,
    Cluster,
    Refine,
    Remembered,
    clusters,
    is_consolidation,
    may_join,
    originals_of,
    summary_of,
    why_consolidated,
)
from verifflowcc.lifecycle.dense import DENSE
from verifflowcc.lifecycle.expire import Lifetimes
from verifflowcc.records import dataclass, replace
from verifflowcc.services.memory.maintained import Step, StepKind
from verifflowcc.services.memory.putting_away import CONSOLIDATED, brought_back, comes_back, put_away
from verifflowcc.services.memory.recording import changed
from verifflowcc.services.memory.shelf import Shelf

CONSOLIDATE, RESTORE = "consolidate", "restore"
"""What a summary says of itself while it is not done."""
_SALTS = 50


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms items are consolidated: the day, the days that types live, and the ids that stay as they are.

    `only` are the ids of those that may be, None where all may. `refine` may make a better text of what a summary
    tells; None: it stays as rules make it.
    """

    today: str
    ttl_days: Lifetimes
    apart: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    refine: Refine | None = None


def consolidate(shelf: Shelf, terms: Terms) -> Iterator[Step]:
    """Put summaries in the place of the dense clusters of a scope; yield what was done.

    An item that could not be brought back byte for byte stays as it is. Raises as the store does.
    """
    for cluster in clusters(_joinable(shelf, terms)):
        before = [stored for each in cluster.members if (stored := shelf.get(each.item.id))]
        summary = _summary(shelf, cluster, terms)
        if len(before) == len(cluster.members) and summary is not None:
            _carry_out(shelf, summary, before, terms.today)
            yield Step(StepKind.CONSOLIDATED, shelf.scope, summary.item.id, why_consolidated(cluster))


def complete_interrupted(shelf: Shelf, today: str) -> Iterator[Step]:
    """Come to the end of what was interrupted, and undo summaries that tell what does not hold any more.

    A consolidation is completed, or undone where an original is gone or can no longer be brought back; a restoring is
    completed. A summary one of whose originals was forgotten, replaced or contradicted since is undone, so that the
    others stand for themselves. Raises as the store does.
    """
    made = [item for item in shelf.items() if is_consolidation(item)]
    summaries = [item for item in made if item.status is Status.ACTIVE or DOING in dict(item.details)]
    if not summaries:
        return
    every = shelf.items()
    replaced = _replaced(every)
    disputed = _disputed(every)
    for summary in summaries:
        doing = dict(summary.details).get(DOING)
        why = _undone_because(shelf, summary, doing) or _stale_because(summary, replaced, disputed)
        try:
            if why:
                undo(shelf, summary)
                yield Step(StepKind.RESTORED, shelf.scope, summary.id, why)
            elif doing == CONSOLIDATE:
                _finish(shelf, summary, today)
                why = "its originals were not all archived when it was interrupted; now they are"
                yield Step(StepKind.COMPLETED, shelf.scope, summary.id, why)
        except FormatError as error:
            yield Step(StepKind.TOLD, shelf.scope, summary.id, f"it cannot be completed: {error.message}")


def undo(shelf: Shelf, summary: Item, home: Shelf | None = None) -> tuple[Item, ...]:
    """Bring back the originals of a summary as they were and remove it; return those that were brought back.

    `home` is where they are, if not beside it. Only what was put away for this summary is touched. Interrupted, it is
    done again. Raises FormatError where an original cannot be brought back; then nothing was removed.
    """
    home = home or shelf
    back = [brought_back(stored) for stored in told_by(home, summary)]
    stored = shelf.get(summary.id)
    if stored is not None and back and home is shelf:
        shelf.add(_doing(stored, RESTORE))
    for each in back:
        home.add(each)
    shelf.delete(summary.id)
    return tuple(each.item for each in back)


def told_by(shelf: Shelf, summary: Item) -> list[StoredItem]:
    """Return the originals that were put away for a summary, in its order."""
    found = [shelf.get(item_id) for item_id in originals_of(summary)]
    return [each for each in found if each and each.item.archived and each.item.archived.into == summary.id]


def _carry_out(shelf: Shelf, summary: StoredItem, before: Sequence[StoredItem], today: str) -> None:
    shelf.add(_doing(summary, CONSOLIDATE))
    for each in before:
        shelf.add(put_away(each, today=today, why=CONSOLIDATED, into=summary.item.id))
    shelf.add(summary)


def _finish(shelf: Shelf, summary: Item, today: str) -> None:
    for item_id in originals_of(summary):
        stored = shelf.get(item_id)
        if stored is not None and stored.item.status is not Status.ARCHIVED:
            shelf.add(put_away(stored, today=today, why=CONSOLIDATED, into=summary.id))
    stored = shelf.get(summary.id)
    if stored is not None:
        shelf.add(_doing(stored, None))


def _undone_because(shelf: Shelf, summary: Item, doing: str | None) -> str | None:
    """Return why a summary is to be undone, as a clause; None where it stands."""
    if doing == RESTORE:
        return "its restoring was interrupted; now it is done"
    gone = [item_id for item_id in originals_of(summary) if shelf.get(item_id) is None]
    if gone:
        return f"{gone[0]}, which it summarises, no longer exists"
    if doing == CONSOLIDATE and not _can_finish(shelf, summary):
        return "it was interrupted, and an original has changed so that it could not be brought back"
    return None


def _stale_because(summary: Item, replaced: dict[str, str], disputed: dict[str, str]) -> str | None:
    """Return why a summary tells what does not hold, or is in dispute, as a clause; None where it does not."""
    for told in originals_of(summary):
        if told in replaced:
            return f"{told}, which it summarises, was replaced by {replaced[told]}"
        if told in disputed:
            return f"{told}, which it summarises, is contradicted by {disputed[told]}"
    return None


def _can_finish(shelf: Shelf, summary: Item) -> bool:
    for item_id in originals_of(summary):
        stored = shelf.get(item_id)
        if stored is not None and stored.item.status is not Status.ARCHIVED and not _may_be_put_away(stored):
            return False
    return True


def _replaced(items: Sequence[Item]) -> dict[str, str]:
    """Return id → the id of what took its place."""
    ids = {item.path: item.id for item in items}
    found = superseded(items).found
    return {ids[path]: ids.get(each.by or "", each.by or "another") for path, each in found.items() if path in ids}


def _disputed(items: Sequence[Item]) -> dict[str, str]:
    """Return the id of each item that one in force contradicts → the id of that one."""
    gone = superseded(items).found
    against = _contradicted(item for item in items if item.status is Status.ACTIVE and item.path not in gone)
    return {item.id: against[name] for item in items for name in _names(item) if name in against}


def _joinable(shelf: Shelf, terms: Terms) -> list[Remembered]:
    """Return what may go into a summary: what stands, is contradicted by nothing, and can be brought back."""
    every = shelf.items()
    able = [item for item in every if may_join(item) and item.id not in terms.apart]
    able = [item for item in able if terms.only is None or item.id in terms.only]
    if not _could_be_dense(able):
        return []
    against, gone = _contradicted(every), superseded(every).found
    alone = [item for item in able if item.path not in gone and against.keys().isdisjoint(_names(item))]
    found = (shelf.get(item.id) for item in alone)
    return [Remembered(each.item, each.body) for each in found if each is not None and _may_be_put_away(each)]


def _contradicted(items: Iterable[Item]) -> dict[str, str]:
    """Return what is contradicted, by the name in the link → the id of what contradicts it."""
    links = ((link, item.id) for item in items for link in item.links)
    return {link.to: item_id for link, item_id in links if link.relation == Relation.CONTRADICTS}


def _names(item: Item) -> tuple[str, ...]:
    return tuple(name for name in (item.id, item.path, item.key) if name)


def _could_be_dense(items: Iterable[Item]) -> bool:
    types = [item.type for item in items]
    return any(types.count(name) >= DENSE for name in EPISODIC)


def _may_be_put_away(stored: StoredItem) -> bool:
    try:
        after = put_away(stored, today="2000-01-01", why=CONSOLIDATED, into="x")
    except FormatError:
        return False
    return after.item.archived is not None and comes_back(stored, after)


def _summary(shelf: Shelf, cluster: Cluster, terms: Terms) -> StoredItem | None:
    """Return the summary under an id that is free; None where none is."""
    for salt in range(_SALTS):
        made = summary_of(cluster, today=terms.today, ttl_days=terms.ttl_days, salt=salt, refine=terms.refine)
        if shelf.get(made.item.id) is None:
            path = home_path(folder_of(shelf.scope), made.item.type, made.item.id)
            return stored_item(path, render_item(replace(made.item, path=path), made.body).encode("utf-8"))
    return None


def _doing(stored: StoredItem, what: str | None) -> StoredItem:
    details = {name: text for name, text in stored.item.details if name != DOING}
    if what is not None:
        details[DOING] = what
    line = ", ".join(f"{inner(name)}: {inner(text)}" for name, text in details.items())
    return changed(stored, {"details": f"{{{line}}}"})
