"""What `vfcc doctor` reports of clients: whether their hooks and files are as written, and whether hooks can run."""

import json
from collections.abc import Iterator, Mapping

from verifflowcc.base.errors import FileErrors, VfccError
from verifflowcc.base.files import installed as on_path
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.model.ports import Health, Remark
from verifflowcc.base.records import dataclass
from verifflowcc.base.text import json_edit
from verifflowcc.base.text.json_edit import Record
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_entries import (
    EVENTS,
    MISPLACED,
    Target,
    faults,
    misplaced,
    next_steps,
    target_of,
    untrusted,
)
from verifflowcc.history.rules.client_files import FileOutcome, HookEntries, found_in
from verifflowcc.history.rules.event_shape import moment
from verifflowcc.history.store.client_manifest import load_records, read_text
from verifflowcc.history.store.history_tables import FILE, sizes_read
from verifflowcc.history.use.client_setup import MANIFEST, set_up_doors
from verifflowcc.history.use.history_reading import history_files
from verifflowcc.history.use.integrating import manifest_of

# What the logs of faults say in short, for `vfcc doctor`: how many there are, and the newest.

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class FaultSummary:
    """The number of faults in a log, and the newest: when it was (with a comma before it), of what, and its words."""

    count: int
    when: str
    source: str
    words: str


def newest_fault(workspace: Workspace, name: str) -> FaultSummary | None:
    """Return what a log below `.memory/` says in short; None where it is empty or cannot be read."""
    try:
        text = read_text(workspace.root, f"{MEMORY}/{name}") or ""
    except VfccError:
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return None
    when, source, words = "", "", "a line that is no JSON"
    try:
        newest = json.loads(lines[-1])
        words = " ".join(str(newest["error"]).split())[:_LONGEST]
        source = " ".join(str(newest.get("source", "")).split())[:_LONGEST]
        when = f", {moment(int(newest['time']))}"
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, AttributeError):
        pass  # what can be read of it is shown
    return FaultSummary(len(lines), when, source, words)


# What `vfcc doctor` says of the history: how much of it there is, and whether its tables are behind.

HEALTH_AREA = "history"
LARGE_BYTES = 200 * 1024 * 1024


def history_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield what there is to say of the history. Nothing is read into its tables by this."""
    files = history_files(workspace)
    if not files:
        yield Remark(HEALTH_AREA, Health.OK, "nothing was recorded")
        return
    with FileErrors("read"):
        size = sum(path.stat().st_size for path in files)
    behind = size - sum(sizes_read(workspace.local / FILE).values())
    days = "1 file" if len(files) == 1 else f"{len(files):,} files"
    size_text = f"{_kib(size)} in {days}"
    if behind > 0:
        yield Remark(
            HEALTH_AREA, Health.OK, f"{size_text}; its tables are {_kib(behind)} behind, which the next question reads"
        )
    else:
        yield Remark(HEALTH_AREA, Health.OK, f"{size_text}; its tables are up to it")
    if size > LARGE_BYTES:
        yield Remark(HEALTH_AREA, Health.NOTE, f"the history takes {_kib(size)}", "vfcc history prune --older-than 90d")


def _kib(size_bytes: int) -> str:
    return f"{(size_bytes + 1023) // 1024:,} KiB"


AREA, CLIENTS_AREA = "hooks", "clients"
_MOST_NAMED = 3
ERRORS = "local/hook-errors.jsonl"
MODULES = (
    "verifflowcc",
    "verifflowcc.base",
    "verifflowcc.base.model",
    "verifflowcc.base.model.agent_clients",
    "verifflowcc.base.model.protected_paths",
    "verifflowcc.base.text",
    "verifflowcc.base.text.identifiers",
    "verifflowcc.base.text.quick_json",
    "verifflowcc.base.text.secrets",
    "verifflowcc.fast",
    "verifflowcc.fast.hook",
    "verifflowcc.fast.status",
    "verifflowcc.history",
    "verifflowcc.history.rules",
    "verifflowcc.history.rules.client",
    "verifflowcc.history.rules.event_shape",
    "verifflowcc.history.rules.permission",
    "verifflowcc.history.rules.shell_commands",
    "verifflowcc.history.rules.touches",
    "verifflowcc.history.store",
    "verifflowcc.history.store.partitions",
)
"""Of vfcc's own code, what a hook that only records imports at least."""

