"""What is learned from the dialogues of memorycode without a model: instructions found, rules in force at the end.

    python benchmarks/extraction.py --data DIR [--split tune|report|all] [--without-lexicon] [--model COMMAND]
                                    [--most-calls N] [--sample N] [--json]

Files are sorted by number; every second, from the first on, is for tuning (`tune`), the others are reported. Each
session's lines `Name: text` are turns; what they say is settled in order beside what is held, as `memory ingest` does.
`extraction_gold` says how it is decided that an item says what a gold rule says; `--sample` lists decisions to check.

`--without-lexicon` adds a second run in which no tool is known by name, so that a reader sees how much hangs on
vocabulary. `--model` adds one in which a command refines what the rules found, through the product's own model port
in the mode `hybrid`: it reads a prompt on its input and answers JSON. `--most-calls` caps its calls in all; they are
not counted in the person's own log.

- recall of instructions: of all (session, instruction taught in it), how many an item of that session says.
- precision: of all items kept in a session, how many say an instruction of that dialogue taught by then.
- state: active items after the last session against the rules in force (for code by `history_regex`, the other
  instructions by their last wording); a second item for one rule is a false one.
- small talk: of all items kept, how many say no instruction of that dialogue at all.
"""

import argparse
import json
import os
import random
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from unittest.mock import patch

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.extraction_gold import Dialogue, Rule, dialogues, matching
from verifflowcc.base.model.config_values import ExtractionMode, MemorySettings, ModelSettings
from verifflowcc.base.model.item_values import Item
from verifflowcc.memory.rules import tool_kinds as kinds
from verifflowcc.memory.rules.candidates import Extraction, KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn, in_order
from verifflowcc.memory.use.refining import Extractor, with_model

