"""The main job, shown: `make demo`.

    python docs/demo.py [--data FOLDER]

In a new folder, `.demo/`, the coder's prompt is compiled in the worked example and its sprint goes to its end; then a
small project with a real test goes through a gate that only passing tests open. Every command is printed with what it
really says. With `--data`, the Markdown files of FOLDER become the example's decisions.
"""

import argparse
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from verifflowcc.adapters.process.ancestors import client_above

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / ".demo"
EXAMPLE = DEMO / "tidewater"
SHOP = DEMO / "shop"
TASK = "Write the calendar export and its tests"
CHANGES = "# Changes\n\n`tidewater/calendar.py` writes the file; `tests/test_calendar.py` shows it.\n"
ARTIFACTS = {
    "testing": ("results.md", "# Results\n\nThree calendar programs read the file; no tide is doubled.\n"),
    "validation": ("acceptance.md", "# Acceptance\n\nThe clerk loaded December twice and saw each tide once.\n"),
}
LIGHT = {
    "planning": ("plan.md", "# Plan\n\nReceipts show prices.\n"),
    "design": ("design.md", "# Design\n\nA receipt prints the price of each thing.\n"),
    "coding": ("changes.md", "# Changes\n\n`receipt.py` prints a price.\n"),
    "testing": ("results.md", "# Results\n\nBoth tests pass.\n"),
    "validation": ("acceptance.md", "# Acceptance\n\nThe cashier read a receipt.\n"),
}
PRICE = """\
def price(cents):
    return f"{cents // 100}.{cents % 100}"
"""
TESTS = """\
from shop import price


def test_whole_digits():
    assert price(1250) == "12.50"


def test_a_price_has_two_digits_after_the_point():
    assert price(305) == "3.05"
"""


def main() -> None:
    """Run the demo; exit 1 where a command does not do what is said of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of Markdown files to use as decisions")
    options = parser.parse_args()
    shutil.rmtree(DEMO, ignore_errors=True)
    EXAMPLE.mkdir(parents=True)
    prompt(options.data)
    documents()
    tests()
    print(f"\nIt is all in {DEMO.relative_to(ROOT)}/, to look at. `make clean` removes it.")


def prompt(data: Path | None) -> None:
    """Show a role's prompt in the worked example."""
    step("A new git repository, and the worked example: a small program that prints tide tables.")
    run("git init --quiet --initial-branch main")
    run("vfcc init --example")
    if data:
        take(data.resolve())
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


def documents() -> None:
    """Show a gate that asks for documents, and the way up the right leg of the V."""
    step("The stage cannot be left while it owes something: exit code 4, and what to do.")
    run("vfcc stage advance", expected=4)
    step("An empty file does not open the gate, nor does one that only holds the place of a text.")
    write("coding", "changes.md", "")
    run("vfcc stage advance", expected=4)
    write("coding", "changes.md", "# Changes\n\nTODO\n")
    run("vfcc stage advance", expected=4)

    step("With each stage's artifact written, the sprint moves up the right leg of the V.")
    write("coding", "changes.md", CHANGES)
    run("vfcc stage advance")
    for stage, (name, text) in ARTIFACTS.items():
        write(stage, name, text)
        run("vfcc stage advance")

    step("Closed, with what was learned kept for the next sprint.")
    learned = "Ask the reader of a file early which program reads it.\n"
    (EXAMPLE / "learnings.txt").write_text(learned, encoding="utf-8")
    run("vfcc sprint close --learnings learnings.txt")


def tests() -> None:
    """Show a gate that only tests open which vfcc ran itself, on the files that are there."""
    step("Another project, with code, two tests and a small change to make. Init sees how its tests run.")
    for name, text in {"shop.py": PRICE, "tests/test_shop.py": TESTS, "CLAUDE.md": "# Shop: prices.\n"}.items():
        (SHOP / name).parent.mkdir(parents=True, exist_ok=True)
        (SHOP / name).write_text(text, encoding="utf-8")
    run("git init --quiet --initial-branch main && git add . && git commit --quiet --message First", there=SHOP)
    run("vfcc init && vfcc sprint start Prices", there=SHOP)

    step("Its workflow is light: a few lines for each stage. Only a person may leave a gap; this script may not.")
    run("vfcc stage advance", expected=4, there=SHOP)
    for stage, (name, text) in LIGHT.items():
        write(stage, name, text, SHOP, "prices")
    run("vfcc stage advance && vfcc stage advance", there=SHOP)
    step("Coding owes a change of the product.")
    run("vfcc stage advance", expected=4, there=SHOP)
    run("echo 'print(price(305))' > receipt.py", there=SHOP)
    run("vfcc stage advance", there=SHOP)
    run("vfcc stage advance", expected=4, there=SHOP)

    step("No command of a project runs before a person or a CI job has allowed it on this machine.")
    run("vfcc evidence run", expected=3, there=SHOP)
    run("vfcc allow --yes", expected=3, there=SHOP)
    if client_above():
        step("An agent client started this demo. Run it in a terminal of your own to see the tests run.")
        return
    run("CI=true vfcc allow --yes", there=SHOP)

    step("vfcc runs the tests. One fails, so the gate stays closed.")
    run("vfcc evidence run", expected=1, there=SHOP)
    run("vfcc check gate", expected=4, there=SHOP)

    step("Mended; but the evidence speaks of the code as it was.")
    run("sed -i.old 's/cents % 100/cents % 100:02/' shop.py && rm shop.py.old", there=SHOP)
    run("vfcc stage advance", expected=4, there=SHOP)

    step("Run again: the gate opens.")
    run("vfcc evidence run", there=SHOP)
    run("vfcc stage advance", there=SHOP)
    run("vfcc stage advance && vfcc sprint close", there=SHOP)
    run("vfcc metrics", there=SHOP)


def take(folder: Path) -> None:
    """Put the Markdown files of `folder` among the decisions."""
    files = sorted(folder.rglob("*.md"))
    if not files:
        sys.exit(f"{folder} has no Markdown file")
    for path in files:
        shutil.copyfile(path, EXAMPLE / ".memory" / "project" / "decisions" / path.name)
    print(f"# {len(files)} files of {folder.name} are now decisions of the project", flush=True)


def step(text: str) -> None:
    """Say in a sentence what comes next."""
    print("\n" + textwrap.fill(text, 80) + "\n", flush=True)


def write(stage: str, name: str, text: str, there: Path = EXAMPLE, sprint: str = "sprint-02") -> None:
    """Write an artifact of an open sprint."""
    path = there / ".memory" / "stage" / sprint / stage / "artifacts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    shown = textwrap.shorten(text, 60, placeholder=" …") or "nothing"
    print(f"# wrote into {path.relative_to(there)}: {shown}", flush=True)


def run(command: str, expected: int = 0, there: Path = EXAMPLE) -> None:
    """Print a command and what it says; stop the demo where its exit code is another than `expected`."""
    print(f"$ {command}", flush=True)
    done = subprocess.run(["sh", "-c", command], cwd=there, env=environment(), stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        print(f"[exit {done.returncode}]", flush=True)
    if done.returncode != expected:
        sys.exit(f"expected exit code {expected}")


def environment() -> dict[str, str]:
    """The `vfcc` beside this Python, a git that knows somebody, and a place of the demo's own for what is allowed."""
    person = {"NAME": "Demo", "EMAIL": "demo@example.org"}
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in person.items()}
    own = {"XDG_DATA_HOME": str(DEMO / "data")}
    return {**os.environ, **names, **own, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


if __name__ == "__main__":
    main()
