"""The files in a stage's `artifacts/` folder, with their digests."""

import os
from pathlib import Path

from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.domain.facts import ArtifactText
from verifflowcc.domain.sprints import Artifact, ArtifactFile
from verifflowcc.errors import WorkspaceError
from verifflowcc.text.canonical import digest_bytes, fold_newlines

_TEXT_PROBE_BYTES = 8000
LARGEST_TEXT_BYTES = 4 * 1024 * 1024


def read_artifacts(folder: Path, memory: Path) -> tuple[ArtifactFile, ...]:
    """Return the files below `folder`, sorted by path; hidden files are no artifacts.

    A link is followed while it stays inside `memory`. Raises WorkspaceError for one that leaves it, and for a file that
    cannot be read.
    """
    return tuple(
        ArtifactFile(one.artifact, empty=one.artifact.bytes == 0 or (one.text is not None and not one.text.strip()))
        for one in read_artifact_texts(folder, memory)
    )


def read_artifact_texts(folder: Path, memory: Path) -> tuple[ArtifactText, ...]:
    """Return the files below `folder` with their texts, as `read_artifacts` finds them."""
    check_inside(folder, memory)
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if not name.startswith("."):
                found.append(_read(path, path.relative_to(folder).as_posix(), memory))
    return tuple(sorted(found, key=lambda file: file.artifact.path))


def _read(path: Path, name: str, memory: Path) -> ArtifactText:
    if path.is_symlink():
        check_inside(path, memory)
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    content = data if b"\0" in data[:_TEXT_PROBE_BYTES] else fold_newlines(data)
    return ArtifactText(Artifact(name, digest_bytes(content), len(content)), _text(content))


def _text(content: bytes) -> str | None:
    if b"\0" in content or len(content) > LARGEST_TEXT_BYTES:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
