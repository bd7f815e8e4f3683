"""From what a turn says to items: what is new, what it replaces, who vouches for it, and what is left alone.

Nothing that is kept is ever changed here. What is new stands in an item of its own, with links to what it replaces or
contradicts; whoever takes it away again has the state from before.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.formats.item_render import render_item
from verifflowcc.base.model.config_values import SpeakerTrust
from verifflowcc.base.model.item_values import (
    Item,
    Link,
    Ref,
    Relation,
    Source,
    SourceKind,
    Status,
    Trust,
    least_trust,
)
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import conflict_line
from verifflowcc.base.text.identifiers import item_id
from verifflowcc.base.text.secrets import find_secrets
from verifflowcc.memory.rules.candidates import KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.qualifiers import doubt_about
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.turns import TRUST_OF, Speaker, Turn, is_users_own
from verifflowcc.memory.store.placing import made_item
from verifflowcc.memory.use.item_scope import asks, is_person, trust_of
from verifflowcc.memory.use.laid_out import ScopeItems, mark_of

SURE_LAYER, SURE = 600, 500
"""Thousandths of certainty and confidence below which a person is asked."""


class StatementOutcome(StrEnum):
    """The outcome of a statement."""

    ADDED = "added"
    PROPOSED = "proposed"
    SAME = "same"
    OLDER = "older"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LearningTerms:
    """On whose terms things are remembered: `today` is for turns of no date, `project` the id of the project here.

    `proposes` says why everything is only proposed, empty where it is not; `steering` says whether what steers every
    prompt (`permission.asks`) may be active. `speakers` says how far named speakers are
    trusted. `seen` gives the code that a statement names the digests that it has now.
    """

    actor: str
    today: str
    project: str | None = None
    proposes: str = ""
    steering: bool = True
    seen: Callable[[tuple[Ref, ...]], tuple[Ref, ...]] = tuple
    speakers: Mapping[str, SpeakerTrust] = field(default_factory=dict)

    def trust_in(self, turn: Turn) -> Trust:
        """Return how far a turn is trusted: a named speaker as a person decided."""
        decided = self.decided(turn)
        return TRUST_OF[turn.speaker] if decided is None else Trust(decided.value)

    def decided(self, turn: Turn) -> SpeakerTrust | None:
        """Return what a person decided about a turn's speaker; None for a speaker who is not named, or not decided."""
        if turn.speaker is not Speaker.PERSON or is_users_own(turn.name):
            return None
        folded = turn.name.casefold()
        return next((trust for name, trust in self.speakers.items() if name.casefold() == folded), None)

    def is_stranger(self, turn: Turn) -> bool:
        """Say whether a turn is a named person's about whom nothing was decided."""
        return turn.speaker is Speaker.PERSON and not is_users_own(turn.name) and self.decided(turn) is None


@dataclass(frozen=True, slots=True)
class LearnedStatement:
    """A statement and its fate; `title` and `key` are empty where they must not be shown, `id` where no item was made.

    `others` are the items that say it already, or newer ones; `supersedes` and `contradicts` those of a new item.
    """

    outcome: StatementOutcome
    """`added`, `proposed`, `same`, `older` (something newer is known) or `refused`."""
    scope: str
    type: str
    key: str
    title: str
    id: str
    """Empty if no item was made."""
    session: str
    turn: str
    speaker: str
    """`person:NAME`, `agent`, `tool` or `outside`."""
    supersedes: tuple[str, ...] = ()
    """Ids that the item replaces."""
    contradicts: tuple[str, ...] = ()
    """Ids that the item contradicts."""
    others: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class TurnStatement:
    """A statement with its turn; `places` has the place of each turn of the session.

    `unsure` says that nobody knows which turns of the session were read before: the log of it is lost. `learned_before`
    says that an item is kept, whatever became of it, from when this turn was read before.
    """

    candidate: StatementCandidate
    turn: Turn
    origin: str
    places: Mapping[str, int]
    unsure: bool = False
    learned_before: bool = False


def remember(
    holding: ScopeItems, statement: TurnStatement, terms: LearningTerms, *, scope: str, letters: Callable[[], str]
) -> tuple[LearnedStatement, StoredItem | None]:
    """Return the outcome of a statement and its new item, which `holding` already has.

    What the session itself says of it later, and is kept, goes before; where it is unsure what was read, what it said
    last before is not taken as new.
    """
    status, why = _status(statement, terms, scope)
    trust = least_trust(terms.trust_in(statement.turn), trust_of(terms.actor))
    draft = _draft(statement, terms, scope, status, trust)
    refused = _refused(draft, statement.candidate.content)
    if refused:
        return _learned(StatementOutcome.REFUSED, statement, scope, why=refused, shown=False), None
    if statement.learned_before:
        return _learned(StatementOutcome.SAME, statement, scope, why="it was learned from this turn before"), None
    known, fate, reason = _known(holding, statement, draft)
    if known:
        return _learned(fate, statement, scope, known, why=reason), None
    beside = _beside(holding, statement.candidate, statement.turn.session)
    if beside.lost:
        return _learned(StatementOutcome.SAME, statement, scope, why="it is not known what it corrects"), None
    if beside.asks and (draft.status is Status.ACTIVE or not statement.candidate.rewritten):
        draft, why = replace(draft, status=Status.PENDING), f"{beside.asks}: confirm it, or reject it"
    draft, why = _weighed(draft, beside.rivals, holding, why)
    if beside.same and not _outdoes(draft, beside.same):
        return _learned(StatementOutcome.SAME, statement, scope, _ids(beside.same), why="it is known already"), None
    newer = [each for each in beside.rivals if _newer(each.item, draft)]
    if any(holding.is_in_force(each.item) or draft.status is Status.PENDING for each in newer):
        return _learned(StatementOutcome.OLDER, statement, scope, _ids(newer), why="something newer is known"), None
    draft = replace(draft, links=_links(holding, statement.candidate, draft, beside))
    made = _made(draft, statement.candidate.content, holding, letters)
    holding.add(made)
    return _added(made.item, statement, scope, why), made


