"""The same thing added twice is one item; what two branches added is reported, with the command that makes it one."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc
from tests.trees import commit, git

pytestmark = pytest.mark.vfcc("REQ-WRITE-UPSERT")

WORDS = ("memory", "add", "decision", "Sessions, since tokens leak.")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository with a project."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "--quiet", "-b", "main")
    assert vfcc(root, "init").code == 0
    commit(root, "begin")
    return root


def decisions(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / ".memory/project/decisions").glob("sessions-*.md"))


def run_step(root: Path, out: str) -> None:
    (step,) = [line.partition("→ ")[2] for line in out.splitlines() if "→ " in line and "promote" not in line]
    done = typed(root, *step.split()[1:], keys="y\n")
    assert done.code == 0, done


def test_what_is_proposed_already_is_not_proposed_again(here: Path) -> None:
    first, second = vfcc(here, *WORDS), vfcc(here, *WORDS)

    assert (first.code, second.code) == (0, 0)
    assert "unchanged" in second.out
    assert len(decisions(here)) == 1


def test_what_is_in_force_is_not_added_again_by_anybody_and_more_than_it_is(here: Path) -> None:
    assert typed(here, *WORDS, "--yes").code == 0

    assert "unchanged" in typed(here, *WORDS, "--yes").out
    assert "unchanged" in vfcc(here, *WORDS).out
    assert "unchanged" not in vfcc(here, *WORDS, "--tag", "login").out
    assert len(decisions(here)) == 2


def test_what_was_replaced_may_be_added_again(here: Path) -> None:
    assert typed(here, *WORDS, "--yes").code == 0
    (old,) = decisions(here)
    assert typed(here, "memory", "add", "decision", "Tokens after all.", "--supersedes", old, "--yes").code == 0

    assert "unchanged" not in typed(here, *WORDS, "--yes").out


@pytest.mark.parametrize("by_person", [True, False])
def test_a_merge_that_brought_an_item_twice_is_reported_until_the_named_command_ran(
    here: Path, by_person: bool
) -> None:
    for name in ("coder", "tester"):
        git(here, "checkout", "--quiet", "-b", name, "main")
        assert (typed(here, *WORDS, "--yes") if by_person else vfcc(here, *WORDS)).code == 0
        commit(here, name)
    git(here, "merge", "--quiet", "--no-edit", "coder")
    assert len(decisions(here)) == 2

    found = vfcc(here, "check", "memory")
    assert "duplicate-item: " in found.out
    run_step(here, found.out)

    assert "duplicate-item" not in vfcc(here, "check", "memory").out
