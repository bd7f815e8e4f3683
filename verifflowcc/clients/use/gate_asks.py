"""What the gate of the current stage asks an agent for: in its brief, and when it stops before it has done that."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.baseline_rules import baseline_for
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import PEOPLE, CriterionKind, Mode
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.rules.brief_seen import OWED
from verifflowcc.clients.use.brief_memory import BriefRequest, minute
from verifflowcc.clients.use.brief_text import BriefEntry, BriefPart, entries, shown
from verifflowcc.clients.use.hook_settings import AgentState
from verifflowcc.gates.rules.evidence_criteria import judge
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest, everything
from verifflowcc.gates.rules.staleness import chosen, stale_reasons
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.owed import UnmetCriterion, next_command, owed_by
from verifflowcc.history.rules.encode import HookAnswer
from verifflowcc.history.store.partitions import seen_file
from verifflowcc.sprint.use.sprint_reading import command_in

_BLOCKERS = 6
_LONGEST_REASON = 320
"""A reason may name a path and the headings that its file needs."""
_REPORTS, _TESTS, _CHANGES = 2, 5, 2


def owed(request: BriefRequest) -> BriefPart:
    """Return the criteria that the current stage does not meet yet, each with its command, and the next command."""
    found = request.gates()
    if found is None:
        return BriefPart()
    asked, stage = found[0], request.agent.stage
    owes = owed_by(asked)
    named = command_in(request.workspace, asked.sprint.id)
    lines = [
        BriefEntry(
            f"{each.criterion}: {shown(each.reason, _LONGEST_REASON)}: {named(each.todo)}",
            f"{OWED}{each.criterion} {each.reason}",
        )
        for each in owes[:_BLOCKERS]
    ]
    step = f"next: `{next_command(request.workspace, asked)}`"
    heading = f"The stage {stage} owes" if owes else f"The stage {stage} owes nothing"
    return BriefPart(
        heading, (*lines, BriefEntry(step)), max(0, len(owes) - _BLOCKERS), "owed items", "vfcc check gate"
    )


def tests(request: BriefRequest) -> BriefPart:
    """Return the newest recorded results of tests, with the tests that failed, and whether they are of these files."""
    found = request.gates()
    if found is None:
        return BriefPart()
    facts = found[1]
    wanted = [one for one in everything(facts.sprint) if one.criterion.kind is CriterionKind.JUNIT]
    reports = [
        (one, recorded.evidence)
        for one in wanted
        for recorded in chosen(one.criterion, one.stage, facts).latest
        if recorded.evidence
    ]
    reports.sort(key=lambda each: (each[1].time, each[1].id), reverse=True)
    lines, hidden = [], 0
    for one, evidence in reports[:_REPORTS]:
        failed = entries([shown(each) for each in evidence.examples]) if _failed(evidence) else ()
        lines += [BriefEntry(_report_line(one, evidence, facts)), *failed[:_TESTS]]
        hidden += max(0, _failed(evidence) - len(failed[:_TESTS]))
    command = f"vfcc evidence show {reports[0][1].id}" if reports else ""
    return BriefPart("Last test results", tuple(lines), hidden, "failed tests", command)


def _report_line(one: EvidenceRequest, evidence: Evidence, facts: Facts) -> str:
    """Return when the tests ran, how they ended, and on which content: on the present one, or what differs now."""
    failed = _failed(evidence)
    result = f"{failed} of {evidence.measures.get('tests', 0)} tests failed" if failed else ""
    result = result or shown(judge(one.criterion, evidence, baseline_for(one.criterion, facts)).reason)
    reasons = stale_reasons(evidence, facts, one.criterion, most=None)
    more = f" and {len(reasons) - _CHANGES} more" if len(reasons) > _CHANGES else ""
    since = f"of other content: since then {shown(', '.join(reasons[:_CHANGES]))}{more}"
    return f"{one}, {minute(evidence.time)}: {result}, {since if reasons else 'of the files as they are now'}"


def _failed(evidence: Evidence) -> int:
    return evidence.measures.get("failed", 0) + evidence.measures.get("error", 0)


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
