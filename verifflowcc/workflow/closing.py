"""What closing a sprint leaves behind: its last event, which alone tells its state, and its learnings."""

from collections.abc import Sequence

from verifflowcc.domain.events import Event, EventType
from verifflowcc.domain.sprints import DONE, SprintLine, SprintStatus
from verifflowcc.formats.event_pack import events_digest
from verifflowcc.workflow import fields


def closed_line(sprint: str, last: Event, ids: Sequence[str]) -> SprintLine | None:
    """Return a closed sprint as a list shows it, from its closing event and the ids of all its events.

    None where `last` does not close the sprint, or closed it over other events than there are now: then all of them
    have to be read.
    """
    if last.type is not EventType.SPRINT_CLOSED:
        return None
    before = [each for each in ids if each != last.id]
    record = last.payload["ledger"]
    if not isinstance(record, dict) or record != {"events": len(before), "digest": events_digest(before)}:
        return None
    stages = fields.records(last.payload, "stages")
    done = sum(fields.text(stage, "status") in DONE for stage in stages)
    return SprintLine(sprint, fields.text(last.payload, "title"), SprintStatus.CLOSED, None, done, len(stages))


def learnings_block(title: str, learnings: str) -> str:
    """Return the section that holds a sprint's learnings, with one newline at its end."""
    return f"## Learnings — {title}\n\n{learnings.strip()}\n"


def with_block(text: str, block: str) -> str:
    """Return `text` with `block` as its last section, or unchanged where it holds exactly that section already.

    >>> with_block("a\\n", "## B\\n") == with_block(with_block("a\\n", "## B\\n"), "## B\\n") == "a\\n\\n## B\\n"
    True
    """
    if not text.strip():
        return block
    if f"\n{block}\n" in f"\n{text.rstrip()}\n\n":
        return text
    return f"{text.rstrip()}\n\n{block}"
