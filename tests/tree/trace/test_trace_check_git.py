"""What git tells the trace: ids used again, ids that two branches took, authors, and what changed since a commit."""

import shutil
from pathlib import Path

import pytest

from tests.traced_project import CONFIG, ITEMS, LOW, NEED, item, traced
from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.errors import UsageError
from verifflowcc.base.git.git_trace import find_place, read_authors, read_past
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.trace.use.trace_checking import TraceCheckResult, check_trace
from verifflowcc.trace.use.trace_sources import read_sources

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

RETIRED = item("REQ-old", "requirement", "refines NEED-tide", verification="test").replace("active", "archived")
OLD = f"{ITEMS}/requirement/REQ-old.md"


def started(root: Path, **more: str) -> Workspace:
    here = traced(root, **more)
    repository(root)
    return here


def of(checked: TraceCheckResult, code: str) -> list[tuple[str, str]]:
    return [(each.item, each.path) for each in checked.report.findings if each.code == code]


def add(root: Path, message: str = "more", **files: str) -> None:
    write_tree(root, files)
    commit(root, message)


def test_an_id_that_was_retired_and_removed_is_not_to_be_used_again(tmp_path: Path) -> None:
    here = started(tmp_path, **{OLD: RETIRED})
    (tmp_path / OLD).unlink()
    commit(tmp_path, "remove it")
    assert of(check_trace(here), "reused-id") == []

    elsewhere = f"{ITEMS}/need/REQ-old.md"
    write_tree(tmp_path, {elsewhere: item("REQ-old", "need")})

    assert of(check_trace(here), "reused-id") == [("REQ-old", elsewhere)]
    git_trace = read_sources(here).sources.git
    assert git_trace.reused[elsewhere].startswith(f"{OLD} (removed in ")


def test_an_item_that_was_removed_while_it_counted_may_come_back(tmp_path: Path) -> None:
    text = item("REQ-old", "requirement", "refines NEED-tide", verification="test")
    here = started(tmp_path, **{OLD: text})
    (tmp_path / OLD).unlink()
    add(tmp_path, "remove it")
    add(tmp_path, "and back", **{OLD: text})

    assert of(check_trace(here), "reused-id") == []


def test_an_item_that_was_retired_and_is_so_still_is_not_used_again(tmp_path: Path) -> None:
    here = started(tmp_path, **{OLD: RETIRED})
    git(tmp_path, "mv", OLD, f"{ITEMS}/need/REQ-old.md")
    commit(tmp_path, "move it")

    assert of(check_trace(here), "reused-id") == []


