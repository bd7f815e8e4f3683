"""What a task in words asks of the code: its words, the names and paths in it that are written as code is."""

import re
from collections.abc import Mapping

from verifflowcc.codegraph.words import words_in
from verifflowcc.records import dataclass

FIRST, LATER = 1.0, 0.5
"""What a word of the first line weighs, and one that stands only further down: the first line says what it is about."""

MOST_LATER = 300
"""Words further down than this are left out: what is longer quotes a log, a text, or code."""

LONGEST = 20_000
"""So many characters of a task are looked at."""

_PATH = re.compile(r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)+|\b[\w-]{1,128}\.[A-Za-z]{1,4}\b")
_QUOTED = re.compile(r"``?([^`\n]{1,80})``?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AS_CODE = re.compile(
    r"(?<![A-Za-z0-9_])(?:"  # at the beginning of a word alone: a long one would cost its length again and again
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?=\()"  # called
    r"|[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+"  # dotted
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*|_+[A-Za-z]\w*"  # with underscores
    r"|[A-Za-z]*[a-z0-9][A-Z]\w*|[A-Z]{2,}[a-z]\w+)"  # with humps
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Word → its weight, the identifiers of the task as they stand, and what could be a path or a file's name."""

    words: Mapping[str, float]
    names: frozenset[str]
    paths: frozenset[str]


def asked(task: str) -> Asked:
    """Return what a task asks for.

    >>> sorted(asked("Fix `send_file` in flask/helpers.py: the ETag").names)
    ['ETag', 'send_file']
    """
    task = task.strip()[:LONGEST]
    first, _, rest = task.partition("\n")
    words = dict.fromkeys(words_in(first), FIRST)
    for word in words_in(rest)[:MOST_LATER]:
        words.setdefault(word, LATER)
    paths = frozenset(_PATH.findall(task))
    spoken = [name for quoted in _QUOTED.findall(task) for name in _NAME.findall(quoted)]
    for found in _AS_CODE.findall(task):
        spoken += [name for name in found.split(".") if name]
    inside = {part for path in paths if "/" in path for part in _NAME.findall(path)}
    return Asked(words, frozenset(name for name in spoken if len(name) > 1) - inside, paths)
