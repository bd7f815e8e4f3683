"""Find a stage by its name, or the one that is meant, and tell the nearest one where there is none."""

from collections.abc import Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.sprint_state import SprintState, StageState
from verifflowcc.base.text.plain_words import nearest

# Words that a person gives for the record: one line, nothing that a terminal would obey, of a length to be read.

LONGEST_TITLE = 200
LONGEST = 2_000


def one_line(text: str, what: str, longest: int = LONGEST) -> str:
    """Return `text` with each run of white space as one space; it may be empty. `what` names it in messages.

    Raises UsageError where it holds a control character or has more than `longest` characters.
    """
    line = " ".join(text.split())
    odd = next((letter for letter in line if not letter.isprintable()), None)
    if odd is not None:
        raise UsageError(f"{what} holds U+{ord(odd):04X}, which cannot be shown; leave it out")
    if len(line) > longest:
        raise UsageError(f"{what} has {len(line):,} characters; it may have {longest:,}")
    return line


def prose(text: str, what: str) -> str:
    """Return `text` with LF newlines and without blank lines around it; it may be empty, and have many lines.

    Raises UsageError where it holds a control character. `what` names it in messages.
    """
    folded = text.replace("\r\n", "\n")
    odd = next((letter for letter in folded if letter not in "\n\t" and not letter.isprintable()), None)
    if odd is not None:
        raise UsageError(f"{what} holds U+{ord(odd):04X}, which cannot be shown; leave it out")
    return folded.strip("\n").rstrip()


def one_of(word: str, known: Sequence[str], what: str, hint: str) -> str:
    """Return the known word that was meant, whatever its capitals. Raises UsageError with the nearest, or with all."""
    folded = {each.casefold(): each for each in known}
    wanted = word.strip().casefold()
    if wanted in folded:
        return folded[wanted]
    near = nearest(wanted, folded)
    instead = f"did you mean {folded[near]}?" if near else f"there is {', '.join(known) or 'none'}"
    raise UsageError(f"there is no {what} {word}; {instead}", hint=hint.replace("…", folded[near] if near else "…"))


def find_stage(state: SprintState, stage_id: str) -> StageState:
    """Return the stage of that id. Raises UsageError with the nearest name."""
    found = state.stage(stage_id)
    if found:
        return found
    known = [each.stage.id for each in state.stages]
    near = nearest(stage_id, known)
    more = f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"
    raise UsageError(f"{state.id} has no stage {stage_id}; {more}", hint="vfcc stage list")


def stage_meant(state: SprintState, stage_id: str | None) -> StageState:
    """Return the stage of that id (default: the active one, else the last).

    Raises as `find_stage` does.
    """
    last = state.stages[-1].stage.id if state.stages else ""
    return find_stage(state, stage_id or state.current or last)
