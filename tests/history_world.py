"""Small histories: what a client says at a moment, as lines in the files of a project."""

import itertools
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.trees import write_memory
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.hook_answering import HookReply, answer_hook
from verifflowcc.fast.hook import ERRORS, Hook
from verifflowcc.history.rules.event_shape import line_of, moment
from verifflowcc.history.store.partitions import add_lines

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOON_MS = int(NOW.timestamp() * 1000)
DAY_S = 86_400
_NUMBERS = itertools.count(1)


def project(folder: Path, config: str = "format: 1\n", files: Mapping[str, str | bytes] | None = None) -> Workspace:
    """Make a project whose clock stands at noon."""
    root = write_memory(folder / "project", {"config.yaml": config, **(files or {})})
    return Workspace(root, FixedClock(NOW))


def spoken(at_s: float, hook: str, *, session: str = "s1", task: str | None = "p1", **said: Any) -> dict[str, Any]:
    """Return a client's words, `at_s` seconds after noon, as `tell` takes them."""
    named = {"prompt_id": task} if task else {}
    return {"at_s": at_s, "hook_event_name": hook, "session_id": session, **named, **said}


def prompt(at_s: float, text: str, **more: Any) -> dict[str, Any]:
    return spoken(at_s, "UserPromptSubmit", prompt=text, **more)


def stop(at_s: float, text: str = "", **more: Any) -> dict[str, Any]:
    return spoken(at_s, "Stop", last_assistant_message=text, **more)


def tool(at_s: float, name: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    failed = "error" in more
    hook = "PostToolUseFailure" if failed else "PostToolUse"
    words: dict[str, Any] = {"tool_name": name, "tool_input": dict(given), "tool_use_id": f"t{next(_NUMBERS)}"}
    answered = {} if failed else {"tool_response": more.pop("response", "ok")}
    return spoken(at_s, hook, **words, **answered, **more)


def edit(at_s: float, path: str, **more: Any) -> dict[str, Any]:
    given = {"file_path": path, "old_string": more.pop("old", "x"), "new_string": more.pop("new", "y")}
    return tool(at_s, "Edit", given, **more)


def read(at_s: float, path: str, **more: Any) -> dict[str, Any]:
    return tool(at_s, "Read", {"file_path": path}, **more)


def run(at_s: float, command: str, **more: Any) -> dict[str, Any]:
    return tool(at_s, "Bash", {"command": command}, **more)


def line(here: Workspace, said: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the day of a client's words, and the line that they make."""
    words = {name: value for name, value in said.items() if name not in ("at_s", "client", "role")}
    at_ms = NOON_MS + round(said["at_s"] * 1000)
    place = {"role": said.get("role")}
    root = str(here.root)
    made = line_of(words, said.get("client", "claude"), root, at_ms, next(_NUMBERS).to_bytes(10, "big"), place)
    assert made is not None
    return moment(at_ms)[:10], made


def tell(here: Workspace, *said: Mapping[str, Any]) -> None:
    """Add what a client says to the history."""
    for each in said:
        add_lines(str(here.local), *line(here, each))


def hooked(root: Path, said: Mapping[str, Any], *, client: str = "claude", role: str | None = None) -> HookReply:
    """Do what `vfcc hook` does with an event, record it and answer it; return the answer and all that went wrong."""
    hook = Hook(client, "")
    hook.root, hook.role = str(root), role or ""
    logged = len(_logged(root))
    said = hook.with_typed_words(dict(said))
    recorded, snapshot = hook.record_first(said)
    done = answer_hook(root, client, said, role, recorded=recorded, unplaced=snapshot is None)
    return HookReply(done.answer, [*_logged(root)[logged:], *done.faults])


def _logged(root: Path) -> list[str]:
    path = Path(f"{root}{ERRORS}")
    return [json.loads(each)["error"] for each in path.read_bytes().splitlines() if each] if path.exists() else []
