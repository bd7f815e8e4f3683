"""The pictures of `docs/screens/`: what a person sees of ten commands, at 80 and 120 columns, with and without colour.

    python -m tests.screens [FOLDER]        # default: docs/screens

The program runs for real, in a repository that is made for it, at a terminal of its own. Ids, times and the place of
the repository are replaced by fixed ones. A test compares the files with what the program shows now.
"""

import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests import forked
from tests.cli.hooked import said
from tests.cli.process import CI, PATIENCE_S, drain, environment, git, settings_of, terminal, vfcc
from tests.shop_world import FILES, FIX, FIX_TESTS, TEST
from tests.trees import write_tree

FOLDER = Path(__file__).parents[1] / "docs" / "screens"
SCREENS = {
    "help": ("--help",),
    "init": ("init", "--yes"),
    "status": ("status",),
    "next": ("next",),
    "check-gate": ("check", "gate"),
    "stage-advance": ("stage", "advance"),
    "evidence-run": ("evidence", "run", "tests"),
    "context-show": ("context", "show", "--agent", "tester", "--task", "Test the price", "-o", "../prompt.md"),
    "trace-why": ("trace", "why", "REQ-receipt"),
    "memory-inbox": ("memory", "inbox"),
}
_WRITES = ("init", "evidence-run")
"""Screens of commands that change the repository: each gets a copy."""
WIDTHS = (80, 120)
ROWS = 24
CONFIG = f"format: 2\nworkflow: light\ngates:\n  commands:\n    test:\n      run: {json.dumps(TEST)}\n"
ULID = re.compile(r"(?<![0-9A-Z])01[0-9A-HJKMNP-TV-Z]{24}(?![0-9A-Z])")
FIXED = (
    (re.compile(r"(?<!\d)20\d\d-\d\d-\d\d([T ])\d\d:\d\d"), r"2026-01-02\g<1>09:30"),
    (re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?!\d)"), "2026-01-02"),
    (re.compile(r"(?<![\d.])\d\.\d s\b"), "0.4 s"),
)
TOKENS = re.compile(r"(?<=\s)(\d\d)\d(?=\s)")
"""Counts of tokens, rounded to tens: random ids within a prompt take one more or one less."""
THEME = TerminalTheme(
    (22, 27, 34),
    (201, 209, 217),
    [
        *((72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34)),
        *((88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)),
    ],
)
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>.{unique_id}-matrix {{ font: {char_height}px Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
{styles}</style>
<rect width="100%" height="100%" rx="6" fill="#161b22"/>
<g transform="translate(8, 8)" class="{unique_id}-matrix">
{matrix}
</g>
</svg>
"""


def made(folder: Path) -> Path:
    """Make a shop whose sprint is in its stage testing, with stale evidence, proposals of an agent, and its history."""
    root = write_tree(folder / "shop", FILES)
    git(root, "init", "-q", "-b", "main")
    _done(root, "init")
    (root / ".memory/config.yaml").write_text(CONFIG, encoding="utf-8")
    _done(root, "trace", "add", "need", "Receipts show what a customer paid", "--id", "NEED-receipt")
    _done(root, "trace", "add", "requirement", "A receipt prints two digits of cents", "--id", "REQ-receipt")
    _done(root, "trace", "link", "REQ-receipt", "NEED-receipt", "--relation", "refines")
    _done(root, "allow", "--yes", env=CI)
    _commit(root, "first")
    _done(root, "sprint", "start", "Fix the price", "--goal", "305 cents print as 3.05")
    for name in ("plan", "design"):
        _put(root, name)
    write_tree(root, {"price.py": FIX, "tests/test_price.py": f"# vfcc: REQ-receipt\n{FIX_TESTS}"})
    _commit(root, "fix")
    _put(root, "changes")
    _done(root, "evidence", "run", "tests", "tests-kept", env=CI)
    write_tree(root, {"price.py": f"{FIX}\n\nTAX = 19\n"})
    for name, title in (("whole-cents", "Amounts stay whole cents"), ("one-format", "Only price() formats an amount")):
        _done(root, "memory", "add", "decision", title, "--id", name, env={"VFCC_AGENT": "coder"})
    for tool, given in (("Read", {"file_path": "price.py"}), ("Edit", {"file_path": "price.py"})):
        words = said("PostToolUse", tool_name=tool, tool_input=given, tool_response={}, cwd=str(root))
        acting = environment(root.parent, VFCC_AGENT="tester")  # else the role depends on how young the snapshot is
        forked.run(["hook", "claude"], root, acting, PATIENCE_S, given=json.dumps(words).encode())
    return root


def svg(root: Path, name: str, columns: int, *, colored: bool) -> str:
    """Return the picture of a command in the repository that `made` returned."""
    here = root
    if name in _WRITES:
        here = Path(tempfile.mkdtemp(dir=root.parent)) / "shop"
        shutil.copytree(root, here)
        _done(here, "allow", "--yes", env=CI)
    if name == "init":
        shutil.rmtree(here / ".memory")
    raw = _replaced(_shown(here, SCREENS[name], columns, colored=colored), here)
    if name == "context-show":
        raw = TOKENS.sub(r"\g<1>0", raw)
    console = Console(file=io.StringIO(), record=True, width=columns, force_terminal=True, _environ={})
    prompt = Text.assemble(("$ ", "dim"), ("vfcc " + " ".join(_quoted(SCREENS[name])), "bold"))
    for line in (prompt, *Text.from_ansi(raw).split("\n")):
        for row in line.divide(range(columns, max(len(line), 1), columns)):
            row.rstrip()
            console.print(row, no_wrap=True, overflow="ignore", crop=False, highlight=False)
    drawn = console.export_svg(theme=THEME, code_format=SVG, unique_id="s")
    return re.sub(r' clip-path="[^"]*"', "", drawn)


def _quoted(words: tuple[str, ...]) -> Iterator[str]:
    yield from (f'"{word}"' if " " in word else word for word in words)


def _shown(folder: Path, words: tuple[str, ...], columns: int, *, colored: bool) -> str:
    ours, theirs = terminal(columns, ROWS)
    env = environment(
        folder.parent, GIT_CONFIG_GLOBAL=settings_of("You"), NO_COLOR="" if colored else "1", COLUMNS=str(columns)
    )
    process = forked.start(words, folder, env, (theirs, theirs, theirs))
    os.close(theirs)
    text = drain((ours, os.open(os.devnull, os.O_RDONLY)))[0]
    assert process.wait(PATIENCE_S) in (0, 1, 4), text.decode()
    return re.sub(r"[^\n]*\r\x1b\[K", "", text.decode().replace("\r\n", "\n")).rstrip("\n")


def _replaced(text: str, root: Path) -> str:
    """Return a text with fixed ids, times and places."""
    files = {each.stem for each in (root / ".memory").rglob("01*.json") if ULID.fullmatch(each.stem)}
    shown = {found: found[-4:] for found in {*files, *ULID.findall(text)} if found[-4:] in text}
    # numbered as they appear: how many there are beside those on the screen depends on the machine
    for place, (found, end) in enumerate(sorted(shown.items(), key=lambda each: text.index(each[1]))):
        fixed = f"01M9{'0' * 18}S{place:03}"
        text = re.sub(rf"(?<![0-9A-Z]){end}(?![0-9A-Z])", fixed[-4:], text.replace(found, fixed))
    for pattern, fixed in FIXED:
        text = pattern.sub(fixed, text)
    return text.replace(str(root), "/home/you/shop")


def _put(root: Path, name: str) -> None:
    (root / "note.txt").write_text(f"# {name.title()}\n\nprice(305) prints 3.05.\n", encoding="utf-8")
    _done(root, "stage", "put", f"{name}.md", "--file", "note.txt")
    (root / "note.txt").unlink()
    _done(root, "stage", "advance")


def _commit(root: Path, message: str) -> None:
    git(root, "add", ".")
    git(root, "commit", "-qm", message)


def _done(root: Path, *words: str, env: dict[str, str] | None = None) -> None:
    from tests.cli.process import by_person

    ran = vfcc(root, *words, env=env) if env else by_person(root, *words)
    assert ran.code in (0, 1), ran


def main(folder: Path) -> None:
    """Write all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        root = made(Path(temporary))
        for name in SCREENS:
            for columns in WIDTHS:
                for colored in (True, False):
                    file = folder / file_of(name, columns, colored=colored)
                    file.write_text(svg(root, name, columns, colored=colored), encoding="utf-8")
                    sys.stdout.write(f"{file}\n")


def file_of(name: str, columns: int, *, colored: bool) -> str:
    """Return the name of a picture's file."""
    return f"{name}-{columns}{'' if colored else '-plain'}.svg"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