@dataclass(frozen=True, slots=True)
class _RelatedStatements:
    """Existing items that say the same as a candidate, exclude it, or contradict it."""

    same: tuple[KeptStatement, ...]
    rivals: tuple[KeptStatement, ...]
    against: tuple[KeptStatement, ...]
    asks: str = ""
    """Why a person should confirm that it takes the place of its rivals; empty where that is certain."""
    lost: bool = False
    """Whether it corrects something, and nothing is held that it can mean."""


def _beside(holding: ScopeItems, candidate: StatementCandidate, session: str) -> _RelatedStatements:
    mark = mark_of(candidate.type, candidate.content)
    held = {each.item.id: each for each in holding.beside(candidate, mark)}
    first = settle(candidate, tuple(held.values()), mark, session=session)
    same = tuple(held.pop(name) for name in first.others) if first.outcome is MatchKind.SAME else ()
    then = settle(candidate, tuple(held.values()), mark, session=session) if same else first
    others = tuple(held[name] for name in then.others)
    replaces = then.outcome is MatchKind.SUPERSEDES
    lost = first.outcome is MatchKind.SAME and not first.others
    against = others if then.outcome is MatchKind.CONTRADICTS else ()
    return _RelatedStatements(same, others if replaces else (), against, then.why if then.asks else "", lost)


def _known(holding: ScopeItems, statement: TurnStatement, draft: Item) -> tuple[tuple[str, ...], StatementOutcome, str]:
    """Return the items for which a statement is not taken although none of them may stand, its fate, and why."""
    candidate = statement.candidate
    mark = mark_of(candidate.type, candidate.content)
    aside = settle(candidate, holding.put_aside(candidate, mark), mark)
    if aside.outcome is MatchKind.SAME:
        return aside.others, StatementOutcome.SAME, "it was put aside before"
    here = statement.places.get(statement.turn.id, 0)
    of_session = sorted(
        (place, each.item.id, settle(candidate, (each,), mark).outcome)
        for each in holding.of_session(statement.turn.session, candidate.key)
        if (place := statement.places.get(each.item.source.turn or "", here)) != here
        and each.item.status in (Status.ACTIVE, draft.status)
    )
    later = [name for place, name, how in of_session if place > here and how in (MatchKind.SAME, MatchKind.SUPERSEDES)]
    if later:
        return tuple(later), StatementOutcome.OLDER, "the same session says something of it later"
    before = [(name, how) for place, name, how in of_session if place < here]
    if statement.unsure and before and before[-1][1] is MatchKind.SAME:
        return (before[-1][0],), StatementOutcome.SAME, "the same session contains it already"
    return (), StatementOutcome.SAME, ""


def _links(
    holding: ScopeItems, candidate: StatementCandidate, draft: Item, beside: _RelatedStatements
) -> tuple[Link, ...]:
    """Return the links of a new item: in the place of what cannot hold beside it, of proposals too, or against it."""
    mark = mark_of(candidate.type, candidate.content)
    replaced = [*beside.same, *beside.rivals]
    if beside.rivals or draft.status is Status.PENDING:
        one_of = (MatchKind.SAME, MatchKind.SUPERSEDES)
        waiting = holding.proposed(candidate.key)
        replaced += [each for each in waiting if settle(candidate, (each,), mark).outcome in one_of]
    same = {each.item.id for each in beside.same}
    older = [each.item.id for each in replaced if each.item.id in same or not _newer(each.item, draft)]
    links = [Link(name, Relation.SUPERSEDES) for name in dict.fromkeys(older)]
    return (*links, *(Link(each.item.id, Relation.CONTRADICTS) for each in beside.against))


