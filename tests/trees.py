"""Small worlds to test with: a tree from a dictionary, real git repositories, the real command as a process.

Git knows one person and reads no configuration of the machine's; `vfcc` runs in an environment that is all in view.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests import forked
from verifflowcc.cli.use.initialise import initialise

PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in {"NAME": "Ann", "EMAIL": "ann@example.org", "DATE": "2026-11-21T12:00:00+00:00"}.items()
}
OWN = "own"
OWN_WORKFLOW = """\
name: own
title: The stages of light, with hard gates
gates: hard
stages:
  - {id: planning, title: Planning, leg: left, pair: validation, role: planner, artifacts: ["plan.*"]}
  - {id: design, title: Design, leg: left, pair: testing, role: designer, artifacts: ["design.*"]}
  - {id: coding, title: Coding, leg: apex, role: coder, artifacts: ["changes.*"]}
  - {id: testing, title: Testing, leg: right, pair: design, role: tester, artifacts: ["results.*"]}
  - {id: validation, title: Validation, leg: right, pair: planning, role: stakeholder, artifacts: ["acceptance.*"]}
"""
"""A project's own workflow whose gates close on a missing artifact and need no command."""


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write each file, given by its path below `root`, and return `root`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def write_memory(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write each file, given by its path below `.memory/`, and return `root`."""
    (root / ".memory").mkdir(parents=True, exist_ok=True)
    write_tree(root / ".memory", files)
    return root


def add_settings(root: Path, text: str) -> Path:
    """Add sections to the project's `config.yaml`, which `init` writes without any, and return its path."""
    path = root / ".memory" / "config.yaml"
    path.write_text(f"{path.read_text(encoding='utf-8')}{text}\n", encoding="utf-8")
    return path


def own_workflow(root: Path) -> Path:
    """Give the project at `root` the workflow `own`, and return `root`."""
    return write_memory(root, {"workflow.yaml": OWN_WORKFLOW})


def example(root: Path) -> Path:
    """Make a project of the worked example."""
    root.mkdir(parents=True, exist_ok=True)
    initialise(root, example=True)
    return root


def committed_example(root: Path) -> Path:
    """Make a git repository with the worked example as its one commit."""
    example(root)
    repository(root)
    return root


def repository(root: Path, message: str = "first") -> None:
    """Make `root` a git repository on the branch `main`, with all that is there committed."""
    git(root, "init", "--quiet", "--initial-branch", "main")
    commit(root, message)


def commit(root: Path, message: str) -> None:
    """Commit everything in `root`."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return what it prints; it must succeed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return all that a process is told."""
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(folder)}
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **nowhere, **PERSON, **more}


def vfcc(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in `folder` as a process; `more` goes into its environment."""
    return forked.run(arguments, folder, environment(folder, **more))


def prompt(folder: Path, *arguments: str, **more: str) -> bytes:
    """Return the bytes of a prompt as `vfcc context show` prints them; it must succeed."""
    done = vfcc(folder, "context", "show", *arguments, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def path_with(folder: Path, *programs: str) -> str:
    """Return a PATH on which these programs are found and no others, in the new folder `folder`."""
    folder.mkdir()
    for program in programs:
        found = shutil.which(program)
        assert found, f"{program} is not installed"
        (folder / program).symlink_to(found)
    return str(folder)
