"""What a hook costs: `vfcc hook claude` as a whole process, beside bare Python, with few and with many events before.

    python benchmarks/hooks.py [--runs N] [--events N] [--data FOLDER] [--json]

A client waits for its hook before and after each call of a tool. What only has to be recorded shall take at most 2.5
times what Python takes to start, what is answered from the notes 4 times, and as long with 100,000 events before it as
with ten. `SessionStart` and the first
edit of a file in a session are answered by the whole program; they are told for comparison. All processes, bare Python
too, are started by a shell that gives them the words of a real client on stdin and becomes them. `--data` is a folder
of JSON lines that stands for the 100,000.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.history_events import write_history
from benchmarks.hook_words import ERRORS, HISTORY, READ, SESSION, VFCC, environment, leave_notes, project, words
from benchmarks.measure import Command, Figures, machine, measure
from verifflowcc.history.store.partitions import seen_file

FEW = 10
BARE = "python -c pass"
PROMPT_FIRST, READ_FIRST = "UserPromptSubmit, with an item", "Read first"
FIRSTS = {
    "PreToolUse of Edit": "PreToolUse of Edit, first of the file",
    READ: READ_FIRST,
    "UserPromptSubmit": PROMPT_FIRST,
}
"""What is measured again as if the session had seen nothing yet."""
TIMES, TIMES_ADDING, ALIKE_PERCENT = 2.5, 4.0, 20
RECORDED = ("PostToolUse of Bash", "PostToolUse of Edit", "PreToolUse of Bash", "Stop", READ)
"""What has no answer here, and so is only recorded."""
ADDING = (READ_FIRST, PROMPT_FIRST, "UserPromptSubmit")
"""What is answered from the notes."""


@dataclass(frozen=True)
class Goal:
    """What was aimed for."""

    what: str
    reached: float
    most: float

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.reached <= self.most


def main() -> None:
    """Make two projects, time the hooks in both, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        few, many = project(folder / "few"), project(folder / "many")
        write_history(few / HISTORY, 100, int(time.time() * 1000))
        _cut(few, FEW)
        if options.data:
            for path in options.data.glob("*.jsonl"):
                shutil.copyfile(path, many / HISTORY / path.name)
        else:
            write_history(many / HISTORY, options.events, int(time.time() * 1000))
        for root in (few, many):
            subprocess.run([VFCC, "history", "show"], cwd=root, env=environment(), check=True, capture_output=True)
            leave_notes(root)
        before = {root: _events(root) for root in (few, many)}
        commands = [_bare(few), *_commands(few, FEW), *_commands(many, before[many])]
        figures = measure(commands, options.runs)
        for root, count in before.items():
            _check(root, _events(root) - count, sum(each.folder == root for each in commands), options.runs)
    goals = list(_goals({each.name: each for each in figures}, before[many]))
    _report(figures, goals, as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--events", type=int, default=100_000, help="the events that were recorded before")
    parser.add_argument("--data", type=Path, help="a folder of JSON lines, instead of generated events")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _cut(root: Path, events: int) -> None:
    """Leave so many events, in the newest file."""
    *older, newest = sorted((root / HISTORY).glob("*.jsonl"))
    for path in older:
        path.unlink()
    lines = newest.read_bytes().splitlines(keepends=True)
    newest.write_bytes(b"".join((lines * events)[:events]))


def _bare(root: Path) -> Command:
    given = root.parent / "given.json"
    given.write_text(json.dumps(words(root)["PostToolUse of Bash"]), encoding="utf-8")
    return Command(BARE, _shell([sys.executable, "-c", "pass"], given), root.parent)


def _commands(root: Path, events: int) -> Iterator[Command]:
    hook = [VFCC, "hook", "claude"]
    told = Path(seen_file(str(root / ".memory" / "local"), SESSION))
    for name, said in words(root).items():
        given = root.parent / f"{root.name}-{name}.json"
        given.write_text(json.dumps(said), encoding="utf-8")
        command = _shell(hook, given)
        yield Command(_named(name, events), command, root, lambda: _note_seen(told), environment=environment())
        if name in FIRSTS:
            yield Command(
                _named(FIRSTS[name], events), command, root, lambda: told.unlink(missing_ok=True),
                environment=environment(),
            )  # fmt: skip


def _note_seen(told: Path) -> None:
    """Leave the list of what the session has seen as it is after a read of the file."""
    told.parent.mkdir(parents=True, exist_ok=True)
    told.write_text("src/cart.py\n item cart-total\n", encoding="utf-8")


def _named(what: str, events: int) -> str:
    return f"{what}, {events:,} before"


def _shell(command: Sequence[str], given: Path) -> list[str]:
    return ["/bin/sh", "-c", f"exec {shlex.join(command)} < {shlex.quote(str(given))}"]


def _events(root: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (root / HISTORY).glob("*.jsonl"))


def _check(root: Path, added: int, commands: int, runs: int) -> None:
    """End the benchmark where a hook did not record what it was told: it says nothing when it fails."""
    wanted = (runs + 1) * commands
    if (root / ERRORS).exists():
        raise SystemExit((root / ERRORS).read_text(encoding="utf-8")[:500])
    if added != wanted:
        raise SystemExit(f"{root}: {added} events were recorded, and {wanted} were said")


def _goals(figures: dict[str, Figures], many: int) -> Iterator[Goal]:
    bare = figures[BARE].median_ms
    for name in (*RECORDED, *ADDING, "PreToolUse of Edit"):
        with_few, with_many = figures[_named(name, FEW)].median_ms, figures[_named(name, many)].median_ms
        most = TIMES_ADDING if name in ADDING else TIMES
        yield Goal(f"{name}: times bare Python", round(with_few / bare, 2), most)
        more = round(100 * (with_many / with_few - 1), 1)
        yield Goal(f"{name}: % more with {many:,} events before than with {FEW}", more, ALIKE_PERCENT)


def _report(figures: Sequence[Figures], goals: Sequence[Goal], *, as_json: bool) -> None:
    if as_json:
        content = {
            "machine": machine(),
            "figures": [asdict(each) for each in figures],
            "targets": [{**asdict(goal), "met": goal.met} for goal in goals],
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    bare = next(each.median_ms for each in figures if each.name == BARE)
    print("; ".join(machine().values()))
    print(f"{'whole process':56} {'median':>10} {'lowest':>10} {'cpu':>10} {'peak':>9} {'× bare':>7}")
    for one in figures:
        print(
            f"{one.name:56} {one.median_ms:7.1f} ms {one.lowest_ms:7.1f} ms {one.cpu_ms:7.1f} ms "
            f"{one.peak_kib / 1024:6.1f} MB {one.median_ms / bare:7.2f}"
        )
    for goal in goals:
        print(f"target: {goal.what}: {goal.reached:,} of {goal.most:,} ({'met' if goal.met else 'MISSED'})")


if __name__ == "__main__":
    main()
