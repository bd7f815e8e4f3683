"""Evidence files: a piece of evidence as bytes, bytes as a piece of evidence, and the digest of what it speaks of.

A file is canonical JSON and one newline, at most 4096 bytes. As with events, the id is a ULID: the time, then the first
ten bytes of the SHA-256 over the canonical JSON without `id`. So a name binds a content; that the file belongs to the
sprint at all is said by the event that names it.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from verifflowcc.domain.events import Json
from verifflowcc.domain.evidence import LARGEST_EVIDENCE_BYTES, Evidence, Inputs, Run
from verifflowcc.domain.gates import Kind, Trust
from verifflowcc.errors import FormatError
from verifflowcc.formats.events import moment, stamp
from verifflowcc.formats.evidence_read import as_record, from_record
from verifflowcc.records import replace
from verifflowcc.text.canonical import canonical, digest_bytes, fold_newlines, parse_canonical
from verifflowcc.text.glob import select
from verifflowcc.text.slug import ulid

MOST_EXAMPLES = 20
LONGEST_EXAMPLE = 160
LONGEST_REASON = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_evidence(  # noqa: PLR0913 - one argument for each field
    *,
    sprint: str,
    stage: str,
    criterion: str,
    kind: Kind,
    trust: Trust,
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
    return ulid(milliseconds, hashlib.sha256(canonical(body)).digest()[:10])


def _unspeakable(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _cut(text: str, longest: int) -> str:
    """Return the text in at most `longest` characters, without what JSON cannot spell."""
    spelled = text.encode("utf-8", "replace").decode("utf-8")
    return spelled if len(spelled) <= longest else spelled[: longest - 1] + "…"
