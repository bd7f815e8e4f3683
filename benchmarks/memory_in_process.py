"""Ask the store of a project in one process, and say what each question took; `memory.py` starts it for each run.

    python -m benchmarks.memory_in_process ROOT MODE

MODE is the name of one operation (timed from opening the store: the first thing that the process does), `warm` (all
operations, one after the other, on an open store that knows its items) or `count` (nothing is timed: how many Markdown
files are opened, and how many texts are read as items, for a change of one item). One line of JSON is printed.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

from benchmarks.memory_items import Text, item_of
from benchmarks.memory_stores import SCOPE
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.model.memory_protocol import Filters, MemoryBackend
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.stores import open_store

GETS = 20
FILTERS: Filters = {"type": "decision", "importance": {"$gte": 0.7}}
LIMIT = 20
IDS = "ids.json"


@dataclass(frozen=True)
class Asked:
    """A store, its project, and ids of items in it."""

    store: MemoryBackend
    workspace: Workspace
    ids: Sequence[str]


@dataclass
class Measured:
    """Milliseconds by operation; files opened and texts read, by operation; the largest resident set in KiB."""

    ms: dict[str, float] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    parsed: dict[str, int] = field(default_factory=dict)
    peak_kib: int = 0


def _list(asked: Asked) -> None:
    asked.store.items()


def _texts(asked: Asked) -> None:
    asked.store.list_all()


def _query(asked: Asked) -> None:
    asked.store.query(FILTERS, LIMIT)


def _get(asked: Asked) -> None:
    if asked.store.get(asked.ids[0]) is None:
        raise SystemExit(f"{asked.ids[0]} is not there")


def _add(asked: Asked) -> None:
    name = f"added-{time.time_ns()}"
    asked.store.add(item_of(Text("One more", "The queue is emptied before a release."), "fact", name))


def _change(asked: Asked) -> None:
    found = asked.store.get(asked.ids[-1])
    if found is None:
        raise SystemExit(f"{asked.ids[-1]} is not there")
    text = f"{found.text.rstrip()}\n\nLooked at again at {time.time_ns()}.\n"
    asked.store.add(stored_item(found.item.path, text.encode("utf-8")))


def _maintain(asked: Asked) -> None:
    maintain(asked.workspace, SCOPE, actor="human:You")


OPERATIONS: dict[str, Callable[[Asked], None]] = {
    "list": _list,
    "list with texts": _texts,
    "query": _query,
    "get": _get,
    "maintain": _maintain,
    "add": _add,
    "change one": _change,
    "list after the change": _list,
}
COLD = ("list", "query", "get", "maintain", "add")


def main() -> None:
    """Ask, and print what was measured."""
    workspace, mode = open_workspace(Path(sys.argv[1])), sys.argv[2]
    ids = json.loads((workspace.root / IDS).read_text(encoding="utf-8"))
    measured = Measured()
    if mode == "count":
        with open_store(workspace, SCOPE) as store:
            _count(Asked(store, workspace, ids), measured)
    elif mode == "warm":
        with open_store(workspace, SCOPE) as store:
            store.items()
            for name, operation in OPERATIONS.items():
                measured.ms[name] = _timed(operation, Asked(store, workspace, ids), GETS if name == "get" else 1)
    else:
        begin = time.perf_counter()
        with open_store(workspace, SCOPE) as store:
            OPERATIONS[mode](Asked(store, workspace, ids))
        measured.ms[mode] = (time.perf_counter() - begin) * 1000
    measured.peak_kib = _peak_kib()
    print(json.dumps(asdict(measured)))


def _timed(operation: Callable[[Asked], None], asked: Asked, times: int) -> float:
    """Return the milliseconds of one call, of so many calls for as many items."""
    begin = time.perf_counter()
    for number in range(times):
        operation(Asked(asked.store, asked.workspace, asked.ids[number:]))
    return (time.perf_counter() - begin) * 1000 / times


def _count(asked: Asked, measured: Measured) -> None:
    counter = _Counter()

    def counted(name: str, operation: Callable[[Asked], None]) -> None:
        with counter.on():
            operation(asked)
        measured.opened[name], measured.parsed[name] = counter.opened, counter.parsed

    _settle(asked)
    counted("change one", _change)
    counted("list after the change", _list)
    found = asked.store.get(asked.ids[1])
    file = asked.workspace.root / (found.item.path if found else "")
    if file.is_file():
        _settle(asked)
        file.write_bytes(file.read_bytes() + b"\nEdited by hand.\n")
        counted("list after one file was edited by hand", _list)
    counted("add", _add)


def _settle(asked: Asked) -> None:
    """Wait until the stamps of what was written can be trusted; until then each question reads it anew."""
    time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
    asked.store.items()


class _Counter:
    """Counts Markdown files that are opened, and texts that are read as items, while it is on."""

    def __init__(self) -> None:
        self.opened = self.parsed = 0
        self._on = False
        sys.addaudithook(self._heard)

    @contextmanager
    def on(self) -> Iterator[None]:
        self.opened = self.parsed = 0
        self._on = True
        sys.setprofile(self._called)
        yield
        sys.setprofile(None)
        self._on = False

    def _heard(self, event: str, arguments: Sequence[object]) -> None:
        if self._on and event == "open" and str(arguments[0]).endswith(".md"):
            self.opened += 1

    def _called(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is parse_item.__code__:
            self.parsed += 1


def _peak_kib() -> int:
    """Return the kernel's own figure for this process, which unlike `getrusage` does not begin with its parent's."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    main()
