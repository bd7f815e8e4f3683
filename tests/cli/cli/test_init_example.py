"""`vfcc init --example`: evidence, passed gates, a green trace with one finding, and where to look."""

import shlex
from pathlib import Path

import pytest

from tests.cli.process import CI, git, vfcc
from tests.cli.trees import everything
from verifflowcc.cli.use.initialise import LOOK_AT

pytestmark = pytest.mark.vfcc("REQ-MEMORY-TREE")


def test_the_example_shows_something_proven(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    made = vfcc(tmp_path, "init", "--example")

    lines = made.out.splitlines()
    assert made.err == ""
    assert lines[1] == "look at:"
    assert lines[-1] == "next: vfcc status"
    assert len(lines[1:-1]) <= 6
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "example")
    for words in (shlex.split(command)[1:] for command, _ in LOOK_AT[:-1]):
        assert vfcc(tmp_path, *words).code == 0, words
    assert "in validation, 4 of 5 stages passed" in vfcc(tmp_path, "status").out
    assert "testing/tests  pass     2 tests passed  ran_by_vfcc" in vfcc(tmp_path, "evidence", "list").out
    trace = vfcc(tmp_path, "check", "trace")
    assert trace.err == ""
    assert trace.out.splitlines()[-1] == "trace: nothing red in 3 items, 1 note"
    assert "passed on this content, says testing/tests" in vfcc(tmp_path, "trace", "why", "REQ-discount").out

    (tmp_path / "shop.py").write_text("\n", encoding="utf-8")
    assert vfcc(tmp_path, "evidence", "stale").code == 1, "an edit, and the evidence is stale"


def test_its_evidence_can_be_made_again_and_its_sprint_closed(tmp_path: Path) -> None:
    assert vfcc(tmp_path, "init", "--example").code == 0
    assert "closed (1 of 2 block)" in vfcc(tmp_path, "check", "gate").out, "no rule changed since the start"
    artifact = tmp_path / ".memory/stage/prices-in-cents/validation/artifacts/acceptance.md"
    artifact.parent.mkdir(parents=True, exist_ok=True)
    artifact.write_text("A customer added up a receipt: the total is right.\n", encoding="utf-8")

    assert vfcc(tmp_path, "allow", "--yes", env=CI).code == 0
    assert "all 1 met" in vfcc(tmp_path, "evidence", "run", "tests", "--stage", "testing", env=CI).out
    assert vfcc(tmp_path, "stage", "advance", env=CI).code == 0
    assert vfcc(tmp_path, "sprint", "close", env=CI).code == 0


def test_files_of_your_own_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("mine = 1\n", encoding="utf-8")
    before = everything(tmp_path)

    vfcc(tmp_path, "init", "--example").refused(3, "the example has a shop.py", "vfcc init example --example")
    vfcc(tmp_path, "init", "--example", "--workflow", "light").refused(2, "--example goes without --workflow")
    vfcc(tmp_path, "init", "--example", "--worked-example").refused(2, "--example goes without --worked-example")

    assert everything(tmp_path) == before
