"""A criterion as it stands in `sprint_started`: only what differs from the defaults."""

from collections.abc import Mapping

from verifflowcc.domain.events import Json
from verifflowcc.domain.gates import Criterion, Kind, Mode, Trust
from verifflowcc.errors import LedgerError
from verifflowcc.formats import events_payload as fields

_LISTS = ("files", "requires", "inputs", "checks", "items")
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


def unpin_criterion(record: fields.Payload) -> Criterion:
    """Return the criterion that `pin_criterion` wrote. Raises LedgerError where it is not one."""
    try:
        return Criterion(
            id=fields.text(record, "id"),
            kind=Kind(fields.text(record, "kind")),
            title=fields.text(record, "title"),
            mode=Mode(fields.text(record, "mode")),
            waivable=record.get("waivable", True) is True,
            trust=Trust(str(record.get("trust", Trust.RAN_BY_VFCC))),
            tagged=record.get("tagged", False) is True,
            files=_listed(record, "files"),
            requires=_listed(record, "requires"),
            inputs=_listed(record, "inputs"),
            checks=_listed(record, "checks"),
            items=_listed(record, "items"),
            command=_said(record, "command"),
            report=_said(record, "report"),
            pattern=_said(record, "pattern"),
            metric=_said(record, "metric"),
            at_least=_numbers(record, "at_least"),
            at_most=_numbers(record, "at_most"),
        )
    except (ValueError, LedgerError) as error:
        raise LedgerError(f"a criterion of its workflow: {error}") from error


def _said(record: fields.Payload, name: str) -> str | None:
    return fields.text(record, name) if name in record else None


def _listed(record: fields.Payload, name: str) -> tuple[str, ...]:
    return fields.texts(record, name) if name in record else ()


def _numbers(record: fields.Payload, name: str) -> dict[str, int]:
    value = record.get(name, {})
    if not isinstance(value, Mapping) or not all(isinstance(number, int) for number in value.values()):
        raise LedgerError(f"{name} must map names to whole numbers")
    return {key: number for key, number in value.items() if isinstance(number, int)}
