"""Keep an agent from stopping while the gate of the stage in work is closed for want of what an agent can still do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.gate_values import PEOPLE, Mode
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.brief_text import shown
from verifflowcc.clients.use.hook_settings import Standing
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.owed import Owed, next_command, owed_by
from verifflowcc.history.rules.encode import Answer
from verifflowcc.history.store.partitions import seen_file
from verifflowcc.sprint.use.sprint_reading import command_in

_TOLD = 5


def hold(workspace: Workspace, standing: Standing, said: Mapping[str, Any], most: int) -> Answer:
    """Return what keeps an agent at work; nothing where the gate is open, waits for people, or it was held enough.

    It is held no more than `most` times in a row, since not every client lets go by itself. Raises VfccError.
    """
    if not standing.in_stage or said.get("agent_id"):
        return Answer()
    counter = Path(seen_file(str(workspace.local), str(said.get("session_id") or ""))).with_suffix(".held")
    held = _count(counter) if said.get("stop_hook_active") is True else 0
    closed = [lines for sprint in standing.in_stage if (lines := _closed_gate(workspace, sprint.id))]
    if not closed or held >= most:
        counter.unlink(missing_ok=True)
        return Answer()
    write_atomic(counter, f"{held + 1}\n")
    lines = [line for each in closed for line in each]
    if standing.several:
        lines.append(f"{standing.choice.problem}: {standing.choice.hint_for_client}")
    lines[-1] = f"{lines[-1]}. Held {held + 1} of {most} times (hooks.hold)."
    return Answer(decision="block", reason="\n".join(lines))


def _closed_gate(workspace: Workspace, sprint_id: str) -> list[str]:
    """Return what an agent can still do for the gate of a sprint's active stage, and the next command; else nothing."""
    asked = ask_stage(workspace, sprint_id)
    blocking = [each for each in owed_by(asked) if _is_agents(each)]
    if not blocking:
        return []
    named = command_in(workspace, sprint_id)
    step = next_command(workspace, asked) if asked.route else named(blocking[0].command or "vfcc check gate")
    lines = [f"- {each.criterion}: {shown(each.reason)}: {named(each.todo)}" for each in blocking[:_TOLD]]
    return [f"The gate of {asked.stage.stage.id} (sprint {sprint_id}) is closed:", *lines, f"Next: {step}"]


def _is_agents(each: Owed) -> bool:
    return each.mode is Mode.HARD and each.kind not in PEOPLE and not each.person


def _count(path: Path) -> int:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
