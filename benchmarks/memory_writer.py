"""One long-lived process that writes items to a store, and says what each write took; `memory_writers.py` starts it.

    python -m benchmarks.memory_writer KIND FOLDER URL FIRST WRITERS WRITES

It opens the store, writes one item that is not counted, says `ready`, waits for a line, writes, and prints what it
measured as one line of JSON. WRITERS above 1 are threads that share the store. What is timed begins with a title and a
body and ends when the write is durable: rendering, parsing, writing and fsync. With the kind `service` it is what
`vfcc memory add` does, with its checks; with `bare` a file is made, fsynced, renamed and its folder fsynced, no more.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from benchmarks.memory_items import Text, item_of, texts
from benchmarks.memory_stores import SCOPE, Place, open_place
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.item_values import Source
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.memory.use.adding import AddPlan, ItemRequest, add_item

Write = Callable[[Text, str], None]
_NOTHING = Text("first", "One that is not counted.")


def main() -> None:
    """Write when told to."""
    kind, folder, url, *numbers = sys.argv[1:]
    first, writers, writes = map(int, numbers)
    with _writing(kind, Path(folder), url) as (write, count):
        write(_NOTHING, f"warm-{first}")
        print("ready", flush=True)
        sys.stdin.readline()
        begin = time.perf_counter()
        with ThreadPoolExecutor(writers) as pool:
            taken = list(pool.map(lambda writer: _written(write, writer, writes), range(first, first + writers)))
        end = time.perf_counter()
        said = {"ms": [ms for each in taken for ms in each], "begin": begin, "end": end, "failed": 0}
        print(json.dumps({**said, "count": count() if kind == "memory" else 0}), flush=True)


def _written(write: Write, writer: int, writes: int) -> list[float]:
    taken = []
    for number, text in zip(range(writes), texts(writer), strict=False):
        name = f"note-{writer:02}-{number:04}"
        begin = time.perf_counter()
        write(text, name)
        taken.append((time.perf_counter() - begin) * 1000)
    return taken


@contextmanager
def _writing(kind: str, folder: Path, url: str) -> Iterator[tuple[Write, Callable[[], int]]]:
    """Yield what writes a text under a name, and what counts the items."""
    if kind == "bare":
        yield (lambda text, name: write_atomic(folder / f"{name}.md", f"# {text.title}\n\n{text.body}\n")), int
        return
    store = open_place(Place("files" if kind == "service" else kind, folder, url))
    try:
        yield _adder(store, service=kind == "service"), store.count
    finally:
        store.close()


def _adder(store: MemoryBackend, *, service: bool) -> Write:
    if service:
        return lambda text, name: _add(store, text, name)
    return lambda text, name: store.add(item_of(text, "fact", name))


def _add(store: MemoryBackend, text: Text, name: str) -> None:
    wanted = ItemRequest(SCOPE, "fact", f"{text.title} {name}", text.body, Source(actor="human:You"))
    add_item(store, wanted, actor="human:You", today="2026-11-21", confirm=_confirm)


def _confirm(_: AddPlan) -> None:
    """A fact of the project needs no yes."""


if __name__ == "__main__":
    main()
