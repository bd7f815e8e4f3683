"""Lines of the log of metrics: `{"at":…,"metric":…,"by":1}`, `why` where there are causes; and numbers of prompts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from verifflowcc.formats.metric_line import count_line, prompt_line
from verifflowcc.text.dates import read_moment

_MOST = 1_000_000_000_000
_PROMPT = "prompt"


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


_NUMBERS = tuple(each.name for each in fields(PromptCounted) if each.name != "at")


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a log says, in its order; `bad` lines say nothing."""

    counted: tuple[Counted, ...] = ()
    prompts: tuple[PromptCounted, ...] = ()
    bad: int = 0


def metric_lines(entries: Iterable[Counted | PromptCounted]) -> bytes:
    """Return one line for each, with its newline.

    >>> metric_lines([Counted("2026-11-21T14:00:00Z", "extraction.calls", 1)])
    b'{"at":"2026-11-21T14:00:00Z","metric":"extraction.calls","by":1}\\n'
    """
    return b"".join(_line(each) for each in entries)


def read_metrics(data: bytes) -> Metrics:
    """Return what the lines say, torn and foreign ones left out and counted."""
    counted: list[Counted] = []
    prompts: list[PromptCounted] = []
    bad = 0
    for line in filter(None, data.split(b"\n")):
        entry = _entry(line)
        if isinstance(entry, Counted):
            counted.append(entry)
        elif entry is not None:
            prompts.append(entry)
        else:
            bad += 1
    return Metrics(tuple(counted), tuple(prompts), bad)


def _line(entry: Counted | PromptCounted) -> bytes:
    if isinstance(entry, Counted):
        return count_line(entry.at, entry.metric, entry.by, entry.why)
    return prompt_line(entry.at, {name: getattr(entry, name) for name in _NUMBERS})


def _entry(line: bytes) -> Counted | PromptCounted | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    at, metric = value.get("at"), value.get("metric")
    if not (isinstance(at, str) and isinstance(metric, str) and read_moment(at)):
        return None
    if metric == _PROMPT:
        numbers = [_number(value, name) for name in _NUMBERS]
        known = [each for each in numbers if each is not None and each >= 0]
        return PromptCounted(at, *known) if len(known) == len(numbers) else None
    by, why = _number(value, "by"), value.get("why", "")
    return Counted(at, metric, by, why) if by is not None and isinstance(why, str) else None


def _number(value: Mapping[str, object], name: str) -> int | None:
    found = value.get(name)
    whole = isinstance(found, int) and not isinstance(found, bool) and abs(found) <= _MOST
    return found if whole and isinstance(found, int) else None
