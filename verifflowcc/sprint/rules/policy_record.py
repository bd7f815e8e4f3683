"""The rules of a trace as JSON: whole, so that a sprint keeps them whatever a later vfcc takes for granted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.trace_codes import CHECKS, ItemRule, Need, RelationRule, TracePolicy
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.base.records import field_names
from verifflowcc.base.text.glob import pattern_fault

_Record = Mapping[str, Json]
_Rule = TypeVar("_Rule", ItemRule, RelationRule, Need)
_HINTS = {kind: get_type_hints(kind) for kind in (ItemRule, RelationRule, Need)}
_KEYS = {"from_types": "from", "to_types": "to"}
"""The keys of fields that are called otherwise in the file."""


def policy_to_json(policy: TracePolicy) -> Json:
    """Return a policy as a JSON object; types, relations and needs are lists, since their order counts."""
    return {
        "types": [_rule_to_json(each) for each in policy.types.values()],
        "relations": [_rule_to_json(each) for each in policy.relations.values()],
        "needs": [_rule_to_json(each) for each in policy.needs],
        "id_pattern": policy.id_pattern,
        "integrity": list(policy.integrity),
        "code": list(policy.code),
        "tests": list(policy.tests),
        "severities": {code: str(weight) for code, weight in sorted(policy.severities.items())},
        "digest": policy.digest,
    }


def _rule_to_json(rule: ItemRule | RelationRule | Need) -> Json:
    values = {_KEYS.get(name, name): getattr(rule, name) for name in field_names(rule)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def policy_from_json(value: Json) -> TracePolicy:
    """Return the policy that `policy_to_json` wrote. Raises FormatError where it is not one.

    Severities of codes that this vfcc does not know are left out; a newer one wrote them.
    """
    record = _record(value)
    types = [_rule(ItemRule, each) for each in _list(record, "types")]
    relations = [_rule(RelationRule, each) for each in _list(record, "relations")]
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
        tuple(_rule(Need, each) for each in _list(record, "needs")),
        pattern,
        _texts(record, "integrity"),
        _texts(record, "code"),
        _texts(record, "tests"),
        severities,
        _text(record, "digest"),
    )


def _rule(kind: type[_Rule], value: Json) -> _Rule:
    """Return the rule that `_rule_to_json` wrote."""
    record, hints = _record(value), _HINTS[kind]
    return kind(*[_READERS[hints[name]](record, _KEYS.get(name, name)) for name in field_names(kind)])


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


_READERS: Mapping[Any, Callable[[_Record, str], Any]] = {
    str: _text,
    int: _whole,
    bool: lambda record, name: record.get(name) is True,
    int | None: lambda record, name: None if record.get(name) is None else _whole(record, name),
    tuple[str, ...]: _texts,
}
"""What reads a field, by its annotation."""
