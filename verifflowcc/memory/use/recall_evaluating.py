"""Measure recall: ask memory questions whose answers are known, and see at which rank they are found."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.recall_values import DEFAULT_LIMIT, RecallQuery
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.recall_evaluation import (
    Expectation,
    LabelledQuestion,
    basis_points,
    mean_reciprocal_rank,
    recall_at,
    worst_first,
)
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.use.item_search import read_as_of
from verifflowcc.memory.use.searching import search
from verifflowcc.memory.use.stores import open_store

Scopes = Callable[[str | None], Sequence[str]]
Place = tuple[str, str]
"""An item: its scope and its path."""

MANY_NAMES = 20_000
"""Among more, the one most like a mistyped one takes seconds to find."""


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """An item that was expected: as it was named, its rank from 1, None where it is not among the best.

    `invalid_reason` is why it holds no more, so that only a question with `all` finds it; else empty.
    """

    name: str
    rank: int | None
    """Null if it was not found."""
    invalid_reason: str = ""


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """A question of the file, with its line there and its answers."""

    question: str
    line: int
    """Its line in the file."""
    answers: tuple[ExpectedAnswer, ...]


@dataclass(frozen=True, slots=True)
class RecallAt:
    """Recall at a k, in basis points: hundredths of a percent, cut."""

    k: int
    recall: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured: recall at each k, ascending, and the mean reciprocal rank, in basis points.

    `questions` are the questions, worst first. `at_k` is the k that is compared with `minimum`; None: with nothing.
    `depth` is how many of the best were looked at. `reached` says whether recall at that k is not below.
    """

    questions: tuple[QuestionResult, ...]
    """Worst first."""
    recall: tuple[RecallAt, ...]
    reciprocal_rank: int
    depth: int
    """How many of the best were looked at."""
    at_k: int
    """The k that counts."""
    minimum: int | None
    """The required recall, or null."""
    reached: bool
    notices: tuple[str, ...]

    @property
    def measured(self) -> RecallAt:
        """Recall at the k that counts."""
        return next(each for each in self.recall if each.k == self.at_k)


@dataclass(frozen=True, slots=True)
class _PreparedQuestion:
    """A question with the scopes in which it is asked, and for each expectation the items that it names."""

    labelled: LabelledQuestion
    scopes: tuple[str, ...]
    named: tuple[frozenset[Place], ...]


def evaluate(
    workspace: Workspace | None,
    queries: Sequence[LabelledQuestion],
    scopes: Scopes,
    *,
    file: str,
    ks: Sequence[int],
    at: int,
    least: Fraction | None = None,
) -> Evaluation:
    """Ask every question of a file and return how well its answers were found; `at` is one of `ks`.

    Only direct hits count. `scopes` returns the scopes of a name, None being where a question looks that names none.
    Raises FormatError, with every problem as `file:line: …`, where an expectation names no item that there is in the
    scopes, or none that its question could find, and where a scope or a day is none: then nothing was asked.
    """
    known = _ScopeNames(workspace)
    ready = _ready(queries, scopes, known, file)
    limit = max(*ks, DEFAULT_LIMIT)
    asked: list[QuestionResult] = []
    notices: list[str] = []
    for each in observed("asking questions", ready):
        ranks, messages = _ranks(workspace, each, limit)
        notices += messages
        answers = (
            ExpectedAnswer(expected.name, rank, "" if rank else known.invalid_reason(each.labelled, named))
            for expected, rank, named in zip(each.labelled.expect, ranks, each.named, strict=True)
        )
        asked.append(QuestionResult(each.labelled.question, each.labelled.line, tuple(answers)))
    found = [[answer.rank for answer in each.answers] for each in asked]
    return Evaluation(
        questions=tuple(asked[place] for place in worst_first(at, found)),
        recall=tuple(RecallAt(k, basis_points(recall_at(k, found))) for k in ks),
        reciprocal_rank=basis_points(mean_reciprocal_rank(found)),
        depth=limit,
        at_k=at,
        minimum=None if least is None else basis_points(least),
        reached=least is None or recall_at(at, found) >= least,
        notices=tuple(dict.fromkeys(notices)),
    )


