"""What is recorded of the project's files when a stage is entered that does not edit all of them."""

from verifflowcc.adapters.files.write import on_disk
from verifflowcc.adapters.git.protected import head_commit, uncommitted_files
from verifflowcc.adapters.project.content import KnownDigests, digest_all
from verifflowcc.domain.events import Json
from verifflowcc.domain.sprints import Edits, Workflow
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.workspace import Workspace

MOST_UNCOMMITTED = 200
"""So many files are recorded with their digests; of more, nothing but the commit is."""


def entry_fields(workspace: Workspace, workflow: Workflow | None, entered: str | None) -> dict[str, Json]:
    """Return the fields that an event which enters a stage has more: the commit, and what was not in it.

    Nothing for a stage that edits everything, and where there is no commit.
    """
    stage = workflow.stage(entered) if workflow and entered else None
    head = head_commit(workspace.root) if stage and stage.edits is not Edits.ALL else None
    if head is None:
        return {}
    try:
        paths = uncommitted_files(workspace.root)
    except WorkspaceError:
        return {"head": head}
    if len(paths) > MOST_UNCOMMITTED:
        return {"head": head}
    root = workspace.root
    digests = digest_all(((path, on_disk(root, path)) for path in paths), KnownDigests(None), root)[0]
    return {"head": head, "uncommitted": {path: digests.get(path) for path in paths}}
