"""Files of baselines: JSON with sorted keys, one line for each key, so that a person can read and compare them."""

import json

from verifflowcc.domain.baselines import FAILED, PASSED, Baseline, BaselineEntry, BaselineKind
from verifflowcc.errors import FormatError
from verifflowcc.formats.checked_record import record_to_json

FORMAT = 1
KIND = "baseline"
_TEXTS = ("base", "by", "reason", "expires")


def baseline_text(baseline: Baseline) -> str:
    """Return the content of a baseline's file, the same for the same baseline."""
    document = {
        "format": FORMAT,
        "kind": KIND,
        "of": str(baseline.kind),
        "base": baseline.base,
        "by": baseline.by,
        "reason": baseline.reason,
        "expires": baseline.expires,
        "runs": baseline.runs,
        "exit_codes": {name: list(codes) for name, codes in baseline.exit_codes.items()},
        "entries": [record_to_json(each) for each in sorted(baseline.entries)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def read_baseline_file(data: bytes, kind: BaselineKind) -> Baseline:
    """Return the baseline in a file's bytes. Raises FormatError, beginning with the path, where it is none."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _fault(kind, "it is not JSON", getattr(error, "lineno", 1)) from error
    if not isinstance(document, dict) or document.get("kind") != KIND or document.get("of") != str(kind):
        raise _fault(kind, f'it is no baseline of "{kind}"')
    given = document.get("format")
    if given != FORMAT:
        if isinstance(given, int) and given > FORMAT:
            reason = f"format {given} is newer than this vfcc reads ({FORMAT})"
            raise FormatError(f"{kind.path}:1: {reason}", hint="pip install --upgrade verifflowcc")
        raise _fault(kind, f"its format is not {FORMAT}")
    try:
        texts = {name: _text(document[name]) for name in _TEXTS}
        codes = {_text(name): tuple(map(_number, each)) for name, each in document["exit_codes"].items()}
        entries = tuple(sorted(map(_entry, document["entries"])))
        return Baseline(kind, **texts, entries=entries, runs=_number(document["runs"]), exit_codes=codes)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _fault(kind, "a key is missing, or has a value of another type") from error


def _entry(record: object) -> BaselineEntry:
    if not isinstance(record, dict):
        raise TypeError
    seen = tuple(record["seen"])
    if not seen or not set(seen) <= {FAILED, PASSED} or FAILED not in seen:
        raise ValueError
    texts = (_text(record["command"]), _text(record["name"]))
    return BaselineEntry(*texts, seen, _number(record["count"]), _text(record["text"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _fault(kind: BaselineKind, reason: str, line: int = 1) -> FormatError:
    return FormatError(f"{kind.path}:{line}: {reason}", hint=f"vfcc baseline {kind} --help")
