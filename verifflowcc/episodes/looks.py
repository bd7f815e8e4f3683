"""What a call of a tool looks for: the lines that it reads, the pattern that it searches for, the folder that it lists.

By its parameters alone; a shell command is one of these where it does nothing else. What pipes make of the output is
not looked at: `cat a | head` is taken as a read of the whole file.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from verifflowcc.domain.calls import Call
from verifflowcc.domain.events import Json
from verifflowcc.episodes.commands import acts, sought
from verifflowcc.episodes.read_only import only_reads
from verifflowcc.episodes.touches import placed
from verifflowcc.records import dataclass

_NAMED = re.compile(r"-i?name\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))")
_DEEP = re.compile(r"\b(?:find|fd|fdfind|tree|git\s+ls-files)\b|\bls\s+(?:\S+\s+)*-\w*R")
_EXTENDED = re.compile(r"\b(?:egrep|rg|ag|ack)\b|\s-\w*[EP]\w*\b|--(?:extended|perl)-regexp")
_FIXED = re.compile(r"\bfgrep\b|\s-\w*F\w*\b|--fixed-strings")
_ANY_CASE = re.compile(r"\s-\w*i\w*\b|--ignore-case")
_ONLY_NAMES = re.compile(r"\s-\w*l\w*\b|--files-with-matches")
_SWAPPED = re.compile(r"\\?[|(){}+?]")


class Kind(StrEnum):
    """What sort of looking around a call is."""

    SEARCH = "search"
    LISTING = "listing"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that is looked for. `path` is from the project's root, `.` for all of it; `lines` are first and last.

    `pattern` is the regular expression of a search, `names` a pattern of the names of files; a search with `only_names`
    asks in which files it is, and a listing that is not `deep` for the names in one folder.
    """

    kind: Kind
    path: str
    lines: tuple[int, int] | None = None
    pattern: str = ""
    names: str = ""
    only_names: bool = False
    any_case: bool = False
    deep: bool = True


def looks(call: Call, root: str) -> tuple[Look, ...]:
    """Return what a call looks for; nothing where it is no search, listing or read, or failed. `root` is absolute."""
    given = _given(call)
    if call.success is False or given is None:
        return ()
    if call.tool == "Bash":
        return tuple(_of_command(call, _text(given, "command"), root))
    path = _place(call, _text(given, "file_path") or _text(given, "path"), root)
    match call.tool:
        case "Read" if _text(given, "file_path"):
            return (Look(Kind.READ, path, _lines(given)),)
        case "Grep" if _text(given, "pattern"):
            only_names = _text(given, "output_mode") not in ("content", "count")
            names, any_case = _text(given, "glob"), given.get("-i") is True
            return (Look(Kind.SEARCH, path, None, _text(given, "pattern"), names, only_names, any_case),)
        case "Glob" if _text(given, "pattern"):
            return (Look(Kind.LISTING, path, names=_text(given, "pattern")),)
        case "LS":
            return (Look(Kind.LISTING, path, deep=False),)
    return ()


def _of_command(call: Call, command: str, root: str) -> Iterator[Look]:
    if not only_reads(command):
        return
    named = _NAMED.search(command)
    names = next(filter(None, named.groups()), "") if named else ""
    for act, path, lines in acts(command):
        place = _place(call, path, root)
        if act == "read":
            yield Look(Kind.READ, place, lines)
        elif act == "list":
            yield Look(Kind.LISTING, place, names=names, deep=bool(_DEEP.search(command)))
        elif act == "search":
            for pattern in sought(command):
                only_names, any_case = bool(_ONLY_NAMES.search(command)), bool(_ANY_CASE.search(command))
                yield Look(Kind.SEARCH, place, None, _expression(pattern, command), "", only_names, any_case)


def _expression(pattern: str, command: str) -> str:
    """Return a pattern of grep's as Python writes it: without -E, brackets and bars mean themselves."""
    if _FIXED.search(command):
        return re.escape(pattern)
    if _EXTENDED.search(command):
        return pattern
    return _SWAPPED.sub(lambda found: found[0][1:] if found[0].startswith("\\") else f"\\{found[0]}", pattern)


def _place(call: Call, path: str, root: str) -> str:
    """Return a path as it was recorded: where the command ran is known there, and not here."""
    plain = placed(path, root, root)
    if plain in call.touched:
        return plain
    fitting = [each for each in call.touched if plain.endswith(f"/{each}") or each.endswith(f"/{plain}")]
    return fitting[0] if len(fitting) == 1 else plain


def _lines(given: Mapping[str, Json]) -> tuple[int, int] | None:
    first, count = given.get("offset"), given.get("limit")
    first = first if isinstance(first, int) and first > 0 else 1
    return (first, first + count - 1) if isinstance(count, int) and count > 0 else None


def _given(call: Call) -> Mapping[str, Json] | None:
    try:
        value = json.loads(call.parameters)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _text(given: Mapping[str, Json], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def kind_of(found: Sequence[Look]) -> Kind:
    """Return what a call that looks for several things counts as: that of the first."""
    return found[0].kind
