"""Where items are: moved without loss, whatever stops it, apart from other projects, listed and counted."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.remembered_world import (
    AGENT,
    BACKENDS,
    LATER,
    ME,
    TODAY,
    World,
    add,
    find,
    keep,
    texts,
    unasked,
    world,
    yes,
)
from tests.tree.backend_items import make
from verifflowcc.base.errors import NotAllowed, UsageError, VfccError
from verifflowcc.base.model.item_values import Link, Relation, Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.memory_checking import check_memory
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.adding import AddOutcome
from verifflowcc.memory.use.copying import export_memory
from verifflowcc.memory.use.editing import ItemEdits, edit_item, link_items, replace_text, unlink_items
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.importing import MemoryImportOptions, import_memory
from verifflowcc.memory.use.item_scope import identity_of
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.memory_listing import ListQuery, list_items, show_item
from verifflowcc.memory.use.moving import move_item, promote_item
from verifflowcc.memory.use.statistics import numbers_of
from verifflowcc.memory.use.stores import open_store

BOTH = ("project", "user")
MOVE = """\
import sys
from pathlib import Path
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.moving import move_item
from verifflowcc.base.use.workspace import Workspace

here = Workspace(Path(sys.argv[1]))
move_item(here, find_item(here, "held", ("project",)), "user", actor="human:You", confirm=print)
"""


@pytest.fixture(params=BACKENDS)
def of_each(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world for each backend."""
    return world(tmp_path, request.param, monkeypatch, request)


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project in files."""
    return world(tmp_path, "files", monkeypatch, request).project("one")


def moved(here: Workspace, name: str, to: str, *scopes: str) -> bool:
    """Move an item; return whether an earlier move was finished by it."""
    return move_item(here, find(here, name, *scopes), to, actor=ME, confirm=yes).finished


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MOVE", "REQ-WHOLE-WRITES")
def test_a_move_that_is_killed_between_its_two_writes_leaves_both_and_is_finished_by_the_next(of_each: World) -> None:
    project = of_each.project("one")
    keep(project, "project", make("held", type="goal", key="k", odd="{x: 1}  # kept"))
    with open_store(project, "project") as source, source.writing():
        command = [sys.executable, "-c", MOVE, str(project.root)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while ("user", "held") not in texts(project, "user"):
                assert process.poll() is None, "it ends only when it may take the item away, for which it waits"
            process.kill()
        assert process.returncode == -signal.SIGKILL

    both = texts(project)
    assert set(both) == {("project", "held"), ("user", "held")}
    told = check_memory(project).report.findings
    assert [each.message for each in told if each.code == "in-both"] == [
        "held is here and in user/items/goal/held.md, as an interrupted move leaves it"
    ]
    assert moved(project, "held", "user", "project")
    assert texts(project) == {("user", "held"): both["user", "held"]}
    assert "odd: {x: 1}  # kept\n" in both["user", "held"]
    assert check_memory(project).report.findings == check_memory(project, "user").report.findings == ()


@pytest.mark.vfcc("REQ-MOVE")
def test_a_move_there_and_back_keeps_all_but_the_source(of_each: World) -> None:
    project = of_each.project("one")
    text = "---\r\n# mine\r\nid: held\r\ntype: goal\r\nodd:   [1, 2]  # so\r\n---\r\n\r\nText \r\n"
    keep(project, "project", stored_item(".memory/project/items/goal/held.md", text.encode()))

    assert not moved(project, "held", "user")
    there = texts(project)
    source = f"source: {{kind: explicit, project: {identity_of(project).text}}}\r\n"
    assert there == {("user", "held"): text.replace("---\r\n\r\n", f"{source}---\r\n\r\n")}
    assert find(project, "held").item.path == "user/items/goal/held.md"
    assert not moved(project, "held", "project")
    assert texts(project) == {("project", "held"): there["user", "held"]}
    assert find(project, "held").item.path == ".memory/project/items/goal/held.md"


@pytest.mark.points(2)
def test_a_move_onto_another_id_or_key_is_refused_and_writes_nothing(of_each: World) -> None:
    project = of_each.project("one")
    keep(project, "user", make("held", "user", type="goal", body="Another.\n"))
    keep(project, "user", make("owner", "user", type="goal", key="k"))
    keep(project, "project", make("HELD", type="goal"))
    keep(project, "project", make("twin", type="goal", key="k"))
    keep(project, "project", make("idle", type="goal", key="k", status="pending"))
    before = texts(project)

    for name, told in (("HELD", "another item held"), ("twin", "has a goal of the key k already, owner")):
        with pytest.raises(UsageError, match=told):
            moved(project, name, "user", "project")
    with pytest.raises(UsageError, match="twin is in project memory already"):
        moved(project, "twin", "project", "project")

    assert texts(project) == before
    moved(project, "idle", "user")
    assert ("user", "idle") in texts(project)


@pytest.mark.vfcc("REQ-MOVE")
def test_a_move_as_another_type_says_so_and_keeps_all_else(here: Workspace) -> None:
    for name, type_name, lines in (("held", "business_fact", 1), ("kept", "pattern", 0)):
        keep(here, "project", make(name, type="fact" if lines else "pattern", importance="0.7", odd="{x: 1}"))
        before = find(here, name).stored.text
        found = move_item(here, find(here, name), "user", actor=ME, confirm=yes, type_name=type_name).item

        assert (found.type, found.importance, found.path) == (type_name, 700, f"user/items/{type_name}/{name}.md")
        after = find(here, name).stored.text.splitlines()
        assert [line for line in before.splitlines() if line not in after] == ["type: fact"] * lines


@pytest.mark.vfcc("REQ-SUPERSEDED")
def test_a_proposal_that_nobody_accepted_supersedes_nothing_however_it_is_put_away(here: Workspace) -> None:
    keep(here, "project", make("old"))
    links = "[{to: old, relation: supersedes}]"
    keep(here, "project", make("new", status="pending", links=links, expires="2020-01-01"))
    keep(here, "project", make("plain", status="pending", expires="2020-01-01"))
    before = texts(here)
    put_away = ItemEdits(status=Status.ARCHIVED)
    exported = export_memory(here, ["project"]).text.replace("status: pending", "status: archived")
    (here.root / "bent.jsonl").write_text(exported.replace("new", "newer"), encoding="utf-8")

    for actor in (ME, AGENT):
        found = find(here, "new")
        with pytest.raises(UsageError, match="new was never accepted, and archived it would supersede"):
            edit_item(here, found, put_away, actor=actor, today=LATER, confirm=unasked)
        text = found.stored.text.replace("pending", "archived")
        with pytest.raises(UsageError, match="new was never accepted"):
            replace_text(here, found, text, actor=actor, today=LATER, confirm=unasked)
    assert texts(here) == before
    assert [step.item for step in maintain(here, "project", actor=AGENT).steps] == ["new", "plain"]
    import_memory(
        here, str(here.root / "bent.jsonl"), MemoryImportOptions(), actor=AGENT, confirm=unasked, today="2026-11-21"
    )
    assert find(here, "newer").item.status is Status.PENDING
    assert [row.item.id for row in list_items(here, ["project"], ListQuery(status="superseded")).rows] == []
    assert edit_item(here, find(here, "new"), ItemEdits(status=Status.ACTIVE), actor=ME, today=LATER, confirm=unasked)
    assert edit_item(here, find(here, "new"), put_away, actor=ME, today=LATER, confirm=unasked)
    assert [row.item.id for row in list_items(here, ["project"], ListQuery(status="superseded")).rows] == ["old"]


def test_what_was_put_away_and_is_made_active_by_hand_says_no_more_that_it_was_put_away(here: Workspace) -> None:
    keep(here, "project", make("old", expires="2020-01-01"))
    before = texts(here)
    assert [step.item for step in maintain(here, "project", actor=AGENT).steps] == ["old"]

    edit_item(here, find(here, "old"), ItemEdits(status=Status.ACTIVE), actor=ME, today=LATER, confirm=unasked)

    (now,) = texts(here).values()
    assert "archived" not in now
    assert [line for line in now.splitlines() if line not in next(iter(before.values()))] == [
        "status: active",
        f"updated: {LATER}",
    ]


def test_what_is_said_anew_may_supersede_another_and_never_itself(here: Workspace) -> None:
    for name in ("one", "two", "three"):
        add(here, "fact", name, id=name, key=name)

    assert add(here, "fact", "one", key="one", supersedes="one").outcome is AddOutcome.UNCHANGED
    done = add(here, "fact", "one", key="one", supersedes="two")

    assert (done.item.id, done.outcome) == ("one", AddOutcome.UPDATED)
    assert done.item.links == (Link("two", Relation.SUPERSEDES),)
    assert add(here, "fact", "one", key="one", supersedes="two").outcome is AddOutcome.UNCHANGED
    assert add(here, "fact", "one", key="one", actor=AGENT).outcome is AddOutcome.UNCHANGED
    proposed = add(here, "fact", "one", key="one", actor=AGENT, supersedes="three")
    assert (proposed.outcome, proposed.item.links) == (AddOutcome.PROPOSED, (Link("three", Relation.SUPERSEDES),))


@pytest.mark.vfcc("REQ-PROMOTE", "REQ-NO-PROMOTION-BY-ITSELF")
def test_a_promotion_makes_active_sets_the_source_and_goes_one_step_at_a_time(here: Workspace) -> None:
    (here.memory / "agent/coder").mkdir(parents=True)
    keep(here, "agent/coder", make("held", "agent/coder", type="pattern", status="pending"))

    def up(to: str, actor: str = ME) -> None:
        found = find(here, "held", "agent/coder", "project", "user")
        promote_item(here, found, to, actor=actor, today=LATER, confirm=unasked)

    with pytest.raises(NotAllowed):
        up("project", AGENT)
    with pytest.raises(UsageError, match="it becomes the project's first"):
        up("user")
    up("project")
    item = find(here, "held").item
    assert (item.status, item.source.project) == (Status.ACTIVE, None)
    with pytest.raises(NotAllowed):
        up("user", AGENT)
    with pytest.raises(UsageError, match="held is active; only what is pending"):
        promote_item(here, find(here, "held"), None, actor=ME, today=LATER, confirm=unasked)
    up("user")
    assert find(here, "held").item.source.project == identity_of(here).text
    assert list(texts(here)) == [("user", "held")]
    with pytest.raises(UsageError, match="above the project's"):
        up("project")


def test_a_tasks_item_is_promoted_and_not_moved(here: Workspace) -> None:
    keep(here, "task/t-1", make("held", "task/t-1"))

    with pytest.raises(UsageError, match="ends with its task unless it is promoted"):
        moved(here, "held", "project", "task/t-1")

    assert list(texts(here, "project", "task/t-1")) == [("task/t-1", "held")]


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-PROJECT-ISOLATION", "REQ-USER-SCOPE")
def test_nothing_of_one_project_is_found_listed_counted_or_changed_in_another(of_each: World) -> None:
    one, two = of_each.project("one"), of_each.project("two")
    name = add(one, "fact", "The client is Acme", key="client").item.id
    add(one, "goal", "Raise Series A", id="raise")
    before = texts(one)

    assert [row.item.id for row in list_items(two, BOTH, ListQuery(everything=True)).rows] == ["raise"]
    assert [row.item.id for row in list_items(one, BOTH, ListQuery()).rows] == [name, "raise"]
    assert {each.scope: each.count for each in numbers_of(two, BOTH).scopes} == {"project": 0, "user": 1}
    with pytest.raises(UsageError, match=f"there is no item {name}"):
        find(two, name)
    mine = find(one, name)
    for change in (
        lambda: forget_item(two, mine, actor=ME),
        lambda: edit_item(two, mine, ItemEdits(title="X"), actor=ME, today=LATER, confirm=unasked),
        lambda: move_item(two, mine, "user", actor=ME, confirm=unasked, type_name="goal"),
        lambda: link_items(two, mine, Relation.DEPENDS_ON, find(two, "raise"), actor=ME),
    ):
        with pytest.raises(VfccError, match=r"was removed since|others would not find it"):
            change()
    assert texts(one) == before
    assert add(two, "fact", "The client is Beta", key="client").item.id != name
    assert texts(one) == before
    with open_store(two, "project") as store:
        store.clear()
    assert texts(one) == before


def test_what_is_superseded_archived_traced_or_plain_is_left_out_and_told_unless_asked_for(of_each: World) -> None:
    project = of_each.project("one")
    for item in (
        make("old", key="k", created="2026-01-01"),
        make("new", key="k", created="2026-01-02", links="[{to: old, relation: supersedes}]"),
        make("gone", status="archived"),
        make("need", type="requirement"),
        make("said", status="pending"),
        stored_item(".memory/project/items/note/page.md", b"# A page\n"),
    ):
        keep(project, "project", item)

    def listed(**asked: object) -> list[str]:
        return [row.item.id.rpartition("/")[2] for row in list_items(project, ["project"], ListQuery(**asked)).rows]  # type: ignore[arg-type]

    shown = list_items(project, ["project"], ListQuery())
    assert [row.item.id for row in shown.rows] == ["new", "said"]
    assert shown.hidden == {"archived": 1, "plain pages": 1, "superseded": 1, "trace items": 1}
    assert set(listed(everything=True)) == {"old", "new", "gone", "need", "said", "page"}
    assert listed(status="superseded") == ["old"]
    assert listed(status="archived") == ["gone"]
    assert listed(status="active", types=("fact",)) == ["new"]
    assert listed(types=("requirement",)) == ["need"]
    (row,) = list_items(project, ["project"], ListQuery(status="superseded")).rows
    assert (row.status, row.superseded_by, row.item.status) == ("superseded", "new", Status.ACTIVE)
    assert show_item(project, find(project, "old"), BOTH).superseded_by == "new"


def test_a_list_has_its_order_and_its_limit(here: Workspace) -> None:
    for number, day in enumerate(("2026-01-02", "2026-01-03", "2026-01-01")):
        keep(here, "project", make(f"p{number}", created=day, importance=f"0.{number + 1}"))
        keep(here, "user", make(f"u{number}", "user", type="goal", created=day, importance=f"0.{number + 1}"))

    def listed(*scopes: str, **asked: object) -> list[str]:
        return [row.item.id for row in list_items(here, scopes, ListQuery(**asked)).rows]  # type: ignore[arg-type]

    assert listed(*BOTH) == ["p1", "p0", "p2", "u2", "u1", "u0"]
    assert listed("user", order="-importance") == ["u0", "u1", "u2"]
    assert listed("project", order="importance") == ["p2", "p1", "p0"]
    cut = list_items(here, BOTH, ListQuery(limit=4))
    assert (len(cut.rows), cut.more) == (4, 2)
    assert listed(*BOTH, where=("importance>=0.3",)) == ["p2", "u2"]
    with pytest.raises(UsageError, match="a limit is a whole number from 1"):
        listed("user", limit=0)


def test_links_lead_from_what_is_shared_to_what_is_shared(here: Workspace) -> None:
    for name in ("one", "two"):
        keep(here, "project", make(name))
    keep(here, "user", make("mine", "user", type="goal"))

    def link(name: str, to: str) -> Callable[[], object]:
        return lambda: link_items(here, find(here, name), Relation.DEPENDS_ON, find(here, to), actor=ME)

    link("one", "two")()
    link("mine", "one")()
    before = texts(here)
    for wrong, told in (
        (link("one", "two"), "one depends_on two already"),
        (link("one", "one"), "cannot link to itself"),
        (link("one", "mine"), "others would not find it"),
        (lambda: unlink_items(here, find(here, "one"), Relation.CAUSED_BY, "two", actor=ME), "has no link caused_by"),
    ):
        with pytest.raises(UsageError, match=told):
            wrong()
    assert texts(here) == before
    shown = show_item(here, find(here, "one"), BOTH)
    assert [(end.id, end.relation) for end in shown.links] == [("two", "depends_on")]
    assert [(end.id, end.scope) for end in shown.linked_by] == [("mine", "user")]
    assert forget_item(here, find(here, "two"), actor=ME, scopes=BOTH).linked_by == ("one",)
    unlink_items(here, find(here, "one"), Relation.DEPENDS_ON, "tw", actor=ME)
    assert find(here, "one").item.links == ()


@pytest.mark.points(2)
def test_numbers_are_those_of_the_items(of_each: World) -> None:
    project = of_each.project("one")
    kept = [
        make("a", created="2026-01-05", uses="{count: 3, last: 2026-02-01}", body="one two three\n"),
        make("b", type="goal", created="2026-01-02", status="pending", uses="{count: 4}", body="füür\n"),
        make("c", created="2026-03-01T10:00:00Z", links="[{to: a, relation: supersedes}]", body="x\n"),
        make("d", type="goal"),
    ]
    for item in kept:
        keep(project, "project", item)

    numbers = numbers_of(project, BOTH)

    assert numbers.identity == identity_of(project).text
    found, user = numbers.scopes
    assert (found.scope, found.backend, found.count, found.uses) == ("project", of_each.backend, 4, 7)
    assert found.types == {"fact": 2, "goal": 2}
    assert found.statuses == {"active": 2, "pending": 1, "superseded": 1}
    assert found.size == sum(len(each.text.encode()) for each in kept)
    assert (found.oldest, found.newest) == ("2026-01-02", "2026-03-01")
    assert (user.scope, user.backend, user.count, user.tokens, user.oldest) == ("user", of_each.backend, 0, 0, None)
    alone = []
    for item in kept:
        with open_store(project, "project") as store:
            store.clear()
        keep(project, "project", item)
        alone.append(numbers_of(project, ["project"]).scopes[0].tokens)
    assert sum(alone) == found.tokens
    assert all(alone)
    assert add(project, "fact", "New", today=TODAY).item.created == TODAY
