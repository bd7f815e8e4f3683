"""What it takes to learn from dialogue: one megabyte of it, in process and as a whole process, and what a model spends.

    python benchmarks/ingest.py --data DIR [--mebibytes N] [--runs N] [--json]

--data is a folder of memorycode (`dataset/*.json`, whose `sessions[].text` are dialogues), taken in the order of the
files' numbers until there is enough; without it the same few sentences come over and over. Each run begins with an
empty project and an empty home. In process: reading the files, extracting by rules, the ingest of what was read (which
extracts), the same ingest once more, when every turn is known, and one new sentence beside all that was kept.
Whole processes are the console script without a terminal, so that what it keeps is proposed; `again` is the second one.
The peak of memory is the whole process's. With a model means one that is a script and answers with nothing, asked as a
person's own settings of no more than `llm.command` let it be: its calls and tokens stand beside the caps.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measure import Command, Figures, machine, measure
from verifflowcc.base.model.config_values import ModelSettings
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.candidates import Extraction
from verifflowcc.memory.rules.conversation import read_turns
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Conversation, Speaker, Turn
from verifflowcc.memory.use.ingesting import ingest
from verifflowcc.memory.use.refining import Extractor, with_model
from verifflowcc.memory.use.stores import memory_settings

VFCC = str(Path(sys.executable).with_name("vfcc"))
MEBIBYTE = 1_048_576
_T = TypeVar("_T")
_INVENTED = (
    "You: We always start function names with 'fn_{}'.\n\nOther: Understood, and thanks for the coffee.\n\n"
    "You: The report goes to team number {}. See you tomorrow!\n\n"
)


@dataclass(frozen=True)
class Line:
    """What one step took in process, in milliseconds."""

    name: str
    runs: int
    median_ms: float
    lowest_ms: float
    highest_ms: float
    cpu_ms: float


@dataclass(frozen=True)
class Text:
    """What is read: the files, their bytes, sessions, turns, and the items that an ingest keeps of them."""

    files: int
    size_bytes: int
    sessions: int
    turns: int
    items: int


@dataclass(frozen=True)
class Asked:
    """What an ingest of all the text spends on a model, and the caps on it; `capped` turns were left to the rules."""

    seconds: float
    calls: int
    tokens: int
    capped: int
    fallbacks: int
    most_calls_a_day: int
    most_tokens_a_day: int
    most_tokens_a_turn: int


def main() -> None:
    """Make the text, ingest it, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.environ.update({"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")})
        os.environ["VFCC_PROJECT"] = "benchmark"
        files = list(_files(folder / "said", options.data, int(options.mebibytes * MEBIBYTE)))
        text, lines = _in_process(folder, files, options.runs)
        figures = _whole(folder, files, options.runs)
        asked = _with_a_model(folder, files)
    if options.json:
        shown = {"text": asdict(text), "in_process": list(map(asdict, lines)), "model": asdict(asked)}
        print(json.dumps({**shown, **_shown(figures)}, indent=2))
        return
    print(f"{text.size_bytes:,} bytes in {text.files} files: {text.sessions:,} sessions, {text.turns:,} turns, "
          f"{text.items:,} items kept")  # fmt: skip
    rows: list[Line | Figures] = [*lines, *figures]
    for each in rows:
        peak = f"; {each.peak_kib / 1024:,.0f} MiB at most" if isinstance(each, Figures) else ""
        print(f"{each.name:38} {each.median_ms:8,.0f} ms  ({each.lowest_ms:,.0f} to {each.highest_ms:,.0f}; "
              f"{each.cpu_ms:,.0f} ms of processor; {each.runs} runs{peak})")  # fmt: skip
    print(f"with a model: {asked.calls:,} of {asked.most_calls_a_day:,} calls and {asked.tokens:,} of "
          f"{asked.most_tokens_a_day:,} tokens a day, {asked.most_tokens_a_turn:,} tokens a turn at most; "
          f"{asked.capped:,} more turns were left to the rules ({asked.seconds:,.1f} s)")  # fmt: skip


