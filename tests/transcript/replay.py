"""Replay the console sessions of a Markdown page: every command is run, every line of output compared.

A page's sessions run one after another in one folder, so that the page reads as it would be typed. A comment before a
session says what to begin with: `<!-- replay: empty -->` (a folder with nothing), `<!-- replay: git -->` (a repository
with one commit) or `<!-- replay: example -->` (that, and the worked example, committed); without one, the session goes
on where the last one ended. `<!-- replay: no -->` leaves a session out. `…` stands for anything within a line, and a
line that is only `…` for any number of lines. Lines after a command are its output, stdout and stderr as they come;
`[exit N]` follows where it is not 0.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SESSION = re.compile(r"(?:<!-- replay: (?P<start>\w+) -->\n+)?```console\n(?P<text>.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A command, the output that the page promises, and the line of the page."""

    command: str
    expected: str
    line: int


@dataclass(frozen=True)
class Session:
    """Steps, and what to begin with (None to go on)."""

    start: str | None
    steps: tuple[Step, ...]


def sessions(page: str) -> Iterator[Session]:
    """Yield the sessions of a page in order."""
    for found in _SESSION.finditer(page):
        if found["start"] != "no":
            first = page.count("\n", 0, found.start("text")) + 1
            yield Session(found["start"], tuple(_steps(found["text"].splitlines(), first)))


def _steps(lines: list[str], first: int) -> Iterator[Step]:
    command, at = "", first
    output: list[str] = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            if command:
                yield Step(command, "\n".join(output), at)
            command, output, at = line[2:], [], number
        elif line.startswith("> ") and not output:
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


def replay(page: str, folder: Path) -> list[str]:
    """Run every session of `page`; return what did not come out as promised, one text for each step."""
    wrong = []
    here = folder
    for number, session in enumerate(sessions(page)):
        if session.start is not None:
            here = folder / f"session-{number}"
            here.mkdir()
            prepare(here, session.start)
        for step in session.steps:
            actual = run(step.command, here)
            if not matches(step.expected, actual):
                wrong.append(f"line {step.line}: $ {step.command}\npromised:\n{step.expected}\nprinted:\n{actual}\n")
    return wrong


def prepare(folder: Path, start: str) -> None:
    """Make what a session begins with."""
    if start == "empty":
        return
    run("git init -q -b main . && echo '# My project' > README.md && git add . && git commit -qm first", folder)
    if start == "example":
        run("vfcc init --example && git add . && git commit -qm memory", folder)


def run(command: str, folder: Path) -> str:
    """Run a line as a shell would and return what it printed, with `[exit N]` at the end unless N is 0."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode("utf-8").rstrip("\n")
    text = text.replace(str(folder), "/home/you/project")
    return "\n".join(filter(None, [text, f"[exit {done.returncode}]" if done.returncode else ""]))


def environment(folder: Path) -> dict[str, str]:
    """Return a small, fixed environment in which `vfcc` is the one under test."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()},
    }


_PERSON = {"NAME": "You", "EMAIL": "you@example.org"}
