"""The turns of a conversation: speaker, text and time."""

import hashlib
import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from enum import StrEnum

from verifflowcc.base.model.item_values import Trust
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.dates import read_date
from verifflowcc.base.text.identifiers import slug

# Names of what has none: a digest of a turn's words as its id, a file and its first words as a session, an origin.

_DIGITS = 12
NOTES = "Notes"
"""The speaker of a text that names none: whose words they are is not known."""


@dataclass(slots=True)
class TurnIds:
    """The ids of one session's turns, in order; repeated words get another id.

    A conversation that grows keeps the ids that its turns had.

    A conversation that goes on keeps the ids that its turns had.
    """

    _seen: dict[str, int] = field(default_factory=dict)

    def of(self, name: str, text: str) -> str:
        """Return the id of the speaker's next turn."""
        words = f"{name}\0{text}"
        number = self._seen[words] = self._seen.get(words, 0) + 1
        return short_digest(words if number == 1 else f"{words}\0{number}")


def short_digest(text: str | bytes) -> str:
    """Return twelve hexadecimal digits of a text's digest."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def origin_of(name: str, data: bytes) -> str:
    """Return how a source is called in the items made from it: its file's name, without folders, and its digest.

    >>> origin_of("talks/monday.md", b"")
    'monday.md@e3b0c44298fc'
    """
    return f"{_file_of(name)}@{short_digest(data)}"


def session_of(name: str, first: str) -> str:
    """Name a session without a name after its file and its first words.

    >>> session_of("talks/monday.md", "Other: Hello")
    'monday-47e83946'
    """
    return f"{slug(stem_of(name), 'session')}-{short_digest(first)[:8]}"


def stem_of(name: str) -> str:
    """Return a file's name without its folders and its ending.

    >>> stem_of("talks/monday.md")
    'monday'
    """
    file = _file_of(name)
    return file.rpartition(".")[0] or file


def _file_of(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


# When a turn was said, as one form: an ISO date-time in UTC to the second, or a day.

_MILLISECONDS_FROM = 100_000_000_000


def moment_of(value: object) -> str | None:
    """Return a moment that a source wrote; None where it says none, or what cannot be read.

    A date-time without a zone is taken as UTC; numbers are seconds or milliseconds since 1970.

    >>> moment_of("2026-11-21T10:00:00.123+02:00"), moment_of(1795255200), moment_of("21/11/2026"), moment_of("soon")
    ('2026-11-21T08:00:00Z', '2026-11-21T10:00:00Z', '2026-11-21', None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        if isinstance(value, str):
            text = value.strip()
            if len(text) <= 10:
                return read_date(text)
            found = datetime.fromisoformat(text)
        else:
            found = datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
        moment = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return read_date(value) if isinstance(value, str) else None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


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


_USER_NAMES = frozenset({"", "user", "human", "me", "you", "person", "developer", "client"})


def is_users_own(name: str) -> bool:
    """Say whether a speaker's name is one for the user: none, `You`, `User`.

    >>> is_users_own("You"), is_users_own("Anna")
    (True, False)
    """
    return name.casefold() in _USER_NAMES


def writes_alone(name: str) -> bool:
    """Say whether a speaker states things, and does not talk with others: the user, and the writer of notes.

    >>> writes_alone("You"), writes_alone("Notes"), writes_alone("Anna")
    (True, True, False)
    """
    return name.casefold() in _USER_NAMES | {"notes"}


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a conversation.

    `id` is the same whenever the same turn is read again, and no other turn's within its session: the client's own id,
    else a digest of what was said and its place. `at` is an ISO date-time in UTC, or a day, or None where nobody says.
    `name` is the speaker's as written (`Alice`), "" where there is none. `tool` is the tool that a turn of a TOOL is
    the output of; a page or a file from elsewhere that a tool brought is OUTSIDE. `before` are the last turns of its
    session before it, without theirs.
    """

    id: str
    speaker: Speaker
    text: str
    session: str
    at: str | None = None
    name: str = ""
    tool: str | None = None
    before: tuple["Turn", ...] = ()


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


MOST_BEFORE = 6
"""Turns of a session that can say what a statement is of: an exchange about one subject is seldom longer."""


def in_order(turns: Iterable[Turn]) -> list[Turn]:
    """Return turns in their order, each with the last ones before it of its session."""
    last: dict[str, tuple[Turn, ...]] = {}
    found = []
    for turn in turns:
        before = last.get(turn.session, ())
        found.append(replace(turn, before=before))
        last[turn.session] = (*before, replace(turn, before=()))[-MOST_BEFORE:]
    return found


# What kind of voice the output of a tool is: the machine here, another agent, or a text from elsewhere.

OWN = "vfcc"
"""The tool whose output is what vfcc remembers already."""
_WEB = re.compile(r"(?i)web|browser|fetch|search_query|open_page|url")
_AGENTS = frozenset({"task", "agent", "spawn_agent", "wait_agent", "sendmessage"})
_OUTSIDE_COMMAND = re.compile(
    r"(?:^|[\s;&|($`'\"\[,])(?:curl|wget|lynx|w3m|gh|glab|http|https|xh|aria2c|ssh|scp|rsync)(?=[\s'\",]|$)|https?://"
)
_OWN_COMMAND = re.compile(r"(?:^|[\s;&|($`'\"\[,/])vfcc(?=[\s'\",]|$)|\.memory/|/vfcc/user/")


def voice_of_tool(name: str, asked: str) -> tuple[Speaker, str]:
    """Return the voice of a tool's output, and the tool's name; `asked` is what it was called with, as text.

    What a page, an MCP server or a command that reaches the network brought is OUTSIDE; what another agent answered is
    an agent's. The name is `vfcc` where vfcc itself, or a file that it keeps, is what speaks.

    >>> [voice_of_tool(*each)[0].value for each in (("Bash", "make test"), ("WebFetch", ""), ("Bash", "curl -s x.org"))]
    ['tool', 'outside', 'outside']
    >>> voice_of_tool("Bash", "vfcc memory list"), voice_of_tool("mcp__github__get_issue", "")[0].value
    ((<Speaker.TOOL: 'tool'>, 'vfcc'), 'outside')
    """
    plain = name.casefold()
    if plain.startswith("mcp__vfcc__") or _OWN_COMMAND.search(asked):
        return Speaker.TOOL, OWN
    if plain in _AGENTS:
        return Speaker.AGENT, name
    outside = plain.startswith("mcp__") or _WEB.search(plain) or _OUTSIDE_COMMAND.search(asked)
    return (Speaker.OUTSIDE if outside else Speaker.TOOL), name


# The words by which sources say what kind of voice speaks.

_PERSON = frozenset({"person", "user", "human", "me"})
_AGENT = frozenset({"agent", "assistant", "model", "ai", "bot", "chatbot", "llm"})
_TOOL = frozenset({"tool", "function", "tool_result", "tool_output"})
_OUTSIDE = frozenset({"outside", "external", "web", "page"})
SILENT = frozenset({"system", "developer"})
"""Roles whose words are a program's settings, and nobody's statement."""


def speaker_of(word: str) -> Speaker | None:
    """Return the kind of voice that a word such as `assistant` names; None where it is a name of somebody.

    >>> speaker_of("User"), speaker_of("assistant"), speaker_of("Other")
    (<Speaker.PERSON: 'person'>, <Speaker.AGENT: 'agent'>, None)
    """
    plain = word.strip().casefold()
    kinds = ((_PERSON, Speaker.PERSON), (_AGENT, Speaker.AGENT), (_TOOL, Speaker.TOOL), (_OUTSIDE, Speaker.OUTSIDE))
    return next((kind for words, kind in kinds if plain in words), None)


def speaker_named(name: str, agents: Collection[str]) -> Speaker:
    """Return the voice of somebody by name: a person, unless `agents` (case folded) or the word itself says otherwise.

    >>> speaker_named("Other", ()), speaker_named("Coder", ("coder",))
    (<Speaker.PERSON: 'person'>, <Speaker.AGENT: 'agent'>)
    """
    if name.strip().casefold() in agents:
        return Speaker.AGENT
    return speaker_of(name) or Speaker.PERSON
