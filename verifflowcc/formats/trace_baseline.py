"""A baseline's file: canonical JSON that maps the ids of items to their fingerprints at a moment."""

import re
from collections.abc import Mapping

from verifflowcc.domain.events import Json
from verifflowcc.domain.trace import TraceBaseline
from verifflowcc.errors import FormatError
from verifflowcc.text.canonical import canonical, parse_canonical

FORMAT = 1
KIND = "trace"
_DIGEST = re.compile(r"[0-9a-f]{20}")
_TEXTS = ("name", "created", "by", "note")


def encode_baseline(baseline: TraceBaseline) -> bytes:
    """Return the bytes of a baseline's file, the same for the same baseline."""
    value: dict[str, Json] = {
        "format": FORMAT,
        "kind": KIND,
        "name": baseline.name,
        "created": baseline.created,
        "by": baseline.by,
        "commit": baseline.commit,
        "note": baseline.note,
        "items": dict(baseline.items),
    }
    return canonical(value) + b"\n"


def is_baseline(data: bytes) -> bool:
    """Say whether a JSON file means to be a baseline of the trace; other kinds lie beside it and are left alone.

    A file that is no JSON at all is one that was damaged, so it is asked further.
    """
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return True
    return isinstance(value, dict) and value.get("kind") == KIND


def read_baseline(path: str, data: bytes) -> TraceBaseline:
    """Return the baseline in a file's bytes. Raises FormatError, beginning with the path, where it is none."""
    try:
        value = parse_canonical(data.replace(b"\r\n", b"\n").removesuffix(b"\n"))
        return _baseline(path, value)
    except FormatError as error:
        raise FormatError(f"{path}:1: {error.message}", hint=f"git log -- {path}") from error


def _baseline(path: str, value: Json) -> TraceBaseline:
    if not isinstance(value, Mapping) or value.get("kind") != KIND:
        raise FormatError("this is no baseline of the trace")
    version = value.get("format")
    if isinstance(version, bool) or not isinstance(version, int):
        raise FormatError("format is no whole number")
    if version != FORMAT:
        raise FormatError(f"format {version} is newer than this vfcc reads ({FORMAT})")
    texts = {name: _text(value, name) for name in _TEXTS}
    commit, items = value.get("commit"), value.get("items")
    if not (commit is None or isinstance(commit, str)):
        raise FormatError("commit is no text")
    if not isinstance(items, Mapping):
        raise FormatError("its items are no mapping")
    digests: dict[str, str] = {}
    for name, digest in items.items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise FormatError(f"the fingerprint of {name} is not 20 hexadecimal digits")
        digests[name] = digest
    return TraceBaseline(texts["name"], path, texts["created"], texts["by"], digests, texts["note"], commit)


def _text(value: Mapping[str, Json], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str):
        raise FormatError(f"{name} is missing, or no text")
    return text
