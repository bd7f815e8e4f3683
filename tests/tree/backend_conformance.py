"""What every backend must do, as cases that take a way to open its stores.

A backend's test module makes an `Opener` and runs each of `CASES` with it. Stores of one opener that have one scope and
one project are the same store. An opener goes to other processes (pickled) where `shared_by_processes` says so.
"""

import multiprocessing
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from threading import Event, Thread
from typing import Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tree.backend_items import make, texts_of_files
from tests.tree.backend_questions import FILTERS, ITEMS, ORDERS
from verifflowcc.base.errors import BackendError, UsageError
from verifflowcc.base.model.item_query import conditions, matches, ordered
from verifflowcc.base.model.memory_protocol import Filters, MemoryBackend, StoredItem
from verifflowcc.memory.store.placing import home_path, stored_item

WRITERS, WRITES = 32, 50
PATIENCE_S = 300


class Opener(Protocol):
    """How the stores of a backend are opened; `shared_by_processes` is False where a store ends with its process."""

    @property
    def shared_by_processes(self) -> bool: ...

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend: ...


Case = Callable[[Opener], None]
few = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))


def ids(found: Sequence[StoredItem]) -> list[str]:
    return [each.item.id for each in found]


def filled(open_backend: Opener, *items: StoredItem, scope: str = "project") -> MemoryBackend:
    store = open_backend(scope)
    store.clear()
    for item in items:
        store.add(item)
    return store


def what_was_added_is_there(open_backend: Opener) -> None:
    with closing(open_backend("project")) as store:
        assert (store.get("a"), store.count(), store.list_all(), store.items()) == (None, 0, [], [])

        item = make("a", title="Client is Acme", importance="0.7")
        store.add(item)

        assert store.get("a") == item
        assert (store.get("A"), store.get("b"), store.get("")) == (None, None, None)
        assert store.problems == ()


def what_has_a_known_id_replaces_it(open_backend: Opener) -> None:
    with closing(filled(open_backend, make("a"), make("b"))) as store:
        changed = make("a", title="Another", body="Quite another text.\n")
        store.add(changed)
        store.add(changed)

        assert (store.count(), ids(store.list_all())) == (2, ["a", "b"])
        assert store.get("a") == changed
        retyped = make("a", type="guideline")
        store.add(retyped)
        found = store.get("a")
        assert found is not None
        assert (found.text, found.item.type, store.count()) == (retyped.text, "guideline", 2)
        assert found.item.path == changed.item.path


def deleting_says_whether_there_was_one(open_backend: Opener) -> None:
    with closing(filled(open_backend, make("a"), make("b"))) as store:
        assert store.delete("a") is True
        assert store.delete("a") is False
        assert store.delete("never") is False
        assert (store.get("a"), store.count(), ids(store.list_all())) == (None, 1, ["b"])
        store.add(make("a"))
        assert store.count() == 2


def all_items_come_by_id(open_backend: Opener) -> None:
    names = ["m", "Z", "a", "b-2", "b-10", "0"]
    with closing(filled(open_backend, *map(make, names))) as store:
        assert ids(store.list_all()) == sorted(names)
        assert [item.id for item in store.items()] == sorted(names)
        assert store.items() == [each.item for each in store.list_all()]
        assert store.count() == len(names)


def clearing_leaves_other_scopes(open_backend: Opener) -> None:
    scopes = ["project", "user", "task/fix-it-k3f9", "task/fix-it", "sprint/login", "stage/login/coding", "agent/coder"]
    stores = {scope: filled(open_backend, make("a", scope), make("b", scope), scope=scope) for scope in scopes}
    for number, (scope, store) in enumerate(stores.items(), 1):
        assert [found.scope for found in store.items()] == [scope, scope]
        store.clear()
        assert [each.count() for each in stores.values()] == [0] * number + [2] * (len(scopes) - number)
        store.clear()
    for store in stores.values():
        store.close()


