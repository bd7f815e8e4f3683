"""Changes of items that are there already: made to their bytes, then written under the lock, each file whole."""

from collections.abc import Callable, Iterable, Mapping

from verifflowcc.adapters.files.item_files import read_item_file, replace_item_file, writing_items
from verifflowcc.adapters.files.items import edit_item, edit_item_list
from verifflowcc.adapters.files.write import sweep
from verifflowcc.domain.trace import TraceItem
from verifflowcc.errors import ConflictError
from verifflowcc.formats.front_matter_list import ListEdit
from verifflowcc.formats.front_matter_read import Table, Value
from verifflowcc.records import dataclass
from verifflowcc.services.loading import refuse_scanned
from verifflowcc.services.memory.guarding import refuse_new_secret
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that is to change: its path below the project's root, and its bytes before and after."""

    path: str
    before: bytes
    after: bytes

    @property
    def changes(self) -> bool:
        """Whether anything does change."""
        return self.before != self.after


def begin_edit(workspace: Workspace, item: TraceItem) -> Edit:
    """Return the item's file as it is, with nothing changed yet.

    Raises ConflictError where the file is not the item any more, or a merge has left its marks in it.
    """
    from verifflowcc.services.trace_items import read_one

    data = read_item_file(workspace.root, item.path)
    now = read_one(workspace, item.path, data)
    if now is None or (now.id, now.digest) != (item.id, item.digest):
        raise ConflictError(f"{item.path} changed since it was read; nothing was written", hint="run the command again")
    return Edit(item.path, data, data)


def set_keys(edit: Edit, changes: Mapping[str, str | None]) -> Edit:
    """Return the edit with keys set to one line of YAML each, or taken out where that is None."""
    return Edit(edit.path, edit.before, edit_item(edit.path, edit.after, changes))


def set_list(edit: Edit, key: str, decide: Callable[[tuple[Value, ...]], ListEdit]) -> Edit:
    """Return the edit with the list under `key` changed entry by entry."""
    return Edit(edit.path, edit.before, edit_item_list(edit.path, edit.after, key, decide))


def write_edits(workspace: Workspace, edits: Iterable[Edit]) -> tuple[str, ...]:
    """Write what changes, each file whole or not at all; return the paths that were written.

    Raises ConflictError where a file is not as it was read and SecretError where a change would bring a secret in,
    before anything is written; WorkspaceError where one cannot be written, and then those before it are.
    """
    wanted = [edit for edit in edits if edit.changes]
    if not wanted:
        return ()
    with writing_items(workspace.memory):
        sweep({(workspace.root / edit.path).parent for edit in wanted}, deep=False)
        for edit in wanted:
            if read_item_file(workspace.root, edit.path) != edit.before:
                raise ConflictError(
                    f"{edit.path} changed since it was read; nothing was written", hint="run the command again"
                )
        for edit in wanted:
            before, after = (data.decode("utf-8", "replace") for data in (edit.before, edit.after))
            refuse_new_secret(before, after, edit.path)
            refuse_scanned(workspace, before, after, edit.path)
        for edit in wanted:
            replace_item_file(workspace.root, edit.path, edit.before, edit.after)
    return tuple(edit.path for edit in wanted)


def with_texts(value: Value, texts: Mapping[str, str | None]) -> Table:
    """Return a mapping with keys set, in their places or behind the others, or taken out where that is None.

    Keys that are not named stay as they are.
    """
    from verifflowcc.formats.trace_render import text_value

    pairs = dict(value.pairs) if isinstance(value, Table) else {}
    for name, text in texts.items():
        if text is None:
            pairs.pop(name, None)
        else:
            pairs[name] = text_value(name, text)
    return Table(tuple(pairs.items()), 1)
