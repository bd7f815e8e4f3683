"""A criterion as it stands in `sprint_started`: only what differs from the defaults."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Json
from verifflowcc.domain.gates import Criterion, Kind, Mode, Trust
from verifflowcc.errors import LedgerError

_LISTS = ("files", "requires", "inputs", "checks")
_TEXTS = ("command", "report", "pattern", "metric")
_LIMITS = ("at_least", "at_most")


def pin_criterion(criterion: Criterion) -> Json:
    """Return the criterion as a JSON object."""
    record: dict[str, Json] = {
        "id": criterion.id,
        "kind": str(criterion.kind),
        "title": criterion.title,
        "mode": str(criterion.mode),
    }
    if not criterion.waivable:
        record["waivable"] = False
    if criterion.trust is not Trust.RAN_BY_VFCC:
        record["trust"] = str(criterion.trust)
    if criterion.tagged:
        record["tagged"] = True
    for name in _LISTS:
        if listed := getattr(criterion, name):
            record[name] = list(listed)
    for name in _TEXTS:
        if (said := getattr(criterion, name)) is not None:
            record[name] = said
    for name in _LIMITS:
        if limits := getattr(criterion, name):
            record[name] = dict(limits)
    return record


def unpin_criterion(record: Mapping[str, Json]) -> Criterion:
    """Return the criterion that `pin_criterion` wrote. Raises LedgerError where it is not one."""
    try:
        return Criterion(
            id=_text(record, "id"),
            kind=Kind(_text(record, "kind")),
            title=_text(record, "title"),
            mode=Mode(_text(record, "mode")),
            waivable=record.get("waivable", True) is True,
            trust=Trust(str(record.get("trust", Trust.RAN_BY_VFCC))),
            tagged=record.get("tagged", False) is True,
            files=_texts(record, "files"),
            requires=_texts(record, "requires"),
            inputs=_texts(record, "inputs"),
            checks=_texts(record, "checks"),
            command=_optional(record, "command"),
            report=_optional(record, "report"),
            pattern=_optional(record, "pattern"),
            metric=_optional(record, "metric"),
            at_least=_numbers(record, "at_least"),
            at_most=_numbers(record, "at_most"),
        )
    except ValueError as error:
        raise LedgerError(f"a criterion of its workflow: {error}") from error


def _text(record: Mapping[str, Json], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise LedgerError(f"a criterion of its workflow: {name} must be text")
    return value


def _optional(record: Mapping[str, Json], name: str) -> str | None:
    return _text(record, name) if name in record else None


def _texts(record: Mapping[str, Json], name: str) -> tuple[str, ...]:
    value = record.get(name, ())
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise LedgerError(f"a criterion of its workflow: {name} must be a list")
    return tuple(map(str, value))


def _numbers(record: Mapping[str, Json], name: str) -> dict[str, int]:
    value = record.get(name, {})
    if not isinstance(value, Mapping) or not all(isinstance(number, int) for number in value.values()):
        raise LedgerError(f"a criterion of its workflow: {name} must map names to whole numbers")
    return {key: number for key, number in value.items() if isinstance(number, int)}