def _status(statement: TurnStatement, terms: LearningTerms, scope: str) -> tuple[Status, str]:
    """Return the status of what is new, and why it is only proposed."""
    candidate, turn = statement.candidate, statement.turn
    if not is_person(terms.actor):
        return Status.PENDING, "no person runs this"
    if turn.speaker is Speaker.OUTSIDE:
        return Status.PENDING, "it is a text from elsewhere"
    if terms.decided(turn) is SpeakerTrust.EXTERNAL:
        return Status.PENDING, "it is a text from elsewhere"
    if candidate.rewritten:
        return Status.PENDING, doubt_about(candidate.content)
    if candidate.certainty < SURE_LAYER:
        return Status.PENDING, "it is uncertain whose it is"
    if candidate.confidence < SURE:
        return Status.PENDING, "it is uncertain"
    if terms.is_stranger(turn):
        return Status.PENDING, f"memory.speakers does not name {turn.name}"
    if terms.proposes:
        return Status.PENDING, terms.proposes
    if not terms.steering and asks(scope, candidate.type):
        return Status.PENDING, "it was asked to be proposed"
    return Status.ACTIVE, ""


def _draft(statement: TurnStatement, terms: LearningTerms, scope: str, status: Status, trust: Trust) -> Item:
    candidate, turn = statement.candidate, statement.turn
    source = Source(
        SourceKind.EXTRACTED,
        terms.actor,
        terms.project if scope == "user" else None,
        turn.session,
        statement.origin,
        turn.id,
        speaker_name(turn),
    )
    return Item(
        id="",
        type=candidate.type,
        title=candidate.title,
        path="",
        scope=scope,
        importance=candidate.importance,
        confidence=candidate.confidence,
        key=candidate.key,
        status=status,
        source=source,
        trust=trust,
        refs=terms.seen(candidate.refs) if candidate.refs else (),
        created=turn.at or terms.today,
        tags=candidate.tags,
        details=candidate.details,
    )


def _refused(draft: Item, content: str) -> str:
    """Return why a statement may not be kept; empty where it may."""
    text = render_item(draft, content)
    found = find_secrets(text)
    if found:
        kinds = ", ".join(dict.fromkeys(each.kind for each in found))
        return f"it holds what looks like a secret ({kinds})"
    if conflict_line(text.encode("utf-8")) is not None:
        return "it holds the marks of a merge"
    return ""


def _outdoes(draft: Item, same: Sequence[KeptStatement]) -> bool:
    """Say whether a draft counts for more than all that says the same: proposals, and older ones less trusted."""
    if draft.status is not Status.ACTIVE:
        return False
    return all(each.item.status is Status.PENDING or _is_raised(each.item, draft) for each in same)


def _is_raised(item: Item, draft: Item) -> bool:
    return _rank(item) > _rank(draft) and not _newer(item, draft)


def _rank(item: Item) -> int:
    return list(Trust).index(item.trust)


def _weighed(draft: Item, rivals: Sequence[KeptStatement], holding: ScopeItems, why: str) -> tuple[Item, str]:
    """Return the draft as a proposal where it would replace what is trusted more."""
    more = [each.item for each in rivals if holding.is_in_force(each.item) and _rank(each.item) < _rank(draft)]
    if not more or draft.status is Status.PENDING:
        return draft, why
    return replace(draft, status=Status.PENDING), f"it would replace {more[0].id}, which is trusted more"


def _made(draft: Item, content: str, holding: ScopeItems, letters: Callable[[], str]) -> StoredItem:
    name = item_id(draft.title, letters())
    while name in holding.ids:
        name = item_id(draft.title, letters())
    return made_item(replace(draft, id=name), content)


def _newer(item: Item, draft: Item) -> bool:
    """Say whether an item is dated later than the draft; a day is not later than a moment of it."""
    mine, its = draft.created or "", item.updated or item.created or ""
    most = min(len(mine), len(its), 10) if min(len(mine), len(its)) <= 10 else None
    return its[:most] > mine[:most]


def _ids(held: Sequence[KeptStatement]) -> tuple[str, ...]:
    return tuple(each.item.id for each in held)


def _added(item: Item, statement: TurnStatement, scope: str, why: str) -> LearnedStatement:
    named = {relation: tuple(each.to for each in item.links if each.relation == relation) for relation in Relation}
    return replace(
        _learned(
            StatementOutcome.ADDED if item.status is Status.ACTIVE else StatementOutcome.PROPOSED,
            statement,
            scope,
            why=why,
        ),
        id=item.id,
        supersedes=named[Relation.SUPERSEDES],
        contradicts=named[Relation.CONTRADICTS],
    )


def _learned(
    fate: StatementOutcome,
    statement: TurnStatement,
    scope: str,
    others: Sequence[str] = (),
    *,
    why: str,
    shown: bool = True,
) -> LearnedStatement:
    candidate, turn = statement.candidate, statement.turn
    return LearnedStatement(
        fate,
        scope,
        candidate.type,
        candidate.key if shown else "",
        candidate.title if shown else "",
        "",
        turn.session,
        turn.id,
        speaker_name(turn),
        others=tuple(others),
        why=why,
    )


def speaker_name(turn: Turn) -> str:
    """Return the speaker of a turn, as in an item's source: `person:Other`, `agent`."""
    return f"{turn.speaker}:{turn.name}" if turn.name else str(turn.speaker)
