"""Files of a person are made private by the umask, which belongs to all threads of a process."""

import os
from pathlib import Path

import pytest

from verifflowcc.base.files.private_files import current_umask, private_if_own


def test_overlapping_threads_leave_the_umask_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = tmp_path / "vfcc" / "user" / "a.md"
    first, second = private_if_own(own), private_if_own(own)
    before = os.umask(0o022)
    try:
        # As two threads meet: the one that began first ends first.
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert current_umask() == 0o077
        second.__exit__(None, None, None)

        assert current_umask() == 0o022
    finally:
        os.umask(before)
