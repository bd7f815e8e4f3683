"""The parts of how recall scores, each of which can be switched off alone, to see what it brings.

A part is switched off by the number or function that it hangs on, as long as it takes to ask all questions. Where it is
about how texts are read, the texts are indexed anew without it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from verifflowcc.base.model.recall_values import FIELDS, Corpus
from verifflowcc.base.text import stems
from verifflowcc.memory.rules import recall_ranking as factors
from verifflowcc.memory.rules import recall_scoring as question
from verifflowcc.memory.rules import recall_scoring as scoring
from verifflowcc.memory.rules import recall_scoring as units
from verifflowcc.memory.rules.recall_scoring import QuestionTerms
from verifflowcc.memory.store import recall_index as recall_words
from verifflowcc.memory.use import search_fields as finding

Off = Callable[[], AbstractContextManager[object]]
EVERY = 1_000_000
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True)
class Part:
    """A part: what it is, how it is switched off, and whether texts have to be read anew for that."""

    name: str
    off: Off
    reads: bool = False


def parts() -> list[Part]:
    """Return all parts."""
    return [
        Part("turns beside (NEAR, FAR, ASKED)", lambda: patch.multiple(scoring, NEAR=0, FAR=0, ASKED=0)),
        Part("turns two away (FAR)", lambda: patch.object(scoring, "FAR", 0)),
        Part("a turn that asks before (ASKED)", lambda: patch.object(scoring, "ASKED", 0)),
        Part("the best of the session (THREAD)", lambda: patch.object(scoring, "THREAD", 0)),
        Part("turns of whom is named (SPEAKER)", lambda: patch.object(scoring, "SPEAKER", 100)),
        Part("names of speakers not looked for", _names_looked_for),
        Part("both: SPEAKER and names", _without_speakers),
        Part("turns that end asking count less (QUESTION)", lambda: patch.object(scoring, "QUESTION", 100)),
        Part("everyday words alike (ALIKE)", lambda: patch.object(scoring, "ALIKE", 0)),
        Part("turns that tell a time (TIME)", lambda: patch.object(scoring, "TIME", 100)),
        Part("the named date (MONTH, NEAR_DAY, YEAR)", lambda: patch.multiple(question, MONTH=0, NEAR_DAY=0, YEAR=0)),
        Part("words of the date as a field", lambda: _without_field("date")),
        Part("words of the title as a field", lambda: _without_field("title")),
        Part("words of the key or file name as a field", lambda: _without_field("key")),
        Part("the file's name in the place of a key", _without_file_names, reads=True),
        Part("the stemmer", lambda: _words_read(_stem=lambda word: word), reads=True),
        Part("irregular forms", lambda: _words_read(_IRREGULAR={}), reads=True),
        Part("hyphened words also as one", lambda: _words_read(_HYPHENED=_NEVER), reads=True),
        Part("common words left out", lambda: _words_read(_COMMON=frozenset()), reads=True),
        Part("recency (RECENCY)", lambda: patch.object(factors, "RECENCY", 0)),
        Part(
            "importance, confidence, uses", lambda: patch.multiple(factors, IMPORTANCE=0, CONFIDENCE=0, USES=0)
        ),
    ]  # fmt: skip


def all_scored() -> AbstractContextManager[object]:
    """Score every unit in which a word of the question is, instead of the best of the first phase."""
    return _together(patch.object(finding, "CANDIDATES", EVERY), patch.object(recall_words, "MOST_ROWS", 100 * EVERY))


@contextmanager
def _together(*each: AbstractContextManager[object]) -> Iterator[None]:
    with ExitStack() as stack:
        for one in each:
            stack.enter_context(one)
        yield


def _names_looked_for() -> AbstractContextManager[object]:
    def wanted(asked: QuestionTerms, corpus: Corpus, _: frozenset[str]) -> Mapping[str, int]:
        return as_it_is(asked, corpus, frozenset())

    as_it_is = scoring.wanted
    return _together(patch.object(scoring, "wanted", wanted), patch.object(finding, "wanted", wanted))


def _without_speakers() -> AbstractContextManager[object]:
    return _together(patch.object(scoring, "SPEAKER", 100), _names_looked_for())


def _without_field(name: str) -> AbstractContextManager[object]:
    weights = tuple(0 if each == name else weight for each, weight in zip(FIELDS, scoring.WEIGHTS, strict=True))
    return _together(patch.object(scoring, "WEIGHTS", weights), patch.object(finding, "WEIGHTS", weights))


def _without_file_names() -> AbstractContextManager[object]:
    return patch.object(units, "_file_of", lambda item: "")


@contextmanager
def _words_read(**instead: object) -> Iterator[None]:
    caches = (stems._stems_of, stems._stem)
    for cache in caches:
        cache.cache_clear()
    with _together(*(patch.object(stems, name, value) for name, value in instead.items())):
        yield
    for cache in caches:
        cache.cache_clear()
