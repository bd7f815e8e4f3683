"""The part of the matrix that a person asks for, with the words that were meant."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.model.item_values import Stamp, Status
from verifflowcc.base.model.trace_values import TraceItem, TraceReport
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import natural_key
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.trace.rules.answers import CodePlace, ItemTest, all_tests_of, implementers
from verifflowcc.trace.rules.fingerprint import LinkState, link_state, review_word
from verifflowcc.trace.rules.trace_view import TraceView, find_item
from verifflowcc.trace.use.trace_sources import full_view, read_sources, read_sources_around

if TYPE_CHECKING:
    from verifflowcc.trace.rules.matrix import Matrix

# What the views of the trace are made from: everything that a check looks at, and what it says, in one reading.

MOST_LISTED = 5


@dataclass(frozen=True, slots=True)
class CheckedTrace:
    """The present trace, the report of a check of it, and notices on unreadable files."""

    view: TraceView
    report: TraceReport
    notices: tuple[str, ...] = ()


def see_trace(workspace: Workspace, junit: Sequence[str] = (), name: str | None = None) -> CheckedTrace:
    """Read the trace and check it; with the name of an item, what is around it may be all that is read.

    `junit` are reports of results beside those of the configuration.

    Nothing is written but the index. Raises VfccError (exit 3) where there is no item that counts, and the errors of
    `read_sources`.
    """
    from verifflowcc.trace.rules.impact import needs_others
    from verifflowcc.trace.rules.trace_check import check_view  # a list of items checks nothing

    read = read_sources(workspace, junit) if name is None else read_sources_around(workspace, name, junit)
    view = TraceView(read.sources, read.policy)
    if name is not None and not read.whole and (not view.live or needs_others(view, find_item(view, name).id)):
        read = read_sources(workspace, junit)
        view = TraceView(read.sources, read.policy)
    unread = unread_files(view)
    if not view.live:
        reasons = f": {'; '.join(unread)}" if unread else ""
        raise VfccError(
            f"there is no trace item to look at{reasons}",
            hint="vfcc check trace" if unread else 'vfcc trace add need "What is needed"',
        )
    return CheckedTrace(view, check_view(view), (*read.notices, *unread, *_unread_reports(view)))


def _unread_reports(view: TraceView) -> tuple[str, ...]:
    return tuple(
        f"{name} cannot be read as a report of results: {report.problem}"
        for name, report in sorted(view.reports.items())
        if report.problem
    )


def unread_files(view: TraceView) -> tuple[str, ...]:
    """Return sentences on unreadable files, which no view counts."""
    lines = [f"{path}:{reason}" for path, reason in sorted(view.sources.unreadable.items())]
    more = len(lines) - MOST_LISTED
    return (*lines[:MOST_LISTED], *([f"and {more} more files cannot be read: vfcc check trace"] if more > 0 else ()))


# List trace items, and show one with all that is around it.

STATUSES = ("active", "draft", "planned", "retired")
_STATUS = {Status.ACTIVE: "active", Status.PENDING: "draft", Status.ARCHIVED: "retired"}


@dataclass(frozen=True, slots=True)
class TraceListRow:
    """An item in a list, with its parents, number of children, and review state."""

    id: str
    type: str
    title: str
    status: str
    """`active`, `draft`, `planned` or `retired`."""
    verification: str | None
    """The method, or null."""
    parents: tuple[str, ...]
    children: int
    """How many items are directly below."""
    review: str
    """`reviewed`, `changed since`, `suspect`, `unreviewed link` or `unreviewed`."""
    path: str


@dataclass(frozen=True, slots=True)
class TraceList:
    """Rows, and sentences on files that cannot be read and are in none."""

    rows: tuple[TraceListRow, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageLink:
    """The other end of a link, and the link's state.

    `title` is None where there is no such item.
    """

    id: str
    title: str | None
    """Null if there is no such item."""
    status: str
    """`not there` if there is no such item."""
    relation: str
    state: LinkState
    """`agreed`, `unreviewed`, `suspect` (the target changed), `outgrown` (the item changed) or `dangling`."""
    by: str | None = None
    on: str | None = None
    reason: str | None = None
    """Why it was cleared, or null."""


@dataclass(frozen=True, slots=True)
class ItemPage:
    """An item with its links, the items that link to it, code, tests and review."""

    item: TraceItem
    status: str
    review: str
    """`reviewed`, `changed since` or `unreviewed`."""
    links: tuple[PageLink, ...]
    linked_by: tuple[PageLink, ...]
    code: tuple[CodePlace, ...]
    tests: tuple[ItemTest, ...]


def list_items(
    workspace: Workspace, type_: str | None = None, status: str | None = None, without: str | None = None
) -> TraceList:
    """Return items of a type, in a status, or without something, by type and id.

    Things to be without are `parent`, `review` and others in `LACKS`.

    Retired ones only where that status is asked for. Raises UsageError for an unknown word, with the nearest.
    """
    view = full_view(workspace)
    types = tuple(view.policy.types)
    kind = _known(type_.replace("-", "_"), types, "type", "--type") if type_ else None
    state = _known(status, STATUSES, "status", "--status") if status else None
    lack = _known(without, tuple(LACKS), "--without", "--without") if without else None
    found = [
        item
        for item in view.items
        if kind in {None, item.type}
        and (status_word(item) == state if state else item.status is not Status.ARCHIVED)
        and (lack is None or LACKS[lack](view, item))
    ]
    order = {name: place for place, name in enumerate(types)}
    found.sort(key=lambda each: (order.get(each.type, 99), natural_key(each.id)))
    return TraceList(tuple(_row(view, item) for item in found), unread_files(view))


def _known(word: str, known: tuple[str, ...], what: str, option: str) -> str:
    from verifflowcc.base.use.stage_words import one_of

    return one_of(word, known, what, f"vfcc trace list {option} …")


def show_item(workspace: Workspace, name: str) -> ItemPage:
    """Return one item with all that is around it. Raises as `find_item` does."""
    view = full_view(workspace, name)
    item = find_item(view, name)
    links = tuple(
        _end(view.by_id.get(link.to), link.to, link.relation, link_state(view, item, link), link.stamp)
        for link in item.links
    )
    below = tuple(
        _end(child, child.id, link.relation, link_state(view, child, link), link.stamp)
        for child, link in view.below.get(item.id, ())
    )
    return ItemPage(
        item, status_word(item), review_word(item), links, below, implementers(view, item), all_tests_of(view, item)
    )


def status_word(item: TraceItem) -> str:
    """Return an item's status as it is shown.

    `planned` where it is agreed and not to be built yet.
    """
    return "planned" if item.planned and item.status is Status.ACTIVE else _STATUS[item.status]


def _row(view: TraceView, item: TraceItem) -> TraceListRow:
    return TraceListRow(
        item.id,
        item.type,
        item.title,
        status_word(item),
        item.verification,
        tuple(dict.fromkeys(link.to for link in item.links if link.relation in view.upward)),
        len({child.id for child, _ in view.children(item)}),
        _review_state(view, item),
        item.path,
    )


def _review_state(view: TraceView, item: TraceItem) -> str:
    """Return the item's review state, unless a link is suspect or unreviewed."""
    states = {link_state(view, item, link) for link in item.links}
    if LinkState.SUSPECT in states:
        return "suspect"
    word = review_word(item)
    return "unreviewed link" if word == "reviewed" and LinkState.UNREVIEWED in states else word


