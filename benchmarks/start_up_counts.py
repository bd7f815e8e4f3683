"""What daily commands do before and beside their work, as counts, which have no noise.

    python benchmarks/start_up_counts.py [--json]

For each command, warm, in the worked example in a git repository: modules of the package that are imported, regular
expressions that are compiled while a module is imported, processes that are started, and heavy libraries.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sprint_files import OF_AGENTS

TASK = "Count the tides of a week"
DAILY: Mapping[str, Sequence[str]] = {
    "next": ("next",),
    "stage show": ("stage", "show"),
    "status": ("status",),
    "check gate": ("check", "gate"),
    "memory add": ("memory", "add", "guideline", "Count in metres"),
    "memory list": ("memory", "list", "--limit", "20"),
    "memory inbox": ("memory", "inbox"),
    "feedback add": ("feedback", "add", "Name the unit"),
    "trace why": ("trace", "why", "REQ-CALENDAR"),
    "trace list": ("trace", "list"),
    "code refs": ("code", "refs", "high"),
    "code impact": ("code", "impact", "high"),
    "context show": ("context", "show", "--agent", "coder", "--task", TASK),
    "evidence list": ("evidence", "list"),
}
"""The commands that are counted."""
READS = frozenset(DAILY) - {"memory add", "feedback add"}
WARMING = ("code refs", "trace list", "check gate", "memory list", "context show")
"""The commands that fill the caches of all others."""
HEAVY = ("pydantic", "yaml", "jinja2")
CLOSED = frozenset((1, 4))
"""Exit codes of commands that worked and have findings, or found a gate closed."""
CODE = "def high(level: float) -> bool:\n    return level > 1\n\n\ndef warn() -> bool:\n    return high(2)\n"

COUNTING = """
import os, sys, time
now = time.time_ns
time.time_ns = lambda: now() + 60_000_000_000
started = []
def audit(event, arguments):
    if event == "subprocess.Popen":
        started.append(" ".join(map(os.fsdecode, arguments[1])))
    elif event == "os.posix_spawn":
        started.append(" ".join(map(os.fsdecode, arguments[1])))
sys.addaudithook(audit)
import re._compiler
compiled, compile_now = [], re._compiler.compile
def compile(pattern, flags=0):
    frame, place = sys._getframe(1), ""
    while frame is not None and not place:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            place = str(frame.f_globals.get("__name__"))
        frame = frame.f_back
    if place:
        compiled.append(place)
    return compile_now(pattern, flags)
re._compiler.compile = compile
from verifflowcc.fast import main
sys.argv = ["vfcc", *sys.argv[1:]]
code = 1
try:
    main()
except SystemExit as stop:
    code = stop.code
finally:
    with open(os.environ["VFCC_COUNTS"], "w", encoding="utf-8") as file:
        loaded = sorted(sys.modules)
        import json
        json.dump({"modules": loaded, "patterns": compiled, "started": started}, file)
sys.exit(code)
"""
"""The program that runs a command and writes what it counted.

Its clock is a minute ahead: the caches trust no file that was written within the last two seconds.
"""


@dataclass(frozen=True, slots=True)
class StartUpCounts:
    """The counts of one process, with what was counted."""

    modules: tuple[str, ...]
    patterns: tuple[str, ...]
    started: tuple[str, ...]
    heavy: tuple[str, ...]

    @property
    def row(self) -> tuple[int, int, int]:
        """The figures: modules of the package, patterns compiled at import, processes."""
        return len(self.modules), len(self.patterns), len(self.started)


def main() -> None:
    """Count the daily commands and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--details", metavar="COMMAND", choices=sorted(DAILY), help="list what one command counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, env = world(Path(scratch))
        wanted = [options.details] if options.details else list(DAILY)
        found = {name: counts(DAILY[name], folder, env) for name in wanted}
    if options.details:
        print(json.dumps(asdict(found[options.details]), indent=1))
    elif options.json:
        names = ("modules", "patterns", "processes")
        rows = {name: {**dict(zip(names, each.row, strict=True)), "heavy": each.heavy} for name, each in found.items()}
        print(json.dumps(rows))
    else:
        print(f"{'command':14} {'modules':>8} {'patterns':>8} {'processes':>9}  heavy")
        for name, each in found.items():
            print(f"{name:14} {each.row[0]:8} {each.row[1]:8} {each.row[2]:9}  {' '.join(each.heavy)}")


def counts(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> StartUpCounts:
    """Run a command and count what its process imports, compiles and starts."""
    (folder / ".memory" / "local" / "snapshot.json").unlink(missing_ok=True)  # `status` as it is after a write
    with tempfile.NamedTemporaryFile() as out:
        counted = {**env, "VFCC_COUNTS": out.name}
        _run((sys.executable, "-c", COUNTING, *words), folder, counted)
        found = json.loads(out.read())
    loaded = found["modules"]
    return StartUpCounts(
        modules=tuple(name for name in loaded if name.partition(".")[0] == "verifflowcc"),
        patterns=tuple(found["patterns"]),
        started=tuple(found["started"]),
        heavy=tuple(name for name in HEAVY if name in loaded),
    )


def world(place: Path) -> tuple[Path, Mapping[str, str]]:
    """Make the worked example in a git repository, with a little code, all caches warm.

    Returns its folder and the environment for its commands.
    """
    folder = place / "example"
    folder.mkdir(parents=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(OF_AGENTS)}
    env |= {"XDG_DATA_HOME": str(place / "data"), "CI": "true"}
    vfcc = str(Path(sys.executable).with_name("vfcc"))
    git = ("git", "-c", "user.name=Kim", "-c", "user.email=kim@example.org")
    (folder / "tides.py").write_text(CODE, encoding="utf-8")
    for command in (
        ("git", "init", "--quiet"),
        (vfcc, "init", "--worked-example"),
        ("git", "add", "--all"),
        (*git, "commit", "--quiet", "-m", "all"),
    ):
        _run(command, folder, env)
    for name in WARMING:
        counts(DAILY[name], folder, env)
    return folder, env


def _run(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode and done.returncode not in CLOSED:
        sys.exit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
