"""Which tests a change adds or alters: by the lines of their functions, and by what these use in their file."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from verifflowcc.proving.hunks import Hunk
from verifflowcc.records import dataclass, field

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class TestUnit:
    """A definition in a test file, from line `first` to `last`: a test, or something that tests may use.

    `name` is qualified within the file (`TestPrice::test_half`); `plain` is its last part. `words` are the names in its
    text. `blocks` are the first and last lines of what it is in that may hold tables and preparations for its tests.
    """

    __test__ = False

    name: str
    plain: str
    first: int
    last: int
    is_test: bool
    words: frozenset[str]
    blocks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TestFile:
    """The tests to run of one file; no `names` are all of them."""

    __test__ = False

    path: str
    names: tuple[str, ...] = ()


def words_in(lines: Iterable[str]) -> frozenset[str]:
    """Return the names that a text holds.

    >>> sorted(words_in(["def test_a(price):", "    assert price(3)"]))
    ['assert', 'def', 'price', 'test_a']
    """
    return frozenset(word for line in lines for word in _WORD.findall(line))


def altered_tests(units: Sequence[TestUnit], hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """Return the names of tests that the hunks touch, and of those that use a definition which they touch.

    A fixture, a helper or a table of cases counts for the tests that name it, also by way of another helper; what is in
    a block beside them counts for all tests of the block.
    """
    touched = {place for place, unit in enumerate(units) if any(_touches(unit, hunk) for hunk in hunks)}
    blocks = {block for unit in units for block in unit.blocks}
    loose = [min(around, key=lambda each: each[1] - each[0]) for around in _loose(units, blocks, hunks) if around]
    touched |= {place for place, unit in enumerate(units) if not set(unit.blocks).isdisjoint(loose)}
    grown = set(touched)
    while grown:
        names = {units[place].plain for place in grown if not units[place].is_test}
        grown = {place for place, unit in enumerate(units) if place not in touched and not names.isdisjoint(unit.words)}
        touched |= grown
    return tuple(dict.fromkeys(units[place].name for place in sorted(touched) if units[place].is_test))


def _loose(
    units: Sequence[TestUnit], blocks: Collection[tuple[int, int]], hunks: Sequence[Hunk]
) -> Iterator[list[tuple[int, int]]]:
    """Yield the blocks around each altered line that is in no test, and in no definition that another one names."""
    named = [
        unit for unit in units if unit.is_test or any(unit.plain in other.words for other in units if other is not unit)
    ]
    for hunk in hunks if blocks else ():
        written = [number for number, line in enumerate(hunk.after, start=hunk.new) if line.strip()]
        for number in written or [hunk.new]:
            if not any(unit.first <= number <= unit.last for unit in named):
                yield [each for each in blocks if each[0] < number < each[1]]


def _touches(unit: TestUnit, hunk: Hunk) -> bool:
    if not hunk.after:  # lines went from between `new - 1` and `new`
        return unit.first < hunk.new <= unit.last
    text = [number for number, line in enumerate(hunk.after, start=hunk.new) if line.strip()]
    return any(unit.first <= number <= unit.last for number in text or range(hunk.new, hunk.last + 1))


def union(files: Iterable[TestFile]) -> tuple[TestFile, ...]:
    """Return the files sorted, each once, with all names that are asked of it."""
    found: dict[str, Collection[str] | None] = {}
    for file in files:
        known = found.get(file.path, ())
        found[file.path] = None if known is None or not file.names else dict.fromkeys((*known, *file.names))
    return tuple(TestFile(path, tuple(names or ())) for path, names in sorted(found.items()))


@dataclass(frozen=True, slots=True)
class Selection:
    """The tests to run. `known` are the names of all tests that can be read in their files, each with its line."""

    files: tuple[TestFile, ...]
    known: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, each once."""
        return tuple(each.path for each in self.files)

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names of the tests wanted of a file; of a file that is wanted as a whole, all known ones."""
        return next((each.names for each in self.files if each.path == path), ()) or tuple(self.known.get(path, ()))

    def line(self, path: str, name: str) -> int:
        """Return the line of a test in its file, 0 where it is not known."""
        return self.known.get(path, {}).get(name, 0)
