"""Lines that a reporter of ours wrote while Python tests ran, as outcomes."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping

from verifflowcc.proving.outcomes import Cause, Outcome, Result, TestRun, cause_of, summed

_LONGEST = 160
_RESULTS = {"passed": Result.PASSED, "failed": Result.FAILED, "skipped": Result.SKIPPED}


def read_lines(text: str, *, is_product: Callable[[str], bool]) -> TestRun:
    """Return the run that these lines record; `is_product` knows the paths of the product's own files.

    A run that did not come to its end has a problem: its tests may have been fewer than wanted.
    """
    parts: dict[str, list[Outcome]] = defaultdict(list)
    unloaded: dict[str, Outcome] = {}
    loaded: dict[str, str] = {}
    ended = False
    for line in text.splitlines():
        record = _record(line)
        at, name = record.get("at"), str(record.get("id", ""))
        if at == "load":
            unloaded[name] = _load_failure(record)
        elif at == "modules":
            loaded.update({str(key): str(value) for key, value in _mapping(record.get("modules")).items()})
        elif at == "end":
            ended = True
        elif name:
            parts[name].append(_part(record, is_product))
    outcomes = {name: summed(each) for name, each in parts.items()}
    return TestRun(outcomes, unloaded, loaded, "" if ended else "the tests did not come to their end")


def _part(record: Mapping[str, object], is_product: Callable[[str], bool]) -> Outcome:
    result = _RESULTS.get(str(record.get("outcome")), Result.ABSENT)
    line = record.get("line")
    number = line if isinstance(line, int) else 0
    if result is not Result.FAILED:
        return Outcome(result, line=number)
    kinds = [str(each) for each in _list(record.get("kinds"))]
    text = str(record.get("text", ""))
    if not kinds and record.get("expected"):  # a strict xfail that passed
        return Outcome(result, Cause.ASSERTION, "passes, and is marked xfail", number)
    cause = cause_of(kinds, text, in_product=is_product(str(record.get("where", ""))))
    return Outcome(result, cause, _words(kinds, text), number)


def _load_failure(record: Mapping[str, object]) -> Outcome:
    """Return the failure to load a file: whatever the exception, no test of it ran, so no more than that is shown."""
    kinds = [str(each) for each in _list(record.get("kinds"))]
    named = kinds if kinds and kinds[0] not in ("CollectError",) else []
    return Outcome(Result.FAILED, Cause.NAME, _words(named, str(record["text"])))


def _words(kinds: list[str], text: str) -> str:
    lines = (line.strip().removeprefix("E  ").strip() for line in text.splitlines())  # pytest marks them with E
    first = next((line for line in lines if line), "")
    kind = kinds[0] if kinds else ""
    words = f"{kind}: {first}" if kind and first and not first.startswith(kind) else first or kind
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _record(line: str) -> Mapping[str, object]:
    try:
        return _mapping(json.loads(line))
    except ValueError:
        return {}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
