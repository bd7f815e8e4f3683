"""Set clients up: their hooks, and all else that they read of a project."""

from collections.abc import Sequence

from verifflowcc.clients.doors import CLIENTS, FIRST_STEPS
from verifflowcc.clients.files import Outcome
from verifflowcc.domain.agent_clients import FILES
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.client_doors import DoorFile, set_up_doors
from verifflowcc.services.integrating import ClientFile, Integrated, integrate, targets
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import nearest


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What was done with each file of clients, or would be; `steps` are what only a person can do."""

    files: tuple[ClientFile, ...]
    """Files with hooks."""
    doors: tuple[DoorFile, ...]
    """Files with instructions, skills, agents and the MCP server."""
    steps: tuple[str, ...] = ()
    """What is left for a person."""
    dry_run: bool = False

    @property
    def edited(self) -> tuple[str, ...]:
        """Files that were left as they are, because vfcc's part of them was edited."""
        return tuple(path for path, outcome in self.outcomes if outcome is Outcome.EDITED)

    @property
    def changed(self) -> tuple[str, ...]:
        """Files that are not as they would be written."""
        return tuple(path for path, outcome in self.outcomes if outcome is not Outcome.NOTHING)

    @property
    def outcomes(self) -> tuple[tuple[str, Outcome], ...]:
        """Every file with what was done, or would be."""
        hooks = [(each.path, each.outcome) for each in self.files]
        return (*hooks, *((each.path, each.outcome) for each in self.doors))


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What is asked for: `hooks_only` leaves out all but hooks, as `local` does."""

    clients: tuple[str, ...]
    local: bool = False
    hooks_only: bool = False
    uninstall: bool = False
    force: bool = False
    dry_run: bool = False


def clients_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return clients, each once. Raises UsageError for one that is not known."""
    for name in names:
        if name not in CLIENTS:
            near = nearest(name, CLIENTS)
            more = f"did you mean {near}?" if near else f"there are {', '.join(CLIENTS)}"
            raise UsageError(f"no client is called {name}; {more}", hint="vfcc integrate --help")
    return tuple(dict.fromkeys(names))


def set_up_clients(workspace: Workspace, request: SetupRequest) -> ClientSetup:
    """Write what clients read, or remove it: hooks first, and last where both are in one file. Raises as both do."""
    hooked = [each for each in request.clients if each in FILES or request.local]
    wanted = targets(hooked, local=request.local)

    def hooks() -> Integrated:
        return integrate(workspace, wanted, uninstall=request.uninstall, force=request.force, dry_run=request.dry_run)

    if request.hooks_only or request.local:
        return ClientSetup(hooks().files, (), (), request.dry_run)
    done = None if request.uninstall else hooks()
    doors = set_up_doors(
        workspace, request.clients, uninstall=request.uninstall, force=request.force, dry_run=request.dry_run
    )
    done = done or hooks()
    written = {client for each in doors if each.outcome is Outcome.WRITTEN for client in each.clients}
    steps = [step for client in request.clients if client in written for step in FIRST_STEPS[client]]
    return ClientSetup(done.files, doors, tuple(steps), request.dry_run)
