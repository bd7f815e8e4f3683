"""The content of a file right after an agent edited it, read inside of hooks: so it imports nothing but `os`."""

import os

from verifflowcc.base.text.quick_json import read, write
from verifflowcc.history.store.partitions import add_fault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.base.text.quick_json import Json


# The prompts that were compiled here last, by fingerprint: hooks know them again when one is sent to an agent.
#
# Local and deletable: without it a prompt is known by its form alone. It is read inside of hooks.

FILE = "sent-prompts.jsonl"
_LONGEST_LOG_BYTES = 65_536


def sent_prompts(local: str) -> "list[dict[str, Json]]":
    """Return the fingerprints of the prompts that were compiled last, the newest first."""
    found = []
    for name in (f"{local}/{FILE}.old", f"{local}/{FILE}"):
        try:
            with open(name, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes as long to import as all of this
                lines = file.read().split("\n")
        except (OSError, ValueError):
            continue
        for line in lines:
            try:
                value = read(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
    return found[::-1]


def add_sent_prompt(local: str, prompt: "dict[str, Json]") -> None:
    """Add a fingerprint, unless it is there. Raises OSError."""
    if all(each.get("digest") != prompt["digest"] for each in sent_prompts(local)):
        add_fault(f"{local}/{FILE}", write(prompt).encode() + b"\n", _LONGEST_LOG_BYTES)


LARGEST_BYTES = 1 << 20
"""A larger file is not read, since a client waits for its hook."""
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_KIND, _FILE = 0o170000, 0o100000


def read_after_edit(path: str) -> bytes | None:
    """Return the bytes of an ordinary file; None where there is none, it cannot be read, or it is too large."""
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(handle)
        if found.st_mode & _KIND != _FILE or found.st_size > LARGEST_BYTES:
            return None
        data = os.read(handle, LARGEST_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(handle)
    return data if len(data) == found.st_size else None