def two_projects_see_nothing_of_each_other(open_backend: Opener) -> None:
    one, other = open_backend("project", "p1"), open_backend("project", "p2")
    one.add(make("a", body="Of the one.\n"))
    assert (other.get("a"), other.count(), other.query({}), other.delete("a")) == (None, 0, [], False)
    other.add(make("a", body="Of the other.\n"))
    other.clear()
    assert ids(one.list_all()) == ["a"]
    one.close()
    other.close()


SAMPLE = (
    make("a", title="Port", importance="0.9", key="port", tags="[net, db]", created="2026-01-01", status="active"),
    make("b", title="Bus", importance="0.7", tags="[net]", created="2026-01-02T10:00:00Z", trust="agent"),
    make("c", title="Äther", importance="0.5", key="port", type="guideline", tokens="12", status="pending"),
    make("d", importance="0.7", created="2026-01-02", expires="2027-01-01", uses="{count: 3, last: 2026-02-01}"),
    make(
        "e", importance="0", created="2026-01-02T01:00:00+02:00", details="{stage: coding}", tags="['', net b, 'x\"db']"
    ),
)
BY_VALUE: Mapping[str, tuple[Filters, list[str]]] = {
    "nothing asked": ({}, ["a", "b", "c", "d", "e"]),
    "a text": ({"title": "Port"}, ["a"]),
    "the case of a text": ({"title": "port"}, []),
    "a text beyond ASCII": ({"title": "Äther"}, ["c"]),
    "a type": ({"type": "guideline"}, ["c"]),
    "an id": ({"id": "b"}, ["b"]),
    "a path": ({"path": ".memory/project/items/fact/b.md"}, ["b"]),
    "a scope": ({"scope": "project", "key": "port"}, ["a", "c"]),
    "another scope": ({"scope": "user"}, []),
    "a decimal": ({"importance": 0.7}, ["b", "d"]),
    "a decimal as text": ({"importance": "0.70"}, ["b", "d"]),
    "a status": ({"status": "pending"}, ["c"]),
    "a trust": ({"trust": "agent"}, ["b"]),
    "a source": ({"source": "explicit", "actor": "human", "title": "Port"}, ["a"]),
    "a count": ({"uses": 3}, ["d"]),
    "a day": ({"created": "2026-01-02"}, ["d"]),
    "the same moment": ({"created": "2026-01-01T23:00:00Z"}, ["e"]),
    "a last use": ({"last_used": "2026-02-01"}, ["d"]),
    "a number of tokens": ({"tokens": 12}, ["c"]),
    "a detail": ({"details.stage": "coding"}, ["e"]),
    "a detail that nothing has": ({"details.tool": "coding"}, []),
    "a missing value": ({"created": None}, ["c"]),
    "a missing detail": ({"details.stage": None, "key": None}, ["b", "d"]),
    "any of texts": ({"title": ["Port", "Bus", "Car"]}, ["a", "b"]),
    "any of decimals": ({"importance": [0.9, 0, 0.123]}, ["a", "e"]),
    "any, or none": ({"key": ["port", None]}, ["a", "b", "c", "d", "e"]),
    "none of no values": ({"title": []}, []),
    "a tag": ({"tags": "net"}, ["a", "b"]),
    "any of tags": ({"tags": ["db", "other"]}, ["a"]),
    "no tags": ({"tags": None}, ["c", "d"]),
    "any of no tags": ({"tags": []}, []),
    "part of a tag": ({"tags": "ne"}, []),
    "an empty tag": ({"tags": ""}, ["e"]),
    "all of several fields": ({"tags": "net", "importance": 0.7}, ["b"]),
}
BY_OPERATOR: Mapping[str, tuple[Filters, list[str]]] = {
    "$eq": ({"title": {"$eq": "Bus"}}, ["b"]),
    "$ne": ({"title": {"$ne": "Bus"}}, ["a", "c", "d", "e"]),
    "$ne of a missing value": ({"key": {"$ne": "port"}}, ["b", "d", "e"]),
    "$eq of nothing": ({"key": {"$eq": None}}, ["b", "d", "e"]),
    "$ne of nothing": ({"key": {"$ne": None}}, ["a", "c"]),
    "$gt": ({"importance": {"$gt": 0.7}}, ["a"]),
    "$gte": ({"importance": {"$gte": 0.7}}, ["a", "b", "d"]),
    "$lt": ({"importance": {"$lt": 0.7}}, ["c", "e"]),
    "$lte": ({"importance": {"$lte": 0.7}}, ["b", "c", "d", "e"]),
    "an order of texts": ({"title": {"$lt": "Port"}}, ["b"]),
    "an order leaves out what is missing": ({"tokens": {"$gte": 0}}, ["c"]),
    "below, too": ({"expires": {"$lt": "2030-01-01"}}, ["d"]),
    "from a day on": ({"created": {"$gte": "2026-01-02"}}, ["b", "d"]),
    "before a day": ({"created": {"$lt": "2026-01-02"}}, ["a", "e"]),
    "a moment in another zone": ({"created": {"$gt": "2026-01-02T01:00:00+03:00"}}, ["b", "d", "e"]),
    "several": ({"importance": {"$gt": 0, "$lt": 0.9, "$ne": 0.5}}, ["b", "d"]),
    "several that cannot all hold": ({"importance": {"$gt": 0.5, "$lt": 0.5}}, []),
    "no operators": ({"importance": {}}, ["a", "b", "c", "d", "e"]),
    "the rank of trust": ({"trust": {"$lt": "human"}}, ["b"]),
    "a tag that is held": ({"tags": {"$eq": "net"}}, ["a", "b"]),
    "a tag that is not held": ({"tags": {"$ne": "net"}}, ["c", "d", "e"]),
    "some tags": ({"tags": {"$ne": None}}, ["a", "b", "e"]),
    "a detail": ({"details.stage": {"$ne": "coding"}}, ["a", "b", "c", "d"]),
    "an order of details": ({"details.stage": {"$lte": "coding"}}, ["e"]),
}
REFUSED: Mapping[str, Filters] = {
    r"\$regex is no operator": {"title": {"$regex": "x"}},
    "gt is no operator.*did you mean \\$gt": {"importance": {"gt": 0.5}},
    "titel is no field of an item.*did you mean title": {"titel": "x"},
    "details. is no field": {"details.": "x"},
    "importance is a number from 0 to 1": {"importance": 1.5},
    "importance is a number from 0 to 1, not": {"importance": "high"},
    "uses is a whole number": {"uses": [1, 2.5]},
    "created is a date": {"created": {"$gt": "soon"}},
    "status is never .*did you mean active": {"status": "activ"},
    "trust is never": {"trust": 3},
    "title is a text": {"title": 7},
    "tags cannot be compared by": {"tags": {"$gt": "a"}},
    "key cannot be compared by": {"key": {"$gt": None}},
}


