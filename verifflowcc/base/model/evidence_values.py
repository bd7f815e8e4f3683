"""Evidence: what was run or read for a criterion, what it spoke of, and what it measured."""

from collections.abc import Mapping

from verifflowcc.base.model.gate_values import NEWER, CriterionKind, EvidenceTrust
from verifflowcc.base.records import dataclass, field

EVIDENCE_FORMAT = 2
"""The newest `v` that this program reads."""
LARGEST_EVIDENCE_BYTES = 4096


def evidence_format(kind: CriterionKind) -> int:
    """Return the `v` of evidence: that of the format in which its kind was added.

    So evidence of the first format counts as it did, and an older program asks for an upgrade where it meets a kind
    that it does not know.
    """
    return 2 if kind in NEWER else 1


@dataclass(frozen=True, slots=True)
class Inputs:
    """The project's files that a piece of evidence speaks of.

    `patterns` chose them (none: all files of the project). `count` is their number and `digest` that of all of them.
    `digests` maps each path to its digest where they are few; else it maps each folder (`src/`) to the digest of the
    inputs directly in it; else it is empty.
    """

    patterns: tuple[str, ...]
    count: int
    digest: str
    digests: Mapping[str, str] = field(default_factory=dict)
    """Digests by path or by folder (`src/`); empty if there was no room."""


@dataclass(frozen=True, slots=True)
class Run:
    """How vfcc ran a command.

    `argv` is as configured, with its placeholders. `exit_code` is None where it did not end by itself or could not be
    started; `failure` then says why. `output` is the digest of what it wrote; the text is in `local/blobs/`.
    """

    command: str
    argv: tuple[str, ...]
    """As configured."""
    timeout_s: int
    exit_code: int | None
    """Null if it did not end by itself."""
    failure: str = ""
    """Why it did not end by itself."""
    output: str = ""
    """A digest."""
    output_bytes: int = 0
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence, immutable, at most 4 KiB as a file.

    `id` is a ULID made of `time` and of the content. `report` and `report_digest` are the file that was read, if any.
    `measures` are whole numbers by name (what they are, per kind, is in `formats/`); percentages are not stored, their
    two counts are. `outcome` is a digest of all that a second run must reproduce. `examples` are lines for people, such
    as the first failed tests. `problem` says why there is nothing to measure (no report, no XML); `measures` is then
    empty. `tree` is git's id of the commit that was checked out, for information. `results` is the digest of the tests
    one by one, kept beside it; None where no trace item asks for them.
    """

    id: str
    sprint: str
    stage: str
    criterion: str
    kind: CriterionKind
    trust: EvidenceTrust
    """`ran_by_vfcc`, `imported_ci` or `asserted`."""
    producer: str
    time: str
    inputs: Inputs
    measures: Mapping[str, int]
    """Whole numbers by name; metrics in millionths."""
    outcome: str
    """A digest of what a second run must reproduce."""
    run: Run | None = None
    """Null if nothing was run."""
    report: str | None = None
    """Its path, `…/NAME` if it was outside of the project."""
    report_digest: str | None = None
    tree: str | None = None
    """The checked-out git commit, for information."""
    problem: str = ""
    """Why nothing was measured, or empty."""
    examples: tuple[str, ...] = ()
    """Lines for people, such as failed tests."""
    results: str | None = None
    """The digest of the results per test beside it, or null."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a parser found in a report, before it becomes evidence. Fields as in `Evidence`."""

    measures: Mapping[str, int]
    outcome: str
    examples: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that the workspace may run once it is allowed on this machine.

    `argv` may hold `{junit}`, `{coverage}`, `{sarif}`, `{lint}` and `{metric}`: the path of that report, from
    `reports` where it is given there, else below `.memory/local/reports/`. Paths are relative to the project's root.
    `inputs` are patterns of the files on which its result depends; none means all files of the project.
    """

    name: str
    argv: tuple[str, ...]
    timeout_s: int
    reports: Mapping[str, str]
    inputs: tuple[str, ...] = ()
