"""Run a client for one attempt: its own session, an environment of its own, limits that vfcc counts, no orphans."""

import errno
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from verifflowcc.base.process.command_run import guard, has_ended, live_log, why_not_started
from verifflowcc.run.rules.agent_answers import form_problem
from verifflowcc.run.rules.agent_lines import STDERR, lacks_session, last_words
from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentClient,
    AgentCommand,
    AgentEnding,
    AgentLimits,
    AgentOutcome,
    AgentStep,
    AgentUsage,
    StepKind,
    UsageTally,
)
from verifflowcc.run.store.attendant import __file__ as attendant_file

__all__ = ["RUN_VARIABLE", "environment", "passed_variables", "run_agent", "sweep"]

ROLE_VARIABLE = "VFCC_AGENT"
PROMPT_FILE, STDOUT_FILE, STDERR_FILE = "prompt.md", "stdout.ndjson", "stderr.txt"
PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TMPDIR", "XDG_*"),
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("VIRTUAL_ENV", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "SYSTEMROOT"),
)
"""Variables that every client gets of vfcc's own; all others need a client's `passes` or `run.environment`."""
_NO_PUSH = {
    "GIT_TERMINAL_PROMPT": "0",
    # every address that git pushes to begins with nothing, so that each of them leads nowhere
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "url.vfcc-agents-do-not-push:.pushInsteadOf",
    "GIT_CONFIG_VALUE_0": "",
}
ATTENDS = sys.platform == "linux"
"""Whether an attendant is beside each client; elsewhere only the marker leads to what a client leaves."""
_ATTENDANT_S = 6.0
LONGEST_LINE_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 1 << 18
_PAUSE_S = 0.1
_DRAIN_S = 0.3
_STDERR_BYTES = 4_000
_MOST_STEPS = 100_000


def run_agent(
    client: AgentClient,
    command: AgentCommand,
    limits: AgentLimits,
    marker: str,
    on_step: Callable[[AgentStep], None],
    stop: Callable[[], bool],
    *,
    before: AgentUsage = NO_USAGE,
) -> AgentEnding:
    """Run a client's command to its end and return how it ended; no process with the marker is left.

    `marker` is the mark of the run, a slash, and the attempt. `on_step` gets each step when it was written; `stop` is
    asked several times a second, and True ends the client. `before` is what the session had used before. The raw output
    is kept as `stdout.ndjson` and `stderr.txt` in the command's `scratch`. An exception, also SystemExit of a signal,
    ends the client first.
    """
    started = time.monotonic()
    call = _AgentCall(client, command, limits, on_step, stop, before)
    scratch = Path(command.scratch)
    env = environment(command, marker, os.environ)
    with ExitStack() as stack:
        try:
            stdin = stack.enter_context(_write_inputs(command, scratch).open("rb"))
        except OSError as error:
            return AgentEnding(AgentOutcome.CRASHED, failure=f"{error.filename or scratch}: {error.strerror}")
        call.log_stdout = stack.enter_context(live_log(scratch / STDOUT_FILE))
        call.log_stderr = stack.enter_context(live_log(scratch / STDERR_FILE))
        tell = stack.enter_context(guard())
        try:
            attended = stack.enter_context(_started(command, env, stdin))
        except (OSError, ValueError) as error:
            failure = why_not_started(Path(command.folder), command.argv, error)
            return AgentEnding(AgentOutcome.CRASHED, failure=failure, log=command.scratch)
        process = attended.process
        try:
            tell(process.pid)
            call.follow(attended)
        finally:
            attended.end()
            swept = sweep(marker)
        call.read_rest(process)
    if attended.failed:
        failure = why_not_started(Path(command.folder), command.argv, attended.failed)
        return AgentEnding(AgentOutcome.CRASHED, failure=failure, log=command.scratch)
    orphans = tuple(dict.fromkeys((*attended.orphans, *swept)))
    return call.ending(process.returncode, orphans, round((time.monotonic() - started) * 1000))


