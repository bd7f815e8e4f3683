"""A small repository with one fix at a time, for `vfcc prove`: real git, real pytest."""

from collections.abc import Mapping
from pathlib import Path

from tests.cli.process import CI, Ran, git, vfcc

COMMAND = ("--command", "python -m pytest -q", "--yes")
PRICE = """\
def price(cents):
    return str(cents / 100)
"""
TESTS = """\
from price import price


def test_price():
    assert price(250) == "2.5"
"""


def repository(folder: Path, files: Mapping[str, str | None] | None = None) -> Path:
    """Make a repository with a product, its tests, and one commit."""
    root = folder / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, {"price.py": PRICE, "tests/test_price.py": TESTS, **(files or {})}, "start")
    return root


def write(root: Path, files: Mapping[str, str | None]) -> None:
    """Write files; one that is None is removed."""
    for path, text in files.items():
        full = root / path
        if text is None:
            full.unlink(missing_ok=True)
        else:
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, "utf-8")


def commit(root: Path, files: Mapping[str, str | None], subject: str) -> str:
    """Commit files, and return the commit's id."""
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject)
    return git(root, "rev-parse", "HEAD").strip()


def prove(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run `vfcc prove` as a CI job that allows the command."""
    return vfcc(root, "prove", *COMMAND, *arguments, env={**CI, **(env or {})})


def proofs(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> list[dict[str, object]]:
    """Return what `vfcc prove --json` shows of each change."""
    ran = prove(root, *arguments, "--json", "--full", env=env)
    assert ran.out, ran
    found = ran.data["changes"]
    assert isinstance(found, list)
    return found


def verdicts(proof: Mapping[str, object]) -> dict[str, str]:
    """Return the verdict on each test of a change, by its name."""
    tests = proof["tests"]
    assert isinstance(tests, list)
    return {each["test"].rpartition("::")[2]: each["verdict"] for each in tests}
