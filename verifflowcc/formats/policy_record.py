"""The rules of a trace as JSON: whole, so that a sprint keeps them whatever a later vfcc takes for granted."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Json
from verifflowcc.domain.trace import Severity
from verifflowcc.domain.trace_codes import CHECKS
from verifflowcc.domain.trace_policy import ItemRule, Need, RelationRule, TracePolicy
from verifflowcc.errors import FormatError
from verifflowcc.text.bounded_pattern import pattern_fault

_Record = Mapping[str, Json]


def policy_to_json(policy: TracePolicy) -> Json:
    """Return a policy as a JSON object; types, relations and needs are lists, since their order counts."""
    types: list[Json] = [
        {
            "name": rule.name,
            "prefix": rule.prefix,
            "level": rule.level,
            "root": rule.root,
            "fields": list(rule.fields),
            "verified": rule.verified,
            "requires": list(rule.requires),
        }
        for rule in policy.types.values()
    ]
    relations: list[Json] = [
        {"name": rule.name, "from": list(rule.from_types), "to": list(rule.to_types), "upward": rule.upward}
        for rule in policy.relations.values()
    ]
    return {
        "types": types,
        "relations": relations,
        "needs": [_need_to_json(each) for each in policy.needs],
        "id_pattern": policy.id_pattern,
        "integrity": list(policy.integrity),
        "code": list(policy.code),
        "tests": list(policy.tests),
        "severities": {code: str(weight) for code, weight in sorted(policy.severities.items())},
        "digest": policy.digest,
    }


def policy_from_json(value: Json) -> TracePolicy:
    """Return the policy that `policy_to_json` wrote. Raises FormatError where it is not one.

    Severities of codes that this vfcc does not know are left out; a newer one wrote them.
    """
    record = _record(value)
    types = [_type(_record(each)) for each in _list(record, "types")]
    relations = [_relation(_record(each)) for each in _list(record, "relations")]
    pattern = _text(record, "id_pattern")
    if fault := pattern_fault(pattern):
        raise FormatError(f"id_pattern cannot be used: {fault}")
    weights = {code: str(weight) for code, weight in _record(record.get("severities")).items() if code in CHECKS}
    try:
        severities = {code: Severity(weight) for code, weight in weights.items()}
    except ValueError as error:
        raise FormatError(f"severities: {error}") from error
    return TracePolicy(
        {rule.name: rule for rule in types},
        {rule.name: rule for rule in relations},
        tuple(_need(_record(each)) for each in _list(record, "needs")),
        pattern,
        _texts(record, "integrity"),
        _texts(record, "code"),
        _texts(record, "tests"),
        severities,
        _text(record, "digest"),
    )


def _need_to_json(need: Need) -> Json:
    return {
        "id": need.id,
        "of": list(need.of),
        "by": list(need.by),
        "from": list(need.from_types),
        "at_least": need.at_least,
        "code": need.code,
        "or_tests": need.or_tests,
        "title": need.title,
    }


def _need(record: _Record) -> Need:
    return Need(
        _text(record, "id"),
        _texts(record, "of"),
        _texts(record, "by"),
        _texts(record, "from"),
        _whole(record, "at_least"),
        record.get("code") is True,
        record.get("or_tests") is True,
        _text(record, "title"),
    )


def _type(record: _Record) -> ItemRule:
    return ItemRule(
        _text(record, "name"),
        _text(record, "prefix"),
        None if record.get("level") is None else _whole(record, "level"),
        record.get("root") is True,
        _texts(record, "fields"),
        record.get("verified") is True,
        _texts(record, "requires"),
    )


def _relation(record: _Record) -> RelationRule:
    upward = record.get("upward") is True
    return RelationRule(_text(record, "name"), _texts(record, "from"), _texts(record, "to"), upward)


def _record(value: Json) -> _Record:
    if not isinstance(value, Mapping):
        raise FormatError("the rules of the trace hold something else where an object is expected")
    return value


def _list(record: _Record, name: str) -> Sequence[Json]:
    value = record.get(name)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise FormatError(f"{name} must be a list")
    return value


def _text(record: _Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise FormatError(f"{name} must be text")
    return value


def _texts(record: _Record, name: str) -> tuple[str, ...]:
    found = _list(record, name)
    if not all(isinstance(each, str) for each in found):
        raise FormatError(f"{name} must be a list of texts")
    return tuple(str(each) for each in found)


def _whole(record: _Record, name: str) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"{name} must be a whole number")
    return value
