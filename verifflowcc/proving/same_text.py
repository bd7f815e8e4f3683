"""Whether two contents of a source file are the same but for comments and blank lines, by its syntax."""

import re
from functools import lru_cache

from verifflowcc.formats.comment_syntax import LANGUAGES, language_of
from verifflowcc.formats.symbols_braces import spans

_INSTRUCTION = re.compile(r"//go:|// \+build|//export |//line |#!")
"""Comments that compilers and shells obey."""


def same_text(path: str, one: bytes, other: bytes) -> bool | None:
    """Say whether two texts hold the same code; None where the syntax of the file is not known.

    >>> same_text("a.go", b"a() // one\\n", b"a() //two\\n\\n"), same_text("a.go", b"a()\\n", b"b()\\n")
    (True, False)
    """
    language = language_of(path)
    if language is None or language not in LANGUAGES:
        return None
    return _code(language, one) == _code(language, other)


@lru_cache(maxsize=8)
def _code(language: str, data: bytes) -> list[str]:
    text = data.decode("latin-1")
    parts, place = [], 0
    for span in spans(text, LANGUAGES[language]):
        if span.comment and not _INSTRUCTION.match(text, span.start):
            parts.append(text[place : span.start])
            place = span.end
    lines = "".join([*parts, text[place:]]).split("\n")
    return [line.rstrip() for line in lines if line.strip()]
