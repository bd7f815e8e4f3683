"""Read the conversations that a person names: files, or what comes on stdin."""

import sys
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.adapters.files.text_file import LARGEST, read_bytes
from verifflowcc.domain.turns import Conversation
from verifflowcc.errors import UsageError
from verifflowcc.formats.turns import read_turns
from verifflowcc.records import replace

STDIN = "-"
_SPLIT = "split --line-bytes=60M FILE part-; vfcc memory ingest part-*"


def read_conversations(
    sources: Sequence[str], *, kind: str | None = None, session: str | None = None, agents: Sequence[str] = ()
) -> tuple[Conversation, ...]:
    """Return what stands in files, `-` being stdin, in their order.

    Raises UsageError where one cannot be read or is a folder, FormatError where one is no text; then none is returned.
    """
    return tuple(_read(source, kind, session, agents) for source in dict.fromkeys(sources))


def _read(source: str, kind: str | None, session: str | None, agents: Sequence[str]) -> Conversation:
    name = "stdin" if source == STDIN else source
    data = _stdin() if source == STDIN else _file(source)
    found = read_turns(data, name, kind, session=session, agents=agents)
    return found if data.strip() else replace(found, notes=(f"{name}:1: it is empty",))


def _file(source: str) -> bytes:
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source} is a folder; a conversation is a file", hint=f"vfcc memory ingest {source}/*")
    if path.is_fifo() and path.resolve().is_fifo():  # it has a name, and would be waited for where nobody writes
        raise UsageError(f"{source} is a pipe; what comes out of it is read on stdin", hint="vfcc memory ingest -")
    return read_bytes(path, source, hint=_SPLIT)


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"stdin is larger than {LARGEST // 1_048_576} MiB", hint=_SPLIT)
    return data
