"""What cannot be done to items is told in a sentence, with a command that helps, and what is near is left alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.remembered_world import AGENT, LATER, ME, TODAY, add, find, keep, texts, unasked, world
from tests.tree.backend_items import make
from tests.trees import write_tree
from verifflowcc.base.errors import FormatError, NotAllowed, UsageError, VfccError
from verifflowcc.base.model.item_values import Relation
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.use.editing import ItemEdits, edit_item, read_relation, unlink_items
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.memory_listing import ListQuery, list_items, where_of
from verifflowcc.memory.use.moving import move_item, promote_item
from verifflowcc.memory.use.scopes import read_scope, scopes_listed, scopes_searched
from verifflowcc.memory.use.task_ending import end_task
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project in files."""
    return world(tmp_path, "files", monkeypatch, request).project("one")


def told(do: Callable[[], object], kind: type[VfccError] = UsageError) -> tuple[str, str]:
    """Return the sentence with which something is refused, and its hint."""
    with pytest.raises(kind) as refused:
        do()
    return str(refused.value.message), str(refused.value.hint)


def test_an_id_that_no_item_has_is_told_with_what_there_is(here: Workspace) -> None:
    assert told(lambda: find(here, " .md ")) == ("the id says nothing", "vfcc memory list")
    assert told(lambda: find(here, "x")) == (
        "there is no item x: there is none at all",
        'vfcc memory add fact "Text"',
    )
    keep(here, "project", make("release-rules"))
    assert told(lambda: find(here, "zzz")) == ("there is no item zzz", "vfcc memory list")
    assert told(lambda: find(here, "relaese", "project")) == (
        "there is no item relaese in project memory; did you mean release-rules?",
        "vfcc memory show release-rules",
    )


def test_an_id_that_several_items_have_is_told_with_where_they_are(here: Workspace) -> None:
    for scope in ("project", "user"):
        keep(here, scope, make("same", scope, type="pattern"))
    for number in range(8):
        keep(here, "project", make(f"part-{number}"))

    assert told(lambda: find(here, "same")) == (
        "same is in project and in user; say in which scope",
        "vfcc memory show same --scope project",
    )
    assert told(lambda: find(here, "SAM"))[0] == "same is in project and in user; say in which scope"
    sentence, hint = told(lambda: find(here, "part"))
    assert sentence.startswith("part can be any of 8 items: part-0 (project), ")
    assert sentence.endswith(", part-5 (project) and 2 more")
    assert hint == "vfcc memory show part-0"
    assert find(here, "PART-3").item.id == "part-3"
    for number in range(6, 8):
        forget_item(here, find(here, f"part-{number}"), actor=ME)
    assert told(lambda: find(here, "part"))[0].endswith(", part-5 (project)")


def test_a_file_that_cannot_be_read_is_told_by_its_name(here: Workspace) -> None:
    path = ".memory/project/items/fact/bent.md"
    (here.root / path).parent.mkdir(parents=True)
    (here.root / path).write_bytes(b"caf\xe9\n")

    sentence, hint = told(lambda: find(here, "bent"), FormatError)

    assert sentence.startswith(f"{path}:1: not UTF-8")
    assert hint == f"edit {path} by hand"
    assert told(lambda: find(here, "ben"))[0].startswith("there is no item ben")


def test_what_is_not_pending_is_promoted_upwards(here: Workspace) -> None:
    (here.memory / "agent/coder").mkdir(parents=True)
    for scope in ("agent/coder", "project", "user"):
        keep(here, scope, make(f"in-{scope[:4]}", scope, type="pattern"))

    def activated(name: str, *scopes: str, to: str | None = None, type_name: str | None = None) -> tuple[str, str]:
        found = find(here, name, *scopes)
        return told(lambda: promote_item(here, found, to, actor=ME, today=TODAY, confirm=unasked, type_name=type_name))

    assert activated("in-agen", "agent/coder")[1] == "vfcc memory promote in-agen --to project"
    assert activated("in-proj")[1] == "vfcc memory promote in-proj --to user"
    assert activated("in-user")[1] == "vfcc memory list --status pending"
    assert activated("in-proj", type_name="goal")[0] == "a type goes with --to"
    assert activated("in-proj", to="sprint")[0] == "an item is promoted to project or user, not to sprint"
    assert activated("in-proj", to="project")[0] == "in-proj is in project memory already"