def filters_match_by_value(open_backend: Opener) -> None:
    _asked(open_backend, BY_VALUE)


def filters_match_by_comparison(open_backend: Opener) -> None:
    _asked(open_backend, BY_OPERATOR)


def _asked(open_backend: Opener, questions: Mapping[str, tuple[Filters, list[str]]]) -> None:
    with closing(filled(open_backend, *SAMPLE)) as store:
        found = {name: ids(store.query(filters, order_by="-id")) for name, (filters, _) in questions.items()}
        assert found == {name: expected for name, (_, expected) in questions.items()}


def what_cannot_be_asked_is_refused(open_backend: Opener) -> None:
    with closing(filled(open_backend, *SAMPLE)) as store:
        for sentence, filters in REFUSED.items():
            with pytest.raises(UsageError, match=sentence):
                store.query(filters)
        for order_by in ("tags", "-tags", "nothing", "", "--title", "details."):
            with pytest.raises(UsageError):
                store.query({}, order_by=order_by)
        with pytest.raises(UsageError, match="a limit is a whole number from 0"):
            store.query({}, limit=-1)


def answers_come_in_order(open_backend: Opener) -> None:
    with closing(filled(open_backend, *SAMPLE)) as store:
        orders = {
            "created": ["b", "d", "e", "a", "c"],
            "-created": ["a", "e", "d", "b", "c"],
            "importance": ["a", "b", "d", "c", "e"],
            "-importance": ["e", "c", "b", "d", "a"],
            "key": ["a", "c", "b", "d", "e"],
            "-key": ["a", "c", "b", "d", "e"],
            "trust": ["a", "c", "d", "e", "b"],
            "id": ["e", "d", "c", "b", "a"],
            "title": ["c", "e", "d", "a", "b"],
            "details.stage": ["e", "a", "b", "c", "d"],
        }
        assert {order: ids(store.query({}, order_by=order)) for order in orders} == orders
        assert ids(store.query({})) == orders["created"]
    with closing(filled(open_backend, *reversed(SAMPLE))) as store:
        assert {order: ids(store.query({}, order_by=order)) for order in orders} == orders


