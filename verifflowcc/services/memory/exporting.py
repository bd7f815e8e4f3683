"""Write items out, so that another machine can take them in byte for byte."""

from collections.abc import Mapping, Sequence

from verifflowcc.adapters.files.items import read_block
from verifflowcc.adapters.files.private import USER
from verifflowcc.adapters.files.stored import stored_item
from verifflowcc.context.standing import superseded
from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.trace_import import KEY, read_imported
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.item_older import Json, item_line
from verifflowcc.formats.item_records import RecordNames, kept_fields, record_line
from verifflowcc.records import dataclass
from verifflowcc.services.memory.guarding import secrets_told
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.scopes import PROJECT, read_scope, scopes_searched
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.invisible import escape_invisible
from verifflowcc.text.secrets import find_secrets, withhold


@dataclass(frozen=True, slots=True)
class Exported:
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
) -> Exported:
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
            line, told = _line(each, names)
            lines += [line] if line is not None else []
            problems += [told] if told else []
            counts[scope] -= line is None
    return Exported("".join(f"{line}\n" for line in lines), counts, tuple(problems))


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
    found = secrets_told(stored.text)
    if not found:
        return escape_invisible(_json_line(stored, names)), ""
    told = f"{stored.item.path} holds what looks like a secret, {', '.join(found)}"
    head = stored.text[: len(stored.text) - len(split(stored.text).body)]
    if find_secrets(head):
        return None, f"{withhold(told)}, in its fields: it is left out"
    kept = stored_item(stored.item.path, (head + withhold(stored.text[len(head) :])).encode("utf-8"))
    return escape_invisible(_json_line(kept, names)), f"{withhold(told)}: that is withheld"


def _json_line(stored: StoredItem, names: RecordNames | None) -> str:
    return item_line(stored) if names is None else record_line(stored, _imported(stored), names)
