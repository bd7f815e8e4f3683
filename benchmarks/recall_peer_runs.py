"""Have the peers of recall asked the same questions, each by the Python that has it, in an environment of its own."""

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Command
from benchmarks.memory_stores import own_home
from benchmarks.recall_items import Passage

SCRIPT = str(Path(__file__).with_name("recall_peers.py"))
PEERS = ("bm25s", "basic-memory")
UPDATES = 3

PeerLine = tuple[str, int, float, float, float, int]
"""Name, runs, p50, p95 and processor p50 in milliseconds, peak in KiB."""


def left_out(python: Path | None, options: argparse.Namespace) -> list[str]:
    """Return what to say of peers that were not asked, or not everything."""
    if python is None:
        return [f"{peer}: left out, --peer names no Python that has it" for peer in PEERS]
    told = [f"{peer}: left out, {python} does not have it" for peer in PEERS if not _version(python, peer)]
    told += [f"{peer} {_version(python, peer)}" for peer in PEERS if _version(python, peer)]
    return [*told, f"basic-memory: at most {options.peer_largest:,} items (--peer-largest)"]


def measured_peers(
    python: Path | None, folder: Path, given: Sequence[Passage], asked: Sequence[str], options: argparse.Namespace
) -> Iterator[tuple[PeerLine, Mapping[str, float]]]:
    """Yield what each peer took in process, and the size of its index in MB."""
    size = f"{len(given):,}"
    if python is None:
        return
    folder.mkdir(parents=True)
    content = {"texts": [each.text for each in given], "questions": [*asked]}
    (folder / "given.json").write_text(json.dumps(content), encoding="utf-8")
    if _version(python, "bm25s"):
        for mode in ("build", "warm", "update"):
            name, line = _line(_peer(python, "bm25s", mode, folder))
            yield (f"{size} bm25s: {name}", *line), {f"{size} bm25s": _mb(folder / "bm25s")}
    if _version(python, "basic-memory") and len(given) <= options.peer_largest:
        yield from _basic_memory(python, folder, given)


def peer_commands(
    python: Path | None, folder: Path, question: str, size: int, options: argparse.Namespace
) -> tuple[list[Command], list[Command]]:
    """Return one question to each peer as a whole process: those that are quick, and those that take seconds."""
    quick: list[Command] = []
    slow: list[Command] = []
    if python is None:
        return quick, slow
    if _version(python, "bm25s"):
        words = [str(python), SCRIPT, "bm25s", "cold", str(folder)]
        quick.append(Command(f"{size:,} bm25s: load and ask", words, folder))
    if _version(python, "basic-memory") and size <= options.peer_largest:
        words = [*_program(python), "tool", "search-notes", " OR ".join(question.split()), "--project", "measured"]
        own = _variables(folder)
        slow.append(Command(f"{size:,} basic-memory: tool search-notes", words, folder, environment=own))
    return quick, slow


def _basic_memory(
    python: Path, folder: Path, given: Sequence[Passage]
) -> Iterator[tuple[PeerLine, Mapping[str, float]]]:
    notes = folder / "notes"
    notes.mkdir()
    for number, each in enumerate(given):
        text = f"---\ntitle: {each.title} {number}\ntags: [{', '.join(each.tags)}]\n---\n\n{each.key}\n{each.body}\n"
        (notes / f"item-{number:06}.md").write_text(text, encoding="utf-8")
    _run([*_program(python), "project", "add", "measured", str(notes), "--default"], folder)
    size = f"{len(given):,} basic-memory"
    reindex = [*_program(python), "reindex", "--search", "--project", "measured"]
    yield (f"{size}: build (reindex, whole process)", *_timed(reindex, folder, 1)), {size: _mb(folder / "settings")}
    name, line = _line(_peer(python, "basic-memory", "warm", folder))
    yield (f"{size}: {name}", *line), {}
    changed = notes / "item-000000.md"

    def touch() -> None:
        changed.write_text(changed.read_text(encoding="utf-8") + f"Looked at again at {time.time_ns()}.\n", "utf-8")

    yield (f"{size}: one item changed (reindex, whole process)", *_timed(reindex, folder, UPDATES, touch)), {}


def _timed(
    words: Sequence[str], folder: Path, runs: int, before: object = None
) -> tuple[int, float, float, float, int]:
    walls, processor = list[float](), list[float]()
    for _ in range(runs):
        if callable(before):
            before()
        used, begin = os.times(), time.perf_counter()
        _run(words, folder)
        walls.append((time.perf_counter() - begin) * 1000)
        now = os.times()
        processor.append((now.children_user - used.children_user + now.children_system - used.children_system) * 1000)
    middle, spent = statistics.median(walls), statistics.median(processor)
    return runs, round(middle, 1), round(max(walls), 1), round(spent, 1), 0


def _line(answer: Mapping[str, Mapping[str, list[float]]]) -> tuple[str, tuple[int, float, float, float, int]]:
    ms = answer["ms"]
    name = next(each for each in ms if not each.endswith(" cpu"))
    wall = sorted(ms[name])
    high = wall[min(len(wall) - 1, round(len(wall) * 0.95))]
    middle, used = statistics.median(wall), statistics.median(ms[f"{name} cpu"])
    peak = int(str(answer["peak_kib"]))
    return name, (len(wall), round(middle, 2), round(high, 2), round(used, 2), peak)


def _peer(python: Path, peer: str, mode: str, folder: Path) -> dict[str, dict[str, list[float]]]:
    said = _run([str(python), SCRIPT, peer, mode, str(folder)], folder)
    answer: dict[str, dict[str, list[float]]] = json.loads(said.splitlines()[-1])
    return answer


def _version(python: Path, peer: str) -> str:
    """Return the version of a peer that a Python has, empty where it has none."""
    words = [str(python), SCRIPT, peer, "version", "."]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return str(json.loads(done.stdout)["version"]) if done.returncode == 0 else ""


def _program(python: Path) -> list[str]:
    return [str(python.with_name("basic-memory"))]


def _run(words: Sequence[str], folder: Path) -> str:
    done = subprocess.run(
        words,
        cwd=folder,
        env=_variables(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def _variables(folder: Path) -> dict[str, str]:
    own = {
        "BASIC_MEMORY_CONFIG_DIR": str(folder / "settings"),
        "BASIC_MEMORY_FORCE_LOCAL": "true",
        "BASIC_MEMORY_AUTO_UPDATE": "false",
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        "BASIC_MEMORY_INDEX_CHANGES": "false",
        "BASIC_MEMORY_LOG_LEVEL": "ERROR",
    }
    return {"PATH": os.environ["PATH"], **own_home(folder / "home"), **own}


def _mb(folder: Path) -> float:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return round(sum(path.stat().st_size for path in files) / 1e6, 2)
