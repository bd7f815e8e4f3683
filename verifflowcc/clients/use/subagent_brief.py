"""What a subagent begins with: the sprint's goals, what it may do, and where to find more, in a third of a brief."""

from collections.abc import Callable, Mapping

from verifflowcc.base.model.config_values import ToolTable
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.brief import commands, gathered, handover, owed
from verifflowcc.clients.use.brief_memory import BriefRequest, rules
from verifflowcc.clients.use.brief_text import BriefPart, FittedBrief, entries, fit
from verifflowcc.history.rules.permission_line import permission_line, subagent_permission_line
from verifflowcc.memory.use.scopes import is_role
from verifflowcc.prompt.use.source_reader import SourceReader

SHARE = 3
"""A subagent's brief has this part of the budget of a session's."""
_RULES = 4
_ORDER = ("place", "failed", "permissions", "gate", "late", "memory", "handover", "commands")


def subagent_role(workspace: Workspace, kind: str) -> str | None:
    """Return the role that a subagent of this type has here, as hooks judge it; None where its name is no role."""
    name = kind.rpartition(":")[2].lower().removeprefix("vfcc-")
    return name if name and is_role(workspace, name) else None


def subagent_brief(request: BriefRequest, reader: SourceReader) -> FittedBrief:
    """Return the brief of a subagent, for its own role where its type names one, else for that of the session."""
    found = gathered(request, reader, PARTS)
    return fit([found[name] for name in _ORDER if name in found], request.budget_tokens, request.count)


def _permissions(request: BriefRequest) -> BriefPart:
    """Return what the session's role and the subagent's own may do: a call needs the permission of both."""
    if request.agent.settings.tools is ToolTable.OFF:
        return BriefPart()
    own = subagent_permission_line(request.agent.rules, request.role or "")
    lines = [permission_line(request.agent.rules), own]
    return BriefPart(entries=entries([line for line in lines if line]))


def _rules(request: BriefRequest) -> BriefPart:
    found = rules(request)
    hidden = found.hidden + max(0, len(found.entries) - _RULES)
    return replace(found, entries=found.entries[:_RULES], hidden=hidden)


def _owed(request: BriefRequest) -> BriefPart:
    """Return what the stage owes, where the subagent acts in the stage's own role."""
    sprint, stage = request.agent.sprint, request.agent.stage
    state = sprint.stage(stage) if sprint and stage else None
    return owed(request) if state and request.reader_role == state.stage.role else BriefPart()


PARTS: Mapping[str, Callable[[BriefRequest], BriefPart]] = {
    "handover": handover,
    "permissions": _permissions,
    "commands": commands,
    "memory": _rules,
    "gate": _owed,
}
