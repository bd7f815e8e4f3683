"""`vfcc memory` as a person at a terminal types it, with no project at all and in one."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import Ran, git, on_terminal, vfcc
from verifflowcc.base.model.item_values import USER_TYPES

EXAMPLES = {
    "preference": "Prefers bullet points over prose",
    "business_fact": "Works at a B2B SaaS company",
    "work_pattern": "Likes to review drafts on Fridays",
    "communication_style": "Prefers formal tone for external docs",
    "goal": "Trying to raise Series A",
    "constraint": "Small team, limited engineering resources",
    "relationship": "Works closely with Alice on design",
}


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A folder that is in no project."""
    folder = tmp_path / "nowhere"
    folder.mkdir()
    return folder


def me(folder: Path, line: str, *more: str, keys: str = "") -> Ran:
    """Run a command as a person at a terminal."""
    return typed(folder, "memory", *line.split(), *more, keys=keys)


def items(folder: Path, *options: str) -> list[dict[str, object]]:
    """Return what `memory list` shows."""
    listed = vfcc(folder, "memory", "list", *options, "--json", "--full")
    assert listed.code == 0, listed
    return [row["item"] for row in listed.data["rows"]]


def added(ran: Ran) -> str:
    """Return the id of what was added."""
    assert ran.code == 0, ran
    return ran.out.partition(":")[0]


@pytest.mark.vfcc("REQ-NO-PROJECT", "REQ-USER-CATEGORIES", "REQ-USER-MANAGE")
def test_a_person_keeps_and_changes_what_is_known_of_them_with_no_project_at_all(nowhere: Path) -> None:
    for type_name, text in EXAMPLES.items():
        assert me(nowhere, f"add {type_name}", text, "--yes").code == 0
    assert {each["type"] for each in items(nowhere)} == set(EXAMPLES) == set(USER_TYPES) - {"pattern"}

    assert me(nowhere, "edit trying --text", "Series B by summer").out.endswith(": title, text changed\n")
    shown = me(nowhere, "show trying").out
    assert "Series B by summer" in shown
    assert "Series A" not in shown
    assert me(nowhere, "forget trying", keys="y\n").code == 0
    assert {each["type"] for each in items(nowhere)} == set(EXAMPLES) - {"goal"}
    assert me(nowhere, "stats").code == 0


@pytest.mark.vfcc("REQ-USER-CATEGORIES")
@pytest.mark.parametrize(
    ("word", "told"), [("prefrence", "did you mean preference?"), ("decision", "they are preference,")]
)
def test_another_category_is_refused_with_the_nearest(nowhere: Path, word: str, told: str) -> None:
    me(nowhere, f"add {word} Text --scope user").refused(2, f"{word} is no category", told)

    assert items(nowhere) == []


@pytest.mark.vfcc("REQ-USER-FIELDS")
def test_a_user_item_has_the_fields_of_the_record(young: Path) -> None:
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    me(young, "add preference Tabs --key indent --yes")
    me(young, "add goal Ship --source inferred")
    preference, goal = items(young, "--scope", "user")

    assert (preference["type"], preference["key"], preference["importance"]) == ("preference", "indent", 0.9)
    assert (goal["importance"], goal["confidence"]) == (0.5, 0.8)
    assert goal["source"]["kind"] == "inferred"  # type: ignore[index]
    assert str(goal["source"]["project"]).startswith("young@")  # type: ignore[index]
    assert goal["uses"] == {"count": 0, "last": None}
    assert str(goal["created"])[:2] == "20"
    assert me(young, "edit ship --importance 0.6").code == 0
    assert items(young, "--scope", "user", "--type", "goal")[0]["updated"] == goal["created"]


@pytest.mark.vfcc("REQ-USER-UPSERT")
def test_the_same_category_and_key_is_one_item(nowhere: Path) -> None:
    first = added(me(nowhere, "add goal --key money", "Raise Series A"))
    other = added(me(nowhere, "add constraint --key money", "No money"))

    assert added(me(nowhere, "add goal --key money", "Raise Series B")) == first
    assert {str(each["title"]) for each in items(nowhere)} == {"Raise Series B", "No money"}
    assert {each["id"] for each in items(nowhere)} == {first, other}


