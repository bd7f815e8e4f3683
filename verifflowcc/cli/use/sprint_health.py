"""What `vfcc doctor` says about sprints: their ledgers, their evidence and what was derived from them."""

import shlex
from collections.abc import Iterator, Sequence
from datetime import timedelta

from verifflowcc.base.errors import VfccError
from verifflowcc.base.files.installed import is_program
from verifflowcc.base.files.layout import CORE_FILES
from verifflowcc.base.files.ledger import read_text
from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.base.model.events import Event
from verifflowcc.base.model.ports import Health, Remark
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.use.workspace import LedgerReads, Workspace
from verifflowcc.gates.rules.staleness import id_of
from verifflowcc.gates.use.evidence_redacting import secrets_in
from verifflowcc.sprint.rules.sprint_fold import corrected_later, event_file
from verifflowcc.sprint.rules.sprint_people import progress_document
from verifflowcc.sprint.store.evidence_store import evidence_files, foreign_entries
from verifflowcc.sprint.use.allow_use import show_commands
from verifflowcc.sprint.use.configuration import check_config, effective_config
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.pinned_workflow import check_pinned_workflow
from verifflowcc.sprint.use.repairing import plan_for, steps_of
from verifflowcc.sprint.use.sprint_reading import ledger_of, list_sprints, load_sprint, parse_results, results_path

# What a project still lacks before its first sprint can produce evidence; nothing is run or written.

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


def sprints_remarks(workspace: Workspace) -> Iterator[Remark]:
    """Yield what there is to say about each sprint, closed ones too."""
    unbelieving = Workspace(workspace.root, workspace.clock, LedgerReads(cached=False))
    ledger = ledger_of(unbelieving)
    for name in ledger.sprint_ids():
        try:
            yield from _sprint(unbelieving, name)
        except VfccError as error:
            yield Remark(name, Health.FINDING, error.message.replace("\n", "; "), error.hint or "")
    for name in ledger.without_events():
        yield Remark(
            name,
            Health.FINDING,
            "it has goals.md and no event; its start was cut short, or its events are lost",
            f"git log --diff-filter=D --oneline -- .memory/sprint/{name}/events  # else: vfcc sprint start --id {name}",
        )


def _sprint(workspace: Workspace, name: str) -> Iterator[Remark]:
    seen, state = load_sprint(workspace, name)
    steps = steps_of(plan_for(workspace, name)) if state.problems else {}
    for problem in state.problems:
        yield Remark(name, Health.FINDING, str(problem), steps.get(problem.file, f"vfcc sprint show {name}"))
    foreign = [(f".memory/sprint/{name}/events/{entry}", "event") for entry in ledger_of(workspace).foreign(name)]
    foreign += [(f".memory/{path}", "evidence") for path in foreign_entries(workspace.memory, name)]
    for path, what in foreign:
        text = f"{path}: vfcc reads no {what} there: copied, renamed or made by hand"
        yield Remark(name, Health.FINDING, text, f"git log --oneline -- {shlex.quote(path)}  # then remove it")
    yield from _ahead(workspace, state, seen.events)
    if state.fork:
        sides = "; ".join(f"{move.actor} {move.action}" for move in state.fork.moves)
        text = f"it was moved on {len(state.fork.moves)} sides: {sides}"
        yield Remark(name, Health.FINDING, text, f"vfcc sprint resolve {name}")
    if state.problems:
        return
    if not state.fork:
        yield Remark(name, Health.OK, f"{state.status}; its ledger is sound ({len(seen.events):,} events)")
    if state.status is not SprintStatus.CLOSED:
        yield from _workflow(workspace, state)
    yield from _evidence(workspace, state)
    yield from _progress(workspace, state)


def _ahead(workspace: Workspace, state: SprintState, events: Sequence[Event]) -> Iterator[Remark]:
    """Yield the events of a time that is still to come; a day is left for clocks that are set wrongly."""
    latest = stamp(workspace.clock.now() + timedelta(days=1))
    ahead = [event for event in events if event.time > latest]
    corrected = corrected_later(events) if ahead else frozenset()
    for event in ahead:
        path = event_file(state.id, event.id, state.packed)
        text = f"{path}:1: its time is still to come ({event.time}): a wrong clock, or made by hand"
        if event.id in corrected:
            yield Remark(state.id, Health.NOTE, f"{text}; a person wrote after it, so it ends no waiver")
        else:
            step = f'git log -- {path}  # a mistake ends no waiver after: vfcc feedback add "…"'
            yield Remark(state.id, Health.FINDING, text, step)


def _workflow(workspace: Workspace, state: SprintState) -> Iterator[Remark]:
    try:
        notices = check_pinned_workflow(workspace, state, thorough=True)
    except VfccError as error:
        yield Remark(state.id, Health.FINDING, error.message.replace("\n", "; "), error.hint or "")
    else:
        yield from (Remark(state.id, Health.NOTE, notice) for notice in notices)


def _evidence(workspace: Workspace, state: SprintState) -> Iterator[Remark]:
    recorded = read_recorded(workspace, state, whole=True)
    wrong = [one for one in recorded if one.problem]
    steps = steps_of(plan_for(workspace, state.id)) if wrong else {}
    for one in wrong:
        step = steps.get(one.path, f"git status -- .memory/stage/{state.id}")
        yield Remark(state.id, Health.FINDING, f"{one.path}:1: {one.problem}", step)
    for one in recorded:
        if not one.problem and (kinds := secrets_in(workspace, one)):
            which = f"{id_of(one)} --sprint {state.id}" if state.status is SprintStatus.CLOSED else id_of(one)
            step = f'vfcc evidence redact {which} --reason "…"  # and make the secret worthless where it is used'
            yield Remark(
                state.id, Health.FINDING, f"{one.path} holds what looks like a secret: {', '.join(kinds)}", step
            )
    if recorded and not wrong:
        yield Remark(state.id, Health.OK, f"its evidence is what its events name ({len(recorded):,} files)")
    named = {one.path.removeprefix(".memory/") for one in recorded}
    unused = [path for path in sorted(evidence_files(workspace.memory, state.id).pending) if path not in named]
    if unused:
        folder, _, file = unused[0].rpartition("/")
        more = f" and {len(unused) - 1} more" if len(unused) > 1 else ""
        text = f".memory/{folder}/.{file}{more}: evidence of a command that was killed before it counted; no harm"
        yield Remark(state.id, Health.NOTE, text)


def _progress(workspace: Workspace, state: SprintState) -> Iterator[Remark]:
    path = f"sprint/{state.id}/progress.json"
    there = read_text(workspace.memory / path)
    results = results_path(state.id)
    if there and there != progress_document(state, parse_results(read_text(workspace.memory / results), results)):
        text = f".memory/{path} is not up to date; nothing reads it, and the next move writes it again"
        yield Remark(state.id, Health.NOTE, text)
