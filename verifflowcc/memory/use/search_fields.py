"""Answer one question from scopes, each read in one state.

Candidates are found and scored, items in force preferred, and links followed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.model.config_values import MemorySettings, StalePolicy
from verifflowcc.base.model.item_values import (
    DecisionStatus,
    Item,
    ScopeKind,
    Status,
    awaits_promotion,
    is_trace_type,
)
from verifflowcc.base.model.recall_values import (
    NOTHING,
    Corpus,
    Hit,
    KeptUnit,
    OmittedHit,
    Parts,
    RecallQuery,
    RecallResult,
)
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.text.stems import alike
from verifflowcc.base.use.guarding import withheld_item
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.recall_ranking import SHARE, Neighbour, edge_between, expanded, names_of, parts_of
from verifflowcc.memory.rules.recall_scoring import (
    MOST_ALIKE,
    NONE_ALIKE,
    REACH,
    WEIGHTS,
    Alike,
    QuestionTerms,
    ScoredUnit,
    is_file_term,
    is_talk,
    score,
    wanted,
)
from verifflowcc.memory.rules.superseded import superseded, withdrawn
from verifflowcc.memory.store.recall_index import IndexedItem, Scope
from verifflowcc.memory.use.item_search import items_as_of, lifetimes_here
from verifflowcc.memory.use.stores import kind_of

if TYPE_CHECKING:
    from verifflowcc.memory.use.meaning import Meaning


CANDIDATES, MORE_ALIKE = 300, 60
"""So many units of each scope, and those beside them, are scored by all words; in talk, so many more by words alike."""

MORE, MOST_CANDIDATES = 8, 20_000
"""Where too few of these may be answered (others were replaced, say), so many times more are, up to a bound."""

CONSIDERED = 30
"""So many of the best items at a time are compared by more than their words."""

SHOWN_LOST = 5
PRIVATE = frozenset({ScopeKind.USER, ScopeKind.TASK})
"""Scopes that other clones do not have: their items change no score of another's."""


