"""Criteria of a gate from YAML: each kind with its own keys, its limits as millionths."""

import re
from collections.abc import Collection, Mapping
from decimal import Decimal

from verifflowcc.adapters.config.gates_section import inputs_problem, millionths, name_problem, path_problem
from verifflowcc.adapters.config.yaml_values import Loc
from verifflowcc.adapters.workflows.read_trace import check_problem, type_problem
from verifflowcc.adapters.workflows.reader import Reader, Record, shown
from verifflowcc.domain.gates import REPORTS, RULES, Criterion, Kind, KindRule, Mode, Scale, Trust
from verifflowcc.domain.trace import RED
from verifflowcc.domain.trace_codes import CHECKS, DEFAULT_POLICY, MISSING_CHILD, TracePolicy
from verifflowcc.text.glob import pattern_fault

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
    kind = Kind(kind_name)
    rule = RULES[kind]
    asserted = kind is Kind.METRIC and record.get("trust") == Trust.ASSERTED
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
        trust=Trust(reader.choice(record, "trust", place, [each.value for each in Trust]) or Trust.RAN_BY_VFCC),
        files=reader.texts(record, "files", place, artifact_problem if kind is Kind.ARTIFACT else _files_problem),
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
    if kind is Kind.TRACE:
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


def _check_keys(reader: Reader, record: Record, place: Loc, kind: Kind, asserted: bool) -> None:
    rule = RULES[kind]
    for key in record:
        if key in _ALL_KEYS and key not in (*COMMON, *rule.keys):
            own = ", ".join(rule.keys) or "no key of its own"
            reader.wrong((*place, key), f"a criterion of kind {kind} does not use {key}; it has {own}")
    needs = (*rule.needs, *(("command",) if kind is Kind.METRIC and not asserted else ()))
    for key in needs:
        if key not in record:
            also = " (or trust: asserted)" if kind is Kind.METRIC and key == "command" else ""
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
