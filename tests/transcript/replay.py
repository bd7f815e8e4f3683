"""Replay the console sessions of a Markdown page: every command is run, every line of output compared.

A page's sessions run one after another in one folder, so that the page reads as it would be typed. A comment before a
session says what to begin with: `<!-- replay: empty -->` (a folder with nothing), `<!-- replay: git -->` (a repository
with one commit), `<!-- replay: example -->` (that, and the worked example, committed) or `<!-- replay: inflection -->`
(a package from the index; the caller makes that folder) or `<!-- replay: roles -->` (the small project of
`tests/role_project.py`) or `<!-- replay: shop -->` (a repository with a function, its test and a CLAUDE.md); without
one, the session continues where the last one ended.
`<!-- replay: no -->` leaves a session out. `<!-- replay: git terminal -->` begins sessions of a person at a terminal
120 columns wide: there, what follows `[y/N]: `, or another default in brackets, in the promised output is typed as the
answer, and `⏎` for Enter alone. `<!-- agent: coder -->`
before a session says that an agent of that role runs it, with no terminal; `<!-- person -->`, that a person runs this
one at a terminal. `…` stands for anything within a line, and a line that is only `…` for any number of lines. Lines
after a command are its output, stdout and stderr as they come; `[exit N]` follows where it is not 0. A command goes on
in lines that begin with `>`. A fence is longer where the output has fences. `<!-- file: loop.py -->` before a fence
of any other kind writes its text to that file.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.role_project import write_role_project
from tests.transcript.terminal import ASKED, at_terminal

ENTER = "⏎"
_SESSION = re.compile(
    r"(?:<!-- replay: (?P<start>\w+)(?P<terminal> terminal)? -->\n+|<!-- agent: (?P<agent>\w+) -->\n+"
    r"|(?P<person><!-- person -->\n+)|<!-- file: (?P<file>[\w.-]+) -->\n+)?"
    r"(?P<fence>`{3,})(?(file)\w+|console)\n(?P<text>.*?)\n(?P=fence)(?!`)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    """A command, the output that the page promises, and the line of the page."""

    command: str
    expected: str
    line: int


@dataclass(frozen=True)
class Session:
    """Steps, what to begin with (None to go on), whether a person types at a terminal, and the role of an agent."""

    start: str | None
    steps: tuple[Step, ...]
    terminal: bool = False
    agent: str | None = None


def sessions(page: str) -> Iterator[Session]:
    """Yield the sessions of a page in order."""
    terminal = False
    for found in _SESSION.finditer(page):
        if found["start"] != "no":
            first = page.count("\n", 0, found.start("text")) + 1
            terminal = found["terminal"] is not None if found["start"] else terminal
            text = found["text"]
            written = f"$ cat > {found['file']} <<'END'\n" + "\n".join(
                f"> {line}" for line in (*text.split("\n"), "END")
            )
            steps = tuple(_steps((written if found["file"] else text).splitlines(), first))
            at_terminal = terminal or found["person"] is not None
            yield Session(found["start"], steps, at_terminal and not found["agent"], found["agent"])


def _steps(lines: list[str], first: int) -> Iterator[Step]:
    command, at = "", first
    output: list[str] = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            if command:
                yield Step(command, "\n".join(output), at)
            command, output, at = line[2:], [], number
        elif (line == ">" or line.startswith("> ")) and not output:
            command += "\n" + line[2:]
        else:
            output.append(line)
    if command:
        yield Step(command, "\n".join(output), at)


def matches(expected: str, actual: str) -> bool:
    """Whether the output is what the page promises, `…` standing for anything."""
    parts = []
    for line in expected.splitlines():
        anything = line.strip() == "…"
        parts.append(r"(?:[^\n]*\n)*?" if anything else "[^\n]*?".join(map(re.escape, line.split("…"))) + r"\n")
    return re.fullmatch("".join(parts), f"{actual}\n" if actual else "") is not None


def answers(promised: str) -> list[str]:
    """Return what somebody types where the page promises a question."""
    asked = ((line, ASKED.search(line)) for line in promised.splitlines())
    return [line[found.end() :].strip().replace(ENTER, "") for line, found in asked if found]


def replay(page: str, folder: Path, begin: Callable[[Path, str], None] | None = None) -> list[str]:
    """Run every session of `page`; return what did not come out as promised, one text for each step.

    `begin` makes what a session begins with, in place of `prepare`.
    """
    wrong = []
    here = folder
    for number, session in enumerate(sessions(page)):
        if session.start is not None:
            here = folder / f"session-{number}"
            here.mkdir()
            (begin or prepare)(here, session.start)
        for step in session.steps:
            acting = _acting(session.agent) if session.agent else ""
            actual = run(acting + step.command, here, answers(step.expected) if session.terminal else None)
            if not matches(step.expected.replace(ENTER, ""), actual):
                wrong.append(f"line {step.line}: $ {step.command}\npromised:\n{step.expected}\nprinted:\n{actual}\n")
    return wrong


def prepare(folder: Path, start: str) -> None:
    """Make what a session begins with."""
    if start == "empty":
        return
    run("git init -q -b main . && echo '# My project' > README.md && git add . && git commit -qm first", folder)
    if start == "shop":
        run(_SHOP, folder)
    if start == "roles":
        write_role_project(folder, run)
    if start == "example":
        run("vfcc init --worked-example && git add . && git commit -qm memory", folder)


def run(command: str, folder: Path, typed: list[str] | None = None) -> str:
    """Run a line as a shell would and return what it printed, with `[exit N]` at the end unless N is 0.

    Where answers are given, it runs at a terminal where they are `typed`.
    """
    code, text = _piped(command, folder) if typed is None else _on_terminal(command, folder, typed)
    text = text.rstrip("\n").replace(f"{folder}-home", "/home/you").replace(str(folder), "/home/you/project")
    return "\n".join(filter(None, [text, f"[exit {code}]" if code else ""]))


def _acting(role: str) -> str:
    """Return the lines that make a shell an agent's, whose commits are in its own name."""
    who = {"NAME": role, "EMAIL": f"{role}@agents.example.org"}
    named = [f"GIT_{by}_{what}={value}" for by in ("AUTHOR", "COMMITTER") for what, value in who.items()]
    return f"export VFCC_AGENT={role} {' '.join(named)}\n"


def _piped(command: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8")


def _on_terminal(command: str, folder: Path, typed: list[str]) -> tuple[int, str]:
    settings = Path(f"{folder}-home", ".config", "of-the-person")
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f"[user]\n\tname = {_PERSON['NAME']}\n", encoding="utf-8")
    name = {"GIT_CONFIG_GLOBAL": str(settings), "TERM": "dumb", "GIT_PAGER": "cat", "PAGER": "cat"}
    return at_terminal(command, folder, {**environment(folder), **name}, typed)


def environment(folder: Path) -> dict[str, str]:
    """Return a small, fixed environment in which `vfcc` is the one under test."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "XDG_DATA_HOME": f"{folder}-home/.local/share",
        "XDG_CONFIG_HOME": f"{folder}-home/.config",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()},
    }


_SHOP = """\
mkdir tests
echo 'def price(cents): return f"{cents / 100:.2f}"' > shop.py
echo 'def test_price(): assert f"{1.5:.2f}" == "1.50"' > tests/test_shop.py
echo '# Shop: a small web shop. Python, pytest, no framework.' > CLAUDE.md
git add . && git commit -qm shop
"""
_PERSON = {"NAME": "You", "EMAIL": "you@example.org"}
