"""A project in which real clients run the hooks of vfcc, and what those recorded."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cli.process import settings_of
from tests.clients.conftest import Desk
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import own_partitions

VFCC = Path(sys.executable).with_name("vfcc")
SPRINT = "login"
LATE = "the answer took longer than"


def vfcc(desk: Desk, *arguments: str) -> str:
    """Run `vfcc` in the project, as an agent would, and return what it prints."""
    done = subprocess.run(
        [VFCC, *arguments], cwd=desk.folder, env=_env(desk), capture_output=True, text=True, check=True
    )
    return done.stdout


def take_out(desk: Desk, client: str) -> None:
    """Remove the hooks of a client, as a person at a terminal."""
    as_person(desk, "integrate", "--hooks", client, "--uninstall")


def as_person(desk: Desk, *arguments: str) -> None:
    """Run `vfcc` in the project as a person at a terminal."""
    ours, theirs = os.openpty()
    env = {**_env(desk), "VFCC_AGENT": "", "GIT_CONFIG_GLOBAL": settings_of("You")}
    subprocess.run([str(VFCC), *arguments], cwd=desk.folder, env=env, stdin=theirs, capture_output=True, check=True)
    os.close(ours)
    os.close(theirs)


def prepare(desk: Desk, client: str, *, sprint: bool = False, files: dict[str, str] | None = None) -> None:
    """Make a project of the folder, with the hooks of one client, and a sprint where that is asked for."""
    subprocess.run(["git", "init", "-q"], cwd=desk.folder, env=_env(desk), check=True)
    vfcc(desk, "init")
    for name, text in (files or {}).items():
        path = desk.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if sprint:
        vfcc(desk, "sprint", "start", "Login")
    vfcc(desk, "integrate", "--hooks", client)


def events(desk: Desk) -> list[dict[str, Any]]:
    """Return what was recorded, in order; that nothing went wrong is part of it.

    A late answer is no fault: a busy machine gives a hook no time, and its event is recorded all the same.
    """
    errors = desk.folder / ".memory/local/hook-errors.jsonl"
    faults = errors.read_text(encoding="utf-8").splitlines() if errors.exists() else []
    assert not [each for each in faults if LATE not in each]
    files = own_partitions(Workspace(desk.folder))
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]


def kinds(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return the kinds of events, each with its tool or source after a colon."""
    return [_kind(event) for event in found if event["kind"] != "learning"]


def _kind(event: dict[str, Any]) -> str:
    detail = event.get("gen_ai.tool.name") or event.get("source") or event.get("trigger")
    return f"{event['kind']}:{detail}" if detail else str(event["kind"])


def _env(desk: Desk) -> dict[str, str]:
    return {
        "PATH": f"{VFCC.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(desk.home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "A",
        "VFCC_AGENT": "planner",
    }
