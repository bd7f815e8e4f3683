"""A person at a terminal: `vfcc` with stdin, stdout and stderr on terminals, and what is typed there."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests import forked
from tests.cli.process import PATIENCE_S, Ran, drain, environment, git, settings_of
from tests.people_world import started, world
from verifflowcc.base.use.workspace import Workspace


def typed(folder: Path, *arguments: str, keys: str = "", env: Mapping[str, str] | None = None) -> Ran:
    """Run `vfcc` in `folder` at a terminal where `keys` are typed; what they echo is among what it wrote to stderr.

    The person is `You` unless the repository or `env` names another.
    """
    (err, err_side), (out, out_side) = os.openpty(), os.openpty()
    full = environment(folder.parent, **{"GIT_CONFIG_GLOBAL": settings_of("You"), **(env or {})})
    process = forked.start(arguments, folder, full, (err_side, out_side, err_side))
    os.close(err_side)
    os.close(out_side)
    os.write(err, keys.encode())
    texts = drain((out, err))
    code = process.wait(PATIENCE_S)
    return Ran(code, *(text.decode("utf-8", "replace").replace("\r\n", "\n") for text in texts))


def person(folder: Path, name: str) -> Path:
    """Make `name` the person at the terminal in this project."""
    git(folder, "config", "user.name", name)
    return folder


def project(folder: Path, workflow: str | None = None, *, empty: bool = False) -> Workspace:
    """A project whose plan `You` committed, with `Other` at the terminal; nothing in it where `empty`."""
    make = started if empty else world
    here = make(folder / "project", workflow) if workflow else make(folder / "project")
    person(here.root, "Other")
    return here
