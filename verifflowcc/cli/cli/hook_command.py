"""`vfcc hook`: the answers, which need the full program, behind `fast/hook.py`, which records events."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def records(root: str) -> bool:
    """Return whether the project records what agents do; a configuration that cannot be read has the default."""
    from verifflowcc.base.errors import VfccError
    from verifflowcc.base.model.config_values import HookSettings
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.sprint.use.configuration import effective_config

    try:
        return effective_config(Workspace(Path(root))).config.hooks.record
    except VfccError:
        return HookSettings().record  # the answer reports what is wrong with the file


def answered(
    client: str, payload: Mapping[str, Any], root: str, role: str, *, recorded: bool, unplaced: bool
) -> list[str]:
    """Answer an event that was recorded before, and return what went wrong on the way. Raises VfccError, OSError."""
    from verifflowcc.clients.use.hook_answering import answer_hook
    from verifflowcc.history.rules.encode import encode

    done = answer_hook(Path(root), client, payload, role or None, recorded=recorded, unplaced=unplaced)
    text, _ = encode(client, str(payload.get("hook_event_name") or ""), done.answer)
    _print(text)
    return done.faults


def deny(client: str, payload: Mapping[str, Any], root: str, rules: object) -> None:
    """Deny a call that these rules forbid, or every agent's rules; print nothing for another one."""
    from verifflowcc.history.rules.encode import HookAnswer, encode
    from verifflowcc.history.rules.permission import denied

    if why := denied(payload, rules, root, os.path.realpath):
        _print(encode(client, "PreToolUse", HookAnswer(decision="deny", reason=why))[0])


def _print(text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:  # past Python's own buffer, which complains at the end where the client has gone
        data = data[os.write(1, data) :]
