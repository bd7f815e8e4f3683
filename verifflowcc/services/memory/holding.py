"""What a store holds, laid out so that a new statement is compared with the few items that it can concern."""

from collections.abc import Iterable, Iterator

from verifflowcc.context.standing import superseded, withdrawn
from verifflowcc.domain.candidates import Candidate, Held
from verifflowcc.domain.items import PROMOTED_BY, Item, Relation, SourceKind, Status, awaits_promotion
from verifflowcc.domain.memory import StoredItem
from verifflowcc.lifecycle.consolidate import is_consolidation, is_told
from verifflowcc.lifecycle.extract.revised import revision
from verifflowcc.lifecycle.extract.stated import key_of
from verifflowcc.lifecycle.extract.turns import statement_of
from verifflowcc.records import replace

REJECTED = "rejected"
"""The tag of a proposal that a person turned down."""


class Holding:
    """The items of one scope as they stand, kept up while new ones are added; each is read once.

    Two views are kept, since a proposal changes nothing until somebody says yes: what stands now, and what would stand
    if all that is proposed were promoted.
    """

    def __init__(self, stored: Iterable[StoredItem]) -> None:
        every = list(stored)
        items = [each.item for each in every]
        self.ids = {item.id.casefold() for item in items}
        self._by_key: dict[str, list[Held]] = {}
        self._by_subject: dict[str, list[Held]] = {}
        self._every: list[Held] = []
        self._by_mark: dict[str, list[Held]] = {}
        self._replaced = set(superseded(items).found)
        self._gone = self._replaced | withdrawn(items).keys()
        promoted = [_promoted(item) if awaits_promotion(item) else item for item in items]
        self._outdone = set(superseded(promoted).found)
        self._paths = {item.id: item.path for item in items}
        summaries = {item.id: item for item in items if is_consolidation(item)}
        into = ((item, summaries.get(item.archived.into or "")) for item in items if item.archived)
        self._told = {item.path for item, summary in into if is_told(item, summary)}
        for each in every:
            self._learn(each)

    def add(self, stored: StoredItem) -> None:
        """Take in an item that is new, and what it replaces."""
        item = stored.item
        targets = {self._paths.get(link.to, "") for link in item.links if link.relation == Relation.SUPERSEDES}
        self._outdone |= targets
        if item.status is Status.ACTIVE:
            self._gone |= targets
            self._replaced |= targets
        else:
            self._gone.add(item.path)
        self._paths[item.id] = item.path
        self.ids.add(item.id.casefold())
        self._learn(stored)

    def beside(self, candidate: Candidate, mark: str) -> list[Held]:
        """Return what stands, or is proposed, that the candidate can say again, replace or contradict."""
        found = self._every if revision(candidate.content) else self._near(candidate, mark)
        return [each for each in found if self.stands(each.item) or self._waits(each.item)]

    def put_aside(self, candidate: Candidate, mark: str) -> list[Held]:
        """Return what somebody turned down that the candidate can say again."""
        return [each for each in self._near(candidate, mark) if _is_put_aside(each.item)]

    def proposed(self, key: str) -> list[Held]:
        """Return all proposals of a key that nothing in force has replaced."""
        pending = (each for each in self._by_key.get(key, ()) if each.item.status is Status.PENDING)
        return [each for each in pending if each.item.path not in self._replaced]

    def said_in(self, session: str, key: str) -> list[Held]:
        """Return the items that a session gave for a key, whatever became of them."""
        return [each for each in self._by_key.get(key, ()) if each.item.source.session == session]

    def stands(self, item: Item) -> bool:
        """Say whether what an item says holds now: it stands itself, or a summary tells it in its place."""
        if item.path in self._told:
            return item.path not in self._replaced
        return item.status is Status.ACTIVE and item.path not in self._gone

    def _waits(self, item: Item) -> bool:
        return awaits_promotion(item) and item.path not in self._outdone

    def _near(self, candidate: Candidate, mark: str) -> Iterator[Held]:
        buckets = (self._by_mark.get(mark, ()), self._by_key.get(candidate.key, ()))
        found = (each for bucket in (*buckets, self._by_subject.get(candidate.subject, ())) for each in bucket)
        yield from {each.item.id: each for each in found}.values()

    def _learn(self, stored: StoredItem) -> None:
        item = stored.item
        says = stored.body.strip() or item.title
        meant = item.key if item.source.kind is SourceKind.EXTRACTED else None
        subject, value, negated = statement_of(says, item.type, meant or "")
        held = Held(item, subject, value, negated, mark_of(item.type, says), says)
        self._every.append(held)
        self._by_mark.setdefault(held.fingerprint, []).append(held)
        self._by_key.setdefault(item.key or key_of(subject, value), []).append(held)
        if subject:
            self._by_subject.setdefault(subject, []).append(held)


def _promoted(item: Item) -> Item:
    return replace(item, status=Status.ACTIVE, details=(*item.details, (PROMOTED_BY, "human:Anybody")))


def mark_of(type_name: str, text: str) -> str:
    """Return what two texts of a type have in common that say the same, but for case, spaces and a full stop.

    >>> mark_of("fact", "The client is  Acme.") == mark_of("fact", "the client is Acme")
    True
    """
    return f"{type_name} {' '.join(text.casefold().split()).rstrip('.!')}"


def _is_put_aside(item: Item) -> bool:
    return item.status is Status.ARCHIVED and REJECTED in item.tags
