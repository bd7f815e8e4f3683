"""`migrate`: bring a memory of an older format to the present one, step by step.

Format 0 is a tree whose `config.yaml` names no format: it may have the names of the first record's layout. Format 1 has
every default in `config.yaml` (see `migrating_config`), roles' tools without a version (`migrating_tools`), and what
belongs to the repository in the project's folder (`migrating_places`). Each step is one rename or one write, and
`config.yaml` is written last and at once, so that a run that was interrupted can be repeated.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from verifflowcc.base.config.config_defaults import read_small
from verifflowcc.base.config.config_load import FILE, read_config
from verifflowcc.base.config.tools_file import KEYS, VERSION, parse_tools
from verifflowcc.base.config.yaml_values import load_yaml
from verifflowcc.base.errors import ConfigError, ConflictError, VfccError, WorkspaceError
from verifflowcc.base.files.item_files import writing_items
from verifflowcc.base.files.layout import CORE_FILES, PROJECTIONS, check_inside
from verifflowcc.base.files.write import sync_folder, write_atomic
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.model.command_classes import MOVE, QUERY, WORK
from verifflowcc.base.model.config_values import FORMAT
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.cli.use.migrating_config import format_value, plan_config
from verifflowcc.history.use.history_reading import gather_history, scattered_days
from verifflowcc.sprint.store.allowed import read_allowed
from verifflowcc.sprint.use.role_files import TOOLS, starting_files
from verifflowcc.sprint.use.sprint_reading import open_sprints

# A step of `migrate`, as it is reported.


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """One change: a path that gets another name, or (`before` is empty) a file that is written."""

    before: str
    """The old name; empty if a file is written."""
    after: str
    action: str


# What `migrate` does about places: the history goes to the repository, and git ignores what is generated.

_IGNORE = f"{MEMORY}/.gitignore"


@dataclass(frozen=True, slots=True)
class PlacesPlan:
    """The new bytes of files by path below the project's root, the days of the history to move, and the rest to say."""

    files: Mapping[str, bytes]
    changes: tuple[MigrationStep, ...]
    moves: tuple[MigrationStep, ...]
    notices: tuple[str, ...]


def plan_places(workspace: Workspace) -> PlacesPlan:
    """Return what is moved and ignored, with nothing written."""
    data = read_small(workspace.root / _IGNORE, _IGNORE, inside=workspace.root)
    missing = [] if data is None else _missing(data)
    files = {_IGNORE: _with_rules(data, missing)} if data is not None and missing else {}
    changes = tuple(
        MigrationStep("", name, f"{name}: generated files are ignored: {', '.join(missing)}") for name in files
    )
    moves: list[MigrationStep] = []
    later: list[MigrationStep] = []
    for day, target in scattered_days(workspace):
        before, after = _migrating_places_shown(workspace, day), _migrating_places_shown(workspace, target)
        step = MigrationStep(before, after, f"{before} moves to {after}, which all worktrees share")
        if day.stem < workspace.today():
            moves.append(step)
        else:
            later.append(step)  # a hook may be adding to it
    notices = [f"{each.before} moves to {each.after} once its day is over" for each in later]
    return PlacesPlan(files, changes, tuple(moves), (*notices, *_uncommitted(workspace, files), *_allowed(workspace)))


def move_history(workspace: Workspace, moves: tuple[MigrationStep, ...]) -> tuple[MigrationStep, ...]:
    """Move the days of the history; return those that could not be moved."""
    if moves:
        gather_history(workspace)
    return tuple(each for each in moves if (workspace.root / each.before).exists())


def _with_rules(data: bytes, rules: Sequence[str]) -> bytes:
    """Return the content of `.memory/.gitignore` with more rules."""
    end = b"" if data.endswith(b"\n") or not data else b"\n"
    return data + end + "".join(f"{rule}\n" for rule in rules).encode()


def _missing(data: bytes) -> list[str]:
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()]
    return [rule for rule in PROJECTIONS if rule not in lines and f"/{rule}" not in lines]


