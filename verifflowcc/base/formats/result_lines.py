"""The results of a test report as they are committed beside its evidence: one line of canonical JSON for each test.

The first line says how many tests there were in all; the others, by name, are those that an item speaks of or that did
not pass. The evidence names the file by its digest, so a file that was changed is none.
"""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.trace_values import Outcome, TestResult
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import canonical, digest_bytes, fold_newlines, parse_canonical
from verifflowcc.base.text.record_codec import record_to_json
from verifflowcc.base.text.secrets import withhold

# What a proof shows of single tests, as it is committed beside its evidence: one line of canonical JSON for each test.
#
# The first line has the format. The evidence names the file by its digest, so a file that was changed is none.

PROOF_FORMAT = 1


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


RESULTS_FORMAT = 1
LONGEST_MESSAGE = 200
LARGEST_RESULTS_BYTES = 64 * 2**20
_FIELDS = {"test", "outcome", "cases", "items", "message", "known"}


@dataclass(frozen=True, slots=True)
class ResultLines:
    """The results of a report: `tests` is the number of all of its tests, `results` those that are worth a line."""

    tests: int
    results: tuple[TestResult, ...]


def encode_results(tests: int, results: Iterable[TestResult]) -> bytes:
    """Return the file's bytes; where a result came from is not in them."""
    head: Json = {"v": RESULTS_FORMAT, "tests": tests}
    lines = [_record(each) for each in sorted(results, key=lambda each: each.test)]
    return b"".join(canonical(line) + b"\n" for line in (head, *lines))


def parse_results(data: bytes, digest: str, report: str) -> ResultLines:
    """Return the results in a file's bytes, as those of `report`; `digest` is what the evidence names.

    A checkout with CRLF reads as any other. Raises FormatError with the reason where these are not the bytes that were
    named, or are of a newer format.
    """
    folded = fold_newlines(data)
    if digest_bytes(folded) != digest:
        raise FormatError("its content is not that which the evidence names: changed by hand")
    head, *lines = [parse_canonical(line) for line in folded.splitlines()] or [None]
    if not isinstance(head, Mapping) or head.get("v") != RESULTS_FORMAT or not isinstance(head.get("tests"), int):
        raise FormatError(f"its first line is not that of results in format {RESULTS_FORMAT}: upgrade vfcc")
    return ResultLines(_number(head["tests"]), tuple(_result(line, report) for line in lines))


def _record(result: TestResult) -> Json:
    return {
        "test": withhold(_spelled(result.test)),
        "outcome": str(result.outcome),
        "cases": result.cases,
        "items": [_spelled(item) for item in result.items],
        "message": withhold(_spelled(result.message))[:LONGEST_MESSAGE],
        "known": result.known,
    }


def _result(line: Json, report: str) -> TestResult:
    if not isinstance(line, Mapping) or set(line) != _FIELDS or line["outcome"] not in set(Outcome):
        raise FormatError("a line of it is no result")
    items = line["items"]
    if not isinstance(items, Sequence) or isinstance(items, str) or not isinstance(line["known"], bool):
        raise FormatError("a line of it is no result")
    return TestResult(
        str(line["test"]),
        Outcome(str(line["outcome"])),
        _number(line["cases"]),
        tuple(str(item) for item in items),
        report,
        str(line["message"]),
        line["known"],
    )


def _number(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FormatError("a number in it is none")
    return value


def _spelled(text: str) -> str:
    """Return the text without what JSON cannot spell."""
    return text.encode("utf-8", "replace").decode("utf-8")
