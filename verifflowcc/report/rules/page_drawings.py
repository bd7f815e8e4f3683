"""The V of a workflow as places on a plane, for a drawing in SVG: boxes for stages, lines for legs and pairs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import Workflow
from verifflowcc.base.records import dataclass
from verifflowcc.sprint.rules.workflow_drawing import apex_of, v_levels
from verifflowcc.trace.rules.matrix import MatrixRow

# The items of a matrix as a tree, from needs down, in the order in which a page writes them.

DEEPEST = 24
"""Levels that are drawn; browsers flatten what is nested much deeper."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An item at a depth. `first` is false where the item was shown before: its answers are there.

    `opens` says that answers follow, `cut` that there are some that are not drawn. `closing` ends the lists that end
    behind it.
    """

    row: MatrixRow
    depth: int
    first: bool
    opens: bool
    cut: bool
    closing: str = ""


def tree_of(rows: Sequence[MatrixRow]) -> tuple[TreeNode, ...]:
    """Return each item once with its answers below it, and again, alone, below each further parent.

    Items in a circle, which have no top, come last, each circle from its first item.
    """
    by_id = {row.id: row for row in rows}
    tops = [row for row in rows if not any(end.id in by_id for end in row.parents)]
    seen: set[str] = set()
    nodes: list[TreeNode] = []
    for row in (*tops, *rows):
        if row.id not in seen:
            nodes += _below(row, by_id, seen)
    return tuple(_closed(nodes))


def _below(top: MatrixRow, by_id: Mapping[str, MatrixRow], seen: set[str]) -> Iterator[TreeNode]:
    waiting = [(top, 0)]
    while waiting:
        row, depth = waiting.pop()
        first = row.id not in seen
        seen.add(row.id)
        kids = [by_id[name] for name in dict.fromkeys(end.id for end in row.children) if name in by_id]
        kids = [each for each in kids if each.id != row.id] if first else []
        drawn = depth < DEEPEST
        yield TreeNode(row, depth, first, opens=bool(kids) and drawn, cut=bool(kids) and not drawn)
        if drawn:
            waiting += [(each, depth + 1) for each in reversed(kids)]


def _closed(nodes: Sequence[TreeNode]) -> Iterator[TreeNode]:
    for node, following in zip(nodes, (*nodes[1:], None), strict=True):
        after = following.depth if following else 0
        ends = range(node.depth - 1, after - 1, -1) if not node.opens else ()
        closing = "".join("</ul></details></li>" if depth == 0 else "</ul></li>" for depth in ends)
        yield TreeNode(node.row, node.depth, node.first, node.opens, node.cut, closing)


# How a sprint went: criteria passed and requirements verified after each of its events, as points of a step line.

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


def step_line(counts: Sequence[int], most: int, width: int, height: int) -> TrendLine:
    """Return the counts as a step line from the lower left corner, where `most` is at the top; an event is one step.

    >>> step_line([0, 2], 2, 10, 20).points
    '0,20 5,20 5,0 10,0'
    """
    step = width / max(len(counts), 1)
    points: list[str] = []
    for place, count in enumerate(counts):
        y = round(height - height * count / most)
        points += (f"{round(place * step)},{y}", f"{round((place + 1) * step)},{y}")
    return TrendLine(" ".join(dict.fromkeys(points)), counts[-1] if counts else 0)


BOX_HEIGHT = 44
_PITCH = 62
_MARGIN = 4
_LETTER = 8
"""Width of a letter of a stage's name, in the units of the drawing; text is cut to fit its box."""


@dataclass(frozen=True, slots=True)
class StageBox:
    """A stage's box: its upper left corner and its width. `name` is cut to the box, `stage` is whole."""

    stage: str
    name: str
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class VLine:
    """A line between two boxes; `pair` for one that joins a stage to the stage that answers it."""

    x1: int
    y1: int
    x2: int
    y2: int
    pair: bool


@dataclass(frozen=True, slots=True)
class VPicture:
    """A drawing of so many units; `lines` lie below the `boxes`."""

    width: int
    height: int
    boxes: tuple[StageBox, ...]
    lines: tuple[VLine, ...]


def v_picture(workflow: Workflow, width: int) -> VPicture:
    """Return the V in `width` units: as wide boxes as names need, and never wider than the two legs leave room for."""
    levels = v_levels(workflow)
    deepest = max(len(levels), 1)
    names = max(len(each.id) for each in workflow.stages) * _LETTER + 28
    box = min(names, (width - 2 * _MARGIN - 12) // 2 - 2 * (deepest - 1))
    step = (width // 2 - _MARGIN - box // 2) // deepest
    if deepest > 1:  # the lowest two boxes of the legs leave a gap between them
        step = min(step, (width // 2 - _MARGIN - box - 6) // (deepest - 1))
    boxes: dict[str, StageBox] = {}
    for depth, level in enumerate(levels):
        y = depth * _PITCH + _MARGIN
        if level.left:
            boxes[level.left] = _box(level.left, _MARGIN + depth * step, y, box)
        if level.right:
            boxes[level.right] = _box(level.right, width - _MARGIN - depth * step - box, y, box)
    bottom = deepest * _PITCH + _MARGIN
    apex = apex_of(workflow)
    boxes[apex] = _box(apex, (width - box) // 2, bottom, box)
    order = [each.id for each in workflow.stages]
    legs = [_leg(boxes[one], boxes[other]) for one, other in pairwise(order)]
    pairs = [_pair(boxes[each.left], boxes[each.right]) for each in levels if each.left and each.right]
    return VPicture(width, bottom + BOX_HEIGHT + _MARGIN, tuple(boxes[each] for each in order), (*legs, *pairs))


def _box(stage: str, x: int, y: int, width: int) -> StageBox:
    room = (width - 20) // _LETTER
    name = stage if len(stage) <= room else f"{stage[: room - 1]}…"
    return StageBox(stage, name, x, y, width)


def _leg(one: StageBox, other: StageBox) -> VLine:
    """From the lower edge of the upper box to the upper edge of the lower one, whichever comes first."""
    upper, lower = (one, other) if one.y <= other.y else (other, one)
    return VLine(upper.x + upper.width // 2, upper.y + BOX_HEIGHT, lower.x + lower.width // 2, lower.y, pair=False)


def _pair(left: StageBox, right: StageBox) -> VLine:
    y = left.y + BOX_HEIGHT // 2
    return VLine(left.x + left.width, y, right.x, y, pair=True)
