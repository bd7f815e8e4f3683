"""The files that a report reads: those of the checked-out commit in a scratch folder, or the working folder.

The scratch folder holds nothing that git does not keep, so that every clone of a commit gets the same report.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_patches import changed_from
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.report.rules.page_parts import Forge, forge_of


@dataclass(frozen=True, slots=True)
class ReportOrigin:
    """Where a report comes from: the project's name, its commit (None: none yet), and the day on which it is judged.

    `local` says that it also holds what other clones do not have; `uncommitted` counts the files that differ from the
    commit, in a local report alone.
    """

    project: str
    commit: str | None
    subject: str
    today: str
    forge: Forge | None = None
    local: bool = False
    uncommitted: int = 0


@dataclass(frozen=True, slots=True)
class DayClock:
    """The beginning of the day on which a report is judged: within a day, no clock moves a page."""

    day: str

    def now(self) -> datetime:
        """Return midnight in UTC."""
        return datetime.fromisoformat(self.day).replace(tzinfo=UTC)


@contextmanager
def report_source(workspace: Workspace, *, local: bool) -> Iterator[tuple[Workspace, ReportOrigin]]:
    """Give the project to read and where it comes from.

    Raises WorkspaceError where nothing is committed and the report is not local.
    """
    if local:
        yield Workspace(workspace.root, DayClock(workspace.today())), origin_of(workspace, local=True)
        return
    from verifflowcc.base.git.git_versions import commit_files, with_submodules
    from verifflowcc.gates.store.scratch_tree import scratch_of

    top, origin = top_of(workspace.root), origin_of(workspace, local=False)
    if top is None or origin.commit is None:
        raise WorkspaceError("there is no commit to report on", hint="git commit, or: vfcc report --local")
    prefix = workspace.root.resolve().relative_to(top.resolve()).as_posix()
    with scratch_of(top, origin.commit, {}) as scratch:
        scratch.become(with_submodules(top, commit_files(top, origin.commit)))
        root = scratch.tree / prefix
        if not (root / MEMORY).is_dir():
            raise WorkspaceError(
                f"the commit {origin.commit[:12]} has no {MEMORY}/",
                hint=f"git add {MEMORY} && git commit, or: vfcc report --local",
            )
        yield Workspace(root, DayClock(origin.today)), origin


def origin_of(workspace: Workspace, *, local: bool) -> ReportOrigin:
    """Return where a report of the project comes from, without reading its files."""
    root, today = workspace.root, workspace.today()
    if top_of(root) is None:
        return ReportOrigin(root.resolve().name, None, "", today, local=local)
    head = ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    commit = head.out.decode("ascii", "replace").strip() if head.code == 0 else None
    subject = _line(root, "log", "-1", "--format=%s", commit) if commit else ""
    remote = _line(root, "config", "--get", "remote.origin.url")
    prefix = _line(root, "rev-parse", "--show-prefix")
    forge = forge_of(remote, commit, prefix) if commit and remote else None
    return ReportOrigin(
        project=_name(remote, root),
        commit=commit,
        subject=subject,
        today=today,
        forge=forge,
        local=local,
        uncommitted=len(changed_from(root, commit)) if local and commit else 0,
    )


def _name(remote: str, root: Path) -> str:
    """Return the project's name: that of its repository on the remote, so that every clone has the same."""
    name = remote.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
    return name or root.resolve().name


def _line(root: Path, *words: str) -> str:
    done = ask_git(root, *words)
    return done.out.decode("utf-8", "replace").split("\n")[0].strip("\r") if done.code == 0 else ""
