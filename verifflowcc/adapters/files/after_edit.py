"""The content of a file right after an agent edited it, read inside of hooks: so it imports nothing but `os`."""

import os

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
