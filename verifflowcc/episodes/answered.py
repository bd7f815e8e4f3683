"""How much of what a call looks for stood in the prompt already, by the pieces of code that the prompt had.

Strictly: a read is answered when all its lines that are not blank are there; a search when every line that it would
find is there, when the function or class that it names is there whole, or, where it asks for names of files, when each
is named; a listing when each name is. Files are judged as they are now.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from verifflowcc.domain.code_told import Snippet
from verifflowcc.episodes.looks import Kind, Look
from verifflowcc.records import dataclass
from verifflowcc.text.glob import LONGEST_LINE, matches, pattern_fault

WHOLE = 1000
_NAME = re.compile(
    r"(?:\\b|\^|\\s\*)*"
    r"(?:(?:async |export |pub )*(?:def|class|func|function|fn|struct|interface|type|enum)(?: |\\s\+?))?"
    r"([A-Za-z_]\w{2,})(?:\\b|\\?\(|:)?"
)
_HEADING = re.compile(r"(?m)^([^\s:][^:\n]*):\d+ ")


class Cause(StrEnum):
    """Why a prompt did not answer, or not wholly."""

    OUTSIDE = "outside_of_the_project"
    GONE = "not_there_now"
    WRITTEN = "written_since_the_prompt"
    NO_CODE = "no_code"
    NOT_CHOSEN = "code_that_was_not_chosen"
    NO_HITS = "finds_nothing_now"
    NOT_RUN = "pattern_cannot_be_run"


@dataclass(frozen=True, slots=True)
class World:
    """The project's files as they are: all paths in order, those of the code graph, and the lines of one, if it has any
    that can be read.
    """

    paths: tuple[str, ...]
    code: frozenset[str]
    lines: Callable[[str], Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a prompt showed: lines of files, the paths that it named, and the names of what stood there whole."""

    lines: frozenset[tuple[str, int]] = frozenset()
    named: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answered:
    """How much of something was answered, in thousandths, and why not the rest."""

    share: int
    cause: Cause | None = None


def shown_by(pieces: Sequence[Snippet]) -> Shown:
    """Return what pieces of code show; signatures name their files, and show no lines."""
    whole = [each for each in pieces if each.whole and each.language]
    lines = frozenset((each.path, line) for each in whole for line in range(each.first, each.last + 1))
    named = {each.path for each in whole}
    for each in pieces:
        if not each.language:
            named |= set(_HEADING.findall(each.text))
    defined = frozenset(name for each in whole if (name := each.name.rpartition(".")[2]))
    return Shown(lines, frozenset(named), defined)


def answered(look: Look, shown: Shown, world: World) -> Answered:
    """Return how much of what is looked for was shown."""
    if look.path.startswith(("/", "~")):
        return Answered(0, Cause.OUTSIDE)
    if look.kind is Kind.READ:
        return _read(look, shown, world)
    below = [path for path in world.paths if _is_below(path, look)]
    if not below:
        return Answered(0, Cause.GONE)
    return _search(look, shown, world, below) if look.kind is Kind.SEARCH else _listing(look, shown, world, below)


def _read(look: Look, shown: Shown, world: World) -> Answered:
    lines = world.lines(look.path)
    if lines is None:
        return Answered(0, Cause.GONE)
    first, last = look.lines or (1, len(lines))
    asked = [number for number in range(first, min(last, len(lines)) + 1) if lines[number - 1].strip()]
    if not asked:
        return Answered(0, Cause.GONE)
    there = sum((look.path, number) in shown.lines for number in asked)
    return _part(there, len(asked), _not_shown([look.path], world))


def _search(look: Look, shown: Shown, world: World, below: Sequence[str]) -> Answered:
    if pattern_fault(look.pattern):
        return Answered(0, Cause.NOT_RUN)
    hits = list(_hits(look, world, below))
    if not hits:
        return Answered(0, Cause.NO_HITS)
    files = sorted({path for path, _ in hits})
    cause = _not_shown([path for path in files if path not in shown.named], world)
    name = _NAME.fullmatch(look.pattern)
    if name and name[1] in shown.defined:
        return Answered(WHOLE)
    if look.only_names:
        return _part(sum(path in shown.named for path in files), len(files), cause)
    return _part(sum(hit in shown.lines for hit in hits), len(hits), cause)


def _hits(look: Look, world: World, below: Sequence[str]) -> Iterator[tuple[str, int]]:
    pattern = re.compile(look.pattern, re.IGNORECASE if look.any_case else 0)
    for path in below:
        for number, line in enumerate(world.lines(path) or (), 1):
            if pattern.search(line[:LONGEST_LINE]):
                yield path, number


def _listing(look: Look, shown: Shown, world: World, below: Sequence[str]) -> Answered:
    if look.deep:
        there = sum(path in shown.named for path in below)
        return _part(there, len(below), _not_shown([path for path in below if path not in shown.named], world))
    base = "" if look.path in ("", ".") else f"{look.path}/"
    names = {path[len(base) :].partition("/")[0] for path in below}
    named = {path[len(base) :].partition("/")[0] for path in shown.named if path.startswith(base)}
    missing = [path for path in below if path[len(base) :].partition("/")[0] not in named]
    return _part(len(names & named), len(names), _not_shown(missing, world))


def _is_below(path: str, look: Look) -> bool:
    base = "" if look.path in ("", ".") else f"{look.path}/"
    if path != look.path and not path.startswith(base):
        return False
    if not look.names:
        return True
    pattern = look.names if "/" in look.names else f"**/{look.names}"
    return matches(path[len(base) :] if path != look.path else path.rpartition("/")[2], pattern)


def _not_shown(paths: Sequence[str], world: World) -> Cause:
    return Cause.NO_CODE if any(path not in world.code for path in paths) else Cause.NOT_CHOSEN


def _part(there: int, all_: int, cause: Cause) -> Answered:
    return Answered(WHOLE) if there == all_ else Answered(WHOLE * there // all_, cause)