Read = Callable[[Turn], Extraction]
_LINE = re.compile(r"^(?P<name>[\w' -]{1,30}):\s*(?P<text>.*)$")
SURE, UNSURE = 600, 500
_ASKS = re.compile(
    r"\b(?:always|never|must|should|make sure|want you to|like you to|from now on|going forward|please|use)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Kept:
    """An item that was kept: its words, the session that it is from, and whether it waits for a person."""

    says: str
    session: int
    pending: bool


@dataclass
class Ran:
    """What became of a dialogue: all that was kept, what was said in each session, and what is active at the end."""

    kept: list[Kept] = field(default_factory=list)
    said: list[list[str]] = field(default_factory=list)
    active: list[str] = field(default_factory=list)


@dataclass
class Sums:
    """Counts over dialogues."""

    taught: int = 0
    found: int = 0
    kept: int = 0
    right: int = 0
    small_talk: int = 0
    pending: int = 0
    active: int = 0
    in_force: int = 0
    hits: int = 0


@dataclass(frozen=True)
class Figures:
    """The figures of one way to remember; precision and small talk are not told for the rules for code alone."""

    way: str
    recall: float
    precision: float | None
    state_precision: float
    state_recall: float
    state_f1: float
    small_talk: float | None
    items: int | None
    pending: int
    active: int
    in_force: int


@dataclass(frozen=True)
class Asked:
    """What a model was asked: calls, tokens, how often the rules went on without it and why; what a person is told."""

    calls: int
    tokens: int
    fallbacks: dict[str, int]
    notices: list[str]


@dataclass(frozen=True)
class Decision:
    """One decision of the matching, for a reader: an item and the gold rules that it was found to say."""

    dialogue: str
    session: int
    item: str
    rules: tuple[str, ...]


def main() -> None:
    """Read the dialogues in every way, and print the figures."""
    options = _options()
    chosen = dialogues(options.data, options.split)
    figures: list[Figures] = []
    decisions: list[Decision] = []
    asked: list[Asked] = []
    figures += _measured("extraction", chosen, lambda each: settled(each, extract), decisions)
    if options.without_lexicon:
        with without_lexicon():
            figures += _measured("extraction, no tool known by name", chosen, lambda each: settled(each, extract))
    if options.model:
        with asking(shlex.split(options.model), options.most_calls) as extractor:
            figures += _measured("extraction and a model", chosen, lambda each: settled(each, extractor))
            asked.append(Asked(extractor.calls, extractor.tokens, dict(extractor.fallbacks), list(extractor.notices)))
    figures += _measured("baseline: keep everything", chosen, everything)
    figures += _measured("baseline: newest by subject", chosen, newest_by_subject)
    sampled = _sampled(decisions, options.sample)
    _report(figures, sampled, asked, len(chosen), as_json=options.json)


def _measured(
    way: str, chosen: Sequence[Dialogue], run: Callable[[Dialogue], Ran], decisions: list[Decision] | None = None
) -> list[Figures]:
    sums, coding = Sums(), Sums()
    for dialogue in chosen:
        ran = run(dialogue)
        _add(sums, dialogue, ran)
        _add(coding, dialogue, ran, code=True)
        if decisions is not None:
            decisions += _decisions(dialogue, ran)
    return [_figures(way, sums), _figures(f"{way}, rules for code", coding)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--model", help="a command that reads a prompt and answers JSON; refines what rules found")
    parser.add_argument("--most-calls", type=int, default=100, help="the most calls of the model in all (100)")
    parser.add_argument("--without-lexicon", action="store_true", help="also without any tool known by name")
    parser.add_argument("--sample", type=int, default=20, help="how many decisions of the matching to list (20)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


@contextmanager
def without_lexicon() -> Iterator[None]:
    """Know no tool by name meanwhile."""
    with ExitStack() as stack:
        for table in (kinds.KIND_OF, kinds.SHORT_OF, kinds.ROLES, kinds.WORD_OF):
            stack.enter_context(patch.dict(table, clear=True))
        yield


@contextmanager
def asking(command: Sequence[str], most_calls: int) -> Iterator[Extractor]:
    """Give an extractor that asks a command as `memory ingest` would; its calls are counted in a folder that goes."""
    settings = MemorySettings(extraction_mode=ExtractionMode.HYBRID)
    given = ModelSettings(command=tuple(command), max_calls_per_day=most_calls, max_tokens_per_day=most_calls * 8_000)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_DATA_HOME": folder}):
        extractor = Extractor(extract, statement_of, settings.extraction_mode)
        with_model(extractor, None, settings, given)
        yield extractor


def turns_of(dialogue: Dialogue, session: int) -> list[Turn]:
    """Return the turns of a session; a line without a name goes on with the turn before it."""
    found: list[tuple[str, list[str]]] = []
    for line in dialogue.sessions[session].text.splitlines():
        match = _LINE.match(line)
        if match:
            found.append((match["name"], [match["text"]]))
        elif line.strip() and found:
            found[-1][1].append(line)
    name = f"{dialogue.name}/{session}"
    return in_order(
        Turn(f"{name}/{place}", Speaker.PERSON, "\n".join(lines), name, name=who)
        for place, (who, lines) in enumerate(found)
    )


def settled(dialogue: Dialogue, read: Read) -> Ran:
    """Extract and settle the turns of all sessions in order."""
    ran = Ran()
    standing: dict[str, KeptStatement] = {}
    for session in range(len(dialogue.sessions)):
        said: list[str] = []
        for turn in turns_of(dialogue, session):
            for candidate in read(turn).candidates:
                pending = candidate.certainty < SURE or candidate.confidence < UNSURE
                if not pending:
                    said.append(candidate.content)
                _keep(candidate, session, standing, ran, pending=pending)
        ran.said.append(said)
    ran.active = [each.item.title for each in standing.values()]
    return ran


def _keep(
    candidate: StatementCandidate, session: int, standing: dict[str, KeptStatement], ran: Ran, *, pending: bool
) -> None:
    outcome = settle(candidate, list(standing.values()))
    if outcome.outcome is MatchKind.SAME:
        return
    ran.kept.append(Kept(candidate.content, session, pending))
    if pending:
        return
    if outcome.outcome is MatchKind.SUPERSEDES:
        for other in outcome.others:
            standing.pop(other, None)
    name = f"i{len(ran.kept)}"
    scope = "user" if candidate.layer == "user" else "project"
    item = Item(name, candidate.type, candidate.content, f"{name}.md", scope, 500, 500, key=candidate.key)
    standing[name] = KeptStatement(item, candidate.subject, candidate.value, candidate.negated, name)


def everything(dialogue: Dialogue) -> Ran:
    """Keep each sentence as an item."""
    ran = Ran()
    for session in range(len(dialogue.sessions)):
        said = [each for turn in turns_of(dialogue, session) for each in _naive_sentences(turn.text)]
        ran.said.append(said)
        ran.kept += [Kept(each, session, False) for each in said]
    ran.active = [each.says for each in ran.kept]
    return ran


def newest_by_subject(dialogue: Dialogue) -> Ran:
    """Keep each sentence with a word that asks for something; the newest of those with the same three words stands."""
    ran = Ran()
    standing: dict[str, str] = {}
    for session in range(len(dialogue.sessions)):
        said = [
            each for turn in turns_of(dialogue, session) for each in _naive_sentences(turn.text) if _ASKS.search(each)
        ]
        ran.said.append(said)
        ran.kept += [Kept(each, session, False) for each in said]
        for each in said:
            words = [
                word for word in re.findall(r"[a-z]+", each.casefold()) if len(word) > 4 and not _ASKS.search(word)
            ]
            standing[" ".join(sorted(words, key=lambda word: (-len(word), word))[:3])] = each
    ran.active = list(standing.values())
    return ran


def _naive_sentences(text: str) -> list[str]:
    return [each.strip() for each in re.split(r"(?<=[.!?])\s+|\n", text) if each.strip()]


def _add(sums: Sums, dialogue: Dialogue, ran: Ran, *, code: bool = False) -> None:
    rules = [each for session in dialogue.sessions for each in session.taught]
    for place, session in enumerate(dialogue.sessions):
        wanted = [each for each in session.taught if each.code or not code]
        sums.taught += len(wanted)
        sums.found += sum(any(matching(item, [rule]) for item in ran.said[place]) for rule in wanted)
    active = [each for each in ran.kept if not (each.pending or code)]
    for kept in active:
        known = [each for session in dialogue.sessions[: kept.session + 1] for each in session.taught]
        right, ever = bool(matching(kept.says, known)), bool(matching(kept.says, rules))
        sums.kept, sums.right, sums.small_talk = sums.kept + 1, sums.right + right, sums.small_talk + (not ever)
    sums.pending += sum(each.pending for each in ran.kept)
    in_force = [each for each in dialogue.in_force if each.code or not code]
    others = [each for each in dialogue.in_force if not each.code and code]
    standing = [each for each in ran.active if not (others and matching(each, others))]
    open_rules: list[Rule] = list(in_force)
    for item in standing:
        hit = next(iter(matching(item, open_rules)), None)
        if hit:
            open_rules.remove(hit)
            sums.hits += 1
    sums.active += len(standing)
    sums.in_force += len(in_force)


def _figures(way: str, sums: Sums) -> Figures:
    precision, recall = _share(sums.hits, sums.active), _share(sums.hits, sums.in_force)
    kept = sums.kept
    return Figures(
        way, _share(sums.found, sums.taught), _share(sums.right, kept) if kept else None, precision, recall,
        round(2 * precision * recall / (precision + recall), 3) if precision + recall else 0.0,
        _share(sums.small_talk, kept) if kept else None, kept or None, sums.pending, sums.active, sums.in_force,
    )  # fmt: skip


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _decisions(dialogue: Dialogue, ran: Ran) -> list[Decision]:
    rules = [each for session in dialogue.sessions for each in session.taught]
    return [
        Decision(
            dialogue.name, each.session, each.says, tuple(sorted({rule.text for rule in matching(each.says, rules)}))
        )
        for each in ran.kept
    ]


def _sampled(decisions: Sequence[Decision], number: int) -> list[Decision]:
    return random.Random(20).sample(decisions, min(number, len(decisions)))


def _report(
    figures: Sequence[Figures], sampled: Sequence[Decision], asked: Sequence[Asked], files: int, *, as_json: bool
) -> None:
    if as_json:
        content = {
            "files": files,
            "figures": [asdict(each) for each in figures],
            "model": [asdict(each) for each in asked],
            "sample": [asdict(each) for each in sampled],
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    names = [each.name for each in fields(Figures)][1:]
    print(f"{files} dialogues")
    print(" " * 44 + "".join(f"{name.replace('_', ' '):>17}" for name in names))
    for each in figures:
        columns = ("" if value is None else str(value) for value in list(asdict(each).values())[1:])
        print(f"{each.way:44}" + "".join(f"{column:>17}" for column in columns))
    for told in asked:
        print(f"model: {told.calls} calls, {told.tokens} tokens, fallbacks {told.fallbacks or 'none'}")
        print("\n".join(f"    {notice}" for notice in told.notices))
    if sampled:
        print(
            "decisions: an item, and which of the rules taught in its dialogue it says (docstring of extraction_gold)"
        )
    for one in sampled:
        print(f"{one.dialogue}, session {one.session + 1}: {one.item}")
        print(f"    says {'; '.join(one.rules) or 'nothing that was taught'}")


if __name__ == "__main__":
    main()
