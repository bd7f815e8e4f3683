"""Set clients up: their hooks, and all else that they read of a project."""

from collections.abc import Sequence
from contextlib import nullcontext

from verifflowcc.base.config.tools_file import read_tools
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.text_files import small_text
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.json_edit import Record
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_doors import Door, DoorKind, DoorTexts, RoleAgent
from verifflowcc.history.rules.client_entries import SETUPS, doors_of
from verifflowcc.history.rules.client_files import DoorPlan, FileOutcome, door_installed, door_removed
from verifflowcc.history.store.client_manifest import (
    load_records,
    missing_folders,
    read_link,
    read_text,
    remove_empty,
    save_records,
    write_link,
    write_text,
)
from verifflowcc.history.use.integrating import ClientFile, IntegrationResult, integrate, targets
from verifflowcc.sprint.store.workflow_load import templates_folder

# The skills that are shipped: procedures that a client's agent opens when it needs one.

NAMES = ("vfcc-start", "vfcc-stage", "vfcc-handoff", "vfcc-review", "vfcc-trace")


def skill_text(name: str) -> str:
    """Return a skill's file, with its front matter."""
    return (templates_folder() / "skills" / name / "SKILL.md").read_text(encoding="utf-8")


def skill_body(name: str) -> str:
    """Return a skill's procedure, without its front matter."""
    return skill_text(name).split("---\n", 2)[2]


# Write what clients read of a project besides their hooks, and take it away again to the byte.
#
# A file may be read by several clients: it goes when the last of them does. What was written is remembered in
# `.memory/doors.json`, which is committed.

MANIFEST = "doors.json"
WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class DoorFile:
    """What was done with a file, or would be, for these clients."""

    clients: tuple[str, ...]
    path: str
    outcome: FileOutcome
    """`written`, `removed`, `nothing` (to do) or `edited` (and left as it is)."""


@dataclass(frozen=True, slots=True)
class _SetupStep:
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
    return f"The {role.replace('_', ' ')} of a sprint."


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
) -> _SetupStep:
    is_link = door.kind is DoorKind.LINK
    text = read_link(workspace.root, door.path) if is_link else read_text(workspace.root, door.path)
    owners = set(record.client.split()) if record else set()
    try:
        if not uninstall:
            names = " ".join(sorted(owners | set(clients)))
            plan = door_installed(text, door, record, names, force=force)
        elif rest := owners - set(clients):
            kept = replace(record, client=" ".join(sorted(rest))) if record else None
            plan = DoorPlan(FileOutcome.NOTHING, text, kept)
        else:
            plan = door_removed(text, door, record, force=force)
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, ValueError) else "it is nested too deep"
        where = f":{words.removeprefix('line ')}" if words.startswith("line ") else f": {words}"
        raise FormatError(f"{door.path}{where}", hint=f"mend {door.path}; nothing was written") from error
    return _SetupStep(door, tuple(clients), text, record, plan)


def _folders(work: _SetupStep) -> tuple[str, ...]:
    return work.record.folders if work.record and work.plan.record is None else ()


def _carry_out(workspace: Workspace, work: _SetupStep) -> None:
    """Write the record before the file, and remove it after: a file without its record could not be undone whole."""
    manifest, path = workspace.memory / MANIFEST, work.door.path
    new, outcome = work.plan.record, work.plan.outcome
    if outcome is FileOutcome.WRITTEN and new:
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
    if outcome is FileOutcome.REMOVED:
        _write(workspace, work)
    if outcome is FileOutcome.EDITED or new == work.record:
        return
    records = load_records(manifest)
    records.pop(path, None)
    if new is not None:
        records[path] = new
    save_records(manifest, records)


def _write(workspace: Workspace, work: _SetupStep) -> None:
    if work.door.kind is DoorKind.LINK:
        write_link(workspace.root, work.door.path, work.plan.text)
    else:
        write_text(workspace.root, work.door.path, work.plan.text, work.before)


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What was done with each file of clients, or would be; `steps` are what only a person can do."""

    files: tuple[ClientFile, ...]
    """Files with hooks."""
    doors: tuple[DoorFile, ...]
    """Files with instructions, skills, agents and the MCP server."""
    steps: tuple[str, ...] = ()
    """What is left for a person."""
    dry_run: bool = False

    @property
    def edited(self) -> tuple[str, ...]:
        """Files that were left as they are, because vfcc's part of them was edited."""
        return tuple(path for path, outcome in self.outcomes if outcome is FileOutcome.EDITED)

    @property
    def changed(self) -> tuple[str, ...]:
        """Files that are not as they would be written."""
        return tuple(path for path, outcome in self.outcomes if outcome is not FileOutcome.NOTHING)

    @property
    def outcomes(self) -> tuple[tuple[str, FileOutcome], ...]:
        """Every file with what was done, or would be."""
        hooks = [(each.path, each.outcome) for each in self.files]
        return (*hooks, *((each.path, each.outcome) for each in self.doors))


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What is asked for: `hooks_only` leaves out all but hooks, as `local` does."""

    clients: tuple[str, ...]
    local: bool = False
    hooks_only: bool = False
    uninstall: bool = False
    force: bool = False
    dry_run: bool = False


def clients_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return clients, each once. Raises UsageError for one that is not known."""
    for name in names:
        if name not in SETUPS:
            near = nearest(name, SETUPS)
            more = f"did you mean {near}?" if near else f"there are {', '.join(SETUPS)}"
            raise UsageError(f"no client is called {name}; {more}", hint="vfcc integrate --help")
    return tuple(dict.fromkeys(names))


def set_up_clients(workspace: Workspace, request: SetupRequest) -> ClientSetup:
    """Write what clients read, or remove it: hooks first, and last where both are in one file. Raises as both do."""
    hooked = [each for each in request.clients if each in FILES or request.local]
    wanted = targets(hooked, local=request.local)

    def hooks() -> IntegrationResult:
        return integrate(workspace, wanted, uninstall=request.uninstall, force=request.force, dry_run=request.dry_run)

    if request.hooks_only or request.local:
        return ClientSetup(hooks().files, (), (), request.dry_run)
    done = None if request.uninstall else hooks()
    doors = set_up_doors(
        workspace, request.clients, uninstall=request.uninstall, force=request.force, dry_run=request.dry_run
    )
    done = done or hooks()
    written = {client for each in doors if each.outcome is FileOutcome.WRITTEN for client in each.clients}
    steps = [step for client in request.clients if client in written for step in client_of(client).first_steps]
    return ClientSetup(done.files, doors, tuple(steps), request.dry_run)
