"""What a write takes, one writer alone and 32 at once, for each backend and for basic-memory, in one run.

    python benchmarks/memory_writers.py [--peer PYTHON | --install-peer FOLDER] [--writers N] [--writes N]
                                        [--rounds N] [--peer-writes N] [--peer-rounds N] [--runs N] [--json]

Writers are long-lived processes (threads for `memory`), started and warm before the clock runs, then let go at once;
all write the same texts to the same disk, that of the folder of temporary files. Ours are durable when they return,
each fsynced; `service` is all that `vfcc memory add` does but for its start, `bare` no more than a file made, fsynced
and renamed. basic-memory's are not fsynced, and its files come after its answers: "on disk after" counts from the last
answer until all are there, a minute at most; what is not there then, or was refused, is lost. It is asked in two ways,
one server with so many calls at once, and so many processes with a server each; the target compares with the quicker.
It runs offline, without embeddings, without watching its files and without a log, all of which only spares it work.
Whole processes that write one note are told beside them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, Figures, machine, measure
from benchmarks.memory_items import FOLDER, texts
from benchmarks.memory_stores import SERVER_ABSENT, Place, environment, open_place, own_home, server_url

ROOT = Path(__file__).resolve().parents[1]
VFCC = str(Path(sys.executable).with_name("vfcc"))
OURS = ("bare", "files", "service", "sqlite", "postgres", "memory")
TIMES = 5.0
WARM = "warm "
_PATIENCE_S = 600
_DRAIN_S = 60


@dataclass(frozen=True)
class Written:
    """What one round of a backend gave: latencies in ms, writes in a second, and what was asked for and not kept."""

    name: str
    writers: int
    writes: int
    p50_ms: float
    p99_ms: float
    per_second: float
    lost: int
    on_disk_after_s: float | None = None


@dataclass(frozen=True)
class Line:
    """The figures of all rounds: medians, and the sum of what was lost."""

    name: str
    writers: int
    writes: int
    rounds: int
    p50_ms: float
    p99_ms: float
    per_second: float
    lost: int
    on_disk_after_s: float | None = None


def main() -> None:
    """Let all write, print the figures."""
    options = _options()
    peer = _installed(options.install_peer) if options.install_peer else options.peer
    rounds: list[Written] = []
    told: list[str] = []
    with tempfile.TemporaryDirectory() as scratch, server_url("measured") as url:
        kinds = [kind for kind in OURS if kind != "postgres" or url]
        told += [] if url else [SERVER_ABSENT]
        for number in range(options.rounds):
            for writers in (1, options.writers):
                place = Path(scratch) / f"{number}-{writers}"
                rounds += [_ours(kind, place / kind, url or "", writers, options.writes) for kind in kinds]
                if peer and number < options.peer_rounds:
                    rounds += _peers(peer, place, writers, options.peer_writes)
        whole = measure(_whole(Path(scratch) / "whole", peer), options.runs) if options.runs else []
    if not peer:
        told.append("basic-memory: left out, --peer names no Python that has it")
    _report(_lines(rounds), whole, told, as_json=options.json)
    if any(each.lost for each in rounds if not each.name.startswith("basic-memory")):
        raise SystemExit("writes were lost")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=Path, help="a Python that has basic-memory")
    parser.add_argument("--install-peer", type=Path, help="make an environment there, and install basic-memory into it")
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--writes", type=int, default=50)
    parser.add_argument("--peer-writes", type=int, default=10, help="writes of each writer of basic-memory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-rounds", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5, help="runs of each whole process")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _ours(kind: str, folder: Path, url: str, writers: int, writes: int) -> Written:
    folder.mkdir(parents=True)
    place = Place(kind, folder, url)
    if kind in ("files", "service", "sqlite"):
        open_place(Place("files" if kind == "service" else kind, folder)).close()
    if kind == "postgres":
        _emptied(place)
    threads, processes = (writers, 1) if kind == "memory" else (1, writers)
    commands = [
        [sys.executable, "-m", "benchmarks.memory_writer", kind, str(folder), url, *map(str, (first, threads, writes))]
        for first in range(processes)
    ]
    with _let_go(commands, environment(folder)) as answers:
        asked = writers * writes
        kept = _kept(place, answers) - processes
        return _written(kind, writers, writes, answers, asked - kept)


def _emptied(place: Place) -> None:
    store = open_place(place)
    store.clear()
    store.close()


def _kept(place: Place, answers: Sequence["Answer"]) -> int:
    """Count what is there: for files on the disk, and for those that answer questions by a question too."""
    if place.kind == "memory":
        return sum(each.count for each in answers)
    if place.kind == "bare":
        return len(list(place.folder.glob("*.md")))
    store = open_place(Place("files" if place.kind == "service" else place.kind, place.folder, place.url))
    count = store.count()
    if place.kind in ("files", "service"):
        count = min(count, len(list((place.folder / FOLDER).rglob("*.md"))))
    store.close()
    return count


def _peers(python: Path, place: Path, writers: int, writes: int) -> Iterator[Written]:
    yield _peer("basic-memory, one server", python, place / "peer", writers, writes, processes=1)
    if writers > 1:
        yield _peer("basic-memory, processes", python, place / "peers", writers, writes, processes=writers)


def _peer(name: str, python: Path, home: Path, writers: int, writes: int, *, processes: int) -> Written:
    notes = home / "notes"
    notes.mkdir(parents=True)
    given = home / "texts.json"
    rows = [
        [(f"{text.title} {writer} {number}", text.body) for number, text in enumerate(islice(texts(writer), writes))]
        for writer in range(writers)
    ]
    given.write_text(json.dumps(rows), encoding="utf-8")
    calls = writers // processes
    script = str(ROOT / "benchmarks" / "basic_memory_writer.py")
    commands = [
        [str(python), script, str(notes), str(given), str(first), str(calls)] for first in range(0, writers, calls)
    ]
    with _let_go(commands, _peer_environment(home)) as answers:
        begin = time.perf_counter()
        asked = writers * writes - sum(each.failed for each in answers)
        while (there := _notes_in(notes)) < asked and time.perf_counter() - begin < _DRAIN_S:
            time.sleep(0.05)
        after = time.perf_counter() - max(each.end for each in answers)
        return _written(name, writers, writes, answers, writers * writes - there, after)


def _notes_in(folder: Path) -> int:
    return sum(not path.name.startswith(WARM) for path in folder.rglob("*.md"))


def _peer_environment(home: Path) -> dict[str, str]:
    own = {
        "BASIC_MEMORY_CONFIG_DIR": str(home / "settings"),
        "BASIC_MEMORY_FORCE_LOCAL": "true",
        "BASIC_MEMORY_AUTO_UPDATE": "false",
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        "BASIC_MEMORY_INDEX_CHANGES": "false",
        "BASIC_MEMORY_LOG_LEVEL": "ERROR",
    }
    return {"PATH": os.environ["PATH"], **own_home(home), **own}


@dataclass(frozen=True)
class Answer:
    """What a writing process said."""

    ms: list[float]
    begin: float
    end: float
    failed: int
    count: int = 0


@contextmanager
def _let_go(commands: Sequence[Sequence[str]], variables: dict[str, str]) -> Iterator[list[Answer]]:
    """Start the writers one after the other, let them go at once when all are ready, and keep them to the end."""
    with ExitStack() as stack:
        running = []
        for command in commands:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            stack.callback(_ended, process)
            running.append(process)
            _said(process, "ready")
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        yield [Answer(**json.loads(_said(process, "{"))) for process in running]
        for process in running:
            _close(process)


def _said(process: "subprocess.Popen[str]", begins: str) -> str:
    """Return the first line that begins so; what else a program prints is passed over."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(begins):
            return line
    raise SystemExit(f"{' '.join(map(str, process.args if isinstance(process.args, list) else []))}: it ended early")