def answers_have_a_limit(open_backend: Opener) -> None:
    items = [make(f"i-{number:03}", created=f"2026-01-{number % 28 + 1:02}") for number in range(120)]
    with closing(filled(open_backend, *items)) as store:
        everything = ids(store.query({}, limit=1000))
        assert everything == [item.id for item in ordered(each.item for each in items)]
        assert ids(store.query({})) == everything[:100]
        assert ids(store.query({}, limit=3)) == everything[:3]
        assert store.query({}, limit=0) == []
        assert ids(store.query({"created": "2026-01-05"}, limit=2)) == ["i-004", "i-032"]


def stores_answer_as_the_questions_say(open_backend: Opener) -> None:
    """The law: whatever is asked, the answer is the one that `domain.query` makes of all items."""

    @few
    @given(ITEMS, st.lists(FILTERS, min_size=1, max_size=6), ORDERS, st.integers(0, 8))
    def check(items: list[StoredItem], asked: list[Filters], order_by: str, limit: int) -> None:
        with closing(filled(open_backend, *items)) as store:
            present = store.items()
            assert present == sorted((each.item for each in items), key=lambda item: item.id)
            for filters in asked:
                expected = [item for item in present if matches(item, conditions(filters))]
                found = [each.item for each in store.query(filters, limit, order_by)]
                assert found == ordered(expected, order_by)[:limit], filters

    check()


def bytes_are_kept(open_backend: Opener) -> None:
    @few
    @given(st.dictionaries(st.sampled_from(["a", "b", "c"]), texts_of_files(), min_size=1))
    def check(texts: dict[str, str]) -> None:
        items = [stored_item(f".memory/project/notes/{name}.md", text.encode()) for name, text in texts.items()]
        expected = {each.item.id: each for each in items}
        with closing(filled(open_backend, *items)) as store:
            assert {each.item.id: each for each in store.list_all()} == expected
            assert {name: store.get(name) for name in expected} == expected

    check()


def what_cannot_be_kept_is_refused(open_backend: Opener) -> None:
    home = home_path(".memory/project", "fact", "a")
    good = make("a")
    torn = "---\nid: a\n---\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n"
    with closing(filled(open_backend, good)) as store:
        for bad in (
            StoredItem(good.item, good.text + "\ud800", "\ud800"),
            stored_item(home, f"---\nid: a\n---\n{'x' * (1024 * 1024)}\n".encode()),
            stored_item(home, torn.encode()),
            stored_item("elsewhere/a.md", b"No id at all.\n"),
        ):
            with pytest.raises(BackendError):
                store.add(bad)
        assert store.list_all() == [good]
        assert (store.get("\ud800"), store.delete("\ud800"), store.get("a\0"), store.get("../a")) == (
            None,
            False,
            None,
            None,
        )


