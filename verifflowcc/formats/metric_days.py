"""Sum the lines of a log of metrics: those of earlier days of this month per day, those of earlier months per month.

All that is told of the log stays as it was: counters add up, prompts are kept apart by the tokens that they had, so
that their median is the same, and what was measured last is kept. The lines of today, and what says nothing, stay as
they are.
"""

from collections import Counter
from collections.abc import Iterator

from verifflowcc.formats.metric_lines import (
    MOST,
    Counted,
    Entry,
    PromptCounted,
    PromptsCounted,
    RecallMeasured,
    last_measured,
    metric_lines,
    read_line,
)
from verifflowcc.records import field_names, replace

_DAY, _MONTH = 10, 7
_SUMS = tuple(name for name in field_names(PromptsCounted) if name not in ("at", "memory_tokens"))


def sum_days(data: bytes, today: str) -> bytes:
    """Return the lines with all that is older than `today` (an ISO day) summed, which comes first, by date.

    >>> old = b'{"at":"2026-11-20T10:00:00Z","metric":"extraction.calls","by":1}\\n'
    >>> sum_days(old * 3, "2026-11-21")
    b'{"at":"2026-11-20","metric":"extraction.calls","by":3}\\n'
    """
    left: list[bytes] = []
    periods: dict[str, _Period] = {}
    for line in filter(None, data.split(b"\n")):
        entry = read_line(line)
        if entry is None or entry.at[:_DAY] >= today:
            left.append(line + b"\n")
            continue
        of_this_month = entry.at[:_MONTH] == today[:_MONTH]
        periods.setdefault(entry.at[: _DAY if of_this_month else _MONTH], _Period()).add(entry)
    summed = (entry for _, period in sorted(periods.items()) for entry in period.entries())
    return b"".join([metric_lines(summed), *left])


class _Period:
    """A day or a month, with what was counted in it; `_since` is its first day on which anything was."""

    def __init__(self) -> None:
        self._since = "9999-12-31"
        self._counts: Counter[tuple[str, str]] = Counter()
        self._prompts: dict[int, list[PromptsCounted]] = {}
        self._measured: list[RecallMeasured] = []

    def add(self, entry: Entry) -> None:
        """Take in what a line says."""
        if isinstance(entry, RecallMeasured):
            self._measured.append(entry)
            return
        self._since = min(self._since, entry.at[:_DAY])
        if isinstance(entry, Counted):
            self._counts[entry.metric, entry.why] += entry.by
            return
        one = PromptsCounted.of(entry) if isinstance(entry, PromptCounted) else entry
        lines = self._prompts.setdefault(one.memory_tokens, [])
        both = _together(lines[-1], one) if lines else None
        if both:
            lines[-1] = both
        else:
            lines.append(one)

    def entries(self) -> Iterator[Entry]:
        """Yield the sums, each in as many lines as it takes."""
        for (metric, why), by in sorted(self._counts.items()):
            yield from (Counted(self._since, metric, part, why) for part in _parts(by))
        for _, lines in sorted(self._prompts.items()):
            yield from (replace(one, at=self._since) for one in lines)
        if last := last_measured(self._measured):
            yield last


def _together(one: PromptsCounted, other: PromptsCounted) -> PromptsCounted | None:
    """Return both as one; None where a line could not have such a number."""
    sums = {name: getattr(one, name) + getattr(other, name) for name in _SUMS}
    return replace(one, **sums) if max(sums.values()) <= MOST else None


def _parts(by: int) -> list[int]:
    """Return a sum as numbers that a line can have; 0 for 0, since its day is one on which something was counted."""
    sign, (whole, rest) = (-1 if by < 0 else 1), divmod(abs(by), MOST)
    return [sign * MOST] * whole + ([sign * rest] if rest or not whole else [])
