"""Copying between backends loses nothing, overwrites nothing unasked, and removes nothing that did not arrive."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tree.backend_items import make, texts_of_files
from tests.tree.backend_openers import Files, InMemory, Sqlite
from verifflowcc.base.errors import BackendError, NotAllowed, UsageError
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.use.copying import CopyOptions, copy_items, copy_store, plan_copy

Open = Callable[[], MemoryBackend]
LOCAL = ("files", "sqlite", "memory")
ALL = (*LOCAL, "postgres")
ITEMS = (
    make("a", title="Port", tags="[net]", body="Eins.\r\n"),
    make("need-1", type="requirement", body="A trace item.\n"),
    make("use-x", type="decision", body="# 1. Use X\n\nBecause.\n"),
    make("style", type="convention", body="Tabs.\n"),
)


@pytest.fixture
def stores(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], MemoryBackend]]:
    """A way to open a new, empty store of a kind for the project's items."""
    numbers = count()
    with ExitStack() as opened:

        def new(kind: str) -> MemoryBackend:
            store = _opener(kind, tmp_path / f"{next(numbers)}", request)()
            return opened.enter_context(closing(store))

        yield new


def _opener(kind: str, folder: Path, request: pytest.FixtureRequest) -> Open:
    if kind == "postgres":
        from verifflowcc.memory.store.postgres import PostgresBackend

        server = request.getfixturevalue("postgres")
        person = server.person("ann", str(folder))
        return lambda: PostgresBackend(person.url, "project", str(folder))
    makers: Mapping[str, Any] = {"files": Files, "sqlite": Sqlite, "memory": InMemory}
    return lambda: makers[kind](folder)("project")


def texts(store: MemoryBackend) -> dict[str, tuple[str, str]]:
    return {each.item.id: (each.item.path, each.text) for each in store.list_all()}


def fill(store: MemoryBackend, *items: StoredItem) -> MemoryBackend:
    for item in items:
        store.add(item)
    return store


def brought(old: MemoryBackend, new: MemoryBackend, *, replace: bool = False, move: bool = False) -> list[str]:
    plan, _ = copy_store(old, new, replace=replace, move=move)
    return [each.item.id for each in plan.bring]


@pytest.mark.points(8)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param(*pair, marks=() if "postgres" in pair else pytest.mark.vfcc("REQ-BACKEND-CHOICE"))
        for pair in permutations(ALL, 2)
    ],
)
def test_all_items_arrive_with_path_and_text_whatever_the_two_ends_are(
    stores: Callable[[str], MemoryBackend], source: str, target: str
) -> None:
    old, new = fill(stores(source), *ITEMS), stores(target)

    assert brought(old, new) == sorted(each.item.id for each in ITEMS)
    assert texts(new) == texts(old)
    assert brought(old, new) == [], "once more is nothing"


def round_trip(stores: Callable[[str], MemoryBackend], kinds: tuple[str, ...]) -> None:
    first, *others = [stores(kind) for kind in kinds]

    @settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(st.sampled_from(["a", "b", "c.d", "Ä"]), texts_of_files(), min_size=1))
    def check(written: dict[str, str]) -> None:
        from verifflowcc.memory.store.placing import stored_item

        for store in (first, *others):
            store.clear()
        fill(first, *(stored_item(f".memory/project/notes/{name}.md", text.encode()) for name, text in written.items()))
        previous = first
        for store in others:
            brought(previous, store)
            previous = store
        assert texts(previous) == texts(first)

    check()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-CHOICE")
def test_files_come_back_from_sqlite_and_memory_byte_for_byte(stores: Callable[[str], MemoryBackend]) -> None:
    round_trip(stores, ("files", "sqlite", "memory", "files"))


@pytest.mark.sweep
def test_files_come_back_from_all_backends_byte_for_byte(stores: Callable[[str], MemoryBackend]) -> None:
    round_trip(stores, ("files", "sqlite", "postgres", "memory", "files"))


