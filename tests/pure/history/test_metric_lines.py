"""The log of metrics: what is written is read again, and a line that is torn or foreign costs no other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.metric_lines import CounterLine, PromptLine, RecallLine, metric_lines, read_metrics
from verifflowcc.memory.use.statistics import METRICS, measure

AT = "2026-11-21T14:00:00Z"
NUMBERS = st.integers(0, 10**9)
COUNTED = st.builds(
    CounterLine,
    st.just(AT),
    st.sampled_from(METRICS),
    st.integers(-(10**9), 10**9),
    st.sampled_from(["", "timeout", "ä"]),
)
PROMPTS = st.builds(PromptLine, st.just(AT), NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


@settings(deadline=None, max_examples=80)
@given(st.lists(COUNTED | PROMPTS, max_size=8))
def test_what_is_written_is_read_again(entries: list[CounterLine | PromptLine]) -> None:
    found = read_metrics(metric_lines(entries))

    assert found.bad == 0
    assert found.counted == tuple(each for each in entries if isinstance(each, CounterLine))
    assert found.prompts == tuple(each for each in entries if isinstance(each, PromptLine))


@settings(deadline=None, max_examples=80)
@given(st.lists(COUNTED | PROMPTS, min_size=1, max_size=5), st.binary(max_size=40), st.data())
def test_junk_between_lines_costs_none_of_them(
    entries: list[CounterLine | PromptLine], junk: bytes, data: st.DataObject
) -> None:
    lines = metric_lines(entries).split(b"\n")[:-1]
    place = data.draw(st.integers(0, len(lines)))
    found = read_metrics(b"\n".join([*lines[:place], b"\xff" + junk.replace(b"\n", b""), *lines[place:]]))

    assert len(found.counted) + len(found.prompts) == len(entries)
    assert found.bad == 1


def test_foreign_lines_are_counted_as_saying_nothing() -> None:
    foreign = [
        b"{}",
        b"[]",
        b'{"at":"soon","metric":"x","by":1}',
        b'{"at":"2026-11-21","metric":"x","by":true}',
        b'{"at":"2026-11-21","metric":"x","by":1e3}',
        b'{"at":"2026-11-21","metric":"x","by":99999999999999999999}',
        b'{"at":"2026-11-21","metric":"prompt","memory_tokens":-1,"candidates":0,"final":0,"filtered":0,"conflicts":0}',
        b'{"at":"2026-11-21","metric":"prompt","memory_tokens":1}',
        b'{"at":"2026-11-21","metric":"eval","k":0,"recall_bp":1,"questions":1}',
        b'{"at":"2026-11-21","metric":"eval","k":1,"recall_bp":10001,"questions":1}',
        b'{"at":"2026-11-21","metric":"eval","k":1,"recall_bp":1,"questions":0}',
        b'{"at":"2026-11-21","metric":"eval","k":1,"recall_bp":1}',
        b"[" * 5_000,
    ]
    assert read_metrics(b"\n".join(foreign)).bad == len(foreign)


def test_the_ten_counters_and_four_indicators_follow_from_the_lines() -> None:
    entries: list[CounterLine | PromptLine] = [
        CounterLine("2026-11-20T10:00:00Z", "extraction.calls", 3),
        CounterLine(AT, "extraction.fallback.count", 1, "timeout"),
        CounterLine(AT, "extraction.fallback.count", 2, "schema"),
        CounterLine(AT, "contradiction.detected", 1),
        CounterLine(AT, "something.else", 9),
        PromptLine(AT, 100, 7, 5, 2, 0),
        PromptLine(AT, 300, 3, 1, 0, 1),
        PromptLine(AT, 200, 0, 0, 0, 0),
        PromptLine(AT, 0, 0, 0, 0, 0),
    ]
    found = measure(read_metrics(metric_lines(entries)))

    assert [*found.counters] == [*METRICS]
    assert {name: number for name, number in found.counters.items() if number} == {
        "extraction.calls": 3,
        "extraction.fallback.count": 3,
        "retrieval.candidate_count": 10,
        "retrieval.final_count": 6,
        "contradiction.detected": 1,
        "scope.mismatch.filtered": 2,
        "token.overhead": 600,
    }
    assert (found.fallbacks, found.prompts, found.since) == ({"schema": 2, "timeout": 1}, 4, "2026-11-20")
    assert {each.name: each.value for each in found.indicators} == {
        "recall@k": None,
        "contradiction rate": 0.25,
        "repeated failure rate": None,
        "median memory tokens per prompt": 200,
    }


@pytest.mark.vfcc("REQ-INDICATOR-RECALL")
def test_of_what_was_measured_the_last_is_told_and_it_is_no_count() -> None:
    earlier, later = RecallLine("2026-11-20T10:00:00Z", 3, 9_000, 30), RecallLine(AT, 5, 7_512, 1)
    for entries in ([earlier, later], [later, earlier], [RecallLine(AT, 1, 1, 1), later]):
        found = read_metrics(metric_lines(entries))
        assert (found.recall, found.bad) == (later, 0)
    recall = measure(found).indicators[0]

    assert (recall.value, recall.why) == (0.7512, "k = 5, 1 question, on 2026-11-21")
    assert measure(found).since is None


def test_where_nothing_was_counted_each_indicator_says_so() -> None:
    found = measure(read_metrics(b""))

    assert (found.since, set(found.counters.values())) == (None, {0})
    assert all(each.value is None and each.why for each in found.indicators)
