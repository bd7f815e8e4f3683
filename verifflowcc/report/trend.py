"""How a sprint went: criteria passed and requirements verified after each of its events, as points of a step line."""

from collections.abc import Collection, Mapping, Sequence

from verifflowcc.domain.events import Event, EventType
from verifflowcc.formats import events_payload as fields
from verifflowcc.records import dataclass

Proofs = Mapping[str, Mapping[str, bool]]
"""Evidence id → the items that its results speak of, each with whether all of their tests passed."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The figures after one event. A stage that is reopened takes its criteria back."""

    event: str
    time: str
    type: str
    criteria_passed: int
    requirements_verified: int


@dataclass(frozen=True, slots=True)
class TrendLine:
    """One figure as a step line in a plane of `width` by `height` units; `points` is the attribute of an SVG line."""

    points: str
    last: int
    most: int
    end_y: int


def trend_of(
    sprints: Sequence[Sequence[Event]], proofs: Proofs, requirements: Collection[str]
) -> tuple[TrendPoint, ...]:
    """Return a point for each event of the sprints, one sprint behind the other, parents before children.

    `requirements` are the ids that count as such. Of each criterion the latest evidence counts, as it was when it was
    added; what a sprint reached stays when the next begins, until its own evidence of the same name replaces it.
    """
    passed: dict[tuple[int, str], int] = {}
    shown: dict[tuple[str, str], Mapping[str, bool]] = {}
    points = []
    for place, event in ((place, event) for place, ordered in enumerate(sprints) for event in ordered):
        stage = event.payload.get("stage")
        name = stage if isinstance(stage, str) else ""
        if event.type is EventType.STAGE_PASSED:
            gate = fields.records(event.payload, "gate") if "gate" in event.payload else ()
            passed[place, name] = sum(each.get("verdict") == "pass" for each in gate)
        elif event.type is EventType.STAGE_REOPENED:
            passed.pop((place, name), None)
        elif event.type is EventType.EVIDENCE_ADDED:
            evidence = str(event.payload.get("evidence", ""))
            if evidence in proofs:
                shown[(name, str(event.payload.get("criterion", "")))] = proofs[evidence]
        points.append(
            TrendPoint(event.id, event.time, str(event.type), sum(passed.values()), _verified(shown, requirements))
        )
    return tuple(points)


def _verified(shown: Mapping[tuple[str, str], Mapping[str, bool]], requirements: Collection[str]) -> int:
    worst: dict[str, bool] = {}
    for items in shown.values():
        for item, good in items.items():
            worst[item] = worst.get(item, True) and good
    return sum(good for item, good in worst.items() if item in requirements)


def step_line(counts: Sequence[int], width: int, height: int) -> TrendLine:
    """Return the counts as a step line from the lower left corner; one event takes one step.

    >>> step_line([0, 2], 10, 20).points
    '0,20 5,20 5,0 10,0'
    """
    most = max([*counts, 1])
    step = width / max(len(counts), 1)
    points: list[str] = []
    y = height
    for place, count in enumerate(counts):
        y = round(height - height * count / most)
        points += (f"{round(place * step)},{y}", f"{round((place + 1) * step)},{y}")
    return TrendLine(" ".join(dict.fromkeys(points)), counts[-1] if counts else 0, max(counts, default=0), y)
