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
class _Level:
    """A height of the V: the texts on its legs, either of which may be missing, and whether they are a pair."""

    left: str | None
    right: str | None

    @property
    def joined(self) -> bool:
        return self.left is not None and self.right is not None


def draw_v(workflow: Workflow, width: int, marks: Mapping[str, str], *, ascii_only: bool = False) -> str | None:
    """Return the V in lines of at most `width` columns; None where it has no room.

    `marks` maps a stage's id to one character before its name. Names are those that commands take.
    """
    levels = _levels(workflow, marks)
    apex = _named(next(each.id for each in workflow.stages if each.leg is Leg.APEX), marks)
    step = next((one for one in _STEPS if _needs(levels, apex, one) <= width), None)
    if step is None:
        return None
    lines = _lines(levels, apex, step, min(width, max(WIDEST, _needs(levels, apex, step))))
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(_ASCII) if ascii_only else text


def _levels(workflow: Workflow, marks: Mapping[str, str]) -> list[_Level]:
    """Pair the legs from the top; a right stage that answers none has a level of its own, above those it follows."""
    left = [each for each in workflow.stages if each.leg is Leg.LEFT]
    right = [each for each in reversed(workflow.stages) if each.leg is Leg.RIGHT]
    levels: list[_Level] = []
    for stage in left:
        while right and right[0].id != stage.pair:
            levels.append(_Level(None, _named(right.pop(0).id, marks)))
        levels.append(_Level(_named(stage.id, marks), _named(right.pop(0).id, marks) if right else None))
    return [*levels, *(_Level(None, _named(stage.id, marks)) for stage in right)]


def _named(name: str, marks: Mapping[str, str]) -> str:
    return f"{marks[name]} {name}" if marks.get(name) else name


def _needs(levels: Sequence[_Level], apex: str, step: int) -> int:
    """The columns without which some level, or the apex below them, would run into itself."""
    widths = [
        2 * step * depth + len(level.left or "╲") + len(level.right or "╱") + _LEAST_JOIN + 2
        for depth, level in enumerate(levels)
    ]
    return max([*widths, 2 * step * len(levels) + len(apex) + 6])


def _lines(levels: Sequence[_Level], apex: str, step: int, width: int) -> list[str]:
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
