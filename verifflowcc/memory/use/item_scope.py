"""The project that a command on items is about: none is needed for the person's own."""

import os
from collections.abc import Mapping

from verifflowcc.base.errors import NotAllowed, WorkspaceError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.item_values import GUARDED, Item, Relation, Status, Trust
from verifflowcc.base.model.people import needs_person
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import sha256
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.use.workspace import Workspace, open_workspace

# Which project this is, wherever its folder lies: what keeps its items apart from those of every other project.

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
    from verifflowcc.base.git.kept_identity import recall_repository  # few questions ask which project this is
    from verifflowcc.base.process.acting import clean_name

    given = clean_name(env.get(VARIABLE, ""))
    if given:
        return _identity(given.rpartition("@")[0] or given, None, given)
    stored = recall_repository(workspace.root, workspace.local)
    if stored is None:
        from verifflowcc.base.git.git_identity import read_repository

        found = read_repository(workspace.root, workspace.local)
        stored = (found.name, found.root, found.folder) if found else ("", None, "")
    name, root, folder = stored
    if root is None:
        real = workspace.root.resolve()
        name = clean_name(real.name or "project")
        digest = sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()
        return _identity(name, None, f"{name}@none-{digest[:8]}")
    name = f"{name}/{clean_name(folder)}" if folder else name
    return _identity(name, root, f"{name}@{root[:_SHORT]}")


def _identity(name: str, root: str | None, text: str) -> Identity:
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Identity(name, root, text, f"{slug(name, 'project')}-{digest[:_SHORT]}")


# Who may change what: an agent proposes what the person and the project remember, a person decides.

PREFERENCE = "preference"
_TRUST = {"human": Trust.HUMAN, "agent": Trust.AGENT, "external": Trust.EXTERNAL}


def is_person(actor: str) -> bool:
    """Say whether a person at a terminal acts.

    >>> is_person("human:You"), is_person("agent:coder")
    (True, False)
    """
    return actor.startswith("human:")


def trust_of(actor: str) -> Trust:
    """Return who vouches for what this actor writes."""
    return _TRUST.get(actor.partition(":")[0], Trust.TOOL)


def proposes(scope: str, actor: str) -> bool:
    """Say whether what this actor adds to a scope is only a proposal, until a person promotes it."""
    return scope in GUARDED and not is_person(actor)


def asks(scope: str, type_name: str) -> bool:
    """Say whether a change asks first, even a person: preferences steer every prompt in every project."""
    return scope == "user" and type_name == PREFERENCE


def would_replace(item: Item) -> bool:
    """Say whether an item supersedes others where it is not pending: also an archived one does, which held once."""
    return any(link.relation == Relation.SUPERSEDES for link in item.links) or bool(
        item.decision and item.decision.supersedes
    )


def require_person(actor: str, doing: str, *, hint: str) -> None:
    """Raise NotAllowed unless a person acts; `doing` says what (`promoting`)."""
    if not is_person(actor):
        raise NotAllowed(needs_person(doing, actor), hint=hint)


def require_change(item: Item, scope: str, actor: str, doing: str, *, hint: str) -> None:
    """Raise NotAllowed where an item is not for this actor to change: whatever is pending is anybody's."""
    if scope in GUARDED and item.status is not Status.PENDING:
        where = "the person" if scope == "user" else "the project"
        require_person(actor, f"{doing} {item.id}, which {where} remembers,", hint=hint)


def workspace_for(scope: str | None) -> Workspace | None:
    """Return the project of the current folder; None where there is none and only user items are asked for.

    Raises WorkspaceError where there is none and one is needed.
    """
    try:
        return open_workspace()
    except WorkspaceError:
        if scope == USER:
            return None
        raise
