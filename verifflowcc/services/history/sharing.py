"""A session's history as it may be committed: which tools and files, when, with what outcome; nobody's words.

One file for each session, so that two people's never meet in one.
"""

from collections.abc import Mapping

from verifflowcc.adapters.files.partitions import ENDING
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.domain.events import Json
from verifflowcc.services.history.reading import SHARED, session_events
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.quick_json import write

KEPT = (
    "v", "kind", "id", "time", "client", "gen_ai.conversation.id", "task", "gen_ai.agent.name", "gen_ai.tool.name",
    "gen_ai.tool.call.id", "success", "duration_ms", "context_tokens", "role", "sprint", "stage", "source", "trigger",
    "reason",
)  # fmt: skip
"""What is committed of an event, beside the paths of files in the project."""


def share_session(workspace: Workspace, session: str) -> None:
    """Write the file of a session that may be committed. Raises WorkspaceError."""
    events = session_events(workspace, session)
    lines = [write(redacted(event)) for event in events if event.get("kind") != "learning"]
    if not lines:
        return
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in session[:100])
    day = str(events[0].get("time"))[:10]
    write_atomic(workspace.memory / SHARED / f"{day}-{name}{ENDING}", "".join(f"{line}\n" for line in lines))


def redacted(event: Mapping[str, Json]) -> dict[str, Json]:
    """Return an event without parameters, results, errors and words, and without files outside of the project."""
    kept = {name: event[name] for name in KEPT if name in event}
    files = event.get("files")
    shown = [each for each in map(_file, files) if each] if isinstance(files, list) else []
    return kept | ({"files": shown} if shown else {})


def _file(file: Json) -> dict[str, Json] | None:
    path = file.get("path") if isinstance(file, dict) else None
    if not isinstance(file, dict) or not isinstance(path, str) or path.startswith(("/", "~")):
        return None
    return {name: file[name] for name in ("path", "operation", "lines", "changes") if name in file}