def _end(item: TraceItem | None, name: str, relation: str, state: LinkState, stamp: Stamp | None) -> PageLink:
    reviewed = (stamp.by, stamp.on, stamp.reason) if stamp else (None, None, None)
    return PageLink(
        name, item.title if item else None, status_word(item) if item else "not there", relation, state, *reviewed
    )


def _no_parent(view: TraceView, item: TraceItem) -> bool:
    rule = view.policy.types.get(item.type)
    needs_none = item.derived or (rule is not None and (rule.root or rule.level is None))
    return not needs_none and not any(link.relation in view.upward for link in item.links)


LACKS: Mapping[str, Callable[[TraceView, TraceItem], bool]] = {
    "parent": _no_parent,
    "child": lambda view, item: not any(view.children(item)),
    "review": lambda view, item: review_word(item) != "reviewed",
    "test": lambda view, item: not all_tests_of(view, item),
    "result": lambda view, item: not any(each.outcome for each in all_tests_of(view, item)),
    "code": lambda view, item: not implementers(view, item),
    "verification": lambda _, item: item.verification is None,
}
"""What an item can be without; `result` is any result of a test, good or bad."""


HINT = "vfcc trace matrix --{option} …"
_WILD = frozenset("*?[")


def narrow_matrix(seen: CheckedTrace, types: Sequence[str], states: Sequence[str], items: Sequence[str]) -> "Matrix":
    """Return the matrix, or the part of it with these types, states and items.

    Items are ids, or patterns of ids.

    Raises UsageError for a type, a state or an id that there is not, with the nearest, and for a pattern of nothing.
    """
    from verifflowcc.base.use.stage_words import one_of
    from verifflowcc.trace.rules.item_state import ItemState
    from verifflowcc.trace.rules.matrix import matrix, narrowed

    whole = matrix(seen.view, seen.report)
    return narrowed(
        whole,
        types=[one_of(each, tuple(seen.view.policy.types), "type", HINT.format(option="type")) for each in types],
        states=[
            one_of(each.replace("-", " "), tuple(map(str, ItemState)), "state", HINT.format(option="state"))
            for each in states
        ],
        items=[_meant(seen, whole, each) for each in items],
    )


def _meant(seen: CheckedTrace, whole: "Matrix", name: str) -> str:
    from verifflowcc.base.text.glob import matches

    if _WILD.isdisjoint(name):
        return find_item(seen.view, name).id
    if not any(matches(row.id, name) for row in whole.rows):
        raise UsageError(f"no item has an id like {name}", hint="vfcc trace list")
    return name
