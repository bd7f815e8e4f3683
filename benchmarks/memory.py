"""Adding, getting, listing, asking for, maintaining and changing items: 1,000, 10,000 and 100,000 of them.

    python benchmarks/memory.py [--runs N] [--sizes 1000,10000,100000] [--kinds files,sqlite,postgres] [--data DIR]
                                [--many N] [--runs-of-many N] [--server-largest N] [--json]

Each store is that of a project of its own, with the backend that its settings name. "In process" is the call itself in
a Python that has imported everything; whole processes are the console script, from its start to its end, without a
terminal. Cold is without the index (files alone have one; what is cold is timed with the opening of the store), warm is
with it. Items are generated; --data takes the texts of a tree of Markdown files, or of JSON lines with `title` and
`text`, instead, over and over until there are enough. From --many items on there are fewer runs of what is cold, and a
server gets no more than --server-largest, since each of its writes is a transaction. `maintain` finds nothing to
archive, but for the last line of each store, which archives a tenth of the extracted items, once. A change of one item
is also counted: Markdown files opened, texts read as items.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, Figures, machine, measure
from benchmarks.memory_in_process import COLD, GETS, IDS
from benchmarks.memory_items import made
from benchmarks.memory_stores import SCOPE, SERVER_ABSENT, own_home, server_url
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.memory.use.stores import open_store

ROOT = Path(__file__).resolve().parents[1]
VFCC = str(Path(sys.executable).with_name("vfcc"))
NOTHING_TO_ARCHIVE = 1_000_000


@dataclass(frozen=True)
class Project:
    """A project whose store is measured."""

    kind: str
    size: int
    root: Path

    @property
    def name(self) -> str:
        """What its figures are called."""
        return f"{self.size:,} {self.kind}"


@dataclass(frozen=True)
class Line:
    """What one operation took in process, in milliseconds, and the largest resident set in KiB."""

    name: str
    runs: int
    median_ms: float
    lowest_ms: float
    highest_ms: float
    peak_kib: int


@dataclass(frozen=True)
class Count:
    """What one operation opened and read."""

    name: str
    opened: int
    parsed: int


def main() -> None:
    """Make the stores, ask them, print the figures."""
    options = _options()
    sizes = [int(size) for size in options.sizes.split(",")]
    lines: list[Line] = []
    counts: list[Count] = []
    figures: list[Figures] = []
    told: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(own_home(Path(scratch) / "home"))
        os.environ.pop("VFCC_POSTGRES_URL", None)
        folder = Path(scratch) / "projects"
        with server_url(*(f"postgres-{size}" for size in sizes)) as url:
            if url:
                os.environ["VFCC_POSTGRES_URL"] = url
            figures += measure([Command("python -c pass", [sys.executable, "-c", "pass"], Path(scratch))], options.runs)
            for size in sizes:
                for kind in options.kinds.split(","):
                    why = _left_out(kind, size, url, options.server_largest)
                    if why:
                        told.append(why)
                        continue
                    os.environ["VFCC_PROJECT"] = f"{kind}-{size}"
                    project = _made(folder, kind, size, options.data)
                    runs = options.runs_of_many if size >= options.many else options.runs
                    lines += _in_process(project, options.runs, runs)
                    counts += _counted(project)
                    figures += _whole_processes(project, options.runs, runs)
                    figures += _archiving(project)
                    print(f"{project.name}: measured", file=sys.stderr)
                    shutil.rmtree(project.root)
    _report(lines, counts, figures, list(dict.fromkeys(told)), as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--kinds", default="files,sqlite,postgres")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--runs-of-many", type=int, default=1)
    parser.add_argument("--server-largest", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _left_out(kind: str, size: int, url: str | None, largest: int) -> str | None:
    if kind != "postgres":
        return None
    if url is None:
        return SERVER_ABSENT
    return f"{size:,} postgres: left out, filling it would take too long" if size > largest else None


def _made(folder: Path, kind: str, size: int, data: Path | None) -> Project:
    project = Project(kind, size, folder / f"{kind}-{size}")
    project.root.mkdir(parents=True)
    person = ("-c", "user.name=You", "-c", "user.email=you@example.org")
    for words in (
        ("git", "init", "--quiet"),
        (VFCC, "init"),
        ("git", *person, "commit", "--quiet", "--allow-empty", "-m", "all"),
    ):
        _run(words, project.root)
    _settings(project, NOTHING_TO_ARCHIVE)
    ids = _filled(project, data)
    (project.root / IDS).write_text(json.dumps([ids[each * size // (GETS + 2)] for each in range(GETS + 2)]))
    return project


def _settings(project: Project, max_items: int) -> None:
    own = f"  max_items: {max_items}\n  backends: {{project: {project.kind}}}\n"
    file = project.root / ".memory" / "config.yaml"
    kept = file.read_text(encoding="utf-8").partition("\nmemory:\n")[0].rstrip("\n")
    file.write_text(f"{kept}\nmemory:\n{own}", encoding="utf-8")


def _filled(project: Project, data: Path | None) -> list[str]:
    """Fill the store and return the ids: files as they are, all others by adding to them as one change."""
    ids = []
    workspace = open_workspace(project.root)
    if project.kind == "files":
        for stored in made(project.size, data):
            path = project.root / stored.item.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(stored.text, encoding="utf-8")
            ids.append(stored.item.id)
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        return ids
    with open_store(workspace, SCOPE) as store, store.writing():
        for stored in made(project.size, data):
            store.add(stored)
            ids.append(stored.item.id)
    return ids


def _in_process(project: Project, runs: int, cold_runs: int) -> Iterator[Line]:
    if project.kind == "files":
        for mode in COLD:
            yield from _lines(project, ", cold", [_asked(project, mode, cold=True) for _ in range(cold_runs)])
    _asked(project, "warm")
    yield from _lines(project, "", [_asked(project, "warm") for _ in range(runs)])


@dataclass(frozen=True)
class Answer:
    """What one process said."""

    ms: dict[str, float]
    opened: dict[str, int]
    parsed: dict[str, int]
    peak_kib: int


def _asked(project: Project, mode: str, *, cold: bool = False) -> Answer:
    if cold:
        _forget(project)
    words = [sys.executable, "-m", "benchmarks.memory_in_process", str(project.root), mode]
    return Answer(**json.loads(_run(words, ROOT).splitlines()[-1]))


def _lines(project: Project, state: str, answers: Sequence[Answer]) -> Iterator[Line]:
    for name in answers[0].ms:
        taken = [each.ms[name] for each in answers]
        peak = max(each.peak_kib for each in answers)
        middle = round(statistics.median(taken), 2)
        yield Line(
            f"{project.name}: {name}{state}", len(taken), middle, round(min(taken), 2), round(max(taken), 2), peak
        )


def _counted(project: Project) -> list[Count]:
    answer = _asked(project, "count")
    return [Count(f"{project.name}: {name}", answer.opened[name], answer.parsed[name]) for name in answer.opened]


def _whole_processes(project: Project, runs: int, cold_runs: int) -> list[Figures]:
    first = json.loads((project.root / IDS).read_text(encoding="utf-8"))[0]
    words = {
        "add": ("add", "fact", "The queue is emptied before a release."),
        "show": ("show", first),
        "list": ("list",),
        "list --type decision": ("list", "--type", "decision"),
        "maintain": ("maintain",),
    }
    commands = {name: [VFCC, "memory", *each] for name, each in words.items()}
    cold = [
        Command(f"{project.name}: memory {name}, cold", each, project.root, before=lambda: _forget(project))
        for name, each in commands.items()
        if project.kind == "files"
    ]
    warm = [Command(f"{project.name}: memory {name}", each, project.root) for name, each in commands.items()]
    return [*(measure(cold, cold_runs, warm_up=0) if cold else []), *measure(warm, runs)]


def _archiving(project: Project) -> list[Figures]:
    """Maintain once with fewer items allowed than there are."""
    _settings(project, project.size // 2)
    command = Command(f"{project.name}: memory maintain, archiving", [VFCC, "memory", "maintain"], project.root)
    return measure([command], 1, warm_up=0)


def _forget(project: Project) -> None:
    for file in (project.root / ".memory" / "local").glob("index.db*"):
        file.unlink()


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def _report(
    lines: Sequence[Line], counts: Sequence[Count], figures: Sequence[Figures], told: Sequence[str], *, as_json: bool
) -> None:
    if as_json:
        content = {"machine": machine(), "in process": [asdict(each) for each in lines]}
        content |= {"counted": [asdict(each) for each in counts], "processes": [asdict(each) for each in figures]}
        sys.stdout.write(json.dumps({**content, "told": list(told)}, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'in process':48} {'runs':>4} {'median':>12} {'lowest':>12} {'highest':>12} {'peak':>9}")
    for line in lines:
        columns = (line.median_ms, line.lowest_ms, line.highest_ms)
        spans = " ".join(f"{ms:9,.2f} ms" for ms in columns)
        print(f"{line.name:48} {line.runs:4} {spans} {line.peak_kib / 1024:6.1f} MB")
    print(f"{'counted':48} {'Markdown files opened':>21} {'texts read':>12}")
    for count in counts:
        print(f"{count.name:48} {count.opened:21} {count.parsed:12}")
    print(f"{'whole process':48} {'runs':>4} {'median':>12} {'lowest':>12} {'highest':>12} {'peak':>9} {'× python':>9}")
    for one in figures:
        spans = " ".join(f"{ms:9,.1f} ms" for ms in (one.median_ms, one.lowest_ms, one.highest_ms))
        times = one.median_ms / figures[0].median_ms
        print(f"{one.name:48} {one.runs:4} {spans} {one.peak_kib / 1024:6.1f} MB {times:9.1f}")
    for told_line in told:
        print(told_line)


if __name__ == "__main__":
    main()
