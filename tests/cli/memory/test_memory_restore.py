"""`vfcc memory maintain` and `restore` as people and agents run them, and what held on a day."""

import re
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import git, vfcc
from tests.cli.shapes import promised, shape
from tests.life_world import cache, found
from tests.trees import write_memory

OLD = "---\nid: old\ntype: fact\ntitle: It was so\ncreated: 2026-01-05\nexpires: null\n---\nIt was so.\n"
NEW = "---\nid: new\ntype: fact\ncreated: 2026-06-01\nlinks: [{to: old, relation: supersedes}]\n---\nIt is so.\n"
GONE = (
    "---\nid: gone\ntype: decision\ncreated: 2026-01-05\nstatus: archived\n"
    "archived: {on: 2026-08-01, why: ended, was: active}\n---\nWe did it so.\n"
)


@pytest.fixture
def project(young: Path) -> Path:
    """A project of a person's with four facts that say much the same, in git."""
    lines = [each.replace("created: 2026-11-01\n", "").replace("type: fact", "type: tool_output") for each in cache()]
    write_memory(young, {f"project/items/tool_output/c{place}.md": text for place, text in enumerate(lines, start=1)})
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    return person(young, "You")


def changed(project: Path) -> list[str]:
    return git(project, "status", "--porcelain", "--untracked-files=all").splitlines()


def consolidated(project: Path) -> str:
    """Maintain the project and return the id of the summary that was made."""
    done = vfcc(project, "memory", "maintain")
    made = re.search(r"^make (\S+): 4 items on cache, cold, parser say much the same: c1, c2, c3, c4$", done.out, re.M)
    assert made is not None, done
    return made[1]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-CONSOLIDATE", "REQ-RESTORE", "REQ-MAINTAIN")
def test_a_summary_is_made_told_and_undone_and_git_sees_no_change(project: Path) -> None:
    would = vfcc(project, "memory", "maintain", "--dry-run")
    assert would.out.startswith("make 4-tool-outputs-on-cache-cold-parser-")
    assert would.out.endswith("nothing was written (--dry-run)\n")
    assert changed(project) == []

    summary = consolidated(project)
    assert vfcc(project, "memory", "maintain").out == "nothing to do\n"
    assert len(changed(project)) == 5
    page = vfcc(project, "memory", "show", "c1").out
    assert page.splitlines()[-1] == f"next: vfcc memory restore {summary}"
    assert re.search(r"archived on \d{4}-\d\d-\d\d: a summary contains it", page)
    assert [row["item"]["id"] for row in vfcc(project, "memory", "list", "--json", "--full").data["rows"]] == [summary]
    seen = vfcc(project, "memory", "restore", summary[:12], "--dry-run")
    assert seen.out.splitlines()[-2:] == [f"{summary}: would be gone", "nothing was written (--dry-run)"]
    assert len(changed(project)) == 5

    done = typed(project, "memory", "restore", summary[:12])

    assert done.code == 0, done
    assert f"{summary}: gone" in done.out
    assert changed(project) == []


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-RESTORE")
def test_an_agent_brings_nothing_back(project: Path) -> None:
    summary = consolidated(project)
    before = changed(project)

    done = vfcc(project, "memory", "restore", summary)

    done.refused(3, f"restoring {summary} needs a person at a terminal", f"vfcc memory restore {summary} --dry-run")
    assert changed(project) == before
    vfcc(project, "memory", "restore", "c9").refused(2, "there is no item c9")


@pytest.mark.sweep
def test_one_item_comes_back_with_the_reason_why_it_was_gone(project: Path) -> None:
    write_memory(project, {"project/decisions/gone.md": GONE})

    done = typed(project, "memory", "restore", "gone")

    assert "gone: active again; it was archived on 2026-08-01, since its time was over" in done.out
    text = (project / ".memory/project/decisions/gone.md").read_text()
    assert text == GONE.replace("status: archived\n", "status: active\n").replace(
        "archived: {on: 2026-08-01, why: ended, was: active}\n", ""
    )
    typed(project, "memory", "restore", "gone").refused(2, "gone is active; what is restored is archived")


