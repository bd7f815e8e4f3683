"""Note that items were used, in a log that git ignores: a read changes no item."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.files.private import USER, user_home
from verifflowcc.domain.ports import Clock
from verifflowcc.errors import VfccError
from verifflowcc.services.workspace import Workspace

PROJECT = "project"


def note_uses(workspace: Workspace | None, ids_by_scope: Mapping[str, Sequence[str]], by: str) -> tuple[str, ...]:
    """Note one use of each item; `by` is what used it (`context`, `show`). Return notices where that cannot be done.

    `ids_by_scope` has the items' ids by their scope. Uses of a task's items are not noted: they end with it. Outside of
    a project, only those of user items are. `vfcc memory maintain` merges the log into the items.
    """
    notices: list[str] = []
    for of_user in (True, False):
        wanted = {
            scope: tuple(dict.fromkeys(ids))
            for scope, ids in ids_by_scope.items()
            if ids and not scope.startswith("task/") and (scope == USER) is of_user
        }
        if wanted and (of_user or workspace is not None):
            notices += _noted(workspace, wanted, by, of_user=of_user)
    return tuple(notices)


def log_folder(workspace: Workspace | None, *, of_user: bool) -> tuple[Path, Path]:
    """Return the folder of a log, and the folder that it must not leave. Raises WorkspaceError where there is no home.

    Outside of a project there is the user's log alone.
    """
    if of_user or workspace is None:
        home = user_home()
        return home / USER / "local", home
    return workspace.local, workspace.memory


def _noted(workspace: Workspace | None, wanted: Mapping[str, Sequence[str]], by: str, *, of_user: bool) -> list[str]:
    from verifflowcc.adapters.clock import SystemClock
    from verifflowcc.adapters.files.access_log import append_lines
    from verifflowcc.formats.access_lines import access_line

    clock: Clock = workspace.clock if workspace else SystemClock()
    at = f"{clock.now():%Y-%m-%dT%H:%M:%SZ}"
    try:
        folder, inside = log_folder(workspace, of_user=of_user)
        append_lines(folder, inside, b"".join(access_line(at, by, scope, wanted[scope]) for scope in sorted(wanted)))
    except VfccError as error:
        return [f"uses are not counted: {error.message}"]
    return []
