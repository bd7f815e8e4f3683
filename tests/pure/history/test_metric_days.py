"""Summing the log of metrics: whatever is told of it stays as it was, and what is old takes little room."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.metric_lines import (
    MOST,
    CounterLine,
    Entry,
    PromptLine,
    RecallLine,
    metric_lines,
    read_metrics,
    sum_days,
)
from verifflowcc.memory.use.model_budget import CALLS, TOKENS, spent_on
from verifflowcc.memory.use.statistics import METRICS, measure

TODAY = "2026-11-21"
MOMENTS = st.sampled_from(
    ["2025-01-31", "2026-10-01", "2026-10-31T23:59:59Z", "2026-11-20T10:00:00Z", "2026-11-20", f"{TODAY}T00:00:00Z"]
)
NUMBERS = st.integers(0, 4) | st.just(MOST)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(
        CounterLine,
        MOMENTS,
        st.sampled_from([*METRICS, CALLS, TOKENS, "of a later vfcc"]),
        st.integers(-3, 9) | st.sampled_from([MOST, -MOST]),
        st.sampled_from(["", "timeout", "ä"]),
    ),
    st.builds(PromptLine, MOMENTS, st.integers(0, 3), NUMBERS, NUMBERS, NUMBERS, st.integers(0, 2)),
    st.builds(RecallLine, MOMENTS, st.integers(1, 9), st.integers(0, 10_000), st.integers(1, 9)),
)


@settings(deadline=None, max_examples=200)
@example(
    entries=[
        PromptLine("2026-10-01", 1, 0, MOST, MOST, 0),
        PromptLine("2026-10-01", 2, MOST, 0, MOST, 0),
        PromptLine("2026-10-01", 2, 0, 0, MOST, 0),
        PromptLine("2026-10-01", 1, 0, 0, MOST, 0),
    ],
    junk=[],
)
@given(st.lists(ENTRIES, max_size=30), st.lists(st.binary(max_size=20), max_size=3))
def test_all_that_is_told_of_a_log_is_the_same_after_it_is_summed_once_or_twice(
    entries: list[Entry], junk: list[bytes]
) -> None:
    data = metric_lines(entries) + b"".join(b"\xff" + each.replace(b"\n", b"") + b"\n" for each in junk)
    once = sum_days(data, TODAY)

    assert measure(read_metrics(once)) == measure(read_metrics(data))
    assert read_metrics(once).bad == read_metrics(data).bad
    for day in (TODAY, "2026-11-20"):
        assert spent_on(once, day) == spent_on(data, day)
    assert sum_days(once, TODAY) == once
    assert once.count(b"\n") <= data.count(b"\n")


@settings(deadline=None, max_examples=80)
@given(st.lists(ENTRIES, max_size=20), st.lists(ENTRIES, max_size=20))
def test_it_may_be_summed_at_any_time_in_between(before: list[Entry], after: list[Entry]) -> None:
    in_between = sum_days(sum_days(metric_lines(before), TODAY) + metric_lines(after), TODAY)
    assert measure(read_metrics(in_between)) == measure(read_metrics(metric_lines([*before, *after])))


def test_lines_of_today_stay_and_those_before_are_summed_per_day_and_per_month() -> None:
    entries: list[Entry] = [
        CounterLine(f"2026-{month}T0{hour}:00:00Z", "extraction.calls", 1)
        for month in ("09-02", "09-30", "11-19", "11-20", "11-21")
        for hour in range(3)
    ]
    assert sum_days(metric_lines(entries), TODAY).decode().splitlines() == [
        '{"at":"2026-09-02","metric":"extraction.calls","by":6}',
        '{"at":"2026-11-19","metric":"extraction.calls","by":3}',
        '{"at":"2026-11-20","metric":"extraction.calls","by":3}',
        *(f'{{"at":"2026-11-21T0{hour}:00:00Z","metric":"extraction.calls","by":1}}' for hour in range(3)),
    ]


def test_a_year_of_prompts_takes_a_line_for_each_number_of_tokens_in_a_month() -> None:
    prompts = [
        PromptLine(f"2026-{month:02d}-{day:02d}T10:00:00Z", 100 + day % 7, 9, 5, 1, day % 2)
        for month in range(1, 11)
        for day in range(1, 29)
        for _ in range(50)
    ]
    summed = sum_days(metric_lines(prompts), TODAY)

    assert (len(prompts), summed.count(b"\n")) == (14_000, 70)
    assert len(summed) < 10_000
