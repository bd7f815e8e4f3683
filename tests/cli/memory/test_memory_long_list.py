"""A list at a terminal ends where a person still sees its beginning; a pipe gets all of it."""

from pathlib import Path

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc

MANY, SCREEN = 60, 50


def _remember(project: Path) -> None:
    folder = project / ".memory/project/items/fact"
    folder.mkdir(parents=True)
    for number in range(MANY):
        day = f"2026-01-{1 + number // 2:02}"
        text = f"---\nid: f{number:02}\ntype: fact\ntitle: Fact {number}\ncreated: {day}\n---\nSo.\n"
        (folder / f"f{number:02}.md").write_text(text, encoding="utf-8")


def test_a_terminal_shows_the_first_of_a_long_list_and_says_how_to_see_all(young: Path) -> None:
    _remember(young)

    short = typed(young, "memory", "list", "--type", "fact")
    assert (short.code, short.out.count("Fact ")) == (0, SCREEN)
    assert "Fact 58\n" in short.out
    assert short.err == f"{MANY - SCREEN} more are left out: --limit {MANY}\n"
    whole = typed(young, "memory", "list", "--type", "fact", "--limit", str(MANY))
    assert (whole.out.count("Fact "), whole.err) == (MANY, "")


def test_a_pipe_gets_a_long_list_whole_unless_it_asks_for_less(young: Path) -> None:
    _remember(young)

    whole = vfcc(young, "memory", "list", "--type", "fact")
    assert (whole.out.count("Fact "), whole.err) == (MANY, "")
    assert len(vfcc(young, "memory", "list", "--json", "--full", "--type", "fact").data["rows"]) == MANY
    less = vfcc(young, "memory", "list", "--type", "fact", "--limit", "7")
    assert (less.out.count("Fact "), less.err) == (7, "53 more are left out: --limit 60\n")
