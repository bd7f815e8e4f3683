"""Import clients' own session files into the history, as hooks would have recorded them.

What the history holds of a session already is not added again.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from verifflowcc.base.errors import FileErrors, UsageError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.formats.session_lines import CallLines, HookLine, Tokens, TokenSpending, milliseconds
from verifflowcc.base.model.events import Json
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.identifiers import ENTROPY_BYTES, content_part, ulid
from verifflowcc.base.text.quick_json import write
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.claude_calls import CLAUDE, CODEX, SKIPPED, ClaudeCalls, Subagent
from verifflowcc.history.rules.codex_calls import CodexCalls
from verifflowcc.history.rules.event_shape import BEGINNING, KINDS, VERSION, event_of, moment, with_typed_words
from verifflowcc.history.store.client_sessions import (
    SessionFile,
    given_files,
    is_below,
    lines_of,
    own_files,
    session_file,
    subagent_of,
)
from verifflowcc.history.store.hook_files import sent_prompts
from verifflowcc.history.store.partitions import ENDING
from verifflowcc.history.use.history_reading import add, history_folders, open_history

USAGE = "usage"


def spent_event(spent: TokenSpending, client: str, session: str, name: str) -> dict[str, Json]:
    """Return the event of kind `usage`; `name` is a ULID of its time."""
    event: dict[str, Json] = {
        "v": VERSION,
        "kind": USAGE,
        "id": name,
        "time": moment(spent.at),
        "client": client,
        "gen_ai.conversation.id": _plain(session),
    }
    values = {
        "task": spent.task,
        "gen_ai.agent.id": spent.agent,
        "gen_ai.agent.name": spent.agent_type,
        "gen_ai.request.model": spent.model,
        "gen_ai.response.id": spent.message,
    }
    event |= {field: _plain(value) for field, value in values.items() if _plain(value)}
    return event | {
        "gen_ai.usage.input_tokens": spent.tokens.input,
        "gen_ai.usage.output_tokens": spent.tokens.output,
        "vfcc.usage.cache_read_tokens": spent.tokens.cache_read,
        "vfcc.usage.cache_creation_tokens": spent.tokens.cache_creation,
    }


def spent_in(event: Mapping[str, Json]) -> Tokens:
    """Return the tokens that such an event says."""
    found = (event.get(name) for name in _NUMBERS)
    return Tokens(*(each if isinstance(each, int) else 0 for each in found))


_NUMBERS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "vfcc.usage.cache_read_tokens",
    "vfcc.usage.cache_creation_tokens",
)


def _plain(text: str) -> str:
    return text[:BEGINNING] if text.isprintable() else ""


# Add events to the days that they are of, many at a time, each with one write of whole lines.

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


LARGEST_BYTES = 100_000
_DAY_MS = 86_400_000


@dataclass(slots=True)
class EventCount:
    """How many events of a file are added, and how many were there."""

    new: int = 0
    known: int = 0


@dataclass(slots=True)
class Batches:
    """Events that wait to be added, under the lock of imports; hooks may add at any time.

    In a `dry` run nothing is written. Raises WorkspaceError.
    """

    workspace: Workspace
    known: KnownEvents
    dry: bool
    waiting: dict[str, list[tuple[EventCandidate, bytes, EventCount]]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    around: set[int] = field(default_factory=set)

    def put(self, made: EventCandidate, line: bytes, count: EventCount) -> None:
        """Add an event, unless it is there."""
        self._look_around(made.at)
        if self.known.has(made):
            count.known += 1
            return
        self.known.add(made.event)
        count.new += 1
        if self.dry:
            return
        day = str(made.event["time"])[:10]
        if self.sizes.get(day, 0) + len(line) > LARGEST_BYTES:
            self._flush(day)
        self.waiting.setdefault(day, []).append((made, line, count))
        self.sizes[day] = self.sizes.get(day, 0) + len(line)

    def is_there(self, name: str, at: int, count: EventCount) -> bool:
        """Say whether an import added the event of that id before, so that it need not be made, and count it."""
        self._look_around(at)
        there = self.known.has_id(name)
        count.known += there
        return there

    def finish(self) -> None:
        """Write what waits."""
        for day in sorted(self.waiting):
            self._flush(day)

    def see(self, at: int) -> None:
        """Learn what the history holds of the day of a moment."""
        self._look(_day(at))

    def _look_around(self, at: int) -> None:
        number = at // _DAY_MS
        if number in self.around:
            return
        self.around.add(number)
        for each in (number - 1, number, number + 1):  # a hook may have told it on the other side of midnight
            day = _day(max(each, 0) * _DAY_MS)
            if not self.known.looked_at(day):
                self._look(day)

    def _look(self, day: str) -> bool:
        with FileErrors("read"):
            return self.known.look(day)

    def _flush(self, day: str) -> None:
        waiting = self.waiting.pop(day, [])
        self.sizes[day] = 0
        if self._look(day):
            waiting = list(self._still_new(waiting))
        if waiting:
            lines = b"".join(line for _, line, _ in waiting)
            add(self.workspace, day, lines)
            self.known.wrote(day, len(lines))

    def _still_new(
        self, waiting: list[tuple[EventCandidate, bytes, EventCount]]
    ) -> Iterator[tuple[EventCandidate, bytes, EventCount]]:
        """Yield the events that no hook has recorded by now."""
        for each in waiting:
            if self.known.hook_recorded(each[0]):
                each[2].new -= 1
                each[2].known += 1
            else:
                yield each


def _day(at: int) -> str:
    return moment(at)[:10]


CLIENTS = (CLAUDE, CODEX)
LOCK = "history-import.lock"
WAIT_S = 600.0
_CALLS = ("tool_execution", "tool_start")


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What became of one file: events that are new and known, calls of tools and tokens in it, and notes."""

    session: str
    client: str
    file: str
    new: int
    known: int
    calls: int
    tokens: Tokens
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryImport:
    """What became of all files, and how many were left out since they are of other projects.

    `notes` tell of files that could not be read, other than those that were named.
    """

    files: tuple[ImportedFile, ...]
    new: int
    known: int
    calls: int
    tokens: Tokens
    other_projects: int
    """Sessions of other projects, which were left out."""
    dry_run: bool
    notes: tuple[str, ...]


