"""The stores for programs: what each helper keeps, over every kind of backend that needs no server."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

import verifflowcc
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import Source, SourceKind, Status, Trust
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.memory.store.file_backend import FilesBackend
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.memory.store.sqlite_backend import SqliteBackend
from verifflowcc.memory.use.task_filling import GlobalMemoryStore, ProjectMemoryStore, TaskMemoryStore

CLOCK = FixedClock(datetime(2026, 11, 21, 14, tzinfo=UTC))
TASK = "fix-it-k3f9"
Open = Callable[[str], MemoryBackend]


@pytest.fixture(params=["memory", "files", "sqlite"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    opened: list[MemoryBackend] = []

    def make(scope: str) -> MemoryBackend:
        if request.param == "memory":
            made: MemoryBackend = InMemoryBackend(scope)
        elif request.param == "sqlite":
            made = SqliteBackend(tmp_path / "items.db", scope)
        else:
            made = FilesBackend(tmp_path, folder_of(scope), scope, tmp_path / "local")
        opened.append(made)
        return made

    yield make
    for each in opened:
        each.close()


@dataclass
class Person:
    """Somebody who answers, and remembers what they were asked."""

    answer: bool
    asked: list[str] = field(default_factory=list)

    def __call__(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer


def letters() -> Callable[[], str]:
    numbers = count()
    return lambda: f"{next(numbers):04}"


def words(text: str) -> int:
    return len(text.split())


def task(opened: MemoryBackend | None = None, name: str = TASK) -> TaskMemoryStore:
    return TaskMemoryStore(name, opened, clock=CLOCK, letters=letters(), count=words)


def project(opened: MemoryBackend, most: int = 1_000, source: Source | None = None) -> ProjectMemoryStore:
    said = source or Source(actor="human:You")
    return ProjectMemoryStore("shop@1a2b3c4d5e6f", opened, most, source=said, clock=CLOCK, letters=letters())


def person(opened: MemoryBackend, confirm: Person | None) -> GlobalMemoryStore:
    return GlobalMemoryStore(opened, confirm, Source(actor="human:You"), CLOCK, letters())


def ids(found: list[StoredItem]) -> set[str]:
    return {each.item.id for each in found}


@pytest.mark.vfcc("REQ-TASK-REASONING")
def test_reasoning_is_kept_with_its_stage_importance_and_tokens(backend: Open) -> None:
    kept = task(backend(f"task/{TASK}")).add_reasoning("## The cause\n\nThe session is too old.", "design")

    item = kept.item
    assert (item.type, item.title, item.importance, item.tokens) == ("reasoning", "The cause", 500, 8)
    assert (item.details, item.tags) == ((("stage", "design"),), ("design",))
    assert (item.scope, item.created) == (f"task/{TASK}", "2026-11-21")
    assert kept.body.strip() == "## The cause\n\nThe session is too old."


@pytest.mark.vfcc("REQ-TASK-OUTPUTS")
def test_a_tools_output_is_kept_with_its_name_importance_and_tokens(backend: Open) -> None:
    kept = task(backend(f"task/{TASK}")).add_tool_output("pytest", "\x1b[31m3 failed\x1b[0m\n\nin 2 s")

    item = kept.item
    assert (item.type, item.title, item.importance, item.tokens) == ("tool_output", "pytest: 3 failed", 700, 5)
    assert (item.details, item.tags) == ((("tool", "pytest"),), ("pytest",))
    assert kept.body.strip() == "\x1b[31m3 failed\x1b[0m\n\nin 2 s"


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-TASK-STAGE")
def test_a_stage_gives_all_that_is_from_it_and_nothing_else(backend: Open) -> None:
    store = task(backend(f"task/{TASK}"))
    wanted = {store.add_reasoning(f"Thought {number}", "design").item.id for number in range(120)}
    wanted.add(store.add_tool_output("pytest", "ok", stage="design").item.id)
    store.add_reasoning("Another", "coding")
    store.add_tool_output("design", "a tool of that name")

    assert ids(store.stage_outputs("design")) == wanted
    assert store.stage_outputs("testing") == []


def test_a_key_says_an_item_anew_and_keeps_its_id(backend: Open) -> None:
    store = task(backend(f"task/{TASK}"))
    first = store.add_reasoning("Half done", "design", key="how far")
    again = store.add_reasoning("Done", "coding", key="how far")

    assert again.item.id == first.item.id
    assert (again.body.strip(), again.item.title, again.item.tokens) == ("Done", "Done", 1)
    assert (again.item.details, again.item.tags) == ((("stage", "coding"),), ("coding",))
    assert again.item.updated == "2026-11-21"
    assert store.stage_outputs("design") == []


@pytest.mark.vfcc("REQ-TASK-CLEAR")
def test_clearing_a_task_leaves_every_other(backend: Open) -> None:
    one, other = task(backend(f"task/{TASK}")), task(backend("task/other-0000"), "other-0000")
    one.add_reasoning("Mine", "design")
    kept = other.add_reasoning("Theirs", "design")
    one.clear()

    assert one.stage_outputs("design") == []
    assert ids(other.stage_outputs("design")) == {kept.item.id}


def test_a_task_without_a_backend_is_kept_in_memory() -> None:
    store = TaskMemoryStore(TASK)

    assert store.add_reasoning("Hello there", "design").item.tokens == 2
    assert len(store.stage_outputs("design")) == 1


@pytest.mark.vfcc("REQ-TIERS")
@pytest.mark.parametrize("scope", ["user", "project", "task/other-0000", "sprint/s"])
def test_a_store_takes_no_backend_of_another_scope(scope: str) -> None:
    other = InMemoryBackend(scope)
    makers: list[tuple[str, Callable[[], object]]] = [
        ("user", lambda: GlobalMemoryStore(other)),
        ("project", lambda: ProjectMemoryStore("shop", other)),
        (f"task/{TASK}", lambda: TaskMemoryStore(TASK, other)),
    ]

    for own, make in makers:
        if own != scope:
            with pytest.raises(UsageError, match=f"for the scope {own}, and the backend is one of {scope}"):
                make()


@pytest.mark.vfcc("REQ-TIERS")
def test_what_one_lifetime_remembers_no_other_does(backend: Open) -> None:
    short, middle, long = (backend(scope) for scope in (f"task/{TASK}", "project", "user"))
    task(short).add_reasoning("Thought", "design")
    project(middle).add_decision("Decided")
    person(long, None).add_pattern("Learned", "net")
    task(short).clear()

    assert [each.count() for each in (short, middle, long)] == [0, 1, 1]


@pytest.mark.vfcc("REQ-ADD-DECISION")
def test_decisions_are_found_by_any_of_their_tags(backend: Open) -> None:
    store = project(backend("project"))
    one = store.add_decision("Use SQLite", ["store", "files"])
    two = store.add_decision("Use Typer", ["cli"])
    three = store.add_decision("Say less")
    store.add_convention("Tabs", "store")

    assert (one.item.type, one.item.importance, one.item.tags) == ("decision", 900, ("store", "files"))
    assert one.item.source.project == "shop@1a2b3c4d5e6f"
    assert ids(store.decisions(["files", "cli"])) == {one.item.id, two.item.id}
    assert ids(store.decisions(["none"])) == set()
    assert ids(store.decisions()) == {one.item.id, two.item.id, three.item.id}


@pytest.mark.vfcc("REQ-ADD-CONVENTION")
def test_a_convention_has_its_scope(backend: Open) -> None:
    item = project(backend("project")).add_convention("Names are nouns", "python").item

    assert (item.type, item.importance, item.details, item.tags) == (
        "convention",
        800,
        (("scope", "python"),),
        ("python",),
    )


@pytest.mark.vfcc("REQ-ADD-FAILURE")
def test_a_failure_has_its_code_and_its_lesson(backend: Open) -> None:
    kept = project(backend("project")).add_failure("E-TIMEOUT", "Give the test server a port of its own.")

    item = kept.item
    assert (item.type, item.importance, item.details) == ("failure", 850, (("code", "E-TIMEOUT"),))
    assert item.tags == ("E-TIMEOUT",)
    assert kept.body.strip() == "Give the test server a port of its own."


@pytest.mark.points(3)
@pytest.mark.vfcc("REQ-EVICTION")
@pytest.mark.parametrize("kind", [SourceKind.EXTRACTED, SourceKind.INFERRED])
def test_an_item_too_many_makes_room_and_none_is_deleted(backend: Open, kind: SourceKind) -> None:
    opened = backend("project")
    store = project(opened, 20, Source(kind, "tool:program"))
    kept = [store.add_failure("E", f"Lesson {number:02}").item for number in range(21)]

    archived = {item.id for item in opened.items() if item.status is Status.ARCHIVED}
    assert archived == {item.id for item in kept[:2]}
    assert opened.count() == 21


@pytest.mark.vfcc("REQ-EVICTION-SPARES")
def test_what_is_decided_or_written_by_a_person_makes_no_room(backend: Open) -> None:
    opened = backend("project")
    store = project(opened, 2, Source(SourceKind.EXTRACTED, "tool:program"))
    for number in range(4):
        store.add_decision(f"Decision {number}")
        store.add_convention(f"Convention {number}", "all")
        project(opened, 2, Source(SourceKind.EXTRACTED, "human:You")).add_failure("E", f"By a person {number}")

    assert {item.status for item in opened.items()} == {Status.ACTIVE}


@pytest.mark.vfcc("REQ-ADD-PREFERENCE")
def test_a_preference_is_kept_under_its_category_after_a_yes(backend: Open) -> None:
    you = Person(True)
    store = person(backend("user"), you)
    kept = store.add_preference("Bullet points over prose", "style")
    store.add_preference("Short answers", "verbosity")

    assert kept is not None
    assert (kept.item.type, kept.item.importance, kept.item.trust) == ("preference", 900, Trust.HUMAN)
    assert (kept.item.details, kept.item.tags) == ((("category", "style"),), ("style",))
    assert ids(store.preferences("style")) == {kept.item.id}
    assert len(store.preferences()) == 2
    assert you.asked[0] == "Add the preference 'Bullet points over prose' (category: style)?"


@pytest.mark.vfcc("REQ-CONFIRM")
@pytest.mark.parametrize("somebody", [True, False], ids=["no", "nobody to ask"])
def test_without_a_yes_no_preference_is_added_or_changed(backend: Open, somebody: bool) -> None:
    opened, answer = backend("user"), Person(False) if somebody else None
    before = person(opened, Person(True)).add_preference("Bullets", "style", key="format")
    store = person(opened, answer)

    assert before is not None
    assert store.add_preference("Prose", "style") is None
    assert store.add_preference("Prose", "style", key="format") is None
    assert store.change_preference(before.item.id, "Prose") is None
    assert [each.text for each in opened.list_all()] == [before.text]
    assert answer is None or len(answer.asked) == 3


@pytest.mark.vfcc("REQ-CONFIRM")
def test_a_change_of_a_preference_says_what_it_was(backend: Open) -> None:
    you = Person(True)
    store = person(backend("user"), you)
    first = store.add_preference("Bullets", "style", key="format")
    store.add_preference("Prose", "style", key="format")
    assert first is not None
    changed = store.change_preference(first.item.id, "Tables")

    assert changed is not None
    assert [each.body.strip() for each in store.preferences()] == ["Tables"]
    assert changed.item.id == first.item.id
    assert you.asked[1:] == [
        "Change the preference 'Bullets' to 'Prose' (category: style)?",
        "Change the preference 'Prose' to 'Tables'?",
    ]
    with pytest.raises(UsageError, match="there is no preference nothing"):
        store.change_preference("nothing", "x")


@pytest.mark.vfcc("REQ-CONFIRM", "REQ-ADD-PATTERN")
def test_patterns_and_reading_do_not_ask(backend: Open) -> None:
    you = Person(False)
    store = person(backend("user"), you)
    kept = store.add_pattern("Retry with a longer pause each time", "network")
    store.preferences()

    item = kept.item
    assert (item.type, item.importance, item.details, item.tags) == (
        "pattern",
        700,
        (("domain", "network"),),
        ("network",),
    )
    assert you.asked == []


@pytest.mark.vfcc("REQ-CLEAR-USER", "REQ-CONFIRM")
def test_all_is_cleared_after_a_warning_and_a_yes_alone(backend: Open) -> None:
    opened = backend("user")
    no = Person(False)
    person(opened, None).add_pattern("Retry", "network")

    assert not person(opened, None).clear_all()
    assert not person(opened, no).clear_all()
    assert opened.count() == 1
    assert no.asked == ["WARNING: remove ALL user memory (1 item, for all projects)? It cannot be undone."]
    assert person(opened, Person(True)).clear_all()
    assert opened.count() == 0


@pytest.mark.parametrize("text", ["", "  \n\t\n"])
def test_what_says_nothing_is_not_kept(backend: Open, text: str) -> None:
    opened = backend("project")

    with pytest.raises(UsageError, match="nothing to remember"):
        project(opened).add_decision(text)
    assert opened.count() == 0


def test_programs_find_the_stores_beside_the_memory_manager() -> None:
    assert verifflowcc.TaskMemoryStore is TaskMemoryStore
    assert verifflowcc.ProjectMemoryStore is ProjectMemoryStore
    assert verifflowcc.GlobalMemoryStore is GlobalMemoryStore
