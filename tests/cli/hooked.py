"""`vfcc hook` as an agent's client runs it: a process with words on stdin, whose exit code and answer count."""

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests import forked
from tests.cli.process import VFCC, Ran, environment
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import history_folders

PATIENCE_S = 20


def said(event: str, **more: Any) -> dict[str, Any]:
    """Return what Claude Code says of an event."""
    return {"hook_event_name": event, "session_id": "s1", "prompt_id": "p1", **more}


def hook(
    folder: Path,
    words: Mapping[str, Any] | bytes,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Ran:
    """Run the script with words on stdin."""
    text = words if isinstance(words, bytes) else json.dumps(words).encode()
    done = subprocess.run(
        [VFCC, "hook", *(arguments or ("claude",))],
        cwd=folder,
        env=environment(folder.parent, **(env or {})),
        input=text,
        capture_output=True,
        timeout=PATIENCE_S,
        preexec_fn=before,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def forked_hook(folder: Path, words: Mapping[str, Any], *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run the hook in a forked process, where a test is about its answer and neither its start nor its time."""
    done = forked.run(
        ("hook", *(arguments or ("claude",))),
        folder,
        environment(folder.parent, **(env or {})),
        PATIENCE_S,
        given=json.dumps(words).encode(),
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def events(folder: Path) -> list[dict[str, Any]]:
    """Return what is recorded; an empty line is none."""
    files = [path for each in history_folders(Workspace(folder)) for path in sorted(each.glob("*.jsonl"))]
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines() if line]


def faults(folder: Path) -> list[dict[str, Any]]:
    """Return what is in the log of faults; an empty line is none."""
    path = folder / ".memory/local/hook-errors.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines() if line] if path.exists() else []
