"""The counter as the services see it: its name, its cache, its estimate, and who counted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.model.ports import TokenCounter
from verifflowcc.base.tokens import token_counter as counter_module
from verifflowcc.base.tokens.token_counter import SAFE_CHARACTERS, CountStatistics, open_counter

SECTION = "# Heading\n\n" + "A line of text that says little.\n" * 20


def test_the_counter_fits_the_port_and_says_its_name() -> None:
    counter: TokenCounter = open_counter(TokenSettings())

    assert (counter.name, counter.estimated) == ("o200k_base", False)
    assert counter.count("") == 0
    assert counter.count("hello world") == 2


def test_the_two_encodings_count_apart() -> None:
    cache: dict[str, int] = {}
    text = "Größenordnung und Überprüfung, Straße für Straße. " * 20

    newer = open_counter(TokenSettings(), cache).count(text)
    older = open_counter(TokenSettings(encoding="cl100k_base"), cache).count(text)

    assert newer < older
    assert {key.split("/")[0] for key in cache} == {"o200k_base", "cl100k_base"}


@pytest.mark.vfcc("REQ-START-UP")
def test_a_second_run_counts_only_what_changed() -> None:
    cache: dict[str, int] = {}
    sections = [f"# {number}\n" + SECTION for number in range(10)]
    open_counter(TokenSettings(), cache).count("".join(sections))
    sections[4] = sections[4].replace("little", "much")

    second = open_counter(TokenSettings(), cache)
    total = second.count("".join(sections))

    assert second.statistics == CountStatistics(cached=9, counted=1, delegated=0)
    assert (second.name, second.statistics.cached, second.statistics.counted) == ("o200k_base", 9, 1)
    assert total == open_counter(TokenSettings()).count("".join(sections))


def test_a_cached_count_is_taken_at_its_word() -> None:
    cache: dict[str, int] = {}
    open_counter(TokenSettings(), cache).count(SECTION)
    (key,) = cache
    cache[key] = 0

    assert open_counter(TokenSettings(), cache).count(SECTION) == 0


def test_a_chunk_that_comes_twice_counts_twice() -> None:
    counter = open_counter(TokenSettings())

    once = counter.count(SECTION)

    assert counter.count(SECTION * 3) == 3 * once
    assert open_counter(TokenSettings()).count(SECTION * 3) == 3 * once


@pytest.mark.vfcc("REQ-TOKENS")
def test_much_new_text_is_counted_by_tiktoken_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"# {number} ½ 中文 👍🏽 don't\n" + SECTION for number in range(40))
    here = open_counter(TokenSettings())
    here_total = here.count(text)
    monkeypatch.setattr(counter_module, "DELEGATE_WORK", 1_000)

    there = open_counter(TokenSettings())
    there_total = there.count(text)

    assert here_total == there_total
    assert (here.statistics.delegated, there.statistics.counted) == (0, 0)


def test_many_texts_that_are_large_together_are_counted_by_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_module, "DELEGATE_WORK", 2_000)
    counter = open_counter(TokenSettings())

    for number in range(4):
        counter.count(f"# {number}\n" + SECTION)

    assert counter.statistics == CountStatistics(cached=0, counted=2, delegated=2)


def test_what_tiktoken_cannot_take_is_counted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_module, "DELEGATE_WORK", 1_000)
    counter = open_counter(TokenSettings())

    counter.count("x" + " " * (SAFE_CHARACTERS + 2) + "y")
    counter.count("A character of the future: \U000323b0\n" * 10)

    assert counter.statistics == CountStatistics(cached=0, counted=2, delegated=0)


def test_lone_surrogates_are_counted_and_cached() -> None:
    text = "a\udc00b " * 100

    assert open_counter(TokenSettings()).count(text) == open_counter(TokenSettings()).count(
        text.replace("\udc00", "\ufffd")
    )


@settings(deadline=None, max_examples=50)
@given(factor=st.integers(1, 5_000_000), text=st.text(max_size=60))
def test_an_estimate_is_the_exact_count_times_the_factor_rounded_up(factor: int, text: str) -> None:
    estimate = open_counter(TokenSettings(model="m", factors={"m": factor}))
    exact = open_counter(TokenSettings()).count(text)

    assert estimate.estimated
    assert (estimate.count(text) - 1) * 1_000_000 < exact * factor <= estimate.count(text) * 1_000_000


@pytest.mark.vfcc("REQ-TOKENS")
def test_an_estimate_says_what_it_is() -> None:
    counter = open_counter(TokenSettings(model="my-model", factors={"my-model": 1_150_000}))

    assert counter.name == "o200k_base × 1.15 for my-model"
    assert (counter.estimated, counter.name) == (True, "o200k_base × 1.15 for my-model")


def test_estimates_share_the_exact_counts_in_the_cache() -> None:
    cache: dict[str, int] = {}
    exact = open_counter(TokenSettings(), cache).count(SECTION)

    estimate = open_counter(TokenSettings(model="m", factors={"m": 2_000_000}), cache)

    assert estimate.count(SECTION) == 2 * exact
    assert estimate.statistics.cached == 1


@pytest.mark.parametrize(
    ("settings_given", "message"),
    [
        (
            TokenSettings(encoding="p50k_base"),
            r"tokens\.encoding: 'p50k_base' is unknown; allowed are cl100k_base, o200k_",
        ),
        (
            TokenSettings(model="x", factors={"b": 1, "a": 1}),
            r"tokens\.model: 'x' has no entry .* those that have: a, b",
        ),
        (TokenSettings(model="x"), "those that have: none"),
        (TokenSettings(model="x", factors={"x": 0}), "the factor of 'x' must be above 0"),
    ],
)
def test_settings_that_cannot_be_followed_are_named(settings_given: TokenSettings, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_counter(settings_given)
