"""Scopes as people write them, and the scopes that are in play here."""

import os
from collections.abc import Iterator

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.layout import Stamps
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.item_values import ScopeKind
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import NO_ROLE
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace, required

PROJECT = "project"
_OR_INIT = "--scope user (or vfcc init)"
NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def agent_of(actor: str) -> str | None:
    """Return the role of an agent that acts; None for people, CI, programs, and agents without a role.

    >>> agent_of("agent:coder"), agent_of("human:You"), agent_of("agent:unknown")
    ('coder', None, None)
    """
    kind, _, name = actor.partition(":")
    return name if kind == "agent" and actor not in NO_ROLE else None


def read_scope(workspace: Workspace | None, text: str, *, agent: str | None = None) -> str:
    """Return the scope that is meant: `sprint`, `stage` and `task` alone are what is open here.

    Raises UsageError for a scope, sprint, stage, agent or task that there is not, with the nearest, and where several
    are open; WorkspaceError where none is, and for everything but `user` outside of a project.
    """
    word, _, name = text.strip().partition("/")
    kinds = [str(kind) for kind in ScopeKind]
    if word not in kinds:
        near = nearest(word.casefold(), kinds)
        choice = f"did you mean {near}?" if near else f"there is {', '.join(kinds)}"
        raise UsageError(f"there is no scope {text!r}; {choice}", hint=f"--scope {near or PROJECT}")
    if word in (USER, PROJECT):
        if "/" in text:
            raise UsageError(f"the scope {word} has no name behind it", hint=f"--scope {word}")
        if word == PROJECT:
            required(workspace, _OR_INIT)
        return word
    here = required(workspace, _OR_INIT)
    if word == "task":
        return _task(here, name or None, agent)
    if word == "agent":
        return f"agent/{_agent(here, name or agent or '')}"
    return _sprint(here, name) if word == "sprint" else _stage(here, name)


def scopes_listed(workspace: Workspace | None) -> tuple[str, ...]:
    """Return the scopes that a list shows where none is named: the project, what is open in it, the user."""
    return (*(_open_ones(workspace) if workspace else ()), USER)


def scopes_recalled(workspace: Workspace | None, *, agent: str | None = None, ended: bool = False) -> tuple[str, ...]:
    """Return the scopes in which recall looks where none is named: those listed, and the acting agent's own.

    With `ended`, the sprints that are closed and the stages that are over, too.
    """
    *here, user = scopes_listed(workspace)
    own = (f"agent/{agent}",) if workspace is not None and agent in _agents(workspace) else ()
    over = [each for each in _of_sprints(workspace) if each not in here] if workspace and ended else []
    return (*here, *own, *over, user)


def _of_sprints(workspace: Workspace) -> Iterator[str]:
    from verifflowcc.sprint.use.sprint_reading import ledger_of

    for name in ledger_of(workspace).sprint_ids():
        yield f"sprint/{name}"
        folder = workspace.memory / "stage" / name
        stages = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir()) if folder.is_dir() else []
        yield from (f"stage/{name}/{stage}" for stage in stages if NAME.fullmatch(stage))


def scopes_searched(workspace: Workspace | None) -> tuple[str, ...]:
    """Return the scopes in which an id is looked for: those listed, and every agent's."""
    if workspace is None:
        return (USER,)
    *open_ones, user = scopes_listed(workspace)
    return (*open_ones, *(f"agent/{name}" for name in sorted(_agents(workspace))), user)


def _agents(workspace: Workspace) -> set[str]:
    """Return the names that agents with a folder of their own have."""
    folder = workspace.memory / "agent"
    names = (entry.name for entry in os.scandir(folder) if entry.is_dir()) if folder.is_dir() else ()
    return {name for name in names if NAME.fullmatch(name)}


def _open_ones(workspace: Workspace) -> tuple[str, ...]:
    """Return the project and what is open in it; read from the ledgers and tasks only where one of them changed."""
    if not workspace.ledgers.cached:
        return tuple(_read_open_ones(workspace))
    from verifflowcc.memory.store.task_files import recall_scopes

    known = recall_scopes(workspace.root, workspace.local)
    if known is not None:
        return known
    from verifflowcc.memory.store.task_files import TASKS, remember_scopes, task_places
    from verifflowcc.sprint.use.sprint_reading import depends_on

    before = Stamps(workspace.root)
    before.take((*depends_on(workspace), *task_places(workspace.root, workspace.local / TASKS)))
    found = tuple(_read_open_ones(workspace))
    remember_scopes(workspace.local, before, found)
    return found


def _read_open_ones(workspace: Workspace) -> Iterator[str]:
    from verifflowcc.memory.store.task_files import TASKS, task_ids
    from verifflowcc.sprint.use.sprint_reading import open_sprints

    yield PROJECT
    for state in open_sprints(workspace):
        yield f"sprint/{state.id}"
        if state.current:
            yield f"stage/{state.id}/{state.current}"
    if task_ids(workspace.local / TASKS):
        from verifflowcc.memory.use.task_finding import all_tasks  # most projects have no task

        yield from (f"task/{task.id}" for task in all_tasks(workspace) if not task.status.final)


def _sprint(workspace: Workspace, name: str) -> str:
    from verifflowcc.sprint.use.sprint_reading import active_sprint, ledger_of, unknown_sprint

    if not name:
        return f"sprint/{active_sprint(workspace).id}"
    ids = ledger_of(workspace).sprint_ids()
    if name not in ids and not (NAME.fullmatch(name) and (workspace.memory / "sprint" / name).is_dir()):
        raise unknown_sprint(name, ids)
    return f"sprint/{name}"


def _stage(workspace: Workspace, name: str) -> str:
    from verifflowcc.base.use.stage_words import find_stage, stage_meant
    from verifflowcc.sprint.use.sprint_reading import active_sprint, show_sprint

    if not name:
        state = active_sprint(workspace)
        return f"stage/{state.id}/{stage_meant(state, None).stage.id}"
    sprint, _, stage = name.partition("/")
    if not stage:
        raise UsageError(f"a stage is written stage/SPRINT/STAGE, not stage/{name}", hint="--scope stage")
    return f"stage/{sprint}/{find_stage(show_sprint(workspace, sprint), stage).stage.id}"


def is_role(workspace: Workspace, name: str) -> bool:
    """Say whether a role of this name has prompts here."""
    return name in roles_here(workspace)


def roles_here(workspace: Workspace) -> set[str]:
    """Return the names of the roles that have prompts here."""
    from verifflowcc.sprint.use.configuration import effective_config
    from verifflowcc.sprint.use.role_files import own_roles, shipped_roles

    known = (
        _agents(workspace)
        | shipped_roles()
        | own_roles(workspace)
        | set(effective_config(workspace).config.allocations)
    )
    return {each for each in known - {"default"} if NAME.fullmatch(each)}


def _agent(workspace: Workspace, name: str) -> str:
    known = roles_here(workspace)
    if name in known:
        return name
    if not name:
        raise UsageError("an agent's memory is named by its role", hint=f"--scope agent/{min(known)}")
    near = nearest(name, known)
    choice = f"did you mean {near}?" if near else f"there is {', '.join(sorted(known))}"
    raise UsageError(f"there is no agent {name}; {choice}", hint=f"--scope agent/{near or min(known)}")


def _task(workspace: Workspace, name: str | None, agent: str | None) -> str:
    from verifflowcc.memory.use.task_finding import active_task

    task = active_task(workspace, name, agent, command="vfcc task show")
    if task.status.final:
        raise UsageError(f"the task {task.id} has ended, and its memory with it", hint="vfcc task list")
    return f"task/{task.id}"
