"""`check trace`: everything that the trace checks say, in one run; what did not change comes from the index."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifflowcc.adapters.config.read import read_small
from verifflowcc.adapters.git.changed import changed_since as paths_changed_since
from verifflowcc.adapters.git.trace import GitPlace
from verifflowcc.adapters.index.trace import TraceIndex
from verifflowcc.adapters.index.trace_report_facts import report_from_text, report_to_text
from verifflowcc.domain.trace import EarlierFindings, TraceReport
from verifflowcc.domain.workflows import Workflow
from verifflowcc.errors import UsageError
from verifflowcc.formats.trace_findings import read_findings
from verifflowcc.records import dataclass, field
from verifflowcc.services.trace_looking import Looked, key_of, look
from verifflowcc.services.trace_reading import INDEX, nothing_collected
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.trace.narrow import narrow, only_new

if TYPE_CHECKING:
    from verifflowcc.services.trace_sources import SourcesRead

KNOWN_FINDINGS = f"{MEMORY}/project/baselines/trace-findings.json"
LARGEST_LIST_BYTES = 64 * 1024 * 1024
_NEVER_KNOWN = "nothing-to-evaluate|"
"""That there was nothing to look at can be no known finding: it would make every answer green."""


@dataclass(frozen=True, slots=True)
class ReportSeen:
    """A report of results: its name, how many tests it has, and why it does not count ("" where it does)."""

    name: str
    tests: int
    reason: str


@dataclass(frozen=True, slots=True)
class LookedAt:
    """How much a check looked at: item files, files of the project, files with marks, symbols or tests, and results.

    `reports` are the reports of results. `baseline` is the name of the one that drift is compared with, `target` the
    branch that ids are compared with.
    """

    items: int = 0
    unreadable: int = 0
    files: int = 0
    code: int = 0
    tests: int = 0
    reports: tuple[ReportSeen, ...] = ()
    baseline: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class TraceChecked:
    """What a check says, and of what: `workflow` is the name of the one whose rules hold.

    `prefix` is the project's folder in its repository. `known_list` is the file of known findings, `changed_since` what
    the findings were narrowed to, `new_since` the earlier commit whose findings are left out, each None where there is
    none.
    """

    report: TraceReport
    workflow: str
    looked_at: LookedAt = field(default_factory=LookedAt)
    prefix: str = ""
    known_list: str | None = None
    changed_since: str | None = None
    notices: tuple[str, ...] = ()
    new_since: str | None = None


def check_trace(
    workspace: Workspace,
    *,
    junit: Sequence[str] = (),
    changed_since: str | None = None,
    baseline: str | None = None,
    workflow: Workflow | None = None,
    earlier: EarlierFindings | None = None,
) -> TraceChecked:
    """Return what all trace checks say; nothing is written but the index below `.memory/local/`.

    `junit` are reports of results and `baseline` a list of known findings, as paths from where vfcc runs; both come
    beside, or in place of, what `config.yaml` says. `changed_since` leaves the findings on files that changed since a
    commit, `earlier` those that were not there before. `workflow` is that of `config.yaml` where none is given.

    Raises UsageError for a list or a commit that is not there, FormatError and ConfigError for files that are not
    sound, WorkspaceError where something cannot be read at all.
    """
    looked = look(workspace, junit)
    known_list, known = _known(workspace, looked, baseline)
    changed = paths_changed_since(workspace.root, changed_since) if changed_since is not None else None
    with nothing_collected(), TraceIndex(workspace.local / INDEX) as index:
        whole = _whole(workspace, looked, workflow, index)
        notices = tuple(dict.fromkeys((*whole.notices, *index.notices)))
    report = only_new(narrow(whole.report, known=known, changed=changed), earlier)
    return TraceChecked(
        report,
        workflow.name if workflow else looked.config.workflow,
        looked_at=whole.looked_at,
        prefix=looked.place.prefix,
        known_list=known_list,
        changed_since=changed_since,
        notices=(*notices, *((earlier.problem,) if earlier and earlier.problem else ())),
        new_since=earlier.label if earlier else None,
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """The report on everything, before it is narrowed."""

    report: TraceReport
    looked_at: LookedAt
    notices: tuple[str, ...]


def _whole(workspace: Workspace, looked: Looked, workflow: Workflow | None, index: TraceIndex) -> _Whole:
    name = "report" if workflow is None else "report of a sprint"
    key = key_of(workspace, looked, workflow) if looked.settled else ""
    kept = index.recall(name, key) if key else None
    if kept is not None:
        return _from_text(kept)
    # A report that is kept needs nothing of what makes one, and every look at a gate asks for it.
    from verifflowcc.services.trace_policy import policy_of
    from verifflowcc.services.trace_sources import gather
    from verifflowcc.trace.check import check

    policy = policy_of(workspace, workflow)
    read = gather(workspace, looked, policy, index)
    whole = _Whole(check(read.sources, policy), _looked_at(read, looked.place), read.notices)
    if key:
        index.keep(name, key, _to_text(whole))
    return whole


def _looked_at(read: "SourcesRead", place: GitPlace) -> LookedAt:
    sources = read.sources
    return LookedAt(
        len(sources.items),
        len(sources.unreadable),
        len(sources.files),
        len(sources.code),
        len(sources.results.tests),
        tuple(ReportSeen(each.name, each.tests, each.problem or each.stale) for each in sources.results.reports),
        sources.baseline.name if sources.baseline else None,
        place.target,
    )


def _known(workspace: Workspace, looked: Looked, given: str | None) -> tuple[str | None, frozenset[str]]:
    """Return the list of known findings that holds, and its keys: the given one, the configuration's, the usual one."""
    configured = looked.config.trace.baseline
    if given is not None:
        path, name, inside = Path(given).absolute(), given, Path(given).absolute().parent
    else:
        name = configured or KNOWN_FINDINGS
        path, inside = workspace.root / name, workspace.root
    data = read_small(path, name, inside=inside, limit_bytes=LARGEST_LIST_BYTES)
    if data is None:
        if given is None and configured is None:
            return None, frozenset()
        hint = f"vfcc check trace --format baseline --output {name}"
        raise UsageError(f"there is no list of known findings {name}", hint=hint)
    return name, frozenset(key for key in read_findings(data, name) if not key.startswith(_NEVER_KNOWN))


def _to_text(whole: _Whole) -> str:
    seen = whole.looked_at
    counts = [seen.items, seen.unreadable, seen.files, seen.code, seen.tests]
    about = [
        counts,
        [[each.name, each.tests, each.reason] for each in seen.reports],
        seen.baseline,
        seen.target,
        list(whole.notices),
    ]
    return json.dumps(about, ensure_ascii=True) + "\n" + report_to_text(whole.report)


def _from_text(text: str) -> _Whole:
    about, _, report = text.partition("\n")
    (items, unreadable, files, code, tests), reports, baseline, target, notices = _about(about)
    named = tuple(ReportSeen(*each) for each in reports)
    seen = LookedAt(items, unreadable, files, code, tests, named, baseline, target)
    return _Whole(report_from_text(report), seen, tuple(notices))


def _about(text: str) -> Any:
    return json.loads(text)
