"""How well messages of long assistant chats are found: BEAM, chats of 100,000 tokens, through the product's own search.

    python benchmarks/recall_beam.py --data FOLDER [--split tune|report] [--without-parts] [--embeddings] [--json]

--data is `chats/100K` of the repository mohammadtavakoli78/BEAM: a folder for each chat with `chat.json` and
`probing_questions/probing_questions.json`. Chats 11 to 15 were tuned on, 16 to 20 are reported; chats 1 to 10 are never
opened.

Each message is a turn in a store of its chat, as `vfcc memory ingest --keep-turns` keeps it: its batch is the session,
its role the speaker. A question's recall at k is the share of the messages that its `source_chat_ids` name among the
first k; a question that the chat does not answer (abstention) counts as 1. Beside it: the same texts as items that are
no turns, and plain BM25; with --embeddings also the turns where `memory.embeddings` is on (its extra has to be
installed). Intervals are 95 % of resamples of questions, with a fixed seed.
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measure import machine
from benchmarks.recall_figures import Mean, Row, gain_of, mean_of
from benchmarks.recall_locomo import MEANINGS, Ask, Asked, Said, Talk, at_home, kept, share_found
from benchmarks.recall_plain import plain
from verifflowcc.base.model.recall_values import Unit
from verifflowcc.memory.rules import recall_scoring as scoring
from verifflowcc.memory.rules.recall_scoring import MONTHS

CHATS = {"tune": range(11, 16), "report": range(16, 21)}
DEPTHS = (5, 10, 25)
TARGET, TARGET_WITH_MEANINGS = 66.0, 70.0
"""Recall at 10 of messages that are kept as turns, on chats that nothing was tuned on, in percent; with the extra."""
ROLES = {"user": "person", "assistant": "agent"}
"""Roles, as an ingest writes who speaks."""
WITH_MEANINGS = "turns, meanings too"
_DAY = re.compile(r"(\w+)-(\d{1,2})-(\d{4})")


def _never(_: Unit) -> bool:
    return False


Part = tuple[str, Callable[[], AbstractContextManager[object]]]
PARTS: tuple[Part, ...] = (
    ("turns beside (NEAR, FAR, ASKED)", lambda: patch.multiple(scoring, NEAR=0, FAR=0, ASKED=0)),
    ("short neighbours count more (SHORT)", lambda: patch.object(scoring, "SHORT", 100_000)),
    ("questions about the one who asks (SELF)", lambda: patch.object(scoring, "SELF", 100)),
    ("all that tells chats from talk (is_of_chat)", lambda: patch.object(scoring, "is_of_chat", _never)),
    ("the best of the session (THREAD)", lambda: patch.object(scoring, "THREAD", 0)),
    ("turns that tell a time (TIME)", lambda: patch.object(scoring, "TIME", 100)),
)


@dataclass(frozen=True)
class Way:
    """One way to find messages: recall at each depth, and at 10 by kind of question."""

    name: str
    at: Mapping[str, Mean]
    kinds: Mapping[str, Mean]


def chats(data: Path, split: str) -> list[Talk]:
    """Read the chats of a half."""
    return [_chat(data / str(number)) for number in CHATS[split]]


def _chat(folder: Path) -> Talk:
    messages = tuple(_messages(json.loads((folder / "chat.json").read_text(encoding="utf-8"))))
    probing = json.loads((folder / "probing_questions/probing_questions.json").read_text(encoding="utf-8"))
    there = {each.id for each in messages}
    questions = [
        Asked(each["question"], frozenset(_ids(each.get("source_chat_ids"))) & there, place)
        for place, kind in enumerate(sorted(probing))
        for each in probing[kind]
    ]
    return Talk(folder.name, messages, tuple(questions), sum(not each.evidence for each in questions), 0)


def kinds(data: Path, split: str) -> list[str]:
    """Return the names of the kinds of questions, in the order of their numbers."""
    first = data / str(CHATS[split][0]) / "probing_questions/probing_questions.json"
    return sorted(json.loads(first.read_text(encoding="utf-8")))


def _messages(batches: Sequence[Mapping[str, object]]) -> Iterator[Said]:
    for batch in batches:
        turns, day = batch["turns"], ""
        assert isinstance(turns, list)
        for number, message in enumerate((each for turn in turns for each in turn), 1):
            day = _day(message.get("time_anchor") or "") or day
            yield Said(
                str(message["id"]),
                str(batch["batch_number"]),
                number,
                ROLES[message["role"]],
                message["content"],
                day,
            )


def _day(text: str) -> str:
    found = _DAY.fullmatch(text)
    if found is None or found[1].casefold() not in MONTHS:
        return ""
    return f"{found[3]}-{MONTHS.index(found[1].casefold()) + 1:02}-{int(found[2]):02}"


def _ids(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _ids(each)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each)
    elif isinstance(value, int):
        yield str(value)


def as_items(talk: Talk) -> Talk:
    """Return a chat whose messages have no speaker, and so are no turns."""
    turns = tuple(Said(each.id, each.session, each.number, "", each.text, each.day) for each in talk.turns)
    return Talk(talk.name, turns, talk.questions, talk.unanswered, talk.unknown)


def rows_of(talks: Sequence[Talk], asks: Sequence[Ask]) -> list[Row]:
    """Return the recall of each question at each depth."""
    return [
        share_found(each, ask(each.text), DEPTHS) if each.evidence else (1.0,) * len(DEPTHS)
        for talk, ask in zip(talks, asks, strict=True)
        for each in talk.questions
    ]


def measured(data: Path, split: str, *, ablate: bool, embeddings: bool = False) -> tuple[list[Way], dict[str, Mean]]:
    """Return the figures of each way, and the points that each part brings at 10."""
    found, names = chats(data, split), kinds(data, split)
    with tempfile.TemporaryDirectory() as scratch, at_home(Path(scratch)):
        turns = [kept(Path(scratch) / "turns" / talk.name, [talk]) for talk in found]
        items = [kept(Path(scratch) / "items" / talk.name, [as_items(talk)]) for talk in found]
        whole = rows_of(found, turns)
        ways = [
            _way("messages as turns", names, found, whole),
            _way("messages as plain items", names, found, rows_of(found, items)),
            _way("plain BM25", names, found, rows_of(found, [plain(talk) for talk in found])),
        ]
        if embeddings:
            meant = [kept(Path(scratch) / "meanings" / talk.name, [talk], MEANINGS) for talk in found]
            ways.append(_way(WITH_MEANINGS, names, found, rows_of(found, meant)))
        gains = {}
        for name, off in PARTS if ablate else ():
            with off():
                gains[name] = gain_of(whole, rows_of(found, turns), DEPTHS.index(10))
    return ways, gains


def _way(name: str, names: Sequence[str], found: Sequence[Talk], rows: Sequence[Row]) -> Way:
    at = {f"at {depth}": mean_of([row[place] for row in rows]) for place, depth in enumerate(DEPTHS)}
    of = [each.category for talk in found for each in talk.questions]
    ten = DEPTHS.index(10)
    by = {
        kind: mean_of([row[ten] for row, each in zip(rows, of, strict=True) if each == place])
        for place, kind in enumerate(names)
    }
    return Way(name, at, by)


def main() -> None:
    """Measure a half, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=tuple(CHATS), default="report")
    parser.add_argument("--without-parts", action="store_true", help="do not switch each part of the formula off")
    parser.add_argument("--embeddings", action="store_true", help="ask with memory.embeddings on, too (its extra)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ways, gains = measured(options.data, options.split, ablate=not options.without_parts, embeddings=options.embeddings)
    if options.json:
        content = {
            "machine": machine(),
            "chats": list(CHATS[options.split]),
            "ways": {
                way.name: {name: str(mean) for name, mean in (*way.at.items(), *way.kinds.items())} for way in ways
            },
            "points at 10": {name: str(mean) for name, mean in gains.items()},
        }
        print(json.dumps(content, indent=2))
        return
    print("; ".join(machine().values()))
    numbers = CHATS[options.split]
    print(f"\nBEAM, 100K, chats {numbers[0]} to {numbers[-1]} ({options.split}), recall in percent")
    for way in ways:
        print(f"{way.name:26}" + "".join(f"{name}: {mean!s:24}" for name, mean in way.at.items()))
    print("at 10, by kind")
    for kind in ways[0].kinds:
        print(f"  {kind:26}" + "".join(f"{way.kinds[kind]!s:24}" for way in ways))
    if options.split == "report":
        wanted = {ways[0].name: TARGET, WITH_MEANINGS: TARGET_WITH_MEANINGS}
        for way in (each for each in ways if each.name in wanted):
            reached, target = way.at["at 10"], wanted[way.name]
            verdict = "met" if reached.value >= target else "missed"
            print(f"target, {way.name}: at 10 at least {target}: {reached} ({verdict})")
    for name, mean in gains.items():
        print(f"points that a part brings at 10: {name:45}{mean}")


if __name__ == "__main__":
    main()
