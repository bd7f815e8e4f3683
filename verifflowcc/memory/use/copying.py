"""Copy the items of a scope from one backend to another, byte for byte."""

from collections.abc import Mapping, Sequence
from contextlib import closing

from verifflowcc.base.errors import BackendError, UsageError, WorkspaceError
from verifflowcc.base.files.private_files import USER, user_settings_file
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.hidden_text import escape_invisible
from verifflowcc.base.text.secrets import find_secrets, withhold
from verifflowcc.base.use.guarding import refuse_item, withheld_secrets
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.rules.import_values import KEY, read_imported
from verifflowcc.items.rules.item_older import Json, item_line
from verifflowcc.items.store.item_edits import read_block
from verifflowcc.memory.rules.exported_records import RecordNames, kept_fields, record_line
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.item_scope import require_person
from verifflowcc.memory.use.scopes import PROJECT, read_scope, scopes_searched
from verifflowcc.memory.use.stores import backend_of, open_kind, open_store, scanned
from verifflowcc.sprint.store.workflow_load import templates_folder

# Write items out, so that another machine can take them in byte for byte.


@dataclass(frozen=True, slots=True)
class MemoryExport:
    """The text (one JSON object a line), how many items of which scope are in it, and what could not be read."""

    text: str
    counts: dict[str, int]
    problems: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many items there are."""
        return sum(self.counts.values())


def export_memory(
    workspace: Workspace | None,
    scopes: Sequence[str] = (),
    types: Sequence[str] = (),
    *,
    everything: bool = False,
    records: bool = False,
) -> MemoryExport:
    """Return all items of some scopes, by scope and id, whatever their status; `types` leaves the others out.

    Without scopes it is those of the project, outside of one the person's; `everything` is all scopes that are open
    here. `records`: as records that other stores read, not as the items' files. A secret in a text is withheld, and an
    item whose fields hold one is left out; `problems` say so. Raises UsageError for a scope that there is not,
    WorkspaceError and BackendError.
    """
    if everything:
        wanted = scopes_searched(workspace)
    else:
        default = PROJECT if workspace else USER
        wanted = tuple(read_scope(workspace, each) for each in scopes) or (default,)
    lines: list[str] = []
    problems: list[str] = []
    counts: dict[str, int] = {}
    for scope in sorted(dict.fromkeys(wanted)):
        with open_store(workspace, scope) as store:
            found = [each for each in store.list_all() if not types or each.item.type in types]
            problems += store.problems
        counts[scope] = len(found)
        names = _names(found) if records else None
        for each in sorted(found, key=lambda each: each.item.id):
            line, problem = _line(each, names)
            lines += [line] if line is not None else []
            problems += [problem] if problem else []
            counts[scope] -= line is None
    return MemoryExport("".join(f"{line}\n" for line in lines), counts, tuple(problems))


def _names(items: Sequence[StoredItem]) -> RecordNames:
    """Return how the records of an export name their items, and which of them supersedes which."""
    ids = {each.item.path: each.item.id for each in items}
    found = superseded([each.item for each in items]).found
    written = {each.item.id: str(kept["id"]) for each in items if "id" in (kept := _imported(each))}
    return RecordNames(written, {ids[path]: ids[gone.by] for path, gone in found.items() if gone.by in ids})


def _imported(stored: StoredItem) -> Mapping[str, Json]:
    """Return the fields that an import of records kept; those of an import into the trace are another matter."""
    block = split(stored.text.replace("\r\n", "\n")).block
    table = read_block(block) if block else None
    return {} if table is None or read_imported(table) else kept_fields(dict(table.pairs).get(KEY))


def _line(stored: StoredItem, names: RecordNames | None) -> tuple[str | None, str]:
    """Return an item as a line, None where its fields hold a secret, and a sentence on what is withheld of it."""
    found = withheld_secrets(stored.text)
    if not found:
        return escape_invisible(_json_line(stored, names)), ""
    problem = f"{stored.item.path} holds what looks like a secret, {', '.join(found)}"
    head = stored.text[: len(stored.text) - len(split(stored.text).body)]
    if find_secrets(head):
        return None, f"{withhold(problem)}, in its fields: it is left out"
    kept = stored_item(stored.item.path, (head + withhold(stored.text[len(head) :])).encode("utf-8"))
    return escape_invisible(_json_line(kept, names)), f"{withhold(problem)}: that is withheld"


def _json_line(stored: StoredItem, names: RecordNames | None) -> str:
    return item_line(stored) if names is None else record_line(stored, _imported(stored), names)


# The script that an organisation's administrator runs on PostgreSQL.


def schema_script() -> str:
    """Return the script. Raises WorkspaceError where the installation lacks it."""
    path = templates_folder() / "postgres.sql"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error


SCOPES = (USER, "project")


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """The options of a copy: replace what differs, remove the source, dry run."""

    replace: bool = False
    move: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The plan of a copy: items to bring, items that they replace, ids of conflicts.

    `same` are the ids that say the same at both ends; `unreadable` says what is there and is no item.
    """

    bring: tuple[StoredItem, ...]
    replaced: tuple[str, ...]
    conflicts: tuple[str, ...]
    same: tuple[str, ...]
    unreadable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CopyResult:
    """What was copied, by id, or would be where `dry_run`. With `conflicts`, nothing was.

    `moved` says that the items are gone from where they were. `setting` is what to write, and where, so that vfcc reads
    from the new place; None where it does already.
    """

    scope: str
    source: BackendKind
    target: BackendKind
    copied: tuple[str, ...]
    replaced: tuple[str, ...]
    same: tuple[str, ...]
    """Ids that the target had already."""
    conflicts: tuple[str, ...]
    """Ids that the target has with another text."""
    unreadable: tuple[str, ...]
    moved: bool
    """Whether the items were removed from the source."""
    dry_run: bool
    setting: str | None
    """The setting that names the new backend."""


