"""A conversation out of a file of any kind that vfcc reads, and how the kind is told."""

import json
from collections.abc import Collection, Mapping
from enum import StrEnum

from verifflowcc.domain.turns import Conversation
from verifflowcc.errors import FormatError, UsageError
from verifflowcc.formats.call_lines import JsonLinesJson as Json
from verifflowcc.formats.turns_claude import looks_like_claude, read_claude
from verifflowcc.formats.turns_codex import looks_like_codex, read_codex
from verifflowcc.formats.turns_dialogue import read_dialogue
from verifflowcc.formats.turns_jsonl import read_turn_lines
from verifflowcc.text.article import nearest

_LINES_LOOKED_AT = 50
_HINT = "vfcc memory ingest FILE --kind dialogue|claude|codex|jsonl"


class Kind(StrEnum):
    """What a file of turns is."""

    DIALOGUE = "dialogue"
    CLAUDE = "claude"
    CODEX = "codex"
    JSONL = "jsonl"


def read_turns(
    data: bytes, name: str, kind: str | None = None, *, session: str | None = None, agents: Collection[str] = ()
) -> Conversation:
    """Return the turns in a file's bytes; without `kind` the content says what it is.

    `name` is the file's in messages and origins; `session` is what its turns are called after; `agents` are names, in
    any case, whose words are an agent's. Raises UsageError for an unknown kind, FormatError for bytes that are no text.
    """
    if b"\0" in data[:65536]:
        raise FormatError(f"{name}:1: this is no text", hint=_HINT)
    folded = frozenset(each.strip().casefold() for each in agents)
    match _kind(kind) if kind is not None else kind_of(data):
        case Kind.CLAUDE:
            return read_claude(data, name, session=session)
        case Kind.CODEX:
            return read_codex(data, name, session=session)
        case Kind.JSONL:
            return read_turn_lines(data, name, session=session, agents=folded)
        case Kind.DIALOGUE:
            return read_dialogue(data, name, session=session, agents=folded)


def kind_of(data: bytes) -> Kind:
    """Return what the first lines look like: JSON of one of the clients, other JSON, else a dialogue.

    >>> kind_of(b'{"role": "user", "content": "Use tabs."}').value, kind_of(b"Other: Use tabs.").value
    ('jsonl', 'dialogue')
    """
    lines = data[:4_194_304].removeprefix(b"\xef\xbb\xbf").split(b"\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT]
    filled = [line for line in lines if line.strip()]
    rows = [row for line in filled if (row := _object(line)) is not None]
    if any(map(looks_like_codex, rows)):
        return Kind.CODEX
    if any(map(looks_like_claude, rows)):
        return Kind.CLAUDE
    starts = [line for line in filled if line.lstrip().startswith(b"{")]
    return Kind.JSONL if starts and 2 * len(starts) >= len(filled) else Kind.DIALOGUE


def _kind(word: str) -> Kind:
    try:
        return Kind(word)
    except ValueError:
        near = nearest(word, tuple(Kind))
        raise UsageError(
            f"there is no kind {word!r} of conversation; there is {', '.join(Kind)}",
            hint=f"--kind {near or 'dialogue'}",
        ) from None


def _object(line: bytes) -> Mapping[str, Json] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
