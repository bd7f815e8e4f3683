"""What commands wrote, kept by its digest below `local/blobs/`: derived, git-ignored, deletable at any moment."""

import re
from pathlib import Path

from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.text.canonical import digest_bytes

_DIGEST = re.compile(r"sha256:([0-9a-f]{2})([0-9a-f]{62})")


def put_blob(local: Path, data: bytes) -> str:
    """Keep `data` and return its digest; one that is there and whole is not written again.

    Raises WorkspaceError where it cannot be written.
    """
    digest = digest_bytes(data)
    if read_blob(local, digest) is None:
        write_atomic(_place(local, digest), data)
    return digest


def read_blob(local: Path, digest: str) -> bytes | None:
    """Return the bytes with this digest; None where they are not there, or are not what was put there.

    Raises WorkspaceError where a link leads out of `local`.
    """
    if not _DIGEST.fullmatch(digest):
        return None
    try:
        data = _place(local, digest).read_bytes()
    except OSError:
        return None
    return data if digest_bytes(data) == digest else None


def _place(local: Path, digest: str) -> Path:
    digits = digest.removeprefix("sha256:")
    path = local / "blobs" / digits[:2] / digits
    check_inside(path.parent, local.parent)
    return path
