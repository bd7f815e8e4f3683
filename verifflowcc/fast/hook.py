"""`vfcc hook CLIENT`: record an event of an agent's client first, then answer it where there is an answer.

A client runs this before and after each call of a tool. The event is written to the history here, with no time limit,
before the rest of the program is imported; the answer has a limit and may be cut. Whatever fails is logged in
`.memory/local/hook-errors.jsonl` and costs the agent nothing: the exit code is 0 and nothing is printed. Which events
need an answer is kept in `.memory/local/hook.json`, a snapshot that the full program writes.
"""

import sys
from os import _exit, environ, getcwd, read, urandom
from os import stat as stat_of
from os.path import realpath
from time import time_ns

from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.fast.status import fresh

LIMIT_S, LIMIT_AT_END_S = 2.0, 1.0
"""How long an answer may take; clients give the end of a session less time."""
STDIN_WAIT_S = 5
"""How long to wait for the next bytes on stdin: half of what the entries of `vfcc integrate` allow a hook."""
LARGEST_BYTES = 64 * 1024 * 1024
LOCAL = "/.memory/local"
ERRORS = f"{LOCAL}/hook-errors.jsonl"
_LONGEST_LOG_BYTES = 262_144

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifflowcc.base.text.quick_json import Json


def answer(arguments: "list[str]") -> bool:
    """Answer a hook and return True; False where help is asked for.

    Words that nobody understands are a fault like any other: the exit code of a wrong command line would stop an agent.
    """
    if "--help" in arguments or "-h" in arguments:
        return False
    hook = Hook(*[*arguments[:2], "", ""][:2])
    try:
        hook.find_root()
        if len(arguments) not in (1, 2) or arguments[0] not in FILES or hook.event.startswith("-"):
            raise ValueError(f"vfcc hook takes a client ({', '.join(FILES)}), not {' '.join(arguments)!r}")  # noqa: TRY301
        if sys.stdin.isatty():
            sys.stderr.write("vfcc hook is for an agent's client, which says on stdin what its agent does\n")
            sys.stderr.write(f"hint: vfcc integrate {hook.client}\n")
        else:
            hook.run()
    except Exception as error:  # noqa: BLE001 - no fault of ours may stop an agent
        hook.fault(f"{type(error).__name__}: {error}")
    return True


class AnswerLateError(BaseException):
    """The time for the answer is over. It unwinds what runs, so that no half-written file is left behind.

    It is no Exception, since much of the program has an answer to those.
    """


