"""Pieces of one file as one text: in source order, inside the headers they belong to, with every gap marked."""

from collections.abc import Collection, Iterator, Sequence

GAP = "…"


def page(ranges: Collection[tuple[int, int]], definitions: Collection[tuple[int, int]], lines: Sequence[str]) -> str:
    """Return the lines of `ranges`, under the first line of each definition around them, as one text.

    Numbers count from 1 and name both ends. `…12-40` marks lines that are left out; blank lines between two shown
    ones, and a single line, are shown instead.

    >>> print(page([(5, 6)], [(1, 6)], ["class A:", "  x = 1", "", "  y = 2", "  def f(self):", "    pass", "", "z"]))
    class A:
    …2-4
      def f(self):
        pass
    …8
    """
    shown = {number for first, last in ranges for number in range(first, last + 1)}
    shown |= {line for line, end in definitions if any(line < first and last <= end for first, last in ranges)}
    return "\n".join(_lines(sorted(number for number in shown if 0 < number <= len(lines)), lines))


def _lines(shown: Sequence[int], lines: Sequence[str]) -> Iterator[str]:
    before = 0
    for number in shown:
        yield from _gap(before + 1, number - 1, lines, between=before > 0)
        yield lines[number - 1]
        before = number
    yield from _gap(before + 1, len(lines), lines, between=False)


def _gap(first: int, last: int, lines: Sequence[str], *, between: bool) -> Iterator[str]:
    full = [number for number in range(first, last + 1) if lines[number - 1].strip()]
    if between and len(full) <= 1:
        yield from lines[first - 1 : last]
    elif full:
        yield f"{GAP}{full[0]}-{full[-1]}" if full[0] != full[-1] else f"{GAP}{full[0]}"
