"""`vfcc hook`: what needs the whole program, behind `fast/hook.py`, which records the rest by itself."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

ClientArgument = Annotated[str, typer.Argument(metavar="CLIENT", help="claude, codex, cursor, gemini or copilot.")]
EventArgument = Annotated[
    str | None, typer.Argument(metavar="[EVENT]", help="What it is about, where the client does not say so itself.")
]


def hook(client: ClientArgument, event: EventArgument = None) -> None:
    """Record what a client says of its agent, and answer it.

    Clients run this by themselves, with JSON on stdin, once vfcc integrate CLIENT has set them up. It never fails: what
    goes wrong is in .memory/local/hook-errors.jsonl, and vfcc doctor tells of it.
    """
    from verifflowcc.errors import UsageError

    asked = f" {event}" if event else ""
    raise UsageError(
        f"vfcc hook {client}{asked} is for clients, which say on stdin what their agent does",
        hint=f"vfcc integrate {client}",
    )


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
