"""`vfcc prove` killed at any moment leaves the repository as it was, and the next start removes its scratch tree."""

import fcntl
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.gates.test_prove_safely import everything
from tests.cli.process import CI, Ran, git, vfcc
from tests.proven_repository import commit, write
from verifflowcc.gates.store.scratch_tree import PREFIX

COMMAND = ("--command", f"{sys.executable} -m unittest", "--yes")
PRODUCT = "def price(cents):\n    return str(cents / 100)\n\n\ndef tax(cents):\n    return cents // 5\n"
TEST = """\
import os
import signal
import unittest

from price import price


class TestPrice(unittest.TestCase):
    def test_price(self):
        with open(os.environ["RUNS"], "a+") as runs:
            runs.write("run")
            runs.seek(0)
            if len(runs.read()) == 3 * int(os.environ["KILLING_RUN"]):
                os.kill(int(os.environ["KILLED"]), signal.SIGKILL)
        self.assertEqual(price(250), WANTED)
"""
STOPPER = """
import os, signal, sys
from verifflowcc.fast import main
left = int(sys.argv[1]) or -1
sys.argv = ["vfcc", *sys.argv[2:]]
os.environ["KILLED"] = str(os.getpid())

def watch(event, arguments):
    global left
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        left -= 1
    elif event.startswith(("os.", "fcntl.", "subprocess.", "shutil.", "tempfile.")) and event not in READS:
        left -= 1
    if left == 0:
        left = -1
        os.kill(os.getpid(), signal.SIGKILL)

READS = ("os.listdir", "os.scandir", "os.listxattr", "os.getxattr", "os.walk", "os.fwalk", "os.putenv")
sys.addaudithook(watch)
main()
"""
STEPS = range(1, 197)
RUNS = range(1, 5)
"""The kills: before each of so many steps that change the disk or start a program, and in each of the four runs."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a stash, a staged and an unstaged change, and a test that kills the proof when it is told."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, {"price.py": PRODUCT, "tests/test_price.py": TEST.replace("WANTED", "'2.5'")}, "start")
    write(root, {"stashed.py": "A = 1\n"})
    git(root, "stash", "-u", "-q")
    fixed = PRODUCT.replace("str(cents / 100)", "f'{cents / 100:.2f}'").replace("cents // 5", "cents // 4")
    write(root, {"price.py": fixed})
    git(root, "add", "price.py")
    write(root, {"tests/test_price.py": TEST.replace("WANTED", "'2.50'")})
    (tmp_path / "scratch").mkdir()
    return root


def started(root: Path, step: int, run: int = 0) -> Ran:
    """Prove the work tree; be killed before a step, or in a run of the tests; 0 is none."""
    env: Mapping[str, str] = {
        **CI, "TMPDIR": str(root.parent / "scratch"), "RUNS": str(root.parent / "runs"), "KILLING_RUN": str(run),
    }  # fmt: skip
    (root.parent / "runs").write_text("")
    program = (sys.executable, "-B", "-c", STOPPER, str(step))
    return vfcc(root, "prove", *COMMAND, "--json", "--full", env=env, program=program)


def left(root: Path) -> list[str]:
    return [path.name for path in (root.parent / "scratch").iterdir() if path.name.startswith("vfcc-")]


@pytest.mark.points(3)
@pytest.mark.parametrize("place", range(1, 50), ids="steps {0} and so on".format)
def test_a_killed_proof_leaves_everything_as_it_was(shop: Path, place: int) -> None:
    before = everything(shop)

    for step in STEPS[place - 1 :: 49]:
        killed = started(shop, step)
        assert killed.code in (-signal.SIGKILL, 0), killed  # 0 where a version of Python takes fewer steps
        assert everything(shop) == before
        shutil.rmtree(shop / ".git/vfcc", ignore_errors=True)  # the outcomes of the runs before
    proven_as_ever(shop, before)


@pytest.mark.points(1)
@pytest.mark.parametrize("run", RUNS)
def test_a_proof_killed_in_a_run_of_its_tests_leaves_everything_as_it_was(shop: Path, run: int) -> None:
    before = everything(shop)

    assert started(shop, 0, run).code == -signal.SIGKILL
    assert everything(shop) == before
    proven_as_ever(shop, before)


def proven_as_ever(root: Path, before: object) -> None:
    """Prove the same again, to the end: nothing of a run that was killed is left, and nothing of this one."""
    again = started(root, 0)

    assert again.code == 0, again
    [proof] = again.data["changes"]
    assert (proof["verdict"], len(proof["unguarded"])) == ("proven", 1)
    assert everything(root) == before
    assert left(root) == []


@pytest.mark.sweep
def test_the_moments_reach_from_the_first_step_to_the_last_run(shop: Path) -> None:
    first = started(shop, 1)
    seen_at_first = left(shop)
    late = started(shop, STEPS[-30])
    shutil.rmtree(shop / ".git/vfcc")  # the outcomes of the runs before
    last = started(shop, 0, RUNS[-1])
    beyond = started(shop, 0, RUNS[-1] + 1)

    assert {first.code, late.code, last.code} == {-signal.SIGKILL}
    assert beyond.code == 0
    assert seen_at_first == []
    assert len(STEPS) + len(RUNS) == 200


def test_a_folder_of_a_proof_that_runs_is_left_alone(shop: Path) -> None:
    scratch = shop.parent / "scratch"
    held, lost = scratch / f"{PREFIX}held", scratch / f"{PREFIX}lost"
    for each in (held, lost):
        each.mkdir()
    with (held / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = started(shop, 0)

    assert ran.code == 0
    assert left(shop) == [held.name]
