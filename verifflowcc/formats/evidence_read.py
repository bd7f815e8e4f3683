"""The fields of an evidence file: an Evidence as JSON, and JSON as an Evidence, each field of its one type."""

from collections.abc import Mapping

from verifflowcc.domain.events import Json
from verifflowcc.domain.evidence import EVIDENCE_FORMAT, Evidence, Inputs, Run, evidence_format
from verifflowcc.domain.gates import Kind, Trust
from verifflowcc.errors import FormatError
from verifflowcc.records import field_names

Record = Mapping[str, Json]

_NAMED = ("sprint", "stage", "criterion", "producer")


def as_record(evidence: Evidence) -> dict[str, Json]:
    """Return the JSON of a piece of evidence; without `results` where it has none, as before there were any."""
    absent = {"results"} if evidence.results is None else set()
    record = {name: getattr(evidence, name) for name in field_names(evidence) if name not in absent}
    run = evidence.run
    return {
        **record,
        "v": evidence_format(evidence.kind),
        "kind": str(evidence.kind),
        "trust": str(evidence.trust),
        "inputs": {name: getattr(evidence.inputs, name) for name in field_names(evidence.inputs)},
        "run": None if run is None else {name: getattr(run, name) for name in field_names(run)},
    }


def from_record(value: Json) -> Evidence:
    """Return the evidence that the JSON spells; its id is not checked.

    Raises FormatError with the reason where a field is missing, unknown or of another type.
    """
    if not isinstance(value, Mapping):
        raise FormatError("evidence is a JSON object")
    _check_version(value)
    absent = {"results"} - value.keys()
    _check_names(value, set(field_names(Evidence)) - absent | {"v"}, "evidence")
    for name in _NAMED:
        if not _text(value, name).strip():
            raise FormatError(f"{name} is empty")
    return Evidence(
        id=_text(value, "id"),
        sprint=_text(value, "sprint"),
        stage=_text(value, "stage"),
        criterion=_text(value, "criterion"),
        kind=Kind(_one_of(value, "kind", [str(each) for each in Kind])),
        trust=Trust(_one_of(value, "trust", [str(each) for each in Trust])),
        producer=_text(value, "producer"),
        time=_text(value, "time"),
        inputs=_inputs(value["inputs"]),
        measures=_measures(value),
        outcome=_text(value, "outcome"),
        run=None if value["run"] is None else _run(value["run"]),
        report=_optional_text(value, "report"),
        report_digest=_optional_text(value, "report_digest"),
        tree=_optional_text(value, "tree"),
        problem=_text(value, "problem"),
        examples=_texts(value, "examples"),
        results=None if absent else _text(value, "results"),
    )


def _inputs(value: Json) -> Inputs:
    record = _record(value, "inputs")
    _check_names(record, set(field_names(Inputs)), "inputs")
    digests = _record(record["digests"], "digests")
    return Inputs(
        patterns=_texts(record, "patterns"),
        count=_count(record, "count"),
        digest=_text(record, "digest"),
        digests={path: _text(digests, path) for path in digests},
    )


def _run(value: Json) -> Run:
    record = _record(value, "run")
    _check_names(record, set(field_names(Run)), "run")
    return Run(
        command=_text(record, "command"),
        argv=_texts(record, "argv"),
        timeout_s=_count(record, "timeout_s"),
        exit_code=None if record["exit_code"] is None else _number(record, "exit_code"),
        failure=_text(record, "failure"),
        output=_text(record, "output"),
        output_bytes=_count(record, "output_bytes"),
        duration_ms=_count(record, "duration_ms"),
    )


def _measures(value: Record) -> dict[str, int]:
    record = _record(value["measures"], "measures")
    return {name: _number(record, name) for name in record}


def _check_version(value: Record) -> None:
    version = value.get("v")
    if isinstance(version, int) and not isinstance(version, bool) and version > EVIDENCE_FORMAT:
        raise FormatError(
            f"evidence format v{version} is newer than this vfcc reads (v{EVIDENCE_FORMAT}): upgrade vfcc"
        )
    kind = value.get("kind")
    right = [evidence_format(Kind(str(kind)))] if kind in list(Kind) else list(range(1, EVIDENCE_FORMAT + 1))
    if version not in right or isinstance(version, bool):
        raise FormatError(f"v must be {' or '.join(map(str, right))}, not {version!r}")


def _check_names(record: Record, known: set[str], where: str) -> None:
    odd = sorted(known ^ set(record))
    if odd:
        raise FormatError(f"{odd[0]} {'is missing' if odd[0] in known else f'is no field of {where}'}")


def _record(value: Json, name: str) -> Record:
    if not isinstance(value, Mapping):
        raise FormatError(f"{name} must be an object")
    return value


def _text(record: Record, name: str) -> str:
    value = record[name]
    if not isinstance(value, str):
        raise FormatError(f"{name} must be text")
    return value


def _optional_text(record: Record, name: str) -> str | None:
    return None if record[name] is None else _text(record, name)


def _texts(record: Record, name: str) -> tuple[str, ...]:
    value = record[name]
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise FormatError(f"{name} must be a list of texts")
    return tuple(map(str, value))


def _number(record: Record, name: str) -> int:
    value = record[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"{name} must be a whole number")
    return value


def _count(record: Record, name: str) -> int:
    value = _number(record, name)
    if value < 0:
        raise FormatError(f"{name} must not be negative")
    return value


def _one_of(record: Record, name: str, known: list[str]) -> str:
    value = _text(record, name)
    if value not in known:
        raise FormatError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    return value
