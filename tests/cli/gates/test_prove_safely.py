"""`vfcc prove` runs a repository's code: only where that is allowed, and never on what is the person's."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import CI, VFCC, environment, git, vfcc
from tests.proven_repository import COMMAND, PRICE, TESTS, proofs, prove, repository, write

FIX = PRICE.replace("str(cents / 100)", 'f"{cents / 100:.2f}"')
FIX_TEST = TESTS.replace('"2.5"', '"2.50"')


def changed(folder: Path) -> Path:
    root = repository(folder)
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})
    return root


def everything(root: Path) -> dict[str, bytes]:
    """Each file of a repository, those of git too, but for what a proof keeps there."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and "vfcc" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


# Who may


def test_a_program_may_not_run_a_command_that_no_person_allowed(tmp_path: Path) -> None:
    root = changed(tmp_path)

    vfcc(root, "prove", *COMMAND[:2]).refused(3, "`python -m pytest -q` runs the code of", "not allowed")


def test_an_agent_may_not_allow_a_command(tmp_path: Path) -> None:
    root = changed(tmp_path)

    vfcc(root, "prove", *COMMAND, env={"CLAUDECODE": "1"}).refused(3, "needs a person at a terminal or a CI job")


def test_a_person_is_asked_once_and_agents_may_run_it_then(tmp_path: Path) -> None:
    root = changed(tmp_path)

    refused = typed(root, "prove", *COMMAND[:2], keys="n\n")
    allowed = typed(root, "prove", *COMMAND[:2], keys="y\n")
    by_agent = vfcc(root, "prove", *COMMAND[:2], env={"CLAUDECODE": "1"})
    other = vfcc(root, "prove", "--command", "python -m pytest", env={"CLAUDECODE": "1"})

    assert (refused.code, refused.out) == (130, "")
    assert "python -m pytest -q" in refused.err
    assert (allowed.code, by_agent.code) == (0, 0)
    assert "proven" in by_agent.out
    other.refused(3, "not allowed")


# What is the person's


def test_the_tree_the_index_the_stash_and_the_refs_stay_as_they_are(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, {"stashed.py": "A = 1\n"})
    git(root, "stash", "-u", "-q")
    hostile = (
        "import pathlib, subprocess\n\n\n"
        "def test_writes():\n"
        "    pathlib.Path('price.py').write_text('gone')\n"
        "    pathlib.Path('new.py').write_text('new')\n"
        "    subprocess.run(['git', 'stash', 'clear'])\n"
        "    subprocess.run(['git', 'checkout', '-q', '-b', 'other'])\n"
        "    subprocess.run(['git', 'add', '-A'])\n"
    )
    write(root, {"price.py": FIX, "tests/test_a.py": hostile, "tests/test_price.py": FIX_TEST})
    git(root, "add", "tests")
    before = everything(root)

    [proof] = proofs(root, env={"GIT_DIR": str(root / ".git"), "GIT_WORK_TREE": str(root)})

    assert everything(root) == before
    assert proof["verdict"] == "proven"  # what a test leaves in the tree is gone before the next run


def test_a_filter_of_the_repository_is_not_run(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitattributes": "*.py filter=evil\n"})
    git(root, "config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    git(root, "config", "filter.evil.clean", f"touch {tmp_path}/ran; cat")
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST})

    assert [each["verdict"] for each in proofs(root)] == ["proven"]
    assert not (tmp_path / "ran").exists()


def test_a_scratch_tree_of_a_killed_proof_is_removed_by_the_next(tmp_path: Path) -> None:
    root, scratch, gate = repository(tmp_path), tmp_path / "scratch", tmp_path / "gate"
    scratch.mkdir()
    os.mkfifo(gate)
    waits = f"def test_waits():\n    open({str(gate)!r}).read()\n"
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST, "tests/test_wait.py": waits})
    before = everything(root)
    env = environment(tmp_path, **CI, TMPDIR=str(scratch))
    running = subprocess.Popen([VFCC, "prove", *COMMAND], cwd=root, env=env, stdout=subprocess.DEVNULL)
    with gate.open("w"):  # opens once the test waits
        running.send_signal(signal.SIGKILL)
        running.wait()
        left = [path for path in scratch.iterdir() if path.name.startswith("vfcc-prove-")]
    write(root, {"tests/test_wait.py": None})
    after = everything(root)

    shown = prove(root, env={"TMPDIR": str(scratch)})

    assert len(left) == 1
    assert after == {path: data for path, data in before.items() if path != "tests/test_wait.py"}
    assert shown.code == 0
    assert not [path for path in scratch.iterdir() if path.name.startswith("vfcc-prove-")]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not show variables of processes")
