"""Which project this is, wherever its folder lies: what keeps its items apart from those of every other project."""

import hashlib
import os
from collections.abc import Mapping

from verifflowcc.adapters.actor import clean_name
from verifflowcc.adapters.git.identity import recall_repository
from verifflowcc.records import dataclass
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.slug import slug

VARIABLE = "VFCC_PROJECT"
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Identity:
    """A project's identity.

    `text` is the whole of it, `name` what people call it; `root` is the whole id of the repository's first commit, None
    where there is none, or where the environment names the project. `folder` is a name for it that every file system
    takes, another one for each other identity. No file of the project has a word in it: a cloned one could claim the
    items of another.
    """

    name: str
    root: str | None
    text: str
    folder: str


def identity_of(workspace: Workspace, env: Mapping[str, str] = os.environ) -> Identity:
    """Return the identity of a project: VFCC_PROJECT of the environment, else its repository's name and root.

    `<name>@<first 12 digits of the first commit>`; the name of a project in a subfolder has that folder behind it.
    Without git or a commit it is `<folder>@none-<8 digits that follow from the folder's real path>`. Raises
    WorkspaceError where git cannot tell (a shallow clone, a repository of another user).
    """
    given = clean_name(env.get(VARIABLE, ""))
    if given:
        return _identity(given.rpartition("@")[0] or given, None, given)
    told = recall_repository(workspace.root, workspace.local)
    if told is None:
        from verifflowcc.adapters.git.identity import read_repository

        found = read_repository(workspace.root, workspace.local)
        told = (found.name, found.root, found.folder) if found else ("", None, "")
    name, root, folder = told
    if root is None:
        real = workspace.root.resolve()
        name = clean_name(real.name or "project")
        digest = hashlib.sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()
        return _identity(name, None, f"{name}@none-{digest[:8]}")
    name = f"{name}/{clean_name(folder)}" if folder else name
    return _identity(name, root, f"{name}@{root[:_SHORT]}")


def _identity(name: str, root: str | None, text: str) -> Identity:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Identity(name, root, text, f"{slug(name, 'project')}-{digest[:_SHORT]}")
