"""Put a layer's entries in order and cut what is above the number of items that a role is offered."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from verifflowcc.base.files.layout import DerivedSource
from verifflowcc.base.model.config_values import ActiveSettings, ExpansionSettings, MemorySettings
from verifflowcc.base.model.entries import Candidate, SkippedEntry, TraceEntry
from verifflowcc.base.model.item_values import (
    NOTE,
    RULE_TYPES,
    TRIGGER,
    DecisionStatus,
    Item,
    Recency,
    Trust,
    may_be_heard,
)
from verifflowcc.base.model.layers import CODE, HANDOVER, RECALL, TASK, TRACE, USER, Layer
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.recall_values import NOTHING
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.stems import stems
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.memory.rules.recall_ranking import (
    NO_ITEMS,
    Neighbour,
    PlainItems,
    RankingInput,
    Score,
    edge_between,
    expanded,
    rank,
)
from verifflowcc.memory.rules.recall_scoring import QuestionTerms
from verifflowcc.prompt.use.source_files import Body, SelectedFile, data_kind

_KINDS = {".md": "markdown", ".markdown": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}
_OF_RULES = (Layer.PROJECT, Layer.AGENT)
_WORD = lazy_pattern(r"[\w./-]+")


@dataclass(frozen=True, slots=True)
class Caps:
    """How many typed items a role is offered: `kind` says what sort of role it is, `user_types` None means all.

    `with_past` takes in what does not stand any more: it competes with what does, and counts against no number.
    `expansion` says what links may bring in, `active` what comes unasked.
    """

    kind: str
    user_items: int
    project_items: int
    user_types: tuple[str, ...] | None = None
    with_past: bool = False
    expansion: ExpansionSettings = field(default_factory=ExpansionSettings)
    active: ActiveSettings = field(default_factory=ActiveSettings)

    def offers(self, type_name: str) -> bool:
        """Say whether user items of this type are offered."""
        return self.user_types is None or type_name in self.user_types

    def of_layer(self, layer: Layer) -> tuple[int, str] | None:
        """Return the most typed items that may compete in a layer, and their setting; None where there is no limit."""
        if layer is Layer.PROJECT:
            return self.project_items, "project_items"
        return (self.user_items, "user_items") if layer is Layer.USER else None


@dataclass(frozen=True, slots=True)
class PastDay:
    """A day in the past that a prompt is of, and the days that types of items live."""

    day: str
    ttl_days: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """A selected file or item as it was read.

    `invalid_reason` says why it is no longer in force; it is empty where it is.
    """

    one: SelectedFile
    path: str
    digest: str
    tokens: int
    body: Body | None
    trust: str
    invalid_reason: str = ""


@dataclass(frozen=True, slots=True)
class OrderingInputs:
    """What all layers share: the caps, the paths of files in play, and the task, if there is one."""

    caps: Caps
    in_play: frozenset[str]
    task: QuestionTerms | None


@dataclass(frozen=True, slots=True)
class PlainEntries:
    """Items of a layer that are known by their traits alone; `read` reads those at some places as entries."""

    items: PlainItems = NO_ITEMS
    read: Callable[[Sequence[int]], Sequence[LoadedEntry]] = lambda _: ()


NO_ENTRIES = PlainEntries()
_Ordered = tuple[LoadedEntry, Score | None]


def caps_for(memory: MemorySettings, agent: str, *, with_past: bool) -> Caps:
    """Return what a role is offered."""
    given = memory.assembly.of(agent)
    kind = "thinking" if agent in memory.assembly.thinking_roles else "working"
    found = (memory.expansion, memory.active)
    return Caps(kind, given.user_items, given.project_items, given.user_types, with_past, *found)


def paths_in(task: str) -> frozenset[str]:
    """Return the words of the task that can be a file's path."""
    words = (word.rstrip("./-") for word in _WORD.findall(task))
    return frozenset(word for word in words if "/" in word or "." in word)


