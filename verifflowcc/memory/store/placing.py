"""An item as a store may keep it: under a path of its scope, its text readable again as the very same item."""

from typing import Any

from verifflowcc.base.errors import BackendError
from verifflowcc.base.files.write import LARGEST_FILE_BYTES
from verifflowcc.base.model.item_values import Item, Link, Stamp, item_type
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.text.canonical import conflict_line, sha256
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.text.record_codec import RecordCodec


def _link(row: list[Any]) -> Link:
    to, relation, *mark = row
    return Link(to, relation, stamp=Stamp(mark[0]) if mark and mark[0] else None)


_CODEC: RecordCodec[Item] = RecordCodec(Item, {Link: (lambda link: [link.to, link.relation, link.fingerprint], _link)})
item_to_text, item_from_text = _CODEC.text, _CODEC.value

# Texts as stored items, and the place of an item's file in the folder of its scope.

_FILE_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9._-]{0,118}[a-z0-9_-])?")


def stored_item(path: str, data: bytes) -> StoredItem:
    """Return the bytes of an item's file as a stored item. Raises FormatError where they are not UTF-8."""
    from verifflowcc.items.store.item_edits import parse_item  # what reads texts costs more than a whole question

    parsed = parse_item(path, data)
    return StoredItem(parsed.item, data.decode("utf-8"), parsed.body)


def made_item(item: Item, body: str) -> StoredItem:
    """Return a new item with its text, at home in its scope."""
    from verifflowcc.base.formats.item_render import render_item  # few commands make an item

    path = home_path(folder_of(item.scope), item.type, item.id)
    return stored_item(path, render_item(item, body).encode("utf-8"))


def home_path(folder: str, type_name: str, item_id: str) -> str:
    """Return the path of a new item's file: one folder for each type, and a name that follows from the id.

    Ids that differ in case or Unicode form alone, or that no file can have as its name, get files of different names.

    >>> home_path(".memory/project", "fact", "client-is-acme-k3f9"), home_path("user", "decision", "a")
    ('.memory/project/items/fact/client-is-acme-k3f9.md', 'user/decisions/a.md')
    >>> home_path("user", "fact", "Client/A")
    'user/items/fact/client-a-4d4a8bba.md'
    """
    below = item_type(type_name).folder or f"items/{_name(type_name, 'other')}"
    return f"{folder}/{below}/{_name(item_id, 'item')}.md"


def _name(text: str, instead: str) -> str:
    if _FILE_NAME.fullmatch(text):
        return text
    mark = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug(text, instead)}-{mark}"


_LONGEST_NAME = 255
"""In bytes, in every file system of use."""


def folder_of(scope: str) -> str:
    """Return the folder whose files are the items of a scope, as their paths begin.

    >>> folder_of("user"), folder_of("stage/login/coding"), folder_of("task/fix-it-k3f9")
    ('user', '.memory/stage/login/coding', '.memory/local/tasks/fix-it-k3f9')
    """
    if scope == "user":
        return scope
    kind, _, name = scope.partition("/")
    return f".memory/local/tasks/{name}" if kind == "task" else f".memory/{scope}"


def path_in(folder: str, item: StoredItem) -> str:
    """Return where an item that is new in a folder belongs: where it says, if that is below it, else at home."""
    path = item.item.path
    return path if is_place(folder, path) else home_path(folder, item.item.type, item.item.id)


def is_place(folder: str, path: str) -> bool:
    """Say whether a path is one of an item's file below a folder.

    >>> is_place("user", "user/items/fact/a.md"), is_place("user", "user/../a.md"), is_place("user", "user/local/a.md")
    (True, False, False)
    """
    if not path.startswith(f"{folder}/") or not path.endswith(".md") or "\0" in path or not is_unicode(path):
        return False
    parts = path.removeprefix(f"{folder}/").split("/")
    return all(part and not part.startswith(".") and len(part.encode()) <= _LONGEST_NAME for part in parts) and not (
        folder == "user" and parts[0] == "local"
    )


def is_unicode(text: str) -> bool:
    """Say whether a text can be in a file: half of a surrogate pair cannot, so that no item has it anywhere."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def placed(item: StoredItem, path: str) -> StoredItem:
    """Return an item as it reads at a path.

    Raises BackendError where its text cannot be kept: it is no Unicode, too large, holds a merge that nobody finished,
    or says another id there.
    """
    return stored_item(path, checked_bytes(item, path))


def checked_bytes(item: StoredItem, path: str) -> bytes:
    """Return the bytes of an item's file at a path. Raises BackendError as `placed` does."""
    name = item.item.id
    try:
        data = item.text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BackendError(f"{name} cannot be kept: character {error.start} of its text is none of Unicode") from error
    if len(data) > LARGEST_FILE_BYTES:
        raise BackendError(f"{name} cannot be kept: its text is larger than {LARGEST_FILE_BYTES // 1_048_576} MiB")
    if (line := conflict_line(data)) is not None:
        raise BackendError(f"{name} cannot be kept: line {line} holds the conflict markers of an unfinished merge")
    read_id = item.item.id if path == item.item.path else stored_item(path, data).item.id
    if read_id != name:
        raise BackendError(
            f"{name} cannot be kept at {path}: its text does not say its id", hint=f"add the line `id: {name}`"
        )
    return data