def test_what_a_killed_proof_left_running_is_ended_by_the_next(tmp_path: Path) -> None:
    root, scratch, gate, never = changed(tmp_path), tmp_path / "scratch", tmp_path / "gate", tmp_path / "never"
    scratch.mkdir()
    os.mkfifo(gate)
    os.mkfifo(never)
    waits = f"def test_waits():\n    pipe = open({str(gate)!r}, 'w', buffering=1)\n    print('x', file=pipe)\n"
    write(root, {"tests/test_wait.py": f"{waits}    open({str(never)!r}).read()\n"})
    env = environment(tmp_path, **CI, TMPDIR=str(scratch))
    running = subprocess.Popen([VFCC, "prove", *COMMAND], cwd=root, env=env, stdout=subprocess.DEVNULL)
    with gate.open("rb", buffering=0) as pipe:
        assert pipe.read(2) == b"x\n"  # the test waits
        running.kill()
        running.wait()
        write(root, {"tests/test_wait.py": None})
        prove(root, env={"TMPDIR": str(scratch)})
        os.set_blocking(pipe.fileno(), False)

        assert pipe.read() == b""  # its other end is closed; it would be None while the test waits


# Which copy of the product


def test_an_installed_copy_gives_way_to_the_scratch_tree(tmp_path: Path) -> None:
    files = {"src/shop/__init__.py": PRICE, "tests/test_price.py": TESTS.replace("from price", "from shop")}
    root = repository(tmp_path, {**files, "price.py": None})
    write(tmp_path, {"site/shop/__init__.py": FIX})
    after = FIX_TEST.replace("from price", "from shop")
    write(root, {"src/shop/__init__.py": FIX, "tests/test_price.py": after})

    [installed] = proofs(root, env={"PYTHONPATH": str(tmp_path / "site")})
    [editable] = proofs(root, env={"PYTHONPATH": str(root / "src")})

    assert (installed["verdict"], editable["verdict"]) == ("proven", "proven")


def test_an_installed_copy_that_comes_first_makes_a_proof_inconclusive(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(tmp_path, {"site/price.py": FIX})
    first = f"import sys\n\nsys.path.insert(0, {str(tmp_path / 'site')!r})\n"
    write(root, {"price.py": FIX, "tests/test_price.py": FIX_TEST, "tests/conftest.py": first})

    [proof] = proofs(root)

    assert proof["verdict"] == "inconclusive"
    assert proof["why"] == f"the tests import the installed copy: price is {tmp_path}/site/price.py"


def test_a_conftest_that_cannot_be_loaded_is_named_with_its_error(tmp_path: Path) -> None:
    root = changed(tmp_path)
    write(root, {"tests/conftest.py": "import no_such_module\n"})

    [proof] = proofs(root)

    assert proof["verdict"] == "inconclusive"
    assert "ModuleNotFoundError: No module named 'no_such_module'" in str(proof["why"])


def test_a_file_that_a_build_made_is_copied(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/price.py": f"from shop._version import V\n\n\n{PRICE}",
        ".gitignore": "_version.py\n",
    }
    root = repository(tmp_path, {**files, "tests/test_price.py": TESTS.replace("from price", "from shop.price")})
    after = f"from shop._version import V\n\n\n{FIX}"
    write(root, {"shop/_version.py": "V = 1\n", "shop/price.py": after})
    write(root, {"tests/test_price.py": FIX_TEST.replace("from price", "from shop.price")})

    assert [each["verdict"] for each in proofs(root)] == ["proven"]
