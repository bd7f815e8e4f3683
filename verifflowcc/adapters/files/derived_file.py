"""Files of derived data: JSON that can be made again, below a folder that git ignores."""

import json
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

from verifflowcc import __version__
from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.errors import WorkspaceError


class DerivedFile:
    """One store of such files, with the policies that hold for all of them.

    `place` is a path below the folder that git ignores, `*` for a name that a caller gives. A value is kept for the key
    that `keyed_by` describes, for the `number` of its format and the version of vfcc: under any other it counts as
    absent. So does a file whose checksum is wrong, that has more than `largest_bytes`, or that is a link or no file.
    Each writer replaces it whole, so that a reader sees what one of them wrote; where it cannot be written, nothing is
    kept. Of several files in one folder the latest `most` stay. The folder around that of the place must hold the file,
    with all links followed.
    """

    def __init__(
        self, place: str, number: int, *, keyed_by: str, largest_bytes: int = 64 << 20, most: int | None = None
    ) -> None:
        self.place, self.number, self.keyed_by = place, number, keyed_by
        self.largest_bytes, self.most = largest_bytes, most
        self._depth = place.count("/") + 1

    def read(self, path: Path, key: object = None) -> Any:
        """Return the value that was written for this key; None where there is none."""
        try:
            digest, _, body = self._bytes(path).partition(b"\n")
            if digest != _digest(body):
                return None
            document = json.loads(body)
            return document["value"] if document["key"] == self._key(key) else None
        except (OSError, WorkspaceError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def write(self, path: Path, value: object, key: object = None) -> bool:
        """Keep a value of JSON in place of what was there; return whether that could be done."""
        try:
            self.put(path, value, key)
        except (OSError, WorkspaceError):
            return False
        return True

    def put(self, path: Path, value: object, key: object = None) -> None:
        """Keep a value of JSON as `write` does. Raises OSError or WorkspaceError where that cannot be done."""
        from verifflowcc.adapters.files.write import write_derived

        body = json.dumps({"key": self._key(key), "value": value}, ensure_ascii=False, separators=(",", ":"))
        data = body.encode("utf-8", "surrogatepass")
        check_inside(path.parent, path.parents[self._depth])
        write_derived(path, _digest(data) + b"\n" + data)
        if self.most is not None:
            files = sorted(path.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns, reverse=True)
            for each in files[self.most :]:
                each.unlink(missing_ok=True)

    def _key(self, key: object) -> list[object]:
        return [self.number, __version__, key]

    def _bytes(self, path: Path) -> bytes:
        check_inside(path.parent, path.parents[self._depth])
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > self.largest_bytes:
                raise WorkspaceError(f"{path} is no file of derived data")
            return file.read()


def _digest(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode("ascii")