def _ranks(
    workspace: Workspace | None, ready: _PreparedQuestion, limit: int
) -> tuple[list[int | None], tuple[str, ...]]:
    """The rank of each expectation, the best of the items that it names, and what the search has to say."""
    of = ready.labelled
    recalled = search(
        workspace, ready.scopes, RecallQuery(of.question, limit, of.everything, of.files, of.types, of.as_of)
    )
    direct = [(hit.scope, hit.item.path) for hit in recalled.hits if hit.via is None]
    ranks = [next((rank for rank, hit in enumerate(direct, 1) if hit in named), None) for named in ready.named]
    return ranks, recalled.notices


def _ready(
    queries: Sequence[LabelledQuestion], scopes: Scopes, known: "_ScopeNames", file: str
) -> list[_PreparedQuestion]:
    """Every question with what it names. Raises FormatError with all that is wrong."""
    problems: list[str] = []
    ready: list[_PreparedQuestion] = []
    for each in queries:
        try:
            within = tuple(scopes(each.scope))
            read_as_of(each.as_of)
        except UsageError as error:
            problems.append(f"{file}:{each.line}: {error.message}")
            continue
        named = [known.named(within, expected.name) for expected in each.expect]
        problems += [f"{file}:{line}: {reason}" for line, reason in _wrong(each, within, named, known)]
        ready.append(_PreparedQuestion(each, within, tuple(map(frozenset, named))))
    if problems:
        raise FormatError("\n".join(problems), hint="vfcc memory list --all")
    return ready


def _wrong(
    query: LabelledQuestion, scopes: Sequence[str], named: Sequence[Mapping[Place, Item]], known: "_ScopeNames"
) -> Iterator[tuple[int, str]]:
    """What makes a question one that cannot be answered, or an answer one that counts twice, with the line."""
    seen: dict[Place, Expectation] = {}
    for expected, items in zip(query.expect, named, strict=True):
        types = sorted({item.type for item in items.values()})
        if not items:
            yield expected.line, f"there is no item {expected.name}{known.nearest(scopes, expected.name)}"
        elif query.types and not set(types) & set(query.types):
            yield expected.line, f"{expected.name} is of type {' or '.join(types)}, and the question asks for others"
        again = next((seen[place] for place in items if place in seen), None)
        if again:
            yield expected.line, f"{expected.name} and {again.name} name the same item"
        seen |= dict.fromkeys(items, expected)


class _ScopeNames:
    """The items of scopes, by all their names; each scope is read once."""

    def __init__(self, workspace: Workspace | None) -> None:
        self._workspace = workspace
        self._names: dict[str, dict[str, dict[Place, Item]]] = {}
        self._left_out: dict[str, Mapping[str, str]] = {}

    def named(self, scopes: Sequence[str], name: str) -> dict[Place, Item]:
        """The items of scopes that a name can mean."""
        found: dict[Place, Item] = {}
        for scope in scopes:
            found |= self._of(scope).get(name, {})
        return found

    def nearest(self, scopes: Sequence[str], name: str) -> str:
        """Where no item has a name: the scope, if it is one, and the nearest name that there is, as a clause."""
        names = {each for scope in scopes for each in self._of(scope)}
        where = f" in {scopes[0]} memory" if len(scopes) == 1 else " here"
        near = nearest(name, names) if len(names) <= MANY_NAMES else None
        return f"{where}; did you mean {near}?" if near else where

    def invalid_reason(self, query: LabelledQuestion, places: frozenset[Place]) -> str:
        """Why none of some items is in force; empty where one is.

        A question is not answered with items that are out of force.
        """
        if query.everything or query.as_of:
            return ""
        reasons = [self._left_out[scope].get(path, "") for scope, path in sorted(places)]
        return reasons[0] if all(reasons) else ""

    def _of(self, scope: str) -> Mapping[str, dict[Place, Item]]:
        if scope not in self._names:
            with open_store(self._workspace, scope) as store:
                items = store.items()
            names: dict[str, dict[Place, Item]] = {}
            for item in items:
                for name in _names(item):
                    names.setdefault(name, {})[scope, item.path] = item
            self._names[scope] = names
            self._left_out[scope] = excluded_items(items).left_out
        return self._names[scope]


def _names(item: Item) -> frozenset[str]:
    """All names by which a file of questions can mean an item: its id, key, path, and the file's name."""
    file = item.path.rpartition("/")[2]
    own = (item.id, item.key or item.id, item.path, file)
    return frozenset(name for each in own for name in (each, each.removesuffix(".md")))
