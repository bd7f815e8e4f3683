"""One long-lived process that writes notes with basic-memory; run by the Python that has it, by `memory_writers.py`.

    PYTHON benchmarks/basic_memory_writer.py FOLDER TEXTS FIRST CALLS

Its own server runs in this process, reached without a pipe or a socket, which is the quickest way to it; its log is
off. TEXTS is a JSON file: for each writer its notes, each a title and a body. Of those the writers from FIRST on write,
CALLS of them at once. What is timed is its tool `write_note`, from the call to the answer. It does not fsync, and
writes the file itself after the answer: the process stays until its standard input ends.
"""

import asyncio
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

Notes = list[tuple[str, str]]


async def main() -> None:
    """Write when told to."""
    folder, given = sys.argv[1:3]
    first, calls = map(int, sys.argv[3:5])
    notes: list[Notes] = json.loads(Path(given).read_text(encoding="utf-8"))[first : first + calls]
    importlib.import_module("loguru").logger.remove()
    importlib.import_module("basic_memory.mcp.tools")
    server = importlib.import_module("basic_memory.mcp.server").mcp
    async with importlib.import_module("fastmcp").Client(server) as client:
        await client.call_tool("create_memory_project", {"project_name": "measured", "project_path": folder})
        await _write(client, f"warm {first}", "One that is not counted.")
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        begin = time.perf_counter()
        taken = await asyncio.gather(*(_written(client, each) for each in notes))
        end = time.perf_counter()
        spans = [ms for each in taken for ms in each]
        done = [ms for ms in spans if ms is not None]
        said = {"ms": done, "begin": begin, "end": end, "failed": len(spans) - len(done)}
        print(json.dumps(said), flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def _written(client: Any, notes: Notes) -> list[float | None]:
    """Return milliseconds for each note, None where it was refused."""
    taken: list[float | None] = []
    for title, body in notes:
        begin = time.perf_counter()
        good = await _write(client, title, body)
        taken.append((time.perf_counter() - begin) * 1000 if good else None)
    return taken


async def _write(client: Any, title: str, body: str) -> bool:
    note = {"project": "measured", "directory": "notes", "title": title, "content": body, "output_format": "json"}
    answer = await client.call_tool("write_note", note, raise_on_error=False)
    return not answer.is_error


if __name__ == "__main__":
    asyncio.run(main())
