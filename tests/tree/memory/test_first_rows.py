"""The first rows of a list, and what waits: the same answers as from all items, and nothing else is read."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tree.backend_items import make
from tests.tree.backend_questions import FILTERS, ITEMS, ORDERS
from tests.tree.memory.test_backend_files import FACTS, open_at, opened, put, settled  # noqa: F401 - a fixture
from tests.trees import write_memory
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.item_query import conditions, kind_of_item, matches, ordered
from verifflowcc.base.model.memory_protocol import Filters, ItemKind, StoredItem
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.inbox import open_inbox
from verifflowcc.memory.use.memory_listing import ListQuery, list_items
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

few = settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))
SHOWN: Sequence[Callable[[ItemKind], bool]] = (
    lambda kind: True,
    lambda kind: kind.status == "active",
    lambda kind: kind.type != "fact" and not kind.plain,
    lambda kind: False,
)
HOW = ("new", "waits", "kept", "gone", "newer", "by its file", "a decision", "a need")
EDITS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "d"]), st.sampled_from(HOW)),
    min_size=1,
    max_size=6,
)


@few
@given(
    items=ITEMS,
    either=st.lists(FILTERS, max_size=3),
    order=ORDERS,
    shown=st.sampled_from(SHOWN),
    limit=st.integers(0, 3),
)
def test_a_store_of_files_gives_the_page_and_the_choice_that_all_its_items_give(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[StoredItem],
    either: list[Filters],
    order: str,
    shown: Callable[[ItemKind], bool],
    limit: int,
) -> None:
    with closing(open_at(tmp_path_factory.mktemp("pages"))) as store:
        for each in items:
            store.add(each)
        every = store.items()

        page = store.page(either, shown, order, limit)

        fitting = [item for item in every if all(matches(item, conditions(each)) for each in either)]
        assert page.kinds == {
            kind: sum(kind_of_item(item) == kind for item in fitting) for kind in map(kind_of_item, fitting)
        }
        assert list(page.items)[:limit] == ordered([i for i in fitting if shown(kind_of_item(i))], order)[:limit]
        chosen = [item for item in every if any(matches(item, conditions(each)) for each in either)]
        assert [each.item for each in store.chosen(either)] == chosen
        assert [each.read() for each in store.chosen(either)] == [store.get(item.id) for item in chosen]
        assert store.ids() == [(item.id, item.path) for item in every]


def project(folder: Path) -> Workspace:
    return Workspace(write_memory(folder, {"config.yaml": "format: 1\n"}))


def edit(root: Path, name: str, how: str, number: int) -> None:
    """Change a file as a person does, each time to another length: stamps are of the clock's ticks."""
    file = root / FACTS / f"{name}.md"
    if how == "gone":
        file.unlink(missing_ok=True)
        return
    fields = {
        "new": {},
        "waits": {"status": "pending"},
        "kept": {"status": "archived"},
        "newer": {"links": "[{to: a, relation: supersedes}]"},
        "by its file": {"links": "[{to: a.md, relation: supersedes}]"},
        "a decision": {"type": "decision"},
        "a need": {"type": "requirement"},
    }[how]
    put(
        root,
        f"{FACTS}/{name}.md",
        make(name, title="x" * (number + 1), created=f"2026-01-0{number % 3 + 1}", **fields).text,
    )


@few
@given(edits=EDITS)
def test_a_short_list_is_the_beginning_of_the_long_one_after_any_edits(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str]]
) -> None:
    here = project(tmp_path_factory.mktemp("edited"))
    for number, (name, how) in enumerate(edits):
        edit(here.root, name, how, number)
        for asked in (ListQuery(), ListQuery(status="active"), ListQuery(types=("decision", "fact"), order="-title")):
            every = list_items(here, ["project"], asked)
            for limit in (1, 2):
                short = list_items(here, ["project"], replace(asked, limit=limit))
                assert short.rows == every.rows[:limit]
                assert (short.hidden, short.notices) == (every.hidden, every.notices)
                assert short.more == max(len(every.rows) - limit, 0)


def test_a_short_inbox_has_the_oldest_and_counts_the_others(tmp_path: Path) -> None:
    here = project(tmp_path)
    for day in (3, 1, 2):
        put(tmp_path, f"{FACTS}/p{day}.md", make(f"p{day}", status="pending", created=f"2026-01-0{day}").text)

    every, short = open_inbox(here, ["project"]), open_inbox(here, ["project"], 2)

    assert [each.item.id for each in every.waiting] == ["p1", "p2", "p3"]
    assert (short.waiting, short.more, every.more) == (every.waiting[:2], 1, 0)


