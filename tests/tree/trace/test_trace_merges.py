"""Two branches that both work on the trace: what is additive merges clean, what contradicts surfaces."""

import subprocess
from pathlib import Path

import pytest

from tests.authored_world import NEED, OTHER, REQ, SPEC, YOU, put, replace_in, reviewed, text_of, view, written
from tests.trees import commit, environment, git, repository
from verifflowcc.base.errors import ConflictError, FormatError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.trace.rules.fingerprint import LinkState, link_state
from verifflowcc.trace.use.trace_edits import TraceItemRequest, add_item, link_items, retire_item
from verifflowcc.trace.use.trace_sources import create_baseline, full_view

pytestmark = pytest.mark.vfcc("REQ-TRACE-MERGES")


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    """A committed project with three items and one that nothing links to."""
    made = written(tmp_path)
    put(made, "REQ-other", "requirement", "Other", "It shall be.", NEED, "refines", verification="test")
    repository(tmp_path)
    return made


def on_branch(here: Workspace, name: str) -> None:
    """Go on from the first commit on a branch of its own."""
    git(here.root, "switch", "--quiet", "--create", name, "main")


def merged(here: Workspace) -> list[str]:
    """Merge `theirs` into `ours`; return the paths in conflict."""
    git(here.root, "switch", "--quiet", "ours")
    subprocess.run(
        ["git", "merge", "--quiet", "--no-edit", "theirs"],
        cwd=here.root,
        env=environment(here.root),
        capture_output=True,
        check=False,
    )
    return git(here.root, "diff", "--name-only", "--diff-filter=U").splitlines()


@pytest.mark.sweep
def test_items_and_links_that_two_branches_add_to_one_parent_merge_clean(here: Workspace) -> None:
    added = []
    for branch in ("ours", "theirs"):
        on_branch(here, branch)
        for title in ("It ends", f"Only {branch}"):
            wanted = TraceItemRequest("requirement", title, "It shall end.", "test", (NEED,), "refines")
            added.append(add_item(here, wanted, actor=YOU).item.id)
        reviewed(here, *added[-2:])
        create_baseline(here, branch, actor=YOU)
        commit(here.root, branch)

    assert merged(here) == []

    seen = view(here)
    assert len(set(added)) == 4, "two items with one title have two ids"
    assert set(added) <= seen.by_id.keys()
    assert {child.id for child, _ in seen.children(seen.by_id[NEED])} == {*added, REQ, "REQ-other"}
    states = {link_state(seen, seen.by_id[name], link) for name in added for link in seen.by_id[name].links}
    assert states == {LinkState.AGREED}, "the stamps of both sides hold"


@pytest.mark.sweep
def test_reviews_of_different_items_merge_clean(here: Workspace) -> None:
    on_branch(here, "ours")
    reviewed(here, NEED, REQ)
    commit(here.root, "ours")
    on_branch(here, "theirs")
    reviewed(here, SPEC, "REQ-other")
    commit(here.root, "theirs")

    assert merged(here) == []
    assert all(item.reviewed for item in view(here).items)


@pytest.mark.sweep
def test_a_parent_that_one_branch_changes_makes_the_review_of_the_other_suspect(here: Workspace) -> None:
    on_branch(here, "ours")
    replace_in(here, NEED, "gets in", "gets in at once")
    commit(here.root, "ours")
    on_branch(here, "theirs")
    reviewed(here, REQ)
    commit(here.root, "theirs")

    assert merged(here) == [], "nothing of it stands in one file"
    seen = view(here)
    assert link_state(seen, seen.by_id[REQ], seen.by_id[REQ].links[0]) is LinkState.SUSPECT


