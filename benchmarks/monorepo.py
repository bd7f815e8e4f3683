"""A monorepo: the first prompt of a fresh clone, and a developer's day of 147 calls, as whole processes.

    python benchmarks/monorepo.py [--share 0.1] [--vfcc PROGRAM] [--folder FOLDER] [--json]

Whole, it has two million lines of Python and TypeScript, 101 sprints of which one is open, 10,000 items of memory,
5,000 trace items, and a history of a million events that is committed; `--share` makes a part of each. The day's calls
come in one mixed order, the same each time. Before every third one a source file gets a function more, and every tenth
one is followed by bare Python and by a Typer hello-world. Between the first prompts and the day the code is read once,
by `code index`, as the first prompt asks for. `--vfcc` names another version's program.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import memory_items, trace_tree
from benchmarks.daily import HELLO
from benchmarks.history_events import write_history
from benchmarks.measure import Command, machine, run_once
from benchmarks.start_up_counts import world
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.sprint.use.feedback import add_feedback

LINES, SPRINTS, ITEMS, TRACED, EVENTS = 2_000_000, 101, 10_000, 5_000, 1_000_000
IN_MODULE = 200
"""So many lines a module has, about."""
UNTIL_MS = 1_780_000_000_000
DAY_S, FIRST_S = 60.0, 10.0
BARE, TYPER = "python -c pass", "typer hello-world"
PERSON = "human:kim@example.org"
MIX: Mapping[str, tuple[int, Sequence[str]]] = {
    "status": (20, ("status",)),
    "next": (20, ("next",)),
    "stage show": (8, ("stage", "show")),
    "check gate": (10, ("check", "gate")),
    "context show, new task": (20, ("context", "show", "--agent", "coder", "--task", "Make {name} refuse {word} {n}")),
    "context show, the same task": (5, ("context", "show", "--agent", "coder", "--task", "Count the tides of a week")),
    "code refs": (12, ("code", "refs", "{name}")),
    "code refs, a hub": (3, ("code", "refs", "shared_{hub}")),
    "code find": (8, ("code", "find", "{name}")),
    "code impact": (6, ("code", "impact", "{name}")),
    "code impact, a hub": (2, ("code", "impact", "shared_{hub}")),
    "code context": (5, ("code", "context", "Make {name} refuse {word} {n}")),
    "trace why": (8, ("trace", "why", "{requirement}")),
    "trace list": (2, ("trace", "list")),
    "check trace": (3, ("check", "trace")),
    "memory add": (4, ("memory", "add", "guideline", "Count {word} number {n} in metres")),
    "memory list": (4, ("memory", "list", "--limit", "20")),
    "memory inbox": (2, ("memory", "inbox")),
    "feedback add": (4, ("feedback", "add", "Name unit {n}")),
    "feedback list": (1, ("feedback", "list")),
}
"""The day: how often each call is made. The braces are filled again each time."""
_MODULE = '''"""Module {number} of package {package}."""

from {package}.module_{before} import step_{before}_0
from shared.hub_{hub} import shared_{hub}


class Store{number}:
    """Keeps {word}."""

    def __init__(self, size: int) -> None:
        self.size = size

    def store_{number}(self, value: int) -> int:
        return step_{number}_1(value) + self.size
'''
_STEP = '''

def step_{number}_{place}(value: int) -> int:
    """Count {word} {place}."""
    if value < {place}:
        return shared_{hub}(value)
    total = value
    for each in range({place}):
        total += each * {number}
    return {then}(total)
'''
_SCRIPT = """
/** Counts {word} {place}. */
export function view_{number}_{place}(value: number): number {{
  if (value < {place}) {{
    return value;
  }}
  let total = value;
  for (let each = 0; each < {place}; each++) {{
    total += each * {number};
  }}
  return {then}(total);
}}
"""
_HUB = '''def shared_{0}(value: int) -> int:
    """Return a value of kind {0}."""
    return value + {0}
'''
_TEST = """from {package}.module_{number} import step_{number}_1


def test_step_{number}() -> None:
    assert step_{number}_1(1) >= 0
