"""Numbers side by side: what is read, what adds up, what stays unknown."""

import csv
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.gates.test_summary import leaving
from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.sprint_state import SprintStatus, StageStatus
from verifflowcc.gates.rules.stage_summary import metrics, metrics_document
from verifflowcc.sprint.rules.stage_numbers import (
    COLUMNS,
    LAST,
    NAMES,
    SUMMED,
    SprintMetrics,
    StageMetrics,
    csv_text,
    lasting,
    read_numbers,
    stage_time,
    totals,
    unknown,
    words_of_coverage,
    words_of_tests,
)

pytestmark = pytest.mark.vfcc("REQ-STAGE-NUMBERS")

EMPTY = {"sprint": "login", "stage": "coding"}


def stage(status: StageStatus = StageStatus.PASSED, name: str = "coding", **numbers: int | None) -> StageMetrics:
    return StageMetrics(name, status, {**dict.fromkeys(SUMMED, 0), **dict.fromkeys(LAST), **numbers})


def in_work(**numbers: int | None) -> StageMetrics:
    return StageMetrics("testing", StageStatus.ACTIVE, {**unknown(), **numbers})


def sprint(*stages: StageMetrics) -> SprintMetrics:
    return SprintMetrics("login", "Log in", SprintStatus.OPEN, stages, totals(stages))


def test_every_number_of_a_summary_is_in_the_table_and_no_other() -> None:
    assert set(NAMES) == set(metrics(leaving()))
    assert not set(SUMMED) & set(LAST)
    assert list(NAMES) == sorted(NAMES)


def test_what_was_written_is_read_again() -> None:
    left = leaving()
    assert read_numbers(metrics_document(left), "login", "coding") == metrics(left)


def test_what_an_older_vfcc_did_not_write_is_unknown_but_for_what_follows_from_it() -> None:
    numbers = read_numbers(json.dumps({**EMPTY, "passes": 3, "artifacts": 2}), "login", "coding")

    assert (numbers["rework"], numbers["artifacts"], numbers["failures"]) == (2, 2, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "1: this is not JSON: Expecting value"),
        ('{\n"sprint": "login",\n', "3: this is not JSON"),
        ("[]", "1: a JSON object is expected"),
        ("[" * 100_000, "1: this is not JSON"),
        (json.dumps({**EMPTY, "sprint": "other"}), "1: sprint is 'other', and not 'login'"),
        (json.dumps({"sprint": "login"}), "1: stage is None, and not 'coding'"),
        (json.dumps({**EMPTY, "tests": -1}), "1: tests is -1, and no count"),
        (json.dumps({**EMPTY, "tests": True}), "1: tests is True, and no count"),
        (json.dumps({**EMPTY, "tests": 1.5}), "1: tests is 1.5, and no count"),
        (json.dumps({**EMPTY, "tests": "12"}), "1: tests is '12', and no count"),
    ],
)
def test_what_is_damaged_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_numbers(text, "login", "coding")
    assert str(caught.value).startswith(reason)


def test_names_of_a_later_vfcc_do_no_harm() -> None:
    assert read_numbers(json.dumps({**EMPTY, "later": [1]}), "login", "coding") == unknown()


def test_counts_add_up_and_tests_are_those_of_the_last_stage_that_ran_them() -> None:
    found = totals(
        [
            stage(failures=2, tests=10, tests_failed=1, coverage_line_bp=9000),
            stage(failures=3, tests=12, tests_failed=0),
            stage(failures=0),
        ]
    )

    assert (found["failures"], found["tests"], found["tests_failed"]) == (5, 12, 0)
    assert (found["coverage_line_bp"], found["coverage_branch_bp"]) == (9000, None)


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    assert totals([stage(failures=2), stage(failures=None)])["failures"] is None
    assert totals([stage(StageStatus.STALE, failures=None), stage(failures=2)])["failures"] is None


def test_a_stage_in_work_adds_what_it_has_and_a_skipped_one_nothing() -> None:
    skipped = StageMetrics("design", StageStatus.SKIPPED, unknown())
    found = totals([stage(failures=2, findings=1, duration_s=60), skipped, in_work(failures=1, duration_s=5)])

    assert (found["failures"], found["findings"], found["duration_s"]) == (3, 1, 65)


def test_of_nothing_nothing_is_known() -> None:
    assert totals([]) == unknown()


def test_the_csv_has_one_row_per_stage_under_a_header_that_stays() -> None:
    damaged = StageMetrics("design", StageStatus.PASSED, unknown(), 'a "b", c\nd')
    text = csv_text([sprint(stage(tests=12), damaged, in_work())])

    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert [row["stage"] for row in rows] == ["coding", "design", "testing"]
    assert (rows[0]["tests"], rows[0]["coverage_line_bp"], rows[0]["sprint_status"]) == ("12", "", "open")
    assert rows[1]["problem"] == 'a "b", c\nd'
    assert "\r" not in text


NUMBERS = st.one_of(st.none(), st.integers(0, 10**6))
STAGES = st.builds(
    lambda status, numbers: StageMetrics("coding", status, {**unknown(), **numbers}),
    st.sampled_from([StageStatus.PASSED, StageStatus.STALE, StageStatus.ACTIVE, StageStatus.SKIPPED]),
    st.dictionaries(st.sampled_from(NAMES), NUMBERS),
)


@given(st.lists(STAGES, max_size=5))
@settings(deadline=None, max_examples=150)
def test_the_csv_says_again_what_it_was_told_and_totals_invent_nothing(stages: list[StageMetrics]) -> None:
    rows = list(csv.DictReader(csv_text([sprint(*stages)]).splitlines(keepends=True)))
    again = [{name: int(row[name]) if row[name] else None for name in NAMES} for row in rows]
    found = totals(stages)

    assert again == [dict(each.numbers) for each in stages]
    for name in SUMMED:
        known = [
            number
            for each in stages
            if each.status is not StageStatus.SKIPPED
            if (number := each.numbers[name]) is not None
        ]
        assert found[name] in {None, sum(known)}
        assert known or found[name] is None


@given(st.integers(0, 10**8))
@settings(deadline=None, max_examples=100)
def test_a_time_is_cut_to_its_two_largest_units(seconds: int) -> None:
    units = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
    shown = sum(int(part[:-1]) * units[part[-1]] for part in lasting(seconds).split())

    assert shown <= seconds
    assert seconds - shown < (3600 if seconds >= 86_400 else 60)


def test_numbers_in_words() -> None:
    numbers = {**unknown(), "tests": 12, "tests_failed": 2, "coverage_line_bp": 8734, "coverage_changed_bp": 10_000}

    assert words_of_tests(numbers) == "12, 2 failed"
    assert words_of_tests({**numbers, "tests_failed": 0}) == "12"
    assert words_of_coverage(numbers) == "line 87.34 %, changed 100.00 %"
    assert (words_of_tests(unknown()), words_of_coverage(unknown())) == ("–", "–")
    assert stage_time(in_work(duration_s=3_660)) == "1h 1m so far"
    assert stage_time(StageMetrics("x", StageStatus.SKIPPED, unknown())) == "skipped"
    assert stage_time(stage(StageStatus.STALE, duration_s=59)) == "59s stale"
    assert stage_time(stage(duration_s=None)) == "–"