@pytest.mark.vfcc("REQ-USER-IMPORTANCE")
def test_user_items_stand_by_importance(nowhere: Path) -> None:
    for number in ("0.2", "0.9", "0.5"):
        me(nowhere, f"add goal Goal-{number} --importance {number}")
    me(nowhere, "add constraint Always --importance 1")

    assert [each["importance"] for each in items(nowhere)] == [1, 0.9, 0.5, 0.2]
    assert [each["importance"] for each in items(nowhere, "--type", "goal")] == [0.9, 0.5, 0.2]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-USER-SCOPE", "REQ-PROJECT-ISOLATION")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_what_is_known_of_a_person_is_in_each_project_and_a_projects_items_in_none_but_it(
    tmp_path: Path, backend: str
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        assert vfcc(folder, "init").code == 0
        settings = f"format: 1\nmemory: {{backends: {{project: {backend}}}}}\n"
        (folder / ".memory/config.yaml").write_text(settings, encoding="utf-8")
        git(folder, "init", "-q")
    me(one, "add goal", "Raise Series A")
    fact = added(me(one, "add fact", "The client is Acme"))

    assert [each["title"] for each in items(two)] == ["Raise Series A"]
    for line in (f"show {fact}", f"edit {fact} --title X", f"forget {fact} --yes", f"move {fact} --to user"):
        me(two, line).refused(2, f"there is no item {fact}")
    assert [each["title"] for each in items(one)] == ["The client is Acme", "Raise Series A"]
    assert not list((one / ".memory").rglob("*raise*"))


@pytest.mark.vfcc("REQ-CONFIRM")
def test_a_preference_is_added_and_changed_after_a_yes_alone(nowhere: Path) -> None:
    assert me(nowhere, "add preference Tabs --key indent", keys="n\n").code == 130
    assert items(nowhere) == []
    asked = me(nowhere, "add preference Tabs --key indent", keys="y\n")
    assert "Remember this preference" in asked.err
    for line in ("add preference Spaces --key indent", "edit tabs --text Spaces", "edit tabs --importance 0.1"):
        assert me(nowhere, line, keys="\n").code == 130
    (kept,) = items(nowhere)
    assert (kept["title"], kept["importance"]) == ("Tabs", 0.9)
    assert me(nowhere, "add preference Spaces --key indent --yes").code == 0
    for line in ("show spaces", "tabs"):
        assert "[y/N]" not in me(nowhere, line.replace("tabs", "list")).err
    assert me(nowhere, "add pattern Retry --domain net").code == 0


@pytest.mark.vfcc("REQ-CLEAR-USER")
def test_user_memory_is_cleared_after_a_warning_and_a_typed_yes(nowhere: Path) -> None:
    me(nowhere, "add goal One")
    me(nowhere, "add goal Two")

    refused = me(nowhere, "forget --all --scope user", keys="y\n")
    assert (refused.code, len(items(nowhere))) == (130, 2)
    assert "cannot be undone" in refused.err
    vfcc(nowhere, "memory", "forget", "--all", "--scope", "user", "--yes").refused(3, "needs a person")
    me(nowhere, "forget --all").refused(2, "only user memory is cleared as a whole")
    assert len(items(nowhere)) == 2
    assert me(nowhere, "forget --all --scope user", keys="yes\n").out == "forgotten: 2 items of user memory\n"
    assert items(nowhere) == []


