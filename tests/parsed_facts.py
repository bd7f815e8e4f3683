"""What the readers of this package read in files, as JSON: the same on every Python.

`python tests/parsed_facts.py FOLDER` prints the facts of all files in a folder, by path; `--digests` prints their
digests alone. It needs no library beside the package's own pure modules, so that any Python can run it. To accept
changed facts on purpose: `python tests/parsed_facts.py tests/fixtures/parsed > tests/fixtures/parsed.json`.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, read_simple
from verifflowcc.base.text.glob import matches
from verifflowcc.base.text.markdown import fenced_lines, sections
from verifflowcc.base.text.placeholders import placeholder_line, says_something
from verifflowcc.base.text.secrets import find_secrets
from verifflowcc.code.rules.comment_syntax import LANGUAGES, language_of
from verifflowcc.code.rules.marks import read_code
from verifflowcc.code.rules.symbols_braces import spans
from verifflowcc.items.rules.front_matter import EditRefusal, key_spans, split
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn
from verifflowcc.trace.rules.item_wording import demands, gaps, weak_words

LARGEST_BYTES = 200_000
PATTERNS = ("**/*.py", "*a*e*", "**/[!n]*.*", "a/**/b/*/c", "na?es.*", "**/*a*b*/**/x*y", "src/", "[a-n]*.m*")


def facts_of(path: str, text: str) -> dict[str, object]:
    """Return what each reader reads in a text, by the reader's name."""
    readers: dict[str, Callable[[], object]] = {
        "comments": lambda: _comments(path, text),
        "symbols": lambda: [f"{each.name} {each.line}-{each.end}" for each in read_code(path, text)[1]],
        "front matter": lambda: _front_matter(text),
        "placeholders": lambda: [says_something(text), placeholder_line(text), says_something(text, markdown=False)],
        "cells": lambda: [placeholder_line(line) for line in text.split("\n\n")],
        "sections": lambda: [f"{each.level} {each.title} {each.start}-{each.end}" for each in sections(text)],
        "fences": lambda: sorted(fenced_lines(text)),
        "secrets": lambda: [f"{each.kind} {each.start}-{each.end}" for each in find_secrets(text)],
        "wording": lambda: [f"{each.line} {each.words}" for each in (*weak_words(text), *gaps(text))],
        "demands": lambda: list(demands(text)),
        "statements": lambda: [each.content for each in extract(Turn("t1", Speaker.PERSON, text, "s1")).candidates],
        "globs": lambda: [pattern for pattern in PATTERNS if matches(path, pattern)],
    }
    return {name: read() for name, read in readers.items()}


def _comments(path: str, text: str) -> list[str]:
    name = language_of(path)
    found = spans(text, LANGUAGES[name]) if name else ()
    return [f"{'comment' if each.comment else 'text'} {each.start}-{each.end}" for each in found]


def _front_matter(text: str) -> list[str]:
    block = split(text).block
    if block is None:
        return []
    try:
        found = [f"{each.key} {each.value_start}-{each.value_end}" for each in key_spans(block)]
    except EditRefusal as refused:
        found = [f"refused: {refused}"]
    return [*found, *(f"{line} = {_shown(read_simple(line))}" for line in block.splitlines())]


def _shown(value: object) -> object:
    """Return a value of front matter as plain lists and texts; None where the quick reader leaves it to YAML."""
    if isinstance(value, FieldTable):
        return [[key, _shown(inner)] for key, inner in value.pairs]
    if isinstance(value, FieldList):
        return [_shown(inner) for inner in value.values]
    return value.text if isinstance(value, FieldScalar) else value


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that are not too large, by path."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST_BYTES:
            yield path


def facts_below(folder: Path) -> dict[str, dict[str, object]]:
    """Return the facts of all UTF-8 files below a folder, by path and reader."""
    found = {}
    for path in files_in(folder):
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        name = path.relative_to(folder).as_posix()
        found[name] = facts_of(name, text)
    return found


def digests_of(facts: dict[str, dict[str, object]]) -> dict[str, dict[str, str]]:
    """Return a short digest in place of each fact."""
    return {path: {name: _digest(value) for name, value in read.items()} for path, read in facts.items()}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


if __name__ == "__main__":
    read = facts_below(Path(sys.argv[-1]))
    shown = digests_of(read) if "--digests" in sys.argv else read
    json.dump(shown, sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")
