"""What daily commands cost as whole processes, by processor time, in turn with bare Python and a Typer hello-world.

python benchmarks/daily.py [--runs N] [--old VFCC] [--writers N] [--items N] [--json]

`status` and a hook that only records are measured right after a write. `--old` names the script of another version,
whose commands run in turn with this one's, in a project of its own. At the end so many writers start at once, each a
whole process, and their events are counted. A prompt is asked for a new task each time: in the worked example, and in
a project of `--items` decisions, there also right after one was added.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import TASK, decision
from benchmarks.measure import Command, machine, run_once
from benchmarks.start_up_counts import DAILY, world

AFTER_WRITE = "status, right after a write"
HOOK = "hook, right after a write"
TARGETS: Mapping[str, float] = {
    **dict.fromkeys(("next", "stage show", "check gate", "memory add", "memory list", "feedback add"), 8.0),
    "trace why": 10.0,
    AFTER_WRITE: 3.0,
    HOOK: 3.0,
}
"""At most so many times bare Python."""
PROMPT = "context show, new task"
AMONG, ADDED = "context show, new task, large project", "context show, new task, one item added"
PROMPT_TYPER = 3.0
"""A prompt takes at most so many times a Typer hello-world."""
PROMPT_MS: Mapping[str, float] = {AMONG: 400.0, ADDED: 400.0}
HELLO = """import typer
app = typer.Typer()
@app.command()
def main(name: str = "you") -> None:
    print(name)
app()
"""
CALL = {
    "hook_event_name": "PostToolUse",
    "session_id": "s1",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_response": {"stdout": "tides.py"},
}
COMMANDS: Mapping[str, Sequence[str]] = {
    **{
        name: words
        for name, words in DAILY.items()
        if name not in ("status", "memory add", "feedback add", "context show")
    },
    PROMPT: ("context", "show", "--agent", "coder", "--task", "Count the tides of week {n}"),
    "memory add": ("memory", "add", "guideline", "Count {n} in metres"),
    "feedback add": ("feedback", "add", "Name unit {n}"),
    AFTER_WRITE: ("status",),
    HOOK: ("hook", "claude"),
}
"""What is run, in this order: `{n}` is another number each time, so that a write has something to write."""


def main() -> None:
    """Time the commands and print each beside bare Python."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--old", metavar="VFCC")
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--items", type=int, default=10_000, help="decisions of the large project; 0 leaves it out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    programs = {"": str(Path(sys.executable).with_name("vfcc"))} | ({"old ": options.old} if options.old else {})
    with tempfile.TemporaryDirectory() as scratch:
        hello = Path(scratch, "hello.py")
        hello.write_text(HELLO, encoding="utf-8")
        commands = [
            Command("python -c pass", [sys.executable, "-c", "pass"], Path(scratch)),
            Command("typer hello-world", [sys.executable, str(hello)], Path(scratch)),
        ]
        worlds = {name: world(Path(scratch, name.strip() or "new")) for name in programs}
        for name, program in programs.items():
            commands += _commands(name, program, *worlds[name])
            if options.items:
                commands += _among(name, program, Path(scratch, f"{name.strip()}large"), options.items)
        for name in os.environ.keys() - {*worlds[""][1], "PATH"}:
            del os.environ[name]  # marks of agents
        taken: dict[str, list[float]] = {each.name: [] for each in commands}
        for number in range(options.runs + 1):
            for each in commands:
                if each.before:
                    each.before()
                words = [word.replace("{n}", str(number)) for word in each.arguments]
                taken[each.name].append(run_once(replace(each, arguments=words), ("0", "1", "4"))[1])
        found = {name: statistics.median(times[1:]) for name, times in taken.items()}
        writers = {name: _writers(program, options.writers, *worlds[name]) for name, program in programs.items()}
    _report(found, writers, as_json=options.json)


