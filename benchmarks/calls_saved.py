"""Which share of searches, listings and reads of recorded sessions the code in their prompts had answered.

    python benchmarks/calls_saved.py [--data FOLDER] [--budget TOKENS] [--runs N] [--json]

`--data` names a project with a history of its own: its recorded sessions are what the figure is about. Without it a
project is generated, whose code is several times what a prompt has room for, and Claude Code works in it against a
scripted model, with the hooks of vfcc. What is recorded is then what the real client says, but which calls are made is
what the script here says, in the way of an agent that finds its way by itself: that run shows that the measurement
works from end to end, and its share is no figure about agents. The client is installed with npm where it is not here;
where that fails, nothing is measured, and the script says so.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.history_events import NOUNS
from benchmarks.hook_words import VFCC
from benchmarks.measure import machine
from tests.clients.installed import claude_program
from tests.clients.model_server import serving
from tests.clients.running import run_claude
from tests.clients.turns import MAIN, Turn, calls
from verifflowcc.base.use.document_form import form
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.use.code_offers import OFFERED_TOKENS
from verifflowcc.history.cli.history_command import saved_page
from verifflowcc.history.use.saving import calls_saved

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
NAMES = ("invoice", "order", "parcel", "price", "stock", "supplier")
VERBS = ("checked", "counted", "listed", "merged", "moved", "sorted", "stored")
MORE = '''

def {verb}_{name}(lines: list[int], most: int) -> list[int]:
    """Return the lines of a {name}, {verb}, no more than so many of them."""
    found = [each for each in lines if each <= LIMIT]
    if len(found) > most:
        raise ValueError("too many lines in a {name} that is to be {verb}")
    return found
'''
"""What else there is in each module, so that a prompt has no room for all of them."""
MODULE = '''\
"""{title}s of the shop."""

from shop.money import rounded

LIMIT = {limit}


class {title}:
    """One {name}, with its lines."""

    def __init__(self, lines: list[int]) -> None:
        self.lines = lines

    def total_{name}(self) -> int:
        """Return what all lines of the {name} come to."""
        return rounded(sum(self.lines))

    def is_large_{name}(self) -> bool:
        """Say whether the {name} is above the limit."""
        return self.total_{name}() > LIMIT


def read_{name}(text: str) -> {title}:
    """Read a {name} from a line of numbers."""
    return {title}([int(each) for each in text.split()])
'''
MONEY = '''\
"""Money."""


def rounded(value: float) -> int:
    """Round an amount to whole cents."""
    return round(value)
'''
ABSENT = "Claude Code is not here and cannot be installed: nothing was measured"


@dataclass(frozen=True)
class Session:
    """What is asked for, and the calls that the script makes for it."""

    prompt: str
    turns: Sequence[Turn]


def main() -> None:
    """Let the client work where no project is given, replay what was recorded, print what was answered."""
    options = _options()
    if options.data:
        _report(options.data.resolve(), options.budget, options.runs, "recorded sessions", as_json=options.json)
        return
    program = claude_program()
    if program is None:
        raise SystemExit(ABSENT)
    with tempfile.TemporaryDirectory() as scratch:
        root = _project(Path(scratch) / "project")
        _work(program, root, Path(scratch) / "home")
        _report(root, options.budget, options.runs, "a scripted run of Claude Code", as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a project with a history")
    parser.add_argument("--budget", type=int, default=OFFERED_TOKENS, help="tokens of code in a prompt")
    parser.add_argument("--runs", type=int, default=3, help="so often the replay is timed")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _project(root: Path) -> Path:
    files = {"shop/__init__.py": "", "shop/money.py": MONEY, "README.md": "# Shop\n\nIt sells.\n"}
    for number, name in enumerate(sorted({*NAMES, *NOUNS})):
        more = "".join(MORE.format(name=name, verb=verb) for verb in VERBS)
        files[f"shop/{name}.py"] = MODULE.format(name=name, title=name.title(), limit=100 * number) + more
        files[f"docs/{name}.md"] = f"# {name.title()}s\n\nEach {name} has lines, and a total.\n"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    hook = {"type": "command", "command": VFCC, "args": ["hook", "claude"], "timeout": 10}
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {event: [{"hooks": [hook]}] for event in EVENTS}}), encoding="utf-8")
    for command in (["git", "init", "--quiet"], [VFCC, "init"]):
        subprocess.run(command, cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return root


def _sessions(root: Path) -> list[Session]:
    """Return one session for each of some modules, in the way of an agent that looks for everything itself."""
    return [_session(root, name, other) for name, other in pairwise(NAMES)]


def _session(root: Path, name: str, other: str) -> Session:
    path, title = str(root / "shop" / f"{name}.py"), name.title()
    more = "sum(max(each, 0) for each in self.lines)"
    prompt = f"total_{name} in shop/{name}.py must leave out lines below zero; is_large_{name} follows from it."
    turns = [
        calls("Bash", command="ls", description="look around"),
        calls("Glob", pattern="shop/*.py"),
        calls("Grep", pattern=f"total_{name}", output_mode="content"),
        calls("Read", file_path=path),
        calls("Bash", command=f"sed -n '16,18p' shop/{name}.py", description="look again"),
        calls("Bash", command="grep -rn 'def rounded' shop", description="find it"),
        calls("Read", file_path=str(root / "docs" / f"{name}.md")),
        calls("Read", file_path=str(root / "shop" / f"{other}.py")),
        calls("Edit", file_path=path, old_string="sum(self.lines)", new_string=more),
        calls("Read", file_path=path),
        calls("Bash", command=f"python -c 'from shop.{name} import {title}'", description="try it"),
        Turn("It leaves them out now."),
    ]
    return Session(prompt, turns)


def _work(program: Path, root: Path, home: Path) -> None:
    home.mkdir()
    for session in _sessions(root):
        with serving({MAIN: list(session.turns)}) as server:
            ran = run_claude(program, root, home, server, session.prompt)
        if ran.code or server.left():
            raise SystemExit(f"the client did not do what the script says: {ran!r}")


def _report(root: Path, budget: int, runs: int, what: str, *, as_json: bool) -> None:
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        found = calls_saved(Workspace(root), None, budget)
        seconds.append(round(time.perf_counter() - begin, 2))
    if as_json:
        content = {
            "machine": machine(),
            "what": what,
            "saved": form(found, full=True),
            "seconds": sorted(seconds)[runs // 2],
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{what}; replayed in {sorted(seconds)[runs // 2]:.2f} s\n")
    print(saved_page(found))


if __name__ == "__main__":
    main()
