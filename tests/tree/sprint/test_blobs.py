"""Blobs: kept once, by digest; what is damaged counts as not there."""

from pathlib import Path

import pytest

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.sprint.store.evidence_store import put_blob, read_blob


@pytest.mark.parametrize("data", [b"", b"text\r\n", bytes(range(256)) * 100])
def test_what_is_put_comes_back_by_its_digest(tmp_path: Path, data: bytes) -> None:
    digest = put_blob(tmp_path / "local", data)

    assert digest == digest_bytes(data)
    assert read_blob(tmp_path / "local", digest) == data


def test_the_same_again_is_not_written_again(tmp_path: Path) -> None:
    digest = put_blob(tmp_path, b"x")
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert file.relative_to(tmp_path).as_posix() == f"blobs/{digest[7:9]}/{digest[7:]}"
    before = file.stat()

    assert put_blob(tmp_path, b"x") == digest

    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_damaged_one_is_not_there_and_is_mended_by_the_next(tmp_path: Path) -> None:
    digest = put_blob(tmp_path, b"whole")
    file = tmp_path / "blobs" / digest[7:9] / digest[7:]
    file.write_bytes(b"whol")

    assert read_blob(tmp_path, digest) is None
    assert put_blob(tmp_path, b"whole") == digest
    assert read_blob(tmp_path, digest) == b"whole"


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:../../../x", "md5:" + "0" * 64, "sha256:" + "0" * 64])
def test_what_is_no_digest_or_was_never_put_is_not_there(tmp_path: Path, digest: str) -> None:
    assert read_blob(tmp_path, digest) is None


def test_a_link_that_leaves_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "local").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        put_blob(tmp_path / ".memory" / "local", b"x")

    assert list((tmp_path / "elsewhere").iterdir()) == []