class _AttendedProcess:
    """A client below its attendant, and what the attendant reports; without one where the system has no such thing."""

    def __init__(self, process: subprocess.Popen[bytes], channel: socket.socket) -> None:
        self.process, self.channel = process, channel
        self.orphans: list[int] = []
        self.failed: OSError | None = None

    def take_report(self, chunk: bytes) -> None:
        """Note which processes were left, or why the client did not start."""
        for word, number in (line.split() for line in chunk.decode("ascii", "replace").splitlines()):
            if word == "orphan":
                self.orphans.append(int(number))
            else:
                self.failed = OSError(int(number), os.strerror(int(number)))
                if int(number) == errno.ENOENT:
                    self.failed = FileNotFoundError(*self.failed.args)

    def end(self) -> None:
        """End what still runs: the attendant does it when the socket closes, and is ended itself where it does not."""
        with suppress(OSError):
            self.channel.shutdown(socket.SHUT_WR)
        if not ATTENDS or not has_ended(self.process, time.monotonic() + _ATTENDANT_S):
            _signal_group(self.process, signal.SIGKILL)
        self.process.wait()
        self.channel.setblocking(False)
        with suppress(OSError):
            while chunk := self.channel.recv(_CHUNK_BYTES):
                self.take_report(chunk)


@contextmanager
def _started(command: AgentCommand, env: Mapping[str, str], stdin: IO[bytes]) -> Iterator[_AttendedProcess]:
    """Start a client, with an attendant where there is one. Raises OSError, ValueError."""
    ours, theirs = socket.socketpair()
    attendant = (sys.executable, "-I", "-S", attendant_file, str(theirs.fileno())) if ATTENDS else ()
    with ours, theirs:
        if not command.argv:
            raise ValueError("the command is empty")
        process = subprocess.Popen(
            (*attendant, *command.argv),
            cwd=command.folder,
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=(theirs.fileno(),) if ATTENDS else (),
        )
        theirs.close()
        with process:
            yield _AttendedProcess(process, ours)


