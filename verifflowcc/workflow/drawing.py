"""A workflow as a V in text: its left leg going down, the apex, its right leg going up, pairs joined."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.sprints import Leg, Workflow
from verifflowcc.records import dataclass

WIDEST = 100
"""Columns beyond which a V is not drawn any wider: the eye would lose the line."""
_STEPS = (4, 3, 2)
_LEAST_JOIN = 5
_ASCII = str.maketrans("─╲╱╌", "-\\/.")


@dataclass(frozen=True, slots=True)
class VLevel:
    """A height of the V: the stage on each leg, either of which may be missing, and whether they are a pair."""

    left: str | None
    right: str | None

    @property
    def joined(self) -> bool:
        """Whether both legs have a stage here."""
        return self.left is not None and self.right is not None


def draw_v(workflow: Workflow, width: int, marks: Mapping[str, str], *, ascii_only: bool = False) -> str | None:
    """Return the V in lines of at most `width` columns; None where it has no room.

    `marks` maps a stage's id to one character before its name. Names are those that commands take.
    """
    levels = [VLevel(_named(each.left, marks), _named(each.right, marks)) for each in v_levels(workflow)]
    apex = _named(apex_of(workflow), marks) or ""
    step = next((one for one in _STEPS if _needs(levels, apex, one) <= width), None)
    if step is None:
        return None
    lines = _lines(levels, apex, step, min(width, max(WIDEST, _needs(levels, apex, step))))
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(_ASCII) if ascii_only else text


def v_levels(workflow: Workflow) -> list[VLevel]:
    """Pair the legs from the top; a right stage that answers none has a level of its own, above those it follows."""
    left = [each.id for each in workflow.stages if each.leg is Leg.LEFT]
    pairs = {each.id: each.pair for each in workflow.stages}
    right = [each.id for each in reversed(workflow.stages) if each.leg is Leg.RIGHT]
    levels: list[VLevel] = []
    for stage in left:
        while right and right[0] != pairs[stage]:
            levels.append(VLevel(None, right.pop(0)))
        levels.append(VLevel(stage, right.pop(0) if right else None))
    return [*levels, *(VLevel(None, stage) for stage in right)]


def apex_of(workflow: Workflow) -> str:
    """Return the stage at the bottom of the V."""
    return next(each.id for each in workflow.stages if each.leg is Leg.APEX)


def _named(name: str | None, marks: Mapping[str, str]) -> str | None:
    return f"{marks[name]} {name}" if name is not None and marks.get(name) else name


def _needs(levels: Sequence[VLevel], apex: str, step: int) -> int:
    """The columns without which some level, or the apex below them, would run into itself."""
    widths = [
        2 * step * depth + len(level.left or "╲") + len(level.right or "╱") + _LEAST_JOIN + 2
        for depth, level in enumerate(levels)
    ]
    return max([*widths, 2 * step * len(levels) + len(apex) + 6])


def _lines(levels: Sequence[VLevel], apex: str, step: int, width: int) -> list[str]:
    lines = []
    for depth, level in enumerate(levels):
        edge = step * depth
        left, right = level.left or "╲", level.right or "╱"
        gap = width - 2 * edge - len(left) - len(right)
        join = f" {'─' * (gap - 2)} " if level.joined else " " * gap
        lines.append(f"{' ' * edge}{left}{join}{right}")
        slope = edge + step - 1
        lines.append(f"{' ' * slope}╲{' ' * (width - 2 * slope - 2)}╱")
    edge = step * len(levels)
    return [*lines, " " * edge + f" {apex} ".center(width - 2 * edge, "─")]
