"""Files of derived data as a test looks into them, and as somebody might forge them: with a right checksum."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any


def kept_in(path: Path) -> Any:
    """Return the document in a derived file: its key and its value."""
    return json.loads(path.read_bytes().partition(b"\n")[2])


def forge(path: Path, body: bytes) -> None:
    """Write a body with the checksum that belongs to it."""
    path.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)


def forge_in(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes in a derived file, and its checksum."""
    body = path.read_bytes().partition(b"\n")[2]
    assert old in body
    forge(path, body.replace(old, new))
