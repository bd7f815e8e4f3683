"""Questions about conversations asked in every way: the product, plain BM25, the product without each of its parts."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.recall_figures import Mean, Row, gain_of, mean_of
from benchmarks.recall_locomo import CATEGORIES, MEANINGS, Ask, Talk, at_home, kept, share_found, talks
from benchmarks.recall_parts import all_scored, parts
from benchmarks.recall_plain import plain, with_neighbours

DEPTHS = (5, 10, 25)
TARGETS = {"at 5": 68.0, "at 10": 77.0, "multi-hop at 5": 36.0}
"""On conversations that nothing was tuned on, in percent."""


@dataclass(frozen=True)
class Way:
    """One way to find turns: recall at each depth, and at 5 by category."""

    name: str
    at: Mapping[str, Mean]
    categories: Mapping[str, Mean]


@dataclass(frozen=True)
class Gain:
    """What a part brings: the figures with it less those without, in points."""

    part: str
    at_5: Mean
    at_10: Mean
    multi_hop_at_5: Mean


@dataclass(frozen=True)
class Phases:
    """Where it is asked, how many units there are, what the first phase loses and gains against scoring every unit."""

    where: str
    units: int
    questions: int
    changed: int
    lost_at_10: int
    gained_at_10: int
    lost_at_25: int
    gained_at_25: int


@dataclass(frozen=True)
class Group:
    """The figures of some conversations; `unanswered` questions have no evidence that is there and are left out."""

    name: str
    talks: tuple[str, ...]
    turns: int
    questions: int
    by_category: Mapping[str, int]
    unanswered: int
    unknown_ids: int
    ways: tuple[Way, ...]
    gains: tuple[Gain, ...]
    phases: tuple[Phases, ...]


def measured(data: Path, split: str, tuned: Sequence[str], *, ablate: bool, embeddings: bool = False) -> list[Group]:
    """Ask the questions of a file: of the conversations that were tuned on, of the others, or of both apart.

    With `embeddings` also once more with meanings compared, for which the extra has to be installed.
    """
    found = talks(data)
    halves: dict[str, list[Talk]] = {"tune": [], "report": []}
    for talk in found:
        halves["tune" if talk.name in tuned else "report"].append(talk)
    chosen = [(name, each) for name, each in halves.items() if each and split in (name, "all")]
    if not chosen:
        raise SystemExit(f"{data}: no conversation is for --split {split}")
    with tempfile.TemporaryDirectory() as scratch, at_home(Path(scratch)):
        folder = Path(scratch)
        return [_group(name, each, folder / name, ablate=ablate, embeddings=embeddings) for name, each in chosen]


def _group(name: str, found: Sequence[Talk], folder: Path, *, ablate: bool, embeddings: bool) -> Group:
    product = [kept(folder / "apart" / talk.name, [talk]) for talk in found]
    together = [kept(folder / "together", found)] * len(found)
    answers, wide = _answers(found, product), _answers(found, together)
    whole = _rows(found, answers)
    ways = [
        _way("vfcc", found, whole),
        _way("vfcc, all in one store", found, _rows(found, wide)),
        _way("plain BM25", found, _rows(found, _answers(found, list(map(plain, found))))),
        _way(
            "BM25, neighbours at half weight", found, _rows(found, _answers(found, list(map(with_neighbours, found))))
        ),
    ]
    gains = list(_gains(found, product, whole, folder)) if ablate else []
    if embeddings:
        way, gain = _with_meanings(found, whole, folder)
        ways.append(way)
        gains.append(gain)
    with all_scored():
        every, every_wide = _answers(found, product), _answers(found, together)
    largest, turns = max(len(talk.turns) for talk in found), sum(len(talk.turns) for talk in found)
    phases = (
        _phases("each in its own store", largest, found, answers, every),
        _phases("all in one store", turns, found, wide, every_wide),
    )
    kinds = _kinds(found)
    return Group(
        {"tune": "tuned on", "report": "reported"}[name], tuple(talk.name for talk in found), turns, len(kinds),
        {label: kinds.count(kind) for kind, label in CATEGORIES.items()}, sum(talk.unanswered for talk in found),
        sum(talk.unknown for talk in found), tuple(ways), tuple(gains), phases,
    )  # fmt: skip


def _with_meanings(found: Sequence[Talk], whole: Sequence[Row], folder: Path) -> tuple[Way, Gain]:
    """Return the figures with `memory.embeddings` on, and what they are more than those without."""
    asks = [kept(folder / "meanings" / talk.name, [talk], MEANINGS) for talk in found]
    rows = _rows(found, _answers(found, asks))
    return _way("vfcc, meanings too", found, rows), _gain("meanings compared too", found, rows, whole)


def _answers(found: Sequence[Talk], asks: Sequence[Ask]) -> list[Sequence[str]]:
    """Return the answer to each question, in order."""
    return [ask(each.text) for talk, ask in zip(found, asks, strict=True) for each in talk.questions]


def _rows(found: Sequence[Talk], answers: Sequence[Sequence[str]]) -> list[Row]:
    questions = [each for talk in found for each in talk.questions]
    return [share_found(each, best, DEPTHS) for each, best in zip(questions, answers, strict=True)]


def _kinds(found: Sequence[Talk]) -> list[int]:
    return [each.category for talk in found for each in talk.questions]


def _way(name: str, found: Sequence[Talk], rows: Sequence[Row]) -> Way:
    kinds = _kinds(found)
    at = {f"at {depth}": mean_of([row[place] for row in rows]) for place, depth in enumerate(DEPTHS)}
    of_kind = {
        label: mean_of([row[0] for row, each in zip(rows, kinds, strict=True) if each == kind])
        for kind, label in CATEGORIES.items()
    }
    return Way(name, at, of_kind)


def _gains(found: Sequence[Talk], product: Sequence[Ask], whole: Sequence[Row], folder: Path) -> Iterator[Gain]:
    for number, part in enumerate(parts()):
        with part.off():
            asks = [kept(folder / f"without-{number}" / talk.name, [talk]) for talk in found] if part.reads else product
            without = _rows(found, _answers(found, asks))
        yield _gain(part.name, found, whole, without)


def _gain(name: str, found: Sequence[Talk], whole: Sequence[Row], without: Sequence[Row]) -> Gain:
    hops = [place for place, kind in enumerate(_kinds(found)) if CATEGORIES[kind] == "multi-hop"]
    multi_hop = gain_of([whole[place] for place in hops], [without[place] for place in hops], 0)
    return Gain(name, gain_of(whole, without, 0), gain_of(whole, without, 1), multi_hop)


def _phases(
    where: str, units: int, found: Sequence[Talk], two: Sequence[Sequence[str]], one: Sequence[Sequence[str]]
) -> Phases:
    """Compare what two phases find with what scoring every unit finds."""
    evidence = [each.evidence for talk in found for each in talk.questions]
    at_10, at_25 = (
        [
            len(gold & set(mine[:depth])) - len(gold & set(every[:depth]))
            for gold, mine, every in zip(evidence, two, one, strict=True)
        ]
        for depth in (10, 25)
    )
    return Phases(
        where,
        units,
        len(evidence),
        changed=sum(mine != every for mine, every in zip(two, one, strict=True)),
        lost_at_10=sum(each < 0 for each in at_10),
        gained_at_10=sum(each > 0 for each in at_10),
        lost_at_25=sum(each < 0 for each in at_25),
        gained_at_25=sum(each > 0 for each in at_25),
    )


def shown(groups: Sequence[Group]) -> Iterator[str]:
    """Yield the lines of a readable table."""
    for group in groups:
        yield f"LoCoMo, conversations {group.name}: {', '.join(group.talks)}; {group.turns:,} turns"
        kinds = ", ".join(f"{number} {label}" for label, number in group.by_category.items())
        yield (
            f"{group.questions} questions ({kinds}); {group.unanswered} more have no evidence that is there; "
            f"{group.unknown_ids} ids of evidence name no turn"
        )
        yield f"{'recall in percent (95 % of resamples)':34}" + "".join(f"{name:>22}" for name in group.ways[0].at)
        for way in group.ways:
            yield f"{way.name:34}" + "".join(f"{mean!s:>22}" for mean in way.at.values())
        yield f"{'at 5, by category':34}" + "".join(f"{label:>22}" for label in CATEGORIES.values())
        for way in group.ways:
            yield f"{way.name:34}" + "".join(f"{mean!s:>22}" for mean in way.categories.values())
        if group.name == "reported":
            yield from _targets(group.ways[0])
        yield from _shown_gains(group.gains)
        for each in group.phases:
            yield (
                f"two phases against all units, {each.where} ({each.units:,} at most): {each.changed} of "
                f"{each.questions} answers differ; evidence lost within 10: {each.lost_at_10} (gained "
                f"{each.gained_at_10}), within 25: {each.lost_at_25} (gained {each.gained_at_25})"
            )
        yield ""


def _targets(way: Way) -> Iterator[str]:
    reached = {**way.at, "multi-hop at 5": way.categories["multi-hop"]}
    for name, least in TARGETS.items():
        met = "met" if reached[name].value >= least else "MISSED"
        yield f"target: {name} at least {least}: {reached[name]} ({met})"


def _shown_gains(gains: Sequence[Gain]) -> Iterator[str]:
    if gains:
        yield f"{'points that a part brings':46}{'at 5':>22}{'at 10':>22}{'multi-hop at 5':>22}"
    for each in gains:
        columns = "".join(f"{mean!s:>22}" for mean in (each.at_5, each.at_10, each.multi_hop_at_5))
        yield f"{each.part:46}{columns}"


def as_plain(groups: Sequence[Group]) -> list[dict[str, object]]:
    """Return the figures as JSON holds them."""
    return [asdict(each) for each in groups]
