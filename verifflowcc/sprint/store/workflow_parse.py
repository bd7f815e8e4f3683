"""A workflow's YAML → a workflow, or every problem in it."""

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

from verifflowcc.base.config.yaml_values import Loc, read_yaml
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.formats.event_payloads import is_stage_id
from verifflowcc.base.model.config_values import millionths
from verifflowcc.base.model.gate_values import (
    REPORTS,
    RULES,
    Criterion,
    CriterionKind,
    EvidenceTrust,
    KindRule,
    Mode,
    Scale,
)
from verifflowcc.base.model.sprint_state import (
    UPSTREAM,
    Edits,
    Leg,
    Route,
    Stage,
    Workflow,
    artifact_criteria,
    asks_nothing,
    default_uses,
    upstream_criterion,
)
from verifflowcc.base.model.trace_codes import CHECKS, DEFAULT_POLICY, MISSING_CHILD, TracePolicy
from verifflowcc.base.model.trace_values import RED
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import inputs_problem, name_problem, path_problem, pattern_fault, role_problem
from verifflowcc.base.text.identifiers import is_slug
from verifflowcc.sprint.store.workflow_trace import Reader, Record, check_problem, read_trace, shown, type_problem

# Whether stages make a V: left legs, one apex, right legs, pairs that answer one another.


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


# Criteria of a gate from YAML: each kind with its own keys, its limits as millionths.

LARGEST = 1_000_000_000
COMMON = ("id", "kind", "title", "mode", "waivable")
_ALL_KEYS = (*COMMON, *sorted({key for rule in RULES.values() for key in rule.keys}))
_UNIT = 1_000_000
Placed = tuple[tuple[Loc, Criterion], ...]
"""Criteria, each with its place in the file."""


def read_criteria(
    reader: Reader, record: Record, key: str, place: Loc, mode: Mode, trace: TracePolicy = DEFAULT_POLICY
) -> Placed:
    """Return the criteria listed under `key`, each with its place; those too broken to be one are left out.

    `mode` is that of a criterion that states none, `trace` what the workflow asks of the trace.
    """
    value = record.get(key, [])
    if not isinstance(value, list):
        reader.wrong((*place, key), f"{key} must be a list of criteria, not {shown(value)}")
        return ()
    places: list[Loc] = [(*place, key, index) for index in range(len(value))]
    found = ((at, _criterion(reader, each, at, mode, trace)) for at, each in zip(places, value, strict=True))
    return tuple((at, each) for at, each in found if each)


def artifact_problem(pattern: str) -> str | None:
    """Say why a pattern cannot name files below a stage's `artifacts/`; None where it can."""
    found = path_problem(pattern, "artifacts/")
    if not found and any(part.startswith(".") for part in pattern.split("/")):
        return "is hidden; artifacts have names without a leading dot"
    return found


def _criterion(reader: Reader, value: object, place: Loc, mode: Mode, trace: TracePolicy) -> Criterion | None:
    record = reader.record(value, place, _ALL_KEYS, ("id", "kind"))
    name = reader.named(record, "id", place, name_problem)
    kind_name = reader.choice(record, "kind", place, [kind.value for kind in RULES])
    if kind_name is None:
        return None
    kind = CriterionKind(kind_name)
    rule = RULES[kind]
    asserted = kind is CriterionKind.METRIC and record.get("trust") == EvidenceTrust.ASSERTED
    _check_keys(reader, record, place, kind, asserted)
    command = reader.named(record, "command", place, name_problem)
    metric = reader.text(record, "metric", place)
    stated = reader.choice(record, "mode", place, [each.value for each in Mode])
    limits = {key: _limits(reader, record, key, place, rule) for key in ("at_least", "at_most")}
    _check_both(reader, place, limits)
    criterion = Criterion(
        id=name or "",
        kind=kind,
        title=reader.text(record, "title", place) or rule.title.format(command=command, metric=metric),
        mode=Mode(stated) if stated else mode,
        waivable=reader.flag(record, "waivable", place, default=True),
        trust=EvidenceTrust(
            reader.choice(record, "trust", place, [each.value for each in EvidenceTrust]) or EvidenceTrust.RAN_BY_VFCC
        ),
        files=reader.texts(
            record, "files", place, artifact_problem if kind is CriterionKind.ARTIFACT else _files_problem
        ),
        requires=reader.texts(record, "requires", place),
        command=command,
        report=reader.choice(record, "report", place, tuple(REPORTS)),
        inputs=reader.texts(record, "inputs", place, inputs_problem),
        at_least=limits["at_least"],
        at_most=limits["at_most"],
        pattern=_pattern(reader, record, place),
        metric=metric,
        tagged=reader.flag(record, "tagged", place, default=False),
        checks=reader.texts(record, "checks", place, check_problem(trace)),
        items=reader.texts(record, "items", place, type_problem(trace.types)),
    )
    if kind is CriterionKind.TRACE:
        _check_trace(reader, criterion, place, trace)
    return criterion


