"""Write what clients read of a project besides their hooks, and take it away again to the byte.

A file may be read by several clients: it goes when the last of them does. What was written is remembered in
`.memory/doors.json`, which is committed.
"""

from collections.abc import Sequence
from contextlib import nullcontext

from verifflowcc.adapters.config.tools_yaml import read_tools
from verifflowcc.adapters.files.integrations import (
    load_records,
    missing_folders,
    read_link,
    read_text,
    remove_empty,
    save_records,
    write_link,
    write_text,
)
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.files.text_file import small_text
from verifflowcc.clients.door_files import DoorPlan, door_installed, door_removed
from verifflowcc.clients.doors import Door, DoorKind, DoorTexts, RoleAgent, doors_of
from verifflowcc.clients.files import Outcome
from verifflowcc.errors import FormatError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.skill_texts import NAMES, skill_text
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.json_edit import Record

MANIFEST = "doors.json"
WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class DoorFile:
    """What was done with a file, or would be, for these clients."""

    clients: tuple[str, ...]
    path: str
    outcome: Outcome
    """`written`, `removed`, `nothing` (to do) or `edited` (and left as it is)."""


@dataclass(frozen=True, slots=True)
class _Work:
    door: Door
    clients: tuple[str, ...]
    before: str | None
    record: Record | None
    plan: DoorPlan


def set_up_doors(
    workspace: Workspace,
    clients: Sequence[str],
    *,
    uninstall: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> tuple[DoorFile, ...]:
    """Write or remove the doors of clients; an edited file stays, unless `force`.

    All files are read and decided on before the first is written. Raises WorkspaceError, FormatError, ConflictError.
    """
    with nullcontext() if dry_run else locked(workspace.local / "integrate.lock", WAIT_S):
        records = load_records(workspace.memory / MANIFEST)
        texts = door_texts(workspace)
        wanted: dict[str, tuple[Door, list[str]]] = {}
        for client in clients:
            for door in doors_of(client, texts):
                wanted.setdefault(door.path, (door, []))[1].append(client)
        if uninstall:
            wanted |= _of_older_texts(records, wanted, clients)
        works = [
            _decided(workspace, door, names, records.get(path), uninstall=uninstall, force=force)
            for path, (door, names) in wanted.items()
        ]
        if not dry_run:
            for work in works:
                _carry_out(workspace, work)
            if uninstall:  # one file of a folder brought it, and another may be the last in it
                remove_empty(workspace.root, tuple(each for work in works for each in _folders(work)))
    return tuple(DoorFile(work.clients, work.door.path, work.plan.outcome) for work in works)


def door_texts(workspace: Workspace) -> DoorTexts:
    """Return what the doors of a project are made of: the shipped skills, and the project's roles."""
    folder = workspace.memory / "agent"
    roles = [_role(workspace, path.parent.name) for path in sorted(folder.glob("*/prompt.md"))]
    return DoorTexts({name: skill_text(name) for name in NAMES}, roles)


def description_of(role: str) -> str:
    """Return what a client lists of a role's agent."""
    return f"Works as the {role.replace('_', ' ')} of a sprint, with the tools that this role may use."


def _role(workspace: Workspace, name: str) -> RoleAgent:
    folder = workspace.memory / "agent" / name
    tools = read_tools(folder / "tools.yaml", workspace.root) or {"read": None}
    return RoleAgent(name, description_of(name), small_text(folder / "prompt.md"), tuple(tools))


def _of_older_texts(
    records: dict[str, Record], wanted: dict[str, tuple[Door, list[str]]], clients: Sequence[str]
) -> dict[str, tuple[Door, list[str]]]:
    """Return the files that were written for a role or skill that is gone since: their record knows them."""
    found = {}
    for path, record in records.items():
        owners = [client for client in clients if client in record.client.split()]
        if path not in wanted and owners:
            found[path] = (Door(path, DoorKind.FILE), owners)
    return found


def _decided(
    workspace: Workspace, door: Door, clients: list[str], record: Record | None, *, uninstall: bool, force: bool
) -> _Work:
    is_link = door.kind is DoorKind.LINK
    text = read_link(workspace.root, door.path) if is_link else read_text(workspace.root, door.path)
    owners = set(record.client.split()) if record else set()
    try:
        if not uninstall:
            names = " ".join(sorted(owners | set(clients)))
            plan = door_installed(text, door, record, names, force=force)
        elif rest := owners - set(clients):
            kept = replace(record, client=" ".join(sorted(rest))) if record else None
            plan = DoorPlan(Outcome.NOTHING, text, kept)
        else:
            plan = door_removed(text, door, record, force=force)
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, ValueError) else "it is nested too deep"
        where = f":{words.removeprefix('line ')}" if words.startswith("line ") else f": {words}"
        raise FormatError(f"{door.path}{where}", hint=f"mend {door.path}; nothing was written") from error
    return _Work(door, tuple(clients), text, record, plan)


def _folders(work: _Work) -> tuple[str, ...]:
    return work.record.folders if work.record and work.plan.record is None else ()


def _carry_out(workspace: Workspace, work: _Work) -> None:
    """Write the record before the file, and remove it after: a file without its record could not be undone whole."""
    manifest, path = workspace.memory / MANIFEST, work.door.path
    new, outcome = work.plan.record, work.plan.outcome
    if outcome is Outcome.WRITTEN and new:
        made = missing_folders(workspace.root, path)
        folders = tuple(dict.fromkeys((*(work.record.folders if work.record else ()), *made)))
        records = load_records(manifest)
        save_records(manifest, {**records, path: replace(new, folders=folders)})
        try:
            _write(workspace, work)
        except BaseException:
            save_records(manifest, records)
            remove_empty(workspace.root, made)
            raise
        return
    if outcome is Outcome.REMOVED:
        _write(workspace, work)
    if outcome is Outcome.EDITED or new == work.record:
        return
    records = load_records(manifest)
    records.pop(path, None)
    if new is not None:
        records[path] = new
    save_records(manifest, records)


def _write(workspace: Workspace, work: _Work) -> None:
    if work.door.kind is DoorKind.LINK:
        write_link(workspace.root, work.door.path, work.plan.text)
    else:
        write_text(workspace.root, work.door.path, work.plan.text, work.before)
