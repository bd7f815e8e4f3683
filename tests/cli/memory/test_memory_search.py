"""`vfcc memory search` as it is typed, in a project and outside of one."""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.honest_world import done
from tests.cli.mcp_client import mcp
from tests.cli.process import by_person, on_terminal, vfcc
from tests.trees import write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-SEARCH")

TIDE = "---\nid: tide\ntype: fact\ntitle: The tide gate\ncreated: 2026-01-05\n---\nIt closes at night.\n"
OLD = "---\nid: old\ntype: fact\ntitle: The old tide gate\ncreated: 2026-01-01\n---\nIt never closed.\n"
NEW = (
    "---\nid: new\ntype: fact\ntitle: Gates close by the tide\n"
    "links: [{to: old, relation: supersedes}, {to: moon, relation: depends_on}]\n---\nSo.\n"
)
MOON = "---\nid: moon\ntype: fact\ntitle: The moon\nrefs: [{path: src/moon.py}]\n---\nRound.\n"
LONG = "---\nid: long\ntype: fact\ntitle: On water\n---\n" + "\n\n".join(
    f"# {name}\n\n{'filler ' * 200}{word}" for name, word in (("Sluices", "sluice"), ("Pumps", "pump"))
)
ITEMS = {"tide": TIDE, "old": OLD, "new": NEW, "moon": MOON, "long": LONG}


@pytest.fixture
def project(young: Path) -> Path:
    return write_memory(young, {f"project/items/fact/{name}.md": text for name, text in ITEMS.items()})


def of_the_person(folder: Path, name: str, text: str) -> None:
    write_tree(folder.parent / ".local/share/vfcc/user", {f"items/preference/{name}.md": text})


def search(folder: Path, *words: str) -> dict[str, object]:
    ran = vfcc(folder, "memory", "search", *words, "--json", "--full")
    assert (ran.code, ran.err) == (0, ""), ran
    return dict(ran.data)


def ids(answer: dict[str, object]) -> list[str]:
    hits = answer["hits"]
    assert isinstance(hits, list)
    return [hit["item"]["id"] for hit in hits]


def test_hits_are_listed_best_first_with_what_links_bring_in_behind(project: Path) -> None:
    ran = vfcc(project, "memory", "search", "does the tide close the gate?")

    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line for line in lines if line[:1].isdigit()] == [
        *("1. Gates close by the tide", "2. The tide gate", "3. The moon"),
    ]
    assert "   found by a link: new depends_on moon" in lines
    assert "not shown: old (superseded by .memory/project/items/fact/new.md)" in " ".join(ran.out.split())


@pytest.mark.vfcc("REQ-READ-SCOPE")
def test_what_a_person_has_beyond_projects_is_found_in_and_outside_of_one(project: Path, tmp_path: Path) -> None:
    of_the_person(project, "mine", "---\nid: mine\ntype: preference\ntitle: I like the tide\n---\nYes.\n")
    (tmp_path / "elsewhere").mkdir()

    assert "mine" in ids(search(project, "tide"))
    assert ids(search(tmp_path / "elsewhere", "tide")) == ["mine"]
    ran = vfcc(tmp_path / "elsewhere", "memory", "search", "tide", "--scope", "project")
    ran.refused(3, "--scope user")


@pytest.mark.vfcc("REQ-SCOPE-OVERRIDE")
def test_a_scope_that_is_named_goes_before_all_that_is_open(project: Path) -> None:
    of_the_person(project, "mine", "---\nid: mine\ntype: preference\ntitle: I like the tide\n---\nYes.\n")

    assert ids(search(project, "tide", "--scope", "user")) == ["mine"]
    assert "mine" not in ids(search(project, "tide", "--scope", "project"))
    vfcc(project, "memory", "search", "tide", "--scope", "usr").refused(2, "did you mean user?")


@pytest.mark.vfcc("REQ-SCOPE-OVERRIDE")
def test_what_is_written_goes_where_it_is_told_to(project: Path) -> None:
    added = typed(project, "memory", "add", "preference", "I like the moor", "--scope", "project", keys="y\n")

    assert added.code == 0, added
    assert len(ids(search(project, "moor", "--scope", "project"))) == 1
    assert ids(search(project, "moor", "--scope", "user")) == []


def test_json_has_every_field_of_the_answer(project: Path) -> None:
    answer = search(project, "tide gate")
    assert set(answer) >= {"hits", "left_out", "candidates", "words", "reranked", "notices"}
    hits = answer["hits"]
    assert isinstance(hits, list)
    best = hits[0]

    assert set(best) >= {"item", "scope", "score", "parts", "matched", "heading", "via", "invalid_reason", "stale"}
    assert best["score"] > 0
    assert best["matched"] == {"tide": ["title", "key"], "gate": ["title"]}
    assert set(best["parts"]) >= {"words", "importance", "confidence", "recency", "uses", "validity"}
    again = vfcc(project, "memory", "search", "tide gate", "--json", "--full").out
    assert again == json.dumps({"ok": True, "data": answer}, separators=(",", ":"), ensure_ascii=False) + "\n"


def test_explain_says_what_each_score_is_made_of_and_why_others_are_not_there(project: Path) -> None:
    out = vfcc(project, "memory", "search", "tide gate", "--explain", "--limit", "1").out
    said = " ".join(out.split())

    assert "score " in said
    assert ": words " in said
    assert "tide in title and key" in said
    assert "gate in title" in said
    assert " left out " in said
    assert "old: superseded by .memory/project/items/fact/new.md" in said
    assert "new: behind the best 1" in said
    assert "looked for: tide, gate" in said
    assert "scored: " in said
    assert "rerank: rerank is off" in said


