"""Score extraction on a labelled list of sentences: precision, recall, inversions, lost qualifiers, replacements.

    python benchmarks/statements.py [--data FILE] [--half tune|report|all] [--wrong] [--json]

The file has one JSON object per line, or a JSON list of them:

- `text`: one turn of the user.
- `expected`: `nothing`, `pending` or `active`. An object may hold the keys below and the status as `status`.
- `content`: the text of the item; without it, the sentence itself. `type`: one type, or a list of which any is right.
  `scope`: `project` or `user`. All are optional, and only read where `active` is expected.
- `held`: sentences that were learnt before this one. `replaces`: whether (true), or which of them (its text), the new
  item replaces; with `held` and without `replaces`, no item may be replaced.
- `class`, `half` and `language` (default: `en`) group the figures.

An item of a sentence that is labelled `pending` may be missing, but must not be active. An *inversion* is an item with
another number of negations than its sentence, a *lost qualifier* a word of a condition, exception or permission that
the sentence has and the item has not. Both are counted for active and pending items, from lists of words of this file,
and not with the extractor's. A replacement is right if it is made, or proposed and listed with the proposal.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verifflowcc.base.model.item_values import Item, Source, SourceKind
from verifflowcc.memory.rules.candidates import KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn
from verifflowcc.memory.use.laid_out import mark_of

OWN_LIST = Path(__file__).with_name("statements.jsonl")
SURE, UNSURE = 600, 500
_NEGATIONS = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|hardly|\w+n't)\b", re.I)
_LIMITS = re.compile(
    r"\b(?:if|unless|except|until|when|whenever|while|only|provided|apart from|outside|during|instead|but not|"
    r"as long as|may|can|allowed|optional|feel free|need not|have to|mind|even)\b",
    re.I,
)


@dataclass(frozen=True)
class Statement:
    """A labelled sentence."""

    text: str
    status: str
    content: str = ""
    types: tuple[str, ...] = ()
    scope: str = ""
    held: tuple[str, ...] = ()
    replaces: bool | str = False
    group: str = ""
    half: str = ""
    language: str = "en"


@dataclass(frozen=True)
class Outcome:
    """An item that a sentence gave: its text, type and scope, whether it waits, and the held sentences it replaces."""

    content: str
    type: str
    scope: str
    pending: bool
    replaces: tuple[str, ...]


@dataclass
class Score:
    """Counts over statements."""

    statements: int = 0
    active: int = 0
    active_right: int = 0
    wanted: int = 0
    wanted_active: int = 0
    wanted_any: int = 0
    nothing: int = 0
    nothing_pending: int = 0
    nothing_active: int = 0
    pending: int = 0
    pending_found: int = 0
    pending_active: int = 0
    inversions: int = 0
    lost_qualifiers: int = 0
    updates: int = 0
    updates_made: int = 0
    updates_asked: int = 0
    near_misses: int = 0
    near_misses_replaced: int = 0
    wrong: list[str] = field(default_factory=list)

    def shares(self) -> dict[str, float | int | None]:
        """Return the figures by name; None where there is nothing to count."""
        return {
            "statements": self.statements,
            "precision of active": _share(self.active_right, self.active),
            "labelled active: active": _share(self.wanted_active, self.wanted),
            "labelled active: active or pending": _share(self.wanted_any, self.wanted),
            "labelled pending: pending": _share(self.pending_found, self.pending),
            "labelled pending: active": _share(self.pending_active, self.pending),
            "labelled nothing: pending": _share(self.nothing_pending, self.nothing),
            "labelled nothing: active": _share(self.nothing_active, self.nothing),
            "inversions": self.inversions,
            "lost qualifiers": self.lost_qualifiers,
            "updates: replaced or asked": _share(self.updates_made + self.updates_asked, self.updates),
            "updates: replaced": _share(self.updates_made, self.updates),
            "near misses replaced": self.near_misses_replaced,
        }


def main() -> None:
    """Score the statements of a file, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=OWN_LIST)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all")
    parser.add_argument("--wrong", action="store_true", help="list what was misjudged")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [each for each in statements(options.data) if options.half in ("all", each.half)]
    scores = scored(chosen)
    if options.json:
        sys.stdout.write(json.dumps({name: asdict(each) | each.shares() for name, each in scores.items()}, indent=2))
        sys.stdout.write("\n")
        return
    for name, score in scores.items():
        print(name)
        for label, value in score.shares().items():
            print(f"    {label:36} {'-' if value is None else value}")
        if options.wrong:
            print("\n".join(f"    {each}" for each in score.wrong))


