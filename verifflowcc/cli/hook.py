"""`vfcc hook`: what needs the whole program, behind `fast/hook.py`, which records the rest by itself."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def answered(client: str, said: Mapping[str, Any], root: str, role: str | None) -> list[str]:
    """Record and answer what a client says, and return what went wrong on the way. Raises VfccError, OSError."""
    from verifflowcc.clients.encode import encode
    from verifflowcc.services.hooks.answering import answer_hook

    done = answer_hook(Path(root), client, said, role)
    text, _ = encode(client, str(said.get("hook_event_name") or ""), done.answer)
    data = text.encode("utf-8", "replace")
    while data:  # past Python's own buffer, which complains at the end where the client has gone
        data = data[os.write(1, data) :]
    return done.faults