def in_order(
    entries: Sequence[LoadedEntry], offer: OrderingInputs, plain: PlainEntries = NO_ENTRIES
) -> tuple[tuple[Candidate, ...], list[SkippedEntry]]:
    """Return one layer's candidates in the order in which they are offered, and what is above the layer's cap.

    Always-load entries first, in the order written; then the open task's, then the others, each ranked by itself. What
    does not stand any more and was asked for is among the others, whatever pattern named it. `plain` ones are among the
    others, and of those above the cap nothing is returned.
    """
    untimely = [skipped for entry in entries if (skipped := _untimely(entry, offer))]
    left_out = {each.path for each in untimely}
    entries = [entry for entry in entries if entry.path not in left_out]
    always = [entry for entry in entries if not entry.invalid_reason and entry.one.always and not entry.one.local]
    sure = [entry for entry in entries if not entry.invalid_reason and entry.one.always and entry.one.local]
    others = [entry for entry in entries if entry.invalid_reason or not entry.one.always]
    of_task = [entry for entry in others if entry.one.origin == TASK]
    of_code = [entry for entry in others if entry.one.origin == CODE]
    of_stages = [entry for entry in others if entry.one.origin == HANDOVER]
    of_past = [entry for entry in others if isinstance(entry.one.source, DerivedSource) and entry.one.local]
    in_scope, near = _of_trace(entries)
    apart = {id(entry) for entry in (*of_task, *of_code, *of_stages, *of_past, *in_scope, *near)}
    rest = [entry for entry in others if id(entry) not in apart]
    ordered: list[_Ordered] = [(entry, None) for entry in always if entry.one.origin not in {CODE, TRACE}]
    ordered += [(entry, _of_item(entry)) for entry in in_scope]
    for group in (sure, of_task):
        ordered += _ranked(group, offer)
    ordered += _ranked(rest, offer, plain)
    ordered += [(entry, Score(0, 0, "handed over by an earlier stage")) for entry in of_stages]
    ordered += [(entry, _of_item(entry)) for entry in near]
    ordered += _ranked(of_past, offer)
    ordered += [(entry, _of_piece(entry)) for entry in (*always, *of_code) if entry.one.origin == CODE]
    kept, above = _capped(_matches_first(ordered, offer), offer.caps)
    candidates = (_candidate(entry, number, score) for number, (entry, score) in enumerate(kept, start=1))
    return tuple(candidates), [*untimely, *above]


def _untimely(entry: LoadedEntry, offer: OrderingInputs) -> SkippedEntry | None:
    """Leave out an instruction whose trigger has no word in common with the task."""
    item = typed(entry)
    trigger = dict(item.details).get(TRIGGER, "") if item and item.details else ""
    if not trigger or (offer.task is not None and not set(stems(trigger)).isdisjoint(offer.task.terms)):
        return None
    reason = f"holds only for a task on: {trigger}"
    return SkippedEntry(entry.one.layer, entry.one.key, entry.path, entry.tokens, reason)


def _of_trace(entries: Sequence[LoadedEntry]) -> tuple[list[LoadedEntry], list[LoadedEntry]]:
    """Return the trace items that the sprint is about, and the others."""
    scope = [(entry, entry.one.source.in_scope) for entry in entries if isinstance(entry.one.source, TraceEntry)]
    return [entry for entry, inside in scope if inside], [entry for entry, inside in scope if not inside]


def _of_item(entry: LoadedEntry) -> Score:
    """Trace items come in the order in which their source offers them."""
    return Score(0, 0, entry.one.source.why if isinstance(entry.one.source, TraceEntry) else "")


def _of_piece(entry: LoadedEntry) -> Score:
    """Code comes in the order in which the task asks for it; other words than the task's rank nothing there."""
    piece = entry.one.source
    words = [piece.part, piece.why] if isinstance(piece, Snippet) else []
    return Score(0, 0, ": ".join(filter(None, words)) or "code that the task speaks of")


def _matches_first(ordered: Sequence[_Ordered], offer: OrderingInputs) -> list[_Ordered]:
    """Put items of `@recall` that no word of the task matches behind the rest, those that a link leads to first."""
    if offer.task is None:
        return list(ordered)
    left = {id(entry) for entry, score in ordered if _is_unmatched(entry, score, offer)}
    direct = [each for each in ordered if id(each[0]) not in left]
    others = {
        entry.path: entry for entry, _ in ordered if id(entry) in left and entry.body and not entry.invalid_reason
    }
    hits = [(item, entry) for entry, score in direct if score and score.relevance and (item := typed(entry))]

    def around(hit: tuple[Item, LoadedEntry]) -> Iterator[Neighbour]:
        for entry in others.values():
            edge = edge_between(hit[0], entry.body.item) if entry.body else None
            if edge and entry.body:
                yield Neighbour(entry.body.item, entry.body.item.scope, edge)

    brought: list[_Ordered] = []
    for found, (item, _) in expanded(hits, (), around, offer.caps.expansion):
        entry = others.pop(found.item.path)
        step = f"{item.id} {found.edge.relation} it" if found.edge.outward else f"it {found.edge.relation} {item.id}"
        brought.append((entry, Score(0, 0, f"a link leads here: {step}")))
    left -= {id(entry) for entry, _ in brought}
    return [*direct, *brought, *(each for each in ordered if id(each[0]) in left)]


def _is_unmatched(entry: LoadedEntry, score: Score | None, offer: OrderingInputs) -> bool:
    if entry.one.origin != RECALL or score is None or score.relevance:
        return False
    return not _in_play(entry, offer)


def _in_play(entry: LoadedEntry, offer: OrderingInputs) -> bool:
    item = entry.body.item if entry.body else None
    return item is not None and any(ref.path in offer.in_play for ref in item.refs)