def _commands(prefix: str, program: str, folder: Path, env: Mapping[str, str]) -> Iterator[Command]:
    words_file = folder.parent / "words.json"
    words_file.write_text(json.dumps({**CALL, "cwd": str(folder)}), encoding="utf-8")
    env = {**env, "PYTHONDONTWRITEBYTECODE": ""}
    for name, words in COMMANDS.items():
        argv = [program, *words]
        if name == HOOK:
            argv = ["/bin/sh", "-c", 'exec "$0" hook claude < "$1"', program, str(words_file)]
        yield Command(f"{prefix}{name}", argv, folder, environment=env)


def _among(prefix: str, program: str, place: Path, items: int) -> Iterator[Command]:
    """Make a project of so many decisions; yield prompts of new tasks there, also right after one more was added."""
    folder, env = world(place)
    decisions = folder / ".memory" / "project" / "decisions"
    source = random.Random(1)
    for number in range(items):
        (decisions / f"{number:05}.md").write_text(decision(source, number), encoding="utf-8")
    numbers = itertools.count(items)

    def add() -> None:
        number = next(numbers)
        (decisions / f"{number:05}.md").write_text(decision(source, number % items), encoding="utf-8")

    env = {**env, "PYTHONDONTWRITEBYTECODE": ""}
    for name, before in ((AMONG, None), (ADDED, add)):
        words = [program, "context", "show", "--agent", "coder", "--task", f"{TASK} in week {{n}} of {name[-5:]}"]
        yield Command(f"{prefix}{name}", words, folder, before, env)


def _writers(program: str, count: int, folder: Path, env: Mapping[str, str]) -> Mapping[str, float]:
    """Let so many whole processes add a comment at once; return their times, and what was lost and refused."""
    events = folder / ".memory/sprint"
    before = len([*events.glob("*/events/*.json")])

    def write(number: int) -> tuple[float, int]:
        begun = time.perf_counter()
        argv = [program, "feedback", "add", f"Writer {number} was here"]
        done = subprocess.run(
            argv, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return (time.perf_counter() - begun) * 1000, done.returncode

    with ThreadPoolExecutor(max(count, 1)) as pool:
        done = sorted(pool.map(write, range(count)))
    refused = sum(code != 0 for _, code in done)
    lost = count - refused - (len([*events.glob("*/events/*.json")]) - before)
    times = [took for took, _ in done] or [0.0]
    return {
        "count": count,
        "p50_ms": round(statistics.median(times)),
        "p99_ms": round(times[min(len(times) * 99 // 100, len(times) - 1)]),
        "lost": lost,
        "refused": refused,
    }


def _limit(name: str, found: Mapping[str, float]) -> tuple[float, str]:
    """Return how many milliseconds a command may take, and how its target says so; nothing where it has none."""
    if name in TARGETS:
        return (TARGETS[name] + 0.05) * found["python -c pass"], f"{TARGETS[name]} × bare"
    if name == PROMPT:
        return PROMPT_TYPER * found["typer hello-world"], f"{PROMPT_TYPER} × Typer"
    return PROMPT_MS.get(name, 0.0), f"{PROMPT_MS[name]:.0f} ms" if name in PROMPT_MS else ""


def _report(found: Mapping[str, float], writers: Mapping[str, Mapping[str, float]], *, as_json: bool) -> None:
    bare = found["python -c pass"]
    rows = [
        {"command": name, "cpu_ms": round(ms, 1), "times": round(ms / bare, 1), "target": _limit(name, found)[1]}
        for name, ms in found.items()
    ]
    if as_json:
        print(json.dumps({"machine": machine(), "figures": rows, "writers": writers}, indent=2))
        return
    print("; ".join(machine().values()))
    print(f"{'command':42} {'processor time':>14} {'× bare':>8}  target")
    for name, ms in found.items():
        most, target = _limit(name, found)
        verdict = f"≤ {target} ({'met' if ms <= most else 'MISSED'})" if target else ""
        print(f"{name:42} {ms:11.1f} ms {round(ms / bare, 1):8}  {verdict}".rstrip())
    for name, each in writers.items():
        print(
            f"{name}{each['count']} writers at once, whole processes: p50 {each['p50_ms']} ms, "
            f"p99 {each['p99_ms']} ms, "
            f"{each['lost']} lost, {each['refused']} refused"
        )


if __name__ == "__main__":
    main()
