"""The exact counter against tiktoken, and chunks against the whole."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from verifflowcc.base.tokens import token_counter as chunks
from verifflowcc.base.tokens.token_counter import DATA, ExactCounter, build_delegate
from verifflowcc.base.tokens.vocabulary import ENCODINGS, Vocabulary, load_classes, open_vocabulary

pytestmark = pytest.mark.vfcc("REQ-TOKENS")

both = pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])

SAMPLES = """
the Token budget's It'S WE'RE they'Ve I'LL don't x'ſ 'd naïve Straße ΑΒΓ αβγ Привет ǅ ʰa ªº ⅷ ½ ² ٣ ०१ 12345 3.14
def class return {} [] () => != // /* */ http://a/b <|endoftext|> <|fim_prefix|> <|endofprompt|> # ## - * ``` | --- \x00
中文 漢字 かな カナ 한국어 สวัสดี नमस्ते العربية עברית 👩\u200d👩\u200d👧\u200d👦 👍🏽 🇩🇪 e\u0301 a\u0308\u0323 \u0301
İ ı ẞ \u212a \u212b camelCase HTTPServer CONST_X aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa =============================
"""
WORDS = SAMPLES.split()
GAPS = [
    *" \n\r\t/#",
    "",
    "  ",
    "\n\n",
    "\r\n",
    " \n ",
    *"\xa0\u2003\u3000\u2028\u2029\x85\x0b\x0c\x1c\x1f\u200b\u200d\ufeff",
]
LOOKS_LIKE_TEXT = st.lists(st.sampled_from(WORDS + GAPS), max_size=60).map("".join)
CONTRACTIONS = st.text("'sSſlLtTdDvVeErRmM \n/1\u0301中!", max_size=40)
LATIN = st.binary(max_size=80).map(lambda data: data.decode("latin-1"))
ANYTHING = st.text(st.characters(), max_size=40)
SURROGATES = st.lists(st.sampled_from("a \n\ud800\udc00\ud83d\ude00\ufeff中"), max_size=12).map("".join)
RUNS = st.builds(
    lambda text, times, end: text * times + end, st.sampled_from(WORDS + GAPS), st.integers(1, 400), LOOKS_LIKE_TEXT
)
TEXTS = st.one_of(LOOKS_LIKE_TEXT, CONTRACTIONS, LATIN, ANYTHING, SURROGATES, RUNS)


def vocabulary(name: str) -> Vocabulary:
    return open_vocabulary(DATA / f"{name}.vocab", name=name, digest=ENCODINGS[name].digest)


@cache
def ours(name: str) -> Callable[[str], int]:
    return ExactCounter(vocabulary(name), ENCODINGS[name].class_pattern, load_classes).count


@cache
def tiktoken_pattern(name: str) -> str:
    """The pattern as the installed tiktoken writes it, without its vocabulary, which it would fetch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
        return str(openai_public.ENCODING_CONSTRUCTORS[name]()["pat_str"])


@cache
def oracle(name: str) -> Callable[[str], int]:
    ranks = {token: rank for rank, token in enumerate(vocabulary(name).tokens())}
    encoding = tiktoken.Encoding(
        f"test-{name}", pat_str=tiktoken_pattern(name), mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 300_000}
    )
    return lambda text: len(encoding.encode_ordinary(text))


@cache
def delegate(name: str) -> Callable[[str], list[int]]:
    return build_delegate(ENCODINGS[name], vocabulary(name))


@both
@settings(deadline=None, max_examples=400)
@given(text=TEXTS)
@example(text="\ud83d\ude00\udc00")
@example(text=" I'\u017fa")
@example(text="x'\u017f 'S")
@example(text="\n\n/\n \n")
@example(text=";\n// */\n/")
def test_a_count_is_the_one_that_tiktoken_gives(name: str, text: str) -> None:
    assert ours(name)(text) == oracle(name)(text) == len(delegate(name)(text))


@both
@settings(deadline=None, max_examples=200)
@given(text=TEXTS)
@example(text="!\n/x!\n\n//\n/y")
def test_every_place_where_a_cut_may_be_made_ends_a_token(name: str, text: str) -> None:
    patterns = (chunks.PARAGRAPH, chunks.LINE, chunks.ANYWHERE)
    places = {found.start() for pattern in patterns for found in pattern.finditer(text)}
    whole = oracle(name)(text)

    for place in places:
        assert ours(name)(text[:place]) + ours(name)(text[place:]) == whole, place


@both
@settings(deadline=None, max_examples=300)
@given(text=TEXTS)
def test_the_counts_of_the_chunks_add_up_to_the_count_of_the_text(name: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for limit, size in (("SMALLEST", 4), ("USUAL", 12), ("LARGEST", 30)):
            patch.setattr(chunks, limit, size)
        parts = list(chunks.split(text))

    assert "".join(parts) == text
    assert sum(map(ours(name), parts)) == oracle(name)(text)


@pytest.mark.sweep
@both
def test_a_run_longer_than_any_token_is_counted_as_tiktoken_counts_it(name: str) -> None:
    for unit in ("a", "A", "!", "\n", "=", "ab", "中", "\u0301", "Zq9"):
        text = unit * (40_000 // len(unit))
        assert ours(name)(text) == oracle(name)(text), unit


@pytest.mark.sweep
@both
def test_this_projects_sources_are_counted_as_tiktoken_counts_them(name: str) -> None:
    for path in sorted(Path(chunks.__file__).parents[3].rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert sum(map(ours(name), chunks.split(text))) == oracle(name)(text), path


def test_what_looks_like_a_special_token_is_text() -> None:
    assert ours("o200k_base")("<|endoftext|>") == 7


def test_chunks_begin_at_headings_and_are_cut_when_they_grow() -> None:
    section = "# Heading\n\n" + "A line of text that says little.\n" * 20
    prose = "word " * 5_000

    assert [part[:9] for part in chunks.split(section * 3)] == ["# Heading"] * 3
    assert max(map(len, chunks.split(prose))) < chunks.USUAL + 16
    assert list(chunks.split("")) == []


def test_an_edit_changes_few_chunks() -> None:
    text = "".join(f"# Heading {n}\n\n" + f"Paragraph {n} of some length.\n\n" * 30 for n in range(50))
    edited = text.replace("Paragraph 25 of", "Paragraph twenty-five of", 1)

    assert len(set(chunks.split(edited)) - set(chunks.split(text))) <= 2