def environment(command: AgentCommand, marker: str, own: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a client: few of vfcc's own, those of its command, and the markers of the attempt."""
    passed = passed_variables((*PASSED, *command.passes), own)
    return {**passed, **_NO_PUSH, **command.environment, RUN_VARIABLE: marker, ROLE_VARIABLE: command.role}


def passed_variables(names: Sequence[str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of these names; one that ends in `*` names all that begin so.

    >>> passed_variables(("HOME", "LC_*"), {"HOME": "/home/ada", "LC_ALL": "C", "TOKEN": "secret"})
    {'HOME': '/home/ada', 'LC_ALL': 'C'}
    """
    whole = {name for name in names if not name.endswith("*")}
    parts = tuple(name[:-1] for name in names if name.endswith("*"))
    return {name: value for name, value in own.items() if name in whole or name.startswith(parts)}


def _write_inputs(command: AgentCommand, scratch: Path) -> Path:
    """Write the prompt and the client's own files; stdin is a file, so a client that never reads it blocks nothing."""
    scratch.mkdir(parents=True, exist_ok=True)
    for name, text in command.files.items():
        (scratch / name).write_text(text, encoding="utf-8", errors="replace")
    prompt = scratch / PROMPT_FILE
    prompt.write_bytes(command.stdin)
    return prompt


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class _AgentCall:
    """One call of a client while it runs: what it wrote so far, and the limits that it is held to."""

    def __init__(
        self,
        client: AgentClient,
        command: AgentCommand,
        limits: AgentLimits,
        on_step: Callable[[AgentStep], None],
        stop: Callable[[], bool],
        before: AgentUsage,
    ) -> None:
        self.client, self.command, self.limits, self.before = client, command, limits, before
        self.on_step, self.stop = on_step, stop
        self.log_stdout: Callable[[bytes], None] = len  # type: ignore[assignment]
        self.log_stderr: Callable[[bytes], None] = len  # type: ignore[assignment]
        self.lines, self.stderr = _Lines(), b""
        self.steps: list[AgentStep] = []
        self.turns: set[str] = set()
        self.tally = UsageTally(before)
        self.message = self.session = ""
        self.killed: AgentOutcome | None = None
        self.result_at: float | None = None

    def follow(self, attended: _AttendedProcess) -> None:
        """Read what the client writes until it has ended; end it when a limit is reached or somebody asks for it."""
        process = attended.process
        until = time.monotonic() + self.limits.seconds
        kill_at = drained = None
        with selectors.DefaultSelector() as ready:
            for pipe, take in ((process.stdout, self.take_stdout), (process.stderr, self.take_stderr)):
                ready.register(pipe, selectors.EVENT_READ, take)  # type: ignore[arg-type]
            if ATTENDS:
                ready.register(attended.channel, selectors.EVENT_READ, attended.take_report)
            while ready.get_map() and (drained is None or time.monotonic() < drained):
                for key, _ in ready.select(_PAUSE_S):
                    chunk = os.read(key.fd, _CHUNK_BYTES)
                    key.data(chunk)
                    if not chunk:
                        ready.unregister(key.fileobj)
                now = time.monotonic()
                if drained is None and process.poll() is not None:
                    drained = now + _DRAIN_S
                elif kill_at is None and drained is None and self.must_end(now, until):
                    _signal_group(process, signal.SIGTERM)
                    kill_at = now + self.limits.grace_s
                elif kill_at is not None and drained is None and now >= kill_at:
                    return
        self._await_end(process, until, kill_at)

    def _await_end(self, process: subprocess.Popen[bytes], until: float, kill_at: float | None) -> None:
        """Await a client that has closed its output, within the same limits."""
        while process.poll() is None:
            now = time.monotonic()
            if kill_at is None and self.must_end(now, until):
                _signal_group(process, signal.SIGTERM)
                kill_at = now + self.limits.grace_s
            elif kill_at is not None and now >= kill_at:
                return
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PAUSE_S)

    def must_end(self, now: float, until: float) -> bool:
        """Whether the client is to be ended now; notes why. One that gave its result and stays is ended without one."""
        if self.result_at is not None and now >= self.result_at + self.limits.after_result_s:
            return True
        if self.stop():
            self.killed = AgentOutcome.INTERRUPTED
        elif now >= until:
            self.killed = AgentOutcome.LIMIT_TIME
        elif self.result_at is None:
            self.killed = self.reached()
        return self.killed is not None

    def reached(self) -> AgentOutcome | None:
        """Return the limit that the steps so far have reached."""
        limits = self.limits
        if limits.turns is not None and len(self.turns) > limits.turns:
            return AgentOutcome.LIMIT_TURNS
        used = self.tally.now()
        spent = used.since(self.before) if used else NO_USAGE
        if limits.tokens is not None and spent.tokens > limits.tokens:
            return AgentOutcome.LIMIT_TOKENS
        if limits.micro_usd is not None and (spent.micro_usd or 0) > limits.micro_usd:
            return AgentOutcome.LIMIT_MONEY
        return None

    def take_stdout(self, chunk: bytes) -> None:
        """Keep what was written, and take each line that is whole now; an empty chunk is the end."""
        self.log_stdout(chunk)
        for line in self.lines.add(chunk) if chunk else self.lines.rest():
            for step in self.client.decode(line.decode("utf-8", "replace")):
                self._take(step)

    def take_stderr(self, chunk: bytes) -> None:
        """Keep what was written, and its end in mind."""
        self.log_stderr(chunk)
        self.stderr = (self.stderr + chunk)[-_STDERR_BYTES:]

    def _take(self, step: AgentStep) -> None:
        self.tally.add(step)
        if step.turn and len(self.turns) < _MOST_STEPS:
            self.turns.add(step.turn)
        if step.kind is StepKind.RESULT:
            self.result_at = time.monotonic()
        elif self.result_at is not None:
            self.result_at = time.monotonic()  # it has begun another turn by itself
        if step.kind is StepKind.MESSAGE:
            self.message = step.text
        self.session = step.session or self.session
        if len(self.steps) >= _MOST_STEPS:
            del self.steps[: _MOST_STEPS // 2]
        self.steps.append(step)
        self.on_step(step)

    def read_rest(self, process: subprocess.Popen[bytes]) -> None:
        """Take what is still in the pipes, and a last line without an end."""
        for pipe, take in ((process.stdout, self.take_stdout), (process.stderr, self.take_stderr)):
            if pipe is None:
                continue
            os.set_blocking(pipe.fileno(), False)
            with suppress(OSError):
                while chunk := pipe.read(_CHUNK_BYTES):
                    take(chunk)
            take(b"")

    def ending(self, exit_code: int, orphans: tuple[int, ...], duration_ms: int) -> AgentEnding:
        """Return how the call ended. Where a client stayed after its result, its exit code is none of its own."""
        stayed = self.killed is None and self.result_at is not None and exit_code in (-signal.SIGTERM, -signal.SIGKILL)
        if exit_code != 0 and self.stderr.strip():
            words = self.stderr.decode("utf-8", "replace")
            self.steps.append(AgentStep(StepKind.ERROR, words, reason=STDERR, failed=True))
        outcome = self.client.classify(0 if stayed else exit_code, self.steps, self.killed)
        result = next((step for step in reversed(self.steps) if step.kind is StepKind.RESULT), None)
        message = (result.text if result else "") or self.message
        structured = (result.structured if result else "") or (message if self.command.schema else "")
        failure = ""
        if self.command.schema and outcome is AgentOutcome.DONE:
            failure = form_problem(structured, self.command.schema)
            outcome = AgentOutcome.SCHEMA if failure else outcome
        elif outcome is not AgentOutcome.DONE:
            failure = _failure(result, self.stderr)
        usage = self.client.usage(self.steps, self.before)
        return AgentEnding(
            outcome,
            session=self.session,
            usage=usage,
            spent=usage.since(self.before) if usage else None,
            message=message,
            structured=structured,
            denied=tuple(dict.fromkeys(step.tool for step in self.steps if step.kind is StepKind.DENIED)),
            turns=len(self.turns),
            exit_code=exit_code,
            failure=failure,
            no_session=lacks_session(self.steps),
            orphans=orphans,
            log=self.command.scratch,
            duration_ms=duration_ms,
        )


def _failure(result: AgentStep | None, stderr: bytes) -> str:
    if result is not None and result.text:
        return result.text
    return last_words(stderr.decode("utf-8", "replace"))


class _Lines:
    """Lines from chunks; of a line that is too long, nothing is kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> Iterator[bytes]:
        """Yield each line that this chunk ends, without its end."""
        *whole, last = chunk.split(b"\n")
        for line in whole:
            self._keep(line)
            yield from self.rest()
        self._keep(last)

    def rest(self) -> Iterator[bytes]:
        """Yield the line that has begun, if there is anything in it."""
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        if parts and size <= LONGEST_LINE_BYTES:
            yield b"".join(parts)

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if part and self._size <= LONGEST_LINE_BYTES:
            self._parts.append(part)


# A client's tools have sessions of their own and outlive a client that is killed; each of them inherits a marker in
# its environment, by which it is found and ended, whatever session or parent it has.

RUN_VARIABLE = "VFCC_RUN"
"""The variable that marks all processes of an attempt: the run's mark, a slash, the attempt's id."""
_PROC = Path("/proc")
_PS = "/bin/ps"
_SWEEP_PATIENCE_S = 5.0
_SWEEP_PAUSE_S = 0.01


def sweep(run: str) -> tuple[int, ...]:
    """End all processes that a run has left, or one attempt of it (`<run>/<attempt>`); return their ids.

    This process and those that started it are never ended, so that a person's shell inside of a run survives.
    """
    ended: dict[int, None] = {}
    until = time.monotonic() + _SWEEP_PATIENCE_S
    spared = _own_line()
    while time.monotonic() < until:
        found = [pid for pid in marked(run) if pid not in spared]
        if not found:
            break
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended[pid] = None
        time.sleep(_SWEEP_PAUSE_S)  # one that was started between the reading and the signal is found in the next round
    return tuple(ended)


def marked(run: str) -> tuple[int, ...]:
    """Return the processes that carry the marker of a run, or of one attempt of it."""
    wanted = f"{RUN_VARIABLE}={run}".encode()
    ends = (b"\0", b"") if "/" in run else (b"\0", b"", b"/")
    found = _in_proc() if (_PROC / "self" / "environ").exists() else _in_table()
    return tuple(pid for pid, words in found if _holds(words, wanted, ends))


def _holds(words: bytes, wanted: bytes, ends: tuple[bytes, ...]) -> bool:
    place = words.find(wanted)
    while place >= 0:
        rest = words[place + len(wanted) : place + len(wanted) + 1]
        if (place == 0 or words[place - 1 : place] == b"\0") and rest in ends:
            return True
        place = words.find(wanted, place + 1)
    return False


def _in_proc() -> Iterator[tuple[int, bytes]]:
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended, or belongs to another user
                yield int(folder.name), (folder / "environ").read_bytes()


def _in_table() -> Iterator[tuple[int, bytes]]:
    """Yield the processes where there is no `/proc`: `ps` shows the environment after the arguments."""
    done = subprocess.run([_PS, "-Eww", "-A", "-o", "pid=,command="], capture_output=True, env={}, check=False)
    for line in done.stdout.splitlines():
        pid, _, words = line.strip().partition(b" ")
        if pid.isdigit():
            yield int(pid), b"\0" + words.replace(b" ", b"\0") + b"\0"


def _own_line() -> set[int]:
    """Return this process and those above it."""
    found, pid = {os.getpid()}, os.getppid()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            stat = (_PROC / str(pid) / "stat").read_bytes()
        except OSError:
            break
        pid = int(stat[stat.rfind(b")") + 1 :].split()[1])
    return found
