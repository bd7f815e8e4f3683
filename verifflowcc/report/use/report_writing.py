"""Write a report: its files into a folder, its summary as Markdown, and what a program reads of it."""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.errors import FileErrors, UsageError
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.report.rules.page_drawings import TrendPoint
from verifflowcc.report.use.committed_source import report_source
from verifflowcc.report.use.report_facts import ReportFacts, SprintFacts, gather_report
from verifflowcc.report.use.report_pages import INDEX, STAMP, report_files

_MADE_BY = "<footer>Made by vfcc "


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file of a report and its size."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class SprintTrend:
    """How a sprint went: its latest figures, and those after each event."""

    id: str
    criteria_passed: int
    requirements_verified: int
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True)
class ReportWritten:
    """A report that was written: its folder ("" for none), its files, and where it comes from.

    `commit` is null for a project with no commit, `local` says that parts of it are on this machine alone.
    """

    folder: str
    """Empty if nothing was written."""
    files: tuple[ReportFile, ...]
    commit: str | None
    """The commit that it is about, or null."""
    local: bool
    """Whether it holds parts that other clones do not have."""
    today: str
    """The day on which expiry is judged."""
    sprints: tuple[SprintTrend, ...]
    trend: tuple[TrendPoint, ...] = ()
    """The figures after each event of all sprints."""
    notices: tuple[str, ...] = ()

    @property
    def index(self) -> Path:
        """The page to open first."""
        return Path(self.folder) / INDEX


def read_report(workspace: Workspace, sprint_id: str | None = None, *, local: bool) -> ReportFacts:
    """Return what a report shows. Raises as `report_source` and `gather_report` do."""
    with report_source(workspace, local=local) as (source, origin):
        return gather_report(workspace, source, origin, sprint_id)


def write_report(facts: ReportFacts, folder: Path, version: str, *, stamp: str = "") -> ReportWritten:
    """Write the files of a report into a folder, which is made where there is none.

    A file that a report had before and has no more is removed. Raises UsageError where the folder holds an `index.html`
    that no report wrote, WorkspaceError where it cannot be written.
    """
    files = report_files(facts, version, stamp=stamp)
    _require_own(folder)
    with FileErrors("write", folder):
        folder.mkdir(parents=True, exist_ok=True)
        old = [path for path in folder.glob("sprint-*.txt") if path.name not in files]
        for path in (*old, *((folder / STAMP,) if not stamp else ())):
            path.unlink(missing_ok=True)
    for name, text in sorted(files.items(), key=lambda pair: (pair[0] == STAMP, pair[0])):
        write_atomic(folder / name, text)
    return written(facts, files, str(folder))


def written(facts: ReportFacts, files: Mapping[str, str], folder: str) -> ReportWritten:
    """Return the record of a report."""
    return ReportWritten(
        folder=folder,
        files=tuple(ReportFile(name, len(text.encode("utf-8"))) for name, text in sorted(files.items())),
        commit=facts.origin.commit,
        local=facts.origin.local,
        today=facts.origin.today,
        sprints=tuple(map(_trend, facts.sprints)),
        trend=facts.trend,
        notices=facts.notices,
    )


def _trend(sprint: SprintFacts) -> SprintTrend:
    last = sprint.trend[-1] if sprint.trend else None
    return SprintTrend(
        sprint.line.id,
        last.criteria_passed if last else 0,
        last.requirements_verified if last else 0,
        sprint.trend,
    )


def _require_own(folder: Path) -> None:
    """Refuse to write over a page that is no report: `--html .` would replace a site's own."""
    index = folder / INDEX
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder")
    if not index.is_file():
        return
    with FileErrors("read", index):
        text = index.read_text(encoding="utf-8", errors="replace")
    if _MADE_BY not in text:
        raise UsageError(f"{index} was not written by vfcc report", hint="vfcc report --html build/report")
