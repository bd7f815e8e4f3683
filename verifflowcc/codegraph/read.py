"""What a source text says of itself: its definitions, references, imports and types, by the grammar of its language."""

from verifflowcc.codegraph.engine import as_utf8, parsed
from verifflowcc.codegraph.grammars import grammar_of
from verifflowcc.domain.code_views import LANGUAGES
from verifflowcc.domain.graph import FileFacts

LARGEST = 1 << 20
"""A text of more bytes is not read."""
_LONG_LINE = 5_000


def read_facts(language: str, data: bytes) -> FileFacts:
    """Return what a text in one of `LANGUAGES` says of itself; equal bytes give equal facts. It raises nothing.

    `problem` says why a text was not read: too large, minified, binary, too hard to parse, or no grammar for it.
    """
    problem = _problem(language, data)
    if problem:
        return FileFacts(language, problem=problem)
    grammar = grammar_of(language)
    data = as_utf8(data)
    root = parsed(grammar.language, data)
    return FileFacts(language, problem=root) if isinstance(root, str) else grammar.facts(data, root)


def _problem(language: str, data: bytes) -> str:
    if language not in LANGUAGES:
        return f"no grammar for {language} is here" if language else "its language is not known"
    if len(data) > LARGEST:
        return f"it has more than {LARGEST >> 20} MiB"
    if b"\0" in data:
        return "it has NUL bytes, as binary files do"
    if len(data) > _LONG_LINE * (data.count(b"\n") + 1):
        return f"its lines have more than {_LONG_LINE:,} bytes on average, as in minified files"
    return ""
