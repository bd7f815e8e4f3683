"""Files that hold the rules and the record of a project, which no agent changes: one list for hooks, gates and docs.

It is read inside of hooks, so it imports next to nothing.
"""

from verifflowcc.base.model.agent_clients import FILES, LOCAL_FILE, SERVER_FILES
from verifflowcc.base.records import dataclass

# Code that a git repository brings along and a commit would run.


@dataclass(frozen=True, slots=True)
class RepositoryCode:
    """A hook, or a setting of git that names a program.

    `kind` is `hook` or `setting`; `name` the hook or the setting's key. `text` is the hook's file, or the setting's
    value, and `digest` that of the file's bytes, or of the value.
    """

    kind: str
    """`hook` or `setting`."""
    name: str
    text: str
    """The file, or the value."""
    digest: str


CLIENT_SETTINGS = (FILES["claude"], LOCAL_FILE, *(file for name, file in FILES.items() if name != "claude"))
CLIENT_SETTINGS += tuple(file for file in dict.fromkeys(SERVER_FILES.values()) if file not in CLIENT_SETTINGS)
"""The files into which `vfcc integrate` writes hooks and servers."""
PROTECTED = (
    *(".memory/config.yaml", ".memory/workflow.yaml", ".memory/agent/*/tools.yaml", ".memory/project/baselines/**"),
    *CLIENT_SETTINGS,
)
"""Committed files that hold the rules: a gate shows each change of one since the sprint's base.

`CLAUDE.md` and `AGENTS.md` are not among them: they advise and enforce nothing, and agents are asked to keep them true.
"""
CLOSED = (
    *PROTECTED,
    *(".memory/sprint/*/events/**", ".memory/stage/*/*/evidence/**", ".memory/local/**", ".git", ".git/**"),
    *(".gitconfig", ".config/git/**", ".local/share/vfcc/allowed.json"),
)
"""What no agent changes with any tool, whatever its role may do. A pattern holds in whichever folder it begins, so that
a path through another worktree, a link or `~` does not lead around it. The last line has the rules of a machine: which
keys git trusts there, and the commands that a person allowed.
"""

OPEN = (".memory/local/reports/**",)
"""What is open all the same: configured commands write their reports there, whoever runs them."""

INSIDE, AROUND = "inside", "around"
_PATTERNS = [pattern.split("/") for pattern in CLOSED]
_OPEN = [pattern.split("/") for pattern in OPEN]
_GLOB = "*?[$`"
_MOST_WORDS = 64


def closed(path: str, more: "tuple[str, ...]" = ()) -> str:
    """Return `inside` for a closed file, `around` for a folder that holds some, and an empty text for others.

    `path` may be one word of a shell command: its `*`, `{a,b}` and `$` match whatever they could. `more` are patterns
    besides `CLOSED`.

    >>> [closed(path) for path in ("/p/.memory/config.yaml", ".memory/c*", ".memory/agent", ".memory/project/a.md")]
    ['inside', 'inside', 'around', '']
    """
    words = _alternatives(path.casefold())
    found = [_closed(each, more) for each in words]
    return next((how for how in (INSIDE, AROUND) if how in found), "")


def _closed(path: str, more: "tuple[str, ...]") -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    patterns = _PATTERNS + [pattern.casefold().split("/") for pattern in more]
    found = ""
    for start in range(len(parts)):
        if parts[start].startswith(("*", "?", "[", "$", "`")):
            continue  # a shell's `*` leaves out names that begin with a dot, as all our patterns do
        if any(_compared(parts[start:], pattern) == INSIDE for pattern in _OPEN):
            continue
        for pattern in patterns:
            how = _compared(parts[start:], pattern)
            if how == INSIDE:
                return INSIDE
            if how and pattern[0].startswith("."):  # a plain folder with one file of `more` in it is an ordinary one
                found = how
    return found


def _alternatives(word: str) -> "list[str]":
    """Return the words that a shell makes of `a{b,c}d`; the word itself where it has no such part."""
    found: list[str] = []
    waiting = [word]
    while waiting and len(found) + len(waiting) < _MOST_WORDS:  # nested braces multiply without a limit
        each = waiting.pop()
        end = each.find("}")
        start = each.rfind("{", 0, end) if end >= 0 else -1
        if start < 0 or "," not in each[start:end]:
            found.append(each)
        else:
            waiting += [each[:start] + one + each[end + 1 :] for one in each[start + 1 : end].split(",")]
    return found + waiting


def _compared(parts: "list[str]", pattern: "list[str]") -> str:
    for place, wanted in enumerate(pattern):
        if place >= len(parts):
            return AROUND
        if wanted == "**" or parts[place] == "**":
            return INSIDE
        if not could_be(parts[place], wanted):
            return ""
    return INSIDE if len(parts) == len(pattern) else ""


def could_be(part: str, name: str) -> bool:
    """Return whether a shell could expand a word with `*` or `$` to this name."""
    if name in ("*", part):
        return True
    places = [place for place, letter in enumerate(part) if letter in _GLOB]
    if not places:
        return False
    last = max(part.rfind(letter) for letter in "*?]$`")
    end = "" if part[last] in "$`" else part[last + 1 :]
    return name.startswith(part[: places[0]]) and name.endswith(end)


def in_project(path: str) -> bool:
    """Return whether a path of a command is relative, so that it is one of the project."""
    return not path.startswith(("/", "~")) and "$" not in path
