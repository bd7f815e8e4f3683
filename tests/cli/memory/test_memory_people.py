"""Who may change what is remembered: an agent proposes, a person decides, and nothing moves up by itself."""

from pathlib import Path

import pytest

from tests.cli.memory.test_memory import added, items, me
from tests.cli.process import git, vfcc

AGENTS = {"pipe": {}, "agent": {"VFCC_AGENT": "coder"}, "ci": {"CI": "true"}}


@pytest.fixture
def project(young: Path) -> Path:
    """A project in a repository with one commit."""
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    return young


def file_of(root: Path, item: str) -> Path:
    """Return the one file of an item, in the project or in the person's memory beside it."""
    (found,) = [path for path in root.parent.rglob(f"{item}.md") if "example" not in path.parts]
    return found


@pytest.mark.points(2)
@pytest.mark.parametrize("who", AGENTS)
def test_what_anybody_but_a_person_adds_waits_for_one(project: Path, who: str) -> None:
    trust = "tool" if who == "ci" else "agent"
    for scope in ("project", "user"):
        type_name = "goal" if scope == "user" else "fact"
        told = vfcc(project, "memory", "add", type_name, "Said", "--scope", scope, env=AGENTS[who])
        name = added(told)

        assert told.err.endswith(f"vfcc memory promote {name}\n")
        (item,) = items(project, "--scope", scope)
        assert (item["status"], item["trust"]) == ("pending", trust)
    vfcc(project, "memory", "promote", name, env=AGENTS[who]).refused(3, "needs a person at a terminal")
    vfcc(project, "memory", "edit", name, "--status", "active", env=AGENTS[who]).refused(3, "promoted by a person")
    vfcc(project, "memory", "edit", name, "--trust", "human", env=AGENTS[who]).refused(
        3, "cannot vouch for it as human"
    )


@pytest.mark.sweep
def test_an_agents_change_of_what_holds_is_a_proposal_of_one_item_that_a_person_promotes(project: Path) -> None:
    old = added(me(project, "add fact --key client", "Client is Acme"))
    first = added(vfcc(project, "memory", "add", "fact", "Client is Beta", "--key", "client"))
    again = added(vfcc(project, "memory", "add", "fact", "Client is Gamma", "--key", "client"))
    assert again == first
    assert {each["title"]: each["status"] for each in items(project)} == {
        "Client is Acme": "active",
        "Client is Gamma": "pending",
    }

    assert me(project, f"promote {first}").code == 0

    assert [each["title"] for each in items(project)] == ["Client is Gamma"]
    shown = vfcc(project, "memory", "show", old, "--json", "--full").data
    assert (shown["status"], shown["superseded_by"]) == ("superseded", first)
    assert added(me(project, "add fact --key client", "Client is Delta")) == first


def test_a_proposal_of_what_holds_already_is_none(project: Path) -> None:
    name = added(me(project, "add fact --key client", "Client is Acme"))

    again = vfcc(project, "memory", "add", "fact", "Client is Acme", "--key", "client")

    assert added(again) == name
    assert ": unchanged, " in again.out
    assert len(items(project)) == 1


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "words", [("edit", "--title", "X"), ("forget",), ("link", "contradicts", "other"), ("move", "--to", "user")]
)
def test_what_holds_is_changed_by_a_person_alone(project: Path, words: tuple[str, ...]) -> None:
    me(project, "add fact It-holds --id held")
    me(project, "add fact Other --id other")
    before = file_of(project, "held").read_bytes()

    vfcc(project, "memory", words[0], "held", *words[1:]).refused(3, "needs a person at a terminal")

    assert file_of(project, "held").read_bytes() == before


@pytest.mark.sweep
def test_an_agents_own_memory_is_its_own(project: Path) -> None:
    name = added(vfcc(project, "memory", "add", "insight", "It works so", "--scope", "agent/coder"))

    assert items(project, "--scope", "agent/coder", "--type", "insight")[0]["status"] == "active"
    assert vfcc(project, "memory", "edit", name, "--text", "It works otherwise").code == 0
    assert vfcc(project, "memory", "forget", name).code == 0
    assert items(project, "--scope", "agent/coder", "--type", "insight") == []


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PROMOTE", "REQ-NO-PROMOTION-BY-ITSELF")
def test_an_item_goes_up_from_the_task_to_the_project_to_the_person_by_a_persons_word_alone(project: Path) -> None:
    assert vfcc(project, "task", "start", "Log in").code == 0
    name = added(vfcc(project, "memory", "add", "pattern", "Retry with a pause", "--scope", "task", "--domain", "net"))
    for line in ("context show --agent coder", "memory list", f"memory show {name}", "memory maintain", "next"):
        assert vfcc(project, *line.split()).code == 0
    assert "task" in str(file_of(project, name))

    vfcc(project, "memory", "promote", name, "--to", "project").refused(3, "needs a person")
    me(project, f"promote {name} --to user").refused(2, "it becomes the project's first")
    assert me(project, f"promote {name} --to project").code == 0
    assert file_of(project, name).parts[-4:-1] == ("project", "items", "pattern")
    assert me(project, f"promote {name} --to user").code == 0
    (item,) = items(project, "--scope", "user")
    details = item["details"]
    assert isinstance(details, list)
    assert (item["title"], details[0], item["tags"]) == ("Retry with a pause", ["domain", "net"], ["net"])
    assert [name for name, _ in details[1:]] == ["promoted_by", "promoted_on"]
    me(project, f"promote {name} --to project").refused(2, f"vfcc memory move {name} --to project")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MOVE")
