"""A role's `tools.yaml`: which tools it may use, with which files, as far as hooks can hold it to that.

Version 2 lists every class that is allowed. A file without a version is read as version 1 was, with git that only reads
and the queries and work of vfcc, and without what version 1 could not name: changes by git, moves of a sprint.
"""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.config.config_defaults import read_small
from verifflowcc.base.errors import ConfigError, FormatError
from verifflowcc.base.model.command_classes import CI_TOO, MOVE, PERSON, QUERY, WORK
from verifflowcc.base.model.events import Json
from verifflowcc.base.text.plain_words import nearest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.base.config.yaml_values import Lines, Loc, Value

VERSION = 2
KEYS: Mapping[str, tuple[str, ...]] = {
    "read": ("paths", "never"),
    "search": ("paths", "never"),
    "edit": ("paths", "never"),
    "run": ("commands",),
    "git-read": (),
    "git-write": (),
    "vfcc": ("classes",),
    "mcp": ("servers", "tools"),
}
"""The classes of tools, each with the keys that narrow it."""
ALLOWS: Mapping[str, str] = {
    "read": "reading files, also by commands that only look; `paths` and `never` are patterns from the project's root",
    "search": "searching files, likewise",
    "edit": "changing files, by tools, patches, and commands such as `rm` or `>`",
    "run": "all other commands; `commands` are their first words",
    "git-read": "git verbs that only read",
    "git-write": "all other git verbs",
    "vfcc": "`vfcc`; `classes` are of `query`, `work`, `move` (default: the first two)",
    "mcp": "tools of MCP servers; files that they change also need `edit`",
}
"""What each class allows."""
OF_VFCC = (QUERY, WORK, MOVE)
WITHOUT_A_FILE: Mapping[str, Json] = {
    **{name: {"paths": [], "never": []} for name in ("read", "search")},
    "git-read": {},
    "vfcc": {"classes": [QUERY, WORK]},
}
"""The table of a role that has no file: it reads and works with vfcc, and its own stage's artifacts are open to it."""
_VERSION_1: Mapping[str, Json] = {"git-read": {}, "vfcc": {"classes": [QUERY, WORK]}, "mcp": {}}
_HINT = (
    "version: 2, tools: [{name: read, paths: ['**']}, {name: edit, paths: ['src/**']}, {name: run}, {name: git-read}]"
)
_OWN_KEYS = ("version", "tools", "network")


def read_tools(path: Path, root: Path) -> dict[str, Json] | None:
    """Return a role's tools by their class, each with what narrows it; None where there is no such file.

    Raises FormatError where it is not what it should be, ConfigError for a link or a device, WorkspaceError where it
    cannot be read.
    """
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    data = read_small(path, name, inside=root)
    if data is None:
        return None
    table, problems = parse_tools(data, name)
    if problems:
        raise FormatError("\n".join(problems), hint=_HINT)
    return table


def parse_tools(data: bytes, name: str) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Return the table of a file, and what is wrong with it: sentences that begin with `name:line:`."""
    from verifflowcc.base.config.yaml_values import load_yaml  # many commands know of these files, and few read one

    try:
        value, lines = load_yaml(data, name)
    except ConfigError as error:
        return {}, error.problems
    reading = _ToolsReader(name, lines)
    table = reading.table(value)
    return table, tuple(reading.problems)


class _ToolsReader:
    """Reads one file and notes what is wrong."""

    def __init__(self, name: str, lines: "Lines") -> None:
        self.name, self.lines = name, lines
        self.problems: list[str] = []

    def table(self, value: "Value") -> dict[str, Json]:
        listed = value.get("tools") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(listed, list):
            self.note((), "names no list of tools")
            return {}
        version = value.get("version", 1)
        if version not in (1, VERSION) or isinstance(version, bool):
            self.note(("version",), f"version {version} is none that this vfcc knows: it is {VERSION}")
            return {}
        if version == 1:
            return dict(_VERSION_1) | dict(self.listed(listed, strict=False))
        for key in value:
            if key not in _OWN_KEYS:
                self.note((key,), f"unknown key {key}; allowed: {', '.join(_OWN_KEYS)}")
        return dict(self.listed(listed, strict=True))

    def listed(self, listed: "list[Value]", *, strict: bool) -> list[tuple[str, Json]]:
        found: list[tuple[str, Json]] = []
        for place, each in enumerate(listed):
            loc: Loc = ("tools", place)
            name = each.get("name") if isinstance(each, dict) else each
            given = each if isinstance(each, dict) else {}
            if not isinstance(name, str):
                self.note(loc, "a tool has no name")
            elif not strict:
                found.append(
                    (name, {key: self.patterns(given.get(key), (*loc, key), name) for key in ("paths", "never")})
                )
            elif name not in KEYS:
                self.note(loc, f"there is no tool {name}{self.near(name)}; there is {', '.join(KEYS)}")
            elif name in dict(found):
                self.note(loc, f"{name} is listed twice; keep one")
            else:
                found.append((name, self.rule(name, given, loc)))
        return found

    def rule(self, name: str, given: "dict[str, Value]", loc: "Loc") -> dict[str, Json]:
        rule: dict[str, Json] = {}
        for key in given:
            if key not in ("name", *KEYS[name]):
                allowed = ", ".join(KEYS[name]) or "none besides name"
                self.note((*loc, key), f"{name} has no key {key}; allowed: {allowed}")
        for key in KEYS[name]:
            found = self.patterns(given.get(key), (*loc, key), name)
            if found or key in ("paths", "never"):
                rule[key] = found
            elif isinstance(given.get(key), list):
                self.note((*loc, key), f"{name}.{key} is empty: take the line away, or the tool")
        if name == "vfcc":
            self.check_classes(rule.setdefault("classes", [QUERY, WORK]), (*loc, "classes"))
        return rule

    def check_classes(self, classes: Json, loc: "Loc") -> None:
        for each in classes if isinstance(classes, list) else ():
            if each in (PERSON, CI_TOO):
                self.note(loc, f"the class {each} of vfcc belongs to people: no role of an agent can have it")
            elif each not in OF_VFCC:
                self.note(loc, f"vfcc has no class {each}; there is {', '.join(OF_VFCC)}")

    def patterns(self, value: "Value", loc: "Loc", name: str) -> list[Json]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.note(loc, f"{name}.{loc[-1]} is no list of texts")
            return []
        return [each for each in value if isinstance(each, str)]

    def near(self, name: str) -> str:
        found = nearest(name, KEYS)
        return f" (did you mean {found}?)" if found else ""

    def note(self, loc: "Loc", sentence: str) -> None:
        place = loc
        while place and place not in self.lines:
            place = place[:-1]
        self.problems.append(f"{self.name}:{self.lines.get(place, 1)}: {sentence}")
