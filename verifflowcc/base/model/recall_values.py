"""What recall is asked and what it answers: hits with the parts of their scores, and what was left out."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from verifflowcc.base.model.item_values import Item
from verifflowcc.base.records import dataclass

DEFAULT_LIMIT = 10
FIELDS = ("title", "key", "tags", "body", "speaker", "date")
"""The fields of a unit, in the order in which its terms and their numbers are told."""

SPEAKER = FIELDS.index("speaker")


class Unit(NamedTuple):
    """An item as it is searched, or a part of a long one. `terms` are its terms with a blank between, by field.

    Units of one `thread` with consecutive `place`s stand beside each other; `place` is None where a unit has no
    neighbours. `day` is the ISO day that it is from, or empty. Its text holds a question (`asks`), ends with one
    (`ends_asking`), or tells a time (`timed`). `heading` is the section it is from.
    """

    terms: tuple[str, ...]
    thread: str = ""
    place: int | None = None
    day: str = ""
    asks: bool = False
    ends_asking: bool = False
    timed: bool = False
    heading: str = ""

    @property
    def speaker(self) -> str:
        """The terms of the name of who says it."""
        return self.terms[SPEAKER]


class KeptUnit(NamedTuple):
    """A unit in the index: its number there, the item's path, and which part of the item it is, from 0."""

    number: int
    path: str
    part: int
    unit: Unit


class Extent(NamedTuple):
    """How much of something is searched: the number of units, and of their terms by field."""

    units: int
    lengths: tuple[int, ...]


def extent_of(units: Iterable[Unit]) -> Extent:
    """Return the extent of units."""
    number, lengths = 0, [0] * len(FIELDS)
    for unit in units:
        number += 1
        for place, terms in enumerate(unit.terms):
            lengths[place] += len(terms.split())
    return Extent(number, tuple(lengths))


NOTHING = extent_of(())


class Traits(NamedTuple):
    """What ranking asks of a file without relations to others, so that it need not be read; `kind` is its sort.

    `name`, `subject` and `decided` are names by which others may mean it; `day` and `timed` are of its one unit.
    """

    kind: int
    importance: int
    confidence: int
    recency: str | int | None
    length: int
    name: str
    subject: str | None
    decided: int | None
    day: str
    timed: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """Statistics of what is searched: the number of units, all their terms by field, and term → units that hold it.

    `more` is the weighted length of units of which the terms by field are not known.
    """

    units: int
    lengths: tuple[int, ...]
    containing: Mapping[str, int]
    more: int = 0


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A question to memory, in words.

    At most `limit` direct hits. `paths` are files in play, as paths from the project's root. `everything` takes in what
    does not stand any more (superseded, archived, pending). `as_of` is a day, as somebody wrote it.
    """

    text: str
    limit: int = DEFAULT_LIMIT
    everything: bool = False
    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is made of, all whole numbers.

    `words` is how well the words match (BM25, scaled); `meaning` is added to it where meanings are compared too. The
    others are added in thousandths of both: `importance`, `confidence`, `recency`, `uses`; `validity` is taken off
    where the item is no longer in force.
    """

    words: int
    importance: int = 0
    confidence: int = 0
    recency: int = 0
    uses: int = 0
    validity: int = 0
    meaning: int = 0

    @property
    def total(self) -> int:
        """The score: `words` and `meaning`, changed by the others; above zero where one of the two is."""
        added = self.importance + self.confidence + self.recency + self.uses + self.validity
        found = self.words + self.meaning
        return max(min(1, found), found * (1000 + added) // 1000)


@dataclass(frozen=True, slots=True)
class Edge:
    """By which link a hit was found: the id of the direct hit, the relation, and whether that one holds the link."""

    hit: str
    relation: str
    outward: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """An item that was found.

    `matched` is, by word of the question, the fields in which it is: those of `FIELDS`, `alike` where talk has only a
    word like it, and `beside` for the part or turn before or after. `heading` is the section of the best part. `via`
    says by which link it was found, None for a direct hit. `stale` says how the code that it cites changed,
    `invalid_reason` why it is no longer in force; both are empty where there is nothing to say.
    """

    item: Item
    scope: str
    parts: Parts
    matched: Mapping[str, tuple[str, ...]]
    """For each word of the question, the fields that contain it."""
    heading: str = ""
    """The section of the best part."""
    via: Edge | None = None
    """The link that led here, or null."""
    invalid_reason: str = ""
    """Why it is no longer in force, or empty."""
    stale: str = ""
    """How the code that it cites changed, or empty."""

    @property
    def score(self) -> int:
        """The whole score; above zero."""
        return self.parts.total


@dataclass(frozen=True, slots=True)
class OmittedHit:
    """What was found and is not among the hits, and why."""

    item: Item
    scope: str
    score: int
    why: str


@dataclass(frozen=True, slots=True)
class RerankResult:
    """Whether a model reordered the best hits.

    `by` names the model, empty where none did, and `why` says why (not).
    """

    by: str
    """The model; empty for none."""
    why: str


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer: hits, best first, those that links brought in behind the direct ones.

    `left_out` are the next best that are left out, `candidates` how many texts were scored, `words` the question's
    words as they were looked for.
    """

    hits: tuple[Hit, ...]
    """Best first."""
    left_out: tuple[OmittedHit, ...] = ()
    """The next best."""
    candidates: int = 0
    """How many texts were scored."""
    words: tuple[str, ...] = ()
    """The words that were searched for."""
    reranked: RerankResult = RerankResult("", "rerank is off (memory.rerank.enabled)")
    notices: tuple[str, ...] = ()
