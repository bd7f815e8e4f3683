"""What a turn says that may be worth keeping, before anybody decided that it is kept."""

from enum import StrEnum
from functools import lru_cache
from typing import Literal

from verifflowcc.base.model.item_values import Item, Ref
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

StreamName = Literal["user", "project"]
QUOTE = "quote"
"""The detail of an item in a model's words that has the sentence as it was written."""

BEFORE = "before"
"""The detail of an item whose text begins in an earlier turn: the id of that turn."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the gate saw in a turn: how often each kind of sign is there. `worth` says whether to look closer."""

    code: int = 0
    error: int = 0
    decision: int = 0
    change: int = 0

    @property
    def worth(self) -> bool:
        """Whether there is any sign at all."""
        return bool(self.code or self.error or self.decision or self.change)


# Whether a turn is worth a closer look: signs of code, of an error, of a decision or a rule, of a change.

_CODE_MARKS = lazy_pattern(
    r"```|`[^`\n]{1,80}`|\b\w{1,60}\(\)|\b[a-z]{1,40}_[a-z_]{1,40}\b|\b[\w/]{1,80}\.(?:py|js|ts|go|rs|"
    r"java|md|ya?ml|toml|json|sql|sh)\b"
)
_WORD = lazy_pattern(r"[a-z]+(?:'[a-z]+)?")
_KINDS = (
    lazy_pattern(
        r"(?:function|method|class|variable|argument|parameter|attribute|module|decorator|docstring|"
        r"import|annotation|commit|branch|repository|"
        r"database|api|endpoint|deploy|linter|formatter|ide|test)(?:e?s)?"
    ),
    lazy_pattern(
        r"\w*(?:error|exception)s?|traceback|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|bugs?|broken|"
        r"segfault|timeout|panic|regression|"
        r"fix(?:ed|es)?|solved|resolved|workaround"
    ),
    lazy_pattern(
        r"all|every|each|decid\w+|decisions?|agreed?|chose|chosen|settled?|always|never|must|should|shall|needs?|"
        r"requires?|prefer\w*|likes?|wants?|avoid\w*|refrain|"
        r"conventions?|standards?|polic(?:y|ies)|rules?|guidelines?|ensure|please|remember|let's|"
        r"important|recommend\w*|suggest\w*|us(?:e|es|ed|ing)|"
        r"assum\w+|deadline|due|goal|usually|typically|audience|clients?|customers?|target|don't|not|no|"
        r"only|focus|aim|questions?|approver|tone|company|"
        r"teams?|i|i'\w+|my|me|we|we'\w+|our|us|works?|working|with|is|are|loves?|hates?|trying|hopes?|"
        r"plans?|rather|keep|make|stop|be|explain|answer|"
        r"reply|show|call|runs?|lives?|written|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    ),
    lazy_pattern(
        r"instead|longer|switch\w*|chang(?:e[ds]?|ing)|updat(?:e[ds]?|ing)|replac\w+|migrat\w+|"
        r"deprecat\w+|forward|now|henceforth|onwards?|renam\w+|moved|moving|"
        r"drop(?:ped|ping)?|anymore|new"
    ),
)


def signals_of(text: str) -> Signals:
    """Return how often a text shows each sign.

    >>> signals_of("We decided to drop `utils.py`."), signals_of("Good morning!").worth
    (Signals(code=1, error=0, decision=2, change=1), False)
    """
    counts = [sum(1 for _ in _CODE_MARKS.finditer(text)), 0, 0, 0]
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        for kind in _signs_of(word):
            counts[kind] += 1
    return Signals(*counts)


@lru_cache(maxsize=20_000)
def _signs_of(word: str) -> tuple[int, ...]:
    return tuple(place for place, pattern in enumerate(_KINDS) if pattern.fullmatch(word))


@dataclass(frozen=True, slots=True)
class StatementCandidate:
    """A statement out of a turn, as it would become an item.

    `layer` is whose it is, `certainty` (thousandths) how sure that is. `content` is the sentence as it was written; one
    in a model's words has the original among the `details`. `key` is the same for all statements of one subject and
    aspect within a layer and type, so that the newest of them holds. `subject` and `value` are normal forms: what is
    spoken of and what is said of it (`function-names`, `start:a_`); `negated` that it is said not to be so. `rewritten`
    says that the sentence has a qualifier (a negation, a condition …) which this form has not, or in other words: it
    may be wrong. `importance` and `confidence` in thousandths. `turn` is the id of the turn.
    """

    layer: StreamName
    type: str
    key: str
    title: str
    content: str
    importance: int
    confidence: int
    certainty: int
    subject: str
    value: str
    turn: str
    negated: bool = False
    refs: tuple[Ref, ...] = ()
    tags: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    rewritten: bool = False
    corrects: bool = False
    """Whether it is kept only where it takes the place of something that is held."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one turn gave. `ambiguous` says that a model, where there is one, should be asked about this turn.

    `language` is that of a turn which the rules do not read.
    """

    signals: Signals
    candidates: tuple[StatementCandidate, ...]
    ambiguous: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class KeptStatement:
    """An item that is kept, as far as a new statement is compared with it."""

    item: Item
    subject: str
    value: str
    negated: bool
    fingerprint: str
    text: str = ""


class MatchKind(StrEnum):
    """How a candidate relates to the items that exist."""

    NEW = "new"
    SAME = "same"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class CandidateMatch:
    """The relation of a candidate to existing items.

    `others` are the ids that it repeats, replaces or contradicts.

    `asks` says that a person should confirm that it replaces them.
    """

    outcome: MatchKind
    others: tuple[str, ...] = ()
    why: str = ""
    asks: bool = False