def _close(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()


def _ended(process: "subprocess.Popen[str]") -> None:
    _close(process)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _written(
    name: str, writers: int, writes: int, answers: Sequence[Answer], lost: int, after: float | None = None
) -> Written:
    spans = sorted(ms for each in answers for ms in each.ms)
    wall = max(each.end for each in answers) - min(each.begin for each in answers)
    high = spans[min(len(spans) - 1, round(len(spans) * 0.99))]
    return Written(name, writers, writes, statistics.median(spans), high, len(spans) / wall, lost, after)


def _lines(rounds: Sequence[Written]) -> list[Line]:
    groups: dict[tuple[str, int], list[Written]] = {}
    for each in rounds:
        groups.setdefault((each.name, each.writers), []).append(each)
    return [
        Line(
            name,
            writers,
            group[0].writes,
            len(group),
            round(statistics.median(each.p50_ms for each in group), 2),
            round(statistics.median(each.p99_ms for each in group), 2),
            round(statistics.median(each.per_second for each in group), 1),
            sum(each.lost for each in group),
            _middle([each.on_disk_after_s for each in group if each.on_disk_after_s is not None]),
        )
        for (name, writers), group in sorted(groups.items(), key=lambda pair: pair[0][1])
    ]


def _middle(values: Sequence[float]) -> float | None:
    return round(statistics.median(values), 2) if values else None


def _whole(folder: Path, peer: Path | None) -> list[Command]:
    """One note by one process, from its start to its end."""
    tree, home = folder / "tree", folder / "home"
    tree.mkdir(parents=True)
    own = environment(home)
    for words in (["git", "init", "--quiet"], [VFCC, "init"]):
        subprocess.run(words, cwd=tree, env=own, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    text = next(texts(0)).body
    add = [VFCC, "memory", "add", "fact", text]
    commands = [
        Command("python -c pass", [sys.executable, "-c", "pass"], folder),
        Command("vfcc memory add, whole process", add, tree, environment=own_home(home)),
    ]
    if peer:
        program = peer.with_name("basic-memory")
        theirs = _peer_environment(folder / "peer")
        (folder / "peer" / "notes").mkdir(parents=True)
        made = [str(program), "project", "add", "measured", str(folder / "peer" / "notes"), "--default"]
        subprocess.run(made, env=theirs, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        note = f'exec "$0" tool write-note --project measured --folder notes --title "note $$" --content "{text}"'
        words = ["sh", "-c", note, str(program)]
        commands.append(Command("basic-memory tool write-note, whole process", words, folder, environment=theirs))
    return commands


def _installed(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "basic-memory"], check=True)
    return folder / "bin" / "python"


def _report(lines: Sequence[Line], whole: Sequence[Figures], told: Sequence[str], *, as_json: bool) -> None:
    goal = _target(lines)
    if as_json:
        content = {
            "machine": machine(),
            "writers": [asdict(each) for each in lines],
            "processes": [asdict(each) for each in whole],
            "targets": [goal] if goal else [],
            "told": list(told),
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(
        f"{'store':28} {'writers':>7} {'writes':>6} {'p50':>11} {'p99':>11} {'writes/s':>9} {'lost':>5}  on disk after"
    )
    for each in lines:
        after = "" if each.on_disk_after_s is None else f"{each.on_disk_after_s:.2f} s"
        print(
            f"{each.name:28} {each.writers:7} {each.writes:6} {each.p50_ms:8.2f} ms {each.p99_ms:8.2f} ms "
            f"{each.per_second:9.1f} {each.lost:5}  {after}".rstrip()
        )
    for one in whole:
        print(
            f"{one.name:44} median {one.median_ms:8.1f} ms, cpu {one.cpu_ms:8.1f} ms, peak {one.peak_kib / 1024:.1f} MB"
        )
    for line in told:
        print(line)
    if goal:
        print(f"target: {goal['target']}: {goal['is']} ({'met' if goal['met'] else 'MISSED'})")


def _target(lines: Sequence[Line]) -> dict[str, object] | None:
    most = max(each.writers for each in lines)
    theirs = [each.p50_ms for each in lines if each.name.startswith("basic-memory") and each.writers == most]
    ours = next(each.p50_ms for each in lines if each.name == "files" and each.writers == most)
    if not theirs:
        return None
    return {
        "target": f"files, p50 at {most} writers at most a fifth of basic-memory's better one",
        "is": f"{ours:.1f} ms to {min(theirs):.1f} ms, {min(theirs) / ours:.1f} times less",
        "met": ours * TIMES <= min(theirs),
    }


if __name__ == "__main__":
    main()
