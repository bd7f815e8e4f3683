"""`migrate`: bring a memory of an older format to the present one, step by step.

Format 0 is a tree whose `config.yaml` names no format: it may have the names of the first record's layout. Format 1 has
every default in `config.yaml` (see `migrating_config`). Each step is one rename or one write, and `config.yaml` is
written last and at once, so that a run that was interrupted can be repeated.
"""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.config.load import FILE, read_config
from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.item_files import writing_items
from verifflowcc.adapters.files.layout import CORE_FILES
from verifflowcc.adapters.files.write import sync_folder, write_atomic
from verifflowcc.domain.config import FORMAT
from verifflowcc.errors import ConfigError, ConflictError, WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.migrating_config import ConfigPlan, format_value, plan_config
from verifflowcc.services.workspace import MEMORY, Workspace

_RENAMES = (
    ("agent/*/prompt_template.md", "prompt.md"),
    ("agent/*/tools_config.yaml", "tools.yaml"),
    ("stage/*/current_artifacts", "artifacts"),
    ("stage/*/*/current_artifacts", "artifacts"),
)
_RETROSPECTIVES = "project/retrospectives"


@dataclass(frozen=True, slots=True)
class Step:
    """One change: a path that gets another name, or (`before` is empty) a file that is written."""

    before: str
    after: str
    what: str


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
        return _planned(workspace, before, plan_config(workspace, before), dry_run=True)
    with writing_items(workspace.memory):
        config = plan_config(workspace, before)
        plan = _planned(workspace, before, config, dry_run=False)
        for step in plan.steps:
            if step.before:
                _rename(workspace, step)
        write_atomic((workspace.memory / FILE).resolve(), config.data)
    return plan


def format_of(workspace: Workspace) -> int:
    """Return the format that `config.yaml` names, 0 where it names none. Raises ConfigError for one that is none."""
    data = read_config(workspace.memory / FILE)
    value = format_value(data) if data else None
    if value is None:
        return 0
    if not value.text.isascii() or not value.text.isdecimal() or len(value.text) > 9:
        raise ConfigError((f"{FILE}:{value.line}: format {value.text} is no whole number",), hint="vfcc config check")
    number = int(value.text)
    if number > FORMAT:
        sentence = f"{FILE}:{value.line}: format {number} is newer than this vfcc understands ({FORMAT})"
        raise ConfigError((sentence,), hint="pip install --upgrade verifflowcc")
    return number


def _planned(workspace: Workspace, before: int, config: ConfigPlan, *, dry_run: bool) -> Migration:
    steps: list[Step] = []
    notices: list[str] = []
    conflicts: list[str] = []
    for old, new in _moves(workspace, notices) if before == 0 else ():
        source, target = _below(workspace, old), _below(workspace, new)
        check_inside(source.parent, workspace.root)
        if _in_the_way(target):
            conflicts.append(f"{old} and {new} are both there: keep one of them")
        steps.append(Step(old, new, f"{old} becomes {new}"))
    if conflicts:
        raise ConflictError("\n".join((*conflicts, "nothing was changed")), hint="vfcc migrate --dry-run")
    name = f"{MEMORY}/{FILE}"
    steps += [Step("", name, f"{name}: {change}") for change in config.changes]
    steps.append(Step("", name, f"{name} says format: {FORMAT}"))
    return Migration(before, FORMAT, tuple(steps), (*notices, *config.notices), dry_run)


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
        raise ConflictError(f"{step.after} has come meanwhile; what follows was not done", hint="vfcc migrate")
    try:
        source.rename(target)
        sync_folder(target.parent)
        sync_folder(source.parent)
    except OSError as error:
        raise WorkspaceError(
            f"cannot rename {step.before} to {step.after}: {error.strerror or error}", hint="vfcc migrate"
        ) from error