def test_all_finds_what_was_replaced_and_says_so(project: Path) -> None:
    out = vfcc(project, "memory", "search", "tide gate", "--all").out

    assert "superseded by .memory/project/items/fact/new.md" in " ".join(out.split())
    assert "not shown" not in out
    assert ids(search(project, "tide gate", "--all")).index("old") > 0


def test_what_a_closed_sprint_left_is_found_with_all(project: Path) -> None:
    done(project, "sprint", "start", "Sluices open at noon", "--id", "sluices")
    design = "stage/sluices/design/artifacts/design.md"
    write_memory(project, {design: "# Design\n\nA water clock rings the bell.\n"})
    assert by_person(project, "sprint", "close", "sluices", "--unfinished", "enough").code == 0

    ran = vfcc(project, "memory", "search", "water clock bell", "--type", "note")

    assert ran.out == "nothing in memory here bears on this; looked for: water, clock, bell\n"
    assert ran.err == "closed sprints and stages that are over were not searched; --all does\n"
    found = vfcc(project, "memory", "search", "water clock bell", "--type", "note", "--all")
    assert f".memory/{design}" in " ".join(found.out.split())
    with mcp(project) as client:
        assert "Design" in client.call("recall", query="clock bell").text


def test_the_section_of_a_long_text_is_named(project: Path) -> None:
    assert "section 'Pumps'" in vfcc(project, "memory", "search", "pump").out


@pytest.mark.points(3)
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("submarine yellow", "nothing in memory here bears on this; looked for: submarine, yellow\n"),
        ("the of and", "the question has no word that could be looked for\n"),
        ("", "the question has no word that could be looked for\n"),
        ("?!", "the question has no word that could be looked for\n"),
    ],
)
def test_where_nothing_bears_on_it_that_is_what_it_says(project: Path, question: str, said: str) -> None:
    ran = vfcc(project, "memory", "search", question)

    assert (ran.code, ran.out, ran.err) == (0, said, "")


def test_nothing_in_a_scope_names_the_scope(project: Path) -> None:
    out = vfcc(project, "memory", "search", "submarine", "--scope", "user").out

    assert out == "nothing in user memory bears on this; looked for: submarine\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--limit", "0"), "a limit is a whole number from 1, not 0"),
        (("--limit", "-3"), "a limit is a whole number from 1, not -3"),
        (("--as-of", "yesteryear"), "is no day"),
        (("--type", "fcat"), "did you mean fact"),
    ],
)
def test_words_that_do_not_fit_are_told_in_a_sentence(project: Path, words: tuple[str, ...], said: str) -> None:
    vfcc(project, "memory", "search", "tide", *words).refused(2, said)


@pytest.mark.vfcc("REQ-FILE-BOOST")
@pytest.mark.parametrize("file", ["src/moon.py", "./src/moon.py", "src//moon.py"])
def test_a_file_in_play_lifts_what_speaks_of_it_however_it_is_written(project: Path, file: str) -> None:
    assert ids(search(project, "submarine", "--file", file)) == ["moon", "new"]
    said = vfcc(project, "memory", "search", "submarine", "--file", file, "--explain").out
    assert "a file in play in tags" in said
    assert "looked for: submarine\n" in said


@pytest.mark.vfcc("REQ-FILE-BOOST")
def test_a_file_in_play_may_be_given_from_where_one_stands(project: Path) -> None:
    folder = project / "src"
    folder.mkdir()
    (folder / "moon.py").write_text("x = 1\n", encoding="utf-8")

    for file in ("moon.py", "../src/moon.py", str(folder / "moon.py"), "src/moon.py"):
        assert ids(search(folder, "submarine", "--file", file)) == ["moon", "new"], file
    assert ids(search(folder, "submarine", "--file", "sun.py")) == ids(search(project, "submarine"))


def test_a_terminal_of_80_columns_holds_every_line(project: Path) -> None:
    name = "a-very-long-name-of-an-item-that-somebody-gave-without-much-thought-about-terminals"
    text = TIDE.replace("id: tide", f"id: {name}").replace("The tide gate", "The tide gate, " + "and more of it, " * 12)
    write_memory(project, {f"project/items/fact/{name}.md": text})

    for more in ((), ("--explain",), ("--all", "--explain", "--limit", "1")):
        ran = on_terminal(project, "memory", "search", "tide gate closing " + "at night " * 20, *more, columns=80)
        assert ran.code == 0
        assert [line for line in ran.out.splitlines() if len(line) > 80 and name not in line] == []


def test_a_search_changes_no_file_that_is_committed(project: Path) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and "local" not in path.parts}

    before = files()
    assert typed(project, "memory", "search", "tide").code == 0
    assert files() == before


def test_memory_that_is_switched_off_is_searched_all_the_same_when_somebody_asks(project: Path) -> None:
    """As a list of it is shown: the switch is about what happens by itself."""
    write_memory(project, {"config.yaml": "format: 1\nmemory: {enabled: false}\n"})

    assert vfcc(project, "memory", "list").code == 0
    assert "tide" in ids(search(project, "tide"))


def test_a_file_that_cannot_be_read_is_told(project: Path) -> None:
    write_memory(project, {"project/items/fact/broken.md": b"---\nid: broken\n---\n\xff\n"})
    ran = vfcc(project, "memory", "search", "tide")

    assert (ran.code, "broken.md" in ran.err) == (0, True)
