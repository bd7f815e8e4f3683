"""Baselines: what all items said at a moment, and what became of that since."""

from collections.abc import Mapping

from verifflowcc.adapters.files.item_files import create_item_file, writing_items
from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.adapters.files.write import LARGEST_FILE_BYTES
from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceBaseline, TraceItem
from verifflowcc.errors import ConflictError, UsageError, WorkspaceError
from verifflowcc.formats.trace_baseline import encode_baseline, is_baseline, read_baseline
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_line, one_of
from verifflowcc.services.trace_items import items_view
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.text.slug import is_slug, slug

FOLDER = f"{MEMORY}/project/baselines"
PRESENT = "the present"


@dataclass(frozen=True, slots=True)
class Change:
    """An item that is not as it was: its id, its title now (or "" where it is gone), and which parts of it changed.

    `fields` is empty where nobody can tell which: the old text is in git alone.
    """

    item: str
    title: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """What lies between two baselines, or between one and the present."""

    old: str
    new: str
    """`the present` without a second baseline."""
    added: tuple[Change, ...]
    removed: tuple[Change, ...]
    changed: tuple[Change, ...]
    same: int
    """How many items are unchanged."""

    @property
    def any(self) -> bool:
        """Whether anything is different."""
        return bool(self.added or self.removed or self.changed)


def create_baseline(workspace: Workspace, name: str, note: str = "", *, actor: str) -> TraceBaseline:
    """Write down the fingerprints of all items that are not retired; a baseline that is there is never overwritten.

    Raises UsageError where the name is none or taken or there is no item, FormatError where an item cannot be read.
    """
    from verifflowcc.adapters.git.protected import head_commit

    asked = name.strip()
    if not is_slug(asked):
        raise UsageError(
            f"{name!r} cannot be a baseline's name: lower-case letters, digits and -",
            hint=f"vfcc trace baseline create {slug(asked, 'baseline')}",
        )
    view = items_view(workspace)
    _demand_sound(view.sources.unreadable)
    items = {item.id: item.digest for item in view.live}
    if not items:
        raise UsageError("there is no item to write down", hint='vfcc trace add need "What is needed"')
    if len(items) < len(view.live):
        raise ConflictError("two files have one id; a baseline needs to know which", hint="vfcc check trace")
    baseline = TraceBaseline(
        asked,
        f"{FOLDER}/{asked}.json",
        workspace.today(),
        actor,
        items,
        one_line(note, "the note"),
        head_commit(workspace.root),
    )
    with writing_items(workspace.memory):
        if (workspace.root / baseline.path).exists():
            raise UsageError(f"there is a baseline {asked} already, and it stays", hint="vfcc trace baseline list")
        create_item_file(workspace.root, baseline.path, encode_baseline(baseline).decode("utf-8"))
    return baseline


def list_baselines(workspace: Workspace) -> tuple[TraceBaseline, ...]:
    """Return all baselines, the oldest first. Raises FormatError where one is damaged."""
    folder = workspace.root / FOLDER
    found = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        name = f"{FOLDER}/{path.name}"
        data = _bytes(workspace, name)
        if is_baseline(data):
            found.append(read_baseline(name, data))
    return tuple(sorted(found, key=lambda each: (each.created, each.name)))


def compare_baselines(workspace: Workspace, old: str, new: str | None = None) -> Drift:
    """Return what is different in `new`, or in what is there now, from the baseline `old`.

    Raises UsageError for an unknown baseline, with the nearest one.
    """
    known = {each.name: each for each in list_baselines(workspace)}
    if not known:
        raise UsageError("there is no baseline yet", hint="vfcc trace baseline create NAME")
    view = items_view(workspace)
    first = known[one_of(old, tuple(known), "baseline", "vfcc trace baseline list")]
    if new is None:
        _demand_sound(view.sources.unreadable)
        present = {item.id: item.digest for item in view.live}
        return _drift(first, PRESENT, present, {item.id: item for item in view.items}, _old_items(workspace, first))
    second = known[one_of(new, tuple(known), "baseline", "vfcc trace baseline list")]
    now = {item.id: item for item in view.items}
    return _drift(first, second.name, second.items, now, {})


def _drift(
    first: TraceBaseline,
    name: str,
    items: Mapping[str, str],
    now: Mapping[str, TraceItem],
    before: Mapping[str, TraceItem],
) -> Drift:
    def change(item: str) -> Change:
        title = now[item].title if item in now else before[item].title if item in before else ""
        retired = item in now and now[item].status is Status.ARCHIVED
        told = ("retired",) if retired and item not in items else ()
        both = item in now and item in before
        return Change(item, title, _differing(before[item], now[item]) if both and item in items else told)

    return Drift(
        first.name,
        name,
        tuple(change(each) for each in sorted(items.keys() - first.items.keys())),
        tuple(change(each) for each in sorted(first.items.keys() - items.keys())),
        tuple(change(each) for each in sorted(items.keys() & first.items.keys()) if items[each] != first.items[each]),
        sum(items.get(each) == digest for each, digest in first.items.items()),
    )


def _differing(before: TraceItem, now: TraceItem) -> tuple[str, ...]:
    """Return which parts of an item's fingerprint are different."""
    parts = {
        "title": before.title != now.title,
        "text": before.text != now.text,
        "verification": before.verification != now.verification,
        "integrity": before.integrity != now.integrity,
        "links": _ends(before) != _ends(now),
    }
    return tuple(name for name, differs in parts.items() if differs)


def _ends(item: TraceItem) -> frozenset[tuple[str, str]]:
    return frozenset((link.to, link.relation) for link in item.links)


def _old_items(workspace: Workspace, baseline: TraceBaseline) -> Mapping[str, TraceItem]:
    """Return the items as git has them at the baseline's commit, as far as they are what the baseline says.

    Empty where git does not have that commit any more, or is not there: then nobody can tell what changed.
    """
    from verifflowcc.adapters.git.snapshot import committed_tree
    from verifflowcc.services.trace_items import read_one

    if baseline.commit is None:
        return {}
    folder = f"{MEMORY}/project/items"
    found: dict[str, TraceItem] = {}
    try:
        with committed_tree(workspace.root, baseline.commit, (folder,)) as (top, _):
            for path in sorted((top / folder).rglob("*.md")):
                name = path.relative_to(top).as_posix()
                item = read_one(workspace, name, path.read_bytes()) if path.is_file() else None
                if item is not None and baseline.items.get(item.id) == item.digest:
                    found[item.id] = item
    except (UsageError, WorkspaceError):
        return {}
    return found


def _demand_sound(unreadable: Mapping[str, str]) -> None:
    for path, reason in unreadable.items():
        raise WorkspaceError(f"{path}:{reason}", hint=f"edit {path} by hand")


def _bytes(workspace: Workspace, path: str) -> bytes:
    full = workspace.root / path
    check_inside(full, workspace.memory)
    try:
        if not full.is_file() or full.stat().st_size > 64 * LARGEST_FILE_BYTES:
            raise WorkspaceError(f"{path} is no ordinary file, or too large")
        return full.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