@pytest.mark.sweep
def test_both_editing_one_item_is_a_conflict_that_is_told_until_somebody_ends_it(here: Workspace) -> None:
    for branch, limit in (("ours", "6 s"), ("theirs", "7 s")):
        on_branch(here, branch)
        replace_in(here, REQ, "5 s", limit)
        commit(here.root, branch)
    path = f".memory/project/items/requirement/{REQ}.md"

    assert merged(here) == [path]

    assert full_view(here).sources.unreadable[path].endswith("contains merge conflict markers")
    with pytest.raises(FormatError, match=rf"^{path}:\d+: contains merge conflict markers"):
        retire_item(here, REQ, actor=YOU)
    with pytest.raises(FormatError, match="conflict markers"):
        reviewed(here, SPEC, REQ)

    (here.root / path).write_bytes(git(here.root, "show", "theirs:" + path).encode())
    assert "7 s" in view(here).by_id[REQ].text


def test_both_changing_one_item_alike_is_no_conflict(here: Workspace) -> None:
    for branch in ("ours", "theirs"):
        on_branch(here, branch)
        replace_in(here, REQ, "5 s", "6 s")
        commit(here.root, branch)

    assert merged(here) == []


@pytest.mark.sweep
def test_both_adding_a_link_in_one_child_surfaces(here: Workspace) -> None:
    """Git sees two lines at one place: it asks, rather than keep both or one."""
    put(here, "REQ-third", "requirement", "Third", "It shall be.", NEED, "refines", verification="test")
    commit(here.root, "third")
    for branch, target in (("ours", "REQ-other"), ("theirs", "REQ-third")):
        on_branch(here, branch)
        link_items(here, SPEC, target)
        commit(here.root, branch)

    path = f".memory/project/items/test_spec/{SPEC}.md"
    assert merged(here) == [path]
    with pytest.raises((FormatError, ConflictError), match="conflict markers"):
        link_items(here, SPEC, "REQ-other")

    lines = (here.root / path).read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    (here.root / path).write_text("".join(kept))
    assert [link.to for link in view(here).by_id[SPEC].links] == [REQ, "REQ-other", "REQ-third"], "both lines are right"


@pytest.mark.sweep
def test_links_of_one_child_that_were_reviewed_and_added_apart_merge_or_surface_and_lose_nothing(
    here: Workspace,
) -> None:
    on_branch(here, "ours")
    reviewed(here, SPEC, actor=OTHER)
    ours = text_of(here, SPEC)
    commit(here.root, "ours")
    on_branch(here, "theirs")
    link_items(here, SPEC, "REQ-other")
    commit(here.root, "theirs")

    assert merged(here) == [f".memory/project/items/test_spec/{SPEC}.md"], "the lines are beside each other"
    both = path_of_file(here, SPEC)
    assert all(line in both for line in ours.splitlines())
    assert "{to: REQ-other, relation: verifies}" in both


def path_of_file(here: Workspace, name: str) -> str:
    """The text of an item's file that cannot be read as an item."""
    return next(here.memory.rglob(f"{name}.md")).read_text(encoding="utf-8")


@pytest.mark.sweep
def test_one_retiring_what_the_other_links_to_is_seen_after_the_merge(here: Workspace) -> None:
    on_branch(here, "ours")
    retire_item(here, "REQ-other", actor=YOU)
    commit(here.root, "ours")
    on_branch(here, "theirs")
    link_items(here, SPEC, "REQ-other")
    commit(here.root, "theirs")

    assert merged(here) == []
    seen = view(here)
    assert seen.by_id["REQ-other"].status.value == "archived"
    assert "REQ-other" in {link.to for link in seen.by_id[SPEC].links}


@pytest.mark.sweep
def test_two_baselines_of_one_name_surface(here: Workspace) -> None:
    for branch in ("ours", "theirs"):
        on_branch(here, branch)
        replace_in(here, REQ, "5 s", f"{len(branch)} s")
        create_baseline(here, "release", actor=YOU)
        git(here.root, "checkout", "--quiet", "--", ".memory/project/items")
        commit(here.root, branch)

    assert merged(here) == [".memory/project/baselines/release.json"]