def names_alike_are_kept_apart(open_backend: Opener) -> None:
    composed = unicodedata.normalize("NFC", "Café")
    names = ["readme", "README", "ReadMe", composed, unicodedata.normalize("NFD", composed), "straße", "strasse"]
    names += ["../x", "..", "a/../../x", "/etc/x", "a/b", "CON", "x y", "é" * 90, "a" * 119, "-", "~", "名前", "x.md"]
    with closing(filled(open_backend, *map(make, names))) as store:
        assert ids(store.list_all()) == sorted(names)
        for name in names:
            found = store.get(name)
            assert found is not None
            assert (found.text, found.item.id) == (make(name).text, name)
        folded = [each.item.path.casefold() for each in store.list_all()]
        assert len(set(folded)) == len(names)
        assert all(path.startswith(".memory/project/items/fact/") and ".." not in path for path in folded)
        assert [store.delete(name) for name in names] == [True] * len(names)
        assert store.count() == 0


def an_item_from_elsewhere_gets_a_place_here(open_backend: Opener) -> None:
    with closing(filled(open_backend, make("a", "user"), make("b", "user", type="decision"))) as store:
        assert [item.path for item in store.items()] == [
            ".memory/project/items/fact/a.md",
            ".memory/project/decisions/b.md",
        ]
        assert [item.scope for item in store.items()] == ["project", "project"]
        placed = stored_item(".memory/project/notes/c.md", make("c").text.encode())
        store.add(placed)
        assert store.get("c") == placed


def many_are_made_at_once_and_those_that_are_there_are_left_alone(open_backend: Opener) -> None:
    kept, others = make("i-007", body="Mine.\n"), [make(f"i-{number:03}") for number in range(150)]
    with closing(filled(open_backend, kept)) as store:
        assert store.create_all([]) == ()
        assert store.create_all(others) == ("i-007",)
        assert store.list_all() == [kept if each.item.id == "i-007" else each for each in others]
        assert store.create_all(others) == tuple(ids(others))
        assert store.get("i-007") == kept


def writers_in_turn_make_one_item(open_backend: Opener) -> None:
    """Who reads and then writes within `writing` sees what the one before wrote."""
    open_backend("project").close()
    _at_once(open_backend, _count_up, 8)
    with closing(open_backend("project")) as store:
        (only,) = store.list_all()
        assert only.body.strip() == "80"


def _count_up(open_backend: Opener, writer: int) -> None:
    store = open_backend("project")
    for turn in range(10):
        with store.writing():
            found = store.query({"key": "counter"})
            count = int(found[0].body) if found else 0
            name = found[0].item.id if found else f"counter-{writer}-{turn}"
            with store.writing():
                store.add(make(name, key="counter", body=f"{count + 1}\n"))
    _done(open_backend, store)


def writers_of_one_id_make_one_item(open_backend: Opener) -> None:
    """Also where each gives it another type, and so another place."""
    open_backend("project").close()
    _at_once(open_backend, _claim, 8)
    with closing(open_backend("project")) as store:
        assert ids(store.list_all()) == [f"same-{turn}" for turn in range(10)]
        assert (store.count(), store.problems) == (10, ())


def _claim(open_backend: Opener, writer: int) -> None:
    store = open_backend("project")
    for turn in range(10):
        store.add(make(f"same-{turn}", type=f"type-{writer}"))
    _done(open_backend, store)


def others_wait_while_one_is_writing(open_backend: Opener) -> None:
    with closing(filled(open_backend, make("a"))) as store:
        begun, ended = Event(), Event()

        def write() -> None:
            begun.set()
            other = open_backend("project")
            other.add(make("b"))
            ended.set()
            _done(open_backend, other)

        with store.writing():
            thread = Thread(target=write)
            thread.start()
            begun.wait(PATIENCE_S)
            store.add(make("c"))
            assert not ended.wait(0.2)
            assert store.count() == 2
        thread.join(PATIENCE_S)
        assert store.count() == 3


