"""Make a piece of evidence of what was run or read; it counts once it is on record."""

from verifflowcc import __version__
from verifflowcc.adapters.files.evidence import put_blob
from verifflowcc.domain.evidence import Evidence, Inputs, Measured, Run
from verifflowcc.domain.gates import Trust
from verifflowcc.formats.evidence import make_evidence
from verifflowcc.records import dataclass, replace
from verifflowcc.services.evidence_measuring import outcome_of
from verifflowcc.services.evidence_results import keep_results
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.invisible import withhold_words
from verifflowcc.text.secrets import withhold
from verifflowcc.workflow.evidence_wanted import Wanted

PRODUCER = f"vfcc {__version__}"


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was read: its path (None: the output of the command), its bytes, or why there are none."""

    path: str | None = None
    data: bytes | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where evidence comes from; `tree` is the commit that is checked out.

    `results` is the digest of what is kept of single tests, where it is not read from the report.
    """

    sprint: str
    trust: Trust
    tree: str | None
    run: Run | None = None
    report: Report = Report()
    results: str | None = None


def evidence_of(workspace: Workspace, wanted: Wanted, inputs: Inputs, measured: Measured, source: Source) -> Evidence:
    """Return the evidence; its report, and what that says of single tests, are kept below `local/blobs/`.

    Evidence is committed, and a ledger keeps what it once held: secrets in its texts are withheld first.

    Raises FormatError where it does not fit into an evidence file.
    """
    report, run = source.report, source.run
    kept = report.path is not None and report.data is not None
    return make_evidence(
        sprint=source.sprint,
        stage=wanted.stage,
        criterion=wanted.criterion.id,
        kind=wanted.criterion.kind,
        trust=source.trust,
        producer=PRODUCER,
        at=workspace.clock.now(),
        inputs=inputs,
        measures={withhold(name): number for name, number in measured.measures.items()},
        outcome=outcome_of(measured, run.exit_code if run else None),
        run=replace(run, argv=withhold_words(run.argv), failure=withhold(run.failure)) if run else None,
        report=report.path,
        report_digest=put_blob(workspace.local, report.data) if kept and report.data is not None else None,
        tree=source.tree,
        problem=withhold(measured.problem),
        examples=tuple(map(withhold, measured.examples)),
        results=None if measured.problem else source.results or keep_results(workspace, wanted.criterion, report.data),
    )
