"""The command that somebody meant who typed a word that is none."""

from collections.abc import Mapping, Sequence
from typing import Any

from verifflowcc.text.article import nearest

SYNONYMS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("new", "create"), ("start", "add", "create")),
    **dict.fromkeys(("begin", "open"), ("start",)),
    **dict.fromkeys(("end", "stop", "done", "complete"), ("close", "finish")),
    **dict.fromkeys(("ls", "all"), ("list", "sprint list")),
    **dict.fromkeys(("rm", "remove", "delete", "del", "drop"), ("forget", "retire", "prune")),
    **dict.fromkeys(("purge", "clear", "clean"), ("forget", "prune", "review")),
    **dict.fromkeys(("cat", "view", "get", "display", "info"), ("show",)),
    **dict.fromkeys(("find", "grep", "query", "ask"), ("search", "find", "memory search")),
    **dict.fromkeys(("update", "set", "change", "modify"), ("edit", "use", "put")),
    **dict.fromkeys(("accept", "confirm"), ("promote", "approve")),
    **dict.fromkeys(("decline", "deny", "discard"), ("reject",)),
    **dict.fromkeys(("undo", "revert"), ("restore", "reopen")),
    **dict.fromkeys(("forward", "continue"), ("advance", "next")),
    **dict.fromkeys(("back", "return"), ("reopen",)),
    **dict.fromkeys(("exec", "execute", "test"), ("run", "evidence run")),
    **dict.fromkeys(("validate", "verify", "lint"), ("check",)),
    **dict.fromkeys(("prompt", "compile", "build"), ("context show",)),
    **dict.fromkeys(("setup", "install", "hooks"), ("integrate",)),
    **dict.fromkeys(("st", "board"), ("status",)),
    "log": ("history show",),
}
"""Words of other tools, each with the commands that it may mean, the likeliest first."""


def meant(group: str, typed: str, commands: Mapping[str, Any]) -> str:
    """Return the command that somebody meant who typed `typed` after `group`; empty where none is near.

    `group` is empty behind `vfcc` itself; `commands` are all commands, by the words behind `vfcc`.

    >>> meant("sprint", "new", {"sprint": 0, "sprint start": 0}), meant("", "advance", {"stage advance": 0})
    ('sprint start', 'stage advance')
    """
    if typed == "help":
        return f"{group} --help"
    if group and f"{typed} {group}" in commands:
        return f"{typed} {group}"
    here = {name.rpartition(" ")[2]: name for name in commands if name.rpartition(" ")[0] == group}
    for word in SYNONYMS.get(typed, ()):
        if word in here or (word in commands and not group):
            return here.get(word, word)
    if group and typed in commands:
        return typed
    if not group and (found := _elsewhere((typed, *SYNONYMS.get(typed, ())), commands)):
        return found
    near = nearest(typed, here)
    return here[near] if near else ""


def _elsewhere(words: Sequence[str], commands: Mapping[str, Any]) -> str:
    """Return the first command, in a group, that is called by one of the words."""
    named = (name for word in words for name in commands if name.endswith(f" {word}"))
    return next(named, "")
