"""Lines of the log of metrics, written, read and summed."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from verifflowcc.base.records import dataclass, field_names, replace
from verifflowcc.base.text.dates import read_moment

PROMPT, PROMPTS, EVAL = "prompt", "prompts", "eval"


def count_line(at: str, metric: str, by: int, why: str = "") -> bytes:
    """Return the line, with its newline, for a counter that went up by `by`; `why` is the cause, if there is one.

    >>> count_line("2026-11-21T14:00:00Z", "extraction.calls", 1)
    b'{"at":"2026-11-21T14:00:00Z","metric":"extraction.calls","by":1}\\n'
    """
    value: dict[str, str | int] = {"at": at, "metric": metric, "by": by}
    return _line(value | ({"why": why} if why else {}))


def _line(value: dict[str, str | int]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


# Lines of the log of metrics: `{"at":…,"metric":…,"by":1}`, `why` where there are causes; prompts; what was measured.
#
# What is older is summed there (`metric_days`): such a line has the first day of what it sums.

MOST = 1_000_000_000_000
"""The largest number that a line may have."""


@dataclass(frozen=True, slots=True)
class CounterLine:
    """A counter that went up by `by` (or down) at a moment; `why` is the cause that it is counted under, if any."""

    at: str
    metric: str
    by: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class PromptLine:
    """What memory was in one prompt.

    `memory_tokens` are those of the typed items in it; `candidates` typed items were offered, `final` are in it, and
    `filtered` were out of its scope. `conflicts` are pairs of items in it that contradict each other.
    """

    at: str
    memory_tokens: int
    candidates: int
    final: int
    filtered: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class PromptSummaryLine:
    """`times` prompts that had as many memory tokens each; the other numbers are sums over them.

    `clashing` is how many of them had items that contradict each other.
    """

    at: str
    memory_tokens: int
    times: int
    candidates: int
    final: int
    filtered: int
    clashing: int

    @classmethod
    def of(cls, one: PromptLine) -> "PromptSummaryLine":
        """Return a single prompt as such a sum."""
        return cls(one.at, one.memory_tokens, 1, one.candidates, one.final, one.filtered, int(one.conflicts > 0))


@dataclass(frozen=True, slots=True)
class RecallLine:
    """What an evaluation found: recall at `k` over so many `questions`, in basis points."""

    at: str
    k: int
    recall_bp: int
    questions: int


Entry = CounterLine | PromptLine | PromptSummaryLine | RecallLine
_KINDS = {PROMPT: PromptLine, PROMPTS: PromptSummaryLine, EVAL: RecallLine}
_NUMBERS = {kind: tuple(name for name in field_names(kind) if name != "at") for kind in _KINDS.values()}
_WHOLE_BP = 10_000


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a log says, in its order; `summed` are prompts of earlier days. `bad` lines say nothing.

    `recall` is what was measured last, None where nothing was.
    """

    counted: tuple[CounterLine, ...] = ()
    prompts: tuple[PromptLine, ...] = ()
    summed: tuple[PromptSummaryLine, ...] = ()
    bad: int = 0
    recall: RecallLine | None = None


def metric_lines(entries: Iterable[Entry]) -> bytes:
    """Return one line for each, with its newline.

    >>> metric_lines([CounterLine("2026-11-21T14:00:00Z", "extraction.calls", 1)])
    b'{"at":"2026-11-21T14:00:00Z","metric":"extraction.calls","by":1}\\n'
    """
    return b"".join(_metric_lines_line(each) for each in entries)


def read_metrics(data: bytes) -> Metrics:
    """Return what the lines say, torn and foreign ones left out and counted."""
    found = [read_line(line) for line in data.split(b"\n") if line]
    return Metrics(
        tuple(each for each in found if isinstance(each, CounterLine)),
        tuple(each for each in found if isinstance(each, PromptLine)),
        tuple(each for each in found if isinstance(each, PromptSummaryLine)),
        sum(each is None for each in found),
        last_measured(each for each in found if isinstance(each, RecallLine)),
    )