def _check_trace(reader: Reader, criterion: Criterion, place: Loc, trace: TracePolicy) -> None:
    """Note what nothing could fail: checks that weigh too little, and needs of types that are not asked about."""
    needs = {each.id: each for each in trace.needs}
    for index, name in enumerate(criterion.checks):
        need = needs.get(name)
        if need is not None and criterion.items and not set(need.of) & set(criterion.items):
            reader.wrong((*place, "checks", index), f"the need {name} is one of {', '.join(need.of)}, not of its items")
    weights = {trace.severities.get(code, CHECKS[code].severity) for code in _codes(criterion.checks, needs)}
    if weights and criterion.mode is not Mode.OFF and not weights & RED:
        reader.wrong((*place, "checks"), "every check that is asked for is a note or off, so nothing could fail it")


def _codes(checks: tuple[str, ...], needs: Collection[str]) -> set[str]:
    wanted = {MISSING_CHILD if name in needs else name for name in checks}
    return {code for code, each in CHECKS.items() if not wanted or code in wanted or str(each.family) in wanted}


def _files_problem(pattern: str) -> str | None:
    return path_problem(pattern.removeprefix("!"), "the project")


def _check_keys(reader: Reader, record: Record, place: Loc, kind: CriterionKind, asserted: bool) -> None:
    rule = RULES[kind]
    for key in record:
        if key in _ALL_KEYS and key not in (*COMMON, *rule.keys):
            own = ", ".join(rule.keys) or "no key of its own"
            reader.wrong((*place, key), f"a criterion of kind {kind} does not use {key}; it has {own}")
    needs = (*rule.needs, *(("command",) if kind is CriterionKind.METRIC and not asserted else ()))
    for key in needs:
        if key not in record:
            also = " (or trust: asserted)" if kind is CriterionKind.METRIC and key == "command" else ""
            reader.wrong(place, f"a criterion of kind {kind} needs {key}{also}")
        elif record[key] == []:
            reader.wrong((*place, key), f"{key} names nothing, so there would be nothing to evaluate")
    if rule.limited and not {"at_least", "at_most"} & set(record):
        reader.wrong(
            place, f"a criterion of kind {kind} needs at_least or at_most: without a limit nothing can fail it"
        )


def _limits(reader: Reader, record: Record, key: str, place: Loc, rule: KindRule) -> dict[str, int]:
    if key not in record or key not in rule.keys or rule.measures is None:
        return {}
    value, at = record[key], (*place, key)
    if not isinstance(value, Mapping) or not value:
        names = ", ".join(rule.measures)
        reader.wrong(at, f"{key} must map measures ({names}) to numbers, not {shown(value) if value else 'nothing'}")
        return {}
    found = {}
    for name, number in value.items():
        if name not in rule.measures:
            reader.wrong((*at, name), f"unknown measure {name} in {key}; {reader.ask(name, tuple(rule.measures))}")
            continue
        scaled = _scaled(number, rule.measures[name])
        if scaled is None:
            reader.wrong((*at, name), f"{key}: {name} must be {rule.measures[name].value}, not {shown(number)}")
        elif _says_nothing(key, scaled, rule.measures[name]):
            reader.wrong((*at, name), f"{key}: {name}: {shown(number)} is met by anything; raise it, or leave it out")
        else:
            found[name] = scaled
    return found


def _scaled(value: object, scale: Scale) -> int | None:
    """Return a limit in millionths, exactly; None where it is no number of that scale."""
    scaled = millionths(value) if isinstance(value, int | Decimal) else None
    if scaled is None or abs(scaled) > LARGEST * _UNIT:
        return None
    if scale is Scale.ANY:
        return scaled
    if scaled < 0 or (scale is Scale.PERCENT and scaled > 100 * _UNIT) or (scale is Scale.COUNT and scaled % _UNIT):
        return None
    return scaled


def _says_nothing(key: str, scaled: int, scale: Scale) -> bool:
    if scale is Scale.ANY:
        return False
    return scaled == 0 if key == "at_least" else scale is Scale.PERCENT and scaled == 100 * _UNIT


def _check_both(reader: Reader, place: Loc, limits: Mapping[str, Mapping[str, int]]) -> None:
    for name, least in limits["at_least"].items():
        if limits["at_most"].get(name, least) < least:
            reader.wrong((*place, "at_most", name), f"{name} is to be at least more than at most; no number is both")


