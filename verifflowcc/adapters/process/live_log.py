"""What a command writes, in a file that can be read while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LARGEST_LOG_BYTES = 64 * 1024 * 1024


@contextmanager
def live_log(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Give a function that appends output to a new file at `path`, at once, and at most 64 MiB of it.

    A log that cannot be written is no reason not to run the command.
    """
    left = LARGEST_LOG_BYTES
    file = None
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # never through a link
        file = path.open("xb", buffering=0)

    def write(chunk: bytes) -> None:
        nonlocal left
        if file and chunk and left:
            with suppress(OSError):
                file.write(chunk[:left])
            left -= len(chunk[:left])

    try:
        yield write
    finally:
        if file:
            file.close()
