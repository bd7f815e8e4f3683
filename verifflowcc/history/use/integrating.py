"""Set clients up to run vfcc at their hooks, and undo it: only those asked for, only hooks, only inside the project."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.model.agent_clients import FILES, HOOKS_MANIFEST
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.json_edit import Record
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client_entries import Target, next_steps, target_of
from verifflowcc.history.rules.client_files import ClientFilePlan, FileOutcome, installed, uninstalled
from verifflowcc.history.store.client_manifest import (
    load_records,
    missing_folders,
    read_text,
    remove_empty,
    save_records,
    write_text,
)

WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class ClientFile:
    """What was done with a client's file, or would be; `events` are those concerned, `steps` what is left to do."""

    client: str
    path: str
    outcome: FileOutcome
    """`written`, `removed`, `nothing` (to do) or `edited` (and left as it is)."""
    events: tuple[str, ...]
    steps: tuple[str, ...] = ()
    """What is left to do."""


@dataclass(frozen=True, slots=True)
class IntegrationResult:
    """What was done with each file, in the order asked for."""

    files: tuple[ClientFile, ...]
    dry_run: bool = False

    @property
    def edited(self) -> tuple[ClientFile, ...]:
        """Files that were left as they are, because somebody edited vfcc's entries in them."""
        return tuple(each for each in self.files if each.outcome is FileOutcome.EDITED)


@dataclass(frozen=True, slots=True)
class _Work:
    """A file that was read, and what is to become of it."""

    target: Target
    before: str | None
    plan: ClientFilePlan


def manifest_of(workspace: Workspace, target: Target) -> Path:
    """Return where it is kept what vfcc wrote: committed, or with what is for one person alone."""
    return (workspace.local if target.local else workspace.memory) / HOOKS_MANIFEST


def targets(clients: Sequence[str], *, local: bool = False) -> tuple[Target, ...]:
    """Return the files of clients, each once. Raises UsageError for a client that is not known."""
    for client in clients:
        if client not in FILES:
            raise UsageError(
                f"no client is called {client}; there are {', '.join(FILES)}", hint="vfcc integrate --help"
            )
        if local and client != "claude":
            raise UsageError(
                f"{client} has no file that is for one person alone: --local is for claude",
                hint="vfcc integrate claude",
            )
    return tuple(target_of(client, local=local) for client in dict.fromkeys(clients))


def integrate(
    workspace: Workspace,
    wanted: Sequence[Target],
    *,
    uninstall: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> IntegrationResult:
    """Put vfcc's entries into clients' files, or take them out; entries that somebody edited stay, unless `force`.

    All files are read and decided on before the first is written. Raises WorkspaceError, FormatError, ConflictError.
    """
    with nullcontext() if dry_run else locked(workspace.local / "integrate.lock", WAIT_S):
        works = [_decided(workspace, target, uninstall=uninstall, force=force) for target in wanted]
        if not dry_run:
            for work in works:
                _carry_out(workspace, work)
    return IntegrationResult(tuple(_client_file(work, uninstall=uninstall) for work in works), dry_run)


def _decided(workspace: Workspace, target: Target, *, uninstall: bool, force: bool) -> _Work:
    text = read_text(workspace.root, target.path)
    record = load_records(manifest_of(workspace, target)).get(target.path)
    decide = uninstalled if uninstall else installed
    try:
        return _Work(target, text, decide(text, target, record, force=force))
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, ValueError) else "it is nested too deep"
        where = f":{words.removeprefix('line ')}" if words.startswith("line ") else f": {words}"
        raise FormatError(f"{target.path}{where}", hint=f"mend {target.path}; nothing was written") from error


def _carry_out(workspace: Workspace, work: _Work) -> None:
    """Write the record before the file, and remove it after: a file without its record could not be undone whole."""
    manifest = manifest_of(workspace, work.target)
    records = load_records(manifest)
    old, path = records.get(work.target.path), work.target.path
    new = work.plan.record
    if work.plan.outcome is FileOutcome.WRITTEN and new:
        made = missing_folders(workspace.root, path)
        folders = tuple(dict.fromkeys((*(old.folders if old else ()), *made)))
        save_records(manifest, {**records, path: replace(new, folders=folders)})
        try:
            write_text(workspace.root, path, work.plan.text, work.before)
        except BaseException:
            save_records(manifest, records)
            remove_empty(workspace.root, made)
            raise
    elif work.plan.outcome is FileOutcome.REMOVED:
        write_text(workspace.root, path, work.plan.text, work.before)
        _forget(workspace, manifest, records, path)
    elif work.plan.outcome is FileOutcome.NOTHING and old and new is None:
        _forget(workspace, manifest, records, path)


def _forget(workspace: Workspace, manifest: Path, records: dict[str, Record], path: str) -> None:
    record = records.pop(path, None)
    if record is None:
        return
    save_records(manifest, records)
    if not (workspace.root / path).exists():
        remove_empty(workspace.root, record.folders)


def _client_file(work: _Work, *, uninstall: bool) -> ClientFile:
    outcome, target = work.plan.outcome, work.target
    steps: tuple[str, ...] = ()
    if outcome is FileOutcome.EDITED:
        words = f"vfcc integrate {target.client}{' --local' if target.local else ''}"
        steps = (f"{words}{' --uninstall' if uninstall else ''} --force",)
    elif outcome is FileOutcome.WRITTEN:
        steps = next_steps(target.client, target.path)
    return ClientFile(target.client, target.path, outcome, work.plan.events, steps)
