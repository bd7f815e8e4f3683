"""The hunks of a file between two contents, and the content with some of them put back. Lines count from 1."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field


@dataclass(frozen=True, slots=True)
class LineHunk:
    """A stretch of lines that a change replaced: `before` lines from `old`, by `after` lines from `new`.

    A stretch without lines is before the line that it names.
    """

    path: str
    old: int
    before: tuple[str, ...]
    new: int
    after: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last new line; where lines only went, the one after which they were."""
        return self.new + len(self.after) - 1

    @property
    def size(self) -> int:
        """How many lines it adds and removes, without blank ones."""
        return sum(1 for line in (*self.before, *self.after) if line.strip())


def lines_of(content: bytes | None) -> list[str] | None:
    """Return the lines of a text with their ends, each byte a letter; None for what is binary.

    >>> lines_of(b"a\\nb"), lines_of(None), lines_of(b"\\0")
    (['a\\n', 'b'], [], None)
    """
    if content is None:
        return []
    if b"\0" in content:
        return None
    parts = content.decode("latin-1").split("\n")  # not splitlines, which also breaks at form feeds
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def hunks_of(path: str, before: bytes | None, after: bytes | None) -> tuple[LineHunk, ...]:
    """Return the hunks between two contents of a text file, in order; none where one of them is binary."""
    old, new = lines_of(before), lines_of(after)
    if old is None or new is None:
        return ()
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(inner_old) * len(inner_new) > _MOST_PAIRS:
        return (LineHunk(path, head + 1, tuple(inner_old), head + 1, tuple(inner_new)),)
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
    return tuple(
        LineHunk(
            path,
            head + first + 1,
            tuple(old[head + first : head + last]),
            head + start + 1,
            tuple(new[head + start : head + end]),
        )
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    )


_MOST_PAIRS = 40_000_000
"""Lines before times lines after: with more, comparing takes minutes, and the stretch is one hunk."""


def put_back(after: bytes, hunks: Collection[LineHunk]) -> bytes:
    """Return a content with these of its hunks as they were before."""
    lines = lines_of(after) or []
    for hunk in sorted(hunks, key=lambda each: each.new, reverse=True):
        lines[hunk.new - 1 : hunk.last] = hunk.before
    return "".join(lines).encode("latin-1")


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


# Which tests a change adds or alters: by the lines of their functions, and by what these use in their file.

_WORD = lazy_pattern(r"[A-Za-z_]\w*")


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


def altered_tests(units: Sequence[TestUnit], hunks: Sequence[LineHunk]) -> tuple[str, ...]:
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
    units: Sequence[TestUnit], blocks: Collection[tuple[int, int]], hunks: Sequence[LineHunk]
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


def _touches(unit: TestUnit, hunk: LineHunk) -> bool:
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
class RunSelection:
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
