"""What is learned from the dialogues of memorycode without a model: instructions found, rules in force at the end.

    python benchmarks/extraction.py --data DIR [--split tune|report|all] [--model COMMAND] [--sample N] [--json]

Files are sorted by number; every second, from the first on, is for tuning (`tune`), the others are reported. Each
session's lines `Name: text` are turns; what they say is settled in order beside what is held, as `memory ingest` does.
`extraction_gold` says how it is decided that an item says what a gold rule says; `--sample` lists decisions to check.

- recall of instructions: of all (session, instruction taught in it), how many an item of that session says.
- precision: of all items kept in a session, how many say an instruction of that dialogue taught by then.
- state: active items after the last session against the rules in force (for code by `history_regex`, the other
  instructions by their last wording); a second item for one rule is a false one.
- small talk: of all items kept, how many say no instruction of that dialogue at all.
"""

import argparse
import json
import random
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.extraction_gold import Dialogue, Rule, dialogues, matching
from verifflowcc.domain.candidates import Candidate, Extracted, Held, Settles
from verifflowcc.domain.items import Item
from verifflowcc.domain.turns import Speaker, Turn
from verifflowcc.lifecycle.extract import extract
from verifflowcc.lifecycle.settle import settle

Read = Callable[[Turn], Extracted]
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
    read = with_model(shlex.split(options.model)) if options.model else extract
    ways = {
        "extraction": lambda dialogue: settled(dialogue, read),
        "baseline: keep everything": everything,
        "baseline: newest by subject": newest_by_subject,
    }
    figures = []
    decisions: list[Decision] = []
    for way, run in ways.items():
        sums, coding = Sums(), Sums()
        for dialogue in chosen:
            ran = run(dialogue)
            _add(sums, dialogue, ran)
            _add(coding, dialogue, ran, code=True)
            if way == "extraction":
                decisions += _decisions(dialogue, ran)
        figures += [_figures(way, sums), _figures(f"{way}, rules for code", coding)]
    _report(figures, _sampled(decisions, options.sample), len(chosen), as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--model", help="a command that reads a prompt and answers JSON; refines what rules found")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def with_model(command: Sequence[str]) -> Read:
    """Return a way to read turns in which a model refines what rules found."""
    raise SystemExit(f"{command[0]}: no model can be asked here yet")


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
    return [
        Turn(f"{name}/{place}", Speaker.PERSON, "\n".join(lines), name, name=who)
        for place, (who, lines) in enumerate(found)
    ]


def settled(dialogue: Dialogue, read: Read) -> Ran:
    """Extract and settle the turns of all sessions in order."""
    ran = Ran()
    standing: dict[str, Held] = {}
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


def _keep(candidate: Candidate, session: int, standing: dict[str, Held], ran: Ran, *, pending: bool) -> None:
    outcome = settle(candidate, list(standing.values()))
    if outcome.outcome is Settles.SAME:
        return
    ran.kept.append(Kept(candidate.content, session, pending))
    if pending:
        return
    if outcome.outcome is Settles.SUPERSEDES:
        for other in outcome.others:
            standing.pop(other, None)
    name = f"i{len(ran.kept)}"
    scope = "user" if candidate.layer == "user" else "project"
    item = Item(name, candidate.type, candidate.content, f"{name}.md", scope, 500, 500, key=candidate.key)
    standing[name] = Held(item, candidate.subject, candidate.value, candidate.negated, name)


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


def _report(figures: Sequence[Figures], sampled: Sequence[Decision], files: int, *, as_json: bool) -> None:
    if as_json:
        content = {
            "files": files,
            "figures": [asdict(each) for each in figures],
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
    for one in sampled:
        print(f"{one.dialogue}, session {one.session + 1}: {one.item}")
        print(f"    says {'; '.join(one.rules) or 'nothing that was taught'}")


if __name__ == "__main__":
    main()