@dataclass(slots=True)
class ScopeSearch:
    """A question to `states`, scopes by name. `day` is the ISO day on which they are looked at, None: now."""

    workspace: Workspace | None
    sought: RecallQuery
    question: QuestionTerms
    day: str | None
    states: Mapping[str, Scope]
    memory: MemorySettings
    places: Mapping[tuple[str, str], int]
    meaning: "Meaning | None"
    candidates: int = 0
    _then: dict[str, dict[str, IndexedItem]] = field(default_factory=dict)
    _corpora: dict[str, Corpus] = field(default_factory=dict)
    _others: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """By scope, how many units hold each word that is like one of the question's."""

    def found(self) -> RecallResult:
        """Return the answer."""
        kept, lost = self._sorted()
        kept.sort(key=self._place)
        direct, others = kept[: self.sought.limit], kept[self.sought.limit :]
        lost += [OmittedHit(hit.item, hit.scope, hit.score, f"behind the best {len(direct):,}") for hit in others]
        lost.sort(key=lambda each: -each.score)
        direct = [_shown(hit) for hit in direct]
        lost = [replace(each, item=withheld_item(each.item)) for each in lost[:SHOWN_LOST]]
        brought = [self._brought(*each) for each in self._expanded(direct)]
        words = tuple(word for term, word in self.question.terms.items() if not is_file_term(term))
        return RecallResult((*direct, *brought), tuple(lost), self.candidates, words=words)

    def ranked(self) -> list[Hit]:
        """Return the direct hits by their scores, without a limit."""
        return [_shown(hit) for hit in self._sorted()[0]]

    def _sorted(self) -> tuple[list[Hit], list[OmittedHit]]:
        """Return the hits that may be answered, best first, and those that may not, with why."""
        scored = [*self._scored(private=False), *self._scored(private=True)]
        hidden = {(scope, known.item.path): _hidden(known) for scope, known, _, _ in scored}
        hits = self._with_stale([self._hit(*each) for each in scored])
        hits.sort(key=lambda hit: -hit.score)
        fitting = [hit for hit in hits if not self.sought.types or hit.item.type in self.sought.types]
        kept, lost = [], []
        for hit in fitting:
            why = "" if self.sought.everything else hidden[hit.scope, hit.item.path] or self._withheld(hit)
            kept.append(hit) if not why else lost.append(OmittedHit(hit.item, hit.scope, hit.score, why))
        return kept, lost

    def _with_stale(self, hits: Sequence[Hit]) -> list[Hit]:
        """Say of hits that speak of code what became of it; a look at the past says nothing of it."""
        if self.workspace is None or self.day is not None or not any(hit.item.refs for hit in hits):
            return list(hits)
        from verifflowcc.memory.use.code_refs import stale_items

        stale = stale_items(self.workspace, (hit.item for hit in hits))
        return [replace(hit, stale=stale.get(hit.item.path, "")) for hit in hits]

    def _withheld(self, hit: Hit) -> str:
        withheld = hit.stale and self.memory.stale is StalePolicy.WITHHOLD and not is_trace_type(hit.item.type)
        return f"stale: {hit.stale} (memory.stale: withhold)" if withheld else ""

    def _place(self, hit: Hit) -> int:
        return self.places.get((hit.scope, hit.item.path), len(self.places))

    def _scored(self, *, private: bool) -> list[tuple[str, IndexedItem, Parts, ScoredUnit]]:
        """Return the best items of one sort of scopes: those that all clones have, or the private ones."""
        names = [name for name in self.states if (kind_of(name) in PRIVATE) is private]
        corpora = self._statistics()
        seen = [name for name in self.states if private or name in names]
        corpus = _together([corpora[name] for name in seen])
        speakers = self._speakers(names if not private else list(self.states))
        terms = wanted(self.question, corpus, speakers)
        best = [each for name in names for each in self._best(name, seen, corpus, terms, speakers)]
        if self.meaning is not None:
            best = self._with_meaning(self.meaning, best, names, speakers, private=private)
        best.sort(key=lambda each: (-each[2].score, each[2].kept.path))
        parts = parts_of([(known.item, one.score - one.meaning, not _hidden(known)) for _, known, one in best])
        parts = [replace(each, meaning=one.meaning) for each, (_, _, one) in zip(parts, best, strict=True)]
        return [(name, known, each, one) for (name, known, one), each in zip(best, parts, strict=True)]

    def _with_meaning(
        self,
        meaning: "Meaning",
        best: Sequence[tuple[str, IndexedItem, ScoredUnit]],
        names: Sequence[str],
        speakers: frozenset[str],
        *,
        private: bool,
    ) -> list[tuple[str, IndexedItem, ScoredUnit]]:
        """Return the best items by words and meaning, and those of these scopes that meaning alone finds."""
        seen = list(self.states) if private else names
        known = {(name, one.kept.path): each for name, each, one in best}
        found = meaning.fused(self.states, seen, names, [(name, one) for name, _, one in best], speakers)
        for name in names:
            more = [one.kept.path for scope, one in found if scope == name and (name, one.kept.path) not in known]
            known |= {(name, path): each for path, each in self._items(name, more).items()}
            self.candidates += len(more)
        return [(name, known[name, one.kept.path], one) for name, one in found if (name, one.kept.path) in known]

    def _best(
        self, name: str, seen: Sequence[str], corpus: Corpus, terms: Mapping[str, int], speakers: frozenset[str]
    ) -> list[tuple[str, IndexedItem, ScoredUnit]]:
        """Return the best items of a scope: more are looked at where too few of these may be answered."""
        state, most = self.states[name], CANDIDATES
        held = {term: self._statistics()[name].containing[term] for term in terms}
        while True:
            numbers, complete = state.best(held, WEIGHTS, most)
            kept = state.kept(numbers, REACH)
            counted, like = corpus, NONE_ALIKE
            if any(is_talk(each.unit) for each in kept):
                counted, like = self._alike(corpus, seen)
                here = {term: self._others[name][term] for others in like.values() for term in others}
                more, _ = state.best(here, WEIGHTS, MORE_ALIKE)
                kept = _joined(kept, state.kept(sorted({*more} - {*numbers}), REACH))
            firsts: dict[str, ScoredUnit] = {}
            for one in score(self.question, counted, kept, speakers=speakers, alike=like):
                firsts.setdefault(one.kept.path, one)
            found, enough = self._considered(name, list(firsts.values()))
            if enough or complete or most >= MOST_CANDIDATES:
                self.candidates += len(kept)
                return found
            most *= MORE

    def _alike(self, corpus: Corpus, seen: Sequence[str]) -> tuple[Corpus, Alike]:
        """Return the statistics with those of words like the question's, and which these are: what is rare enough."""
        terms = self.question.terms
        like = {term: [other for other in alike(term) if other not in terms] for term in terms}
        for name in seen:
            if name not in self._others:
                others = dict.fromkeys(other for those in like.values() for other in those)
                self._others[name] = self.states[name].corpus(others).containing
        held = {other: sum(self._others[name][other] for name in seen) for those in like.values() for other in those}
        rare = {other: number for other, number in held.items() if 0 < number * 1000 <= MOST_ALIKE * corpus.units}
        found = {term: those for term, others in like.items() if (those := [each for each in others if each in rare])}
        return replace(corpus, containing={**corpus.containing, **rare}), found

    def _considered(
        self, scope: str, scored: Sequence[ScoredUnit]
    ) -> tuple[list[tuple[str, IndexedItem, ScoredUnit]], bool]:
        """Return the best items until enough of them may be answered, and whether there are so many."""
        found: list[tuple[str, IndexedItem, ScoredUnit]] = []
        fitting = 0
        for begin in range(0, len(scored), CONSIDERED):
            part = scored[begin : begin + CONSIDERED]
            items = self._items(scope, [one.kept.path for one in part])
            there = [(scope, items[one.kept.path], one) for one in part if one.kept.path in items]
            found += there
            fitting += sum(self._fits(known) for _, known, _ in there)
            if fitting >= max(self.sought.limit, CONSIDERED // 2, self._given()):
                return found, True
        return found, fitting >= self.sought.limit

    def _given(self) -> int:
        """The most that a model is given to put into order."""
        return self.memory.rerank.max_candidates if self.memory.rerank.enabled else 0

    def _fits(self, known: IndexedItem) -> bool:
        return self._is_asked_for(known) and (self.sought.everything or not _hidden(known))

    def _is_asked_for(self, known: IndexedItem) -> bool:
        return not self.sought.types or known.item.type in self.sought.types

    def _statistics(self) -> Mapping[str, Corpus]:
        if not self._corpora:
            self._corpora = {name: state.corpus(self.question.terms) for name, state in self.states.items()}
        return self._corpora

    def _speakers(self, names: Sequence[str]) -> frozenset[str]:
        """The question's names that are of somebody who speaks in these scopes."""
        speakers = {term for name in names for term in self.states[name].speakers}
        return frozenset(term for term in self.question.names if term in speakers)

    def _items(self, scope: str, paths: Sequence[str]) -> Mapping[str, IndexedItem]:
        """The items at paths as they are, or were on the day."""
        if self.day is None:
            return self.states[scope].certain(paths)
        if scope not in self._then:
            every = [known.item for known in self.states[scope].every()]
            then = items_as_of(every, self.day, lifetimes_here(self.workspace, scope))
            gone = superseded(then).found
            self._then[scope] = {
                item.path: IndexedItem(item, gone[item.path].why if item.path in gone else "") for item in then
            }
        return self._then[scope]

    def _hit(self, scope: str, known: IndexedItem, parts: Parts, one: ScoredUnit) -> Hit:
        matched = {
            "a file in play" if is_file_term(term) else self.question.terms[term]: fields
            for term, fields in one.matched.items()
        }
        return Hit(known.item, scope, parts, matched, one.kept.unit.heading, invalid_reason=_why_invalid(known))

    def _around(self, hit: Hit) -> Iterator[Neighbour]:
        """Yield the items one link away from a hit, in its scope or in another of these."""
        for scope, state in self.states.items():
            if scope != hit.scope and kind_of(scope) in PRIVATE:
                continue
            leading = state.leading_to(names_of(hit.item))
            for known in (*state.named(link.to for link in hit.item.links), *leading):
                edge = edge_between(hit.item, known.item)
                if edge and self._is_asked_for(known) and (there := self._as_then(scope, known)):
                    yield Neighbour(there, scope, edge)

    def _as_then(self, scope: str, known: IndexedItem) -> Item | None:
        """The item as it is or was; None where it was not there, or does not stand."""
        there = self._items(scope, [known.item.path]).get(known.item.path)
        return None if there is None or (_hidden(there) and not self.sought.everything) else there.item

    def _expanded(self, direct: Sequence[Hit]) -> Iterator[tuple[Neighbour, Hit]]:
        known = [(hit.scope, hit.item.path) for hit in direct]
        return expanded(direct, known, self._around, self.memory.expansion)

    def _brought(self, found: Neighbour, hit: Hit) -> Hit:
        return Hit(withheld_item(found.item), found.scope, Parts(max(1, hit.score // SHARE)), {}, via=found.edge)


def _hidden(known: IndexedItem) -> str:
    """Why an item is found with `everything` alone. What was decided against is an answer, and is found."""
    decided = known.item.decision
    rejected = decided is not None and decided.status is DecisionStatus.REJECTED
    is_no = rejected and not known.replaced and known.item.status is Status.ACTIVE and not awaits_promotion(known.item)
    return "" if is_no else _why_invalid(known)


def _shown(hit: Hit) -> Hit:
    """A hit without the secrets that stand in its item; looking for them is for what is answered alone."""
    return replace(hit, item=withheld_item(hit.item), heading=withhold(hit.heading))


def _why_invalid(known: IndexedItem) -> str:
    """Why an item does not stand; empty where it does."""
    return known.replaced or withdrawn([known.item]).get(known.item.path, "")


def _joined(first: Sequence[KeptUnit], second: Sequence[KeptUnit]) -> list[KeptUnit]:
    """Return units of two lists, each once, by number."""
    found = {each.number: each for each in (*first, *second)}
    return [found[number] for number in sorted(found)]


def _together(corpora: Sequence[Corpus]) -> Corpus:
    """Return the statistics of several scopes as of one."""
    if not corpora:
        return Corpus(*NOTHING, {})
    lengths = tuple(map(sum, zip(*(each.lengths for each in corpora), strict=True)))
    terms = corpora[0].containing
    return Corpus(
        sum(each.units for each in corpora),
        lengths,
        {term: sum(each.containing[term] for each in corpora) for term in terms},
    )