"""
_WORDS = "tides gauges harbours alarms readings forecasts vessels channels pilots margins".split()
HUBS = 20


@dataclass(frozen=True, slots=True)
class CallFigures:
    """What one kind of call took: how often, wall and processor seconds of all, and milliseconds of wall time."""

    call: str
    count: int
    wall_s: float
    cpu_s: float
    median_ms: float
    slowest_ms: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """The first prompt of a clone, or what it asks for: seconds, and what was printed beside it."""

    name: str
    wall_s: float
    cpu_s: float
    beside: tuple[str, ...]


def main() -> None:
    """Make the monorepo, ask for first prompts, live the day, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--vfcc", default=str(Path(sys.executable).with_name("vfcc")))
    parser.add_argument("--folder", help="where it is made (default: the system's folder for what is temporary)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        root, env = build(Path(scratch), options.share)
        clone = Path(scratch, "clone")
        subprocess.run(["git", "clone", "--quiet", "--local", str(root), str(clone)], check=True)
        for name in ("user.name Kim", "user.email kim@example.org"):
            subprocess.run(["git", "config", *name.split()], cwd=clone, check=True)
        for name in os.environ.keys() - {*env, "PATH"}:
            del os.environ[name]  # marks of agents
        env = {**env, "PYTHONDONTWRITEBYTECODE": ""}
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        first = [_prompt(name, options.vfcc, clone, env) for name in ("fresh clone", "the next prompt")]
        indexed = _timed("code index", [options.vfcc, "code", "index"], clone, env)
        day, base = _day(options.vfcc, clone, env, options.share, Path(scratch))
    _report([*first, indexed], day, base, options)


def build(place: Path, share: float) -> tuple[Path, Mapping[str, str]]:
    """Make the part of the monorepo in a repository, committed; return its folder and its commands' environment."""
    root, env = world(place)
    sprints(root, round(SPRINTS * share))
    code(root, round(LINES * share))
    for stored in memory_items.made(round(ITEMS * share)):
        path = root / stored.item.path.replace("/conventions/", "/items/rule/")  # a thousand are always loaded else
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stored.text, encoding="utf-8")
    trace_tree.write_vfcc(root, trace_tree.make(round(TRACED * share)))
    write_history(root / ".memory" / "history", round(EVENTS * share), UNTIL_MS)
    git = ("git", "-c", "user.name=Kim", "-c", "user.email=kim@example.org", "-c", "core.looseCompression=0")
    for words in ((*git, "add", "--all"), (*git, "commit", "--quiet", "-m", "all")):
        subprocess.run(words, cwd=root, check=True, capture_output=True)
    return root, env


def sprints(root: Path, count: int) -> None:
    """Start and close sprints beside the open one and those of the worked example, each with a few comments."""
    for number in range(3, count):
        workspace, name = Workspace(root), f"sprint-{number:03}"
        start_sprint(workspace, f"Sprint {number}", workflow="light", actor=PERSON, sprint_id=name)
        for comment in range(5):
            add_feedback(Workspace(root), name, f"Name unit {comment} of {number}", actor=PERSON)
        close_sprint(Workspace(root), name, actor=PERSON, unfinished_reason="it was of another team")


