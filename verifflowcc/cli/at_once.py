"""Command lines that are answered without typer, which takes longer to build its commands than they take to answer.

Only plain ones: full names of options, each value behind its name. All others, and all that could be wrong, go to
typer, which reads these in the same way and says what is wrong with those.
"""

import os
from collections.abc import Mapping

SEARCH = {
    "": "question",
    "--all": True,
    "--explain": True,
    "--no-model": True,
    "--json": True,
    "--scope": "once",
    "--as-of": "once",
    "--limit": "number",
    "--type": "repeated",
    "--file": "repeated",
}
"""What a command takes: its one argument under the empty name, and its options, each with the form of its value."""

CODE: Mapping[str, Mapping[str, object]] = {
    "find": {"": "symbol", "--kind": "once", "--limit": "number", "--json": True},
    "file": {"": "path", "--json": True},
    "refs": {"": "symbol", "--kind": "once", "--all": True, "--json": True},
    "map": {"--budget": "number", "--json": True},
    "context": {"": "task", "--budget": "number", "--tests": True, "--explain": True, "--json": True},
    "impact": {"": "symbol", "--diff": True, "--format": "once", "--json": True},
    "index": {"--json": True},
    "status": {"--json": True},
}
_NAMES = {"--all": "everything", "--json": "as_json", "--type": "types", "--file": "files"}
"""What an option is called where it is not called as it is written."""
_LONGEST_NUMBER = 9


def answered(arguments: list[str]) -> bool:
    """Answer a plain command line; return False where it is for typer. Raises as the command does."""
    if arguments == ["status"]:
        return _drawn()
    plain = [word for word in arguments if word != "--full"]  # `cli/document.py` reads it
    if "_VFCC_COMPLETE" in os.environ or len(plain) < 2:
        return False
    group, command, *words = plain
    if (group, command) == ("memory", "search"):
        return _searched(words)
    return group == "code" and command in CODE and _asked(command, words)


def _drawn() -> bool:
    """Draw the board, where a person looks; the text is for `fast/`, and for the full command."""
    from verifflowcc.cli.terminal import wants_color

    if "_VFCC_COMPLETE" in os.environ or not wants_color():
        return False
    from verifflowcc.cli.board_views import show_board

    show_board()
    return True


def _searched(words: list[str]) -> bool:
    given = given_words(SEARCH, words)
    if given is None:
        return False
    from verifflowcc.cli.memory_searching import answer

    answer(**given)  # type: ignore[arg-type]
    return True


def _asked(command: str, words: list[str]) -> bool:
    given = given_words(CODE[command], words)
    if given is None:
        return False
    from verifflowcc.cli import code_answers

    getattr(code_answers, f"answer_{command}")(**given)
    return True


def given_words(takes: Mapping[str, object], words: list[str]) -> Mapping[str, object] | None:
    """Return the argument and the options of a command by name; None where they are not plain.

    >>> given_words(SEARCH, ["why sqlite", "--type", "decision", "--json"])
    {'question': 'why sqlite', 'types': ['decision'], 'as_json': True}
    """
    given: dict[str, object] = {}
    left = iter(words)
    for word in left:
        option = word if word.startswith("-") else ""
        form = takes.get(option)
        if form is None:
            return None
        name = str(form) if not option else _NAMES.get(option) or option[2:].replace("-", "_")
        if form is True:
            given[name] = True
            continue
        value = next(left, "-") if option else word
        if value.startswith("-") or (form != "repeated" and name in given):
            return None
        if form == "repeated":
            known = given.setdefault(name, [])
            assert isinstance(known, list)
            known.append(value)
        elif form == "number":
            if not _is_number(value):
                return None
            given[name] = int(value)
        else:
            given[name] = value
    return given if "" not in takes or str(takes[""]) in given else None


def _is_number(text: str) -> bool:
    """Whether it is a whole number from 1 up; what is none is told of by typer."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER and int(text) > 0
