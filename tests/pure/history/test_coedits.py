"""Which files are edited together, beside a slow way of counting the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.agent_history import FileEdit, co_edits

pytestmark = pytest.mark.vfcc("REQ-PATTERN-CO-EDIT")

MINUTE = 60_000
WITHIN_MS = 5 * MINUTE


def edit(path: str, at_ms: int, task: str | None = "t") -> FileEdit:
    return FileEdit(task, path, at_ms, f"{at_ms:012}")


def told(*edits: FileEdit, least: int = 3) -> list[tuple[tuple[str, str], int, int]]:
    ordered = sorted(edits, key=lambda each: (each.task or "", each.at_ms, each.path))
    return [(each.files, each.count, each.tasks) for each in co_edits(ordered, least)]


def thrice(apart_ms: int) -> list[FileEdit]:
    starts = (0, 60 * MINUTE, 120 * MINUTE)
    return [each for at in starts for each in (edit("a", at), edit("b", at + apart_ms))]


def test_five_minutes_are_together_and_a_second_more_is_not() -> None:
    assert told(*thrice(WITHIN_MS - 1000)) == told(*thrice(WITHIN_MS)) == [(("a", "b"), 3, 1)]
    assert told(*thrice(WITHIN_MS + 1000)) == []


def test_twice_is_not_enough() -> None:
    assert told(*thrice(0)[:4]) == []
    assert told(*thrice(0)[:4], least=2) == [(("a", "b"), 2, 1)]


def test_edits_of_other_tasks_or_of_none_are_not_together() -> None:
    apart = [edit(path, at, path) for at in range(3) for path in ("a", "b")]
    nobodys = [edit(path, at, None) for at in range(3) for path in ("a", "b")]

    assert told(*apart) == told(*nobodys) == []


def test_saving_one_file_often_is_being_together_once() -> None:
    assert told(*(edit("a", at) for at in range(9)), edit("b", 5)) == []


def test_the_most_frequent_pair_comes_first_and_tasks_are_counted() -> None:
    of_two = [edit(path, at * 60 * MINUTE, task) for task in ("t", "u") for at in range(2) for path in ("c", "d")]

    assert told(*thrice(0), *of_two) == [(("c", "d"), 4, 2), (("a", "b"), 3, 1)]


def test_what_goes_through_all_files_tells_of_no_pair() -> None:
    assert told(*(edit(f"{number:03}", at) for at in range(3) for number in range(201))) == []


EDITS = st.lists(
    st.builds(edit, st.sampled_from("abcd"), st.integers(0, 40).map(lambda at: at * MINUTE), st.sampled_from("tu")),
    max_size=40,
)


@settings(deadline=None, max_examples=200)
@given(EDITS)
def test_every_pair_is_counted_as_the_slow_way_counts_it(edits: list[FileEdit]) -> None:
    expected = {}
    for one in "abcd":
        for other in "abcd":
            counts = []
            for task in "tu":
                mine = [each.at_ms for each in edits if (each.task, each.path) == (task, one)]
                theirs = [each.at_ms for each in edits if (each.task, each.path) == (task, other)]
                near = sum(any(abs(at - there) <= WITHIN_MS for there in theirs) for at in mine)
                far = sum(any(abs(at - there) <= WITHIN_MS for there in mine) for at in theirs)
                counts.append(min(near, far))
            if one < other and sum(counts) >= 3:
                expected[one, other] = sum(counts)

    found = told(*edits)

    assert {files: count for files, count, _ in found} == expected
    assert found == sorted(found, key=lambda each: (-each[1], each[0]))