def test_the_files_themselves_are_the_same_bytes(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf---\r\nid: a   # hers\r\nteam:  Core\r\n---\r\nText\r\n"
    first, there, last = (Files(tmp_path / "1"), Sqlite(tmp_path), Files(tmp_path / "2"))
    path = Path(".memory/project/notes/A note.md")
    (tmp_path / "1" / "p1" / path).parent.mkdir(parents=True)
    (tmp_path / "1" / "p1" / path).write_bytes(data)
    with closing(first("project")) as old, closing(there("project")) as between, closing(last("project")) as new:
        brought(old, between)
        brought(between, new)
    assert (tmp_path / "2" / "p1" / path).read_bytes() == data


@pytest.mark.parametrize("target", LOCAL)
def test_a_conflict_stops_all_of_it_unless_replacing_was_asked_for(
    stores: Callable[[str], MemoryBackend], target: str
) -> None:
    other = make("a", body="Zwei.\n")
    old, new = fill(stores("memory"), *ITEMS), fill(stores(target), other, make("only-there"))

    plan, moved = copy_store(old, new, replace=False, move=True)

    assert (plan.conflicts, plan.bring, moved) == (("a",), (), False)
    assert set(texts(new)) == {"a", "only-there"}
    assert texts(new)["a"][1] == other.text
    assert old.count() == len(ITEMS)

    plan, _ = copy_store(old, new, replace=True, move=False)
    assert plan.replaced == ("a",)
    assert texts(new)["a"][1] == ITEMS[0].text
    assert set(texts(new)) == {each.item.id for each in ITEMS} | {"only-there"}


@pytest.mark.parametrize("source", LOCAL)
def test_moving_leaves_nothing_behind_but_what_is_no_item(stores: Callable[[str], MemoryBackend], source: str) -> None:
    old, new = fill(stores(source), *ITEMS), fill(stores("memory"), ITEMS[0])

    _, moved = copy_store(old, new, replace=False, move=True)

    assert moved
    assert (old.count(), new.count()) == (0, len(ITEMS))


def test_what_is_no_item_is_told_and_stays(tmp_path: Path, stores: Callable[[str], MemoryBackend]) -> None:
    opener = Files(tmp_path / "here")
    broken = tmp_path / "here/p1/.memory/project/items/fact/broken.md"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"\xff\xfe")
    with closing(opener("project")) as old:
        fill(old, ITEMS[0])
        plan, _ = copy_store(old, stores("memory"), replace=False, move=True)
    assert [each.partition(":")[0] for each in plan.unreadable] == [".memory/project/items/fact/broken.md"]
    assert broken.exists()


class Forgets(InMemoryBackend):
    """A store that loses an item between taking and giving it back."""

    def add(self, item: StoredItem) -> None:
        if item.item.id != "a":
            super().add(item)


def test_nothing_is_removed_where_an_item_did_not_arrive(stores: Callable[[str], MemoryBackend]) -> None:
    old = fill(stores("sqlite"), *ITEMS)
    with pytest.raises(BackendError, match=r"^1 of 4 items did not arrive as they were, a among them$"):
        copy_store(old, Forgets("project"), replace=False, move=True)
    assert old.count() == len(ITEMS)


def test_looking_writes_nothing(stores: Callable[[str], MemoryBackend]) -> None:
    old, new = fill(stores("memory"), *ITEMS), stores("files")
    assert len(plan_copy(old, new, replace=False).bring) == len(ITEMS)
    assert new.count() == 0


def test_from_a_backend_to_itself_is_refused() -> None:
    with pytest.raises(UsageError, match="which is one place"):
        copy_items(None, "user", BackendKind.FILES, BackendKind.FILES, CopyOptions(), actor="human:You")


def test_a_scope_that_is_always_files_is_refused() -> None:
    with pytest.raises(UsageError, match="always files"):
        copy_items(None, "task/x", BackendKind.FILES, BackendKind.SQLITE, CopyOptions(), actor="human:You")


@pytest.mark.parametrize("actor", ["agent:coder", "ci"])
def test_copying_takes_a_person(actor: str) -> None:
    with pytest.raises(NotAllowed, match="needs a person"):
        copy_items(None, "user", BackendKind.FILES, BackendKind.SQLITE, CopyOptions(), actor=actor)
