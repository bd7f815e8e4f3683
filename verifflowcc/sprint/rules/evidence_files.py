"""Evidence files: a piece of evidence as bytes, bytes as a piece of evidence, and the digest of what it speaks of.

A file is canonical JSON and one newline, at most 4096 bytes. As with events, the id is a ULID: the time, then the first
ten bytes of the SHA-256 over the canonical JSON without `id`. So a name binds a content; that the file belongs to the
sprint at all is said by the event that names it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.event_bytes import moment, stamp
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.evidence_values import (
    EVIDENCE_FORMAT,
    LARGEST_EVIDENCE_BYTES,
    Evidence,
    Inputs,
    Run,
    evidence_format,
)
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.model.people import is_named_person
from verifflowcc.base.records import dataclass, field_names, replace
from verifflowcc.base.text.canonical import canonical, digest_bytes, fold_newlines, parse_canonical, sha256
from verifflowcc.base.text.glob import select
from verifflowcc.base.text.identifiers import is_ulid, ulid

# The fields of an evidence file: an Evidence as JSON, and JSON as an Evidence, each field of its one type.

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
        kind=CriterionKind(_one_of(value, "kind", [str(each) for each in CriterionKind])),
        trust=EvidenceTrust(_one_of(value, "trust", [str(each) for each in EvidenceTrust])),
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
    right = (
        [evidence_format(CriterionKind(str(kind)))]
        if kind in list(CriterionKind)
        else list(range(1, EVIDENCE_FORMAT + 1))
    )
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


# Which evidence came after which, by the parents of the events that name it; no clock is asked.


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    """An `evidence_added` event and what it names.

    `order` is its place among the notes. `latest` says whether no evidence of the same stage and criterion is after it;
    `concurrent` are then the ids of the others of which that is true, made on branches apart. `digest` is that of the
    file; `redacted` is the id of the event by which a person took secrets out of it, and gave it this digest.
    """

    event: Event
    order: int
    stage: str
    criterion: str
    evidence: str
    digest: str
    redacted: str = ""
    latest: bool = False
    concurrent: tuple[str, ...] = ()


def added_evidence(notes: Sequence[Event], parents: Mapping[str, Sequence[str]]) -> tuple[EvidenceEvent, ...]:
    """Return every event of `notes` that names an evidence file, in their order, which is a causal one.

    `parents` holds the parents of all events of the sprint, transitions too. The past of an event is kept as the bits
    of one number, so that 10,000 events cost as many small unions.
    """
    named = [one for order, event in enumerate(notes) if (one := _named(order, event))]
    before = _pasts([one.event.id for one in named], parents)
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(named):
        groups.setdefault((one.stage, one.criterion), []).append(place)
    for places in groups.values():
        latest = _latest(places, before)
        for place in latest:
            others = tuple(named[other].evidence for other in latest if other != place)
            named[place] = replace(named[place], latest=True, concurrent=others)
    redactions = [event for event in notes if event.type is EventType.EVIDENCE_REDACTED]
    return tuple(_redacted(one, redactions) for one in named) if redactions else tuple(named)


def _redacted(added: EvidenceEvent, redactions: Sequence[Event]) -> EvidenceEvent:
    """Return evidence with the digest that a person gave it last; each redaction follows on the one before."""
    for event in redactions:
        of_it = (event.payload["evidence"], event.payload["was"]) == (added.evidence, added.digest)
        if of_it and is_named_person(event.actor):
            added = replace(added, digest=str(event.payload["digest"]), redacted=event.id)
    return added


def _named(order: int, event: Event) -> EvidenceEvent | None:
    """Return the event as one that names a file; None for any other."""
    payload, name = event.payload, event.payload.get("evidence")
    if event.type is not EventType.EVIDENCE_ADDED or not isinstance(name, str) or not is_ulid(name):
        return None
    stage, criterion, digest = str(payload["stage"]), str(payload.get("criterion", "")), str(payload["digest"])
    return EvidenceEvent(event, order, stage, criterion, name, digest)


def _latest(places: Sequence[int], before: Sequence[int]) -> list[int]:
    """Return those of `places` that no other has in its past."""
    known = 0
    for place in places:
        known |= before[place]
    return [place for place in places if not known >> place & 1]


def _pasts(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[int]:
    """Return for each of `names` which of them lie in its past, as bits."""
    own = {name: 1 << place for place, name in enumerate(names)}
    seen: dict[str, int] = {}
    for name in names:
        waiting = [name]
        while waiting:
            event = waiting[-1]
            unseen = [parent for parent in parents[event] if parent not in seen]
            if unseen:
                waiting += unseen
                continue
            past = own.get(event, 0)
            for parent in parents[event]:
                past |= seen[parent]
            seen[event] = past
            waiting.pop()
    return [seen[name] & ~own[name] for name in names]


MOST_EXAMPLES = 20
LONGEST_EXAMPLE = 160
LONGEST_REASON = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_evidence(  # noqa: PLR0913 - one argument for each field
    *,
    sprint: str,
    stage: str,
    criterion: str,
    kind: CriterionKind,
    trust: EvidenceTrust,
    producer: str,
    at: datetime,
    inputs: Inputs,
    measures: Mapping[str, int],
    outcome: str,
    run: Run | None = None,
    report: str | None = None,
    report_digest: str | None = None,
    tree: str | None = None,
    problem: str = "",
    examples: Sequence[str] = (),
    results: str | None = None,
) -> Evidence:
    """Return the evidence with its id, short enough for its file; the same arguments give the same evidence.

    What it says for information gives way: there are at most 20 examples, each cut to 160 characters, `problem` and the
    run's `failure` to 400; then the digests of single inputs become those of folders, and then none; then examples go,
    the last first. Counts, measures and the digest of all inputs stay. Raises FormatError where the rest is still too
    long, or says what evidence cannot say.
    """
    whole = Evidence(
        id="",
        sprint=sprint,
        stage=stage,
        criterion=criterion,
        kind=kind,
        trust=trust,
        producer=producer,
        time=stamp(at),
        inputs=inputs,
        measures=measures,
        outcome=outcome,
        run=None if run is None else replace(run, failure=_cut(run.failure, LONGEST_REASON)),
        report=report,
        report_digest=report_digest,
        tree=tree,
        problem=_cut(problem, LONGEST_REASON),
        examples=tuple(_cut(each, LONGEST_EXAMPLE) for each in examples[:MOST_EXAMPLES]),
        results=results,
    )
    for shorter in _ever_shorter(whole):
        written = _written(shorter)
        if written is not None:
            return written
    raise FormatError(
        f"evidence for {criterion} is longer than {LARGEST_EVIDENCE_BYTES} bytes: "
        "shorten the command, the patterns of its inputs or the names of what it measures"
    )


def encode_evidence(evidence: Evidence) -> bytes:
    """Return the content of the evidence's file."""
    return canonical(as_record(evidence)) + b"\n"