def code(root: Path, lines: int) -> None:
    """Write packages of a hundred modules, four in Python and one in TypeScript of five, with tests."""
    (root / "shared").mkdir()
    for hub in range(HUBS):
        (root / "shared" / f"hub_{hub}.py").write_text(_HUB.format(hub), encoding="utf-8")
    for number in range(lines // IN_MODULE):
        package = f"package_{number // 100}"
        folder = root / package
        folder.mkdir(exist_ok=True)
        script = number % 5 == 4
        (folder / f"module_{number}.{'ts' if script else 'py'}").write_text(_module(number, package, script=script))
        if number % 5 == 0:
            test = _TEST.format(package=package, number=number)
            (folder / f"test_module_{number}.py").write_text(test, encoding="utf-8")


def _module(number: int, package: str, *, script: bool) -> str:
    word, hub = _WORDS[number % len(_WORDS)], number % HUBS
    about = {"number": number, "package": package, "word": word, "hub": hub}
    if script:
        head, text, steps = (
            f"import {{ view_{number - 5}_0 }} from './module_{number - 5}';\n",
            _SCRIPT,
            IN_MODULE // 12,
        )
    else:
        before = number - 1 if number % 5 else max(number - 2, 0)
        head, text, steps = _MODULE.format(before=before, **about), _STEP, IN_MODULE // 11
    kind = "view" if script else "step"
    made = [
        text.format(place=place, then=f"{kind}_{number}_{place - 1}" if place else "abs", **about)
        for place in range(steps)
    ]
    return head + "".join(made)


def _prompt(name: str, vfcc: str, folder: Path, env: Mapping[str, str]) -> FirstPrompt:
    words = ["context", "show", "--agent", "coder", "--task", f"Count readings for the {name}"]
    return _timed(name, [vfcc, *words], folder, env)


def _timed(name: str, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> FirstPrompt:
    before, begun = os.times(), time.perf_counter()
    done = subprocess.run(words, cwd=folder, env=dict(env), capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{name}: exit code {done.returncode}\n{done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return FirstPrompt(name, round(wall, 2), round(cpu, 2), tuple(done.stderr.strip().splitlines()))


def _calls(share: float) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the day's calls, each with its words."""
    source = random.Random(147)
    calls = [name for name, (count, _) in MIX.items() for _ in range(count)]
    source.shuffle(calls)
    modules, requirements = round(LINES * share) // IN_MODULE, round(TRACED * share) * 2 // 5
    for number, call in enumerate(calls):
        module = source.randrange(modules // 5) * 5
        given = {
            "name": f"step_{module}_{source.randrange(IN_MODULE // 11)}",
            "word": source.choice(_WORDS),
            "hub": source.randrange(HUBS),
            "requirement": f"REQ{source.randrange(1, requirements):06}",
            "n": number,
        }
        yield call, [word.format(**given) for word in MIX[call][1]]


def _day(
    vfcc: str, root: Path, env: Mapping[str, str], share: float, scratch: Path
) -> tuple[list[CallFigures], dict[str, float]]:
    hello = scratch / "hello.py"
    hello.write_text(HELLO, encoding="utf-8")
    bases = {BARE: [sys.executable, "-c", "pass"], TYPER: [sys.executable, str(hello)]}
    taken: dict[str, list[tuple[float, float, int]]] = {}
    for number, (call, words) in enumerate(_calls(share)):
        if number % 3 == 0:
            with (root / "shared" / f"hub_{number % HUBS}.py").open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef added_{number}() -> int:\n    return shared_{number % HUBS}({number})\n")
        command = Command(call, [vfcc, *words], root, environment=env)
        taken.setdefault(call, []).append(run_once(command, ("0", "1", "2", "4")))
        if number % 10 == 9:
            for name, arguments in bases.items():
                taken.setdefault(name, []).append(run_once(Command(name, arguments, root)))
    base = {name: statistics.median(wall for wall, _, _ in taken.pop(name)) for name in bases}
    return [_figures(call, taken[call]) for call in MIX], base


def _figures(call: str, samples: Sequence[tuple[float, float, int]]) -> CallFigures:
    walls = [wall for wall, _, _ in samples]
    return CallFigures(
        call,
        len(samples),
        round(sum(walls) / 1000, 2),
        round(sum(cpu for _, cpu, _ in samples) / 1000, 2),
        round(statistics.median(walls), 1),
        round(max(walls), 1),
        round(max(peak for _, _, peak in samples) / 1024, 1),
    )


def _report(
    first: Sequence[FirstPrompt], day: Sequence[CallFigures], base: Mapping[str, float], options: argparse.Namespace
) -> None:
    count, wall = sum(each.count for each in day), round(sum(each.wall_s for each in day), 1)
    cpu = round(sum(each.cpu_s for each in day), 1)
    if options.json:
        content = {
            "machine": machine(),
            "share": options.share,
            "first": [asdict(each) for each in first],
            "day": [asdict(each) for each in day],
            "calls": count,
            "wall_s": wall,
            "cpu_s": cpu,
            "base_ms": base,
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"share of the monorepo: {options.share}")
    for prompt in first:
        print(f"{prompt.name}: {prompt.wall_s} s, processor time {prompt.cpu_s} s")
        for line in prompt.beside:
            print(f"  {line}")
    print(f"{'call':32} {'times':>5} {'all':>8} {'cpu':>8} {'median':>11} {'slowest':>11} {'peak':>9}")
    for each in day:
        print(
            f"{each.call:32} {each.count:5} {each.wall_s:6.2f} s {each.cpu_s:6.2f} s {each.median_ms:8.1f} ms "
            f"{each.slowest_ms:8.1f} ms {each.peak_mb:6.1f} MB"
        )
    both = ", ".join(f"{name} {ms * count / 1000:.1f} s" for name, ms in base.items())
    print(f"{count} calls: {wall} s, processor time {cpu} s; as many of {both}")
    print(f"target: first prompt, s: {first[0].wall_s} of {FIRST_S} ({_met(first[0].wall_s, FIRST_S)})")
    print(f"target: the day, s: {wall} of {DAY_S} ({_met(wall, DAY_S)})")


def _met(reached: float, most: float) -> str:
    return "met" if reached <= most else "MISSED"


if __name__ == "__main__":
    main()
