"""Whether many hooks at once lose or tear an event: 8 processes that each run 100 hooks, as fast as they can.

    python benchmarks/history_writers.py [--writers N] [--events N] [--rounds N] [--json]

Every event is a `vfcc hook claude` of its own, as a client would start it. Afterwards all lines of the history are
read: each must be JSON, each id there once, each writer's events there once and in the order in which it said them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.hook_words import ERRORS, HISTORY, VFCC, environment, project, words
from benchmarks.measure import machine


@dataclass(frozen=True)
class Round:
    """What one round left behind: lines, lines that are no JSON, ids that are there twice, events that are not there,
    writers whose events are not in their order, hooks that failed, and the seconds that it took."""

    lines: int
    torn: int
    twice: int
    lost: int
    disordered: int
    failed: int
    seconds: float

    @property
    def sound(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.torn or self.twice or self.lost or self.disordered or self.failed)


def main() -> None:
    """Let all write, look at what is there, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        rounds = [
            _round(project(Path(scratch) / str(number)), options.writers, options.events)
            for number in range(options.rounds)
        ]
    _report(rounds, options.writers, options.events, as_json=options.json)
    if not all(each.sound for each in rounds):
        raise SystemExit("events were lost or torn")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--events", type=int, default=100, help="events of each writer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _round(root: Path, writers: int, events: int) -> Round:
    for path in (root / HISTORY).glob("*.jsonl"):
        path.unlink()  # what was said while the project was made
    begin = time.perf_counter()
    with ThreadPoolExecutor(writers) as pool:
        failed = sum(pool.map(lambda writer: _write(root, writer, events), range(writers)))
    seconds = time.perf_counter() - begin
    failed += (root / ERRORS).read_bytes().count(b"\n") if (root / ERRORS).exists() else 0
    return _looked_at(root, writers, events, failed, seconds)


def _write(root: Path, writer: int, events: int) -> int:
    """Say so many events to hooks, one after the other; return how many of these failed."""
    said = words(root)["PostToolUse of Bash"]
    failed = 0
    for number in range(events):
        own = {**said, "session_id": f"writer-{writer}", "tool_use_id": f"{number}"}
        hook = [VFCC, "hook", "claude"]
        done = subprocess.run(
            hook, cwd=root, env=environment(), input=json.dumps(own).encode(), capture_output=True, check=False
        )
        failed += bool(done.returncode or done.stdout or done.stderr)
    return failed


def _looked_at(root: Path, writers: int, events: int, failed: int, seconds: float) -> Round:
    lines = [line for path in sorted((root / HISTORY).glob("*.jsonl")) for line in path.read_bytes().splitlines()]
    ids: list[str] = []
    told: dict[str, list[int]] = {f"writer-{writer}": [] for writer in range(writers)}
    torn = 0
    for line in lines:
        try:
            event = json.loads(line)
            ids.append(event["id"])
            told[event["gen_ai.conversation.id"]].append(int(event["gen_ai.tool.call.id"]))
        except (ValueError, KeyError, TypeError):
            torn += 1
    there = sum(len(set(numbers)) for numbers in told.values())
    disordered = sum(numbers != sorted(numbers) for numbers in told.values())
    lost = writers * events - there
    return Round(len(lines), torn, len(ids) - len(set(ids)), lost, disordered, failed, round(seconds, 2))


def _report(rounds: Sequence[Round], writers: int, events: int, *, as_json: bool) -> None:
    seconds = statistics.median(each.seconds for each in rounds)
    if as_json:
        content = {
            "machine": machine(),
            "writers": writers,
            "events": events,
            "rounds": [asdict(each) for each in rounds],
            "median seconds": seconds,
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{writers} writers, {events} events each, {len(rounds)} rounds")
    for name in ("lines", "torn", "twice", "lost", "disordered", "failed", "seconds"):
        print(f"{name:12} {', '.join(f'{getattr(each, name):,}' for each in rounds)}")
    print(f"median {seconds:.2f} s, {writers * events / seconds:,.0f} events in a second")
    print(
        f"target: none lost, torn, twice or out of order: {'met' if all(each.sound for each in rounds) else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
