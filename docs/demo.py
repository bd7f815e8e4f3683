"""The main job on the worked example: `make demo`.

    python docs/demo.py [--data FOLDER]

A sprint moves through its stages in a new folder, `.demo/`, and the coder's prompt is compiled on the way. Every
command is printed with what it really says. With `--data`, the Markdown files of FOLDER become the project's decisions.
"""

import argparse
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / ".demo"
TASK = "Write the calendar export and its tests"
ARTIFACTS = {
    "coding": (
        "changes.md",
        "# Changes\n\n`tidewater/calendar.py` writes the file; `tests/test_calendar.py` shows it.\n",
    ),
    "testing": ("results.json", '{"tests": 41, "failed": 0}\n'),
    "validation": ("acceptance.md", "# Acceptance\n\nThe clerk loaded December twice and saw each tide once.\n"),
}


def main() -> None:
    """Run the demo; exit 1 where a command does not do what is said of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of Markdown files to use as decisions")
    options = parser.parse_args()
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir()
    step("A new git repository, and the worked example: a small program that prints tide tables.")
    run("git init --quiet --initial-branch main")
    run("vfcc init --example")
    if options.data:
        take(options.data.resolve())
    run("git add . && git commit --quiet --message 'The worked example'")

    step("One sprint is closed, one is under way; it is in its stage 'coding'.")
    run("vfcc status")
    run("vfcc stage list")

    step("The coder's prompt, for a task, within 4,000 tokens. It goes to stdout; here, to a file.")
    run(f'vfcc context show --agent coder --task "{TASK}" --budget 4000 --output prompt.md --explain')
    run("head -n 24 prompt.md")
    run("tail -n 4 prompt.md")

    step("The same commit gives the same bytes on every clone.")
    ask = f'vfcc context show --agent coder --task "{TASK}" --committed'
    run("git clone --quiet . elsewhere")
    run(f"{ask} | sha256sum")
    run(f"cd elsewhere && {ask} | sha256sum")
    run("rm -rf elsewhere")

    step("The stage cannot be left while it owes something: exit code 4, and what to do.")
    run("vfcc stage advance", expected=4)

    step("With each stage's artifact written, the sprint moves up the right leg of the V.")
    for stage, (name, text) in ARTIFACTS.items():
        folder = DEMO / ".memory" / "stage" / "sprint-02" / stage / "artifacts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        print(f"# wrote {(folder / name).relative_to(DEMO)}", flush=True)
        run("vfcc stage advance")
    run("vfcc stage list")

    step("Closed, with what was learned kept for the next sprint.")
    (DEMO / "learnings.txt").write_text("Ask the reader of a file early which program reads it.\n", encoding="utf-8")
    run("vfcc sprint close --learnings learnings.txt")
    run("vfcc status")
    print(f"\nIt is all in {DEMO.relative_to(ROOT)}/, to look at. `make clean` removes it.")


def take(folder: Path) -> None:
    """Put the Markdown files of `folder` among the decisions."""
    files = sorted(folder.rglob("*.md"))
    if not files:
        sys.exit(f"{folder} has no Markdown file")
    for path in files:
        shutil.copyfile(path, DEMO / ".memory" / "project" / "decisions" / path.name)
    print(f"# {len(files)} files of {folder.name} are now decisions of the project", flush=True)


def step(text: str) -> None:
    """Say in a sentence what comes next."""
    print("\n" + textwrap.fill(text, 80) + "\n", flush=True)


def run(command: str, expected: int = 0) -> None:
    """Print a command and what it says; stop the demo where its exit code is another than `expected`."""
    print(f"$ {command}", flush=True)
    done = subprocess.run(["sh", "-c", command], cwd=DEMO, env=environment(), stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        print(f"[exit {done.returncode}]", flush=True)
    if done.returncode != expected:
        sys.exit(f"expected exit code {expected}")


def environment() -> dict[str, str]:
    """The `vfcc` beside this Python, and a git that knows somebody."""
    person = {"NAME": "Demo", "EMAIL": "demo@example.org"}
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in person.items()}
    return {**os.environ, **names, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


if __name__ == "__main__":
    main()
