"""What `gates.modes` of `config.yaml` does to a workflow when a sprint starts."""

from collections.abc import Iterable, Mapping

from verifflowcc.domain.gates import Criterion, Kind, Mode
from verifflowcc.domain.sprints import Stage, Workflow, asks_nothing
from verifflowcc.errors import ConfigError
from verifflowcc.records import replace
from verifflowcc.text.article import nearest

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
    known = {*(kind.value for kind in Kind), *(each.id for each in _all(workflow))}
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
