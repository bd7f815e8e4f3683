"""Trimming: what is kept, where it is cut, and the mark that says so."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.pure.base.test_fences import DOCUMENTS
from verifflowcc.base.text.markdown import open_fence, split_lines
from verifflowcc.prompt.rules.fill import TrimmedBody
from verifflowcc.prompt.rules.trim import mark, trim_text

pytestmark = pytest.mark.vfcc("REQ-TRIM")

MARK = re.compile(r"\[… [\d,]+ of [\d,]+ tokens left out here; the rest: .*\]")


def words(text: str) -> int:
    return len(text.split())


def quarters(text: str) -> int:
    return (len(text) + 3) // 4


def jumpy(text: str) -> int:
    """A counter that does not add up: joining texts costs or saves, and a longer text may cost less."""
    return len(text) // 3 + len(text) % 5 + text.count("\n") % 3


COUNTS = st.sampled_from([words, quarters, len, jumpy])


def trimmed(
    text: str, limit: int, count: Callable[[str], int] = words, *, kind: str = "markdown", minimum: int = 10
) -> TrimmedBody | None:
    return trim_text(text, limit, count, total_tokens=count(text), rest="a/b.md", kind=kind, minimum=minimum)


def text_of(result: TrimmedBody | None) -> str:
    assert result is not None
    return result.text


def prose(name: str, sentences: int) -> str:
    return " ".join(f"{name.capitalize()} sentence {number} has six words." for number in range(sentences))


RECORD = "\n\n".join(
    [
        "# Use a queue\n\n## Status\n\nAccepted",
        f"## Context\n\n{prose('context', 10)}",
        f"## Decision\n\n{prose('decision', 20)}",
        f"## Consequences\n\n{prose('consequence', 4)}\n",
    ]
)


def test_head_sections_and_the_last_section_are_kept_with_one_mark_between() -> None:
    gone = "[… 122 of 217 tokens left out here; the rest: a/b.md]"
    head, tail = RECORD.split("\n\n## Decision")[0], RECORD[RECORD.index("## Consequences") :]

    assert trimmed(RECORD, 128) == TrimmedBody(f"{head}\n\n{gone}\n\n{tail}", 106, 122)


def test_a_section_that_is_too_large_is_cut_behind_a_sentence() -> None:
    kept = text_of(trimmed(RECORD, 180)).split("\n\n[…")[0]
    assert RECORD.startswith(kept)
    assert kept.endswith("Decision sentence 11 has six words.")


def test_a_last_section_larger_than_a_quarter_is_left_out_not_cut_loose_from_its_heading() -> None:
    text = (
        f"# One\n\n{prose('one', 9)}\n\n# Two\n\n{prose('two', 9)}\n\n# Three\n\n{prose('three', 20)}\n\nLast words.\n"
    )
    result = text_of(trimmed(text, 140))
    assert MARK.fullmatch(result.splitlines()[-1])
    assert "# Three" not in result


def test_of_one_long_section_the_newest_entries_at_the_end_are_kept_too() -> None:
    text = "# Learnings\n\n" + "".join(f"- learned thing number {number} today\n" for number in range(100))
    lines = text_of(trimmed(text, 100)).splitlines()
    assert lines[2] == "- learned thing number 0 today"
    assert lines[-1] == "- learned thing number 99 today"
    assert sum(bool(MARK.fullmatch(line)) for line in lines) == 1


def test_a_cut_inside_a_fence_closes_it_with_the_same_fence() -> None:
    text = "# Log\n\n~~~~ text\n" + "".join(f"line {number} of the log\n" for number in range(60)) + "~~~~\n"
    result = text_of(trimmed(text, 60))
    assert re.search(r"\nline \d+ of the log\n~~~~\n\n\[… ", result)


def test_a_fence_that_the_source_leaves_open_is_closed_behind_the_tail() -> None:
    text = f"# A\n\n{prose('a', 30)}\n\n# B\n\n```\ncode"
    assert text_of(trimmed(text, 100)).endswith("# B\n\n```\ncode\n```\n")


def test_a_table_is_cut_between_rows_and_never_right_below_its_head() -> None:
    rows = "".join(f"| row {number} | some words in a cell here |\n" for number in range(40))
    text = f"| a | b |\n|---|---|\n{rows}"
    kept = text_of(trimmed(text, 60)).split("\n\n[…")[0]
    assert text.startswith(kept + "\n")
    assert kept.endswith("here |")
    for limit in range(16, 60):
        result = trimmed(text, limit, minimum=1)
        assert result is None or "| row 0 | some words in a cell here |" in result.text
    wide = "| a | b |\n|---|---|\n| " + "word " * 90 + "|\n"
    assert trimmed(wide, 60) is None


def test_a_heading_is_never_the_last_line_before_the_mark() -> None:
    text = f"# One\n\n{prose('one', 10)}\n\n## Two\n\n" + "- " + "word " * 200
    for limit in range(40, 120):
        result = trimmed(text, limit)
        if result is not None:
            assert not result.text.split("\n\n[…")[0].splitlines()[-1].startswith("#")


def test_an_end_without_its_heading_follows_only_what_stands_under_that_heading() -> None:
    items = "".join(f"- item number {number} of the list\n  - below it\n    and on\n" for number in range(20))
    text = f"# One\n\n{prose('one', 12)}\n\n# Two\n\n{items}"
    tails = set()
    for limit in range(30, 200):
        result = trimmed(text, limit)
        if result is not None:
            head, tail = MARK.split(result.text)
            assert not tail.strip() or "# Two" in head or tail.strip().startswith("# Two")
            assert not tail.lstrip("\n").startswith(" ")
            tails.add(tail.strip()[:6])
    assert "- item" in tails


def test_a_table_at_the_end_is_not_begun_in_its_middle() -> None:
    rows = "".join(f"| row {number} | words in a cell |\n" for number in range(12))
    text = f"{prose('text', 5)}\n\n{prose('more', 20)}\n\n| a | b |\n|---|---|\n{rows}"
    for limit in range(60, 240):
        tail = MARK.split(text_of(trimmed(text, limit)))[1].strip()
        assert not tail or tail.startswith("| a | b |")


def test_a_bullet_alone_is_not_kept() -> None:
    text = f"{prose('text', 5)}\n\n- {'x' * 900}\n"
    assert text_of(trimmed(text, 700, len)).split("\n\n[…")[0].endswith("has six words.")


def test_a_line_that_only_mentions_a_fence_is_not_cut_into_one() -> None:
    text = f"{prose('text', 4)}\n\n``` {'word ' * 60}`code` and words\n"
    for limit in range(20, 90):
        result = trimmed(text, limit)
        assert result is None or open_fence(split_lines(result.text)) is None


def test_one_endless_line_is_cut_between_words() -> None:
    kept = text_of(trimmed("word " * 500, 50, quarters)).split("\n\n[…")[0]
    assert set(kept.split(" ")) == {"word"}


def test_text_without_spaces_is_cut_between_characters_but_never_within_one() -> None:
    family, flag, dakuten = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1eb\U0001f1f7", "か\u3099"
    for unit in ("漢字かな。", family, dakuten, "☀\ufe0f", "\U0001f44d\U0001f3fd", f"山{flag}"):
        for limit in range(90, 120):
            kept = text_of(trimmed(unit * 200, limit, len)).split("\n\n[…")[0]
            assert len(kept) % len(unit) == 0 or unit in {"漢字かな。", f"山{flag}"}
            assert not kept.endswith("\U0001f1eb")


def test_a_text_with_nothing_to_cut_at_is_not_trimmed() -> None:
    assert trimmed("x" * 5000, 100, len) is None


def test_other_kinds_are_cut_by_lines_with_the_mark_on_a_line_of_its_own() -> None:
    text = json.dumps({f"key {number}": "a value" for number in range(80)}, indent=2) + "\n"
    result = text_of(trimmed(text, 80, kind="json")).splitlines()
    assert {line for line in result if not MARK.fullmatch(line)} <= set(text.splitlines())
    assert (result[0], result[-1]) == ("{", "}")
    assert "" not in result


def test_a_text_that_fits_comes_back_whole() -> None:
    assert trimmed("one two\n", 5, minimum=1) == TrimmedBody("one two\n", 2, 0)


def test_less_than_the_minimum_is_not_worth_keeping() -> None:
    assert trim_text(RECORD, 200, words, total_tokens=217, rest="r") is None
    result = trimmed(RECORD, 60, minimum=40)
    assert result is not None
    assert result.tokens >= 40
    assert trimmed(RECORD, 50, minimum=45) is None


def test_the_mark_stays_on_one_line_whatever_the_path() -> None:
    assert mark(1, 2, "a\nb\u2028c") == "[… 1 of 2 tokens left out here; the rest: a b c]"


@pytest.mark.parametrize("kind", ["markdown", "text"])
def test_a_large_text_costs_a_few_counts_of_what_is_kept(kind: str) -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return quarters(text)

    text = (RECORD + "\n\n") * 700
    result = trim_text(text, 1000, counting, total_tokens=quarters(text), rest="r", kind=kind)

    assert result is not None
    assert result.tokens >= 700
    assert len(counted) <= 20
    assert sum(counted) <= 12 * 4 * 1000


@pytest.mark.parametrize(
    "tokens",
    [
        lambda length: int(20_000 * (length / 200_000) ** 0.3),
        lambda length: int(20_000 * (length / 200_000) ** 3),
        lambda length: length // 1000 if length < 100_000 else 20_000,
    ],
    ids=["dense at the start", "dense at the end", "one step"],
)
def test_a_text_of_uneven_density_does_not_cost_a_count_per_line(tokens: Callable[[int], int]) -> None:
    counted: list[int] = []

    def uneven(text: str) -> int:
        counted.append(len(text))
        return tokens(len(text))

    text = "line of text\n" * 15_000
    result = trim_text(text, 5000, uneven, total_tokens=uneven(text), rest="r", kind="text", minimum=50)

    assert result is not None
    assert len(counted) <= 250


BLOCKS = [
    *(
        prose("plain", 3),
        prose("plain", 12),
        "Wrapped line one\nand line two of it.\nAnd line three",
        "漢字かな交じり文。" * 8,
    ),
    *(
        "- item one\n- item two\n  - below\n    more\n- item three",
        "1. first\n\n   ```py\n   code here\n   ```\n2. second",
    ),
    *(
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |",
        "> quoted words\n> and more",
        "> ```\n> code in quote\n> ```",
    ),
    *(
        "```py\nx = 1\n\ny = 2\nz = 3\n```",
        "~~~\nopen\n",
        "<!-- a\n# comment\n-->",
        "Setext title\n---",
        "    indented code",
    ),
    *("# One", "## Two", "### Three", "A line with trailing blanks   \n", "\u2028 odd \x0b space\r", "---"),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(BLOCKS), min_size=2, max_size=14).map("\n\n".join),
    st.lists(st.sampled_from(BLOCKS), min_size=2, max_size=14).map("\n".join),
    st.lists(DOCUMENTS, min_size=3, max_size=6).map("\n".join),
    st.text(alphabet="ab .!,\n`#|-漢か\u3099\u200d", min_size=40, max_size=300),
)


def with_and_without_closing(part: str) -> set[str]:
    """Return `part`, and `part` without a closing fence that trimming may have put at its end."""
    above, _, last = part.rstrip("\n").rpartition("\n")
    return {part, above, above + "\n"} if set(last.strip()) in ({"`"}, {"~"}) else {part}


@settings(deadline=None, max_examples=400)
@given(TEXTS, st.integers(20, 99), COUNTS, st.sampled_from(["markdown", "json"]))
def test_the_laws_of_trimming(text: str, percent: int, count: Callable[[str], int], kind: str) -> None:
    limit = count(text) * percent // 100
    assume(limit > 20)
    result = trimmed(text, limit, count, kind=kind)
    assert result == trimmed(text, limit, count, kind=kind)
    if result is None:
        return

    assert result.tokens == count(result.text)
    assert 10 <= result.tokens <= limit
    assert 0 < result.left_out_tokens <= count(text)
    assert [bool(MARK.fullmatch(line)) for line in result.text.split("\n")].count(True) == 1
    head, tail = MARK.split(result.text)
    assert any(text.startswith(one) for one in with_and_without_closing(head.rstrip("\n")))
    assert any(text.endswith(one) for one in with_and_without_closing(tail.lstrip("\n")))
    if kind == "markdown":
        assert open_fence(split_lines(result.text)) is None


@settings(deadline=None, max_examples=150)
@given(TEXTS, st.integers(20, 99))
def test_no_word_is_broken(text: str, percent: int) -> None:
    limit = len(text) * percent // 100
    result = trimmed(text, limit, len, kind="text")
    if result is None:
        return
    head = MARK.split(result.text)[0].rstrip("\n")
    behind = text[len(head) : len(head) + 1]
    assert text.startswith(head)
    assert text[len(head) : len(text) - len(MARK.split(result.text)[1])].strip()
    assert not (
        re.fullmatch(r"\w", head[-1]) and head[-1] < "\u2e80" and re.fullmatch(r"\w", behind) and behind < "\u2e80"
    )
    assert behind not in {"\u3099", "\u200d"} or head[-1].isspace()


@settings(deadline=None, max_examples=200)
@given(st.text(), st.integers(-5, 60), st.integers(0, 500), COUNTS, st.integers(0, 20))
def test_nothing_is_raised_for_any_numbers(
    text: str, limit: int, total: int, count: Callable[[str], int], minimum: int
) -> None:
    result = trim_text(text, limit, count, total_tokens=total, rest="r", minimum=minimum)
    assert result is None or (result.tokens == count(result.text) and minimum <= result.tokens <= limit)
