"""Checks of files and fields: each can be read, and says what its type and its keys can say."""

from verifflowcc.domain.items import KNOWN_KEYS
from verifflowcc.domain.memory_codes import CHECKS, MemoryFamily
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources
from verifflowcc.text.article import nearest

_FILE_CODES = tuple(code for code, check in CHECKS.items() if check.family is MemoryFamily.FILES)
_STEPS = {
    "unreadable-file": "repair {path}, or remove it",
    "not-utf8": "iconv -f WINDOWS-1252 -t UTF-8 {path}",
    "too-large": "split {path}",
    "link-outside": "put the file itself at {path}",
    "conflict-markers": "edit {path}, and keep what is right",
}
_OF_TYPES = " is not in the table of types"
_OWN_WORDS = frozenset({"reviewer", "reviewers"})
"""Words that are one letter from a key of ours and that people use with their own meaning."""


def check_files(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell what could not be read as an item, and why."""
    tell.ask(len(sources.items) + len(sources.unread), *_FILE_CODES)
    for each in sources.unread:
        step = _STEPS.get(each.code, "edit {path}").format(path=each.path)
        tell.file(each.code, each.path, each.line, each.why, step)


def check_fields(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of front matter, types, values and keys. What the fields of trace items say is `check trace`'s business."""
    tell.ask(len(sources.items), "unknown-type")
    for looked in sources.items:
        _check_type(looked, sources, tell)
        traced = looked.item.type in sources.trace_types
        if not traced:
            tell.ask(1, "bad-value")
            tell.ask(len(looked.unknown), "near-key")
            _check_keys(looked, tell)
        for notice in looked.notices:
            _check_notice(looked, notice, tell, traced=traced)


def _check_type(looked: Looked, sources: MemorySources, tell: MemoryFindings) -> None:
    item = looked.item
    if item.type in sources.types:
        return
    near = nearest(item.type, sources.types)
    message = f"type {item.type!r} is in no table" + (f"; did you mean {near}?" if near else "")
    step = f"write `type: {near}` in {item.path}" if near else f"give {item.path} a type of the table"
    tell.item("unknown-type", item, looked.line("type"), message, step, item.type)


def _check_notice(looked: Looked, notice: str, tell: MemoryFindings, *, traced: bool) -> None:
    item = looked.item
    place, _, sentence = notice.removeprefix(f"{item.path}:").partition(": ")
    line = int(place) if place.isdecimal() else 1
    if sentence.startswith("front matter"):
        tell.item("bad-front-matter", item, line, sentence, f"edit {item.path}, line {line}", sentence)
    elif _OF_TYPES not in sentence and not traced:
        tell.item("bad-value", item, line, sentence, f"edit {item.path}, line {line}", sentence)


def _check_keys(looked: Looked, tell: MemoryFindings) -> None:
    for key in looked.unknown:
        meant = next((known for known in KNOWN_KEYS if one_apart(key, known)), None)
        if meant and key not in _OWN_WORDS and meant not in looked.lines:
            message = f"{key} is no key that vfcc knows; did you mean {meant}?"
            step = f"write `{meant}:` in {looked.item.path}, line {looked.line(key)}"
            tell.item("near-key", looked.item, looked.line(key), message, step, key)


def one_apart(word: str, other: str) -> bool:
    """Say whether one letter more, less, other or swapped with the next makes one word the other; case counts not.

    >>> [one_apart(word, "expires") for word in ("expirse", "expire", "Expires", "expiry", "exists")]
    [True, True, True, False, False]
    """
    a, b = word.lower().replace("-", "_"), other
    if word == other or min(len(a), len(b)) < 3 or abs(len(a) - len(b)) > 1:
        return False
    start = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest, others = a[start:], b[start:]
    swapped = rest[:2] == others[:2][::-1] and rest[2:] == others[2:]
    return rest[1:] == others[1:] or rest[1:] == others or rest == others[1:] or swapped
