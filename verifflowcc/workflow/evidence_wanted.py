"""Which criteria need evidence now."""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import RECORDED, Criterion, Mode, Verdict
from verifflowcc.domain.sprints import SprintState, StageState, StageStatus
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.text.article import nearest
from verifflowcc.workflow.assess_recorded import assess_recorded
from verifflowcc.workflow.assess_trace import specified
from verifflowcc.workflow.moves import after_passing


@dataclass(frozen=True, slots=True)
class Wanted:
    """A criterion of a stage for which evidence is to be made."""

    stage: str
    criterion: Criterion

    def __str__(self) -> str:
        return f"{self.stage}/{self.criterion.id}"


def everything(state: SprintState) -> tuple[Wanted, ...]:
    """Return the criteria of all stages that rest on evidence files."""
    return tuple(one for stage in state.stages for one in of_stage(stage))


def of_stage(stage: StageState) -> tuple[Wanted, ...]:
    """Return the criteria of both of a stage's gates that rest on evidence files, and are asked at all."""
    return _asked(stage, (*stage.stage.enter, *stage.stage.exit))


def due(facts: Facts) -> tuple[Wanted, ...]:
    """Return what stands in the way now: the exit of the stage in work, the entry of the next, and what went stale.

    Where the stage in work needs no evidence, it is what the next stage that needs some will ask for.
    """
    here = _in_the_way(facts)
    return _once((*(here or _further_on(facts.sprint)), *_gone_stale(facts)))


def named(facts: Facts, names: Sequence[str], stage_id: str | None) -> tuple[Wanted, ...]:
    """Return the criteria that `names` mean: ids of criteria, or names of the commands that show them.

    Without a stage those that stand in the way now are meant, else those of the next stage that has one of that name,
    else of the last before. Raises UsageError for a name that means nothing.
    """
    found: list[Wanted] = []
    for name in names:
        found += _meant(facts, name, stage_id)
    return _once(found)


def one_named(facts: Facts, criterion_id: str, stage_id: str | None) -> Wanted:
    """Return the criterion of that id, as `named` finds it. Raises UsageError where there is none."""
    places = _places(facts, stage_id)
    found = next((one for place in places for one in place if one.criterion.id == criterion_id), None)
    if found is None:
        raise _unknown(facts.sprint, criterion_id, stage_id, [one for place in places for one in place])
    return found


def _meant(facts: Facts, name: str, stage_id: str | None) -> tuple[Wanted, ...]:
    places = _places(facts, stage_id)
    for place in places:
        meant = tuple(one for one in place if name in {one.criterion.id, one.criterion.command})
        if meant:
            return meant
    raise _unknown(facts.sprint, name, stage_id, [one for place in places for one in place])


def _places(facts: Facts, stage_id: str | None) -> list[tuple[Wanted, ...]]:
    stages = facts.sprint.stages
    if stage_id is not None:
        return [of_stage(each) for each in stages if each.stage.id == stage_id]
    here = _index(facts.sprint)
    later, earlier = stages[here:], tuple(reversed(stages[:here]))
    return [_in_the_way(facts), *(of_stage(each) for each in (*later, *earlier))]


def _unknown(state: SprintState, name: str, stage_id: str | None, there: Iterable[Wanted]) -> UsageError:
    other = [
        each
        for stage in state.stages
        if stage_id in {None, stage.stage.id}
        for each in (*stage.stage.enter, *stage.stage.exit)
        if each.id == name
    ]
    if other:
        if other[0].mode is Mode.OFF:
            return UsageError(f"{name} is off in {state.id}: nothing asks for it", hint="vfcc check gate")
        kind = other[0].kind
        return UsageError(f"{name} is of the kind {kind}, for which nothing is run", hint="vfcc check gate")
    known = {word for one in there for word in (one.criterion.id, one.criterion.command) if word}
    near = nearest(name, known)
    have = f"there is {', '.join(sorted(known))}" if known else "none needs evidence"
    where = f"{state.id}/{stage_id}" if stage_id else state.id
    told = f"did you mean {near}?" if near else have
    return UsageError(f"{where} has no criterion and no command {name}; {told}", hint="vfcc evidence list --all")


def _in_the_way(facts: Facts) -> tuple[Wanted, ...]:
    state = facts.sprint
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        return ()
    first = state.stages[0] is stage
    here = _asked(stage, (*stage.stage.enter, *stage.stage.exit) if first else stage.stage.exit)
    artifacts = tuple(one.artifact for one in facts.artifacts.get(stage.stage.id, ()))
    following = state.stage(after_passing(state, stage.stage.id, artifacts, specified(stage.stage, facts)) or "")
    return (*here, *_asked(following, following.stage.enter)) if following else here


def _further_on(state: SprintState) -> tuple[Wanted, ...]:
    for stage in state.stages[_index(state) :]:
        found = of_stage(stage)
        if found:
            return found
    return ()


def _gone_stale(facts: Facts) -> Iterator[Wanted]:
    """Yield the criteria of passed stages that were met then, and can no longer be evaluated."""
    for stage in facts.sprint.stages:
        if stage.status is not StageStatus.PASSED or stage.stage.id == facts.sprint.current:
            continue
        met = {one.criterion for one in stage.outcomes if one.verdict is Verdict.PASS}
        for one in of_stage(stage):
            if one.criterion.id not in met:
                continue
            if assess_recorded(one.criterion, one.stage, facts).verdict is Verdict.NOT_EVALUABLE:
                yield one


def _index(state: SprintState) -> int:
    ids = [each.stage.id for each in state.stages]
    return ids.index(state.current) if state.current else len(ids)


def _asked(stage: StageState, criteria: Iterable[Criterion]) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(stage.stage.id, each) for each in criteria if each.kind in RECORDED and each.mode is not Mode.OFF
    )


def _once(found: Iterable[Wanted]) -> tuple[Wanted, ...]:
    return tuple({(one.stage, one.criterion.id): one for one in found}.values())