class Hook:
    """One call of a hook by a client, in a project."""

    def __init__(self, client: str, event: str) -> None:
        self.client, self.event = client, event
        self.named = client
        self.root, self.again = "", False
        role = environ.get("VFCC_AGENT", "")
        self.role = role if role.replace("_", "").replace("-", "").isalnum() else ""
        self.sprint = environ.get("VFCC_SPRINT", "")

    def find_root(self) -> None:
        """Look for the project, from where the client says that it is, or from here."""
        self.root = _root_above(environ.get("CLAUDE_PROJECT_DIR", "")) or _root_above(getcwd())

    def run(self) -> None:
        """Record the event on stdin, then answer it."""
        payload = self._read_payload()
        self.event = payload.get("hook_event_name") or self.event
        if not self.root:
            return
        payload = self.with_typed_words(payload)
        recorded, snapshot = self.record_first(payload)
        if self.again and self.event != "PreToolUse":
            return  # another hook of the same client answers it
        if snapshot is None or self._wants_answer(payload, snapshot) or not self._add_notes(payload, snapshot):
            self._answer(payload, recorded, snapshot)

    def with_typed_words(self, payload: "dict[str, Json]") -> "dict[str, Json]":
        """Return a client's words with what a person typed as the prompt, and beside it what vfcc compiled of it."""
        from verifflowcc.history.rules.event_shape import with_typed_words

        return dict(with_typed_words(payload, self._sent_prompts))

    def _sent_prompts(self) -> "list[dict[str, Json]]":
        from verifflowcc.history.store.hook_files import sent_prompts

        return sent_prompts(self.root + LOCAL)

    def record_first(self, payload: "dict[str, Json]") -> "tuple[bool, dict[str, Json] | None]":
        """Record the event unless the project records none; return whether it is on disk now, and the fresh snapshot.

        Finding out the sprint and stage can take long. Without a fresh snapshot the event is recorded as `unplaced`,
        and a line that the full program adds later says where it belongs.
        """
        now = time_ns() // 1_000_000  # before the look at the snapshot: see `as_of` in services/hooks/settings.py
        snapshot = self._snapshot()
        place = {"role": self.role, "unplaced": True} if snapshot is None else snapshot
        self.again = not self._is_first(payload, now)
        if self.again:
            return False, snapshot
        try:
            return self._records(snapshot) and self._record(payload, place, now), snapshot
        except OSError as error:  # a call that the rules deny is denied all the same
            self.fault(f"{type(error).__name__}: {error}")
            return False, snapshot

    def fault(self, text: str) -> None:
        """Write down what went wrong, where there is a place for it."""
        if not self.root:
            return
        from verifflowcc.base.text.quick_json import write
        from verifflowcc.base.text.secrets import withhold
        from verifflowcc.history.store.partitions import add_fault

        client, event, error = (withhold(each[:4000])[:500] for each in (self.client, self.event, text))
        line = {"time": time_ns() // 1_000_000, "client": client, "event": event, "error": error}
        try:
            add_fault(self.root + ERRORS, write(line).encode() + b"\n", _LONGEST_LOG_BYTES)
        except (OSError, ValueError):
            return  # there is nowhere left to tell it

    def _record(self, payload: "dict[str, Json]", place: "dict[str, Json]", now: int) -> bool:
        """Append the event to the history; return False for a kind that is not recorded. Raises OSError."""
        from verifflowcc.base.git.git_repository import repository_around
        from verifflowcc.history.rules.event_shape import line_of, moment
        from verifflowcc.history.store.partitions import add_events

        around = repository_around(self.root)
        place = {**place, "worktree": around.worktree if around else ""}
        line = line_of(payload, self.client, self.root, now, urandom(10), place, self._read_file)
        if line is None:
            return False
        add_events(self.root, moment(now)[:10], line, around)
        return True

    def _is_first(self, payload: "dict[str, Json]", now: int) -> bool:
        """Return whether no other hook reported this event: a client runs those of a project and of a plugin alike."""
        from verifflowcc.history.rules.event_shape import event_key
        from verifflowcc.history.store.partitions import is_first

        session = payload.get("session_id")
        if not isinstance(session, str) or not session:
            return True
        key, window = event_key(payload)
        origin = f"{self.named}{'+plugin' if environ.get('CLAUDE_PLUGIN_ROOT') else ''}"
        try:
            return is_first(self.root + LOCAL, session, key, origin, now, window)
        except OSError:
            return True  # it is recorded twice rather than not at all

    def _read_file(self, path: str) -> "bytes | None":
        from verifflowcc.history.store.hook_files import read_after_edit

        return read_after_edit(f"{self.root}/{path}")

    def _records(self, snapshot: "dict[str, Json] | None") -> bool:
        """Return `hooks.record`: by the snapshot, else by the cached configuration, else by reading it."""
        if snapshot is not None:
            return snapshot.get("record") is not False
        from verifflowcc.base.config.cached_record import cached_record

        cached = cached_record(f"{self.root}/.memory")
        if cached is not None:
            return cached
        from verifflowcc.cli.cli.hook_command import records

        return records(self.root)

    def _wants_answer(self, payload: "dict[str, Json]", snapshot: "dict[str, Json]") -> bool:
        from verifflowcc.history.rules.permission import wants_the_program

        return wants_the_program(payload, snapshot, self.root, self._seen_by, realpath)

    def _add_notes(self, payload: "dict[str, Json]", snapshot: "dict[str, Json]") -> bool:
        """Add what is known of files that were read, or fits a prompt; return False where the notes are stale."""
        event = payload.get("hook_event_name")
        wanted = snapshot.get("recall" if event == "UserPromptSubmit" else "files")
        if wanted is not True or event not in ("PostToolUse", "UserPromptSubmit"):
            return True
        from verifflowcc.history.rules.briefed import conversation_of
        from verifflowcc.history.rules.encode import carries_context, encode
        from verifflowcc.history.rules.file_notes import FORMAT, NOTES, chosen, read_files

        if not carries_context(self.client, event):
            return True
        whose = conversation_of(payload)
        seen = set(self._seen_by(whose))
        if event == "PostToolUse" and seen.issuperset(read_files(payload, self.root)):
            return True
        notes = self._left(NOTES, FORMAT)
        if notes is None or notes.get("ledgers") != snapshot.get("ledgers"):
            return False
        parts, noted = chosen(payload, self.root, notes, seen, int(snapshot.get("room") or 0))
        if noted:
            from verifflowcc.history.store.partitions import add_seen

            add_seen(self.root + LOCAL, whose, noted)
        if parts:
            from verifflowcc.base.text.own_text import between_marks
            from verifflowcc.history.rules.encode import HookAnswer

            sys.stdout.write(encode(self.client, event, HookAnswer(context=between_marks(parts)))[0])
            sys.stdout.flush()
        return True

    def _answer(self, payload: "dict[str, Json]", recorded: bool, snapshot: "dict[str, Json] | None") -> None:
        """Let the full program answer, within its time; what is denied without it is denied also when it is late."""
        unplaced = snapshot is None
        rules = snapshot.get("rules") if snapshot else None
        seconds = LIMIT_AT_END_S if self.event == "SessionEnd" else LIMIT_S
        late = f"the answer took longer than {seconds} s and was left out"
        limit = Limit(seconds, lambda: self._end_late(late, payload, rules))
        try:
            with limit:
                from verifflowcc.base.process.short_process import collect_rarely

                collect_rarely()
                from verifflowcc.cli.cli.hook_command import answered

                faults = answered(self.client, payload, self.root, self.role, recorded=recorded, unplaced=unplaced)
        except (Exception, AnswerLateError):
            if not limit.late:
                raise
            self._end_late(late, payload, rules)  # whatever Python made of it: in a `__set_name__` it is a RuntimeError
            return
        for fault in faults:
            self.fault(fault)

    def _end_late(self, late: str, payload: "dict[str, Json]", rules: "Json") -> None:
        self.fault(late)
        if payload.get("hook_event_name") == "PreToolUse":
            from verifflowcc.cli.cli.hook_command import deny

            deny(self.client, payload, self.root, rules)

    def _seen_by(self, session: str) -> "list[str]":
        from verifflowcc.history.store.partitions import seen_file

        try:
            with open(seen_file(self.root + LOCAL, session), encoding="utf-8") as file:
                return file.read().split("\n")
        except OSError:
            return []

    def _read_payload(self) -> "dict[str, Json]":
        """Return what the client says, in Claude Code's form. Raises ValueError."""
        from verifflowcc.base.text.quick_json import read as read_json

        data = _stdin()
        if self.client not in FILES:
            raise ValueError(f"there is no client {self.client!r}; there is {', '.join(FILES)}")
        value = read_json(data.decode("utf-8", "replace").removeprefix("\ufeff"))
        if not isinstance(value, dict):
            raise ValueError("no JSON object on stdin")  # noqa: TRY004 - it is what was read that is wrong
        from verifflowcc.history.rules.client import normal_form, speaking_client

        self.client = speaking_client(self.client, value)
        payload = normal_form(self.client, self.event, value)
        if self.client == "codex":
            payload = _with_outcome(payload)
        cwd = payload.get("cwd")
        if not self.root and isinstance(cwd, str):
            self.root = _root_above(cwd)
        return payload

    def _snapshot(self) -> "dict[str, Json] | None":
        """Return the snapshot that the full program wrote; None where there is none, or it is stale."""
        return self._left("hook", 5)

    def _left(self, name: str, form: int) -> "dict[str, Json] | None":
        """Return what the full program left in a file for hooks; None where there is none, or it is stale."""
        from verifflowcc.base.text.quick_json import read as read_json

        name = f"{name}-{self.role}" if self.role else name
        if self.sprint:
            if not self.sprint.replace("-", "").isalnum():
                return None  # no sprint has such an id: the full program reports it
            name = f"{name}@{self.sprint}"
        try:
            with open(f"{self.root}{LOCAL}/{name}.json", encoding="utf-8") as file:
                found = read_json(file.read())
            is_fresh = isinstance(found, dict) and found.get("format") == form and fresh(self.root, found.get("stamps"))
        except (OSError, ValueError):
            return None
        return found if is_fresh else None


def _with_outcome(payload: "dict[str, Json]") -> "dict[str, Json]":
    """Return what Codex says of a command, with how it ended, by the end of the file that it names."""
    from verifflowcc.history.rules.codex import outcome_in, wants_outcome

    path = payload.get("transcript_path")
    if not wants_outcome(payload) or not isinstance(path, str) or not path.endswith(".jsonl"):
        return payload
    try:
        return outcome_in(payload, _ends_of(path))
    except (OSError, ValueError):
        return payload


def _ends_of(path: str) -> "Iterator[bytes]":
    """Yield the end of a file, and again while it may grow, for less than half a second."""
    from verifflowcc.history.rules.codex import TAIL_BYTES

    for pause in (0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16):
        if pause:
            from time import sleep

            sleep(pause)
        with open(path, "rb") as file:
            file.seek(max(stat_of(path).st_size - TAIL_BYTES, 0))
            yield file.read(TAIL_BYTES)


def _root_above(folder: str) -> str:
    """Return the nearest folder with a `.memory/` in it or above it; empty where there is none."""
    while folder.startswith("/"):
        folder = folder.rstrip("/")
        try:
            stat_of(f"{folder}/.memory")
        except (OSError, ValueError):
            folder = folder.rpartition("/")[0]
        else:
            return folder
    return ""


def _stdin() -> bytes:
    """Return all of stdin. Raises ValueError where it is too large, or its end does not come.

    The wait begins again with each chunk and looks at the pipe before it gives up, so that a process which the machine
    did not let run for a while loses nothing.
    """
    from select import POLLIN, poll

    handle = sys.stdin.fileno()
    waiting = poll()
    waiting.register(handle, POLLIN)
    chunks: list[bytes] = []
    size = 0
    while size <= LARGEST_BYTES:
        if not waiting.poll(STDIN_WAIT_S * 1000):
            raise ValueError(f"stdin did not end: nothing more came for {STDIN_WAIT_S} s")
        chunk = read(handle, 1 << 20)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
    raise ValueError(f"more than {LARGEST_BYTES} bytes on stdin")


class Limit:
    """Raise AnswerLateError in the block when its time is over: a client waits for the answer.

    Where something holds that up for a second more, the process ends with exit code 0, after `at_end`.
    """

    def __init__(self, seconds: float, at_end: "Callable[[], None]") -> None:
        self._seconds, self._at_end = seconds, at_end
        self._open, self.late = True, False

    def __enter__(self) -> None:
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]

        signal(SIGALRM, self._end)
        setitimer(ITIMER_REAL, self._seconds, 1.0)

    def __exit__(self, *_: object) -> None:
        # An interpreter that shuts down drops the handler before the timer, and the signal would end it with an error.
        from _signal import ITIMER_REAL, setitimer

        self._open = False
        setitimer(ITIMER_REAL, 0)

    def _end(self, *_: object) -> None:
        if self.late:
            try:
                self._at_end()
            finally:
                _exit(0)
        self.late = True
        if self._open:
            # In a finaliser, which imports run many of, Python drops the exception and prints it; the second alarm ends
            # the process then.
            sys.unraisablehook = lambda _: None
            raise AnswerLateError
