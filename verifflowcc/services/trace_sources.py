"""Gather all that the trace speaks of: items, code, results, the baseline, git, and the course of the sprints."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from verifflowcc.adapters.git.patches import changed_from
from verifflowcc.adapters.git.trace import (
    GitPlace,
    Past,
    read_authors,
    read_collisions,
    read_past,
    read_reused,
)
from verifflowcc.adapters.index.trace import TraceIndex
from verifflowcc.domain.items import Status
from verifflowcc.domain.sprints import SprintStatus
from verifflowcc.domain.trace import GitTrace, Results, TraceBaseline, TraceItem, TraceSources
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.pinned_workflow import policy_of
from verifflowcc.services.trace_looking import Looked, look
from verifflowcc.services.trace_reading import INDEX, nothing_collected, read_walked
from verifflowcc.services.workspace import Workspace, provider
from verifflowcc.text.record_codec import RecordCodec
from verifflowcc.trace.view import TraceView

_T = TypeVar("_T")
_Authors = Mapping[str, tuple[str, ...]]
_PAST: RecordCodec[Past] = RecordCodec(Past)
_AUTHORS: RecordCodec[_Authors] = RecordCodec(_Authors)


@dataclass(frozen=True, slots=True)
class SourcesRead:
    """The sources of the trace, and what could not be gathered. `parsed` counts the item files that had to be read."""

    sources: TraceSources
    policy: TracePolicy
    parsed: int = 0
    notices: tuple[str, ...] = ()


def read_sources(workspace: Workspace, junit: Sequence[str] = ()) -> SourcesRead:
    """Return all that a check looks at, by the configured workflow.

    `junit` are reports beside those of the configuration. Nothing is written but the index. Raises ConfigError where
    the configuration or the workflow is not sound, WorkspaceError where something cannot be read at all.
    """
    looked = look(workspace, junit)
    with nothing_collected(), TraceIndex(workspace.local / INDEX) as index:
        read = gather(workspace, looked, policy_of(workspace), index)
        return replace(read, notices=(*read.notices, *index.notices))


def full_view(workspace: Workspace) -> TraceView:
    """Return all that a check looks at: the items, the code, the results, and what git knows of them."""
    read = read_sources(workspace)
    return TraceView(read.sources, read.policy)


def gather(workspace: Workspace, looked: Looked, policy: TracePolicy, index: TraceIndex) -> SourcesRead:
    """Return the sources of a project that was looked at."""
    from verifflowcc.services.trace_code import read_code
    from verifflowcc.trace.type_digests import type_digests

    read = read_walked(workspace, looked.walk, policy, index)
    code = read_code(workspace, looked.content, policy, read.items, looked.config.trace.exclude)
    results: Results = provider("test results")(workspace, read.items, code, looked.content, tuple(looked.reports))
    git, told = _git(workspace, looked.place, read.items, index)
    process, more = provider("process facts")(workspace, type_digests(read.items))
    changed, unread = _changed(workspace)
    sources = TraceSources(
        read.items,
        workspace.today(),
        read.unreadable,
        code,
        looked.content,
        results,
        _newest_baseline(workspace),
        git,
        process,
        changed,
    )
    return SourcesRead(sources, policy, read.parsed, tuple(dict.fromkeys((*told, *more, *unread))))


def _git(
    workspace: Workspace, place: GitPlace, items: Sequence[TraceItem], index: TraceIndex
) -> tuple[GitTrace, tuple[str, ...]]:
    """Return what git knows of the items, and what it could not tell."""
    if place.problem:
        return GitTrace(problem=place.problem), ()
    ids = {item.id: item.path for item in items if item.status is not Status.ARCHIVED}
    nameless = any(item.reviewed is not None and item.author is None for item in items)
    try:
        past = _past(workspace, place, index)
        authors = _authors(workspace, place, index) if nameless else {}
        reused = read_reused(workspace.root, place, past, ids)
        collisions = read_collisions(workspace.root, place, past, ids)
    except VfccError as error:
        return GitTrace(problem=error.message), ()
    return GitTrace(place.target, reused, collisions, authors), (*place.notices, *past.notices)


def _past(workspace: Workspace, place: GitPlace, index: TraceIndex) -> Past:
    return _kept(index, "git-past", place.key, _PAST, lambda: read_past(workspace.root, place))


def _authors(workspace: Workspace, place: GitPlace, index: TraceIndex) -> _Authors:
    key = f"{place.head} {place.prefix}"
    return _kept(index, "git-authors", key, _AUTHORS, lambda: read_authors(workspace.root, place))


def _kept(index: TraceIndex, name: str, key: str, codec: RecordCodec[_T], read: Callable[[], _T]) -> _T:
    """Return what was kept under a name for this key, else what `read` returns, kept from now on."""
    text = index.recall(name, key)
    if text is not None:
        return codec.value(text)
    found = read()
    index.keep(name, key, codec.text(found))
    return found


def _newest_baseline(workspace: Workspace) -> TraceBaseline | None:
    from verifflowcc.services.trace_baselines import list_baselines

    return next(reversed(list_baselines(workspace)), None)


def _changed(workspace: Workspace) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the files that differ from the base of the open sprint (of any, where several are open)."""
    from verifflowcc.services.sprint_reading import list_sprints, show_sprint

    found: set[str] | None = None
    notices = []
    try:
        lines = [line for line in list_sprints(workspace) if line.status is not SprintStatus.CLOSED]
    except VfccError as error:
        return None, (f"the sprints were not looked at: {error.message}",)
    for line in lines:
        try:
            base = show_sprint(workspace, line.id).base
            if base is not None:
                found = (found or set()) | changed_from(workspace.root, base)
        except VfccError as error:
            notices.append(f"what changed since {line.id} began is not known: {error.message}")
    return None if found is None else tuple(sorted(path for path in found if not path.startswith(".memory/"))), tuple(
        notices
    )
