"""`vfcc memory` and `vfcc context` on items whose code changed, as a person at a terminal sees them."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import Ran, git, vfcc
from tests.trees import add_settings

pytestmark = pytest.mark.vfcc("REQ-STALE-REFS")

SEARCH = "class Index:\n    def query(self):\n        return 1\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository in which a person remembers something of a symbol."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/search.py").write_text(SEARCH, encoding="utf-8")
    git(root, "init", "-q")
    assert vfcc(root, "init").code == 0
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    added = me(root, "add", "fact", "Queries take no lock", "--id", "locks", "--ref", "src/search.py:Index.query")
    assert added.code == 0, added
    return root


def me(root: Path, *words: str) -> Ran:
    return typed(root, "memory", *words)


def change(root: Path, text: str) -> None:
    (root / "src/search.py").write_text(text, encoding="utf-8")


def stale(root: Path) -> object:
    value = vfcc(root, "memory", "show", "locks", "--json", "--full").data
    return value["stale"]


@pytest.mark.sweep
def test_what_is_stale_is_marked_wherever_it_is_shown(project: Path) -> None:
    assert (stale(project), "stale" in vfcc(project, "memory", "list").out) == (None, False)
    change(project, SEARCH.replace("1", "2"))
    why = "Index.query in src/search.py changed since"

    assert stale(project) == why
    shown = vfcc(project, "memory", "show", "locks").out
    assert f"  stale: {why}\n" in shown
    assert shown.endswith("next: vfcc memory edit locks --holds (if it is still right)\n")
    assert "active, stale" in vfcc(project, "memory", "list").out
    (row,) = vfcc(project, "memory", "list", "--json", "--full").data["rows"]
    assert row["stale"] == why
    explained = vfcc(project, "context", "show", "--agent", "coder", "--explain")
    assert f"stale: {why}" in explained.out
    assert f"stale: {why};" in explained.err
    assert "code: sha256:" in explained.err
    checked = vfcc(project, "check", "memory")
    assert (checked.code, ": note ref-changed: Index.query in src/search.py, of which locks" in checked.out) == (
        0,
        True,
    )
    assert stale(project) == why, "looking changes nothing"


@pytest.mark.sweep
def test_a_person_says_that_it_still_holds(project: Path) -> None:
    change(project, SEARCH.replace("1", "2"))
    file = project / ".memory/project/items/fact/locks.md"
    before = file.read_text(encoding="utf-8")

    assert "refs changed" in me(project, "edit", "locks", "--holds").out
    assert stale(project) is None
    lines = set(file.read_text(encoding="utf-8").splitlines()) ^ set(before.splitlines())
    assert {line.partition(":")[0] for line in lines} <= {"refs", "updated"}
    assert "nothing changes" in me(project, "edit", "locks", "--holds").out
    vfcc(project, "memory", "edit", "locks", "--holds").refused(3, "needs a person at a terminal")


@pytest.mark.sweep
def test_what_is_gone_cannot_hold_and_is_named_anew(project: Path) -> None:
    change(project, SEARCH.replace("query", "find"))
    refused = me(project, "edit", "locks", "--holds")
    assert (refused.code, "Index.query is gone from src/search.py; say where it is now" in refused.err) == (2, True)
    assert "--unref src/search.py:Index.query" in refused.err

    named = ("--unref", "src/search.py:Index.query", "--ref", "src/search.py:Index.find")
    assert me(project, "edit", "locks", *named).code == 0
    assert stale(project) is None
    change(project, SEARCH.replace("query", "find").replace("1", "2"))
    assert stale(project) == "Index.find in src/search.py changed since"
    assert me(project, "edit", "locks", "--ref", "src/search.py:Index.find").code == 0
    assert stale(project) is None
    assert me(project, "edit", "locks", "--unref", "src/search.py:Index.find").code == 0
    value = vfcc(project, "memory", "show", "locks", "--json", "--full").data
    assert value["item"]["refs"] == []
    assert "speaks of no code" in me(project, "edit", "locks", "--holds").err
    assert "it speaks of nothing" in me(project, "edit", "locks", "--unref", "src/search.py").err


@pytest.mark.sweep
@pytest.mark.parametrize("place", ["../outside.py", "/etc/hostname", "src\\search.py", ":query", "out/a.py"])
def test_a_place_outside_is_refused(project: Path, tmp_path: Path, place: str) -> None:
    (project / "out").symlink_to(tmp_path)
    for words in (("add", "fact", "Said", "--ref", place), ("edit", "locks", "--ref", place)):
        refused = me(project, *words)
        assert (refused.code, refused.out) == (2, ""), refused
        assert "the project" in refused.err


@pytest.mark.sweep
def test_a_setting_withholds_what_is_stale_and_says_so(project: Path) -> None:
    add_settings(project, "memory: {stale: withhold}")
    assert "Queries take no lock" in vfcc(project, "context", "show", "--agent", "coder").out
    change(project, SEARCH.replace("1", "2"))

    shown = vfcc(project, "context", "show", "--agent", "coder", "--explain")

    assert "Queries take no lock" not in shown.out
    reason = "stale: Index.query in src/search.py changed since (memory.stale: withhold)"
    assert reason in " ".join(shown.err.split())
    assert "Queries take no lock" not in vfcc(project, "context", "show", "--agent", "coder").out
    settings = vfcc(project, "config", "show").out
    assert "withhold" in settings


def test_a_wrong_word_for_the_setting_is_refused(project: Path) -> None:
    add_settings(project, "memory: {stale: hide}")
    vfcc(project, "context", "show", "--agent", "coder").refused(3, "memory.stale", "flag", "withhold")


@pytest.mark.sweep
def test_outside_of_the_project_nothing_is_judged(tmp_path: Path, project: Path) -> None:
    add = ("add", "constraint", "Small team", "--id", "team", "--scope", "user", "--yes", "--ref", "src/search.py")
    assert me(project, *add).code == 0
    change(project, "x = 1\n")
    (tmp_path / "other/src").mkdir(parents=True)
    for folder, said in ((project, "src/search.py changed since"), (tmp_path / "other", None)):
        assert vfcc(folder, "memory", "show", "team", "--json", "--full").data["stale"] == said
    assert vfcc(tmp_path / "other", "init").code == 0
    assert vfcc(tmp_path / "other", "memory", "show", "team", "--json", "--full").data["stale"] is None
    refused = me(tmp_path / "other", "edit", "team", "--holds")
    assert (refused.code, "speaks of the code of project@" in refused.err) == (2, True)
    (finding,) = vfcc(project, "check", "memory", "--scope", "user", "--json", "--full").data["report"]["findings"]
    assert finding["code"] == "ref-changed"
