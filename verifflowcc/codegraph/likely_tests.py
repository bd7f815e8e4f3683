"""Tests that probably concern a change, though no reference is seen: those that share most words with it.

Frameworks call by route, event or registration, so that many tests reach a change without naming it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from posixpath import basename

from verifflowcc.codegraph.affected_tests import TestFinder, TestText
from verifflowcc.codegraph.asked import Asked
from verifflowcc.codegraph.bind_queries import imported_by
from verifflowcc.codegraph.call_reach import Node
from verifflowcc.codegraph.rank_files import FileWeights, by_words, idf
from verifflowcc.codegraph.words import Wanted, words_in
from verifflowcc.domain.code_reach import AffectedTest
from verifflowcc.domain.graph import FILE, Mark, SearchedCode, outwards
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class LikelyWeights:
    """What each part of the evidence weighs; the best test by words has 1.0, and so has the best file.

    `body` is for a word of a changed body, 1.0 for one of a changed name; `share` is the largest share of the tests in
    the files looked at that is returned, `fewest` what is returned in any case, `least` the least score, as a share of
    the best one, `own` the least share of the best score by words.
    """

    body: float = 0.25
    file: float = 0.6
    names: float = 4.0
    imports: float = 0.5
    share: float = 0.2
    fewest: int = 8
    most: int = 250
    least: float = 0.35
    own: float = 0.15


FILES = 60
"""Tests of so many of the best files are looked at."""
SURE = 50
"""The confidence of a test by its words alone: possible, not known."""
_KEYWORDS = frozenset(
    word
    for text in (
        "def return self class else elif while import from none true false func function const let var this new async"
        " await int str bool string None null undefined pub impl struct fn nil err error try except catch raise throw"
        " public private static void final export default package type interface assert test"
    ).split()
    for word in words_in(text)
)
_LINES = 60
"""So many lines of a changed definition give words."""
_STEM = ("test_", "_test", ".test", ".spec", "_spec", "Test", "Tests")


def likely_tests(
    finder: TestFinder,
    code: SearchedCode,
    changed: Sequence[Node],
    known: Collection[str],
    weights: LikelyWeights | None = None,
) -> tuple[AffectedTest, ...]:
    """Return tests that are not `known`, by id, best first: those whose words are most like the changed code's."""
    by = weights or LikelyWeights()
    wanted = _words_of(code, changed, by)
    if not wanted:
        return ()
    files = _files(code, changed, wanted, by)
    texts = [text for path in files for text in finder.texts(path)]
    if not texts:
        return ()
    scores = _scores(texts, wanted, by)
    best = max(scores) or 1.0
    total = {
        text.test.id: (score / best + by.file * files[text.test.path], text.test)
        for text, score in zip(texts, scores, strict=True)
        if score >= by.own * best
    }
    ordered = sorted(total.values(), key=lambda pair: (-pair[0], pair[1].path, pair[1].name))
    limit = min(max(int(by.share * len(texts)), by.fewest), by.most)
    top = ordered[0][0] if ordered else 0.0
    found = [test for score, test in ordered[:limit] if score >= by.least * top and test.id not in known]
    return tuple(
        AffectedTest(each.path, each.name, each.language, 0, 50, "shares words with the change") for each in found
    )


def _words_of(code: SearchedCode, changed: Iterable[Node], by: LikelyWeights) -> dict[str, float]:
    found: dict[str, float] = {}
    for path, place in changed:
        stem = basename(path).partition(".")[0]
        for word in words_in(stem):
            found[word] = max(found.get(word, 0.0), 0.5)
        if place == FILE:
            continue
        definitions = code.head(path).definitions
        each = definitions[place]
        names = [each.name, *(definitions[outer].name for outer in outwards(definitions, place))]
        if each.owner:
            names.append(each.owner)
        for number, name in enumerate(names):
            for word in words_in(name):
                found[word] = max(found.get(word, 0.0), 0.6 if number else 1.0)
        lines = (code.text(path) or b"").decode("utf-8", "replace").split("\n")[each.line - 1 : each.end][:_LINES]
        for word in words_in("\n".join(lines)):
            if word not in _KEYWORDS:
                found.setdefault(word, by.body)
    return found


def _files(
    code: SearchedCode, changed: Iterable[Node], wanted: Mapping[str, float], by: LikelyWeights
) -> dict[str, float]:
    """Return the best test files with their scores, the best 1.0: by words, by name, and by what they import."""
    tests = {path for path, file in code.files.items() if Mark.TEST in file.marks and file.language}
    scores = {
        path: score
        for path, score in by_words(Asked(wanted, frozenset(), frozenset()), code, FileWeights()).items()
        if path in tests
    }
    most = max(scores.values(), default=0.0) or 1.0
    for path in sorted({path for path, _ in changed}):
        importing = {each.path for each in imported_by(code, path)}
        stem = basename(path).partition(".")[0]
        named = {each for each in tests if _plain(basename(each)) == stem}
        for each in sorted((importing | named) & tests):
            scores[each] = scores.get(each, 0.0) + by.imports * most * (2 if each in named else 1)
    ordered = sorted(scores, key=lambda path: (-scores[path], path))[:FILES]
    best = scores[ordered[0]] if ordered else 1.0
    return {path: scores[path] / best for path in ordered}


def _plain(name: str) -> str:
    stem = name.partition(".")[0]
    for mark in _STEM:
        stem = stem.removeprefix(mark) if mark.endswith("_") else stem.removesuffix(mark)
    return stem


def _scores(texts: Sequence[TestText], wanted: Mapping[str, float], by: LikelyWeights) -> list[float]:
    reader = Wanted(wanted)
    counted = []
    holding: dict[str, int] = {}
    for text in texts:
        counts, length = reader.counts(text.text)
        named = set(words_in(text.test.name))
        counted.append((counts, named, length))
        for word in counts.keys() | (named & wanted.keys()):
            holding[word] = holding.get(word, 0) + 1
    mean = sum(length for _, _, length in counted) / len(counted) or 1.0
    rarity = {word: wanted[word] * idf(number, len(texts)) for word, number in holding.items()}
    scores = []
    for counts, named, length in counted:
        norm = 0.5 + 0.5 * length / mean
        score = 0.0
        for word in sorted(counts.keys() | (named & wanted.keys())):
            count = counts.get(word, 0) / norm + by.names * (word in named)
            score += rarity[word] * count / (count + 2.0)
        scores.append(score)
    return scores
