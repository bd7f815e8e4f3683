"""Which trace items a sprint is about, and how one is written into a prompt."""

import re

from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Link
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.base.model.trace_values import TraceItem, TraceSources
from verifflowcc.trace.rules.item_state import coverage_of, item_line, short_tests
from verifflowcc.trace.rules.sprint_scope import MOST_BELOW, ItemNames, near_task, sprint_scope
from verifflowcc.trace.rules.trace_view import TraceView


def made(number: int, *parents: int, text: str = "") -> TraceItem:
    links = tuple(Link(f"REQ-{each}", "refines", 1) for each in parents)
    return TraceItem(f"REQ-{number}", "requirement", f"Title {number}", f"r/{number}.md", text, "", links=links)


def view(*items: TraceItem) -> TraceView:
    return TraceView(TraceSources(items, "2026-11-23"), DEFAULT_POLICY)


LINKS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20)


@given(links=LINKS, named=st.sets(st.integers(0, 12), max_size=4), below=st.booleans())
def test_each_item_is_in_scope_once_and_those_above_a_named_one_always_are(
    links: list[tuple[int, int]], named: set[int], below: bool
) -> None:
    parents: dict[int, set[int]] = {number: set() for number in range(13)}
    for child, parent in links:
        parents[child].add(parent)
    seen = view(*(made(number, *sorted(above)) for number, above in parents.items()))

    scope = sprint_scope(seen, {f"REQ-{each}": "named" for each in sorted(named)}, with_below=below)

    inside = [each.item.id for each in scope.items]
    outside = [each.item.id for each in scope.above]
    assert len({*inside, *outside}) == len(inside) + len(outside)
    assert set(inside[: len(named)]) == {f"REQ-{each}" for each in named}
    waiting, reached = list(named), set(named)
    while waiting:
        for parent in parents[waiting.pop()] - reached:
            reached.add(parent)
            waiting.append(parent)
    assert {f"REQ-{each}" for each in reached} <= set(inside)
    assert len(inside) <= len(reached) + MOST_BELOW * below
    assert below or not outside


def test_an_item_that_refines_itself_still_brings_what_refines_it() -> None:
    scope = sprint_scope(view(made(1, 1), made(2, 1), made(3, 2)), {"REQ-1": "named"}, with_below=True)

    assert [each.item.id for each in scope.items] == ["REQ-1", "REQ-2", "REQ-3"]


def test_a_named_item_far_below_another_leaves_out_what_else_is_below_that() -> None:
    seen = view(made(1), made(2, 1), made(3, 2), made(4, 3), made(5, 1), made(6, 4))

    scope = sprint_scope(seen, {"REQ-1": "named", "REQ-4": "named"}, with_below=True)

    assert {each.item.id for each in scope.items} == {"REQ-1", "REQ-4", "REQ-2", "REQ-3", "REQ-6"}


@given(order=st.permutations(range(8)), task=st.sampled_from(["", "mend the lamp", "the lamp of REQ-3", "REQ-7"]))
def test_no_order_of_files_moves_the_order_of_items(order: list[int], task: str) -> None:
    items = [made(number, text="the lamp" if number % 3 == 0 else "a bell") for number in order]
    terms = {word: word for word in task.split() if word.islower()}

    found = [each.item.id for each in near_task(items, task, terms, ItemNames(items))]

    assert found == [
        each.item.id for each in near_task(sorted(items, key=lambda one: one.id), task, terms, ItemNames(items))
    ]
    assert set(found) == {item.id for item in items}


@given(
    texts=st.lists(st.text("ab _-é1", max_size=8), max_size=5),
    terms=st.dictionaries(*[st.text("ab_é1", min_size=1, max_size=2)] * 2, max_size=3),
)
def test_items_in_which_a_word_begins_as_one_of_the_task_come_first(texts: list[str], terms: dict[str, str]) -> None:
    items = [made(number, text=text) for number, text in enumerate(texts)]

    found = list(near_task(items, " ".join(sorted(terms.values())), terms, ItemNames(items)))

    begins = {term: rf"\b(?:{re.escape(word)}|{re.escape(term)})" for term, word in terms.items()}
    holding = {
        term: {item.id for item in items if re.search(begins[term], f"{item.title}\n{item.text}".casefold())}
        for term in terms
    }
    scores = {item.id: sum(1_000_000 // len(ids) for ids in holding.values() if item.id in ids) for item in items}
    assert [each.item.id for each in found] == sorted(scores, key=lambda name: (-scores[name], name))
    assert [each.why for each in found] == [
        "words of the task are in it" if scores[each.item.id] else "not in the sprint's scope; there is room for it"
        for each in found
    ]


def test_an_id_counts_as_a_word_of_its_own_in_any_capitals() -> None:
    names = ItemNames([made(1), made(12), TraceItem("export", "need", "", "n", "", "")])

    assert list(names.in_text("Do REQ-1, (req-12) and [it](../REQ-12.md).")) == ["REQ-1", "REQ-12", "REQ-12"]
    assert list(names.in_text("REQ-123 XREQ-1 REQ-1-more; Export it")) == []
    assert list(names.in_text("the need export")) == ["export"]
    assert set(names.in_branch("feature/77-req-12-lamp")) == {"REQ-12"}


def test_a_file_of_tests_is_named_once() -> None:
    assert short_tests(["t/a.py::x", "t/a.py::y", "t/b.py::x"]) == "t/a.py::x, ::y, t/b.py::x"


def test_an_item_without_text_shows_its_title() -> None:
    seen = view(made(1))
    item = seen.by_id["REQ-1"]

    assert item_line(item, coverage_of(seen, item), "") == "- REQ-1 (no test yet): Title 1"