_TARGETS = (*(target_of(client) for client in FILES), target_of("claude", local=True))


def hooks_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield what there is to say of the hooks of each client, and of the program that they start."""
    some = False
    for target in _TARGETS:
        records = load_records(manifest_of(workspace, target))
        for remark in _of_file(workspace, target, records.get(target.path)):
            some = True
            yield remark
    for path, client in MISPLACED.items():
        if misplaced(path, _text(workspace, path)):
            some = True
            text = f"{path} holds hooks, and {client} does not read it: they belong in {FILES[client]}"
            yield Remark(AREA, Health.FINDING, text, f"vfcc integrate {client}")
    if some:
        yield from _program()
        yield from _byte_code()
    else:
        yield Remark(AREA, Health.OK, "no client runs vfcc at its hooks")
    yield from _errors(workspace)


def _of_file(workspace: Workspace, target: Target, record: Record | None) -> Iterator[Remark]:
    """Yield nothing of a file that vfcc has nothing to do with."""
    command = f"vfcc integrate {target.client}{' --local' if target.local else ''}"
    try:
        text = read_text(workspace.root, target.path)
        if text is None:
            if record:
                yield Remark(AREA, Health.FINDING, f"{target.path} is gone, and its hooks with it", command)
            return
        found = found_in(text, target)
    except (VfccError, ValueError, RecursionError) as error:
        if record or "vfcc" in _text(workspace, target.path):
            problem = str(error).replace("\n", "; ")
            about = problem if problem.startswith(target.path) else f"{target.path}: {problem}"
            yield Remark(AREA, Health.FINDING, about, f"mend {target.path}")
        return
    wrong = list(faults(target.client, found.value))
    if not (record or found.sound or found.edited or any("beside" in each.words for each in wrong)):
        return
    yield from _of_entries(target, found, command)
    for fault in wrong:
        text = f"{target.path}: {fault.words}, so that the hook does not run"
        yield Remark(AREA, Health.FINDING, text, f"{command} --force" if fault.rewritten else f"mend {target.path}")
    yield from _switched_off(workspace, target)
    yield from _run_twice(workspace, target, found)
    if target.client == "codex":
        yield from _trust(workspace, target, found.value)


def _of_entries(target: Target, found: HookEntries, command: str) -> Iterator[Remark]:
    missing = [each for each in EVENTS[target.client] if each not in (*found.sound, *found.edited)]
    if found.edited:
        text = f"{target.path}: somebody changed vfcc's hooks for {', '.join(found.edited)}"
        yield Remark(AREA, Health.FINDING, text, f"{command} --force")
    if missing:
        text = f"{target.path}: vfcc's hooks for {', '.join(missing)} are missing"
        yield Remark(AREA, Health.FINDING, text, command)
    if not (found.edited or missing):
        yield Remark(AREA, Health.OK, f"{target.client}: {len(found.sound)} hooks in {target.path}")


def _switched_off(workspace: Workspace, target: Target) -> Iterator[Remark]:
    for path in client_of(target.client).switches:
        try:
            value = json_edit.checked(_text(workspace, path))
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("disableAllHooks") is True:
            text = f"{path}: disableAllHooks turns all hooks of {target.client} off"
            yield Remark(AREA, Health.FINDING, text, f"take disableAllHooks out of {path}")


def _run_twice(workspace: Workspace, target: Target, found: HookEntries) -> Iterator[Remark]:
    """Yield a note where the client's plugin brings the same hooks: each event counts once, and starts vfcc twice."""
    if found.sound and on_path.has_plugin(workspace.root, target.client):
        text = f"{target.client} runs vfcc twice for each event: at its plugin's hooks, and at those in {target.path}"
        yield Remark(AREA, Health.NOTE, text, f"{target.client} plugin remove {on_path.PLUGIN}")


