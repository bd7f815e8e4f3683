"""A source file in units, the pieces that a prompt shows: each function whole, and what stands between them."""

from collections.abc import Iterator, Sequence

from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Definition
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """The lines `first` to `last` of a file. `place` is the function, the type whose own lines these are, or FILE."""

    first: int
    last: int
    place: int


def units_of(definitions: Sequence[Definition], lines: Sequence[str]) -> tuple[Unit, ...]:
    """Return the units of a text of so many lines, in order; together they hold every line that is not blank.

    A function holds the functions inside of it.
    """
    owner = [FILE] * (len(lines) + 2)
    for place, each in enumerate(definitions):
        if each.kind in TYPES and not _in_callable(definitions, place):
            _claim(owner, each, place)
    for place, each in enumerate(definitions):
        if each.kind in CALLABLE and not _in_callable(definitions, place):
            _claim(owner, each, place)
    return tuple(_runs(owner, lines))


def _claim(owner: list[int], each: Definition, place: int) -> None:
    first, last = each.start or each.line, min(each.end, len(owner) - 2)
    for line in range(first, last + 1):
        owner[line] = place


def _in_callable(definitions: Sequence[Definition], place: int) -> bool:
    place = definitions[place].parent
    while place != FILE:
        if definitions[place].kind in CALLABLE:
            return True
        place = definitions[place].parent
    return False


def _runs(owner: Sequence[int], lines: Sequence[str]) -> Iterator[Unit]:
    """Runs of lines of one owner, without blank lines at their ends."""
    first = 0
    last = 0
    for number in range(1, len(lines) + 2):
        blank = number > len(lines) or not lines[number - 1].strip()
        if first and (number > len(lines) or (not blank and owner[number] != owner[first])):
            yield Unit(first, last, owner[first])
            first = 0
        if not blank:
            first = first or number
            last = number
