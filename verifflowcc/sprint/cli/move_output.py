"""What the commands that move a sprint share: who acts, and how a move is shown."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.model.sprint_state import SprintState, with_gaps
from verifflowcc.base.process.clock import terminal_in_use
from verifflowcc.base.records import dataclass
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal import output as out
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.use.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from verifflowcc.base.model.config_values import Config
    from verifflowcc.sprint.use.people_acting import Transition

# Ask a person at the terminal whether they mean it, and show what was then recorded.

MOST_LINES = 40


def confirm(shown: Sequence[str], question: str, *, yes: bool) -> None:
    """Show what it is about, on stderr, and ask; return only on a yes. `yes` answers the question beforehand.

    Raises typer.Abort on any other answer, with nothing recorded.
    """
    import typer

    out.say("\n".join(shown))
    if not yes:
        with terminal_in_use():
            typer.confirm(question, default=False, abort=True, err=True)


def listed(lines: Sequence[str]) -> list[str]:
    """Return the first of many lines, and how many more there are."""
    return [*lines] if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more"]


def show_note(value: object, done: "Transition", lines: Sequence[str], workspace: Workspace, *, as_json: bool) -> None:
    """Print what was recorded: `value` as JSON, or `lines` and what commits it to git."""
    from verifflowcc.sprint.use.sprint_status import leave_status

    leave_status(workspace)
    for warning in done.warnings:
        out.warn(warning)
    if as_json:
        out.emit_json(value)
        return
    for line in lines:
        out.emit(line)
    show_commit(done, workspace)


# How a fork, what was set aside and an unsound ledger are shown, and the exit code that goes with them.

FORKED = 5
UNTRUSTED = 1


def sides(state: SprintState) -> list[str]:
    """Return the sides of a fork, each with the command that keeps it; nothing where there is no fork."""
    if state.fork is None:
        return []
    lines = ["forked: these moves were made apart from each other; one side is to be kept"]
    for number, move in enumerate(state.fork.moves, start=1):
        further = len(move.tips) > 1 or move.tips != (move.event,)
        lines.append(
            f"{number}. {move.actor} {move.action} ({move.time}){', and moved on from there' if further else ''}"
        )
        lines.append(f"   vfcc sprint resolve {state.id} --keep {move.event}")
    return lines


def aside(state: SprintState) -> list[str]:
    """Return the moves that no longer count, each with whose choice that was; nothing where there are none."""
    lines = ["set aside: these moves stay on record and count no more"] if state.set_aside else []
    for move in state.set_aside:
        why = f": {move.reason}" if move.reason else ""
        lines.append(f"- {move.actor} {move.action} ({move.time}, {move.event}), by {move.decided_by}{why}")
    return lines


def resolved(done: "Transition") -> str:
    """Return what a choice did, in a sentence, and the sides of the next fork, if there is one within the side kept."""
    state = done.state
    gone = [f"  set aside: {move.actor} {move.action}" for move in state.set_aside if move.choice == done.event.id]
    if state.fork:
        return "\n".join([f"{state.id}: fork resolved; there is another within", *gone, *sides(state)])
    now = f"in {state.current}" if state.current else str(state.status)
    return "\n".join([f"{state.id}: fork resolved, {now}", *gone])


def problems(state: SprintState) -> list[str]:
    """Return what is wrong with the ledger's files; nothing where all is well."""
    listed = [f"- {problem}" for problem in state.problems]
    return ["problems:", *listed, "to repair them: vfcc doctor"] if listed else []


def trouble(state: SprintState) -> str:
    """Return all that blocks a sprint, as text to append; empty where nothing does."""
    return "".join("\n\n" + "\n".join(lines) for lines in (sides(state), problems(state)) if lines)


def leave_if_troubled(state: SprintState) -> None:
    """End the command with the exit code for a fork, or for event files that cannot be trusted, if there is one."""
    if state.fork:
        raise typer.Exit(FORKED)
    if state.problems:
        raise typer.Exit(UNTRUSTED)