def test_a_move_that_is_no_agents_hints_at_what_the_place_takes(here: Workspace) -> None:
    keep(here, "project", make("held"))

    def moved(to: str, type_name: str | None = None) -> str:
        found = find(here, "held")
        return told(lambda: move_item(here, found, to, actor=AGENT, confirm=unasked, type_name=type_name), NotAllowed)[
            1
        ]

    assert moved("user", "goal") == 'vfcc memory add goal "…" --scope user'
    assert moved("user") == "vfcc memory show held"


def test_a_scope_is_read_as_it_is_written_and_slips_are_told(here: Workspace) -> None:
    assert read_scope(None, " user ") == read_scope(here, "user") == "user"
    assert told(lambda: read_scope(here, "usr")) == ("there is no scope 'usr'; did you mean user?", "--scope user")
    assert told(lambda: read_scope(here, "user/me"))[0] == "the scope user has no name behind it"
    assert told(lambda: read_scope(here, "project/one"))[0] == "the scope project has no name behind it"
    assert told(lambda: read_scope(None, "project"), VfccError)[1] == "--scope user (or vfcc init)"
    assert told(lambda: read_scope(None, "sprint/x"), VfccError)[1] == "--scope user (or vfcc init)"
    assert read_scope(here, "agent/coder") == read_scope(here, "agent", agent="coder") == "agent/coder"
    assert told(lambda: read_scope(here, "agent"))[0] == "an agent's memory is named by its role"
    assert "did you mean coder?" in told(lambda: read_scope(here, "agent/codr"))[0]
    assert told(lambda: read_scope(here, "agent/default"))[0].startswith("there is no agent default")


def test_the_scopes_in_play_are_those_that_are_open(here: Workspace) -> None:
    assert scopes_listed(None) == scopes_searched(None) == ("user",)
    sprint = start_sprint(here, "Log in", workflow="standard", actor=ME).state.id
    write_tree(here.root, {".memory/agent/coder/prompt.md": "x", ".memory/agent/not a name/x.md": "x"})
    task = start_task(here, "Fix it", actor=AGENT)

    where = ("project", f"sprint/{sprint}", f"stage/{sprint}/planning", f"task/{task.id}")
    assert scopes_listed(here) == (*where, "user")
    assert scopes_searched(here) == (*where, "agent/coder", "user")
    assert read_scope(here, "sprint") == read_scope(here, f"sprint/{sprint}") == where[1]
    assert read_scope(here, "stage") == read_scope(here, f"stage/{sprint}/planning") == where[2]
    assert told(lambda: read_scope(here, f"stage/{sprint}"))[1] == "--scope stage"
    assert told(lambda: read_scope(here, "sprint/nope"))[0].startswith("there is no sprint nope")
    assert read_scope(here, "task", agent="coder") == f"task/{task.id}"
    end_task(here, task.id, TaskStatus.COMPLETED, actor=AGENT)
    assert scopes_listed(here) == (*where[:3], "user")
    assert told(lambda: read_scope(here, f"task/{task.id}")) == (
        f"the task {task.id} has ended, and its memory with it",
        "vfcc task list",
    )


@pytest.mark.vfcc("REQ-NO-PROMOTION-BY-ITSELF")
def test_maintenance_takes_nothing_of_a_task_in_work(here: Workspace) -> None:
    task = start_task(here, "Fix it", actor=AGENT)
    note_in_task(here, Note("The cause is the clock"), actor=AGENT, task=task.id)
    before = texts(here, f"task/{task.id}")

    assert maintain(here, actor=ME).steps == ()

    assert texts(here, f"task/{task.id}") == before
    assert len(before) == 1