def parse_evidence(data: bytes, name: str, *, redacted: bool = False) -> Evidence:
    """Return the evidence in a file's bytes; `name` is the file's name without `.json`.

    One that was `redacted` keeps the id of the content that it had; an event binds its bytes.

    A checkout with CRLF reads as any other. Raises FormatError with the reason alone (the caller knows the file) where
    vfcc did not write these bytes under this name.
    """
    folded = fold_newlines(data)
    if len(folded) > LARGEST_EVIDENCE_BYTES:
        raise FormatError(f"evidence is at most {LARGEST_EVIDENCE_BYTES} bytes long, this is {len(folded)}")
    if not folded.endswith(b"\n") or folded.count(b"\n") != 1:
        raise FormatError("an evidence file is one line of canonical JSON with one newline at its end")
    evidence = from_record(parse_canonical(folded[:-1]))
    if stamp(moment(evidence.time)) != evidence.time:
        raise FormatError(f"time {evidence.time!r} must look like 2026-11-21T03:31:00.123Z")
    if not redacted and evidence.id != _id_of(evidence.time, as_record(evidence)):
        raise FormatError("its content is not what its id was made of: made or changed by hand")
    if name != evidence.id:
        raise FormatError(f"the file's name is not the evidence's id {evidence.id}")
    return evidence


def inputs_digest(content: Mapping[str, str], patterns: Sequence[str]) -> Inputs:
    """Return the inputs that the patterns select from `content` (paths to digests); there may be none.

    `digest` is that of the lines `path NUL digest`, sorted by path.
    """
    chosen = {path: content[path] for path in select(content, patterns)}
    return Inputs(patterns=tuple(patterns), count=len(chosen), digest=_digest_of(chosen), digests=chosen)


def folder_digests(digests: Mapping[str, str]) -> dict[str, str]:
    """Return the digest of the files directly in each folder by its path: `src/`, `./` for the project's root.

    >>> sorted(folder_digests({"a": "1", "src/b": "2", "src/c/d": "3"}))
    ['./', 'src/', 'src/c/']
    """
    files: dict[str, dict[str, str]] = {}
    for path, digest in digests.items():
        folder = path.rpartition("/")[0] or "."
        files.setdefault(folder + "/", {})[path] = digest
    return {folder: _digest_of(files[folder]) for folder in sorted(files)}


def _digest_of(digests: Mapping[str, str]) -> str:
    lines = (f"{path}\0{digests[path]}\n" for path in sorted(digests))
    # A name that git holds in other bytes than UTF-8 reaches us with lone surrogates.
    return digest_bytes("".join(lines).encode("utf-8", "surrogatepass"))


def _ever_shorter(whole: Evidence) -> Iterator[Evidence]:
    yield whole
    by_folder = replace(whole.inputs, digests=folder_digests(whole.inputs.digests))
    yield replace(whole, inputs=by_folder)
    bare = replace(whole, inputs=replace(whole.inputs, digests={}))
    for kept in range(len(whole.examples), -1, -1):
        yield replace(bare, examples=whole.examples[:kept])


def _written(evidence: Evidence) -> Evidence | None:
    """Return the evidence with its id, as a file says it; None where that is too long or has no spelling."""
    if any(_unspeakable(path) for path in evidence.inputs.digests):
        return None
    record = as_record(evidence)
    data = canonical({**record, "id": _id_of(evidence.time, record)})
    return from_record(parse_canonical(data)) if len(data) < LARGEST_EVIDENCE_BYTES else None


def _id_of(time: str, record: Mapping[str, Json]) -> str:
    body = {name: value for name, value in record.items() if name != "id"}
    milliseconds = (moment(time) - _EPOCH) // timedelta(milliseconds=1)
    return ulid(milliseconds, sha256(canonical(body)).digest()[:10])


def _unspeakable(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _cut(text: str, longest: int) -> str:
    """Return the text in at most `longest` characters, without what JSON cannot spell."""
    spelled = text.encode("utf-8", "replace").decode("utf-8")
    return spelled if len(spelled) <= longest else spelled[: longest - 1] + "…"