def _uncommitted(workspace: Workspace, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a sentence on files of version 0.1 that would be ignored before they are committed.

    For a stage that was passed under 0.1 they are the only record of its numbers.
    """
    patterns = [f":(glob){MEMORY}/{rule}" for rule in PROJECTIONS[1:]]
    listed = ask_git(workspace.root, "ls-files", "-z", "--others", "--exclude-standard", "--", *patterns).out
    paths = [path.decode("utf-8", "replace") for path in listed.split(b"\0") if path] if files else []
    if paths:
        yield f"not committed yet, and ignored from now on: {', '.join(paths)}. To keep them: git add -f PATH"


def _allowed(workspace: Workspace) -> Iterator[str]:
    around = repository_around(str(workspace.root))
    if around is not None and read_allowed(workspace.root, os.environ).commands is not None:
        yield "what `vfcc allow` permits in this project holds in all worktrees of its repository"


def _migrating_places_shown(workspace: Workspace, path: Path) -> str:
    return os.path.relpath(path, workspace.root.resolve())


# What `migrate` makes of a role's `tools.yaml` that has no version, as version 0.1 wrote it.
#
# One that is 0.1's own, byte for byte, becomes the shipped one of today; any other gets `version: 2` and keeps its
# meaning, with the classes listed that a file without a version opens by itself.

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
    changes: tuple[MigrationStep, ...]
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
    steps = tuple(MigrationStep("", name, what) for name, what in changes.items())
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


_OLD_TOOLS = "tools_config.yaml"
_RENAMES = (
    ("agent/*/prompt_template.md", "prompt.md"),
    (f"agent/*/{_OLD_TOOLS}", TOOLS),
    ("stage/*/current_artifacts", "artifacts"),
    ("stage/*/*/current_artifacts", "artifacts"),
)
_RETROSPECTIVES = "project/retrospectives"


@dataclass(frozen=True, slots=True)
class Migration:
    """What was done, or with `dry_run` would be; `notices` tell of what stays as it is, and why."""

    format_before: int
    format_after: int
    steps: tuple[MigrationStep, ...]
    notices: tuple[str, ...]
    dry_run: bool


def migrate(workspace: Workspace, *, dry_run: bool = False) -> Migration:
    """Bring the memory to the present format; nothing is overwritten, and nothing is written where anything is amiss.

    Raises ConfigError for a format that is newer than this program, or none, ConflictError where an old and a new name
    are both there, WorkspaceError where something cannot be written.
    """
    before = format_of(workspace)
    if before >= FORMAT:
        return Migration(before, before, (), (), dry_run)
    if dry_run:
        return _plan(workspace, before).shown(dry_run=True)
    with writing_items(workspace.memory):
        plan = _plan(workspace, before)
        for step in plan.renames:
            _rename(workspace, step)
        for name, data in observed("writing files", plan.files.items()):
            write_atomic((workspace.root / name).resolve(), data)
    return plan.shown(*move_history(workspace, plan.moves), dry_run=False)


@dataclass(frozen=True, slots=True)
class _Plan:
    """All steps: renames first, then files with their new bytes, `config.yaml` last, then days of the history."""

    before: int
    renames: tuple[MigrationStep, ...]
    files: Mapping[str, bytes]
    written: tuple[MigrationStep, ...]
    moves: tuple[MigrationStep, ...]
    notices: tuple[str, ...]

    def shown(self, *unmoved: MigrationStep, dry_run: bool) -> Migration:
        """Return what is reported; `unmoved` are days of the history that could not be moved."""
        steps = (*self.renames, *self.written, *(each for each in self.moves if each not in unmoved))
        left = (f"{each.before} stays: {each.after} cannot be written" for each in unmoved)
        return Migration(self.before, FORMAT, steps, (*self.notices, *left), dry_run)


def format_of(workspace: Workspace) -> int:
    """Return the format that `config.yaml` names, 0 where it names none. Raises ConfigError for one that is none."""
    data = read_config(workspace.memory / FILE)
    value = format_value(data) if data else None
    if value is None:
        return 0
    if not value.text.isascii() or not value.text.isdecimal() or len(value.text) > 9:
        raise ConfigError((f"{FILE}:{value.line}: format {value.text} is no whole number",), hint="vfcc check config")
    number = int(value.text)
    if number > FORMAT:
        sentence = f"{FILE}:{value.line}: format {number} is newer than this vfcc understands ({FORMAT})"
        raise ConfigError((sentence,), hint="pip install --upgrade verifflowcc")
    return number


def _plan(workspace: Workspace, before: int) -> _Plan:
    config, places = plan_config(workspace, before), plan_places(workspace)
    tools = plan_tools(workspace, (TOOLS, _OLD_TOOLS) if before == 0 else (TOOLS,))
    notices: list[str] = []
    renames = _renames(workspace, notices) if before == 0 else ()
    name = f"{MEMORY}/{FILE}"
    changes = (*(f"{name}: {change}" for change in config.changes), f"{name} says format: {FORMAT}")
    return _Plan(
        before=before,
        renames=renames,
        files={**places.files, **tools.files, name: config.data},
        written=(*places.changes, *tools.changes, *(MigrationStep("", name, change) for change in changes)),
        moves=places.moves,
        notices=(*notices, *config.notices, *tools.notices, *places.notices, *_open_sprints(workspace)),
    )


def _renames(workspace: Workspace, notices: list[str]) -> tuple[MigrationStep, ...]:
    steps, conflicts = [], []
    for old, new in _moves(workspace, notices):
        source, target = _below(workspace, old), _below(workspace, new)
        check_inside(source.parent, workspace.root)
        if _in_the_way(target):
            conflicts.append(f"{old} and {new} are both there: keep one of them")
        steps.append(MigrationStep(old, new, f"{old} becomes {new}"))
    if conflicts:
        raise ConflictError("\n".join((*conflicts, "nothing was changed")), hint="vfcc migrate --dry-run")
    return tuple(steps)


def _moves(workspace: Workspace, notices: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the old and the new path, below the project's root, of everything that has an old name."""
    memory = workspace.memory
    for pattern, name in _RENAMES:
        for path in sorted(memory.glob(pattern)):
            if not (name == "artifacts" and not path.is_dir()):
                yield _shown(workspace, path), _shown(workspace, path.with_name(name))
    for path in sorted(memory.glob(f"{_RETROSPECTIVES}/*.md")):
        sprint = memory / "sprint" / path.stem
        if sprint.is_dir():
            yield _shown(workspace, path), _shown(workspace, sprint / "retrospective.md")
        else:
            notices.append(f"{_shown(workspace, path)} stays: there is no sprint {path.stem}")
    for path in sorted(memory.glob("stage/*/*/previous_stage_summary.md")):
        notices.append(f"{_shown(workspace, path)} stays: the summary of a stage is in that stage's own folder now")
    core = memory / "project" / CORE_FILES[0]
    if core.is_file() and not any((workspace.root / name).exists() for name in CORE_FILES):
        yield _shown(workspace, core), CORE_FILES[0]


def _shown(workspace: Workspace, path: Path) -> str:
    return path.relative_to(workspace.root).as_posix()


def _below(workspace: Workspace, path: str) -> Path:
    return workspace.root / path


def _in_the_way(target: Path) -> bool:
    """Whether something is there; an empty folder, as `vfcc init` leaves it, is nothing."""
    if target.is_dir() and not target.is_symlink():
        return any(target.iterdir())
    return target.exists() or target.is_symlink()


def _rename(workspace: Workspace, step: MigrationStep) -> None:
    source, target = _below(workspace, step.before), _below(workspace, step.after)
    if _in_the_way(target):
        raise ConflictError(
            f"{step.after} appeared during the migration; the remaining steps were not done", hint="vfcc migrate"
        )
    try:
        source.rename(target)
        sync_folder(target.parent)
        sync_folder(source.parent)
    except OSError as error:
        raise WorkspaceError(
            f"cannot rename {step.before} to {step.after}: {error.strerror or error}", hint="vfcc migrate"
        ) from error


def _open_sprints(workspace: Workspace) -> Iterator[str]:
    """Yield a sentence on the sprints whose gates ask a person about the change."""
    states: tuple[SprintState, ...] = ()
    with suppress(VfccError):  # doctor reports what is wrong with a ledger
        states = open_sprints(workspace)
    if states:
        names = ", ".join(each.id for each in states)
        yield (
            f"{MEMORY}/{FILE} and {TOOLS} are protected files: in open sprints ({names}) a person "
            "approves the change: vfcc approve --criterion rules --sprint ID"
        )