def test_an_id_that_both_branches_added_collides_before_the_merge(tmp_path: Path) -> None:
    here = started(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    git(tmp_path, "checkout", "--quiet", "main")
    add(tmp_path, **{f"{ITEMS}/need/NEED-new.md": item("NEED-new", "need", text="It shall be theirs.")})
    git(tmp_path, "checkout", "--quiet", "topic")
    ours = f"{ITEMS}/hazard/NEED-new.md"
    write_tree(tmp_path, {ours: item("NEED-new", "hazard", text="It shall be ours.")})

    uncommitted = check_trace(here)
    assert of(uncommitted, "id-collision") == [("NEED-new", ours)]
    assert uncommitted.examined.target == "main"

    commit(tmp_path, "ours")
    assert of(check_trace(here), "id-collision") == [("NEED-new", ours)]
    assert read_sources(here).sources.git.collisions == {"NEED-new": f"{ITEMS}/need/NEED-new.md"}


def test_one_file_that_both_branches_hold_alike_is_no_collision(tmp_path: Path) -> None:
    here = started(tmp_path)
    new = {f"{ITEMS}/need/NEED-new.md": item("NEED-new", "need")}
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    add(tmp_path, **new)
    git(tmp_path, "checkout", "--quiet", "main")
    add(tmp_path, "the same", **new)
    git(tmp_path, "checkout", "--quiet", "topic")
    assert of(check_trace(here), "id-collision") == []

    add(tmp_path, "not the same", **{f"{ITEMS}/need/NEED-new.md": item("NEED-new", "need", text="It shall differ.")})
    assert of(check_trace(here), "id-collision") == [("NEED-new", f"{ITEMS}/need/NEED-new.md")]


def test_what_was_merged_already_collides_no_more(tmp_path: Path) -> None:
    here = started(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    add(tmp_path, **{"other.txt": "x"})
    git(tmp_path, "checkout", "--quiet", "main")
    add(tmp_path, **{f"{ITEMS}/need/NEED-new.md": item("NEED-new", "need")})
    git(tmp_path, "checkout", "--quiet", "topic")
    git(tmp_path, "merge", "--quiet", "--no-edit", "main")

    assert of(check_trace(here), "id-collision") == []


def test_a_file_that_the_target_only_moved_is_no_new_id(tmp_path: Path) -> None:
    here = started(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    git(tmp_path, "checkout", "--quiet", "main")
    (tmp_path / ITEMS / "need" / "more").mkdir()
    git(tmp_path, "mv", NEED, f"{ITEMS}/need/more/NEED-tide.md")
    commit(tmp_path, "move it")
    git(tmp_path, "checkout", "--quiet", "topic")

    assert of(check_trace(here), "id-collision") == []


def test_a_branch_that_is_named_and_not_there_is_told_and_no_crash(tmp_path: Path) -> None:
    here = started(tmp_path, **{CONFIG: "trace: {target: release}\n"})
    checked = check_trace(here)

    assert [each for each in checked.notices if "release" in each] == [
        "ids were not compared with release, which is no branch here; git fetch brings it, if it is one"
    ]
    assert checked.examined.target is None


def test_a_shallow_clone_says_that_it_does_not_know_the_past(tmp_path: Path) -> None:
    started(tmp_path / "origin")
    add(tmp_path / "origin", **{"more.txt": "x"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{tmp_path}/origin", "clone")

    checked = check_trace(Workspace(tmp_path / "clone"))
    assert any("the clone is shallow" in each for each in checked.notices)
    assert of(checked, "reused-id") == []


@pytest.mark.parametrize("how", ["no git", "no commit"])
def test_without_a_history_it_says_why_and_finds_nothing_by_it(tmp_path: Path, how: str) -> None:
    here = traced(tmp_path)
    if how == "no commit":
        git(tmp_path, "init", "--quiet")

    git_trace = read_sources(here).sources.git
    wanted = "is in no git repository" if how == "no git" else "the repository has no commit yet"
    assert wanted in git_trace.problem
    assert (git_trace.reused, git_trace.collisions, git_trace.authors) == ({}, {}, {})
    assert any(wanted in each for each in check_trace(here).report.notices)


def test_authors_are_asked_for_only_where_a_review_needs_them(tmp_path: Path) -> None:
    here = started(tmp_path)
    assert read_sources(here).sources.git.authors == {}

    stamp = (
        "reviewed: {fingerprint: sha256:title.text.verification.integrity.links/00000000000000000000, by: human:Ann}"
    )
    text = (tmp_path / NEED).read_text(encoding="utf-8").replace("status: active\n", f"status: active\n{stamp}\n")
    (tmp_path / NEED).write_text(text, encoding="utf-8")

    assert read_sources(here).sources.git.authors[NEED] == ("Ann",)


def test_a_project_below_the_top_of_its_repository_has_its_own_paths(tmp_path: Path) -> None:
    here = traced(tmp_path / "sub" / "project", **{OLD: RETIRED})
    repository(tmp_path)
    (here.root / OLD).unlink()
    commit(tmp_path, "remove it")
    place = find_place(here.root, None)

    assert place.prefix == "sub/project/"
    assert read_past(here.root, place).deleted == {"REQ-old": (OLD,)}
    assert NEED in read_authors(here.root, place)
    assert check_trace(here).prefix == "sub/project/"


def test_only_findings_on_what_changed_since_a_commit_are_left(tmp_path: Path) -> None:
    broken = {LOW: item("REQ-low", "requirement", "refines NEED-none", verification="test")}
    here = started(tmp_path, **broken)
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    git(tmp_path, "checkout", "--quiet", "main")
    add(tmp_path, "mended on main", **{LOW: item("REQ-low", "requirement", "refines NEED-tide", verification="test")})
    git(tmp_path, "checkout", "--quiet", "topic")
    nothing = check_trace(here, changed_since="main")
    assert of(nothing, "dangling-link") == []
    assert nothing.report.outside_changes >= 1

    write_tree(tmp_path, {f"{ITEMS}/need/NEED-x.md": item("NEED-x", "need", "refines NEED-none")})
    assert of(check_trace(here, changed_since="main"), "dangling-link") == [("NEED-x", f"{ITEMS}/need/NEED-x.md")]

    commit(tmp_path, "mine")
    assert of(check_trace(here, changed_since="main"), "dangling-link") == [("NEED-x", f"{ITEMS}/need/NEED-x.md")]
    assert of(check_trace(here, changed_since="HEAD"), "dangling-link") == []


@pytest.mark.parametrize("ref", ["nowhere", "--output=x", "", "HEAD:src"])
def test_a_commit_that_is_none_is_told(tmp_path: Path, ref: str) -> None:
    here = started(tmp_path)

    with pytest.raises(UsageError, match="git has no commit"):
        check_trace(here, changed_since=ref)
    assert not (tmp_path / "x").exists()


def test_what_git_knew_is_not_kept_beyond_its_commit(tmp_path: Path) -> None:
    here = started(tmp_path, **{OLD: RETIRED})
    check_trace(here)
    (tmp_path / OLD).unlink()
    commit(tmp_path, "remove it")
    add(tmp_path, "and again", **{OLD: item("REQ-old", "requirement", "refines NEED-tide", verification="test")})
    warm = check_trace(here)
    shutil.rmtree(here.local)

    assert of(warm, "reused-id") == [("REQ-old", OLD)]
    assert check_trace(here) == warm
