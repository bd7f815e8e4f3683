"""`vfcc next`: the one most useful action, and its command."""

from typing import TYPE_CHECKING

from verifflowcc.cli.options import JsonFlag, SprintOption, StageArgument

if TYPE_CHECKING:
    from verifflowcc.services.next_step import NextStep


def next_(stage: StageArgument = None, sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """Print the one most useful thing to do now, and its command.

    Of a stage that is named, what it owes.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.output import folded
    from verifflowcc.cli.terminal import wants_color
    from verifflowcc.services.next_step import next_step
    from verifflowcc.services.sprint_reading import sprint_with_stage
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    if stage is not None:
        sprint_with_stage(workspace, sprint, stage, "vfcc next")
    step = next_step(workspace, sprint, stage)
    if as_json:
        out.emit_json(step)
        return
    chosen = [f"sprint {step.sprint} ({step.by})"] if step.by else []
    if wants_color():
        out.emit("\n".join([*chosen, *_explained(step), *(folded(line, 4) for line in _more(step))]))
    else:
        out.emit("\n".join([*chosen, step.why, step.command, *_more(step)]))


def _explained(step: "NextStep") -> list[str]:
    """Return the command and, in a sentence, why it is next, for a terminal."""
    from verifflowcc.cli.output import folded
    from verifflowcc.cli.terminal import painted, status_symbol

    why = f"because {step.why}"
    if first := step.first:
        verb = "entered" if first.entering else "left"
        closed = f"because {first.stage} cannot be {verb} yet" if first.mode == "hard" else "because a check is open"
        why = f"{closed}: {first.criterion}: {first.reason}"
    return [f"{status_symbol('active')} {painted(step.command, 'accent')}", folded(f"  {why}", 2)]


def _more(step: "NextStep") -> list[str]:
    """Return who has to run the command, what is owed besides, and what a person may run instead."""
    first = step.first
    lines = ["  only a person can do this, at a terminal"] if first and first.person else []
    others = [f"{each.criterion}{' (by a person)' if each.person else ''}" for each in step.owed if each is not first]
    lines += [f"  owed too: {', '.join(others)}"] if others else []
    lines += [f"  a person may leave that open: {step.instead}"] if step.instead else []
    return [*lines, *(f"  note: {note}" for note in step.notes)]
