"""From a selection of files to ranked candidates, layer by layer; what is left out is listed with its reason."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from verifflowcc.adapters.files.layout import Derived, Supplied
from verifflowcc.adapters.files.tree import Found
from verifflowcc.context.rank import Ranked, Score, rank
from verifflowcc.context.standing import standing
from verifflowcc.domain.entries import Candidate, Skipped
from verifflowcc.domain.items import Recency
from verifflowcc.domain.layers import Layer
from verifflowcc.errors import FormatError
from verifflowcc.services.reading import Body, Reading
from verifflowcc.services.selection import Selected, Selection
from verifflowcc.text.terms import terms

_KINDS = {".md": "markdown", ".markdown": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}
_WORD = re.compile(r"[\w./-]+")


@dataclass(slots=True)
class Gathered:
    """Candidates per layer in rank order, what was left out, and what the person should know."""

    candidates: dict[Layer, tuple[Candidate, ...]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def gather(selection: Selection, reading: Reading, derived: Mapping[Derived, Supplied], task: str) -> Gathered:
    """Return ranked candidates for every layer of the selection.

    `derived` is what each derived source says; one that is missing has nothing to say yet. Raises FormatError
    where an always-load file cannot be read as memory.
    """
    gathered = Gathered()
    bodies = reading.bodies(_files(selection.selected), sorted(set(terms(task))))
    gathered.notices += _missing(selection)
    _refuse_broken(selection.selected, reading, gathered)
    items = [bodies[path].item for path in sorted(bodies)]
    stands = standing(items)
    gathered.notices += stands.notices
    in_play = _paths_in(task)
    for layer in dict.fromkeys(one.layer for one in selection.selected):
        mine = [one for one in selection.selected if one.layer is layer]
        usable = []
        for one in mine:
            entry = _entry(one, bodies, reading, derived)
            reason = _left_out(one, entry, stands.left_out, reading)
            if reason is not None:
                tokens = entry.tokens if entry else 0
                gathered.skipped.append(Skipped(layer, one.key, one.path, tokens, reason))
                if one.always and one.path not in reading.problems:
                    gathered.notices.append(f"{one.key} is always loaded but left out: {reason}")
            elif entry is not None:
                usable.append((one, entry))
        gathered.candidates[layer] = _ranked(usable, in_play, with_task=bool(task))
    gathered.notices += reading.notices
    return gathered


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    digest: str
    tokens: int
    body: Body | None
    trust: str


def _paths_in(task: str) -> set[str]:
    """The words of the task that can be a file's path."""
    words = (word.rstrip("./-") for word in _WORD.findall(task))
    return {word for word in words if "/" in word or "." in word}


def _missing(selection: Selection) -> list[str]:
    """One sentence for all patterns: in a young project there are several, and none is a fault."""
    named = [f"{layer} {pattern}" for layer, pattern in selection.unmatched]
    return [f"always loaded, but there is no such file yet: {', '.join(named)}"] if named else []


def _files(selected: Iterable[Selected]) -> list[Found]:
    return list({one.path: one.source for one in selected if isinstance(one.source, Found)}.values())


def _refuse_broken(selected: Iterable[Selected], reading: Reading, gathered: Gathered) -> None:
    for one in selected:
        problem = reading.problems.get(one.path)
        if problem is None:
            continue
        told = f"{one.path}:{problem}" if problem[0].isdigit() else f"{one.path} {problem}"
        if one.always:
            raise FormatError(told, hint="mend the file, or take it out of always_load")
        gathered.notices.append(f"{told}; it is left out")


def _entry(
    one: Selected, bodies: Mapping[str, Body], reading: Reading, derived: Mapping[Derived, Supplied]
) -> _Entry | None:
    if isinstance(one.source, Found):
        body = bodies.get(one.path)
        return None if body is None else _Entry(one.path, body.digest, body.tokens, body, str(body.item.trust))
    if one.source not in derived:
        return None
    told = derived[one.source]
    return _Entry(told.path, reading.supply(told.path, told.text), reading.counter.count(told.text), None, told.trust)


def _left_out(one: Selected, entry: _Entry | None, out: Mapping[str, str], reading: Reading) -> str | None:
    if one.path in reading.problems:
        return reading.problems[one.path]
    if entry is None:
        return "nothing recorded yet"
    return out.get(one.path) or ("empty" if entry.tokens == 0 else None)


def _ranked(
    usable: Sequence[tuple[Selected, _Entry]],
    in_play: set[str],
    *,
    with_task: bool,
) -> tuple[Candidate, ...]:
    """Always-load entries in the order written, then the others by score."""
    always = [pair for pair in usable if pair[0].always]
    others = [pair for pair in usable if not pair[0].always]
    facts = [_facts(one, entry, in_play) for one, entry in others]
    scores = rank(facts, with_task=with_task)
    ordered: list[tuple[tuple[Selected, _Entry], Score | None]] = [(pair, None) for pair in always]
    ordered += [(others[score.index], score) for score in scores]
    return tuple(_candidate(one, entry, number, score) for number, ((one, entry), score) in enumerate(ordered, start=1))


def _facts(one: Selected, entry: _Entry, in_play: set[str]) -> Ranked:
    item = entry.body.item if entry.body else None
    cites = bool(in_play) and item is not None and any(ref.path in in_play for ref in item.refs)
    return Ranked(
        key=one.key,
        importance=item.importance if item else 500,
        confidence=item.confidence if item else 800,
        recency=_recency(item.recency) if item else None,
        matches=entry.body.matches if entry.body else {},
        length=entry.body.length if entry.body else 0,
        in_play=cites,
    )


def _recency(recency: Recency) -> tuple[str, str | int] | None:
    return None if recency.kind is None or recency.value is None else (recency.kind, recency.value)


def _candidate(one: Selected, entry: _Entry, number: int, score: Score | None) -> Candidate:
    item = entry.body.item if entry.body else None
    return Candidate(
        layer=one.layer,
        key=one.key,
        path=entry.path,
        digest=entry.digest,
        tokens=entry.tokens,
        rank=number,
        always=one.always,
        kind=_KINDS.get("." + entry.path.rpartition(".")[2], "text"),
        title=item.title if item else "",
        date=(item.updated or item.created or (item.decision.date if item.decision else None)) if item else None,
        trust=entry.trust,
        score=score.total if score else 0,
        why=score.why if score else "always loaded",
    )
