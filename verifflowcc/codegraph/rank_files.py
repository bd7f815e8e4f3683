"""Which files bear on a task: words in path, names and text (BM25 over fields), names and paths as they stand, what
imports what (personalised PageRank), and a little for what others lean on and for size.

Sums, products and quotients alone, but for rounded logarithms: the same on every machine.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from verifflowcc.codegraph.asked import Asked
from verifflowcc.codegraph.links import FileGraph, page_rank
from verifflowcc.codegraph.words import Wanted, words_in
from verifflowcc.domain.graph import SearchedCode
from verifflowcc.records import dataclass, field


@dataclass(frozen=True, slots=True)
class FileWeights:
    """What each part of the evidence weighs; the best file by words has 1.0.

    `path`, `names` and `text` are the fields of BM25, `saturation` its k1, `length` its b. `links` is for PageRank from
    what the task speaks of, `central` for the same from everywhere, `size` for long files, which change more often;
    `exact` for a file that defines a name of the task as it stands, `spoken` for one whose path or name stands in the
    task. `marked` is what is left of a file that has a mark, `aside` of one that stands beside what the repository is
    about.
    """

    path: float = 10.0
    names: float = 3.0
    text: float = 0.5
    saturation: float = 6.0
    length: float = 0.35
    links: float = 0.3
    exact: float = 0.5
    spoken: float = 1.0
    central: float = 0.1
    size: float = 0.1
    marked: float = 0.3
    aside: float = 0.5


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file with its score and the parts of it, by name."""

    path: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


_PRIORS = frozenset({"central", "size"})
"""What speaks for a file whatever the task is; alone it does not bring one in."""
_ASIDE = re.compile(
    r"(?:^|/)(?:docs?|examples?|samples?|demos?|scripts?|tools?|bench(?:es|marks?)?|sandbox|playground)/"
    r"|(?:^|/)(?:setup\.py|(?:grunt|gulp)file\.[cm]?[jt]s|[^/]*\.conf(?:ig)?\.[cm]?[jt]s|\.[^/]*rc\.[cm]?js)$",
    re.IGNORECASE,
)
"""Code that stands beside what a repository is about: what shows, tries or builds it."""


def rank_files(
    asked: Asked,
    code: SearchedCode,
    graph: FileGraph,
    weights: FileWeights | None = None,
    *,
    unmarked: bool = False,
) -> list[RankedFile]:
    """Return the files that any evidence speaks for, best first, ties by path.

    With `unmarked`, files with a mark (tests, vendored ones) count as the others do.
    """
    by = weights or FileWeights()
    parts: dict[str, Mapping[str, float]] = {"words": _shares(by_words(asked, code, by))}
    parts["exact"] = _exact(asked, code)
    parts["spoken"] = _spoken(asked, code)
    seeds: dict[str, float] = {}
    for name, weight in (("words", 1.0), ("exact", by.exact), ("spoken", by.spoken)):
        for path, value in parts[name].items():
            seeds[path] = seeds.get(path, 0.0) + weight * value
    for path in seeds:
        seeds[path] *= _mark_factor(code, path, by, unmarked)
    walked = page_rank([seeds.get(path, 0.0) for path in graph.paths], graph.near)
    parts["links"] = _shares({path: value for path, value in zip(graph.paths, walked, strict=True) if value})
    parts["central"] = dict(zip(graph.paths, graph.central, strict=True))
    parts["size"] = _size(code)
    amounts = {
        "words": 1.0,
        "exact": by.exact,
        "spoken": by.spoken,
        "links": by.links,
        "central": by.central,
        "size": by.size,
    }
    found = []
    for path in sorted(seeds.keys() | parts["links"].keys()):
        said = {name: amounts[name] * value for name, given in parts.items() if (value := given.get(path, 0.0))}
        if said.keys() - _PRIORS and path in code.files:
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
    wanted = Wanted(asked.words)
    for path in lengths:
        for word in path_words(path) if wanted.may_be_in(path) else ():
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


def _size(code: SearchedCode) -> dict[str, float]:
    """How many words each file has, as a share of the digits of the longest: a long file is changed more often."""
    lengths = code.lengths()
    most = max((length.bit_length() for length in lengths.values()), default=0)
    return {path: length.bit_length() / most for path, length in lengths.items()} if most else {}


def _mark_factor(code: SearchedCode, path: str, by: FileWeights, unmarked: bool) -> float:
    each = code.files.get(path)
    if each is not None and each.marks and not unmarked:
        return by.marked
    return by.aside if _ASIDE.search(path) else 1.0


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    """The same scores, the best of them 1.0."""
    best = max(scores.values(), default=0.0)
    return {path: value / best for path, value in scores.items()} if best else {}
