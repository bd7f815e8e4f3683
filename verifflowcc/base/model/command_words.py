"""The words before a command, and its old and other spellings: what they mean before anything is parsed.

It is read inside of hooks, so it imports nothing.
"""

FOLDER = "-C"
QUIET = ("-q", "--quiet")
VERBOSE = ("-v", "--verbose")
NO_COLOR = "--no-color"
FLAGS = (*QUIET, *VERBOSE, NO_COLOR)
"""Options before the command that take no value."""

RENAMED: "dict[tuple[str, ...], tuple[tuple[str, ...], str]]" = {
    ("config", "check"): (("check", "config"), ""),
    ("memory", "purge"): (("memory", "forget"), "--source"),
    ("task", "clear"): (("task", "fail", "--forget"), ""),
    ("trace", "clear"): (("trace", "review"), "--to"),
}
"""The spellings of version 0.1, each with the one of today, and the option without which that does something else."""
LAST = "0.3"
"""The version that removes the old spellings."""


def split_globals(words: "list[str]") -> "tuple[list[str], set[str], list[str]]":
    """Return the folders and the flags before the command, and the words from the command on.

    >>> split_globals(["-q", "-C", "sub", "status", "-q"])
    (['sub'], {'-q'}, ['status', '-q'])
    """
    folders: list[str] = []
    flags: set[str] = set()
    place = 0
    while place < len(words):
        if words[place] in FLAGS:
            flags.add(words[place])
            place += 1
        elif words[place] == FOLDER and place + 1 < len(words):
            folders.append(words[place + 1])
            place += 2
        else:
            break
    return folders, flags, words[place:]


def spelled_today(words: "list[str]") -> "tuple[list[str], str]":
    """Return the words of a command as today's version spells it, and the old spelling; empty where it is today's.

    >>> spelled_today(["config", "check", "--json"]), spelled_today(["help", "sprint"])
    ((['check', 'config', '--json'], 'config check'), (['sprint', '--help'], ''))
    """
    if words == ["version"]:
        return ["--version"], ""
    if words[:1] == ["help"] and not any(each.startswith("-") for each in words):
        return [*words[1:], "--help"], ""
    today, needed = RENAMED.get((*words[:1], *words[1:2]), ((), ""))
    if not today or (needed and not any(f"{each}=".startswith(f"{needed}=") for each in words)):
        return words, ""
    return [*today, *words[2:]], " ".join(words[:2])
