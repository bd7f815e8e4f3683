"""The options before a command: the folder that it runs in, and how much it writes."""

import os

from verifflowcc.base.model.command_words import split_globals


def without_globals(arguments: "list[str]") -> "list[str]":
    """Apply the options before the command, and return the words from the command on.

    Where a folder cannot be entered nothing is applied and all words are returned: the full command reports it.
    """
    folders, flags, rest = split_globals(arguments)
    if not _entered(folders):
        return arguments
    if flags:
        from verifflowcc.base.terminal.terminal import apply_flags

        apply_flags(flags)
    return rest


def _entered(folders: "list[str]") -> bool:
    """Enter one folder after the other, as git does; return False, in the folder of the start, where one fails."""
    if not folders:
        return True
    try:
        start = os.getcwd()
    except OSError:
        start = ""
    try:
        for folder in folders:
            os.chdir(folder)
    except (OSError, ValueError):
        if start:
            os.chdir(start)
        return False
    return True
