"""What a gate says beside its criteria: edits outside of the stage, and hooks that recorded nothing."""

from verifflowcc.domain.facts import Facts, OutsideEdit
from verifflowcc.domain.sprints import Edits

_SHOWN = 5
_WHAT = {Edits.NONE: "no file of the project", Edits.TESTS: "tests only", Edits.ALL: "everything"}


def gate_notes(stage_id: str, facts: Facts) -> tuple[str, ...]:
    """Return sentences about the current stage; they block nothing."""
    stage = facts.sprint.stage(stage_id)
    if stage is None or facts.sprint.current != stage_id:
        return ()
    notes = []
    if facts.outside:
        shown = [_shown(each) for each in facts.outside[:_SHOWN]]
        more = [f"and {len(facts.outside) - _SHOWN} more"] if len(facts.outside) > _SHOWN else []
        count = f"{len(facts.outside)} file{'s' if len(facts.outside) > 1 else ''} changed"
        rule = f"{stage_id} edits {_WHAT[stage.stage.edits]}"
        notes.append(f"{rule}, and {count} since it was entered: {', '.join([*shown, *more])}")
    if facts.silent:
        clients = ", ".join(facts.silent)
        notes.append(f"hooks are set up for {clients}, and no event of {stage_id} was recorded on this machine")
    return tuple(notes)


def _shown(edit: OutsideEdit) -> str:
    return f"{edit.path} ({'; '.join(edit.traces)})" if edit.traces else f"{edit.path} (not committed)"
