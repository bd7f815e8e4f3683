"""What a project still lacks before its first sprint can produce evidence; nothing is run or written."""

from collections.abc import Iterator

from verifflowcc.adapters.files.layout import CORE_FILES
from verifflowcc.adapters.files.on_path import is_program
from verifflowcc.domain.ports import Health, Remark
from verifflowcc.errors import VfccError
from verifflowcc.services.allow import show_commands
from verifflowcc.services.configuration import check_config, effective_config
from verifflowcc.services.sprint_reading import list_sprints
from verifflowcc.services.workspace import Workspace

AREA = "commands"


def setup_notes(workspace: Workspace) -> tuple[Remark, ...]:
    """Return what is missing for a first sprint; nothing where the project has had one."""
    try:
        if list_sprints(workspace):
            return ()
        return (*_test_command(workspace), *_core_file(workspace))
    except VfccError:
        return ()  # the check of that part reports it


def commands_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield whether the project's commands may run on this machine."""
    if check_config(workspace).problems:
        return
    if not effective_config(workspace).config.gates.commands:
        yield Remark(AREA, Health.NOTE, "none is configured, so no evidence can be run")
        return
    table = show_commands(workspace)
    names = ", ".join(table.names)
    if table.allowed:
        yield Remark(AREA, Health.OK, f"allowed on this machine: {names}")
    else:
        yield Remark(AREA, Health.NOTE, table.problem or f"not allowed on this machine: {names}", "vfcc allow")


def _test_command(workspace: Workspace) -> Iterator[Remark]:
    commands = effective_config(workspace).config.gates.commands
    if not commands:
        text = "none runs the tests, so gates have no results"
        yield Remark(AREA, Health.NOTE, text, "add gates.commands.test to .memory/config.yaml, then: vfcc allow")
        return
    for name in sorted(commands):
        program = commands[name].argv[0]
        if not is_program(workspace.root, program):
            text = f"the command {name} starts {program}, which is not installed here"
            yield Remark(AREA, Health.NOTE, text, f"install {program}, or correct gates.commands.{name}")
    for remark in commands_remarks(workspace):
        if remark.health is not Health.OK:
            yield remark


def _core_file(workspace: Workspace) -> Iterator[Remark]:
    if not any((workspace.root / name).exists() for name in CORE_FILES):
        text = f"no {' or '.join(CORE_FILES)} to begin prompts with"
        yield Remark("prompts", Health.NOTE, text, f"write {CORE_FILES[0]}")