def _shown(figures: list[Figures]) -> dict[str, object]:
    return {"whole": [asdict(each) for each in figures], "machine": machine()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--mebibytes", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _files(folder: Path, data: Path | None, most_bytes: int) -> Iterator[Path]:
    """Yield files of dialogue, each cut so that all of them are as large as is asked."""
    folder.mkdir()
    left = most_bytes
    for name, sessions in _dialogues(data):
        text = "".join(f"# Session {number}\n\n{said.strip()}\n\n" for number, said in enumerate(sessions, 1))
        raw = text.encode("utf-8")[:left]
        path = folder / f"{name}.md"
        path.write_text(raw.decode("utf-8", "ignore"), encoding="utf-8")
        yield path
        left -= len(raw)
        if left <= 0:
            return
    raise SystemExit(f"there is not enough dialogue in {data}: {left:,} bytes are lacking")


def _dialogues(data: Path | None) -> Iterator[tuple[str, list[str]]]:
    if data is None:
        for number in range(1_000_000):
            yield f"invented-{number}", [_INVENTED.format(number, each) for each in range(40)]
        return
    found = (data / "dataset").glob("dialogue_*.json")
    for path in sorted(found, key=lambda each: int(each.stem.rpartition("_")[2])):
        yield path.stem, [session["text"] for session in json.loads(path.read_text(encoding="utf-8"))["sessions"]]


def _in_process(folder: Path, files: list[Path], runs: int) -> tuple[Text, list[Line]]:
    taken: dict[str, list[tuple[float, float]]] = {}
    text = Text(0, 0, 0, 0, 0)
    for number in range(runs):
        here = _project(folder, f"in-process-{number}")
        more = Conversation("more.md", (Turn("1", Speaker.PERSON, "Always use a spell checker.", "more", None, "You"),))
        read = _timed(taken, "read", partial(_read, files))
        _timed(taken, "extract", partial(_extracted, read))
        done = _timed(taken, "ingest", partial(ingest, here, read, actor="human:You"))
        _timed(taken, "ingest again", partial(ingest, here, read, actor="human:You"))
        _timed(taken, "ingest one more sentence", partial(ingest, here, [more], actor="human:You"))
        sizes = sum(path.stat().st_size for path in files)
        text = Text(len(files), sizes, len(done.sessions), done.turns, sum(bool(each.id) for each in done.learned))
    return text, [_line(name, samples) for name, samples in taken.items()]


def _read(files: Sequence[Path]) -> list[Conversation]:
    return [read_turns(path.read_bytes(), path.name) for path in files]


def _extracted(conversations: Sequence[Conversation]) -> list[Extraction]:
    return [extract(turn) for each in conversations for turn in each.turns]


def _timed(taken: dict[str, list[tuple[float, float]]], name: str, run: Callable[[], _T]) -> _T:
    wall, processor = time.perf_counter(), time.process_time()
    value = run()
    taken.setdefault(name, []).append((time.perf_counter() - wall, time.process_time() - processor))
    return value


def _line(name: str, samples: list[tuple[float, float]]) -> Line:
    walls = [wall * 1000 for wall, _ in samples]
    processor = statistics.median(cpu * 1000 for _, cpu in samples)
    return Line(f"in process: {name}", len(samples), statistics.median(walls), min(walls), max(walls), processor)


def _with_a_model(folder: Path, files: list[Path]) -> Asked:
    here = _project(folder, "with-a-model")
    script = folder / "model.py"
    script.write_text('print(\'{"user_items": [], "project_items": []}\')\n', encoding="utf-8")
    limits = ModelSettings(command=(sys.executable, "-I", "-S", str(script)))
    settings = memory_settings(here)
    extractor = Extractor(extract, statement_of, settings.extraction_mode)
    with_model(extractor, here, settings, limits)
    begin = time.perf_counter()
    ingest(here, _read(files), actor="human:You", extract=extractor)
    capped = extractor.fallbacks["capped"]
    return Asked(
        round(time.perf_counter() - begin, 1),
        extractor.calls,
        extractor.tokens,
        capped,
        extractor.fallbacks.total() - capped,
        limits.max_calls_per_day,
        limits.max_tokens_per_day,
        limits.max_tokens_per_turn,
    )


def _project(folder: Path, name: str) -> Workspace:
    root = folder / name
    (root / ".memory").mkdir(parents=True)
    (root / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")
    shutil.rmtree(folder / "data", ignore_errors=True)
    return Workspace(root)


def _whole(folder: Path, files: list[Path], runs: int) -> list[Figures]:
    fresh, filled = folder / "fresh", folder / "filled"
    _project(folder, "fresh")
    _project(folder, "filled")
    arguments = [VFCC, "memory", "ingest", *map(str, files)]

    def empty() -> None:
        shutil.rmtree(fresh)
        _project(folder, "fresh")

    first = measure([Command("whole process: ingest", arguments, fresh, empty)], runs, warm_up=0)
    again = measure([Command("whole process: ingest again", arguments, filled)], runs)
    return [*first, *again]


if __name__ == "__main__":
    main()
