"""What a proof shows of single tests, as it is committed beside its evidence: one line of canonical JSON for each test.

The first line has the format. The evidence names the file by its digest, so a file that was changed is none.
"""

from collections.abc import Iterable, Mapping

from verifflowcc.domain.events import Json
from verifflowcc.errors import FormatError
from verifflowcc.formats.checked_record import record_to_json
from verifflowcc.records import dataclass
from verifflowcc.text.canonical import canonical, parse_canonical
from verifflowcc.text.digest import digest_bytes, fold_newlines

PROOF_FORMAT = 1
PROVEN, NOT_DISCRIMINATING = "proven", "not discriminating"


@dataclass(frozen=True, slots=True)
class ProofLine:
    """The verdict of a proof on one test, which is named as the trace names tests: `tests/test_a.py::TestA.test_b`."""

    test: str
    verdict: str


def traced_name(test: str) -> str:
    """Return pytest's name of a test as the trace has it.

    >>> traced_name("tests/test_a.py::TestA::test_b")
    'tests/test_a.py::TestA.test_b'
    """
    path, joint, name = test.partition("::")
    return f"{path}{joint}{name.replace('::', '.')}"


def encode_proof(lines: Iterable[ProofLine]) -> bytes:
    """Return the file's bytes."""
    records: list[Json] = [{"v": PROOF_FORMAT}]
    records += [record_to_json(each) for each in sorted(lines, key=lambda each: each.test)]
    return b"".join(canonical(each) + b"\n" for each in records)


def parse_proof(data: bytes, digest: str) -> tuple[ProofLine, ...]:
    """Return the lines in a file's bytes; `digest` is what the evidence names.

    Raises FormatError with the reason where these are not the bytes that were named, or are of a newer format.
    """
    folded = fold_newlines(data)
    if digest_bytes(folded) != digest:
        raise FormatError("its content is not that which the evidence names: changed by hand")
    head, *rest = [parse_canonical(line) for line in folded.splitlines()] or [None]
    if not isinstance(head, Mapping) or head.get("v") != PROOF_FORMAT:
        raise FormatError(f"its first line is not that of a proof in format {PROOF_FORMAT}: upgrade vfcc")
    return tuple(
        ProofLine(str(line["test"]), str(line["verdict"]))
        for line in rest
        if isinstance(line, Mapping) and {"test", "verdict"} <= line.keys()
    )
