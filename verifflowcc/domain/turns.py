"""Turns of a conversation: who said what, when. What is learned is learned from turns."""

from enum import StrEnum

from verifflowcc.domain.items import Trust
from verifflowcc.records import dataclass


class Speaker(StrEnum):
    """What kind of voice a turn has; it says how far what is learned from it is trusted."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"
    OUTSIDE = "outside"


TRUST_OF: dict[Speaker, Trust] = {
    Speaker.PERSON: Trust.HUMAN,
    Speaker.AGENT: Trust.AGENT,
    Speaker.TOOL: Trust.TOOL,
    Speaker.OUTSIDE: Trust.EXTERNAL,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that somebody said.

    `id` is the same whenever the same turn is read again, and no other turn's within its session: the client's own id,
    else a digest of what was said and its place. `at` is an ISO date-time in UTC, or a day, or None where nobody says.
    `name` is the speaker's as written (`Alice`), "" where there is none. `tool` is the tool that a turn of a TOOL is
    the output of; a page or a file from elsewhere that a tool brought is OUTSIDE.
    """

    id: str
    speaker: Speaker
    text: str
    session: str
    at: str | None = None
    name: str = ""
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was read from one source, in its order. `origin` names the source: a file's name and digest, or a session.

    `problems` are sentences that begin with `file:line:`; what they tell of was left out. `notes` say what was left out
    that nobody has to mend: the torn last line of a transcript that is being written, words before the first name.
    """

    origin: str
    turns: tuple[Turn, ...]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
