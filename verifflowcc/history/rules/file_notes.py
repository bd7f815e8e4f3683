"""Choose what a hook adds after a file was read or at a prompt, from the notes that the full program left.

The notes are `{format, stamps, ledgers, items, files}`. `items` is id → `{line, tokens, terms?, paths}`, with `terms`
for those that a prompt may recall; `files` is path → `{tokens, items, past}`, where `tokens` are those of its heading,
and `past` are lines on earlier work, `[session, line, tokens]` each. It runs inside of hooks, so it imports next to
nothing.
"""

from verifflowcc.history.rules.event_shape import COMPILED
from verifflowcc.history.rules.read_only import only_reads
from verifflowcc.history.rules.touches import touches

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    Json = Any
    Parts = list[tuple[str, list[str]]]


NOTES, FORMAT = "notes", 2
"""How the file of the notes begins its name, and its format."""
RECALLED_HEADING = "The project's memory on this"
MOST_RECALLED, RECALL_TOKENS = 5, 300
FRAME_TOKENS = 24
"""What the two marks around a context take, by any counter that we know."""
_ITEM = " item "
"""Begins a line on an item in the list of what a session has seen; a path in it never begins with a space."""
_INDEXED = " index "
"""Begins a line on an item that a brief listed: no prompt recalls it again, but a file that it cites names it."""
_GENERAL = frozenset(
    "add build change check code creat delet error fail file fix function implement improv line make method modul new "
    "project pass read remov run show task test updat valu work write".split()
)
"""Terms that are in prompts of any subject."""
_AROUND = ".,:;?!()[]<>\"'`*"
_RARE_AMONG = 10
"""A term is rare where at most one of so many items has it (or two items do)."""


def read_files(payload: "Mapping[str, Json]", root: str) -> "list[str]":
    """Return the files that a call has read, by a tool or by a shell command that only reads; outside ones left out."""
    given, tool = payload.get("tool_input"), payload.get("tool_name")
    if payload.get("hook_event_name") != "PostToolUse" or not isinstance(given, dict) or tool not in ("Read", "Bash"):
        return []
    command = given.get("command")
    if tool == "Bash" and not (isinstance(command, str) and only_reads(command)):
        return []
    found = touches(str(tool), given, None, str(payload.get("cwd") or root), root)
    paths = [str(each["path"]) for each in found if each["operation"] in ("read", "search")]
    return [path for path in dict.fromkeys(paths) if path != "." and not path.startswith(("/", "~"))]


def chosen(
    payload: "Mapping[str, Json]", root: str, notes: "Mapping[str, Json]", seen: "Collection[str]", room: int
) -> "tuple[Parts, list[str]]":
    """Return what to add to an event, as headings with lines, and the lines to note as seen; at most `room` tokens."""
    if payload.get("hook_event_name") == "UserPromptSubmit":
        if COMPILED in payload:
            return [], []  # it was compiled with the items that fit it
        return at_prompt(str(payload.get("prompt") or ""), notes, seen, room)
    return after_read(read_files(payload, root), notes, seen, str(payload.get("session_id") or ""), room)


def after_read(
    paths: "Iterable[str]", notes: "Mapping[str, Json]", seen: "Collection[str]", session: str, room: int
) -> "tuple[Parts, list[str]]":
    """Return what is known of files that were read, and the lines to note as seen; at most `room` tokens.

    A file that finds no room is not noted, and comes when it is read again.
    """
    items, parts, noted = notes["items"], [], []
    left = room - FRAME_TOKENS
    for path in paths:
        about = notes["files"].get(path)
        if path in seen:
            continue
        lines, tokens, ids = [], 0, []
        if about is not None:
            found = [(items[each]["line"], items[each]["tokens"], each) for each in about["items"] if each in items]
            found = [each for each in found if _ITEM + each[2] not in seen and _ITEM + each[2] not in noted]
            found += [(line, cost, "") for of, line, cost in about["past"] if of != session]
            tokens = about["tokens"]
            for line, cost, name in found:
                if tokens + cost <= left:
                    tokens += cost
                    lines.append(line)
                    ids += [_ITEM + name] if name else []
            if found and not lines:
                continue
        noted += [path, *ids]
        if lines:
            left -= tokens
            parts.append((f"Known of {path}", lines))
    return parts, noted


def at_prompt(
    prompt: str, notes: "Mapping[str, Json]", seen: "Collection[str]", room: int
) -> "tuple[Parts, list[str]]":
    """Return the items that fit a prompt well and were not shown yet, and the lines to note as seen.

    An item fits well where the prompt names its id or a file that it cites, has two rare words of its title, key and
    tags, or all words of a title of two and more.
    """
    items = {name: each for name, each in notes["items"].items() if each.get("terms") and not _is_seen(name, seen)}
    if not items:
        return [], []
    from verifflowcc.base.text.stems import stems

    rare_up_to = max(2, len(notes["items"]) // _RARE_AMONG)
    among: dict[str, int] = {}
    for each in notes["items"].values():
        for term in each.get("terms") or ():
            among[term] = among.get(term, 0) + 1
    asked, words = set(stems(prompt)), {word.strip(_AROUND) for word in prompt.split()}
    found = []
    for name, each in items.items():
        terms = asked.intersection(each["terms"])
        rare = sum(among[term] <= rare_up_to and term not in _GENERAL for term in terms)
        named = name in words or not words.isdisjoint(each["paths"])
        if named or rare > 1 or len(terms) == len(each["terms"]) > 1:
            found.append((-named, -rare, -len(terms), name))
    left, lines, noted = min(room, RECALL_TOKENS) - FRAME_TOKENS - notes["heading"], [], []
    for *_, name in sorted(found)[:MOST_RECALLED]:
        if items[name]["tokens"] <= left:
            left -= items[name]["tokens"]
            lines.append(items[name]["line"])
            noted.append(_ITEM + name)
    return ([(RECALLED_HEADING, lines)] if lines else []), noted


def indexed(ids: "Iterable[str]") -> "list[str]":
    """Return the lines that note items as listed by a brief, in order.

    >>> indexed({"two", "one"})
    [' index one', ' index two']
    """
    return [_INDEXED + name for name in sorted(ids)]


def _is_seen(name: str, seen: "Collection[str]") -> bool:
    return _ITEM + name in seen or _INDEXED + name in seen
