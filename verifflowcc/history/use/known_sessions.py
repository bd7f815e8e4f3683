"""What the history holds of some sessions already, so that nothing is added that is there."""

import json
from pathlib import Path

from verifflowcc.base.formats.session_lines import Json, Tokens, milliseconds
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import content_part
from verifflowcc.history.rules.message_cost import USAGE, spent_in
from verifflowcc.history.store.partitions import ENDING

IMPORTED = "imported"
"""The key that says of an event that it was read in, and not told by a hook."""
_SESSION = b'"gen_ai.conversation.id":"'
_NAMED = ("gen_ai.tool.call.id", "task", "gen_ai.agent.id")
_NEAR = 5_000
_BY = {
    "tool_start": 0,
    "tool_denied": 0,
    "tool_execution": 0,
    "prompt": 1,
    "agent_prompt": 1,
    "turn_end": 1,
    "subagent_start": 2,
    "subagent_end": 2,
}
"""By which of those names an event of a kind is known for what a hook told; others are by their time."""


@dataclass(frozen=True, slots=True)
class EventCandidate:
    """An event that may be added, and when a hook could have recorded the same."""

    event: dict[str, Json]
    at: int
    around: tuple[int, int]


class KnownEvents:
    """What the days that were looked at hold of `sessions`; a day is read once, and then what came to it since.

    `more` are the other folders that the history is in.
    """

    def __init__(self, folder: Path, sessions: frozenset[str], more: tuple[Path, ...] = ()) -> None:
        self._folders, self._sessions = (folder, *more), frozenset(each.encode() for each in sessions)
        self._read: dict[Path, int] = {}
        self._days: set[str] = set()
        self._names: set[str] = set()
        self._told: set[tuple[str, str, str]] = set()
        self._times: dict[tuple[str, str], list[int]] = {}
        self._spent: dict[tuple[str, str], Tokens] = {}
        self.met: set[str] = set()

    def look(self, day: str) -> bool:
        """Read the new lines of a day; return whether a hook added one.

        Raises OSError.
        """
        self._days.add(day)
        looked = [self._look_in(folder / f"{day}{ENDING}") for folder in self._folders]
        return any(looked)

    def _look_in(self, path: Path) -> bool:
        begin = self._read.setdefault(path, 0)
        is_new = False
        try:
            with path.open("rb") as file:
                file.seek(begin)
                for line in file:
                    if line.endswith(b"\n"):
                        self._read[path] += len(line)
                        is_new |= self._line(line)
        except FileNotFoundError:
            return False
        return is_new

    def wrote(self, day: str, size: int) -> None:
        """Pass over so many bytes that were added to a day after it was looked at, unless others came with them."""
        for path in (folder / f"{day}{ENDING}" for folder in self._folders):
            end = self._read.get(path, 0) + size
            if path.exists() and path.stat().st_size == end:
                self._read[path] = end
                return

    def looked_at(self, day: str) -> bool:
        """Say whether a day was looked at."""
        return day in self._days

    def add(self, event: dict[str, Json]) -> None:
        """Count an event as there."""
        self._names.add(content_part(str(event["id"])))
        if event.get("kind") == USAGE and (message := event.get("gen_ai.response.id")):
            key = (str(event["gen_ai.conversation.id"]), str(message))
            self._spent[key] = self._spent.get(key, Tokens()) + spent_in(event)

    def has(self, made: EventCandidate) -> bool:
        """Whether an event is there, or a hook recorded the same."""
        return self.has_id(str(made.event["id"])) or self.hook_recorded(made)

    def has_id(self, name: str) -> bool:
        """Say whether an event of that id is there, whatever its time."""
        return content_part(name) in self._names

    def hook_recorded(self, made: EventCandidate) -> bool:
        """Whether a hook recorded the same."""
        event, kind = made.event, str(made.event["kind"])
        session = str(event["gen_ai.conversation.id"])
        low, high = made.around
        if kind in _BY:
            if (kind, session, str(event.get(_NAMED[_BY[kind]], ""))) in self._told:
                return True
            low, high = made.at - _NEAR, made.at + _NEAR
        return any(low <= each <= high for each in self._times.get((kind, session), ()))

    def spent(self, session: str, message: str) -> Tokens | None:
        """Return the recorded tokens of a message; None where none are."""
        return self._spent.get((session, message))

    def _line(self, line: bytes) -> bool:
        begin = line.find(_SESSION) + len(_SESSION)
        if begin < len(_SESSION) or line[begin : line.find(b'"', begin)] not in self._sessions:
            return False
        try:
            event = json.loads(line)
        except ValueError:
            return False  # a line that a full disk cut short
        if not isinstance(event, dict) or not isinstance(event.get("id"), str):
            return False
        if self.has_id(event["id"]):
            return False
        self.add(event)
        self.met.add(str(event["gen_ai.conversation.id"]))
        if event.get(IMPORTED) is True:
            return False
        self._of_a_hook(event)
        return True

    def _of_a_hook(self, event: dict[str, Json]) -> None:
        kind, session = str(event.get("kind")), str(event["gen_ai.conversation.id"])
        name = event.get(_NAMED[_BY[kind]]) if kind in _BY else None
        if name:
            self._told.add((kind, session, str(name)))
            if event.get("denied"):
                self._told.add(("tool_execution", session, str(name)))  # its answer only repeats that
        elif (at := milliseconds(event.get("time"))) is not None:
            self._times.setdefault((kind, session), []).append(at)
