"""Read the conversations that a person names: files, or what comes on stdin."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from verifflowcc.adapters.foreign.given_file import read_bytes
from verifflowcc.domain.turns import Conversation
from verifflowcc.errors import UsageError
from verifflowcc.formats.turns import read_turns

STDIN = "-"


def read_conversations(
    sources: Sequence[str], *, kind: str | None = None, session: str | None = None, agents: Sequence[str] = ()
) -> tuple[Conversation, ...]:
    """Return what stands in files, `-` being stdin, in their order.

    Raises UsageError where one cannot be read or is a folder, FormatError where one is no text; then none is returned.
    """
    return tuple(_read(source, kind, session, agents) for source in dict.fromkeys(sources))


def _read(source: str, kind: str | None, session: str | None, agents: Sequence[str]) -> Conversation:
    name = "stdin" if source == STDIN else source
    if source != STDIN and Path(source).is_dir():
        raise UsageError(f"{source} is a folder; a conversation is a file", hint=f"vfcc memory ingest {source}/*")
    data = sys.stdin.buffer.read() if source == STDIN else read_bytes(Path(source), source)
    found = read_turns(data, name, kind, session=session, agents=agents)
    return found if data.strip() else replace(found, notes=(f"{name}:1: it is empty",))
