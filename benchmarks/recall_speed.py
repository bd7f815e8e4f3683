"""Speed of recall on 1,000, 10,000 and 100,000 items, beside bm25s and basic-memory on the same ones, in one run.

    python benchmarks/recall_speed.py [--sizes 1000,10000,100000] [--kinds files,sqlite] [--questions N] [--runs N]
                                      [--rounds N] [--peer PYTHON | --install-peer FOLDER] [--peer-largest N]
                                      [--data PATH] [--json]

Each project has a store in the backend that its settings name, a sprint that is open, and items that are generated, or
have the texts of `--data` (a folder of Markdown files, or JSON lines with `title` and `text`). In process: the index
made from nothing by the first question, one item changed in the store and the index brought up to it, and questions to
an index that is up to date (each opens the store and the index, as a command does). Whole processes: `vfcc memory
search`, beside bare Python and a Typer program of one command, all in turn. Peers are asked by the Python that --peer
names; without it they are left out, by name. basic-memory gets no more than --peer-largest items.
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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, Figures, machine, measure
from benchmarks.memory_stores import SCOPE, own_home
from benchmarks.recall_in_process import GIVEN, UPDATES, Answer, change
from benchmarks.recall_items import Passage, passages, questions, stored
from benchmarks.recall_peer_runs import left_out, measured_peers, peer_commands
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.memory.use.stores import open_store

ROOT = Path(__file__).resolve().parents[1]
VFCC = str(Path(sys.executable).with_name("vfcc"))
HELLO = '''
import typer

app = typer.Typer()


@app.command()
def hello(name: str) -> None:
    """Say hello."""
    print("hello", name)


app()
'''
PASS, TYPER = "python -c pass", "typer hello-world"
AGREE_AT = 10_000


@dataclass(frozen=True)
class Line:
    """What one thing took in process: milliseconds of wall and processor time; KiB of the largest resident set."""

    name: str
    runs: int
    p50_ms: float
    p95_ms: float
    cpu_p50_ms: float
    peak_kib: int


@dataclass(frozen=True)
class Project:
    """A project whose memory is searched."""

    kind: str
    size: int
    root: Path

    @property
    def name(self) -> str:
        """What its figures are called."""
        return f"{self.size:,} {self.kind}"


def main() -> None:
    """Make the projects, ask them, print the figures."""
    options = _options()
    lines: list[Line] = []
    figures: list[Figures] = []
    kept: dict[str, dict[str, float]] = {"index MB": {}, "agreement": {}}
    peer = _installed(options.install_peer) if options.install_peer else options.peer
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(own_home(Path(scratch) / "home"))
        os.environ.pop("VFCC_POSTGRES_URL", None)
        hello = Path(scratch) / "hello.py"
        hello.write_text(HELLO, encoding="utf-8")
        base = [
            Command(PASS, [sys.executable, "-c", "pass"], Path(scratch)),
            Command(TYPER, [sys.executable, str(hello), "you"], Path(scratch)),
        ]
        for size in map(int, options.sizes.split(",")):
            given = passages(size, options.data)
            asked = questions(given, options.questions)
            commands = [*base]
            for kind in options.kinds.split(","):
                project = _made(Project(kind, size, Path(scratch) / f"{kind}-{size}"), given, asked)
                lines += _in_process(project, options.rounds, kept)
                commands += _whole(project, asked[0])
                print(f"{project.name}: measured", file=sys.stderr)
            for line, index_mb in measured_peers(peer, Path(scratch) / f"peers-{size}", given, asked, options):
                lines.append(Line(*line))
                kept["index MB"].update(index_mb)
            quick, slow = peer_commands(peer, Path(scratch) / f"peers-{size}", asked[0], size, options)
            figures += [_renamed(each, size) for each in measure([*commands, *quick], options.runs)]
            figures += measure(slow, min(options.runs, options.rounds))
    _report(lines, figures, kept, left_out(peer, options), as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--kinds", default="files,sqlite")
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--runs", type=int, default=15, help="runs of each whole process")
    parser.add_argument("--rounds", type=int, default=3, help="processes in which each thing is timed")
    parser.add_argument("--peer", type=Path, help="a Python that has bm25s, basic-memory, or both")
    parser.add_argument("--install-peer", type=Path, help="make an environment there, and install both into it")
    parser.add_argument("--peer-largest", type=int, default=1_000, help="most items that basic-memory gets")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _installed(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "bm25s", "PyStemmer", "basic-memory"], check=True)
    return folder / "bin" / "python"


def _made(project: Project, given: Sequence[Passage], asked: Sequence[str]) -> Project:
    project.root.mkdir(parents=True)
    person = ("-c", "user.name=You", "-c", "user.email=you@example.org")
    _run(("git", "init", "--quiet"), project.root)
    _run((VFCC, "init"), project.root)
    _run(("git", *person, "commit", "--quiet", "--allow-empty", "-m", "all"), project.root)
    _run((VFCC, "sprint", "start", "Measured"), project.root)
    file = project.root / ".memory" / "config.yaml"
    kept = file.read_text(encoding="utf-8").partition("\nmemory:\n")[0].rstrip("\n")
    file.write_text(f"{kept}\nmemory:\n  backends: {{project: {project.kind}}}\n", encoding="utf-8")
    ids = _filled(project, given)
    chosen = [ids[place * project.size // (UPDATES + 2)] for place in range(UPDATES + 2)]
    (project.root / GIVEN).write_text(json.dumps({"questions": [*asked], "ids": chosen}), encoding="utf-8")
    return project


def _filled(project: Project, given: Sequence[Passage]) -> list[str]:
    """Fill the store and return the ids: files as they are, all others by adding to them as one change."""
    items = (stored(passage, number) for number, passage in enumerate(given))
    ids = []
    if project.kind == "files":
        for each in items:
            path = project.root / each.item.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(each.text, encoding="utf-8")
            ids.append(each.item.id)
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        return ids
    with open_store(open_workspace(project.root), SCOPE) as store, store.writing():
        for each in items:
            store.add(each)
            ids.append(each.item.id)
    return ids


def _in_process(project: Project, rounds: int, kept: dict[str, dict[str, float]]) -> Iterator[Line]:
    for mode, own_rounds in (("build", 1 if project.size >= AGREE_AT else rounds), ("warm", rounds), ("update", 1)):
        ms: dict[str, list[float]] = {}
        peak = 0
        for _ in range(own_rounds):
            if mode == "build":
                _forget(project)
            answer = _asked(project, mode)
            peak = max(peak, answer.peak_kib)
            for name, values in answer.ms.items():
                ms.setdefault(name, []).extend(values)
        yield from (_line(f"{project.name}: {name}", ms, name, peak) for name in ms if not name.endswith(" cpu"))
        if mode == "build":
            kept["index MB"][project.name] = _index_mb(project)
    if project.size == AGREE_AT and not kept["agreement"]:
        kept["agreement"] = _asked(project, "agree").agreement


def _line(title: str, ms: dict[str, list[float]], name: str, peak: int) -> Line:
    wall, cpu = sorted(ms[name]), ms[f"{name} cpu"]
    high = wall[min(len(wall) - 1, round(len(wall) * 0.95))]
    middle = round(statistics.median(wall), 2)
    return Line(title, len(wall), middle, round(high, 2), round(statistics.median(cpu), 2), peak)


def _asked(project: Project, mode: str) -> Answer:
    words = [sys.executable, "-m", "benchmarks.recall_in_process", str(project.root), mode]
    return Answer(**json.loads(_run(words, ROOT).splitlines()[-1]))


def _whole(project: Project, question: str) -> Iterator[Command]:
    search = [VFCC, "memory", "search", question]
    ids = json.loads((project.root / GIVEN).read_text(encoding="utf-8"))["ids"]
    yield Command(f"{project.name}: memory search", search, project.root)
    yield Command(f"{project.name}: memory search, project alone", [*search, "--scope", "project"], project.root)
    changing = partial(_change, project, ids[-1])
    yield Command(f"{project.name}: memory search, one item changed", search, project.root, before=changing)


def _change(project: Project, item_id: str) -> None:
    with open_store(open_workspace(project.root), SCOPE) as store:
        change(store, item_id)


def _renamed(each: Figures, size: int) -> Figures:
    """Bare Python and Typer are measured beside each size."""
    return Figures(**{**asdict(each), "name": f"{size:,}: {each.name}"}) if each.name in (PASS, TYPER) else each


def _forget(project: Project) -> None:
    for file in _index_files(project):
        file.unlink()


def _index_files(project: Project) -> list[Path]:
    return list((project.root / ".memory" / "local").glob("index.db*"))


def _index_mb(project: Project) -> float:
    return round(sum(file.stat().st_size for file in _index_files(project)) / 1e6, 2)


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def _targets(lines: Sequence[Line], figures: Sequence[Figures]) -> list[dict[str, object]]:
    """The figures that were aimed at, where this run has them."""
    by_name = {each.name: each for each in lines}
    whole = {each.name: each for each in figures}
    found: list[dict[str, object]] = []

    def judge(said: str, value: float, limit: float) -> None:
        found.append({"target": said, "is": round(value, 2), "at most": limit, "met": value <= limit})

    if line := by_name.get("100,000 sqlite: query"):
        judge("100,000 sqlite: a question in process, p50, ms", line.p50_ms, 15)
    for size in ("1,000", "10,000", "100,000"):
        for kind in ("files", "sqlite"):
            if (one := whole.get(f"{size} {kind}: memory search")) and (hello := whole.get(f"{size}: {TYPER}")):
                judge(f"{one.name}, times the Typer hello-world, cpu", one.cpu_ms / hello.cpu_ms, 1.5)
    small, large = (by_name.get(f"{size} sqlite: one item changed") for size in ("1,000", "100,000"))
    if small and large:
        judge("sqlite: one item changed, 100,000 beside 1,000, cpu", large.cpu_p50_ms / small.cpu_p50_ms, 1.2)
    return found


def _report(
    lines: Sequence[Line],
    figures: Sequence[Figures],
    kept: dict[str, dict[str, float]],
    told: Sequence[str],
    *,
    as_json: bool,
) -> None:
    targets = _targets(lines, figures)
    if as_json:
        content = {"machine": machine(), "in process": [asdict(each) for each in lines], **kept}
        content |= {"processes": [asdict(each) for each in figures], "targets": targets, "told": list(told)}
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'in process':48} {'runs':>5} {'p50':>13} {'p95':>13} {'cpu p50':>13} {'peak':>9}")
    for line in lines:
        spans = " ".join(f"{ms:10,.2f} ms" for ms in (line.p50_ms, line.p95_ms, line.cpu_p50_ms))
        print(f"{line.name:48} {line.runs:5} {spans} {line.peak_kib / 1024:6.1f} MB")
    print(f"{'whole process':48} {'runs':>5} {'median':>13} {'lowest':>13} {'cpu':>13} {'peak':>9}")
    for one in figures:
        spans = " ".join(f"{ms:10,.1f} ms" for ms in (one.median_ms, one.lowest_ms, one.cpu_ms))
        print(f"{one.name:48} {one.runs:5} {spans} {one.peak_kib / 1024:6.1f} MB")
    print("index MB: " + "; ".join(f"{name} {value}" for name, value in kept["index MB"].items()))
    if agreed := kept["agreement"]:
        print(f"agreement with full scoring at {AGREE_AT:,}: {agreed}".replace("{", "").replace("}", ""))
    for goal in targets:
        print(f"target: {goal['target']}: {goal['is']} of {goal['at most']} ({'met' if goal['met'] else 'MISSED'})")
    for each in told:
        print(each)


if __name__ == "__main__":
    main()
