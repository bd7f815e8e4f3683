"""Where `.git` cannot be written to, no event is lost: the project's own folder takes it."""

import os
from pathlib import Path

import pytest

from tests.history_world import hooked
from tests.trees import git, write_memory
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import history_folders, own_partitions


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to every folder")
def test_where_git_is_read_only_the_project_keeps_its_own_history(tmp_path: Path) -> None:
    here = Workspace(write_memory(tmp_path / "main", {"config.yaml": "format: 1\n"}))
    git(here.root, "init", "-q", "-b", "main")
    (here.root / ".git").chmod(0o500)
    try:
        done = hooked(here.root, {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "one"})
    finally:
        (here.root / ".git").chmod(0o700)

    assert not done.faults
    assert len(history_folders(here)) == 2
    (file,) = own_partitions(here)
    assert file.parent == here.local / "history"
