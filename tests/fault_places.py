"""The project in which each command is stopped: for most that of the examples, for some one of their own."""

import sys
from collections.abc import Callable
from pathlib import Path

from tests.cli.forgery import forged_evidence, plant_evidence
from tests.cli.honest_world import TESTS, project
from tests.cli.process import git
from tests.fault_worlds import Place
from tests.prepared_project import preparation
from tests.proven_repository import PRICE, commit, repository, write
from tests.secret_samples import TOKEN
from tests.trees import write_memory

PROVE = f'prove --command "{sys.executable} -S -m unittest" --yes'
COPY = "memory copy --scope project --from files --to sqlite"
LINES = {
    "hook": ("hook claude < event.json",),
    "memory copy": (COPY, f"{COPY} --move"),
    "prove": (PROVE, f"{PROVE} HEAD~1..HEAD"),
    "sprint resolve": ('sprint resolve --keep 7PXF --reason "It came first"',),
}
"""Lines in the place of the examples: those only show something, or need a test command."""
_TEST = """\
import unittest

from price import price


class TestPrice(unittest.TestCase):
    def test_price(self):
        self.assertEqual(price(250), "{}")
"""


class Places:
    """The places of all commands, each made once in a folder; `given` is that of most."""

    def __init__(self, given: Place, folder: Path) -> None:
        self._given, self._folder = given, folder
        self._made: dict[Callable[[Path], object], Place] = {}

    def of(self, name: str, line: str) -> Place:
        """Return the place in which a line of a command is stopped."""
        make = _OWN.get(name) or preparation(name, line)
        if make is None:
            return self._given
        if make not in self._made:
            home = self._folder / f"place-{len(self._made)}"
            if name in _OWN:
                root = _OWN[name](home)
            else:
                root = self._given.copy(home)
                make(root)
            self._made[make] = Place(home, root.name)
        return self._made[make]


def _empty(home: Path) -> Path:
    root = home / "shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    return root


def _older(home: Path) -> Path:
    files = {"config.yaml": "workflow: light\n", "agent/coder/prompt_template.md": "Be brief.\n"}
    return write_memory(_empty(home), files)


def _fixed(home: Path) -> Path:
    """Make a repository whose last commit fixes something, and with a fix that is not committed."""
    home.mkdir(parents=True)
    root = repository(home, {"tests/test_price.py": _TEST.format("2.5")})
    fixed = PRICE.replace("str(cents / 100)", 'f"{cents / 100:.2f}"')
    commit(root, {"price.py": fixed, "tests/test_price.py": _TEST.format("2.50")}, "cents")
    write(root, {"price.py": fixed.replace(".2f", ".3f"), "tests/test_price.py": _TEST.format("2.500")})
    return root


def _leaked(home: Path) -> Path:
    """Make a project with evidence that holds a secret, as an older version wrote it."""
    home.mkdir(parents=True)
    root = project(home, TESTS)
    plant_evidence(root, forged_evidence(root, examples=(f"failed: test_sub: {TOKEN}",)))
    return root


_OWN = {"init": _empty, "migrate": _older, "prove": _fixed, "evidence redact": _leaked}
