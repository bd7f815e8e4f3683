"""Answers to requests that carry an id, so that a request which is sent again is answered and not done again.

Each is a file of `.memory/local/requests/`, written after what the request did: where a process was killed between the
two, the request is done again, and what it does is the same whether it was done before or not.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files.write import write_atomic

FOLDER = "requests"
KEPT = 500
"""So many answers are kept at least; as many again, and the oldest are removed."""


def answer_of(local: Path, key: tuple[str, ...], arguments: Mapping[str, object]) -> str | None:
    """Return the answer to a request; None for a new one.

    Raises ConflictError where the same id had other arguments.
    """
    try:
        found = json.loads(_path(local, key).read_bytes())
        same = found["arguments"] == _digest(arguments)
        text = str(found["text"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not same:
        raise ConflictError(f"the request id {key[-1][:80]!r} was used with other arguments", hint="use a new id")
    return text


def keep_answer(local: Path, key: tuple[str, ...], arguments: Mapping[str, object], text: str) -> None:
    """Keep the answer to a request."""
    path = _path(local, key)
    write_atomic(path, json.dumps({"arguments": _digest(arguments), "text": text}) + "\n")
    _remove_oldest(path.parent)


def _path(local: Path, key: tuple[str, ...]) -> Path:
    return local / FOLDER / f"{hashlib.sha256(chr(0).join(key).encode()).hexdigest()[:32]}.json"


def _digest(arguments: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


def _remove_oldest(folder: Path) -> None:
    files = list(folder.glob("*.json"))
    if len(files) <= 2 * KEPT:
        return
    try:
        for path in sorted(files, key=lambda each: each.stat().st_mtime)[:-KEPT]:
            path.unlink(missing_ok=True)
    except OSError:
        return  # another process removes them, too
