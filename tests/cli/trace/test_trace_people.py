"""`vfcc trace review|clear|verify`: a person at a terminal is asked; nobody else is let in."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import git, vfcc
from tests.cli.trees import everything
from tests.made_once import copied

pytestmark = pytest.mark.vfcc("REQ-TRACE-REVIEWS")

NEED, REQ = "NEED-login", "REQ-timeout"


@pytest.fixture
def traced(tmp_path: Path, _young: Path) -> Path:
    """A project with two items that `You` wrote, and `Other` at the terminal."""
    return copied(tmp_path, _two, _young)


def _two(folder: Path, young: Path) -> Path:
    root = shutil.copytree(young, folder / "young")
    git(root, "init", "-q")
    person(root, "You")
    need = ("need", "Users log in", "--id", NEED, "--text", "Somebody with an account gets in.")
    req = ("requirement", "It ends", "--id", REQ, "--text", "It shall end after 5 s.", "--verification", "inspection")
    for line in (need, (*req, "--parent", NEED, "--relation", "refines")):
        assert typed(root, "trace", "add", *line).code == 0
    return person(root, "Other")


def edit(folder: Path, name: str, old: str, new: str) -> None:
    """Change an item's file by hand."""
    [path] = (folder / ".memory/project/items").rglob(f"{name}.md")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@pytest.mark.sweep
def test_a_review_shows_the_item_and_asks(traced: Path) -> None:
    before = everything(traced)
    no = typed(traced, "trace", "review", REQ, keys="n\n")
    assert (no.code, no.out, everything(traced) == before) == (130, "", True)

    yes = typed(traced, "trace", "review", REQ, keys="y\n")

    assert (yes.code, yes.out) == (0, f"{REQ}: reviewed by human:Other, with 1 link\n")
    shown = yes.err.replace("y\n", "", 1)
    assert shown.startswith(
        f"{REQ}: It ends\n  It shall end after 5 s.\n  refines {NEED}: Users log in\nReviewed? [y/N]: "
    )
    assert "[agreed]" in vfcc(traced, "trace", "show", REQ).out
    again = typed(traced, "trace", "review", REQ)
    assert (again.code, again.out) == (0, f"{REQ}: nothing to stamp\n")
    assert "[y/N]" not in again.err, "there is nothing to ask"


@pytest.mark.sweep
def test_an_author_is_refused_but_for_own(traced: Path) -> None:
    person(traced, "You")
    typed(traced, "trace", "review", REQ, "--yes").refused(3, "is your own work", "--own")

    own = typed(traced, "trace", "review", REQ, "--own", "--yes")

    assert own.code == 0
    assert "(your own work)" in own.err


@pytest.mark.sweep
def test_a_suspect_link_is_cleared_with_a_reason_and_never_by_a_review(traced: Path) -> None:
    assert typed(traced, "trace", "review", "--all", "--yes").out == (
        f"{NEED}: reviewed by human:Other\n{REQ}: reviewed by human:Other, with 1 link\n"
    )
    edit(traced, NEED, "gets in", "gets in at once")
    typed(traced, "trace", "review", REQ, "--to", NEED, "--yes").refused(2, "needs a reason")
    edit(traced, REQ, "5 s", "6 s")
    typed(traced, "trace", "review", REQ, "--yes").refused(2, f"has a suspect link to {NEED}", "vfcc trace review")

    some = typed(traced, "trace", "review", "--all", "--yes")
    assert (some.code, some.out) == (1, f"{NEED}: reviewed by human:Other\n")
    assert f"not reviewed: {REQ} has a suspect link to {NEED}" in some.err

    done = typed(traced, "trace", "review", REQ, "--to", NEED, "--reason", "it ends all the same", keys="y\n")
    assert (done.code, done.out) == (0, f"{REQ}: the link to {NEED} is cleared by human:Other\n")
    assert f"suspect: {NEED} changed since human:Other looked on 20" in done.err
    assert "reason: it ends all the same\nDoes it still hold? [y/N]: " in done.err
    assert typed(traced, "trace", "review", "--all", "--yes").code == 0
    assert typed(traced, "trace", "review", "--all").out == "nothing needs a review\n"


def test_a_word_is_recorded_after_a_question(traced: Path) -> None:
    (traced / "form.py").write_text("# vfcc: REQ-timeout\nLIMIT_S = 5\n", encoding="utf-8")

    done = typed(traced, "trace", "verify", REQ, "--saw", "it ended", keys="y\n")

    assert (done.code, done.out) == (0, f"{REQ}: verified by inspection, human:Other\n")
    assert "  code: form.py\nby inspection, you saw: it ended\nDid you see that? [y/N]: " in done.err
    said = typed(traced, "trace", "verify", REQ, "--saw", "again", "--yes", "--json", "--full").data
    assert (said["method"], said["by"], said["observation"]) == ("inspection", "human:Other", "again")
    first = said["content"]
    (traced / "form.py").write_text("# vfcc: REQ-timeout\nLIMIT_S = 6\n", encoding="utf-8")
    said = typed(traced, "trace", "verify", REQ, "--saw", "again", "--yes", "--json", "--full").data
    assert said["content"] != first, "the word is bound to the code"


@pytest.mark.points(2)
@pytest.mark.parametrize("marker", ["CLAUDECODE", "CI"])
@pytest.mark.parametrize("line", [f"review {REQ}", f"review {REQ} --to {NEED} --reason x", f"verify {REQ} --saw x"])
def test_an_agent_at_a_terminal_is_no_person(traced: Path, line: str, marker: str) -> None:
    before = everything(traced)

    typed(traced, "trace", *line.split(), "--yes", env={marker: "1"}).refused(3, "needs a person at a terminal")

    assert everything(traced) == before


def test_a_person_without_a_name_is_sent_to_git(traced: Path) -> None:
    git(traced, "config", "--unset", "user.name")

    nameless = typed(traced, "trace", "review", REQ, "--yes", env={"GIT_CONFIG_GLOBAL": os.devnull})

    nameless.refused(3, "git config --global user.name")