def many_writers_lose_nothing(open_backend: Opener) -> None:
    open_backend("project").close()
    _at_once(open_backend, _write, WRITERS)
    with closing(open_backend("project")) as store:
        expected = {
            f"w{writer:02}-{number:02}": _whole(writer, number) for writer in range(WRITERS) for number in range(WRITES)
        }
        found = store.list_all()
        shared = [each for each in found if each.item.id == "shared"]
        assert len(found) == len(expected) + 1
        assert {each.item.id: each.body for each in found if each not in shared} == expected
        assert shared[0].body in set(expected.values())
        assert store.problems == ()
        assert store.count() == len(expected) + 1


def _whole(writer: int, number: int) -> str:
    return f"Writer {writer}, item {number}.\n" * (1 + writer * number % 40)


def _write(open_backend: Opener, writer: int) -> None:
    store = open_backend("project")
    for number in range(WRITES):
        store.add(make(f"w{writer:02}-{number:02}", body=_whole(writer, number)))
        if number % 10 == 0:
            store.add(make("shared", body=_whole(writer, number)))
            seen = store.get("shared")
            assert seen is not None
            first, *rest = seen.body.splitlines()
            assert all(line == first for line in rest)
    _done(open_backend, store)


def _done(open_backend: Opener, store: MemoryBackend) -> None:
    """A store of the process alone is one object for all threads, and stays open."""
    if open_backend.shared_by_processes:
        store.close()


def _at_once(open_backend: Opener, work: Callable[[Opener, int], None], writers: int) -> None:
    """Run `work` in so many processes, or threads where the store ends with its process; none may fail."""
    if not open_backend.shared_by_processes:
        threads = [Thread(target=work, args=(open_backend, number)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    processes = [context.Process(target=work, args=(open_backend, number)) for number in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_S)
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.close()
    assert codes == [0] * writers


CASES: Mapping[Case, tuple[str, ...]] = {
    what_was_added_is_there: ("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-ADD", "REQ-BACKEND-GET"),
    what_has_a_known_id_replaces_it: ("REQ-BACKEND-ADD",),
    many_are_made_at_once_and_those_that_are_there_are_left_alone: ("REQ-BACKEND-ADD",),
    what_cannot_be_kept_is_refused: ("REQ-BACKEND-ADD",),
    deleting_says_whether_there_was_one: ("REQ-BACKEND-DELETE",),
    all_items_come_by_id: ("REQ-BACKEND-LIST",),
    clearing_leaves_other_scopes: ("REQ-BACKEND-CLEAR", "REQ-TIERS"),
    two_projects_see_nothing_of_each_other: ("REQ-TIERS",),
    filters_match_by_value: ("REQ-BACKEND-FILTERS",),
    filters_match_by_comparison: ("REQ-BACKEND-OPERATORS",),
    what_cannot_be_asked_is_refused: ("REQ-BACKEND-OPERATORS",),
    answers_come_in_order: ("REQ-BACKEND-ORDER",),
    answers_have_a_limit: ("REQ-BACKEND-QUERY",),
    stores_answer_as_the_questions_say: ("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-QUERY"),
    bytes_are_kept: ("REQ-BACKEND-ADD",),
    names_alike_are_kept_apart: ("REQ-BACKEND-ADD",),
    an_item_from_elsewhere_gets_a_place_here: ("REQ-BACKEND-ADD",),
    writers_in_turn_make_one_item: ("REQ-BACKEND-WRITERS",),
    writers_of_one_id_make_one_item: ("REQ-BACKEND-WRITERS",),
    others_wait_while_one_is_writing: ("REQ-BACKEND-WRITERS",),
    many_writers_lose_nothing: ("REQ-BACKEND-WRITERS",),
}
"""Each case with the requirements that it shows."""
