"""The project that version 0.1 left behind, unpacked: the next version must read it, and allow no more than it should.

`tests/fixtures/made_by_0_1/` holds it as 0.1 made it. Its six open sprints follow one workflow each: the five that come
with the program, and one of the project's own. A seventh is closed.
"""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Collection
from pathlib import Path

from tests.made_once import copied

FIXTURE = Path(__file__).parent / "fixtures" / "made_by_0_1"
OPEN = {
    "languages": ("spike", "question"),
    "names-with-spaces": ("agile", "validation"),
    "no-wrong-name": ("safety", "requirements"),
    "polite-greetings": ("standard", "coding"),
    "shout": ("light", "coding"),
    "titles": ("aspice", "swe1"),
}
"""The open sprints, each with its workflow and the stage that it is in."""
CLOSED = "first-greeting"
PEOPLE = {"Ana Ruiz": "ana@example.org", "Bo Lind": "bo@example.org"}


def unpacked(folder: Path, only: Collection[str] | None = None) -> Path:
    """Unpack the project below `folder` and return its root; of the open sprints only those in `only`.

    `folder` is the home of the user, whose own memory lies there. Bo is the person of git's configuration.
    """
    root = copied(folder, _unpack)
    for sprint in OPEN.keys() - set(OPEN if only is None else only):
        shutil.rmtree(root / ".memory/sprint" / sprint)
        shutil.rmtree(root / ".memory/stage" / sprint)
    return root


def _unpack(folder: Path) -> Path:
    root = folder / "project"
    _git(folder, "clone", "--quiet", str(FIXTURE / "project.bundle"), str(root))
    _git(root, "remote", "remove", "origin")
    _git(root, "config", "user.name", "Bo Lind")
    _git(root, "config", "user.email", PEOPLE["Bo Lind"])
    with tarfile.open(FIXTURE / "beside.tar.gz") as archive:
        for entry in archive:
            target = folder / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            stream = archive.extractfile(entry)
            assert stream is not None
            target.write_bytes(stream.read())
    shutil.move(str(folder / "home" / ".local"), str(folder / ".local"))
    (folder / "home").rmdir()
    return root


def _git(folder: Path, *arguments: str) -> None:
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **nothing}
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)
