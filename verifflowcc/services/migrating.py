"""`migrate`: bring a memory of an older format to the present one, step by step.

Format 0 is a tree whose `config.yaml` names no format: it may have the names of the first record's layout. Format 1 has
every default in `config.yaml` (see `migrating_config`), roles' tools without a version (`migrating_tools`), and what
belongs to the repository in the project's folder (`migrating_places`). Each step is one rename or one write, and
`config.yaml` is written last and at once, so that a run that was interrupted can be repeated.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.config.load import FILE, read_config
from verifflowcc.adapters.files.item_files import writing_items
from verifflowcc.adapters.files.layout import CORE_FILES, check_inside
from verifflowcc.adapters.files.write import sync_folder, write_atomic
from verifflowcc.domain.config import FORMAT
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import ConfigError, ConflictError, VfccError, WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.migrating_config import format_value, plan_config
from verifflowcc.services.migrating_places import move_history, plan_places
from verifflowcc.services.migrating_step import Step
from verifflowcc.services.migrating_tools import plan_tools
from verifflowcc.services.role_files import TOOLS
from verifflowcc.services.sprint_reading import open_sprints
from verifflowcc.services.workspace import MEMORY, Workspace

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
    steps: tuple[Step, ...]
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
    renames: tuple[Step, ...]
    files: Mapping[str, bytes]
    written: tuple[Step, ...]
    moves: tuple[Step, ...]
    notices: tuple[str, ...]

    def shown(self, *unmoved: Step, dry_run: bool) -> Migration:
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
        written=(*places.changes, *tools.changes, *(Step("", name, change) for change in changes)),
        moves=places.moves,
        notices=(*notices, *config.notices, *tools.notices, *places.notices, *_open_sprints(workspace)),
    )


def _renames(workspace: Workspace, notices: list[str]) -> tuple[Step, ...]:
    steps, conflicts = [], []
    for old, new in _moves(workspace, notices):
        source, target = _below(workspace, old), _below(workspace, new)
        check_inside(source.parent, workspace.root)
        if _in_the_way(target):
            conflicts.append(f"{old} and {new} are both there: keep one of them")
        steps.append(Step(old, new, f"{old} becomes {new}"))
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


def _rename(workspace: Workspace, step: Step) -> None:
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
