"""What a trace check would look at, seen from outside: stamps, digests and ids, with nothing parsed.

The key of a report is made of it: while none of this changes, the same question has the same answer.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from verifflowcc import __version__
from verifflowcc.adapters.files.item_walk import MemoryWalk, walk_memory
from verifflowcc.adapters.files.layout import as_on_disk
from verifflowcc.adapters.files.on_path import program_stamp
from verifflowcc.adapters.git.trace import GitPlace, find_place
from verifflowcc.adapters.project.content import digest_file, project_content
from verifflowcc.adapters.workflows.load import workflow_text
from verifflowcc.domain.config import Config
from verifflowcc.domain.sprints import Workflow
from verifflowcc.records import dataclass
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_bytes
from verifflowcc.text.record_codec import plain_text


@dataclass(frozen=True, slots=True)
class Looked:
    """A project from outside.

    `walk` is all that is committed below `.memory/`, `content` every file of the project with its digest, `place` where
    git has it. `reports` maps each report of results (those of the configuration, then those given) to the digest of
    its bytes, "" where there is none that can be read.
    """

    config: Config
    walk: MemoryWalk
    content: Mapping[str, str]
    place: GitPlace
    reports: Mapping[str, str]

    @property
    def settled(self) -> bool:
        """Whether all of it can be told again by its stamps."""
        return not self.walk.fresh and not self.walk.linked


def look(workspace: Workspace, junit: Sequence[str] = ()) -> Looked:
    """Look at a project. `junit` are reports given beside those of the configuration, relative to where vfcc runs.

    Raises ConfigError where the configuration is not sound, WorkspaceError where the project cannot be read.
    """
    config = effective_config(workspace).config
    walk = walk_memory(workspace.root)
    content = project_content(workspace.root, workspace.local)
    place = find_place(workspace.root, config.trace.target)
    reports = {str(path): _digest(path) for path in report_paths(workspace, config, junit)}
    return Looked(config, walk, content, place, reports)


def report_paths(workspace: Workspace, config: Config, junit: Sequence[str]) -> tuple[Path, ...]:
    """Return the paths of all reports, each once: those of the configuration lie in the project."""
    own = [workspace.root / as_on_disk(name) for name in config.trace.reports]
    return tuple(dict.fromkeys([*own, *(Path(name).absolute() for name in junit)]))


def key_of(workspace: Workspace, looked: Looked, workflow: Workflow | None) -> str:
    """Return the key of the report on what was looked at, under a workflow (None: that of the configuration)."""
    rules = (
        digest_bytes(workflow_text(workspace.memory, looked.config.workflow)[0])
        if workflow is None
        else plain_text(workflow)
    )
    whole = sha256()
    parts = (
        (__version__, program_stamp(), workspace.today(), looked.config.digest, rules, looked.place.key),
        (f"{path} {digest}" for path, digest in looked.reports.items()),
        (f"{path} {stamp}" for path, stamp in sorted(looked.walk.stamps.items())),
        (f"{path} {reason}" for path, reason in sorted(looked.walk.problems.items())),
        (f"{path} {digest}" for path, digest in looked.content.items()),
    )
    for part in parts:
        whole.update("\0".join(part).encode("utf-8", "surrogatepass") + b"\1")
    return whole.hexdigest()


def _digest(path: Path) -> str:
    try:
        return digest_file(str(path)) if path.is_file() else ""
    except OSError:
        return ""
