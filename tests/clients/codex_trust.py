"""Trust for a project's hooks of Codex, as its user's `config.toml` keeps it: a hash of each hook that may run."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SESSION_END_MOST_S = 3
_USUAL_S = 600


def trusted(hooks_json: Path) -> str:
    """Return the tables of `config.toml` that trust the hooks in a file as they are now.

    The hash is over what the client runs: the event, the matcher where there is one, and the hook with the time limit
    in force. A hook that is edited, or that moves to another place of the file, is not trusted any more.
    """
    events: Mapping[str, list[dict[str, Any]]] = json.loads(hooks_json.read_text(encoding="utf-8"))["hooks"]
    tables = []
    for event, groups in events.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for group, matched in enumerate(groups):
            for number, hook in enumerate(matched["hooks"]):
                digest = _digest(name, matched.get("matcher"), hook)
                tables.append(
                    f'[hooks.state."{hooks_json}:{name}:{group}:{number}"]\ntrusted_hash = "sha256:{digest}"\n'
                )
    return "\n".join(tables)


def _digest(event: str, matcher: str | None, hook: Mapping[str, Any]) -> str:
    timeout_s = hook.get("timeout", _USUAL_S)
    if event == "session_end":
        timeout_s = min(timeout_s, _SESSION_END_MOST_S)
    run = {"type": "command", "command": hook["command"], "timeout": timeout_s, "async": hook.get("async", False)}
    identity = {"event_name": event, "hooks": [run], **({"matcher": matcher} if matcher is not None else {})}
    return hashlib.sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
