"""How a brief is written: parts with a heading and lines each, as many as fit into the budget, between our marks."""

from collections.abc import Callable, Sequence
from itertools import groupby

from verifflowcc.base.records import dataclass
from verifflowcc.base.text.own_text import BEGIN, END
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.prompt.use.source_reader import SourceReader

Part = tuple[str, list[str]]
"""A heading, empty for none, and its lines."""
Count = Callable[[str], int]
LONGEST = 160
_FEW = 3
"""A text of so few lines keeps them before it says in detail what was left out."""


@dataclass(frozen=True, slots=True)
class BriefEntry:
    """A line of a brief, or a few that belong together; `key` is the same as long as it says the same."""

    text: str
    key: str = ""

    @property
    def identity(self) -> str:
        """What a later brief compares."""
        return self.key or self.text


@dataclass(frozen=True, slots=True)
class BriefPart:
    """Entries under one heading; `hidden` more are left out, and `command` shows them all.

    `name` is what they are, in the plural with an `s`.
    """

    heading: str = ""
    entries: tuple[BriefEntry, ...] = ()
    hidden: int = 0
    name: str = "lines"
    command: str = "vfcc memory search, vfcc history show"


@dataclass(frozen=True, slots=True)
class FittedBrief:
    """A text within its budget, empty where that has no room for any of it, and the entries that it holds."""

    text: str
    kept: tuple[BriefEntry, ...] = ()


def entries(lines: Sequence[str]) -> tuple[BriefEntry, ...]:
    """Return lines as entries that are compared by their text."""
    return tuple(map(BriefEntry, lines))


def left_out(reader: SourceReader) -> Part:
    """Return a line for each source that was left out."""
    return "", list(reader.notices)


def fitted(parts: Sequence[Part], budget_tokens: int, count: Count) -> str:
    """Return parts as a text of at most so many tokens; see `fit`."""
    return fit([BriefPart(heading, entries(lines)) for heading, lines in parts], budget_tokens, count).text


def fit(parts: Sequence[BriefPart], budget_tokens: int, count: Count) -> FittedBrief:
    """Return parts between our marks, with as many entries as the budget has room for, the first ones first.

    What is left out is counted at the end, with the commands that show it.
    """
    kept: list[tuple[int, BriefEntry]] = []
    every = [(number, entry) for number, part in enumerate(parts) for entry in part.entries]
    for each in every:
        if count(_text(parts, [*kept, each], "")) <= budget_tokens:
            kept.append(each)
    while kept:
        for tail in _tails(parts, kept):
            text = _text(parts, kept, tail)
            if count(text) <= budget_tokens:
                return FittedBrief(text, tuple(entry for _, entry in kept))
        kept.pop()
    return FittedBrief("")


def shown(text: str, longest: int = LONGEST) -> str:
    """Return somebody's words on one line."""
    plain = plain_line(withhold(text), longest + 1)
    return plain if len(plain) <= longest else f"{plain[:longest].rstrip()}…"


def _tails(parts: Sequence[BriefPart], kept: Sequence[tuple[int, BriefEntry]]) -> list[str]:
    """Return how to say what is missing, in detail, and shortly where there is hardly room for anything."""
    missing: dict[tuple[str, str], int] = {}
    for number, part in enumerate(parts):
        count = part.hidden + len(part.entries) - sum(place == number for place, _ in kept)
        if count:
            missing[part.name, part.command] = missing.get((part.name, part.command), 0) + count
    if not missing:
        return [""]
    detailed = "; ".join(
        f"{count} {name if count > 1 else name.removesuffix('s')} ({command})"
        for (name, command), count in missing.items()
    )
    short = [f"({sum(missing.values())} more lines found no room: vfcc next)"] if len(kept) <= _FEW else []
    return [f"Not shown: {detailed}.", *short]


def _text(parts: Sequence[BriefPart], kept: Sequence[tuple[int, BriefEntry]], tail: str) -> str:
    lines = []
    for number, group in groupby(kept, lambda each: each[0]):
        heading = parts[number].heading
        lines += [f"{heading}:"] if heading else []
        lines += [f"- {entry.text}" if heading else entry.text for _, entry in group]
    text = "\n".join([*lines, *([tail] if tail else [])])
    while BEGIN in text or END in text:  # in a quoted artifact one would end the brief before its end
        text = text.replace(BEGIN, "").replace(END, "")
    return "\n".join([BEGIN, text, END])
