"""`vfcc integrate`: write, check and remove the files that agent clients read."""

from typing import Annotated

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.agent_clients import CLIENTS
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import DryRunFlag, JsonFlag
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.history.rules.client_entries import SETUPS
from verifflowcc.history.rules.client_files import FileOutcome
from verifflowcc.history.use.client_setup import ClientSetup, DoorFile, SetupRequest, clients_named, set_up_clients
from verifflowcc.history.use.integrating import ClientFile, IntegrationResult

EDITED = 1


def integrate(
    clients: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CLIENT]…", help=f"{', '.join(sorted(CLIENTS))}, git.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All clients.")] = False,
    hooks_only: Annotated[
        bool, typer.Option("--hooks", help="Only hooks: no instructions, skills, agents, MCP.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove what was written.")] = False,
    local: Annotated[
        bool, typer.Option("--local", help="For you alone: hooks in .claude/settings.local.json (claude).")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace or remove parts of ours that were edited.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where a file would change.")
    ] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Set agent clients up for this project, or undo it.

    Writes hooks, the MCP server, instructions, skills and role agents, in this project alone. Everything else in a
    client's file keeps its bytes, also when vfcc's part is removed again.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.document_form import Problem

    if bool(clients) is every:
        raise UsageError("name clients, or give --all", hint="vfcc integrate claude")
    names = clients_named(SETUPS if every else clients or ())
    request = SetupRequest(
        names,
        local=local,
        hooks_only=hooks_only,
        uninstall=uninstall,
        force=force,
        dry_run=dry_run or check,
    )
    done = set_up_clients(open_workspace(), request)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(setup_lines(done))
    if done.edited or (check and done.changed):
        command = f"vfcc integrate {' '.join(names)}"
        out.explain(Problem("findings", "files of clients are not as vfcc writes them", command))
        raise typer.Exit(EDITED)


def lines(done: IntegrationResult) -> str:
    """Return a line for each file, and what is left to do below it."""
    shown = []
    for each in done.files:
        shown.append(_line(each, would=done.dry_run))
        if each.outcome is FileOutcome.EDITED or not done.dry_run:
            shown += [f"  {step}" for step in each.steps]
    return "\n".join(shown)


def _line(file: ClientFile, *, would: bool) -> str:
    hooks = f"{len(file.events)} hook{'' if len(file.events) == 1 else 's'}"
    if file.outcome is FileOutcome.WRITTEN:
        return f"{'would write' if would else 'wrote'}: {file.path} ({hooks})"
    if file.outcome is FileOutcome.REMOVED:
        return f"{'would remove' if would else 'removed'}: {hooks} from {file.path}"
    if file.outcome is FileOutcome.EDITED:
        return f"edited: {file.path} was left as it is: somebody changed vfcc's hooks in it ({', '.join(file.events)})"
    return f"nothing to do: {file.path}"


def setup_lines(done: ClientSetup) -> str:
    """Return a line for each file or folder of files, and what is left for a person."""
    shown = [lines(IntegrationResult(done.files, done.dry_run))] if done.files else []
    groups: dict[tuple[FileOutcome, str], list[DoorFile]] = {}
    changed = any(each.outcome is not FileOutcome.NOTHING for each in done.doors)
    for each in done.doors:
        if changed and each.outcome is FileOutcome.NOTHING:
            continue
        folder = "all" if each.outcome is FileOutcome.NOTHING else _folder(each.path)
        groups.setdefault((each.outcome, folder), []).append(each)
    shown += [_door_line(outcome, files, would=done.dry_run) for (outcome, _), files in groups.items()]
    return "\n".join([*shown, *(f"  {step}" for step in done.steps if not done.dry_run)])


def _folder(path: str) -> str:
    """Return the folder of skills or agents that holds a file; another file's own path."""
    above, _, _ = path.removesuffix("/SKILL.md").rpartition("/")
    return above if above.endswith(("/skills", "/agents", "/agent")) else path


def _door_line(outcome: FileOutcome, files: list[DoorFile], *, would: bool) -> str:
    first, more = files[0].path, len(files) - 1
    name = f"{_folder(first)}/ ({more + 1} files)" if more and outcome is not FileOutcome.NOTHING else first
    if outcome is FileOutcome.EDITED:
        return f"edited: {', '.join(each.path for each in files)} was left as it is: vfcc's part of it was changed"
    if outcome is FileOutcome.NOTHING:
        return f"nothing to do: {first}{f' and {more} more files' if more else ''}"
    verb = "write" if outcome is FileOutcome.WRITTEN else "remove"
    past = "wrote" if outcome is FileOutcome.WRITTEN else "removed"
    return f"{f'would {verb}' if would else past}: {name}"
