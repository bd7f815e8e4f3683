"""Who acts on memory and where: in a project, or outside of any with user memory alone."""

from verifflowcc.adapters.actor import actor_here
from verifflowcc.adapters.clock import SystemClock
from verifflowcc.adapters.files.private import close_to_others, open_to_others
from verifflowcc.cli import output as out
from verifflowcc.records import dataclass
from verifflowcc.services.memory.finding import Found, find_item
from verifflowcc.services.memory.scopes import agent_of, read_scope, scopes_searched
from verifflowcc.services.workspace import Workspace, current_folder, find_workspace


@dataclass(frozen=True, slots=True)
class Here:
    """The project, if there is one, who acts, and which day it is (UTC)."""

    workspace: Workspace | None
    actor: str
    today: str

    def find(self, name: str, scope: str | None, *, but: str | None = None) -> Found:
        """Return the item that is meant, in a scope or in all that are in play here, except for `but`."""
        scopes = self.scopes(scope)
        return find_item(self.workspace, name, [each for each in scopes if each != but] or scopes)

    def scopes(self, scope: str | None) -> tuple[str, ...]:
        """Return the scopes in which an item is looked for."""
        agent = agent_of(self.actor)
        if scope is not None:
            return (read_scope(self.workspace, scope, agent=agent),)
        return scopes_searched(self.workspace)


def acting_here() -> Here:
    """Return who acts in the current folder, which need not be in a project."""
    workspace = find_workspace()
    close_user_memory()
    folder = workspace.root if workspace else current_folder()
    return Here(workspace, actor_here(folder).name, f"{SystemClock().now():%Y-%m-%d}")


def close_user_memory() -> None:
    """Make the person's folder private where an older version left it open to others, and say so."""
    home = open_to_others()
    if home is not None and close_to_others(home):
        out.warn(f"{home} could be read by others on this machine; only you can read it now")


def tell(lines: list[str]) -> None:
    """Print lines to stdout, without what a word in an item could do to a terminal."""
    out.emit_lines(lines)
