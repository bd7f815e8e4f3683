"""Names of files as text that can be written down, whatever bytes a file system allows in them.

A name that is UTF-8 is itself. In any other, each byte that is not part of a character stands as `\\xff`.
"""

import os
import re
from pathlib import Path

_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")


def shown_name(name: bytes) -> str:
    """Return the name as text that has a UTF-8 form.

    >>> shown_name(b"caf\\xe9"), shown_name("café".encode())
    ('caf\\\\xe9', 'café')
    """
    return name.decode("utf-8", "backslashreplace")


def on_disk(root: Path, name: str) -> bytes:
    """Return the path, as the system takes it, of the file whose shown name below `root` is `name`."""
    top = os.fsencode(root)
    literal = os.path.join(top, name.encode("utf-8", "surrogateescape"))  # noqa: PTH118 - names are bytes here
    if "\\x" not in name or os.path.lexists(literal):
        return literal
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), literal)
