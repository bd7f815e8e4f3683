"""The V of a workflow as places on a plane, for a drawing in SVG: boxes for stages, lines for legs and pairs."""

from itertools import pairwise

from verifflowcc.domain.sprints import Workflow
from verifflowcc.records import dataclass
from verifflowcc.workflow.drawing import apex_of, v_levels

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
