"""What a local report adds: the inbox, open tasks and recent history of this machine. User memory is never read."""

from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.history.offering import SessionLine, sessions
from verifflowcc.services.memory.inbox import Waiting, open_inbox
from verifflowcc.services.memory.scopes import scopes_listed
from verifflowcc.services.memory.tasks import TaskLine, list_tasks
from verifflowcc.services.workspace import Workspace

_USER = "user"
_SESSIONS = 20


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """What other clones do not have."""

    inbox: tuple[Waiting, ...]
    tasks: tuple[TaskLine, ...]
    sessions: tuple[SessionLine, ...]
    notices: tuple[str, ...] = ()


def local_facts(workspace: Workspace) -> LocalFacts:
    """Return them; what cannot be read is a notice."""
    notices: list[str] = []
    scopes = [each for each in scopes_listed(workspace) if each != _USER]
    inbox: tuple[Waiting, ...] = ()
    tasks: tuple[TaskLine, ...] = ()
    heard: tuple[SessionLine, ...] = ()
    try:
        inbox = open_inbox(workspace, scopes).waiting
        tasks = list_tasks(workspace)
        heard = sessions(workspace, _SESSIONS)
    except VfccError as error:
        notices.append(error.message.splitlines()[0])
    return LocalFacts(inbox, tasks, heard, tuple(notices))
