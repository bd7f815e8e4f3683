"""`vfcc hook`: what needs the whole program, behind `fast/hook.py`, which records the rest by itself."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def answered(client: str, said: Mapping[str, Any], root: str) -> int:
    """Record and answer what a client says, and return the exit code. Raises VfccError, OSError."""
    from verifflowcc.clients.encode import encode
    from verifflowcc.services.hooks.answering import answer_hook

    text, code = encode(client, str(said.get("hook_event_name") or ""), answer_hook(Path(root), client, said))
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()
    return code
