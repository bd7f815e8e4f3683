"""The place of work in one line, for the status line of a client: sprint, stage, gate, freshness of evidence."""

from verifflowcc.base.errors import VfccError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_stale
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.owed import owed_by
from verifflowcc.sprint.use.sprint_reading import resolve_sprint, show_sprint


def status_line(workspace: Workspace) -> str:
    """Return one line; what fails is left out, since a client draws the line again and again."""
    try:
        found = resolve_sprint(workspace)
        if found.id is None:
            return "vfcc: several sprints are open" if found.branches else "vfcc: no sprint"
        state = show_sprint(workspace, found.id)
    except VfccError:
        return "vfcc: vfcc doctor"
    parts = [state.id, state.current or str(state.status)]
    if state.current:
        parts += _gate(workspace, state.id)
    return " · ".join(parts)


def _gate(workspace: Workspace, sprint: str) -> list[str]:
    try:
        owed = owed_by(ask_stage(workspace, sprint))
    except VfccError:
        return ["gate unknown"]
    gate = f"owes {len(owed)}" if owed else "gate open"
    try:
        stale = find_stale(workspace, sprint).stale
    except VfccError:
        return [gate]
    return [gate, f"{len(stale)} stale" if stale else "evidence fresh"]
