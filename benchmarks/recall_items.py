"""Items and questions to measure recall with: the same for the same number, with words as rare or common as in prose.

Words are made of syllables and drawn by Zipf's law, flattened at its head (Mandelbrot): the commonest stands in a tenth
of the items, most of the others in a few. Between them stand the small words of English. A body has 20 to 80 words, an
item a title out of its own words and two tags, each third one a key.
"""

import random
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate, cycle, islice
from pathlib import Path

from benchmarks.memory_items import FOLDER, MIXTURE, made
from verifflowcc.base.formats.item_render import render_item
from verifflowcc.base.model.item_values import DEFAULT_CONFIDENCE, Item, Source, SourceKind, Trust, item_type
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.items.rules.front_matter import split
from verifflowcc.memory.store.placing import home_path, stored_item

VOCABULARY = 30_000
HEAD = 40
"""Mandelbrot's constant: word number r is drawn in proportion to 1 / (r + HEAD)."""

SMALL_WORDS = "the of to in a and is it for on that with as are be by this from at or was not have".split()
SMALL = 0.4
"""The share of small words in a body."""

_SYLLABLES = [first + vowel for first in "b c d f g l m n p r s t v".split() for vowel in "aeiou"]
_ENDINGS = ("", "", "", "s", "ing", "ed", "er")
_FIRST_DAY = date(2026, 1, 1)


@dataclass(frozen=True)
class Passage:
    """What an item says, whoever keeps it; `key` is empty where it has none."""

    title: str
    body: str
    tags: tuple[str, ...] = ()
    key: str = ""

    @property
    def text(self) -> str:
        """All of it, as one text."""
        return "\n".join(filter(None, (self.title, self.key.replace("-", " "), " ".join(self.tags), self.body)))


def passages(size: int, data: Path | None = None) -> list[Passage]:
    """Return `size` passages, generated or from the Markdown files or JSON lines of `data`, repeated as needed."""
    if data is None:
        return list(islice(_generated(), size))
    return [Passage(each.item.title, split(each.text).body.strip()) for each in made(size, data)]


def stored(passage: Passage, number: int) -> StoredItem:
    """Return a passage as an item of a project that stands."""
    kind = MIXTURE[number % len(MIXTURE)]
    name = f"item-{number:06}"
    path = home_path(FOLDER, kind, name)
    item = Item(
        id=name,
        type=kind,
        title=passage.title,
        path=path,
        scope="project",
        key=f"{passage.key}-{number}" if passage.key else None,
        importance=max(item_type(kind).importance - number % 7 * 50, 0),
        confidence=DEFAULT_CONFIDENCE,
        source=Source(SourceKind.EXPLICIT, "human:You"),
        trust=Trust.HUMAN,
        created=str(_FIRST_DAY + timedelta(days=number * 7 % 320)),
        tags=passage.tags,
    )
    return stored_item(path, render_item(item, passage.body).encode("utf-8"))


def questions(given: Sequence[Passage], number: int, seed: int = 7) -> list[str]:
    """Return questions of 4 to 10 words: in turn words of all passages as common as they are, and rare ones of one."""
    dice = random.Random(seed)
    chosen = [dice.choice(given) for _ in range(number)]
    frequent = Counter(word for each in dice.sample(given, min(len(given), 2_000)) for word in set(_content(each.body)))
    found = []
    for place, passage in enumerate(chosen):
        length = dice.randint(4, 10)
        if place % 2:
            rare = sorted(set(_content(passage.body)), key=lambda word: (frequent[word], word))
            found.append(" ".join(dice.sample(rare[: max(length, len(rare) // 2)], min(length, len(rare)))))
        else:
            found.append(" ".join(dice.choice(_content(dice.choice(given).body)) for _ in range(length)))
    return found


def _generated() -> Iterator[Passage]:
    dice = random.Random(1)
    words = _vocabulary(random.Random(2))
    heights = list(accumulate(1 / (place + HEAD) for place in range(1, VOCABULARY + 1)))

    def word() -> str:
        return words[bisect(heights, dice.random() * heights[-1])]

    for key in cycle((True, False, False)):
        body = [
            dice.choice(SMALL_WORDS) if dice.random() < SMALL else word() + dice.choice(_ENDINGS)
            for _ in range(dice.randint(20, 80))
        ]
        own = [each for each in body if each not in SMALL_WORDS] or [word()]
        title = " ".join(dice.choice(own) for _ in range(dice.randint(3, 8)))
        tags = tuple(sorted({words[dice.randrange(60)], words[dice.randrange(60)]}))
        yield Passage(title.capitalize(), _sentences(body), tags, f"{word()}-{word()}" if key else "")


def _vocabulary(dice: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(dice.choices(_SYLLABLES, k=dice.choice((2, 3, 3, 4)))) + dice.choice("lmnrst")] = None
    return list(found)


def _sentences(words: Sequence[str]) -> str:
    lines = [" ".join(words[begin : begin + 14]).capitalize() + "." for begin in range(0, len(words), 14)]
    return "\n".join(lines)


def _content(text: str) -> list[str]:
    """The words of a text that a question may have: those that are not small."""
    words = [word.strip(".,;:!?()[]`*_#\"'").casefold() for word in text.split()]
    return [word for word in words if len(word) > 2 and word.isalnum() and word not in SMALL_WORDS] or ["nothing"]
