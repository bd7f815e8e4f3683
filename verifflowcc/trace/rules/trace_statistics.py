"""Coverage of the trace: per type and per verification method, with denominators.

Planned items stand apart and are in no denominator. Where there is nothing to count, a share is no number.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.item_state import ItemCoverage, TraceCoverage
from verifflowcc.trace.rules.trace_view import TraceView

# The order in which types are shown: from the top of the V down, then those that have no level.


def type_order(policy: TracePolicy, name: str) -> tuple[int, int, str]:
    """Return a sort key of types: level, workflow order, name; unknown ones last."""
    rule = policy.types.get(name)
    if rule is None:
        return (1_000_001, 0, name)
    place = list(policy.types).index(name)
    return (1_000_000 if rule.level is None else rule.level, place, name)


NO_METHOD = "none asked"


@dataclass(frozen=True, slots=True)
class CoverageShare:
    """`met` of `of`."""

    met: int
    of: int

    @property
    def per_mille(self) -> int | None:
        """Thousandths, rounded down, so that only all is 1000.

        None where there is nothing to evaluate.

        >>> [CoverageShare(met, 3).per_mille for met in (0, 2, 3)], Share(0, 0).per_mille
        ([0, 666, 1000], None)
        """
        return self.met * 1000 // self.of if self.of else None

    @property
    def whole(self) -> bool:
        """Whether there is something, and all of it is met."""
        return 0 < self.of == self.met


@dataclass(frozen=True, slots=True)
class CoverageGroup:
    """The items of a type, of a method, or all.

    `items` counts those that are asked: neither retired nor `planned`; `drafts` are among them. `shallow` have what
    they need right below them, and something that could show them; `deep` have it all the way down, `waiting` counts
    those that lack only what is planned below. `verified` are shown by their declared method, on this content, out of
    those that have one. `proven` hold all the way down: they and all below them are shown, out of all `items`.
    """

    name: str
    items: int
    planned: int
    """Excluded because they are planned."""
    drafts: int
    """How many of the counted ones are drafts."""
    shallow: CoverageShare
    """Items with an answer directly below."""
    deep: CoverageShare
    """Items answered all the way down."""
    waiting: int
    """Items not deep only because of planned ones."""
    verified: CoverageShare
    """Items that are shown."""
    proven: CoverageShare
    """Items shown all the way down."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Coverage per type, per method, and of all items.

    Types begin at the top of the V, methods are by name; `retired` items are in none.
    """

    types: tuple[CoverageGroup, ...]
    methods: tuple[CoverageGroup, ...]
    total: CoverageGroup
    retired: int

    @property
    def evaluable(self) -> bool:
        """Whether there is any item that is not retired, planned or not."""
        return self.total.items + self.total.planned > 0


def statistics(view: TraceView, types: Iterable[str] = ()) -> Statistics:
    """Return the coverage of all items, or of those of some types.

    What is below them counts whatever its type.
    """
    wanted = frozenset(types)
    coverages = TraceCoverage(view)
    live = [coverages.of(item) for item in view.live if not wanted or item.type in wanted]
    by_type = _split(live, lambda each: each.item.type)
    by_method = _split(live, lambda each: each.method or NO_METHOD)
    return Statistics(
        tuple(
            _group(name, by_type[name], coverages)
            for name in sorted(by_type, key=lambda name: type_order(view.policy, name))
        ),
        tuple(_group(name, by_method[name], coverages) for name in sorted(by_method)),
        _group("all", live, coverages),
        sum(item.status is Status.ARCHIVED and (not wanted or item.type in wanted) for item in view.items),
    )


def _group(name: str, members: list[ItemCoverage], coverages: TraceCoverage) -> CoverageGroup:
    asked = [each for each in members if not each.planned]
    answered = [each for each in asked if each.answered]
    deep = [each for each in answered if each.item.id not in coverages.open_below]
    methodical = [each for each in asked if each.method is not None]
    return CoverageGroup(
        name,
        items=len(asked),
        planned=len(members) - len(asked),
        drafts=sum(each.item.status is Status.PENDING for each in asked),
        shallow=CoverageShare(len(answered), len(asked)),
        deep=CoverageShare(len(deep), len(asked)),
        waiting=sum(each.item.id not in coverages.lacking_below for each in answered) - len(deep),
        verified=CoverageShare(sum(each.shown for each in methodical), len(methodical)),
        proven=CoverageShare(sum(coverages.proven(each) for each in asked), len(asked)),
    )


def _split(members: Iterable[ItemCoverage], name: Callable[[ItemCoverage], str]) -> dict[str, list[ItemCoverage]]:
    found: dict[str, list[ItemCoverage]] = defaultdict(list)
    for each in members:
        found[name(each)].append(each)
    return found
