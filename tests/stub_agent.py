"""An agent that does what its script says: a list of acts on its command line, as JSON. It needs the bare Python only.

`write` writes a text to stdout as it is, `bytes` the bytes of a hexadecimal text, `many` a text that often, `error` a
text to stderr, `exit` ends with a code, `hang` waits for ever, `deaf` ignores SIGTERM, `detach` leaves a process in a
session of its own that waits for ever, `hide` one that has no variables either, `close` closes stdout, `read` copies
stdin to stdout, and `environment` writes its variables as one line of JSON.
"""

import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Do each act in turn."""
    for act in json.loads(sys.argv[1]):
        name, *rest = act if isinstance(act, list) else [act]
        ACTS[name](*rest)


def write(text: str) -> None:
    """Write a text as it is."""
    os.write(1, text.encode())


def many(text: str, times: int) -> None:
    """Write a text that often, as one."""
    data = text.encode() * times
    while data:
        data = data[os.write(1, data) :]


def detach(seconds: int, *, variables: bool = True) -> None:
    """Leave a process behind, which no group and no parent leads to."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvpe("sleep", ["sleep", str(seconds)], os.environ if variables else {})
        os._exit(0)
    os.wait()


def environment() -> None:
    """Write the variables."""
    write(json.dumps({"type": "message", "text": json.dumps(dict(os.environ))}) + "\n")


ACTS: dict[str, Any] = {
    "write": write,
    "bytes": lambda text: os.write(1, bytes.fromhex(text)),
    "many": many,
    "error": lambda text: os.write(2, text.encode()),
    "exit": os._exit,
    "hang": signal.pause,
    "deaf": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "detach": detach,
    "hide": lambda seconds: detach(seconds, variables=False),
    "close": lambda: os.close(1),
    "read": lambda: write(json.dumps({"type": "message", "text": sys.stdin.read()}) + "\n"),
    "environment": environment,
}

if __name__ == "__main__":
    main()