def _trust(workspace: Workspace, target: Target, value: Mapping[str, object]) -> Iterator[Remark]:
    try:
        config = on_path.codex_config()
    except VfccError as error:
        yield Remark(AREA, Health.NOTE, error.message.replace("\n", "; "))
        return
    if config is not None and (why := untrusted(config, str(workspace.root), value)):
        yield Remark(AREA, Health.NOTE, why, next_steps("codex", target.path)[0].partition(": ")[2])


def door_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield what there is to say of the files, beside hooks, that `vfcc integrate` wrote: missing, older, edited."""
    records = load_records(workspace.memory / MANIFEST)
    clients = sorted({name for record in records.values() for name in record.client.split()})
    if not clients:
        return
    command = f"vfcc integrate {' '.join(clients)}"
    groups: dict[str, list[str]] = {"missing": [], "older": [], "edited": []}
    for door in set_up_doors(workspace, clients, dry_run=True):
        if door.outcome is FileOutcome.EDITED:
            groups["edited"].append(door.path)
        elif door.outcome is FileOutcome.WRITTEN:
            there = (workspace.root / door.path).is_symlink() or (workspace.root / door.path).exists()
            groups["older" if there else "missing"].append(door.path)
    about = {
        "missing": ("missing", command),
        "older": ("not as this version of vfcc writes it", command),
        "edited": ("edited in vfcc's part", f"{command} --force"),
    }
    for name, paths in groups.items():
        words, step = about[name]
        for path in paths[:_MOST_NAMED]:
            yield Remark(CLIENTS_AREA, Health.FINDING, f"{path}: {words}", step)
        if (more := len(paths) - _MOST_NAMED) > 0:
            yield Remark(CLIENTS_AREA, Health.FINDING, f"{more} more files: {words}", step)
    if not any(groups.values()):
        text = f"{len(records)} files for {', '.join(clients)} are as vfcc writes them"
        yield Remark(CLIENTS_AREA, Health.OK, text)


def _program() -> Iterator[Remark]:
    found = on_path.program()
    if found is None:
        text = "vfcc is not on PATH, so that no client finds it"
        yield Remark(AREA, Health.FINDING, text, "put the folder that holds vfcc on PATH, for the client too")
    elif by := on_path.wrapper(found):
        text = f"vfcc on PATH is {by}, which makes every hook slow"
        yield Remark(AREA, Health.NOTE, text, "put the folder of the real vfcc first on PATH")
    else:
        yield Remark(AREA, Health.OK, f"they start {found}")


def _byte_code() -> Iterator[Remark]:
    lacking = on_path.without_byte_code(MODULES)
    if not lacking:
        return
    why = " and PYTHONDONTWRITEBYTECODE forbids to keep any" if on_path.keeps_no_byte_code() else ""
    text = f"{len(lacking)} of {len(MODULES)} modules of a hook have no byte code{why}: each hook compiles them again"
    yield Remark(AREA, Health.NOTE, text, on_path.compile_command())


def _errors(workspace: Workspace) -> Iterator[Remark]:
    newest = newest_fault(workspace, ERRORS)
    if newest is None:
        return
    number = "1 hook that" if newest.count == 1 else f"{newest.count} hooks that"
    text = f"{number} failed; the newest{newest.when}: {newest.words}"
    yield Remark(AREA, Health.NOTE, text, f"once that is mended: rm {MEMORY}/{ERRORS}")


def _text(workspace: Workspace, path: str) -> str:
    """Return a file's text; empty where there is none that can be read."""
    try:
        return read_text(workspace.root, path) or ""
    except VfccError:
        return ""
