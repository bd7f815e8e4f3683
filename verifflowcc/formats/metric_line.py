"""Write a line of the log of metrics. Nothing else is imported: a prompt that is answered from the cache writes one."""

import json

PROMPT, PROMPTS, EVAL = "prompt", "prompts", "eval"


def count_line(at: str, metric: str, by: int, why: str = "") -> bytes:
    """Return the line, with its newline, for a counter that went up by `by`; `why` is the cause, if there is one.

    >>> count_line("2026-11-21T14:00:00Z", "extraction.calls", 1)
    b'{"at":"2026-11-21T14:00:00Z","metric":"extraction.calls","by":1}\\n'
    """
    value: dict[str, str | int] = {"at": at, "metric": metric, "by": by}
    return _line(value | ({"why": why} if why else {}))


def prompt_line(at: str, numbers: dict[str, int]) -> bytes:
    """Return the line, with its newline, for what memory was in a prompt."""
    return _line({"at": at, "metric": PROMPT, **numbers})


def prompts_line(at: str, numbers: dict[str, int]) -> bytes:
    """Return the line, with its newline, for several prompts of one day or month that had as many tokens of memory."""
    return _line({"at": at, "metric": PROMPTS, **numbers})


def eval_line(at: str, numbers: dict[str, int]) -> bytes:
    """Return the line, with its newline, for what was measured of recall."""
    return _line({"at": at, "metric": EVAL, **numbers})


def _line(value: dict[str, str | int]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