def _pattern(reader: Reader, record: Record, place: Loc) -> str | None:
    pattern = reader.text(record, "pattern", place)
    if pattern is None:
        return None
    fault = pattern_fault(pattern)
    if fault:
        reader.wrong((*place, "pattern"), f"pattern {pattern!r} cannot be used: {fault}")
        return None
    if re.search(pattern, ""):
        reader.wrong((*place, "pattern"), "pattern fits a commit that says nothing; ask for at least one character")
    return pattern


# One stage of a workflow from YAML: what it is, what it builds on, and the criteria of its gates.

_READ_STAGE_KEYS = ("id", "title", "leg", "pair", "role", "edits", "uses", "artifacts", "route", "enter", "exit")
_EDITS = {Leg.LEFT: Edits.NONE, Leg.APEX: Edits.ALL, Leg.RIGHT: Edits.TESTS}
MOST_FAILURES = 100


def read_stage(
    reader: Reader, value: object, place: Loc, mode: Mode, before: Sequence[Stage], trace: TracePolicy = DEFAULT_POLICY
) -> Stage:
    """Return the stage at `place`; `before` are those above it, `mode` that of criteria which state none.

    `trace` is what the workflow asks of the trace: its criteria may name nothing else.
    """
    record = reader.record(value, place, _READ_STAGE_KEYS, ("id", "title", "leg", "role"))
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
    """Return the artifacts' criteria, then the stated ones.

    A stated criterion with the id of an artifact's replaces it.
    """
    own = {each.id: each for _, each in stated if each.kind is CriterionKind.ARTIFACT}
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
        if each.kind is CriterionKind.UPSTREAM:
            reader.wrong(at, "a criterion of kind upstream belongs in exit")
    for at, each in (*enter, *leave):
        if (each.kind is CriterionKind.UPSTREAM) != (each.id == UPSTREAM):
            reader.wrong(at, f"the id {UPSTREAM} and the kind {CriterionKind.UPSTREAM} belong together")
        elif each.kind is CriterionKind.UPSTREAM and first:
            reader.wrong(at, "no stage comes before the first, so nothing can hold before it")


def _check_ids(reader: Reader, place: Loc, artifacts: tuple[str, ...], stated: Placed) -> None:
    """Waivers and evidence name a criterion by stage and id, so an id is used once in both gates of a stage."""
    seen: dict[str, CriterionKind | None] = {}
    implied = [each.id for each in artifact_criteria(artifacts, Mode.HARD)]
    for index, name in enumerate(implied):
        if name in seen:
            reason = f"the artifacts {artifacts[implied.index(name)]} and {artifacts[index]} get the same id, {name}"
            reader.wrong((*place, "artifacts", index), reason)
        seen[name] = None
    for at, each in stated:
        replaces = seen.get(each.id, each.kind) is None and each.kind is CriterionKind.ARTIFACT
        if each.id and each.id in seen and not replaces:
            reader.wrong((*at, "id"), f"the criterion id {each.id} is used twice in this stage")
        if each.id:
            seen[each.id] = each.kind


def _id_problem(name: str) -> str | None:
    return None if is_stage_id(name) else "must be lower-case letters, digits, _ and -, beginning with a letter"


_KEYS = ("name", "title", "gates", "strict", "trace", "stages")
MOST_STAGES = 50


def parse(data: bytes, file: str) -> Workflow:
    """Return the workflow in a file's bytes. Raises ConfigError with every problem, each as `file:line: reason`."""
    plain = read_yaml(data, file, exact=True)
    reader = Reader(file, plain.lines, plain.problems)
    top = reader.record(plain.value, (), _KEYS, ("name", "title", "stages"))
    name = reader.named(top, "name", (), _name_problem) or ""
    title = reader.text(top, "title", ()) or ""
    mode = Mode(reader.choice(top, "gates", (), [each.value for each in Mode]) or Mode.HARD)
    strict = reader.flag(top, "strict", (), default=False)
    trace = read_trace(reader, top)
    stages = _stages(reader, top, mode, trace)
    if reader.problems:
        raise ConfigError(reader.problems)
    return Workflow(name, title, stages, digest_text(data), mode, strict, trace)


def _stages(reader: Reader, top: Record, mode: Mode, trace: TracePolicy) -> tuple[Stage, ...]:
    value = top.get("stages")
    if not isinstance(value, list) or not 0 < len(value) <= MOST_STAGES:
        if "stages" in top:
            reader.wrong(("stages",), f"stages must be a list of 1 to {MOST_STAGES} stages")
        return ()
    found: list[Stage] = []
    for index, each in enumerate(value):
        found.append(read_stage(reader, each, ("stages", index), mode, found, trace))
    if all(isinstance(each, Mapping) and each.get("leg") in list(Leg) for each in value):
        check_v(reader, found)
    return tuple(found)


def _name_problem(name: str) -> str | None:
    return None if is_slug(name) else "must be lower-case letters, digits and -"