def test_the_shape_of_its_json_is_the_one_that_is_promised(project: Path) -> None:
    summary = consolidated(project)

    done = typed(project, "memory", "restore", summary, "--json", "--full")

    assert shape(done.data) == promised("memory_restore")


@pytest.fixture
def past(young: Path) -> Path:
    """A project with a fact that another replaced in June, and a decision that was archived in August."""
    write_memory(
        young,
        {
            "project/items/fact/old.md": OLD,
            "project/items/fact/new.md": NEW,
            "project/decisions/gone.md": GONE,
            "project/items/fact/found.md": found("found", "Found in November"),
        },
    )
    return young


def listed(project: Path, *options: str) -> dict[str, str]:
    done = vfcc(project, "memory", "list", *options, "--json", "--full")
    assert done.code == 0, done
    return {row["item"]["id"]: row["status"] for row in done.data["rows"]}


@pytest.mark.vfcc("REQ-AS-OF")
def test_a_list_shows_what_held_on_a_day(past: Path) -> None:
    assert listed(past, "--as-of", "2025-12-31") == {}
    assert listed(past, "--as-of", "2026-05-31") == {"old": "active", "gone": "active"}
    assert listed(past, "--as-of", "2026-07-31") == {"new": "active", "gone": "active"}
    assert listed(past, "--as-of", "2026-08-01") == {"new": "active"}
    assert listed(past, "--as-of", "2026-08-01", "--all") == {"new": "active", "old": "superseded", "gone": "archived"}
    assert listed(past) == listed(past, "--as-of", "2026-11-20") == {"new": "active", "found": "active"}


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-AS-OF")
def test_an_item_is_shown_as_it_stood_on_a_day(past: Path) -> None:
    assert "fact, superseded by new" in vfcc(past, "memory", "show", "old").out
    assert "fact, active, trust" in vfcc(past, "memory", "show", "old", "--as-of", "2026-05-31").out
    assert "decision, active, trust" in vfcc(past, "memory", "show", "gone", "--as-of", "2026-05-31").out
    vfcc(past, "memory", "show", "new", "--as-of", "2026-05-31").refused(
        2, "new was made on 2026-06-01, after 2026-05-31"
    )
    vfcc(past, "memory", "list", "--as-of", "soon").refused(2, "'soon' is no day", "--as-of 2026-11-21")
    vfcc(past, "context", "show", "--agent", "coder", "--as-of", "soon").refused(2, "'soon' is no day")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-AS-OF")
def test_a_prompt_holds_what_held_on_a_day(past: Path) -> None:
    def prompt(*options: str) -> str:
        done = vfcc(past, "context", "show", "--agent", "coder", *options)
        assert done.code == 0, done
        return done.out

    then = prompt("--as-of", "2026-05-31")
    assert "It was so." in then
    assert "We did it so." in then
    assert "It is so." not in then
    assert prompt("--as-of", "2026-05-31") == then, "from the cache too"
    now = prompt()
    assert "It is so." in now
    assert "It was so." not in now
    assert "We did it so." not in now
    assert prompt("--as-of", "2026-11-21").splitlines() == now.splitlines()
    told = vfcc(past, "context", "show", "--agent", "coder", "--as-of", "2026-05-31", "--json", "--full").data
    reasons = {each["path"]: each["reason"] for each in told["skipped"]}
    assert reasons[".memory/project/items/fact/new.md"] == "made on 2026-06-01, after 2026-05-31"
    assert "as of 2026-05-31; files that say no day stand as they are today" in told["prompt"]["notices"]


def test_looking_at_the_past_counts_as_no_use(past: Path) -> None:
    for words in (("memory", "show", "old"), ("context", "show", "--agent", "coder"), ("memory", "list")):
        assert vfcc(past, *words, "--as-of", "2026-05-31").code == 0

    assert not (past / ".memory/local/access.jsonl").exists()