def test_a_moved_item_keeps_every_byte_but_its_source(project: Path) -> None:
    text = (
        "---\r\n# mine\r\nid: kept\r\ntype: goal\r\nodd: [1, 2]   # stays\r\nkey: k\r\n"
        "source: {kind: inferred, by: hand, actor: 'human:You'}\r\n"
        "uses: {count: 3, last: 2026-01-01}\r\n---\r\n\r\nText \r\n"
    )
    path = project / ".memory/project/items/goal/kept.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())

    assert me(project, "move kept --to user").out == "kept: moved from project to user memory\n"

    assert not path.exists()
    moved = file_of(project, "kept").read_bytes().decode()
    before, after = text.split("\r\n"), moved.split("\r\n")
    (differs,) = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert differs[1].startswith("source: {kind: inferred, by: hand, actor: human:You, project: young@")
    assert me(project, "move kept --to project").code == 0
    assert path.read_bytes().decode() == moved


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MOVE")
def test_a_move_that_was_cut_off_is_finished_and_one_onto_another_item_is_refused(project: Path) -> None:
    me(project, "add goal Ship --id ship --scope project --key k")
    here = file_of(project, "ship")
    text = here.read_bytes()
    assert me(project, "move ship --to user").code == 0
    here.write_bytes(text)  # as if the process had ended before it took the item away

    again = me(project, "move ship --to user --scope project")

    assert again.out == "ship: moved from project to user memory, as was begun before\n"
    assert not here.exists()
    here.write_bytes(text.replace(b"Ship", b"Sink"))
    me(project, "move ship --to user --scope project").refused(2, "user memory has another item ship: Ship")
    here.write_bytes(text.replace(b"id: ship", b"id: boat"))
    me(project, "move boat --to user").refused(2, "user memory has a goal of the key k already, ship: Ship")
    assert here.exists()
    me(project, "add fact Acme --id acme")
    me(project, "move acme --to user").refused(2, "acme is a fact", "--type preference")
    assert me(project, "move acme --to user --type business_fact").code == 0


def test_forgetting_tells_what_still_links_and_that_git_keeps_it(project: Path) -> None:
    me(project, "add fact Old --id old")
    me(project, "add fact New --id new --supersedes old")
    git(project, "add", ".")
    git(project, "commit", "-qm", "items")
    text = file_of(project, "old").read_bytes()

    assert me(project, "forget old", keys="n\n").code == 130
    done = me(project, "forget old", keys="y\n")

    assert done.out.splitlines() == [
        "old: forgotten",
        "  git keeps it: git checkout HEAD -- .memory/project/items/fact/old.md",
        "  new still links to it",
    ]
    git(project, "checkout", "HEAD", "--", ".memory/project/items/fact/old.md")
    assert file_of(project, "old").read_bytes() == text


def test_an_edit_changes_its_lines_alone(project: Path) -> None:
    me(project, "add fact Acme --id acme --tag a")
    path = file_of(project, "acme")
    path.write_text(path.read_text().replace("tags: [a]", "tags: [a]  # why\nodd: {x: 1}"), encoding="utf-8")
    before = path.read_text().splitlines()

    assert me(project, "edit acme --importance 0.9 --tag b --untag a").out == "acme: importance, tags changed\n"

    changed = [line for line in path.read_text().splitlines() if line not in before]
    assert changed[0] == "importance: 0.9"
    assert changed[1:] == ["tags: [b]  # why", f"updated: {items(project)[0]['created']}"]
    me(project, "edit acme --untag zzz").refused(2, "acme has no tag zzz; it has b")


@pytest.mark.sweep
def test_a_person_edits_the_file_in_their_editor(project: Path, tmp_path: Path) -> None:
    from tests.cli.at_terminal import typed

    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "$SCRIPT" "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    me(project, "add fact Acme --id acme")
    before = file_of(project, "acme").read_bytes()

    def edited(script: str) -> object:
        return typed(project, "memory", "edit", "acme", env={"EDITOR": str(editor), "SCRIPT": script})

    assert edited("s/nothing/x/").out == "acme: nothing changes\n"  # type: ignore[attr-defined]
    edited("s/^id: .*/id: other/").refused(2, "an edit keeps id and type")  # type: ignore[attr-defined]
    edited("s/^importance: .*/importance: high/").refused(2, "is not a number from 0 to 1")  # type: ignore[attr-defined]
    assert file_of(project, "acme").read_bytes() == before
    assert edited("s/Acme/Beta/").code == 0  # type: ignore[attr-defined]
    assert "Beta" in me(project, "show acme").out


@pytest.mark.sweep
def test_links_are_made_and_taken_away_and_never_lead_from_what_is_shared_to_what_is_private(project: Path) -> None:
    for name in ("one", "two"):
        me(project, f"add fact {name} --id {name}")
    me(project, "add goal Mine --id mine")
    before = file_of(project, "one").read_text()

    assert me(project, "link one depends-on two").out == "one depends_on two\n"
    me(project, "link one depends_on two").refused(2, "one depends_on two already")
    me(project, "link one depends_on one").refused(2, "cannot link to itself")
    me(project, "link one contradicts mine").refused(2, "others would not find it")
    me(project, "link one verifies two").refused(2, "verifies is a relation of the trace")
    assert "one depends_on (project, active): one" in me(project, "show two").out
    assert me(project, "link one depends_on two --remove").out == "one depends_on two no more\n"
    assert file_of(project, "one").read_text() == before.replace("---\n\n", "links: []\n---\n\n")