@dataclass(frozen=True, slots=True)
class ActingContext:
    """The workspace, its configuration, and who moves the sprint."""

    workspace: Workspace
    config: "Config"
    actor: str

    @property
    def email(self) -> str:
        """The person's e-mail address, as git has it; empty for an agent and a job."""
        from verifflowcc.base.process.acting import git_email

        return (git_email(self.workspace.root) or "") if self.actor.startswith("human:") else ""

    def commits(self, asked: bool) -> bool:
        """Whether the move is committed to git: asked for, or always."""
        return asked or self.config.git.commit == "always"


def acting_here(*, piped: bool = False) -> ActingContext:
    """Return who acts in the workspace of the current folder; `piped` is that of `actor_here`."""
    return acting_in(open_workspace(), piped=piped)


def acting_in(workspace: Workspace, *, piped: bool = False) -> ActingContext:
    """Return who acts in a workspace; `piped` is that of `actor_here`."""
    from verifflowcc.base.process.acting import actor_here
    from verifflowcc.sprint.use.configuration import effective_config

    actor = actor_here(workspace.root, piped=piped).name
    return ActingContext(workspace, effective_config(workspace).config, actor)


def show(done: "Transition", workspace: Workspace, *, as_json: bool, sentence: str | None = None) -> None:
    """Print a move, in its own `sentence` where that is given, and what can be done next."""
    from verifflowcc.sprint.use.sprint_status import leave_status

    leave_status(workspace)
    for warning in done.warnings:
        out.warn(warning)
    if as_json:
        out.emit_json(done)
        return
    out.emit(sentence or _sentence(done))
    for note in done.notes:
        out.emit(f"  {note}")
    for line in (*_onward(done, workspace), *_learned(done)):
        out.emit(line)
    show_commit(done, workspace)


def _learned(done: "Transition") -> list[str]:
    """What the sprint offers to keep, each with its command."""
    if not done.learnings:
        return []

    lines = ["", f"learned in {done.state.id}, and kept only if you say so:"]
    for each in done.learnings:
        lines += [f"  {each.id}: {each.title} ({each.why})", f"    {each.command}"]
    return [*map(printable, lines), ""]


def show_commit(done: "Transition", workspace: Workspace) -> None:
    """Print the commit that holds a move, or the command that would make one."""
    if done.committed:
        out.emit(f"committed: {done.committed[:12]}")
    elif done.git_command:
        out.emit(f"to commit: {_from_here(done.git_command, workspace)}")


def _from_here(command: str, workspace: Workspace) -> str:
    """The command's paths are relative to the project's root; below it, say so."""
    if Path.cwd() == workspace.root:
        return command
    import shlex

    git = f"git -C {shlex.quote(str(workspace.root))} "
    return command.replace("git add ", f"{git}add ", 1).replace("&& git commit ", f"&& {git}commit ", 1)


def _unchanged(done: "Transition") -> str:
    state = done.state
    did = f"left {done.before}" if done.before else "was started"
    closed = "it is closed" if str(state.status) == "closed" else "all its stages are passed"
    where = f"it is in {state.current}" if state.current else closed
    return f"unchanged: {state.id} {did} already ({done.event.actor}, {done.event.time}); {where}"


def _sentence(done: "Transition") -> str:
    if not done.changed:
        return _unchanged(done)
    name, closed = done.state.id, str(done.state.status) == "closed"
    gaps = with_gaps(done.state.gaps)
    if done.after is None and done.before is None:
        return f"{name}: closed{gaps}" if closed else f"{name}: no stage is active"
    if done.before is None:
        return f"{name}: started, in {done.after}"
    left = done.state.stage(done.before)
    of_stage = with_gaps(left.gaps) if left else ""
    if done.after is None:
        return f"{name}: closed{gaps}" if closed else f"{name}: {done.before} passed{of_stage}; that was the last stage"
    passed = f" ({done.before} passed{of_stage})" if of_stage else ""
    return f"{name}: {done.before} → {done.after}{passed}"


def _onward(done: "Transition", workspace: Workspace) -> list[str]:
    """The command that ends a sprint, once all of its stages have passed."""
    if done.state.current is not None or done.before is None or str(done.state.status) != "open":
        return []
    from verifflowcc.sprint.use.sprint_reading import command_in

    return [f"next: {command_in(workspace, done.state.id)('vfcc sprint close')}"]
