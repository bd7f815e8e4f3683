"""Choose the scope of what is new where nobody names one: what `memory.scope.mode` says.

`workspace` goes by whose a statement is: the person's or the project's. `skill` gives what an agent's role learns to
that role, and no other role's prompt has it. `manual` places nothing by itself: a person names the scope.
"""

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.config import ScopeMode
from verifflowcc.domain.items import GUARDED, ScopeKind
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.memory.opening import memory_settings
from verifflowcc.services.memory.scopes import PROJECT, is_role, read_scope
from verifflowcc.services.memory.words import default_scope
from verifflowcc.services.workspace import Workspace

MANUAL = "memory.scope.mode is manual"
_NOT_LEARNED = frozenset(ScopeKind) - {ScopeKind.USER, ScopeKind.PROJECT, ScopeKind.AGENT}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The scopes that a conversation is learned into; `proposes` says why a person is to say yes to each, if so."""

    scopes: tuple[str, ...]
    proposes: str = ""


def scopes_to_learn(workspace: Workspace | None, named: str | None, *, agent: str | None) -> Chosen:
    """Return where what is said goes: the scope that is named goes before the mode. `agent` is the role that acts.

    Raises UsageError for a scope that nothing is learned into, and as `read_scope` does.
    """
    if named is not None:
        if named.partition("/")[0] in _NOT_LEARNED:
            told = f"what is learned is of the user, the project or an agent's role, not of {named}"
            raise UsageError(told, hint="--scope project")
        return Chosen((read_scope(workspace, named, agent=agent),))
    if workspace is None:
        return Chosen((USER,))
    mode = memory_settings(workspace).scope.mode
    if mode is ScopeMode.SKILL and agent is not None and is_role(workspace, agent):
        return Chosen((USER, PROJECT, f"{ScopeKind.AGENT}/{agent}"))
    return Chosen((USER, PROJECT), f"{MANUAL}: a person says the scope" if mode is ScopeMode.MANUAL else "")


def scope_to_add(workspace: Workspace | None, type_name: str) -> str:
    """Return the scope of a new item of a type for which none was named.

    Raises UsageError where a person is to name it.
    """
    home = str(default_scope(type_name))
    if home in GUARDED and workspace is not None and memory_settings(workspace).scope.mode is ScopeMode.MANUAL:
        raise UsageError(f"{MANUAL}: name the scope of what is added", hint=f"--scope {home}")
    return home
