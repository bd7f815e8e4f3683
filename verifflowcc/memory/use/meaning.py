"""Compare meanings where a project has that switched on: make the vectors that are missing, and fuse what is near."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.model.ports import Embedder
from verifflowcc.base.model.recall_values import KeptUnit
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.memory.rules.recall_fusion import SimilarUnit, fused, nearness
from verifflowcc.memory.rules.recall_scoring import ScoredUnit, texts_of
from verifflowcc.memory.store.recall_index import RecallIndex, Scope
from verifflowcc.memory.store.recall_vectors import UnitWithoutVector, bare_units, held_vectors, put_vectors

NEAREST = 50
"""So many units of each scope can be found by their meaning alone."""

BATCH = 64
"""So many vectors are made and kept at once; what is kept is not made again after an interruption."""

MANY = 200
"""Of more texts than these, a person is told before vectors are made of them, which takes a while."""

_ONE_BY_ONE = 50

Tell = Callable[[str], None]


def embed(index: RecallIndex, stores: Sequence[MemoryBackend], embedder: Embedder, tell: Tell) -> None:
    """Make the vectors that units of these stores do not have. Raises as the stores and the index do."""
    for store in stores:
        bare = index.state([store], _bare_of(embedder.name))
        if len(bare) > MANY:
            tell(f"{len(bare):,} texts of {store.scope} memory are read for their meaning first, once")
        for batch in _batches(bare, store):
            _keep(index, store.scope, embedder, batch)


def _bare_of(model: str) -> Callable[[Mapping[str, Scope]], list[UnitWithoutVector]]:
    return lambda states: [unit for scope in states.values() for unit in bare_units(scope.tables, model)]


def _keep(index: RecallIndex, scope: str, embedder: Embedder, batch: Sequence[tuple[UnitWithoutVector, str]]) -> None:
    pairs = list(zip((unit for unit, _ in batch), embedder.passages([text for _, text in batch]), strict=True))
    index.write(scope, lambda tables: put_vectors(tables, embedder.name, pairs))


def _batches(
    missing: Sequence[UnitWithoutVector], store: MemoryBackend
) -> Iterator[list[tuple[UnitWithoutVector, str]]]:
    """Yield units with their texts in batches; units of changed items are left out."""
    batch = []
    known = {each.item.id: each for each in store.list_all()} if len(missing) > _ONE_BY_ONE else None
    texts: dict[str, Sequence[str]] = {}
    for unit in missing:
        if unit.path not in texts:
            texts = {unit.path: _texts(unit, store.get(unit.id) if known is None else known.get(unit.id))}
        if unit.part < len(texts[unit.path]):
            batch.append((unit, texts[unit.path][unit.part]))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _texts(unit: UnitWithoutVector, stored: StoredItem | None) -> Sequence[str]:
    if stored is None or stored.item.path != unit.path or digest_text(stored.text.encode()) != unit.digest:
        return ()
    return texts_of(stored.item, stored.body)


@dataclass(slots=True)
class Meaning:
    """The meaning of one question, beside the meanings in scopes that are in one state each."""

    embedder: Embedder
    question: bytes
    _compared: dict[str, list[SimilarUnit]] = field(default_factory=dict)
    _best: int = 0

    def fused(
        self,
        states: Mapping[str, Scope],
        seen: Sequence[str],
        names: Sequence[str],
        scored: Sequence[tuple[str, ScoredUnit]],
        speakers: frozenset[str],
    ) -> list[tuple[str, ScoredUnit]]:
        """Return the items of `names`, each by its best unit: those that words found, and those that are near enough.

        `seen` are the scopes whose meanings are compared. Raises MissingVectorsError.
        """
        if not names:
            return []
        compared = [each for name in seen for each in self._of(name, states[name])]
        self._best = max([self._best, *(one.score for _, one in scored)])
        units: list[tuple[str, KeptUnit]] = []
        for name in names:
            paths = {one.kept.path for scope, one in scored if scope == name}
            by_words = states[name].parts(paths)
            alone = [kept for kept in states[name].kept(self._nearest(name), 0) if kept.path not in paths]
            units += [(name, kept) for kept in (*by_words, *alone)]
        return fused(scored, units, nearness(compared), self._best, speakers)

    def _nearest(self, scope: str) -> list[int]:
        """The units that can be found by their meaning and no word: the nearest of those that are near enough."""
        similar = sorted((each.similarity for each in self._compared[scope]), reverse=True)
        last = max([self.embedder.least, *similar[NEAREST - 1 : NEAREST]])
        return [each.unit[1] for each in self._compared[scope] if each.similarity >= last]

    def _of(self, scope: str, state: Scope) -> list[SimilarUnit]:
        if scope not in self._compared:
            held = held_vectors(state.tables, self.embedder.name, state.units)
            similar = self.embedder.similarities(self.question, [each.vector for each in held])
            self._compared[scope] = [
                SimilarUnit((scope, each.number), each.thread, each.place, similarity)
                for each, similarity in zip(held, similar, strict=True)
            ]
        return self._compared[scope]