def test_a_list_and_an_inbox_of_two_open_as_many_files_and_read_as_many_rows_of_thirty_items_as_of_three(
    tmp_path: Path,
) -> None:
    taken = {}
    for size in (3, 30):
        here = project(tmp_path / str(size))
        for number in range(size):
            put(here.root, f"{FACTS}/f{number}.md", make(f"f{number}", created=f"2026-01-{number % 28 + 1:02}").text)
            put(here.root, f"{FACTS}/p{number}.md", make(f"p{number}", status="pending").text)
        list_items(here, ["project"], ListQuery())
        list_items(here, ["project"], ListQuery())
        opened.clear()
        list_items(here, ["project"], ListQuery(limit=2))
        listed = len(opened)
        open_inbox(here, ["project"], 2)
        taken[size] = (listed, len(opened) - listed, rows_read(here.root))

    assert taken[3] == taken[30] == (0, 2, 2)


def rows_read(root: Path) -> int:
    """Return how many items the index gives for the first two rows of a list."""
    with closing(open_at(root)) as store:
        return len(store.page([], lambda _: True, "created", 2).items)


def test_a_list_reads_no_links_of_a_trace_and_no_item_that_a_decision_replaces_by_a_number_is_missed(
    tmp_path: Path,
) -> None:
    here = project(tmp_path)
    for number in range(1, 31):
        links = f"[{{to: r{number - 1}, relation: refines}}]"
        put(here.root, f".memory/project/items/requirement/r{number}.md", make(f"r{number}", links=links).text)
        text = f"# {number}. Use {number}\n\n## Status\n\nAccepted\n"
        put(here.root, f".memory/project/decisions/{number:04}-use-{number}.md", text)
    newer = "# 31. Use no other\n\n## Status\n\nAccepted\n\nSupersedes 0030\n"
    put(here.root, ".memory/project/decisions/0031-use-no-other.md", newer)

    listing = list_items(here, ["project"], ListQuery(types=("decision",), limit=2))

    every = list_items(here, ["project"], ListQuery(types=("decision",)))
    assert (listing.rows, listing.hidden) == (every.rows[:2], every.hidden)
    assert "superseded" in listing.hidden
    with closing(open_at(here.root)) as store:
        linked = store.page([], lambda _: True, "created", 2).linked
        assert {item.type for item in linked} == {"decision"}


def test_the_first_list_after_a_prompt_opens_only_the_files_that_the_prompt_did_not_keep_as_items(
    tmp_path: Path,
) -> None:
    here, alike = project(tmp_path / "prompted"), project(tmp_path / "other")
    for root in (here.root, alike.root):
        for number in range(60):
            put(root, f"{FACTS}/f{number}.md", make(f"f{number}", importance=f"0.{number}").text)
        put(root, f"{FACTS}/merged.md", make("merged", body="<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n").text)
        put(root, f"{FACTS}/odd.md", "---\nid: odd\nimportance: much\n---\nOdd.\n")
    compile_prompt_only(here, Question("coder", task="count the facts"))
    put(here.root, f"{FACTS}/f7.md", make("f7", title="Changed since").text)
    put(alike.root, f"{FACTS}/f7.md", make("f7", title="Changed since").text)
    opened.clear()

    with closing(open_at(here.root)) as store:
        found = (store.items(), store.problems)

    assert sorted(Path(path).name for path in opened) == ["f7.md", "merged.md", "odd.md"]
    with closing(open_at(alike.root)) as store:
        assert found == (store.items(), store.problems)
    assert found[1]


def test_a_file_that_changes_in_a_folder_of_many_is_the_only_one_that_is_compared(tmp_path: Path) -> None:
    for number in range(20):
        put(tmp_path, f"{FACTS}/f{number}.md", make(f"f{number}").text)
        put(tmp_path, f".memory/project/decisions/d{number}.md", make(f"d{number}", type="decision").text)
    with closing(open_at(tmp_path)) as store:
        store.items()
        put(tmp_path, f"{FACTS}/f7.md", make("f7", title="Changed").text)
        opened.clear()

        found = {item.id: item.title for item in store.items()}

        assert found["f7"] == "Changed"
        assert [Path(path).name for path in opened] == ["f7.md"]
        (tmp_path / FACTS / "f8.md").unlink()
        shutil.rmtree(tmp_path / ".memory/project/decisions")
        assert {item.id for item in store.items()} == {f"f{number}" for number in range(20)} - {"f8"}


def test_a_file_that_goes_before_its_stamp_is_trusted_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", 10**15)
    file = put(tmp_path, f"{FACTS}/a.md", make("a").text)
    with closing(open_at(tmp_path)) as store:
        assert [item.id for item in store.items()] == ["a"]
        file.unlink()

        assert store.items() == []
