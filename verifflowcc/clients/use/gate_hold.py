"""Keep an agent from stopping while its stage's gate lacks something it can do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.gate_values import PEOPLE, Mode
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.brief_text import shown
from verifflowcc.clients.use.hook_settings import AgentState
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.owed import UnmetCriterion, next_command, owed_by
from verifflowcc.history.rules.encode import HookAnswer
from verifflowcc.history.store.partitions import seen_file
from verifflowcc.sprint.use.sprint_reading import command_in

_SHOWN_CRITERIA = 5


def hold(workspace: Workspace, agent: AgentState, payload: Mapping[str, Any], most: int) -> HookAnswer:
    """Return the answer that blocks a stop; empty where the agent may stop.

    It may where the gate is open or waits for people, and after `most` holds in a row. Raises VfccError.
    """
    # Not every client ends a loop of blocked stops by itself, so the holds in a row are counted in a file.
    if not agent.in_stage or payload.get("agent_id"):
        return HookAnswer()
    counter = Path(seen_file(str(workspace.local), str(payload.get("session_id") or ""))).with_suffix(".held")
    held = _count(counter) if payload.get("stop_hook_active") is True else 0
    closed = [lines for sprint in agent.in_stage if (lines := _closed_gate(workspace, sprint.id))]
    if not closed or held >= most:
        counter.unlink(missing_ok=True)
        return HookAnswer()
    write_atomic(counter, f"{held + 1}\n")
    lines = [line for each in closed for line in each]
    if agent.several:
        lines.append(f"{agent.choice.problem}: {agent.choice.hint_for_client}")
    lines[-1] = f"{lines[-1]}. Held {held + 1} of {most} times (hooks.hold)."
    return HookAnswer(decision="block", reason="\n".join(lines))


def _closed_gate(workspace: Workspace, sprint_id: str) -> list[str]:
    """Return the open criteria that an agent can meet, and the next command."""
    asked = ask_stage(workspace, sprint_id)
    blocking = [each for each in owed_by(asked) if _is_agents(each)]
    if not blocking:
        return []
    named = command_in(workspace, sprint_id)
    step = next_command(workspace, asked) if asked.route else named(blocking[0].command or "vfcc check gate")
    lines = [f"- {each.criterion}: {shown(each.reason)}: {named(each.todo)}" for each in blocking[:_SHOWN_CRITERIA]]
    return [f"The gate of {asked.stage.stage.id} (sprint {sprint_id}) is closed:", *lines, f"Next: {step}"]


def _is_agents(each: UnmetCriterion) -> bool:
    return each.mode is Mode.HARD and each.kind not in PEOPLE and not each.person


def _count(path: Path) -> int:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
