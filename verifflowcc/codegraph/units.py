"""A source file in units, the pieces that a prompt shows: each function whole, and what stands between them."""

from collections.abc import Iterator, Sequence

from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Definition, outwards
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """The lines `first` to `last` of a file. `place` is the function, the type whose own lines these are, or FILE."""

    first: int
    last: int
    place: int


def units_of(definitions: Sequence[Definition], lines: Sequence[str]) -> tuple[Unit, ...]:
    """Return the units of a text of so many lines, in order; together they hold every line that is not blank.

    A function holds the functions inside of it, a comment right before it, and up to three lines that follow it and are
    none of another's: `method.is_safe = True`. Long stretches between functions are cut at blank lines.
    """
    owner = [FILE] * (len(lines) + 2)
    for place, each in enumerate(definitions):
        if each.kind in TYPES and not _in_callable(definitions, place):
            _claim(owner, each, place)
    for place, each in enumerate(definitions):
        if each.kind in CALLABLE and not _in_callable(definitions, place):
            _claim(owner, each, place)
    joined = _joined(list(_runs(owner, lines)), lines, definitions)
    return tuple(part for unit in joined for part in _parts(unit, lines, definitions))


_FOLLOWING = 3
_LONGEST, _SHORTEST = 40, 12
"""A stretch of more lines than the first is cut, into parts of the second at least."""
_COMMENT = ("#", "//", "/*", "*", "--")


def _joined(units: Sequence[Unit], lines: Sequence[str], definitions: Sequence[Definition]) -> list[Unit]:
    """Give small pieces between functions to the function that they belong to."""
    found: list[Unit] = []
    for unit in units:
        before = found[-1] if found else None
        if before is not None and _is_comment(before, lines) and _is_function(unit, definitions):
            found[-1] = Unit(before.first, unit.last, unit.place)
        elif before is not None and _follows(before, unit, lines, definitions):
            found[-1] = Unit(before.first, unit.last, before.place)
        else:
            found.append(unit)
    return found


def _parts(unit: Unit, lines: Sequence[str], definitions: Sequence[Definition]) -> Iterator[Unit]:
    """Cut a long stretch that is no function where a blank line comes before one that is not indented further."""
    if _is_function(unit, definitions) or unit.last - unit.first < _LONGEST:
        yield unit
        return
    indent = _indent(lines[unit.first - 1])
    first = last = unit.first
    for number in range(unit.first, unit.last + 1):
        if not lines[number - 1].strip():
            continue
        cut = number > last + 1 and _indent(lines[number - 1]) <= indent and number - first >= _SHORTEST
        if cut and unit.last - number >= _SHORTEST // 2:
            yield Unit(first, last, unit.place)
            first = number
        last = number
    yield Unit(first, last, unit.place)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_function(unit: Unit, definitions: Sequence[Definition]) -> bool:
    return unit.place != FILE and definitions[unit.place].kind in CALLABLE


def _is_comment(unit: Unit, lines: Sequence[str]) -> bool:
    said = [line.strip() for line in lines[unit.first - 1 : unit.last]]
    return all(not line or line.startswith(_COMMENT) for line in said)


def _follows(before: Unit, unit: Unit, lines: Sequence[str], definitions: Sequence[Definition]) -> bool:
    """Whether a few lines that are no definition come after a function."""
    if not _is_function(before, definitions) or _is_function(unit, definitions) or _is_comment(unit, lines):
        return False
    said = sum(1 for line in lines[unit.first - 1 : unit.last] if line.strip())
    begins = any(unit.first <= each.line <= unit.last and each.kind in TYPES for each in definitions)
    return said <= _FOLLOWING and not begins


def _claim(owner: list[int], each: Definition, place: int) -> None:
    first, last = each.start or each.line, min(each.end, len(owner) - 2)
    for line in range(first, last + 1):
        owner[line] = place


def _in_callable(definitions: Sequence[Definition], place: int) -> bool:
    return any(definitions[around].kind in CALLABLE for around in outwards(definitions, place))


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
