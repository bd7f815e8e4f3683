"""Whether stages make a V: left legs, one apex, right legs, pairs that answer one another."""

from collections.abc import Sequence
from itertools import pairwise

from verifflowcc.adapters.config.yaml_values import Loc
from verifflowcc.adapters.workflows.reader import Reader
from verifflowcc.domain.sprints import Leg, Stage


def check_v(reader: Reader, stages: Sequence[Stage]) -> None:
    """Note what keeps the stages from being a V."""
    if not stages or not _each_once(reader, stages):
        return
    apexes = [index for index, stage in enumerate(stages) if stage.leg is Leg.APEX]
    if len(apexes) != 1:
        reader.wrong(("stages",), f"a V has one stage with leg: apex, not {len(apexes)}")
        return
    apex = stages[apexes[0]]
    sound = True
    for index, stage in enumerate(stages):
        at: Loc = ("stages", index)
        if stage.leg is (Leg.LEFT if index > apexes[0] else Leg.RIGHT) and index != apexes[0]:
            reader.wrong((*at, "leg"), f"{stage.id} is on the {stage.leg} leg, on the wrong side of {apex.id}")
            sound = False
        reason = _pair_problem(stage, stages)
        if reason:
            reader.wrong((*at, "pair"), reason)
            sound = False
    if sound:
        _check_nesting(reader, stages)


def _each_once(reader: Reader, stages: Sequence[Stage]) -> bool:
    """Whether every stage has an id, and an id of its own."""
    ids = [stage.id for stage in stages]
    sound = all(ids)
    for index, name in enumerate(ids):
        if name and name in ids[:index]:
            reader.wrong(("stages", index, "id"), f"the id {name} is used twice")
            sound = False
    return sound


def _pair_problem(stage: Stage, stages: Sequence[Stage]) -> str | None:
    answer = next((each for each in stages if each.id == stage.pair), None)
    if stage.leg is Leg.APEX:
        return f"{stage.id} is the apex and has no pair" if stage.pair else None
    if stage.leg is Leg.LEFT and not stage.pair:
        return f"{stage.id} is on the left leg and needs the pair that answers it"
    if stage.pair and answer is None:
        return f"the pair {stage.pair} of {stage.id} is no stage"
    if answer and (answer.pair != stage.id or {stage.leg, answer.leg} != {Leg.LEFT, Leg.RIGHT}):
        return f"{stage.id} and {answer.id} are no pair: each must name the other, on the other leg"
    return None


def _check_nesting(reader: Reader, stages: Sequence[Stage]) -> None:
    place = {stage.id: index for index, stage in enumerate(stages)}
    answered = [(stage, place[stage.pair]) for stage in stages if stage.leg is Leg.LEFT and stage.pair]
    for (outer, late), (inner, early) in pairwise(answered):
        if early > late:
            reason = f"{inner.id} comes after {outer.id}, so its pair must come before {outer.pair}"
            reader.wrong(("stages", place[inner.id], "pair"), reason)
