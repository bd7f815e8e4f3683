"""Which files a call of a tool touches: what it does with each, which lines, and how much it changed.

Calls are in Claude Code's form, whichever client made them. It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.history.rules.shell_commands import acts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Json = Any


MOST = 50
"""One call tells of no more files: what lists a thousand names touches none of them."""
_EDITS = {"Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
_SEARCHES = ("Grep", "Glob", "LS")
_PATCH = {"*** Add File: ": "write", "*** Update File: ": "edit", "*** Delete File: ": "edit"}
_OPERATIONS = {"list": "search"}


def touches(tool: str, given: "Mapping[str, Json]", response: "Json", cwd: str, root: str) -> "list[dict[str, Json]]":
    """Return `{path, operation, lines?, changes?}` for each file or folder that a call touches, each once.

    `cwd` and `root` are absolute folders: where it ran, and that of the project. Paths below `root` are relative to it.
    """
    found: dict[tuple[str, str], dict[str, Json]] = {}
    for act, path, lines, changes in _touched(tool, given, response):
        if not path and act not in ("search", "list"):
            continue
        operation = _OPERATIONS.get(act, act)
        place = placed(path, cwd, root)
        one: dict[str, Json] = {"path": place, "operation": operation}
        if lines and lines[0] > 0:
            one["lines"] = list(lines)
        if changes:
            one["changes"] = changes
        found.setdefault((operation, place), one)
        if len(found) >= MOST:
            break
    return list(found.values())


def placed(path: str, cwd: str, root: str) -> str:
    """Return a path as it is recorded: from the project's root where it lies below it, else absolute.

    >>> placed("../b.py", "/p/src", "/p"), placed("/etc/hosts", "/p", "/p"), placed("", "/p", "/p")
    ('b.py', '/etc/hosts', '.')
    """
    whole = path if path.startswith(("/", "~")) else f"{cwd}/{path}"
    parts: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    if whole.startswith("~"):
        return "/".join(parts) if parts[:1] == whole.split("/")[:1] else "/" + "/".join(parts)
    plain = "/" + "/".join(parts)
    base = root.rstrip("/")
    if plain == base:
        return "."
    return plain[len(base) + 1 :] if plain.startswith(base + "/") else plain


_Touch = tuple[str, str, "tuple[int, int] | None", str]


def _touched(tool: str, given: "Mapping[str, Json]", response: "Json") -> "Iterator[_Touch]":
    if tool in _EDITS:
        lines, changes = _patched(response)
        yield "edit", _text(given, _EDITS[tool]), lines, changes or _counted(given)
    elif tool == "Write":
        content = _text(given, "content")
        yield "write", _text(given, "file_path"), None, f"+{_lines_in(content)}"
    elif tool == "Read":
        yield "read", _text(given, "file_path"), _asked_lines(given), ""
    elif tool in _SEARCHES:
        yield "search", _text(given, "path"), None, ""
    elif tool == "Bash":
        command = _text(given, "command")
        if "*** Begin Patch" in command:
            yield from _of_patch(command)
        else:
            yield from ((act, path, lines, "") for act, path, lines in acts(command))
    elif tool == "apply_patch":
        yield from _of_patch(_text(given, "patch") or _text(given, "input") or _text(given, "command"))


def _of_patch(text: str) -> "Iterator[_Touch]":
    act, path, more, less = "", "", 0, 0
    for line in text.split("\n"):
        start = next((each for each in _PATCH if line.startswith(each)), "")
        if start or line.startswith("*** End Patch"):
            if path:
                yield act, path, None, f"+{more} -{less}"
            act, path, more, less = _PATCH.get(start, ""), line[len(start) :].strip() if start else "", 0, 0
        elif line.startswith("*** Move to: "):
            yield "write", line[13:].strip(), None, ""
        elif line.startswith("+"):
            more += 1
        elif line.startswith("-"):
            less += 1
    if path:
        yield act, path, None, f"+{more} -{less}"


def _patched(response: "Json") -> "tuple[tuple[int, int] | None, str]":
    """Return the lines that changed and how many came and went, where the client says so."""
    hunks = response.get("structuredPatch") if isinstance(response, dict) else None
    if not isinstance(hunks, list):
        return None, ""
    changed, more, less = [], 0, 0
    for hunk in hunks:
        if not isinstance(hunk, dict) or not isinstance(hunk.get("lines"), list):
            continue
        start, lines = hunk.get("newStart"), [line for line in hunk["lines"] if isinstance(line, str)]
        changed += _changed(lines, start) if isinstance(start, int) else []
        more += sum(1 for line in lines if line.startswith("+"))
        less += sum(1 for line in lines if line.startswith("-"))
    return ((min(changed), max(changed)) if changed else None), (f"+{more} -{less}" if more or less else "")


def _changed(lines: "list[str]", start: int) -> "list[int]":
    """Return the numbers of a hunk's lines that are new, and of the line after each one that was removed.

    A hunk has lines around its changes, which the edit left as they were.
    """
    found, number = [], start
    for line in lines:
        if line.startswith(("+", "-")):
            found.append(number)
        if not line.startswith(("-", "\\")):
            number += 1
    last = max(number - 1, start)
    return [max(1, min(each, last)) for each in found]


def _counted(given: "Mapping[str, Json]") -> str:
    """How many lines come and go by what the call says, where the client says nothing of what it did."""
    edits = given.get("edits")
    each = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else [given]
    more = sum(_lines_in(_text(one, "new_string") or _text(one, "new_source")) for one in each)
    less = sum(_lines_in(_text(one, "old_string")) for one in each)
    return f"+{more} -{less}" if more or less else ""


def _asked_lines(given: "Mapping[str, Json]") -> "tuple[int, int] | None":
    first, count = given.get("offset"), given.get("limit")
    first = first if isinstance(first, int) and first > 0 else 1
    return (first, first + count - 1) if isinstance(count, int) and count > 0 else None


def _lines_in(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _text(given: "Mapping[str, Json]", name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""
