"""Run commands as whole processes, in turn, and keep each one's time and peak memory.

Commands are interleaved (A B C, A B C …), so that a machine that slows down slows all of them; medians are what to
quote.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

LAUNCHER = """
import os, sys, time
nowhere = os.open(os.devnull, os.O_RDWR)
begin = time.perf_counter()
pid = os.fork()
if pid == 0:
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - begin
print(os.waitstatus_to_exitcode(status), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""
"""A child's peak memory begins with its parent's, so the parent is the smallest Python there is."""


@dataclass(frozen=True)
class Command:
    """A process to time: its arguments, its folder, and what to do before each run (not timed)."""

    name: str
    arguments: Sequence[str]
    folder: Path
    before: Callable[[], None] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figures:
    """Milliseconds of wall time and of processor time, and the largest resident set in KiB."""

    name: str
    runs: int
    median_ms: float
    lowest_ms: float
    highest_ms: float
    cpu_ms: float
    peak_kib: int


def measure(commands: Sequence[Command], runs: int, *, warm_up: int = 1) -> list[Figures]:
    """Run every command `warm_up` + `runs` times, in turn; a command that fails ends the benchmark."""
    taken: dict[str, list[tuple[float, float, int]]] = {command.name: [] for command in commands}
    for number in range(warm_up + runs):
        for command in commands:
            if command.before:
                command.before()
            figures = run_once(command)
            if number >= warm_up:
                taken[command.name].append(figures)
    return [_summary(name, samples) for name, samples in taken.items()]


def run_once(command: Command, codes: Sequence[str] = ("0",)) -> tuple[float, float, int]:
    """Return wall and processor time in milliseconds and the peak in KiB. Another exit code ends the benchmark."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **command.environment}
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command.arguments]
    done = subprocess.run(launcher, cwd=command.folder, env=environment, capture_output=True, text=True, check=True)
    code, wall, processor, peak = done.stdout.split()
    if code not in codes:
        raise SystemExit(f"{command.name}: exit code {code}: {' '.join(command.arguments)}")
    return float(wall) * 1000, float(processor) * 1000, int(peak)


def _summary(name: str, samples: Sequence[tuple[float, float, int]]) -> Figures:
    walls = [wall for wall, _, _ in samples]
    return Figures(
        name,
        len(samples),
        round(statistics.median(walls), 1),
        round(min(walls), 1),
        round(max(walls), 1),
        round(statistics.median(cpu for _, cpu, _ in samples), 1),
        max(peak for _, _, peak in samples),
    )


def machine() -> dict[str, str]:
    """Return what the figures were taken on: processor, cores, system, Python, packages, date."""
    packages = ("verifflowcc", "typer", "rich", "pyyaml", "pydantic", "tiktoken", "jinja2")
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def report(figures: Sequence[Figures], base: str, targets: Mapping[str, tuple[str, float]], *, as_json: bool) -> None:
    """Print the figures, each beside `base`, and each target: command → (compared with, at most so many times)."""
    medians = {one.name: one.median_ms for one in figures}
    judged = [
        {"command": name, "over": over, "times": round(medians[name] / medians[over], 2), "target": limit}
        for name, (over, limit) in targets.items()
        if name in medians and over in medians
    ]
    if as_json:
        content = {"machine": machine(), "figures": [asdict(one) for one in figures], "targets": judged}
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'command':44} {'median':>9} {'lowest':>9} {'highest':>9} {'cpu':>9} {'peak':>9} {'× ' + base:>14}")
    for one in figures:
        times = one.median_ms / medians[base]
        print(
            f"{one.name:44} {one.median_ms:6.1f} ms {one.lowest_ms:6.1f} ms {one.highest_ms:6.1f} ms "
            f"{one.cpu_ms:6.1f} ms {one.peak_kib / 1024:5.1f} MB {times:14.2f}"
        )
    for goal in judged:
        met = "met" if float(str(goal["times"])) <= float(str(goal["target"])) else "MISSED"
        print(f"target: {goal['command']} at most {goal['target']} × {goal['over']}: {goal['times']} ({met})")