@pytest.mark.vfcc("REQ-PROJECT-TYPES", "REQ-ONE-CATEGORY")
def test_a_project_keeps_items_of_its_types_under_any_tags(young: Path) -> None:
    usual = {"fact": 0.5, "guideline": 0.6, "insight": 0.6, "question": 0.6, "assumption": 0.6}
    for name in usual:
        assert me(young, f"add {name} About-{name} --tag first --tag {name}").code == 0
    assert vfcc(young, "trace", "add", "requirement", "It shall open").code == 0

    assert {each["type"]: each["importance"] for each in items(young)} == usual
    assert [each["importance"] for each in items(young, "--type", "requirement")] == [0.8]
    assert [each["type"] for each in items(young, "--tag", "question")] == ["question"]
    assert len(items(young, "--tag", "first", "--type", "fact", "--type", "insight")) == 2
    me(young, "add requirement Open --key a").refused(2, "requirement is a trace type", "vfcc trace add requirement")
    me(young, "add insigt Open").refused(2, "there is no type insigt; did you mean insight?")


@pytest.mark.parametrize("columns", [80, 120])
def test_a_list_keeps_to_the_width_of_the_terminal(example: Path, columns: int) -> None:
    me(example, "add communication_style", "Formal, " * 20)
    shown = on_terminal(example, "memory", "list", columns=columns)

    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= columns
    assert "not shown: 1 archived, 4 without fields, 3 superseded, 5 of the" in shown.out


BROKEN = {
    "nothing": (("add", "fact", " "), 2, "the text says nothing"),
    "control": (("add", "fact", "a\x1b[31m"), 2, "the text holds U+001B"),
    "bidirectional": (("add", "fact", "a\u202eb"), 2, "the text holds U+202E"),
    "title": (("add", "fact", "a", "--title", "x" * 201), 2, "the title has 201 characters"),
    "path as type": (("add", "../../x", "a"), 2, "there is no type ../../x"),
    "path as key": (("add", "fact", "a", "--key", "../x"), 2, "'../x' cannot be a key"),
    "path as id": (("add", "fact", "a", "--id", "../x"), 2, "'../x' cannot be an id"),
    "number": (("add", "fact", "a", "--importance", "2"), 2, "the importance is a number from 0 to 1"),
    "day": (("add", "fact", "a", "--expires", "soon"), 2, "'soon' is no day"),
    "over": (("add", "fact", "a", "--expires", "2020-01-01"), 2, "2020-01-01 is over"),
    "scope": (("add", "fact", "a", "--scope", "projekt"), 2, "did you mean project?"),
    "agent": (("add", "fact", "a", "--scope", "agent/codr"), 2, "did you mean coder?"),
    "sprint": (("add", "fact", "a", "--scope", "sprint/../x"), 2, "there is no sprint ../x"),
    "ref": (("add", "fact", "a", "--ref", "/etc/passwd"), 2, "is no path below the project's root"),
    "merge": (("add", "fact", "<<<<<<< a\n=======\n>>>>>>> b"), 3, "conflict markers"),
    "no id": (("show", "nothing-like-it"), 2, "there is no item nothing-like-it"),
    "relation": (("link", "a", "superseeds", "b"), 2, "did you mean supersedes?"),
    "condition": (("list", "--where", "importance"), 2, "is no condition"),
    "field": (("list", "--where", "importence>0.1"), 2, "did you mean importance?"),
    "order": (("list", "--order", "nme"), 2, "nme is no field"),
}


@pytest.mark.points(3)
@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_is_told_in_a_sentence_and_nothing_is_written(young: Path, name: str) -> None:
    words, code, told = BROKEN[name]
    before = sorted(young.rglob("*.md"))

    typed(young, "memory", *words).refused(code, told)

    assert sorted(young.rglob("*.md")) == before


def test_what_an_item_says_cannot_steer_the_terminal(young: Path) -> None:
    bad = young / ".memory/project/items/fact/a.md"
    bad.parent.mkdir(parents=True)
    bad.write_text('---\nid: a\ntitle: "x\\e[31m\\u202e"\n---\nred \x1b[31m \u202e\n', encoding="utf-8")

    for line in ("list", "show a", "show a --explain"):
        shown = me(young, line)
        assert shown.code == 0
        assert "\x1b" not in shown.out
        assert "\u202e" not in shown.out
