"""LoCoMo: conversations with questions and the turns that hold the evidence, searched through the product's own path.

Each turn is an item of type `fact` in a store of its conversation: its text and the caption of a picture that it
shares, where and when it was said, and by whom. Ids are what an item that is added gets: its title's slug and four
letters, here the same on every run. A question's recall at k is the share of its evidence among the first k items that
were found directly; what links bring in does not count.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks.memory_stores import own_home
from verifflowcc.base.formats.item_render import render_item
from verifflowcc.base.model.item_values import DEFAULT_CONFIDENCE, Item, Source, SourceKind, item_type
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS, item_id
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.recall_scoring import MONTHS
from verifflowcc.memory.store.placing import home_path, stored_item
from verifflowcc.memory.use.recording import title_of
from verifflowcc.memory.use.searching import search
from verifflowcc.memory.use.stores import open_store

TUNED = ("conv-26", "conv-30", "conv-41")
"""The conversations that the product was tuned on."""

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
DEEPEST = 25
SCOPE = "project"
SETTINGS = "format: 1\nmemory:\n  backends: {project: sqlite}\n"
MEANINGS = f"{SETTINGS}  embeddings: {{enabled: true}}\n"
"""The same with the extra `embeddings`, which has to be installed."""
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"on (\d{1,2}) (\w+),? (\d{4})")

Ask = Callable[[str], Sequence[str]]
"""Returns the ids of turns for a question, best first, at most `DEEPEST`."""


@dataclass(frozen=True)
class Said:
    """A turn: its id (`D3:7`), its session, its number there, who says what, and the ISO day, "" where none is told."""

    id: str
    session: str
    number: int
    speaker: str
    text: str
    day: str


@dataclass(frozen=True)
class Asked:
    """A question, the ids of the turns that answer it, and its category."""

    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True)
class Talk:
    """A conversation; `unanswered` questions have no evidence that is there, `unknown` ids name no turn."""

    name: str
    turns: tuple[Said, ...]
    questions: tuple[Asked, ...]
    unanswered: int
    unknown: int


def talks(data: Path) -> list[Talk]:
    """Read the conversations of a file."""
    return [_talk(each) for each in json.loads(data.read_text(encoding="utf-8"))]


def _talk(content: Mapping[str, object]) -> Talk:
    said = content["conversation"]
    asked = content["qa"]
    assert isinstance(said, dict)
    assert isinstance(asked, list)
    turns = tuple(_turns(said))
    there = {turn.id for turn in turns}
    questions: list[Asked] = []
    unknown = 0
    for each in asked:
        named = evidence_of(each.get("evidence") or ())
        unknown += len(named - there)
        if named & there:
            questions.append(Asked(each["question"], named & there, int(each["category"])))
    return Talk(str(content["sample_id"]), turns, tuple(questions), len(asked) - len(questions), unknown)


def evidence_of(said: Iterable[object]) -> frozenset[str]:
    """Return the ids in the strings of `evidence`, some of which hold several, or one that is not written cleanly.

    >>> sorted(evidence_of(["D8:6; D9:17", "D:11:26", "D30:05", "D"]))
    ['D11:26', 'D30:5', 'D8:6', 'D9:17']
    """
    return frozenset(f"D{int(one)}:{int(two)}" for each in said for one, two in _EVIDENCE.findall(str(each)))


def _turns(said: Mapping[str, object]) -> Iterator[Said]:
    for session in sorted(int(found[1]) for found in map(_SESSION.fullmatch, said) if found):
        day = _day(str(said.get(f"session_{session}_date_time", "")))
        lines = said[f"session_{session}"]
        assert isinstance(lines, list)
        for number, turn in enumerate(lines, 1):
            text = "\n".join(filter(None, (turn.get("text", ""), turn.get("blip_caption", ""))))
            told = next(iter(evidence_of([turn["dia_id"]])), str(turn["dia_id"]))
            yield Said(told, str(session), number, str(turn["speaker"]), text, day)


def _day(text: str) -> str:
    found = _DATE.search(text)
    if found is None or found[2].casefold() not in MONTHS:
        return ""
    return f"{found[3]}-{MONTHS.index(found[2].casefold()) + 1:02}-{int(found[1]):02}"


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Keep away from the person's own memory and settings meanwhile."""
    with patch.dict(os.environ, own_home(folder)):
        os.environ.pop("VFCC_PROJECT", None)
        yield


def kept(folder: Path, found: Sequence[Talk], settings: str = SETTINGS) -> Ask:
    """Keep the turns of conversations in one store of a new project in `folder`; return how it is asked."""
    memory = folder / ".memory"
    memory.mkdir(parents=True)
    (memory / "config.yaml").write_text(settings, encoding="utf-8")
    here = Workspace(folder)
    turns = [(talk, turn) for talk in found for turn in talk.turns]
    items = [_item(talk, turn, number) for number, (talk, turn) in enumerate(turns)]
    with open_store(here, SCOPE) as store:
        there = store.create_all(items)
    if there:
        raise SystemExit(f"ids that are taken twice: {', '.join(there)}")
    names = {item.item.id: turn.id for item, (_, turn) in zip(items, turns, strict=True)}

    def ask(question: str) -> list[str]:
        hits = search(here, (SCOPE,), RecallQuery(question, DEEPEST)).hits
        return [names[hit.item.id] for hit in hits if hit.via is None]

    return ask


def _item(talk: Talk, turn: Said, number: int) -> StoredItem:
    title = title_of(turn.text, f"turn {turn.number}")
    name = item_id(title, _letters(number))
    path = home_path(".memory/project", "fact", name)
    source = Source(
        SourceKind.IMPORTED, "human:You", session=turn.session, origin=talk.name, turn=str(turn.number),
        speaker=turn.speaker,
    )  # fmt: skip
    importance = item_type("fact").importance
    item = Item(
        name, "fact", title, path, SCOPE, importance, DEFAULT_CONFIDENCE, source=source, created=turn.day or None
    )
    return stored_item(path, render_item(item, turn.text).encode("utf-8"))


def _letters(number: int) -> str:
    """Four letters, another four for each number below 32**4, scattered as drawn ones are."""
    scattered = (number * 421_913 + 77_777) % len(ALPHABET) ** LETTERS
    return "".join(ALPHABET[scattered // len(ALPHABET) ** place % len(ALPHABET)] for place in range(LETTERS))


def share_found(asked: Asked, best: Sequence[str], depths: Sequence[int]) -> tuple[float, ...]:
    """Return the share of a question's evidence among the first k of an answer, for each k of `depths`."""
    return tuple(len(asked.evidence & set(best[:depth])) / len(asked.evidence) for depth in depths)
