"""Ask another program's search on the same items; run by the Python that has it, by `recall_speed.py`.

    PYTHON benchmarks/recall_peers.py PEER MODE FOLDER

PEER is `bm25s` or `basic-memory`, MODE `build`, `warm`, `update` or `cold`. FOLDER holds `given.json` (texts and
questions) and is where an index is kept. bm25s keeps no texts and has no update: a changed item is an index made anew.
basic-memory's notes lie in `notes`; what is timed is its tool `search_notes` in its own server, reached without a pipe
or a socket, and for `build` and `update` its own command `reindex`, which `recall_speed.py` starts as a process.
"""

import asyncio
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

UPDATES = 3
TOP = 10
PROJECT = "measured"


def main() -> None:
    """Ask, and print one line of JSON."""
    peer, mode, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if mode == "version":
        print(json.dumps({"version": importlib.import_module("importlib.metadata").version(peer)}))
        return
    given = json.loads((folder / "given.json").read_text(encoding="utf-8"))
    ms: dict[str, list[float]] = {}
    if peer == "bm25s":
        _bm25s(mode, folder, given, ms)
    else:
        asyncio.run(_basic_memory(given, ms))
    print(json.dumps({"ms": ms, "peak_kib": _peak_kib()}))


def _bm25s(mode: str, folder: Path, given: dict[str, list[str]], ms: dict[str, list[float]]) -> None:
    library: Any = importlib.import_module("bm25s")
    stemmer = _stemmer()
    there = folder / "bm25s"

    def build() -> None:
        index = library.BM25()
        index.index(library.tokenize(given["texts"], stemmer=stemmer, show_progress=False), show_progress=False)
        index.save(str(there))

    def ask(index: Any, question: str) -> None:
        tokens = library.tokenize([question], stemmer=stemmer, show_progress=False)
        index.retrieve(tokens, k=min(TOP, len(given["texts"])), show_progress=False)

    if mode == "build":
        _time(ms, "build", build)
    elif mode == "update":
        for number in range(UPDATES):
            given["texts"][number] += " Looked at again."
            _time(ms, "one item changed", build)
    elif mode == "cold":
        ask(library.BM25.load(str(there), mmap=True), given["questions"][0])
    else:
        index = library.BM25.load(str(there))
        ask(index, given["questions"][0])
        for question in given["questions"]:
            _time(ms, "query", lambda question=question: ask(index, question))  # type: ignore[misc]


def _stemmer() -> Any:
    """A stemmer in C where there is one, as bm25s advises; without it nothing is stemmed."""
    try:
        return importlib.import_module("Stemmer").Stemmer("english")
    except ImportError:
        return None


async def _basic_memory(given: dict[str, list[str]], ms: dict[str, list[float]]) -> None:
    importlib.import_module("loguru").logger.remove()
    importlib.import_module("basic_memory.mcp.tools")
    server = importlib.import_module("basic_memory.mcp.server").mcp
    async with importlib.import_module("fastmcp").Client(server) as client:
        await _asked(client, given["questions"][0])
        for question in given["questions"]:
            begin, processor = time.perf_counter(), time.process_time()
            await _asked(client, question)
            _keep(ms, "query", begin, processor)


async def _asked(client: Any, question: str) -> None:
    words = " OR ".join(question.split())
    asked = {"query": words, "project": PROJECT, "page_size": TOP, "search_type": "text", "output_format": "json"}
    await client.call_tool("search_notes", asked)


def _time(ms: dict[str, list[float]], name: str, call: Callable[[], None]) -> None:
    begin, processor = time.perf_counter(), time.process_time()
    call()
    _keep(ms, name, begin, processor)


def _keep(ms: dict[str, list[float]], name: str, begin: float, processor: float) -> None:
    ms.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
    ms.setdefault(f"{name} cpu", []).append((time.process_time() - processor) * 1000)


def _peak_kib() -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    main()
