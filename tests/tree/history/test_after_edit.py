"""What a hook reads of a file that an agent wrote: an ordinary file of a bounded size, and nothing that blocks."""

import os
from pathlib import Path

from verifflowcc.history.store.hook_files import LARGEST_BYTES, read_after_edit


def test_an_ordinary_file_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * LARGEST_BYTES)
    assert read_after_edit(str(file)) == b"x" * LARGEST_BYTES
    file.write_bytes(b"x" * (LARGEST_BYTES + 1))
    assert read_after_edit(str(file)) is None


def test_links_pipes_folders_and_absent_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "pipe", ".", "absent", "nul\0"):
        assert read_after_edit(f"{tmp_path}/{name}") is None, name