def last_measured(found: Iterable[RecallLine]) -> RecallLine | None:
    """Return what was measured last; of the same moment, what comes last. None where there is nothing."""
    return max(enumerate(found), key=lambda each: (each[1].at, each[0]), default=(0, None))[1]


def read_line(line: bytes) -> Entry | None:
    """Return what a line says; None for one that says nothing."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    at, metric = value.get("at"), value.get("metric")
    if not (isinstance(at, str) and isinstance(metric, str) and read_moment(at)):
        return None
    if kind := _KINDS.get(metric):
        numbers = _numbers(value, _NUMBERS[kind])
        entry: Entry | None = kind(at, *numbers) if numbers else None
        if isinstance(entry, PromptSummaryLine) and not entry.times:
            return None
        if isinstance(entry, RecallLine) and not (entry.k and entry.recall_bp <= _WHOLE_BP and entry.questions):
            return None
        return entry
    by, why = _number(value, "by"), value.get("why", "")
    return CounterLine(at, metric, by, why) if by is not None and isinstance(why, str) else None


def _metric_lines_line(entry: Entry) -> bytes:
    if isinstance(entry, CounterLine):
        return count_line(entry.at, entry.metric, entry.by, entry.why)
    kind = type(entry)
    metric = next(name for name, each in _KINDS.items() if each is kind)
    return _line({"at": entry.at, "metric": metric, **{name: getattr(entry, name) for name in _NUMBERS[kind]}})


def _numbers(value: Mapping[str, object], names: tuple[str, ...]) -> list[int] | None:
    """Return whole numbers of 0 or more; None where one of them is none."""
    numbers = [_number(value, name) for name in names]
    known = [each for each in numbers if each is not None and each >= 0]
    return known if len(known) == len(numbers) else None


def _number(value: Mapping[str, object], name: str) -> int | None:
    found = value.get(name)
    whole = isinstance(found, int) and not isinstance(found, bool) and abs(found) <= MOST
    return found if whole and isinstance(found, int) else None


# Sum the lines of a log of metrics: those of earlier days of this month per day, those of earlier months per month.
#
# All that is told of the log stays as it was: counters add up, prompts are kept apart by the tokens that they had, so
# that their median is the same, and what was measured last is kept. The lines of today, and what says nothing, stay as
# they are.

_DAY, _MONTH = 10, 7
_SUMS = tuple(name for name in field_names(PromptSummaryLine) if name not in ("at", "memory_tokens"))


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
        self._prompts: dict[int, list[PromptSummaryLine]] = {}
        self._measured: list[RecallLine] = []

    def add(self, entry: Entry) -> None:
        """Take in what a line says."""
        if isinstance(entry, RecallLine):
            self._measured.append(entry)
            return
        self._since = min(self._since, entry.at[:_DAY])
        if isinstance(entry, CounterLine):
            self._counts[entry.metric, entry.why] += entry.by
            return
        one = PromptSummaryLine.of(entry) if isinstance(entry, PromptLine) else entry
        lines = self._prompts.setdefault(one.memory_tokens, [])
        both = _together(lines[-1], one) if lines else None
        if both:
            lines[-1] = both
        else:
            lines.append(one)

    def entries(self) -> Iterator[Entry]:
        """Yield the sums, each in as many lines as it takes."""
        for (metric, why), by in sorted(self._counts.items()):
            yield from (CounterLine(self._since, metric, part, why) for part in _parts(by))
        for _, lines in sorted(self._prompts.items()):
            yield from (replace(one, at=self._since) for one in lines)
        if last := last_measured(self._measured):
            yield last


def _together(one: PromptSummaryLine, other: PromptSummaryLine) -> PromptSummaryLine | None:
    """Return both as one; None where a line could not have such a number."""
    sums = {name: getattr(one, name) + getattr(other, name) for name in _SUMS}
    return replace(one, **sums) if max(sums.values()) <= MOST else None


def _parts(by: int) -> list[int]:
    """Return a sum as numbers that a line can have; 0 for 0, since its day is one on which something was counted."""
    sign, (whole, rest) = (-1 if by < 0 else 1), divmod(abs(by), MOST)
    return [sign * MOST] * whole + ([sign * rest] if rest or not whole else [])