def import_sessions(
    workspace: Workspace,
    given: Sequence[str] = (),
    *,
    client: str | None = None,
    dry_run: bool = False,
    env: Mapping[str, str] = os.environ,
) -> HistoryImport:
    """Read sessions of this project into its history: those in the files and folders that are given, else all.

    Raises UsageError for a file that cannot be read or tells of no session, ConflictError where another import takes
    too long, and WorkspaceError.
    """
    if client is not None and client not in CLIENTS:
        raise UsageError(f"there is no client {client!r}", hint=f"vfcc history import --client {CLIENTS[0]}")
    notes: list[str] = []
    found = _found(workspace, given, client, env, notes)
    mine = [each for each in found if is_below(each.seen.folder, workspace.root)]
    if dry_run:
        files = _imported(workspace, mine, dry=True)
    else:
        with locked(workspace.local / LOCK, WAIT_S):
            files = _imported(workspace, mine, dry=False)
        with step("indexing the history"), open_history(workspace):
            pass  # so that no hook has to wait for what was just added
    return HistoryImport(
        files,
        sum(each.new for each in files),
        sum(each.known for each in files),
        sum(each.calls for each in files),
        sum((each.tokens for each in files), Tokens()),
        len(found) - len(mine),
        dry_run,
        tuple(notes),
    )


def _found(
    workspace: Workspace, given: Sequence[str], client: str | None, env: Mapping[str, str], notes: list[str]
) -> list[SessionFile]:
    clients = CLIENTS if client is None else (client,)
    if given:
        paths = chain.from_iterable(map(given_files, dict.fromkeys(given)))
    else:
        paths = chain.from_iterable(own_files(workspace.root, each, env) for each in clients)
    named = set(map(Path, given))
    found = {path: _seen(path, notes) for path in paths}
    for path, file in found.items():
        if file is None and path in named:
            raise UsageError(f"{path} is neither a transcript of Claude Code nor a rollout of Codex")
    return [each for each in found.values() if each and each.seen.client in clients]


def _seen(path: Path, notes: list[str]) -> SessionFile | None:
    try:
        return session_file(path)
    except OSError as error:
        notes.append(f"cannot read {path}: {error.strerror or error}")
        return None