def copy_items(
    workspace: Workspace | None,
    scope: str,
    source: BackendKind,
    target: BackendKind,
    how: CopyOptions,
    *,
    actor: str,
) -> CopyResult:
    """Copy all items of `user` or `project` from one kind of backend to another, whatever the settings name.

    Nothing is written where an item of the same id says something else at the other end, unless it is to be replaced.
    Each item is read back before it is removed by a move. Raises NotAllowed unless a person acts or it is a dry run,
    UsageError where both ends are one, SecretError where an item holds a secret, which a copy would bring to a second
    place as it is, and BackendError where an item did not arrive as it was.
    """
    if source is target:
        raise UsageError(f"the items are to be copied from {source} to {source}, which is one place")
    if scope not in SCOPES:
        raise UsageError(f"items of {scope} are always files; there are --scope {' and --scope '.join(SCOPES)}")
    if not how.dry_run:
        require_person(actor, f"copying what the {scope} remembers", hint="vfcc memory copy … --dry-run")
    with (
        closing(open_kind(workspace, scope, source)) as old,
        closing(open_kind(workspace, scope, target)) as new,
    ):
        if how.dry_run:
            plan, moved = plan_copy(old, new, replace=how.replace), False
        else:
            plan, moved = copy_store(old, scanned(workspace, new), replace=how.replace, move=how.move)
    setting = None if backend_of(workspace, scope) is target else _setting(scope, target)
    bring = tuple(each.item.id for each in plan.bring)
    outcome = (plan.replaced, plan.same, plan.conflicts, plan.unreadable)
    return CopyResult(scope, source, target, bring, *outcome, moved, how.dry_run, setting)


def copy_store(old: MemoryBackend, new: MemoryBackend, *, replace: bool, move: bool) -> tuple[CopyPlan, bool]:
    """Copy one store to another; return what was done and whether the items are gone from the old one.

    Other writers are kept out of both meanwhile. Raises BackendError where an item did not arrive as it was; nothing is
    removed then.
    """
    with old.writing():
        with new.writing():
            plan = plan_copy(old, new, replace=replace)
            if plan.conflicts:
                return plan, False
            for item in observed("copying items", plan.bring):
                new.add(item)
        _read_back(plan.bring, new)
        if move:
            for name in (*(each.item.id for each in plan.bring), *plan.same):
                old.delete(name)
    return plan, move


def plan_copy(old: MemoryBackend, new: MemoryBackend, *, replace: bool) -> CopyPlan:
    """Return what a copy would do. With conflicts and without `replace`, there is nothing that it would bring."""
    items = old.list_all()
    unreadable = old.problems
    there = _texts(new)
    same = tuple(each.item.id for each in items if there.get(each.item.id) == each.text)
    differing = tuple(each.item.id for each in items if there.get(each.item.id, each.text) != each.text)
    bring = tuple(each for each in items if there.get(each.item.id) != each.text)
    for each in bring:
        refuse_item(each)
    if differing and not replace:
        return CopyPlan((), (), differing, same, unreadable)
    return CopyPlan(bring, differing, (), same, unreadable)


def _read_back(items: tuple[StoredItem, ...], new: MemoryBackend) -> None:
    arrived = _texts(new) if items else {}
    wrong = [each.item.id for each in items if arrived.get(each.item.id) != each.text]
    if wrong:
        raise BackendError(
            f"{len(wrong)} of {len(items)} items did not arrive as they were, {wrong[0]} among them",
            hint="nothing was removed; run the command again",
        )


def _texts(store: MemoryBackend) -> Mapping[str, str]:
    return {each.item.id: each.text for each in store.list_all()}


def _setting(scope: str, target: BackendKind) -> str:
    if scope == USER:
        return f"memory: {{backend: {target}}} in {user_settings_file()}"
    return f"memory: {{backends: {{project: {target}}}}} in .memory/config.yaml"
