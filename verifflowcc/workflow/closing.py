"""What closing a sprint leaves behind: its last event, which alone tells its state, and its learnings."""

from collections.abc import Sequence

from verifflowcc.domain.events import Event, EventType
from verifflowcc.domain.sprints import DONE, SprintLine, SprintStatus
from verifflowcc.formats import events_payload as fields
from verifflowcc.formats.events import events_digest

GAPS = "gaps"
"""The key of a closing event that counts gaps; events of version 0.1 have none, and their gaps are in the passes."""


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
    gaps = fields.number(last.payload, GAPS) if GAPS in last.payload else 0
    title = fields.text(last.payload, "title")
    return SprintLine(sprint, title, SprintStatus.CLOSED, None, done, len(stages), gaps=gaps)


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
