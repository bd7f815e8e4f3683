"""The stems of English words are those of the published algorithm."""

import random
import re
from itertools import product
from pathlib import Path

import pytest

from verifflowcc.base.text.stems import stem

ENDINGS = (
    "ed ing ingly edly eed eedly s es ies ied sses us ss y ly li ation ational tional izer ogi ogist ative ness ful l"
    " ical ement ment ion sion tion e ll le er al ate abli biliti alize iveness fulness ousness entli lessli fulli enci"
).split()
DOCS = sorted((Path(__file__).parents[3] / "docs").rglob("*.md"))


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        *[("rules", "rule"), ("generalised", "generalis"), ("hoping", "hope"), ("hopping", "hop"), ("dying", "die")],
        *[("skies", "sky"), ("news", "news"), ("proceed", "proceed"), ("agreed", "agre"), ("inning", "inning")],
        *[("gas", "gas"), ("this", "this"), ("ties", "tie"), ("cries", "cri"), ("yellow", "yellow"), ("say", "say")],
        *[("rational", "ration"), ("geologist", "geolog"), ("yearly", "year"), ("adoption", "adopt"), ("by", "by")],
    ],
)
def test_words_with_a_rule_of_their_own(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.sweep
def test_it_says_what_the_reference_says() -> None:
    reference = pytest.importorskip("snowballstemmer.english_stemmer").EnglishStemmer()
    dice = random.Random(3)
    read = sorted({word for page in DOCS for word in re.findall("[a-z0-9]+", page.read_text("utf-8").lower())})
    made = [dice.choice(read) + dice.choice(ENDINGS) for _ in range(10_000)]
    made += [
        "".join(dice.choices("aeiouybcdlnst2", k=dice.randint(1, 6))) + dice.choice(ENDINGS) for _ in range(10_000)
    ]
    made += ["".join(letters) for length in (1, 2, 3, 4) for letters in product("aeybsd", repeat=length)]

    wrong = [word for word in (*read, *made) if stem(word) != reference.stemWord(word)]

    assert len(read) > 2_000
    assert not wrong
