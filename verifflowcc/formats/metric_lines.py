"""Lines of the log of metrics: `{"at":…,"metric":…,"by":1}`, `why` where there are causes; prompts; what was measured.

What is older is summed there (`metric_days`): such a line has the first day of what it sums.
"""

import json
from collections.abc import Iterable, Mapping

from verifflowcc.formats.metric_line import EVAL, PROMPT, PROMPTS, count_line, eval_line, prompt_line, prompts_line
from verifflowcc.records import dataclass, field_names
from verifflowcc.text.dates import read_moment

MOST = 1_000_000_000_000
"""The largest number that a line may have."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A counter that went up by `by` (or down) at a moment; `why` is the cause that it is counted under, if any."""

    at: str
    metric: str
    by: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class PromptCounted:
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
class PromptsCounted:
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
    def of(cls, one: PromptCounted) -> "PromptsCounted":
        """Return a single prompt as such a sum."""
        return cls(one.at, one.memory_tokens, 1, one.candidates, one.final, one.filtered, int(one.conflicts > 0))


@dataclass(frozen=True, slots=True)
class RecallMeasured:
    """What an evaluation found: recall at `k` over so many `questions`, in basis points."""

    at: str
    k: int
    recall_bp: int
    questions: int


Entry = Counted | PromptCounted | PromptsCounted | RecallMeasured
_NUMBERS = tuple(name for name in field_names(PromptCounted) if name != "at")
_SUMS = tuple(name for name in field_names(PromptsCounted) if name != "at")
_MEASURED = tuple(name for name in field_names(RecallMeasured) if name != "at")
_WHOLE_BP = 10_000


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a log says, in its order; `summed` are prompts of earlier days. `bad` lines say nothing.

    `recall` is what was measured last, None where nothing was.
    """

    counted: tuple[Counted, ...] = ()
    prompts: tuple[PromptCounted, ...] = ()
    summed: tuple[PromptsCounted, ...] = ()
    bad: int = 0
    recall: RecallMeasured | None = None


def metric_lines(entries: Iterable[Entry]) -> bytes:
    """Return one line for each, with its newline.

    >>> metric_lines([Counted("2026-11-21T14:00:00Z", "extraction.calls", 1)])
    b'{"at":"2026-11-21T14:00:00Z","metric":"extraction.calls","by":1}\\n'
    """
    return b"".join(_line(each) for each in entries)


def read_metrics(data: bytes) -> Metrics:
    """Return what the lines say, torn and foreign ones left out and counted."""
    found = [read_line(line) for line in data.split(b"\n") if line]
    return Metrics(
        tuple(each for each in found if isinstance(each, Counted)),
        tuple(each for each in found if isinstance(each, PromptCounted)),
        tuple(each for each in found if isinstance(each, PromptsCounted)),
        sum(each is None for each in found),
        last_measured(each for each in found if isinstance(each, RecallMeasured)),
    )


def last_measured(found: Iterable[RecallMeasured]) -> RecallMeasured | None:
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
    if metric == PROMPT:
        numbers = _numbers(value, _NUMBERS)
        return PromptCounted(at, *numbers) if numbers else None
    if metric == PROMPTS:
        sums = _numbers(value, _SUMS)
        return PromptsCounted(at, *sums) if sums and sums[1] else None
    if metric == EVAL:
        of = _numbers(value, _MEASURED)
        return RecallMeasured(at, *of) if of and of[0] and of[1] <= _WHOLE_BP and of[2] else None
    by, why = _number(value, "by"), value.get("why", "")
    return Counted(at, metric, by, why) if by is not None and isinstance(why, str) else None


def _line(entry: Entry) -> bytes:
    if isinstance(entry, Counted):
        return count_line(entry.at, entry.metric, entry.by, entry.why)
    if isinstance(entry, PromptsCounted):
        return prompts_line(entry.at, {name: getattr(entry, name) for name in _SUMS})
    if isinstance(entry, RecallMeasured):
        return eval_line(entry.at, {name: getattr(entry, name) for name in _MEASURED})
    return prompt_line(entry.at, {name: getattr(entry, name) for name in _NUMBERS})


def _numbers(value: Mapping[str, object], names: tuple[str, ...]) -> list[int] | None:
    """Return whole numbers of 0 or more; None where one of them is none."""
    numbers = [_number(value, name) for name in names]
    known = [each for each in numbers if each is not None and each >= 0]
    return known if len(known) == len(numbers) else None


def _number(value: Mapping[str, object], name: str) -> int | None:
    found = value.get(name)
    whole = isinstance(found, int) and not isinstance(found, bool) and abs(found) <= MOST
    return found if whole and isinstance(found, int) else None
