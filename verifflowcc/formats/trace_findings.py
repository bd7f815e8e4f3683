"""The list of known findings of a trace: what an old project begins with, and does not count.

JSON: `{"format": 1, "kind": "trace-findings", "findings": ["code|item|about", …]}`, keys sorted, one a line.
"""

import json
from collections.abc import Iterable

from verifflowcc.errors import FormatError

FORMAT = 1
KIND = "trace-findings"


def findings_text(keys: Iterable[str]) -> str:
    """Return the file's content for these keys of findings, each once, sorted."""
    document = {"format": FORMAT, "kind": KIND, "findings": sorted(set(keys))}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read_findings(data: bytes, path: str) -> frozenset[str]:
    """Return the keys in the file's content. `path` is what to call it in messages.

    Raises FormatError where it is no such list, or one of a newer format.
    """
    hint = f"vfcc check trace --format baseline --output {path}"
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise FormatError(f"{path}:{line}: this is no list of known findings: it is not JSON", hint=hint) from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise FormatError(f'{path}:1: this is no list of known findings: its kind is not "{KIND}"', hint=hint)
    given = document.get("format")
    if given != FORMAT:
        newer = isinstance(given, int) and given > FORMAT
        reason = f"format {given} is newer than this vfcc understands ({FORMAT})" if newer else "its format is not 1"
        raise FormatError(f"{path}:1: {reason}", hint="pip install --upgrade verifflowcc" if newer else hint)
    keys = document.get("findings")
    if not isinstance(keys, list) or not all(isinstance(each, str) for each in keys):
        raise FormatError(f"{path}:1: its findings are no list of texts", hint=hint)
    return frozenset(keys)