def _ranked(entries: Sequence[LoadedEntry], offer: OrderingInputs, plain: PlainEntries = NO_ENTRIES) -> list[_Ordered]:
    """Rank entries together with plain ones, as many of these as the layer's cap can hold."""
    every = list(entries)

    def read(chosen: Sequence[int]) -> list[RankingInput]:
        found = plain.read(chosen)
        every.extend(found)
        return [_facts(entry, in_play=False) for entry in found]

    facts = [_facts(entry, in_play=_in_play(entry, offer)) for entry in entries]
    scores = rank(facts, offer.task, plain.items, offer.caps.project_items, read)
    return [(every[score.index], score) for score in scores]


def _capped(ordered: Sequence[_Ordered], caps: Caps) -> tuple[list[_Ordered], list[SkippedEntry]]:
    """Leave out the typed items above the cap; what is always loaded by a pattern of files competes with nothing."""
    kept, above, counted = [], [], 0
    for entry, score in ordered:
        one, limit = entry.one, caps.of_layer(entry.one.layer)
        if limit is not None and _competes(entry):
            counted += 1
            if counted > limit[0]:
                setting = f"memory.assembly.{caps.kind}.{limit[1]}"
                reason = f"above the {limit[0]} items that a {caps.kind} role is offered ({setting})"
                above.append(SkippedEntry(one.layer, one.key, entry.path, entry.tokens, reason))
                continue
        kept.append((entry, score))
    return kept, above


def _competes(entry: LoadedEntry) -> bool:
    counts = bool(entry.one.origin) or not entry.one.always
    return counts and typed(entry) is not None and not entry.invalid_reason


def typed(entry: LoadedEntry) -> Item | None:
    """Return the entry's item where it has a type of its own: not a mere note, and no file that is no item."""
    item = entry.body.item if entry.body else None
    return item if item is not None and item.type != NOTE and entry.path.endswith(".md") else None


def _facts(entry: LoadedEntry, *, in_play: bool) -> RankingInput:
    body = entry.body
    item = body.item if body else None
    return RankingInput(
        key=entry.one.key,
        importance=item.importance if item else 500,
        confidence=item.confidence if item else 800,
        recency=_recency(item.recency) if item else None,
        extent=body.extent if body else NOTHING,
        units=body.units if body else (),
        in_play=in_play,
    )


def _kind(entry: LoadedEntry) -> str:
    """The word after the fence around its text."""
    if isinstance(entry.one.source, Snippet):
        return entry.one.source.language
    return "text" if data_kind(entry.path) else _KINDS.get("." + entry.path.rpartition(".")[2], "text")


def _recency(recency: Recency) -> tuple[str, str | int] | None:
    return None if recency.kind is None or recency.value is None else (recency.kind, recency.value)


def _candidate(entry: LoadedEntry, number: int, score: Score | None) -> Candidate:
    item, one = entry.body.item if entry.body else None, entry.one
    title = one.source.title if isinstance(one.source, TraceEntry) else ""
    has_type = typed(entry) is not None
    return Candidate(
        layer=one.layer,
        key=one.key,
        path=entry.path,
        digest=entry.digest,
        tokens=entry.tokens,
        rank=number,
        always=one.always and not entry.invalid_reason,
        local=one.local,
        kind=_kind(entry),
        title=item.title if item else title,
        date=(item.updated or item.created or (item.decision.date if item.decision else None)) if item else None,
        trust=str(entry.trust),
        score=score.total if score else 0,
        why=score.why if score else "always loaded",
        relevance=score.relevance if score else 0,
        origin=one.origin,
        tier={USER: "global", TASK: "task"}.get(one.origin, "project"),
        item=item.id if item and has_type else "",
        type=item.type if item and has_type else "",
        scope=item.scope if item and has_type else "",
        invalid_reason=entry.invalid_reason,
        rule=_is_rule(entry),
        in_scope=not isinstance(one.source, TraceEntry) or one.source.in_scope,
        conflict=_unsettled(item) if item and has_type else "",
        subject=(item.key or "") if item and has_type else "",
        error=dict(item.details).get("code", "") if item and item.type == "failure" else "",
    )


def _unsettled(item: Item) -> str:
    if may_be_heard(item):
        return "heard in a conversation, not adopted"
    return "proposed, not decided" if item.decision and item.decision.status is DecisionStatus.PROPOSED else ""


def _is_rule(entry: LoadedEntry) -> bool:
    """Say whether an entry is one: a file that a person always loads for the project or a role, or an item in force."""
    item, one = typed(entry), entry.one
    if entry.invalid_reason or one.local:
        return False
    if item is not None and item.type in RULE_TYPES:
        return item.decision is None or item.decision.status is not DecisionStatus.PROPOSED
    return one.always and not one.origin and one.layer in _OF_RULES and entry.trust == Trust.HUMAN
