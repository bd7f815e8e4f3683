"""Which rule of memorycode stands first where all that was ever said is searched: the one in force, or one it replaced.

Each dialogue is ingested by rule into a project and a home of its own, as `memory ingest` does for a person who trusts
the speakers. For each rule that was taught in more than one wording, questions are made from its object alone: the
words that all wordings of its topic share (`start function names with`), and, where it is about names in code, `names
of functions`. Both are asked of the project and the person with everything (`--all`). `extraction_gold` says what an
item says; an item that says both wordings counts as the one that was taught in its session or last before it.

- above: an item with the rule in force is found, and stands before every item with a rule that it replaced.
- below: one that it replaced stands before it.
- not found, not extracted: no hit says the rule in force, though an item does; no item says it at all.

The first share is of what was found, the second of all questions. `replaced found` are questions of which the answer
also holds a replaced rule, so that there is something to stand above of; their share is told apart.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.extraction import turns_of
from benchmarks.extraction_gold import Dialogue, Rule, dialogues, says
from benchmarks.recall_locomo import at_home
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.turns import Conversation
from verifflowcc.memory.use.ingesting import ingest
from verifflowcc.memory.use.searching import search
from verifflowcc.memory.use.stores import open_store

SCOPES = ("user", "project")
LIMIT = 100
TARGET = 95.0
ABOVE, BELOW, NOT_FOUND, NOT_EXTRACTED = "above", "below", "not found", "not extracted"
_QUOTED = re.compile(r"['\"`][^'\"`]*['\"`]")
_NAMES = re.compile(r"\b(function argument|function|method|attribute|variable|class) names\b")
_EMPTY = frozenset({"always", "never", "not", "do", "but"})


@dataclass(frozen=True)
class Changed:
    """A rule that was taught anew: the one in force, those that it replaced, session → the rule taught then."""

    in_force: Rule
    replaced: tuple[Rule, ...]
    taught: Mapping[int, Rule]


@dataclass(frozen=True)
class Answered:
    """What became of a question; `replaced` says whether a replaced rule was found too."""

    dialogue: str
    form: str
    question: str
    outcome: str
    replaced: bool


@dataclass(frozen=True)
class Figures:
    """Counts of questions of one form, and the shares that stand above: of those found, of all, of those with both."""

    form: str
    questions: int
    above: int
    below: int
    not_found: int
    not_extracted: int
    replaced_found: int
    share_of_found: float
    share_of_all: float
    share_where_both_found: float


@dataclass(frozen=True)
class Measured:
    """The figures of one half of the dialogues, and the questions that failed."""

    split: str
    dialogues: int
    changed_rules: int
    figures: tuple[Figures, ...]
    failed: tuple[Answered, ...]


def measured(data: Path, split: str) -> list[Measured]:
    """Ingest and ask: one half, or both apart."""
    return [_half(data, each) for each in (("tune", "report") if split == "all" else (split,))]


def _half(data: Path, split: str) -> Measured:
    chosen = dialogues(data, split)
    answered: list[Answered] = []
    for dialogue in chosen:
        with tempfile.TemporaryDirectory() as scratch, at_home(Path(scratch)):
            answered += _asked(dialogue, _learned(dialogue, Path(scratch) / "project"))
    forms = sorted({each.form for each in answered})
    figures = [_figures("all questions", answered)]
    figures += [_figures(form, [each for each in answered if each.form == form]) for form in forms]
    failed = tuple(each for each in answered if each.outcome != ABOVE)
    rules = sum(len(changed_rules(dialogue)) for dialogue in chosen)
    return Measured(split, len(chosen), rules, tuple(figures), failed)


def changed_rules(dialogue: Dialogue) -> list[Changed]:
    """Return the rules of a dialogue that are in force in another wording than one before."""
    found = []
    for rule in dialogue.in_force:
        taught = {
            place: each
            for place, session in enumerate(dialogue.sessions)
            for each in session.taught
            if each.topic == rule.topic
        }
        replaced = tuple({each.text: each for each in taught.values() if each.text != rule.text}.values())
        if replaced:
            found.append(Changed(rule, replaced, taught))
    return found


def questions_of(rule: Rule) -> dict[str, str]:
    """Return questions from a rule's object, without its value, by their form.

    >>> questions_of(Rule(1, "start function names with 'a_'", ("always start function names with 'a_'",), True))
    {'shared words': 'start function names with', 'names of things': 'names of functions'}
    """
    texts = [_QUOTED.sub(" ", each) for each in rule.versions]
    shared = frozenset.intersection(*(frozenset(_words(text)) for text in texts)) - _EMPTY
    found = {"shared words": " ".join(dict.fromkeys(word for word in _words(texts[0]) if word in shared))}
    thing = _NAMES.search(rule.text)
    if thing:
        found["names of things"] = f"names of {thing[1]}{'es' if thing[1].endswith('s') else 's'}"
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9/-]+", text.casefold())


@dataclass(frozen=True)
class _Learned:
    """A dialogue that was ingested: where, and its items by scope and id."""

    workspace: Workspace
    items: Mapping[tuple[str, str], StoredItem]


def _learned(dialogue: Dialogue, root: Path) -> _Learned:
    (root / ".memory").mkdir(parents=True)
    said = [
        Conversation(f"{dialogue.name}/{session}", tuple(turns_of(dialogue, session)))
        for session in range(len(dialogue.sessions))
    ]
    # Named speakers only propose, and a proposal replaces nothing, until a person says whom they trust.
    trusted = dict.fromkeys(sorted({turn.name for each in said for turn in each.turns if turn.name}), "human")
    settings = {"format": 1, "memory": {"speakers": trusted}}
    (root / ".memory" / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    here = Workspace(root)
    ingest(here, said, actor="human:You")
    items: dict[tuple[str, str], StoredItem] = {}
    for scope in SCOPES:
        with open_store(here, scope) as store:
            items |= {(scope, each.item.id): each for each in store.list_all()}
    return _Learned(here, items)


def _asked(dialogue: Dialogue, learned: _Learned) -> Iterator[Answered]:
    for changed in changed_rules(dialogue):
        said = {name: _said(each, changed) for name, each in learned.items.items()}
        extracted = changed.in_force in said.values()
        for form, question in questions_of(changed.in_force).items():
            hits = search(learned.workspace, SCOPES, RecallQuery(question, LIMIT, everything=True)).hits
            found = [rule for hit in hits if (rule := said[hit.scope, hit.item.id])]
            replaced = any(rule in changed.replaced for rule in found)
            yield Answered(dialogue.name, form, question, _outcome(found, changed.in_force, extracted), replaced)


def _outcome(found: Sequence[Rule], in_force: Rule, extracted: bool) -> str:
    if not extracted:
        return NOT_EXTRACTED
    if in_force not in found:
        return NOT_FOUND
    return ABOVE if found[0] == in_force else BELOW


def _said(item: StoredItem, changed: Changed) -> Rule | None:
    """Return which wording of a rule an item says, None where it says none of them."""
    text = item.body.strip() or item.item.title
    said = [rule for rule in (changed.in_force, *changed.replaced) if says(text, rule)]
    if len(said) < 2:
        return said[0] if said else None
    session = int((item.item.source.session or "0").rpartition("/")[2])
    before = [place for place in changed.taught if place <= session]
    taught = changed.taught[max(before)] if before else said[-1]
    return taught if taught in said else said[-1]


def _figures(form: str, answered: Sequence[Answered]) -> Figures:
    number = Counter(each.outcome for each in answered)
    both = [each for each in answered if each.replaced and each.outcome in (ABOVE, BELOW)]
    return Figures(
        form,
        len(answered),
        number[ABOVE],
        number[BELOW],
        number[NOT_FOUND],
        number[NOT_EXTRACTED],
        len(both),
        _percent(number[ABOVE], number[ABOVE] + number[BELOW]),
        _percent(number[ABOVE], len(answered)),
        _percent(sum(each.outcome == ABOVE for each in both), len(both)),
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def shown(halves: Sequence[Measured], most_failed: int = 20) -> Iterator[str]:
    """Yield the lines of a readable table."""
    names = [name for name in Figures.__dataclass_fields__ if name != "form"]
    for half in halves:
        yield f"memorycode, {half.split}: {half.dialogues} dialogues, {half.changed_rules} rules that were taught anew"
        yield f"{'':18}" + "".join(f"{name.replace('_', ' '):>{len(name) + 3}}" for name in names)
        for each in half.figures:
            row = asdict(each)
            yield f"{each.form:18}" + "".join(f"{row[name]:>{len(name) + 3}}" for name in names)
        whole = half.figures[0]
        met = "met" if whole.share_of_found >= TARGET else "MISSED"
        yield f"target: above in at least {TARGET} % of the questions that find it: {whole.share_of_found} ({met})"
        for failed in half.failed[:most_failed]:
            yield f"    {failed.dialogue}: {failed.question}: {failed.outcome}"
        yield ""


def as_plain(halves: Sequence[Measured]) -> list[dict[str, object]]:
    """Return the figures as JSON holds them."""
    return [asdict(each) for each in halves]
