"""Which files bear on a task: words in path, names and text (BM25 over fields), names and paths as they stand, what
imports what (personalised PageRank), and, where it is known, what changed of late.

Sums, products and quotients alone, but for rounded logarithms: the same on every machine.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from verifflowcc.codegraph.asked import Asked
from verifflowcc.codegraph.words import words_in
from verifflowcc.domain.graph import Mark, SearchedCode
from verifflowcc.records import dataclass, field


@dataclass(frozen=True, slots=True)
class FileWeights:
    """What each part of the evidence weighs; the best file by words has 1.0.

    `path`, `names` and `text` are the fields of BM25, `saturation` its k1, `length` its b. `links` is for PageRank,
    `recency` for what changed of late, `exact` for a file that defines a name of the task as it stands, `spoken` for
    one whose path or name stands in the task. `marked` is what is left of a file that has a mark.
    """

    path: float = 3.0
    names: float = 2.0
    text: float = 1.0
    saturation: float = 1.2
    length: float = 0.4
    links: float = 0.3
    recency: float = 0.3
    exact: float = 0.3
    spoken: float = 1.0
    marked: float = 0.3


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file with its score and the parts of it, by name."""

    path: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


STEPS, DAMPING = 5, 0.85


def rank_files(
    asked: Asked,
    code: SearchedCode,
    links: Mapping[str, Sequence[str]],
    recency: Mapping[str, float] | None = None,
    weights: FileWeights | None = None,
    *,
    unmarked: bool = False,
) -> list[RankedFile]:
    """Return the files that any evidence speaks for, best first, ties by path.

    `links` maps a file to the files that it imports, `recency` one to a number up to 1.0 for the last that changed.
    With `unmarked`, files with a mark (tests, vendored ones) count as the others do.
    """
    by = weights or FileWeights()
    parts: dict[str, dict[str, float]] = {"words": _top(by_words(asked, code, by))}
    parts["exact"] = _exact(asked, code)
    parts["spoken"] = _spoken(asked, code)
    seeds: dict[str, float] = {}
    for name, weight in (("words", 1.0), ("exact", by.exact), ("spoken", by.spoken)):
        for path, value in parts[name].items():
            seeds[path] = seeds.get(path, 0.0) + weight * value
    for path in seeds:
        seeds[path] *= _mark_factor(code, path, by, unmarked)
    parts["links"] = _top(page_rank(seeds, links))
    parts["recency"] = dict(recency or {})
    amounts = {"words": 1.0, "exact": by.exact, "spoken": by.spoken, "links": by.links, "recency": by.recency}
    found = []
    for path in sorted(seeds.keys() | parts["links"].keys()):
        said = {name: amounts[name] * value for name, given in parts.items() if (value := given.get(path, 0.0))}
        if said.keys() - {"recency"} and path in code.files:
            score = sum(said[name] for name in sorted(said)) * _mark_factor(code, path, by, unmarked)
            found.append(RankedFile(path, score, said))
    found.sort(key=lambda each: (-each.score, each.path))
    return found


def by_words(asked: Asked, code: SearchedCode, by: FileWeights) -> dict[str, float]:
    """Return path → BM25 over the fields path, names and text."""
    lengths = code.lengths()
    if not lengths or not asked.words:
        return {}
    mean = sum(lengths.values()) / len(lengths) or 1.0
    postings = code.postings(asked.words)
    in_paths: dict[str, list[str]] = {}
    for path in lengths:
        for word in path_words(path):
            if word in asked.words:
                in_paths.setdefault(word, []).append(path)
    scores: dict[str, float] = {}
    for word in sorted(asked.words):
        counts: dict[str, float] = {}
        for path, text, names in postings.get(word, ()):
            norm = 1.0 - by.length + by.length * lengths.get(path, 0) / mean
            counts[path] = (by.text * text + by.names * names) / norm
        for path in in_paths.get(word, ()):
            counts[path] = counts.get(path, 0.0) + by.path
        rarity = asked.words[word] * idf(len(counts), len(lengths))
        for path, count in counts.items():
            scores[path] = scores.get(path, 0.0) + rarity * count / (count + by.saturation)
    return scores


@lru_cache(maxsize=65_536)
def path_words(path: str) -> tuple[str, ...]:
    """Return the words of a path without its ending, each once."""
    return tuple(dict.fromkeys(words_in(path.rpartition(".")[0] or path)))


def idf(holding: int, of: int) -> float:
    """Return how much a word tells that so many texts of so many have; rounded, since logarithms differ by machine."""
    return round(math.log(1.0 + (of - holding + 0.5) / (holding + 0.5)), 3)


def page_rank(seeds: Mapping[str, float], links: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return path → how much of the seeds' weight comes by when it walks along the links, both ways, five steps."""
    total = sum(seeds[path] for path in sorted(seeds))
    if not total:
        return {}
    start = {path: seeds[path] / total for path in sorted(seeds)}
    around = _both_ways(links)
    rank = dict(start)
    for _ in range(STEPS):
        step = {path: (1.0 - DAMPING) * value for path, value in start.items()}
        for path in sorted(rank):
            near = around.get(path)
            share = DAMPING * rank[path] / len(near) if near else 0.0
            for other in near or ():
                step[other] = step.get(other, 0.0) + share
        rank = step
    return rank


def _both_ways(links: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    around: dict[str, set[str]] = {}
    for path, others in links.items():
        for other in others:
            if other != path:
                around.setdefault(path, set()).add(other)
                around.setdefault(other, set()).add(path)
    return {path: sorted(near) for path, near in around.items()}


def _exact(asked: Asked, code: SearchedCode) -> dict[str, float]:
    """Files that define names of the task: a name that many define says less of each."""
    found: dict[str, float] = {}
    for name in sorted(asked.names):
        paths = code.defining(name)
        for path in paths:
            found[path] = found.get(path, 0.0) + 1.0 / len(paths)
    return {path: min(1.0, value) for path, value in found.items()}


def _spoken(asked: Asked, code: SearchedCode) -> dict[str, float]:
    found: dict[str, float] = {}
    for given in sorted(asked.paths):
        wanted = given.strip("./")
        paths = [path for path in code.files if path == wanted or path.endswith(f"/{wanted}")]
        for path in paths:
            found[path] = max(found.get(path, 0.0), 1.0 / len(paths))
    return found


def _mark_factor(code: SearchedCode, path: str, by: FileWeights, unmarked: bool) -> float:
    each = code.files.get(path)
    return by.marked if each is not None and each.marks and not unmarked else 1.0


def _top(scores: Mapping[str, float]) -> dict[str, float]:
    """The same scores, the best of them 1.0."""
    best = max(scores.values(), default=0.0)
    return {path: value / best for path, value in scores.items()} if best else {}


def marks_of(code: SearchedCode, paths: Iterable[str]) -> frozenset[Mark]:
    """Return all marks of files."""
    return frozenset(mark for path in paths for mark in code.files[path].marks)
