"""Completion beside bare Python: values of a small project, and of one with many items and symbols.

python benchmarks/completion.py [--runs N] [--items N] [--json]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, measure, report

VFCC = str(Path(sys.executable).with_name("vfcc"))
LINES = {
    "commands": "sprint ",
    "agents": "context show --agent ",
    "stages": "stage show ",
    "sprints": "sprint show ",
    "items": "memory show ",
    "trace ids": "trace why ",
    "symbols": "code refs ",
}
MOST = 4.0
"""Times as long as bare Python, at most."""


def main() -> None:
    """Make the projects, time the completions, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small, large = _project(folder / "small", 0), _project(folder / "large", options.items)
        commands = [Command("python -c pass", [sys.executable, "-c", "pass"], folder)]
        targets = {}
        for size, project in (("example", small), (f"{options.items:,} items", large)):
            for name, line in LINES.items():
                title = f"complete {name}, {size}"
                commands.append(Command(title, _completing(f"vfcc {line}"), project))
                if size == "example":
                    targets[title] = ("python -c pass", MOST)
        report(measure(commands, options.runs), "python -c pass", targets, as_json=options.json)


def _completing(line: str) -> list[str]:
    return ["env", "_VFCC_COMPLETE=list_zsh", f"_VFCC_LINE={line}", VFCC]


def _project(folder: Path, items: int) -> Path:
    """Make the worked example in git, with code, and `items` more items and functions."""
    folder.mkdir()
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "-q"], cwd=folder, env=env, check=True)
    subprocess.run([VFCC, "init", "--worked-example"], cwd=folder, env=env, check=True, capture_output=True)
    functions = (f"def tide_{number}(): ...\n" for number in range(max(items, 10)))
    (folder / "tide.py").write_text("".join(functions), encoding="utf-8")
    home = folder / ".memory" / "project" / "items" / "requirement"
    for number in range(items):
        text = f"---\nid: REQ-{number:05}\ntype: requirement\ntitle: Requirement {number}\n---\nIt shall be.\n"
        (home / f"REQ-{number:05}.md").write_text(text, encoding="utf-8")
    subprocess.run([VFCC, "code", "index"], cwd=folder, env=env, check=True, capture_output=True)
    return folder


if __name__ == "__main__":
    main()
