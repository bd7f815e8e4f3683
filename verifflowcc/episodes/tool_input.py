"""What the input of an unknown tool names: paths and commands, wherever they are in it. It runs inside of hooks."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Json = Any

_COMMANDS = frozenset(("command", "cmd", "script", "shell_command", "commandline", "command_line"))
_PATHS = (
    "path",
    "file",
    "uri",
    "url",
    "dir",
    "folder",
    "source",
    "destination",
    "dest",
    "target",
    "root",
    "from",
    "to",
)
_READS = frozenset(
    (
        *(
            "read",
            "get",
            "list",
            "search",
            "find",
            "view",
            "show",
            "fetch",
            "query",
            "lookup",
            "describe",
            "stat",
            "count",
        ),
        *(
            "grep",
            "glob",
            "cat",
            "head",
            "tail",
            "tree",
            "status",
            "diff",
            "log",
            "info",
            "check",
            "web",
            "lsp",
            "hover",
        ),
    )
)
_CHANGES = frozenset(
    (
        *("write", "edit", "update", "create", "delete", "move", "rename", "set", "put", "save", "append", "insert"),
        *("replace", "remove", "patch", "apply", "copy", "upload", "modify", "truncate", "run", "exec", "execute"),
    )
)
_DEEPEST, _MOST, _LONGEST = 12, 2_000, 4_096


def only_reads_by_name(tool: str) -> bool:
    """Say whether a tool's name is that of one that reads.

    >>> [only_reads_by_name(each) for each in ("mcp__fs__read_file", "mcp__fs__get_or_create", "FileEditor")]
    [True, False, False]
    """
    words = _words(tool.rpartition("__")[2])
    return bool(words) and words[0] in _READS and not any(word in _CHANGES for word in words)


def commands_in(given: "Json") -> "list[str]":
    """Return the texts that are commands by the name of their field; a list of words is one command."""
    if not isinstance(given, dict):
        return []
    found = []
    for key, value in given.items():
        if str(key).lower() in _COMMANDS:
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, list):
                found.append(
                    " ".join("'" + each.replace("'", "'\\''") + "'" for each in value if isinstance(each, str))
                )
    return found


def paths_in(given: "Json") -> "list[str]":
    """Return the texts that name a file: by the name of their field, or by how they begin.

    >>> paths_in({"edits": [{"path": "a.py", "text": "x y"}], "uri": "file:///p/b", "note": "~/c", "url": "https://d"})
    ['/p/b', '~/c', 'a.py']
    """
    found = []
    for key, text in _texts(given):
        plain = text.removeprefix("file://")
        if "://" in plain or "\n" in plain or not plain or len(plain) > _LONGEST:
            continue
        named = any(part in key.lower() for part in _PATHS[:5]) or key.lower() in _PATHS
        if named or plain.startswith(("/", "./", "../", "~/")):
            found.append(plain)
    return found


def texts_in(given: "Json") -> "list[str]":
    """Return all texts of one line, which may name a file under any field."""
    return [text.removeprefix("file://") for _, text in _texts(given) if "\n" not in text and len(text) <= _LONGEST]


def _texts(value: "Json") -> "Iterator[tuple[str, str]]":
    waiting: list[tuple[str, Json, int]] = [("", value, 0)]
    seen = 0
    while waiting and seen < _MOST:
        key, each, depth = waiting.pop(0)
        seen += 1
        if isinstance(each, str):
            yield key, each
        elif depth < _DEEPEST and isinstance(each, dict):
            waiting += [(str(name), one, depth + 1) for name, one in each.items()]
        elif depth < _DEEPEST and isinstance(each, list):
            waiting += [(key, one, depth + 1) for one in each]


def _words(name: str) -> "list[str]":
    """Return the words of a name, `readFile` and `read_file` alike."""
    spaced = "".join(
        f" {letter}" if letter.isupper() and place and not name[place - 1].isupper() else letter
        for place, letter in enumerate(name)
    )
    return spaced.lower().replace("_", " ").replace("-", " ").replace(".", " ").split()


_OWN_SERVERS = ("mcp__vfcc__", "mcp__plugin_vfcc_vfcc__")
_OWN_COMMANDS = {
    "next": "next",
    "brief": "context show",
    "recall": "memory search",
    "known": "history show",
    "code": "code context",
    "remember": "memory add",
    "put": "stage put",
    "check": "evidence run",
    "advance": "stage advance",
}


def own_command(tool: str) -> str:
    """Return the command of vfcc that does the same as a tool of its server; empty for any other tool.

    >>> own_command("mcp__vfcc__put"), own_command("mcp__vfcc__write"), own_command("mcp__other__put")
    ('stage put', '', '')
    """
    start = next((each for each in _OWN_SERVERS if tool.startswith(each)), None)
    return _OWN_COMMANDS.get(tool[len(start) :], "") if start else ""
