"""Which pieces of evidence speak for a criterion."""

from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Facts, Recorded
from verifflowcc.domain.gates import Criterion
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Chosen:
    """The evidence of one criterion: `latest` are those after which there is no other, several only where branches
    were merged; `earlier` those that were opened of the rest, oldest first.
    """

    latest: tuple[Recorded, ...]
    earlier: tuple[Evidence, ...]


def chosen(criterion: Criterion, stage_id: str, facts: Facts) -> Chosen:
    """Return the evidence recorded for a criterion of a stage."""
    mine = [one for one in facts.recorded if one.criterion == criterion.id and one.stage == stage_id and one.order >= 0]
    earlier = tuple(one.evidence for one in mine if one.evidence and not one.problem and not one.latest)
    return Chosen(tuple(one for one in mine if one.latest), earlier)


def id_of(recorded: Recorded) -> str:
    """Return the id of a recorded piece of evidence, also where it cannot be read."""
    return recorded.path.rpartition("/")[2].removesuffix(".json")
