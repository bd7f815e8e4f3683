"""A workflow as a V in text: its left leg going down, the apex, its right leg going up, pairs joined."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import Leg, Stage, Workflow, asks_nothing
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import nearest

# What `gates.modes` of `config.yaml` does to a workflow when a sprint starts.

_STRICTNESS = {Mode.OFF: 0, Mode.SOFT: 1, Mode.HARD: 2}


def with_modes(workflow: Workflow, modes: Mapping[str, Mode]) -> Workflow:
    """Return the workflow with `modes` (by kind or id of a criterion; the id goes before the kind) in force.

    Raises ConfigError with every problem: a name that is neither a kind nor an id in this workflow, a mode softer than
    that of a strict workflow, a stage with nothing left to evaluate.
    """
    problems = [*_unknown(workflow, modes), *_softer(workflow, modes)]
    changed = replace(workflow, stages=tuple(_stage(each, modes) for each in workflow.stages))
    problems += [
        f"config.yaml: gates.modes turns every criterion of {stage.id} off, so there is nothing to evaluate"
        for stage in changed.stages
        if asks_nothing(stage)
    ]
    if problems:
        raise ConfigError(tuple(problems), hint=f"vfcc workflow show {workflow.name}")
    return changed


def _stage(stage: Stage, modes: Mapping[str, Mode]) -> Stage:
    return replace(stage, enter=_criteria(stage.enter, modes), exit=_criteria(stage.exit, modes))


def _criteria(criteria: Iterable[Criterion], modes: Mapping[str, Mode]) -> tuple[Criterion, ...]:
    return tuple(replace(each, mode=_mode(each, modes)) for each in criteria)


def _mode(criterion: Criterion, modes: Mapping[str, Mode]) -> Mode:
    return modes.get(criterion.id, modes.get(criterion.kind.value, criterion.mode))


def _all(workflow: Workflow) -> tuple[Criterion, ...]:
    return tuple(each for stage in workflow.stages for each in (*stage.enter, *stage.exit))


def _unknown(workflow: Workflow, modes: Mapping[str, Mode]) -> list[str]:
    known = {*(kind.value for kind in CriterionKind), *(each.id for each in _all(workflow))}
    found = []
    for name in sorted(set(modes) - known):
        near = nearest(name, known)
        ask = f"; did you mean {near}?" if near else ""
        found.append(f"config.yaml: gates.modes.{name} is neither a kind nor a criterion of {workflow.name}{ask}")
    return found


def _softer(workflow: Workflow, modes: Mapping[str, Mode]) -> list[str]:
    if not workflow.strict:
        return []
    softened = {
        name: mode
        for name, mode in modes.items()
        for each in _all(workflow)
        if name in (each.id, each.kind.value) and _STRICTNESS[_mode(each, modes)] < _STRICTNESS[each.mode]
    }
    return [
        f"config.yaml: {workflow.name} allows no softer gate: {name}: {mode}" for name, mode in sorted(softened.items())
    ]


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
