"""`vfcc memory forget --source`: of what came from one source no word is left, wherever a summary was promoted to."""

import re
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc
from tests.life_world import found
from tests.trees import write_memory

TALK = "# Session 1 (2026-11-02)\n\nYou: The client is Zanzibar Corp.\n"
OTHERS = ("in Paris", "big and loud", "old and slow", "far from here")


@pytest.fixture
def summed_up(young: Path) -> tuple[Path, str]:
    """A project that learned from a talk who the client is; a summary tells it with four things that an agent found."""
    (young / "talk.md").write_text(TALK, encoding="utf-8")
    done = typed(young, "memory", "ingest", "talk.md")
    assert "1 added" in done.out, done
    write_memory(
        young,
        {
            f"project/items/fact/other-{place}.md": found(f"other-{place}", f"The client Corp Zanzibar is {text}")
            for place, text in enumerate(OTHERS)
        },
    )
    made = re.search(r"^make (\S+): 5 items on ", vfcc(young, "memory", "maintain").out, re.M)
    assert made is not None
    return young, made[1]


def said(project: Path) -> dict[str, str]:
    """Every item of the project, its parts and the person, by the name of its file."""
    return {path.stem: path.read_text("utf-8") for path in project.parent.rglob("items/*/*.md")}


def agreed(project: Path) -> dict[str, str]:
    """Purge the talk, and return what is left."""
    learned = said(project)
    would = typed(project, "memory", "forget", "--source", "talk.md", "--dry-run")
    assert said(project) == learned
    done = typed(project, "memory", "forget", "--source", "talk.md", "--yes")
    assert (would.code, done.code) == (0, 0), (would, done)
    assert done.out.splitlines()[-1] == "2 items gone that came from talk.md"
    return said(project)


@pytest.mark.points(1)
@pytest.mark.vfcc("REQ-PURGE")
@pytest.mark.parametrize("promoted", [False, True])
def test_no_word_of_a_source_is_left_in_a_summary_of_it_that_was_promoted(
    summed_up: tuple[Path, str], promoted: bool
) -> None:
    project, summary = summed_up
    if promoted:
        moved = typed(project, "memory", "promote", summary, "--to", "user", "--type", "pattern", "--vouch", keys="y\n")
        assert moved.code == 0, moved
        (path,) = project.parent.rglob(f"{summary}.md")
        assert "pattern" in path.parts
        assert not path.is_relative_to(project)
    assert "is Zanzibar Corp." in said(project)[summary]

    left = agreed(project)

    assert left.keys() == {f"other-{place}" for place in range(4)}
    assert "is Zanzibar Corp" not in str(left)
    assert left["other-0"] == found("other-0", f"The client Corp Zanzibar is {OTHERS[0]}"), "as it was"
    assert summary not in vfcc(project, "memory", "list", "--all", "--json").out
    assert vfcc(project, "check", "memory").code == 0


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PURGE")
def test_what_a_person_changed_in_a_promoted_summary_goes_with_it(summed_up: tuple[Path, str]) -> None:
    project, summary = summed_up
    typed(project, "memory", "promote", summary, "--to", "user", "--type", "pattern", keys="y\n")
    text = "The client, Zanzibar Corp, wants speed."
    assert typed(project, "memory", "edit", summary, "--text", text).code == 0
    assert text in said(project)[summary]

    assert agreed(project).keys() == {f"other-{place}" for place in range(4)}


@pytest.mark.vfcc("REQ-PURGE")
def test_parts_of_the_project_that_are_not_open_are_purged_too(young: Path) -> None:
    source = "source: {kind: extracted, actor: agent:coder, origin: talk.md@1}"
    lines = found("one", "The client is Zanzibar Corp").replace("source: {kind: extracted, actor: agent:coder}", source)
    places = ("sprint/old/items/fact/one.md", "stage/old/coding/items/fact/one.md", "agent/coder/items/fact/one.md")
    write_memory(young, dict.fromkeys(places, lines))

    done = typed(young, "memory", "forget", "--source", "talk.md", "--yes")

    assert (done.code, said(young)) == (0, {}), done
    assert done.out.splitlines()[-1] == "3 items gone that came from talk.md"