def test_what_git_does_not_keep_is_not_said_to_be_kept(here: Workspace) -> None:
    keep(here, "project", make("held"))
    keep(None, "user", make("mine", "user", type="goal"))

    assert not forget_item(here, find(here, "held"), actor=ME).in_git
    assert not forget_item(None, find_item(None, "mine", ["user"]), actor=ME).in_git


def test_a_relation_is_said_in_any_spelling_and_one_of_the_trace_elsewhere() -> None:
    assert read_relation(" Depends-On ") is Relation.DEPENDS_ON
    assert told(lambda: read_relation("refines"))[1] == "vfcc trace link ID TO --relation refines"
    assert told(lambda: read_relation("supersede"))[0] == "there is no relation supersede; did you mean supersedes?"
    assert "there is caused_by," in told(lambda: read_relation("zzzzzz"))[0]


def test_a_link_to_take_away_is_named_by_its_beginning_where_one_alone_begins_so(here: Workspace) -> None:
    links = "[{to: aa, relation: depends_on}, {to: aab, relation: depends_on}, {to: acc, relation: caused_by}]"
    keep(here, "project", make("held", links=links))

    def unlinked(to: str, relation: Relation = Relation.DEPENDS_ON) -> str:
        return unlink_items(here, find(here, "held"), relation, to, actor=ME).to

    for wrong in ("a", "", "acc", "zz"):
        assert told(lambda wrong=wrong: unlinked(wrong)) == (  # type: ignore[misc]
            f"held has no link depends_on {wrong}; it has depends_on aa, depends_on aab, caused_by acc",
            "vfcc memory show held",
        )
    assert [unlinked(" AA "), unlinked("a"), unlinked("ac", Relation.CAUSED_BY)] == ["aa", "aab", "acc"]
    assert told(lambda: unlinked("aa"))[0] == "held has no link depends_on aa; it has nothing"


def test_an_edit_tells_what_changed_alone(here: Workspace) -> None:
    add(here, "fact", "One\nmore", id="held", tags=("a",), expires="2027-01-01", key="k")

    def edited(changes: ItemEdits) -> tuple[str, ...]:
        return edit_item(here, find(here, "held"), changes, actor=ME, today=LATER, confirm=unasked).changed

    before = texts(here)
    assert edited(ItemEdits(text="One\nmore", importance=500, tag=("a",), key="k")) == ()
    assert texts(here) == before
    assert edited(ItemEdits(text="Two\nmore")) == ("title", "text")
    assert edited(ItemEdits(title="Mine")) == ("title",)
    assert edited(ItemEdits(text="Three")) == ("text",)
    assert find(here, "held").item.title == "Mine"
    assert edited(ItemEdits(expires="", key="", untag=("a",))) == ("key", "expires", "tags")
    item = find(here, "held").item
    assert (item.expires, item.key, item.tags, item.updated) == (None, None, (), LATER)
    assert told(lambda: edited(ItemEdits(untag=("b",))))[0] == "held has no tag b; it has none"


def test_a_condition_that_is_none_is_told(here: Workspace) -> None:
    assert told(lambda: where_of(["importance"]))[0].startswith("'importance' is no condition; write a field,")
    assert told(lambda: where_of(["importance>1", "importance>2"]))[0] == "importance > is asked for twice"
    assert where_of(["key="]) == {"key": {"$eq": None}}

    def listed(**asked: object) -> Callable[[], object]:
        return lambda: list_items(here, ["project"], ListQuery(**asked))  # type: ignore[arg-type]

    assert told(listed(status="activ"))[0] == "there is no status activ; did you mean active?"
    assert told(listed(status="zzzzzz"))[0].endswith("; there is active, pending, superseded, archived")
    assert told(listed(types=("fcat",))) == ("there is no type fcat; did you mean fact?", "--type fact")
    keep(here, "project", make("own", type="recipe"))
    assert listed(types=("Recipe",))() != ()
