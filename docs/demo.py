"""The main job, shown: `make demo`, and the recording at the top of the README.

    python docs/demo.py [--svg PATH] [--report FOLDER]

An agent, played by this script, fixes a bug with tests that cannot fail and says done. The commands run for real in a
temporary folder, offline, and their output is printed as it is. The demo exits with 1 where a command ends with another
exit code, or does not print a line that the story needs, and with 2 inside an agent's client, where vfcc lets nothing
play a person's part. `--svg` also writes what was printed as an animation, `--report` the report of the project.
"""

import argparse
import os
import pty
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from recording import COLUMNS, Scene, animation

from verifflowcc.base.process.acting import acting, client_above

BUG = 'def price(cents):\n    return f"{cents // 100}.{cents % 100}"\n'
FIX = BUG.replace("% 100}", "% 100:02}")
IMPORT = "from price import price\n"
WEAK = f"{IMPORT}\n\ndef test_305():\n    assert price(305)\n\n\ndef test_5():\n    assert price(5)\n"
STRONG = WEAK.replace("price(305)", 'price(305) == "3.05"').replace("price(5)", 'price(5) == "0.05"')
START: Mapping[str, str] = {
    "price.py": BUG,
    "tests/test_price.py": IMPORT,
    "CLAUDE.md": "# Shop\n\nPrices for receipts.\n",
    ".gitignore": "__pycache__/\n*_cache/\n",
}
PREPARED = (
    "git init --quiet --initial-branch main",
    "vfcc init",
    "CI=true vfcc allow --yes",
    "git add . && git commit --quiet --message First",
    "vfcc sprint start 'Fix the price'",
    "echo 'price(305) prints 3.05.' | vfcc stage put plan.md && vfcc stage advance",
    "echo 'price() pads the cents.' | vfcc stage put design.md && vfcc stage advance",
)
"""What happened before: a sprint of the workflow `light` has reached its stage coding."""
DECISION = "Decision: amounts stay whole cents, only price() formats them."


@dataclass(frozen=True, slots=True)
class Demo:
    """A project in a temporary folder, and what was printed about it so far."""

    root: Path
    scenes: list[Scene] = field(default_factory=list)

    def scene(self, caption: str) -> None:
        """Begin a scene."""
        if self.scenes:
            print()
        self.scenes.append([])
        self.show(f"# {caption}")

    def write(self, path: str, text: str) -> None:
        """Edit a file, as an agent does with its own tools."""
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

    def run(self, command: str, *expected: str, code: int = 0, agent: str = "coder") -> None:
        """Show a command of an agent and its output; stop where that lacks a text of `expected`."""
        self.show(f"$ {command}")
        ended, output = self.execute(command, agent)
        for line in output.splitlines():
            self.show(line)
        if ended:
            self.show(f"[exit {ended}]")
        if ended != code:
            sys.exit(f"demo: expected exit code {code}: {command}")
        for text in expected:
            if text not in output:
                sys.exit(f"demo: expected in the output of {command}: {text}")

    def execute(self, command: str, agent: str = "") -> tuple[int, str]:
        """Run a command in the project, in the name of `agent`; return its exit code and output.

        It writes to a terminal as wide as the recording, so that tables fit; it cannot read from that terminal.
        """
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=self.root,
            env=environment(self.root.parent, agent),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            output = b"".join(iter(lambda: received(terminal), b""))
        return process.wait(), output.decode().replace("\r\n", "\n")

    def show(self, line: str) -> None:
        """Print a line and keep it for the recording."""
        print(line, flush=True)
        self.scenes[-1].append(line)


def main() -> None:
    """Run the demo, and write the recording where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, metavar="PATH", help="write the recording to PATH")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write the project's report into FOLDER")
    options = parser.parse_args()
    agent = acting(environment(Path(), ""), terminal=False, client=client_above, name=lambda: None).why
    if agent:
        print(f"demo: it plays a person's part, which an agent may not ({agent}): run it in a terminal of your own")
        sys.exit(2)
    with prepared() as demo:
        story(demo)
        if options.report:
            ended, output = demo.execute(f"vfcc report --local --html {shlex.quote(str(options.report.resolve()))}")
            if ended:
                sys.exit(f"demo: vfcc report: exit code {ended}\n{output}")
            print(f"\nThe report of this project: {options.report / 'index.html'}")
    if options.svg:
        options.svg.write_text(animation(demo.scenes), encoding="utf-8")


@contextmanager
def prepared() -> Iterator[Demo]:
    """A small shop in git, whose sprint is in its stage coding."""
    with tempfile.TemporaryDirectory(prefix="vfcc-demo-") as folder:
        demo = Demo(Path(folder) / "shop")
        for path, text in START.items():
            demo.write(path, text)
        for command in PREPARED:
            ended, output = demo.execute(command)
            if ended:
                sys.exit(f"demo: {command}: exit code {ended}\n{output}")
        yield demo


def story(demo: Demo) -> None:
    """An agent's tests cannot fail; its gate stays closed until they can."""
    demo.scene("An agent fixes a bug: price(305) is 3.5. It adds two tests, they pass, it says done.")
    demo.write("price.py", FIX)
    demo.write("tests/test_price.py", WEAK)
    demo.run("git diff -U0 | grep '^[-+] *[a-z]'", "+    assert price(305)\n")
    demo.run("python -m pytest -q | tail -n 1", "2 passed")
    demo.run(f"echo 'Done. {DECISION}' | vfcc stage put changes.md", "pass  changes")
    demo.run("vfcc stage advance", "coding → testing")

    demo.scene("vfcc takes the change away and runs the tests: none fails. The gate stays closed.")
    demo.write(".memory/stage/fix-the-price/testing/artifacts/results.md", "Both tests pass.\n")
    demo.run("vfcc evidence run", "2 tests passed", "with your change removed, all 2 tests still pass", code=1)
    demo.run("vfcc stage advance", "cannot leave testing", "all 2 tests still pass", code=4)

    demo.scene("The agent strengthens its tests. The gate opens.")
    demo.write("tests/test_price.py", STRONG)
    demo.run("git diff -U0 | grep '^+.*assert'", '+    assert price(305) == "3.05"\n')
    demo.run("vfcc evidence run", "red without the change, green with it: 2 of 2 tests")
    demo.run("vfcc stage advance", "testing → validation")

    demo.scene("The prompt of the next agent holds the decision. The stage is passed.")
    demo.run("vfcc context show --agent stakeholder 2>/dev/null | grep -B 3 Decision", DECISION, agent="stakeholder")
    demo.run("vfcc status", "in validation, 4 of 5 stages passed", agent="stakeholder")


def received(terminal: BinaryIO) -> bytes:
    """Read what a program wrote to its terminal; nothing once it has ended."""
    try:
        return terminal.read(65536)
    except OSError:  # Linux reports the end as EIO
        return b""


def environment(folder: Path, agent: str) -> dict[str, str]:
    """This environment, with nothing of its owner's: no git settings, no vfcc data, no options of pytest."""
    owned = ("GIT_", "VFCC_", "PYTEST_", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(owned)}
    person = {"NAME": "Demo", "EMAIL": "demo@example.org"}
    return {
        **kept,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in person.items()},
        **{f"GIT_CONFIG_{where}": os.devnull for where in ("GLOBAL", "SYSTEM")},
        **({"VFCC_AGENT": agent} if agent else {}),
        "HOME": str(folder),
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",
        "TERM": "dumb",  # a line that is erased again is no part of a recording
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


if __name__ == "__main__":
    main()
