"""What `migrate` makes of a role's `tools.yaml` that has no version, as version 0.1 wrote it.

One that is 0.1's own, byte for byte, becomes the shipped one of today; any other gets `version: 2` and keeps its
meaning, with the classes listed that a file without a version opens by itself.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.adapters.config.defaults import read_small
from verifflowcc.adapters.config.tools_yaml import KEYS, VERSION, parse_tools
from verifflowcc.adapters.config.yaml_values import load_yaml
from verifflowcc.domain.command_classes import MOVE, QUERY, WORK
from verifflowcc.domain.events import Json
from verifflowcc.records import dataclass
from verifflowcc.services.migrating_step import Step
from verifflowcc.services.role_files import TOOLS, starting_files
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text

_OF_0_1: Mapping[str, str] = {
    "analyst": "9c0c2d8de72dd02d6116c72915bd0f3a271a9c80c88a12c1ce962f6a8d8ea516",
    "architect": "1e4521589d0c39b7a3efa8f0530a8821e4a2e9669ded9d9ac97ca0b8db4d51e8",
    "coder": "523a7cb20f9f95dfcce6b1123ea5bc51728ede5150f4afb6f8f5b68c3377ca9f",
    "designer": "1e4521589d0c39b7a3efa8f0530a8821e4a2e9669ded9d9ac97ca0b8db4d51e8",
    "integrator": "71a4f8372249a3e3fe2e2493079184f2d7920ce43d95726fd0372c874e836639",
    "planner": "5d9394ce0245ec2562e84bd10eb678cf8890473934839f94a68b6f402a043fae",
    "reviewer": "58062f26ba6781ef3ce5702357cdeadd80fdff0282c4887a3b26cdb0f5c1fb02",
    "stakeholder": "f2798c07467555406721697650f57d3f7f9e7d7788ca4edfeae81e1658f503c6",
    "tester": "71a4f8372249a3e3fe2e2493079184f2d7920ce43d95726fd0372c874e836639",
}
"""The SHA-256 of the file that version 0.1 wrote for each role."""
_IMPLIED = ("- name: git-read", "- name: vfcc", f"  classes: [{QUERY}, {WORK}]", "- name: mcp")
"""What a file without a version opens besides its list."""

Table = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ToolsPlan:
    """The new bytes of files by path below the project's root, the step of each, and what a person should know."""

    files: Mapping[str, bytes]
    changes: tuple[Step, ...]
    notices: Sequence[str]


def plan_tools(workspace: Workspace, names: tuple[str, ...] = (TOOLS,)) -> ToolsPlan:
    """Return the plan for each file without a version, with nothing written. `names` are all that it may have here.

    Raises ConfigError for a file that cannot be read as YAML, or is a link or a device.
    """
    files: dict[str, bytes] = {}
    changes: dict[str, str] = {}
    converted, left = [], []
    for name, role, data in _without_version(workspace, names):
        shipped = dict(starting_files(role))[TOOLS]
        if digest_text(data) == f"sha256:{_OF_0_1.get(role)}":
            files[name] = shipped
            more = ", ".join(_added(parse_tools(data, name)[0], parse_tools(shipped, name)[0]))
            changes[name] = f"{name}, unchanged since 0.1, becomes the shipped file; it also allows: {more}"
            continue
        new = _with_version(data, name)
        if new is None:
            left.append(name)
            continue
        files[name] = new
        converted.append(name)
        changes[name] = f"{name} gets version {VERSION} and keeps its meaning: git-read, vfcc and mcp are listed"
    steps = tuple(Step("", name, what) for name, what in changes.items())
    return ToolsPlan(files, steps, tuple(_notices(converted, left)))


def _without_version(workspace: Workspace, names: tuple[str, ...]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the path that each has in the end, its role and its bytes."""
    for path in sorted(path for name in names for path in (workspace.memory / "agent").glob(f"*/{name}")):
        name = path.with_name(TOOLS).relative_to(workspace.root).as_posix()
        data = read_small(path, name, inside=workspace.root)
        value = load_yaml(data, name)[0] if data else None
        if data is not None and not (isinstance(value, dict) and "version" in value):
            yield name, path.parent.name, data


def _with_version(data: bytes, name: str) -> bytes | None:
    """Return a file in version 2, every line kept; None where that cannot be, or would mean something else."""
    before, problems = parse_tools(data, name)
    if problems:
        return None
    lines = load_yaml(data, name)[1]
    at, first = lines["tools",], lines.get(("tools", 0), 0)
    rows = data.decode("utf-8-sig").splitlines(keepends=True)
    if first <= at or not rows[first - 1].lstrip(" ").startswith("-"):
        return None
    end = "\r\n" if rows[at - 1].endswith("\r\n") else "\n"
    indent = rows[first - 1][: len(rows[first - 1]) - len(rows[first - 1].lstrip(" "))]
    last = _last_row(rows, at, [row for loc, row in lines.items() if len(loc) == 1 and row > at])
    rows[last - 1] = rows[last - 1].rstrip("\r\n") + end
    rows[last:last] = [f"{indent}{line}{end}" for line in _IMPLIED]
    rows.insert(at - 1, f"version: {VERSION}{end}")
    new = "".join(rows).encode("utf-8")
    after, problems = parse_tools(new, name)
    return new if not problems and _meaning(after) == _meaning(before) else None


def _last_row(rows: Sequence[str], at: int, later_keys: Sequence[int]) -> int:
    """Return the number of the last row of the list below row `at`: neither empty nor a comment."""
    last = min(later_keys, default=len(rows) + 1) - 1
    while last > at and rows[last - 1].strip()[:1] in ("", "#"):
        last -= 1
    return last


def _meaning(table: Table) -> dict[str, Json]:
    """Return a table without keys that narrow nothing; an old file may give such keys to any tool."""
    return {
        name: {key: value for key, value in rule.items() if value and key in KEYS.get(name, ())}
        for name, rule in table.items()
        if isinstance(rule, Mapping)
    }


def _added(before: Table, after: Table) -> Iterator[str]:
    """Yield what a table allows that an earlier one did not."""
    yield from (name for name in after if name not in before)
    if MOVE in _listed(after, "vfcc", "classes"):
        yield "moves of a sprint"
    paths = [path for path in _listed(after, "edit", "paths") if path not in _listed(before, "edit", "paths")]
    if paths:
        yield f"edits of {' '.join(map(str, paths))}"


def _listed(table: Table, name: str, key: str) -> Sequence[Json]:
    rule = table.get(name)
    found = rule.get(key) if isinstance(rule, Mapping) else None
    return found if isinstance(found, list) else ()


def _notices(converted: Sequence[str], left: Sequence[str]) -> Iterator[str]:
    if converted:
        yield (
            f"{', '.join(converted)}: neither changes by git nor moves of a sprint are allowed there. To allow them, "
            "add `- name: git-write`, and `move` to the classes of vfcc"
        )
    if left:
        yield (
            f"these files cannot get version {VERSION} by lines and stay as they are: {', '.join(left)}. They allow "
            "neither changes by git nor moves of a sprint. To take the shipped ones, move them away and run: "
            "vfcc workflow use NAME"
        )
