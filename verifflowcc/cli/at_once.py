"""Command lines that are answered without typer, which takes longer to build its commands than they take to answer.

Only plain ones: full names of options, each value behind its name. All others, and all that could be wrong, go to
typer, which reads these in the same way and says what is wrong with those.
"""

import os
from collections.abc import Mapping

_FLAGS = {"--all": "everything", "--explain": "explain", "--no-model": "no_model", "--json": "as_json"}
_ONCE = {"--scope": "scope", "--as-of": "as_of"}
_NUMBERS = {"--limit": "limit"}
_REPEATED = {"--type": "types", "--file": "files"}
_LONGEST_NUMBER = 9


def answered(arguments: list[str]) -> bool:
    """Answer a plain `memory search`; return False where the arguments are for typer. Raises as the search does."""
    if arguments[:2] != ["memory", "search"] or "_VFCC_COMPLETE" in os.environ:
        return False
    given = search_words(arguments[2:])
    if given is None:
        return False
    from verifflowcc.cli.memory_searching import answer

    answer(**given)  # type: ignore[arg-type]
    return True


def search_words(words: list[str]) -> Mapping[str, object] | None:
    """Return the question and the options of a search by name; None where they are not plain.

    >>> search_words(["why sqlite", "--type", "decision", "--json"])
    {'types': ['decision'], 'as_json': True, 'question': 'why sqlite'}
    """
    given: dict[str, object] = {}
    repeated: dict[str, list[str]] = {}
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            name, value = "question", word
        elif word in _FLAGS:
            given[_FLAGS[word]] = True
            continue
        else:
            name = _ONCE.get(word) or _NUMBERS.get(word) or _REPEATED.get(word) or ""
            value = next(left, "-")
            if not name or value.startswith("-"):
                return None
        if word in _REPEATED:
            given[name] = repeated.setdefault(name, [])
            repeated[name].append(value)
        elif name in given or (word in _NUMBERS and not _is_number(value)):
            return None
        else:
            given[name] = int(value) if word in _NUMBERS else value
    return given if "question" in given else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