def _imported(workspace: Workspace, files: Sequence[SessionFile], *, dry: bool) -> tuple[ImportedFile, ...]:
    first, *more = history_folders(workspace)
    known = KnownEvents(first, frozenset(each.seen.session for each in files), tuple(more))
    batches = Batches(workspace, known, dry)
    for file in files:
        batches.see(file.seen.at)
    # the older session first, which another one may have copied; what is known stays whose it was
    ordered = sorted(files, key=lambda each: (each.seen.at, each.seen.session not in known.met, str(each.path)))
    elsewhere: set[int] = set()
    reading = [_FileImport(each, batches, elsewhere, str(workspace.root)) for each in ordered]
    with step("importing sessions", len(reading)) as advance:
        for one in reading:
            one.read()
            advance(1)
        batches.finish()
    return tuple(each.result() for each in reading)


class _FileImport:
    """One file while it is read. `elsewhere` are the lines of the sessions that were read before."""

    def __init__(self, file: SessionFile, batches: Batches, elsewhere: set[int], root: str) -> None:
        self._file, self._batches, self._elsewhere, self._root = file, batches, elsewhere, root
        self._own: set[int] = set()
        self._count, self._calls, self._tokens = EventCount(), 0, Tokens()
        self._notes: list[str] = []

    def read(self) -> None:
        """Add the events of the file and of its subagents' files."""
        others: list[TokenSpending] = []
        for path in self._file.subagents:
            others += self._of(path, ClaudeCalls(self._session, agent=Subagent(*subagent_of(path))).read)
        if self._file.seen.client == CODEX:
            self._of(self._file.path, CodexCalls(self._session).read)
        elif self._file.whole:
            main = ClaudeCalls(self._session, others=others, copied=self._copied)
            self._of(self._file.path, main.read)
            if main.copies:
                self._notes.append(
                    f"{main.copies:,} lines are copies of another session's; they count there, with their tokens"
                )
        self._elsewhere |= self._own

    def result(self) -> ImportedFile:
        """Return what became of it."""
        return ImportedFile(
            self._session,
            self._file.seen.client,
            str(self._file.path),
            self._count.new,
            self._count.known,
            self._calls,
            self._tokens,
            tuple(self._notes),
        )

    @property
    def _session(self) -> str:
        return self._file.seen.session

    def _copied(self, name: str) -> bool:
        self._own.add(hash(name))
        return hash(name) in self._elsewhere

    def _of(self, path: Path, read: Callable[[CallLines], Iterable[HookLine | TokenSpending]]) -> list[TokenSpending]:
        lines = CallLines(str(path), lines_of(path), SKIPPED)
        spent = []
        try:
            for heard in read(lines):
                if isinstance(heard, TokenSpending):
                    spent.append(heard)
                for made in self._made(heard):
                    self._batches.put(made, write(made.event).encode("ascii") + b"\n", self._count)
        except OSError as error:
            lines.notes.append(f"cannot read {path}: {error.strerror or error}")
        self._notes += lines.notes
        return spent

    def _made(self, heard: HookLine | TokenSpending) -> Iterator[EventCandidate]:
        if isinstance(heard, TokenSpending):
            yield from self._of_spent(heard)
            return
        kind = KINDS[heard.words["hook_event_name"]]
        self._calls += kind in _CALLS
        name = self._name(heard.at, kind, heard.key)
        if self._batches.is_there(name, heard.at, self._count):
            return
        client, at = self._file.seen.client, moment(heard.at)
        event = event_of(with_typed_words(heard.words, self._compiled), client, self._root, at, name, withhold)
        if event is not None:
            event[IMPORTED] = True
            yield EventCandidate(event, heard.at, heard.around)

    def _compiled(self) -> Iterable[Mapping[str, Json]]:
        return sent_prompts(f"{self._root}/.memory/local")

    def _of_spent(self, spent: TokenSpending) -> Iterator[EventCandidate]:
        """Yield the tokens of a message, without those that are recorded already."""
        self._tokens += spent.tokens
        recorded = self._batches.known.spent(self._session, spent.message) if spent.message else None
        key, tokens = spent.key, spent.tokens
        if recorded is not None and (more := tokens.beyond(recorded)) != Tokens():
            key, tokens = f"{key} {tokens}", more
        name = self._name(spent.at, USAGE, key)
        part = TokenSpending(
            spent.at, key, tokens, spent.model, spent.message, spent.task, spent.agent, spent.agent_type
        )
        event = spent_event(part, self._file.seen.client, self._session, name)
        event[IMPORTED] = True
        yield EventCandidate(event, spent.at, (0, 0))

    def _name(self, at: int, kind: str, key: str) -> str:
        identity = "\0".join((self._session, kind, key)).encode("utf-8", "surrogatepass")
        return ulid(at, hashlib.sha256(identity).digest()[:ENTROPY_BYTES])
