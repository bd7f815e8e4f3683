"""How a fork, what was set aside and an unsound ledger are shown, and the exit code that goes with them."""

import typer

from verifflowcc.domain.sprints import SprintState
from verifflowcc.services.transitions import Transition

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
            f"{number}. {move.actor} {move.does} ({move.time}){', and moved on from there' if further else ''}"
        )
        lines.append(f"   vfcc sprint resolve {state.id} --keep {move.event}")
    return lines


def aside(state: SprintState) -> list[str]:
    """Return the moves that no longer count, each with whose choice that was; nothing where there are none."""
    lines = ["set aside: these moves stay on record and count no more"] if state.aside else []
    for move in state.aside:
        why = f": {move.reason}" if move.reason else ""
        lines.append(f"- {move.actor} {move.does} ({move.time}, {move.event}), by {move.decided_by}{why}")
    return lines


def resolved(done: Transition) -> str:
    """Return what a choice did, in a sentence, and the sides of the next fork, if there is one within the side kept."""
    state = done.state
    gone = [f"  set aside: {move.actor} {move.does}" for move in state.aside if move.choice == done.event.id]
    if state.fork:
        return "\n".join([f"{state.id}: fork resolved; there is another within", *gone, *sides(state)])
    now = f"in {state.current}" if state.current else str(state.status)
    return "\n".join([f"{state.id}: fork resolved, {now}", *gone])


def problems(state: SprintState) -> list[str]:
    """Return what is wrong with the ledger's files; nothing where all is well."""
    listed = [f"- {problem}" for problem in state.problems]
    return ["problems:", *listed, "to repair them: vfcc doctor"] if listed else []


def trouble(state: SprintState) -> str:
    """Return all that stands in the way of a sprint, as text to append; empty where nothing does."""
    return "".join("\n\n" + "\n".join(lines) for lines in (sides(state), problems(state)) if lines)


def leave_if_troubled(state: SprintState) -> None:
    """End the command with the exit code for a fork, or for event files that cannot be trusted, if there is one."""
    if state.fork:
        raise typer.Exit(FORKED)
    if state.problems:
        raise typer.Exit(UNTRUSTED)