def statements(file: Path) -> list[Statement]:
    """Return the statements of a file: JSON objects, one per line or in one list."""
    text = file.read_text(encoding="utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
    return [_statement(row) for row in rows]


def _statement(row: Mapping[str, Any]) -> Statement:
    label = row["expected"]
    fields = {**row, **label} if isinstance(label, dict) else {**row, "status": label}
    types = fields.get("type") or ()
    content = fields.get("content") or (label.get("text") if isinstance(label, dict) else None) or ""
    held = fields.get("held") or ()
    return Statement(
        row["text"], fields["status"], content, (types,) if isinstance(types, str) else tuple(types),
        fields.get("scope") or "", (held,) if isinstance(held, str) else tuple(held), fields.get("replaces") or False,
        fields.get("class") or "", fields.get("half") or "", fields.get("language") or "en",
    )  # fmt: skip


def scored(chosen: Sequence[Statement]) -> dict[str, Score]:
    """Return the scores: of English, and of each other language."""
    scores: dict[str, Score] = {}
    for each in chosen:
        _add(scores.setdefault(each.language, Score()), each, outcomes(each))
    return scores


def outcomes(statement: Statement) -> list[Outcome]:
    """Return the items that a sentence gives, after those that are held."""
    standing: list[KeptStatement] = []
    for place, text in enumerate(statement.held):
        list(_learned(text, place, standing))
    return list(_learned(statement.text, len(statement.held), standing))


def _learned(text: str, place: int, standing: list[KeptStatement]) -> Iterator[Outcome]:
    for candidate in extract(Turn(f"t{place}", Speaker.PERSON, text, "s1")).candidates:
        mark = mark_of(candidate.type, candidate.content)
        settled = settle(candidate, standing, mark, session="s1")
        if settled.outcome is MatchKind.SAME:
            continue
        replaced = settled.others if settled.outcome is MatchKind.SUPERSEDES else ()
        pending = _pending(candidate) or settled.asks
        yield Outcome(
            candidate.content, candidate.type, candidate.layer, pending,
            tuple(each.text for each in standing if each.item.id in replaced),
        )  # fmt: skip
        if not pending:
            standing[:] = [each for each in standing if each.item.id not in replaced]
        standing.append(_held(candidate, f"i{place}-{len(standing)}", mark))


def _pending(candidate: StatementCandidate) -> bool:
    return candidate.rewritten or candidate.certainty < SURE or candidate.confidence < UNSURE


def _held(candidate: StatementCandidate, name: str, mark: str) -> KeptStatement:
    source = Source(SourceKind.EXTRACTED, "human:You", session="s1", turn=candidate.turn)
    scope = "user" if candidate.layer == "user" else "project"
    item = Item(name, candidate.type, candidate.title, f"{name}.md", scope, 500, 500, key=candidate.key, source=source)
    subject, value, negated = statement_of(candidate.content, candidate.type, candidate.key)
    return KeptStatement(item, subject, value, negated, mark, candidate.content)


def _add(score: Score, each: Statement, found: Sequence[Outcome]) -> None:
    active = [one for one in found if not one.pending]
    right = [one for one in active if _is_right(each, one)]
    score.statements += 1
    score.active += len(active)
    score.active_right += len(right)
    if each.status == "active":
        score.wanted += 1
        score.wanted_active += bool(right)
        score.wanted_any += bool(right) or any(_same_text(each, one) for one in found)
    elif each.status == "pending":
        score.pending += 1
        score.pending_found += bool(found) and not active
        score.pending_active += bool(active)
    else:
        score.nothing += 1
        score.nothing_pending += bool(found) and not active
        score.nothing_active += bool(active)
    turned = sum(_polarity(one.content) != _polarity(_sentence_of(each.text, one.content)) for one in found)
    lost = sum(not _limits(_sentence_of(each.text, one.content)) <= _limits(one.content) for one in found)
    score.inversions, score.lost_qualifiers = score.inversions + turned, score.lost_qualifiers + lost
    replaced = any(one.replaces for one in found)
    if each.replaces:
        wanted = [one for one in found if _replaces(each, one)]
        score.updates += 1
        score.updates_made += any(not one.pending for one in wanted)
        score.updates_asked += bool(wanted) and all(one.pending for one in wanted)
        missed = not wanted
    else:
        score.near_misses += bool(each.held)
        score.near_misses_replaced += bool(each.held) and replaced
        missed = bool(each.held) and replaced
    fault = len(right) < len(active) or (each.status == "active" and not right) or (each.status != "active" and active)
    if fault or missed or turned or lost or (each.status == "nothing" and found):
        got = "; ".join(
            f"{'pending' if one.pending else 'active'} {one.type}/{one.scope} {one.content!r}"
            + (f" replaces {one.replaces}" if one.replaces else "")
            for one in found
        )
        score.wrong.append(f"[{each.group} {each.status}] {each.text!r}: {got or 'nothing'}")


def _is_right(each: Statement, one: Outcome) -> bool:
    if each.status != "active" or not _same_text(each, one):
        return False
    return (not each.types or one.type in each.types) and (not each.scope or one.scope == each.scope)


def _same_text(each: Statement, one: Outcome) -> bool:
    return _folded(one.content) == _folded(each.content or each.text)


def _replaces(each: Statement, one: Outcome) -> bool:
    if isinstance(each.replaces, str):
        return _folded(each.replaces) in map(_folded, one.replaces)
    return bool(one.replaces)


def _folded(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).strip(" .!\"'").casefold()


def _sentence_of(text: str, content: str) -> str:
    """Return the sentences of a turn that an item covers, whole; all of the turn where it is not found in it."""
    written, wanted = " ".join(text.split()), " ".join(content.split())
    start = written.find(wanted)
    if start < 0:
        return written
    before = max((found.end() for found in re.finditer(r"[.!?]\s+", written[:start])), default=0)
    after = re.search(r"[.!?](?:\s|$)", written[start + len(wanted.rstrip(".!?")) :])
    end = start + len(wanted.rstrip(".!?")) + after.end() if after else len(written)
    return written[before:end]


def _polarity(text: str) -> int:
    return len(_NEGATIONS.findall(text.replace("’", "'")))


def _limits(text: str) -> set[str]:
    return {each.casefold() for each in _LIMITS.findall(text.replace("’", "'"))}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    main()
