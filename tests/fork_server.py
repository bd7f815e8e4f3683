"""The process that `tests/forked.py` forks: it has imported what commands import, runs none itself, and is asked for
one process after another. Run as a script.

A process that it forks becomes what was asked for, by its folder, environment, arguments and streams, and then runs
`vfcc` as the script of that name does. Modules that a process had to import are told
here, and imported before the next is forked.
"""

import contextlib
import gc
import importlib
import marshal
import os
import select
import signal
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer._click import Command

NEVER = ("numpy", "onnxruntime", "readline", "multiprocessing", "duckdb", "_duckdb", "pyarrow")
"""They start threads or look at the terminal, which a process forked later would lack, or complain at its end."""


def _serve(asked: socket.socket) -> None:
    """Fork a process for each request and answer with how it ended; return in it, ready to run."""
    told, tell = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ended, end = socket.socketpair()
    end.setblocking(False)
    callers: dict[int, socket.socket] = {}
    _build_commands()
    gc.freeze()
    while True:
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler, no signal reaches the wakeup socket
        signal.set_wakeup_fd(end.fileno(), warn_on_full_buffer=False)
        ready, _, _ = select.select([asked, told, ended], [], [])
        if ended in ready:
            ended.recv(1 << 12)
            _answer(callers)
        if told in ready:
            _learn(told.recv(1 << 17).decode())
        if asked not in ready:
            continue
        data, handles, _, _ = socket.recv_fds(asked, 1, 4)
        if not data:
            sys.exit(0)
        caller, streams = socket.socket(fileno=handles[0]), handles[1:]
        with caller.makefile("rb") as text:
            request = text.read()
        process = os.fork()
        if process == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (asked, told, ended, end, caller, *callers.values()):
                each.close()
            return _become(tell, request, streams)
        for handle in streams:
            os.close(handle)
        callers[process] = caller
        with contextlib.suppress(OSError):
            caller.sendall(str(process).encode() + b"\n")


def _build_commands() -> None:
    """Build the tree of commands, which takes typer half the time of a short command, once and not in each process."""
    import typer.main

    from verifflowcc.cli.cli import app as commands

    app = commands.whole_app()
    build, built = typer.main.get_command, typer.main.get_command(app)

    def get_command(typer_instance: typer.Typer) -> "Command":
        return built if typer_instance is app else build(typer_instance)

    typer.main.get_command = get_command
    commands.app_for = lambda words: app


def _answer(callers: dict[int, socket.socket]) -> None:
    """Send the exit code of each process that ended to its caller."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            process, status = ended
            with callers.pop(process) as caller, contextlib.suppress(OSError):
                caller.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _learn(names: str) -> None:
    for name in names.split("\n"):
        if name.partition(".")[0] not in NEVER:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    gc.freeze()


def _become(tell: socket.socket, request: bytes, streams: list[int]) -> None:
    """Take the folder, environment, arguments and streams that are asked for."""
    folder, environment, arguments = marshal.loads(request)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()})
    sys.argv[:] = map(os.fsdecode, arguments)
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120 - as Python does for a script
    _open_terminals()
    _tell_at_the_end(tell)


def _open_terminals() -> None:
    """Give each line at once where a stream is a terminal, as Python does."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if os.isatty(number):
            old = getattr(sys, name)
            made = open(number, old.mode, 1, old.encoding, old.errors, closefd=False)  # noqa: SIM115
            setattr(sys, name, made)
            setattr(sys, f"__{name}__", made)


def _tell_at_the_end(tell: socket.socket) -> None:
    import atexit

    before = set(sys.modules)

    def send() -> None:
        new = "\n".join(name for name in list(sys.modules) if name not in before)
        if new:
            with contextlib.suppress(OSError):
                tell.send(new.encode()[: 1 << 16], socket.MSG_DONTWAIT)

    atexit.register(send)


def _leave(code: int) -> None:
    """End without taking the interpreter apart, which is a third of a short command: each page of memory is copied.

    All that a program can notice comes first, in Python's order. What fails then is left to Python to report.
    """
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            return
    os._exit(code)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _serve(requests)
    from verifflowcc.fast import main

    try:
        main()
    except SystemExit as stop:
        if isinstance(stop.code, int):
            _leave(stop.code)
        raise
