"""The files that changed in the current stage and are none of those that it edits, with who and when as far as known.

Git knows the authors of commits; the history of this machine knows what agents edited through their tools.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.model.agent_clients import HOOKS_MANIFEST
from verifflowcc.base.model.gate_input import CommitNote, Facts, OutsideEdit
from verifflowcc.base.model.sprint_state import Edits, StageEntry, StageState
from verifflowcc.base.records import replace
from verifflowcc.base.text.glob import matches
from verifflowcc.base.use.baseline_files import is_protected
from verifflowcc.base.use.workspace import Workspace

_MOST = 50
"""So many files are looked up in git and in the history; a gate names fewer."""
_EDITED = """
SELECT file_path, role, timestamp FROM file_interactions
WHERE at_ms >= ? AND file_path IN ({marks}) AND operation IN ('edit', 'write') AND success IS NOT 0
ORDER BY at_ms, event
"""
_IN_STAGE = "SELECT 1 FROM {table} WHERE at_ms >= ? AND sprint = ? AND stage = ? LIMIT 1"


def with_stage_watched(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the edits outside of the current stage, and the clients that recorded nothing of it."""
    state = facts.sprint
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        return facts
    outside = tuple(_outside(workspace, stage, facts)) if stage.entry and stage.stage.edits is not Edits.ALL else ()
    return replace(facts, outside=outside, silent=_silent(workspace, stage, facts))


def _outside(workspace: Workspace, stage: StageState, facts: Facts) -> Iterator[OutsideEdit]:
    entry = stage.entry
    assert entry is not None
    foreign = [path for path in _changed(workspace, entry, facts) if not _edits(stage, path, facts)]
    if not foreign:
        return
    looked = foreign[:_MOST]
    commits = _commits(workspace, entry, looked, facts)
    edits = recorded_edits(workspace, _entered_ms(stage), looked)
    for path in foreign:
        traces = (*_committed(path, commits), *edits.get(path, ()))
        if entry.uncommitted is None and not traces:
            continue  # it may have been like this before
        yield OutsideEdit(path, traces)


def _changed(workspace: Workspace, entry: StageEntry, facts: Facts) -> list[str]:
    """Return the project's files that are not as they were when the stage was entered, sorted."""
    if facts.history is not None:
        now = set(facts.history.entered)
    else:
        try:
            from verifflowcc.base.git.git_protected import product_changes

            now = set(product_changes(workspace.root, entry.head))
        except WorkspaceError:
            now = set()
    then = entry.uncommitted or {}
    same = {path for path, digest in then.items() if facts.content.get(path) == digest}
    reports = {path for each in facts.commands.values() for path in each.reports.values()}
    return sorted(path for path in (now | set(then)) - same - reports if not is_protected(path))


def _edits(stage: StageState, path: str, facts: Facts) -> bool:
    workflow = facts.sprint.workflow
    tests = workflow.trace.tests if workflow and stage.stage.edits is Edits.TESTS else ()
    return any(matches(path, pattern) for pattern in tests)


def _commits(workspace: Workspace, entry: StageEntry, paths: Sequence[str], facts: Facts) -> tuple[CommitNote, ...]:
    history = facts.history
    if history is not None and not history.problem and (entry.head == history.base or not history.commits):
        return history.commits  # those since the stage was entered are those since the sprint's base
    from verifflowcc.base.git.git_protected import commits_since

    try:
        return tuple(one.note for one in commits_since(workspace.root, entry.head, paths))
    except WorkspaceError:
        return ()


def _committed(path: str, commits: Sequence[CommitNote]) -> Iterator[str]:
    for one in commits:
        if path in one.paths:
            yield f"commit {one.sha[:9]} by {', '.join(one.authors)} on {one.time[:10]}"
            return


def with_recorded_edits(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the last recorded edit of each protected file, as far as stages that were entered go."""
    since = min((_entered_ms(each) for each in facts.sprint.stages if each.entered_at), default=0)
    if not facts.rules or not since:
        return facts
    edits = recorded_edits(workspace, since, [each.path for each in facts.rules])
    return replace(facts, rules=tuple(replace(each, recorded=edits.get(each.path, ())) for each in facts.rules))


def recorded_edits(workspace: Workspace, since_ms: int, paths: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the last edit of each file that a hook recorded here since a moment; nothing without a history."""
    if not _has_history(workspace):
        return {}
    from verifflowcc.history.use.history_reading import open_history

    marks = ", ".join("?" * len(paths))
    try:
        with open_history(workspace) as history:
            rows = history.rows(_EDITED.format(marks=marks), (since_ms, *paths))
    except VfccError:
        return {}
    return {path: (f"edited by agent:{role or 'unknown'} at {time[:16]}Z",) for path, role, time in rows}


def _silent(workspace: Workspace, stage: StageState, facts: Facts) -> tuple[str, ...]:
    """Return the clients whose hooks are set up here and recorded nothing of a stage in which an agent acted.

    The history is of one machine: on one without any, from which no sprint was moved, nothing is reported.
    """
    manifests = [folder / HOOKS_MANIFEST for folder in (workspace.memory, workspace.local)]
    try:
        clients = sorted({name for path in manifests for name in _clients(path)})
    except VfccError:
        return ()
    acted_here = _has_history(workspace) or (workspace.local / "lock").exists()
    if not clients or not acted_here or not _agent_acted(stage, facts) or not _records(workspace):
        return ()
    return () if _heard(workspace, facts.sprint.id, stage) else tuple(clients)


def _clients(path: Path) -> set[str]:
    if not os.path.lexists(path):
        return set()
    from verifflowcc.history.store.client_manifest import load_records

    return {each.client for each in load_records(path).values()}


def _agent_acted(stage: StageState, facts: Facts) -> bool:
    """Whether the ledger has something by an agent in the stage, since it was entered."""
    of_it = [note for note in facts.sprint.notes if note.payload.get("stage") == stage.stage.id]
    return any(note.actor.startswith("agent:") and note.time >= (stage.entered_at or "") for note in of_it)


def _records(workspace: Workspace) -> bool:
    from verifflowcc.sprint.use.configuration import effective_config

    return effective_config(workspace).config.hooks.record


def _heard(workspace: Workspace, sprint: str, stage: StageState) -> bool:
    if not _has_history(workspace):
        return False
    from verifflowcc.history.use.history_reading import open_history

    try:
        with open_history(workspace) as history:
            values = (_entered_ms(stage), sprint, stage.stage.id)
            return any(history.rows(_IN_STAGE.format(table=each), values) for each in ("tool_executions", "places"))
    except VfccError:
        return True  # it cannot be read, so nothing is known


def _entered_ms(stage: StageState) -> int:
    return int(moment(stage.entered_at).timestamp() * 1000) if stage.entered_at else 0


def _has_history(workspace: Workspace) -> bool:
    from verifflowcc.history.store.partitions import has_history

    return has_history(str(workspace.root))
