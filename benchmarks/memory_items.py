"""Items to measure with: the same for the same number, in the sizes and mixture that a project's memory has.

Two thirds are facts, fixes and insights that were extracted, the others what people write: decisions, conventions,
failures and guidelines. A body has 10 to 400 words, most of them few.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path

from verifflowcc.base.formats.item_render import render_item
from verifflowcc.base.model.item_values import DEFAULT_CONFIDENCE, Item, Source, SourceKind, Trust, item_type
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.text.identifiers import slug
from verifflowcc.items.rules.front_matter import split
from verifflowcc.memory.store.placing import home_path, stored_item

FOLDER = ".memory/project"
MIXTURE = ("fact", "insight", "decision", "fix", "convention", "fact", "failure", "insight", "guideline")
_BY_PEOPLE = ("decision", "convention", "guideline", "failure")
_FIRST_DAY = date(2026, 1, 1)
_DAYS = 320
_LAST_DAY = "2126-01-01"
"""Far enough that `vfcc memory maintain` has the same to do on whatever day it is measured."""
_WORDS = (
    "queue retry timeout ledger cache token index schema release deploy cluster service gateway client stream batch"
    " worker lease budget route policy secret audit metric trace alert region backup restore tenant quota session"
    " event is was must keeps holds before after when until without the a every one each of to in on and not"
).split()


@dataclass(frozen=True)
class Text:
    """What a note says, whoever keeps it."""

    title: str
    body: str


def texts(seed: int) -> Iterator[Text]:
    """Return notes without end, the same for the same seed."""
    dice = random.Random(seed)
    while True:
        paragraphs = dice.choices((1, 2, 3, 6), (8, 5, 3, 1))[0]
        body = "\n\n".join(_sentence(dice, dice.randint(10, 66)) for _ in range(paragraphs))
        yield Text(_sentence(dice, dice.randint(3, 8)).rstrip("."), body)


def made(size: int, data: Path | None = None) -> Iterator[StoredItem]:
    """Return `size` items of a project, generated or from the files or JSON lines of `data`, repeated as needed."""
    source = texts(1) if data is None else cycle(_given(data))
    for number, text in enumerate(islice(source, size)):
        kind = MIXTURE[number % len(MIXTURE)]
        yield item_of(text, kind, f"{slug(text.title, 'item')[:60].strip('-')}-{number:06}", number)


def item_of(text: Text, kind: str, name: str, number: int = 0) -> StoredItem:
    """Return a note as an item with front matter, as `vfcc memory add` makes it."""
    own = kind in _BY_PEOPLE
    path = home_path(FOLDER, kind, name)
    item = Item(
        id=name,
        type=kind,
        title=text.title,
        path=path,
        scope="project",
        importance=max(item_type(kind).importance - number % 7 * 50, 0),
        confidence=DEFAULT_CONFIDENCE,
        source=Source(SourceKind.EXPLICIT if own else SourceKind.EXTRACTED, "human:You" if own else "agent:coder"),
        trust=Trust.HUMAN if own else Trust.AGENT,
        expires=_LAST_DAY,
        created=str(_FIRST_DAY + timedelta(days=number * 7 % _DAYS)),
        tags=tuple(sorted({_WORDS[number % 30], _WORDS[number % 23]})),
    )
    return stored_item(path, render_item(item, text.body).encode("utf-8"))


def _sentence(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words)).capitalize() + "."


def _given(data: Path) -> list[Text]:
    if data.is_dir():
        paths = sorted(data.rglob("*.md"))
        found = [Text(path.stem[:100], split(path.read_text(encoding="utf-8")).body.strip()) for path in paths]
    else:
        rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = [
            Text(str(row.get("title", "note"))[:100], str(row.get("text") or row.get("body") or "")) for row in rows
        ]
    found = [each for each in found if each.body]
    if not found:
        raise SystemExit(f"{data}: no item with a text")
    return found
