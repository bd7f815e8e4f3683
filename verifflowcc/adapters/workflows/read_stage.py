"""One stage of a workflow from YAML: what it is, what it builds on, and the criteria of its gates."""

from collections.abc import Sequence

from verifflowcc.adapters.config.gates_section import role_problem
from verifflowcc.adapters.config.yaml_values import Loc
from verifflowcc.adapters.workflows.read_criteria import Placed, artifact_problem, read_criteria
from verifflowcc.adapters.workflows.reader import Reader, Record
from verifflowcc.domain.gates import Criterion, Kind, Mode
from verifflowcc.domain.sprints import (
    UPSTREAM,
    Edits,
    Leg,
    Route,
    Stage,
    artifact_criteria,
    asks_nothing,
    default_uses,
    upstream_criterion,
)
from verifflowcc.domain.trace_codes import DEFAULT_POLICY, TracePolicy
from verifflowcc.formats.events_payload import is_stage_id
from verifflowcc.records import replace

_KEYS = ("id", "title", "leg", "pair", "role", "edits", "uses", "artifacts", "route", "enter", "exit")
_EDITS = {Leg.LEFT: Edits.NONE, Leg.APEX: Edits.ALL, Leg.RIGHT: Edits.TESTS}
MOST_FAILURES = 100


def read_stage(
    reader: Reader, value: object, place: Loc, mode: Mode, before: Sequence[Stage], trace: TracePolicy = DEFAULT_POLICY
) -> Stage:
    """Return the stage at `place`; `before` are those above it, `mode` that of criteria which state none.

    `trace` is what the workflow asks of the trace: its criteria may name nothing else.
    """
    record = reader.record(value, place, _KEYS, ("id", "title", "leg", "role"))
    leg = Leg(reader.choice(record, "leg", place, [each.value for each in Leg]) or Leg.APEX)
    edits = reader.choice(record, "edits", place, [each.value for each in Edits])
    artifacts = reader.texts(record, "artifacts", place, artifact_problem)
    enter = read_criteria(reader, record, "enter", place, mode, trace)
    leave = read_criteria(reader, record, "exit", place, mode, trace)
    stage = Stage(
        id=reader.named(record, "id", place, _id_problem) or "",
        title=reader.text(record, "title", place) or "",
        leg=leg,
        pair=None if record.get("pair") is None else reader.text(record, "pair", place),
        role=reader.named(record, "role", place, role_problem) or "",
        artifacts=artifacts,
        edits=Edits(edits) if edits else _EDITS[leg],
        uses=_uses(reader, record, place, before),
        enter=tuple(each for _, each in enter),
        exit=_exit(leave, artifact_criteria(artifacts, mode), None if not before else upstream_criterion(mode)),
        route=_route(reader, record, place, before),
    )
    if "uses" not in record:
        stage = _with_default_uses(stage, before)
    _check_upstream(reader, enter, leave, first=not before)
    _check_ids(reader, place, artifacts, (*enter, *leave))
    if record and asks_nothing(stage):
        reader.wrong(place, f"every criterion of {stage.id or 'this stage'} is off, so there is nothing to evaluate")
    return stage


def _exit(stated: Placed, implied: tuple[Criterion, ...], upstream: Criterion | None) -> tuple[Criterion, ...]:
    """The artifacts' criteria, then the stated ones; one stated with the id of an artifact's stands in its place."""
    own = {each.id: each for _, each in stated if each.kind is Kind.ARTIFACT}
    first = tuple(own.get(each.id, each) for each in implied)
    rest = tuple(each for _, each in stated if not any(each is one for one in first))
    last = (upstream,) if upstream and not any(each.id == UPSTREAM for each in rest) else ()
    return (*first, *rest, *last)


def _uses(reader: Reader, record: Record, place: Loc, before: Sequence[Stage]) -> tuple[str, ...]:
    earlier = [stage.id for stage in before]

    def problem(name: str) -> str | None:
        return None if name in earlier else "is no earlier stage"

    return reader.texts(record, "uses", place, problem)


def _with_default_uses(stage: Stage, before: Sequence[Stage]) -> Stage:
    earlier = {each.id for each in before}
    found = default_uses(stage, before[-1] if before else None)
    return replace(stage, uses=tuple(name for name in found if name in earlier))


def _route(reader: Reader, record: Record, place: Loc, before: Sequence[Stage]) -> Route | None:
    if "route" not in record:
        return None
    at: Loc = (*place, "route")
    route = reader.record(record["route"], at, ("after", "to"), ("after", "to"))
    after, back = reader.whole(route, "after", at, 1, MOST_FAILURES), reader.text(route, "to", at)
    if back and back not in [stage.id for stage in before]:
        reader.wrong((*at, "to"), f"the route leads to {back}, which is no earlier stage")
    return Route(after, back) if after and back else None


def _check_upstream(reader: Reader, enter: Placed, leave: Placed, *, first: bool) -> None:
    for at, each in enter:
        if each.kind is Kind.UPSTREAM:
            reader.wrong(at, "a criterion of kind upstream belongs in exit")
    for at, each in (*enter, *leave):
        if (each.kind is Kind.UPSTREAM) != (each.id == UPSTREAM):
            reader.wrong(at, f"the id {UPSTREAM} and the kind {Kind.UPSTREAM} belong together")
        elif each.kind is Kind.UPSTREAM and first:
            reader.wrong(at, "no stage comes before the first, so nothing can hold before it")


def _check_ids(reader: Reader, place: Loc, artifacts: tuple[str, ...], stated: Placed) -> None:
    """Waivers and evidence name a criterion by stage and id, so an id is used once in both gates of a stage."""
    seen: dict[str, Kind | None] = {}
    implied = [each.id for each in artifact_criteria(artifacts, Mode.HARD)]
    for index, name in enumerate(implied):
        if name in seen:
            reason = f"the artifacts {artifacts[implied.index(name)]} and {artifacts[index]} get the same id, {name}"
            reader.wrong((*place, "artifacts", index), reason)
        seen[name] = None
    for at, each in stated:
        replaces = seen.get(each.id, each.kind) is None and each.kind is Kind.ARTIFACT
        if each.id and each.id in seen and not replaces:
            reader.wrong((*at, "id"), f"the criterion id {each.id} is used twice in this stage")
        if each.id:
            seen[each.id] = each.kind


def _id_problem(name: str) -> str | None:
    return None if is_stage_id(name) else "must be lower-case letters, digits, _ and -, beginning with a letter"
