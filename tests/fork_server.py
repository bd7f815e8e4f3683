"""The process that `tests/forked.py` forks: it has imported what commands import, runs none itself, and is asked for
one process after another. Run as a script.

A process that it forks becomes what was asked for, by its folder, environment, arguments and streams, and then runs
`vfcc` as the script of that name does, to the end of the interpreter. Modules that a process had to import are told
here, and imported before the next is forked.
"""

import contextlib
import gc
import importlib
import marshal
import os
import select
import socket
import sys

NEVER = ("numpy", "onnxruntime", "readline", "multiprocessing", "duckdb", "_duckdb", "pyarrow")
"""They start threads or look at the terminal, which a process forked later would lack, or complain at its end."""


def _serve(asked: socket.socket) -> None:
    """Fork a process for each request; return in it, ready to run."""
    told, tell = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    importlib.import_module("verifflowcc.cli.app")
    gc.freeze()
    while True:
        ready, _, _ = select.select([asked, told], [], [])
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        if told in ready:
            _learn(told.recv(1 << 17).decode())
        if asked not in ready:
            continue
        data, handles, _, _ = socket.recv_fds(asked, 1, 4)
        if not data:
            sys.exit(0)
        if os.fork() == 0:
            told.close()
            asked.close()
            return _keep(tell, *handles)
        for handle in handles:
            os.close(handle)


def _learn(names: str) -> None:
    for name in names.split("\n"):
        if name.partition(".")[0] not in NEVER:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    gc.freeze()


def _keep(tell: socket.socket, answer: int, *streams: int) -> None:
    """Fork the process that is asked for, tell how it ended, and exit; return in that process."""
    with socket.socket(fileno=answer) as caller:
        with caller.makefile("rb") as text:
            folder, environment, arguments = marshal.loads(text.read())
        process = os.fork()
        if process:
            for stream in streams:
                os.close(stream)
            caller.sendall(str(process).encode() + b"\n")
            _, status = os.waitpid(process, 0)
            caller.sendall(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)
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


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _serve(requests)
    from verifflowcc.fast import main

    main()
