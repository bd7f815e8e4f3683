"""The first five minutes: what a newcomer types in a fresh clone until there is a prompt worth sending.

python benchmarks/newcomer.py --data REPOSITORY… [--install SOURCE] [--program VFCC] [--by-commands] [--json]

The real program runs at a terminal of its own, in a fresh clone, with an empty home. Each line that is typed counts
with its Enter, answers to questions too; `free` is the part of it that is the newcomer's own words (the title). With
`--install` it installs with `uv tool install` from a checkout or a wheel first, which takes time too. `--by-commands`
types one command for each step and takes the default of each question, as version 0.1 needs it.
"""

import argparse
import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine

TITLES = {
    "werkzeug": "Slash redirects keep query",
    "repomix": "Faster token counting",
    "gin": "Trailing slash redirects",
}
TITLE = "Fix the first open bug"
MOST_COMMANDS, MOST_TYPED, MOST_S = 5, 60, 60.0
PATIENCE_S = 120
QUESTION = b"]: "
YES_NO = b"[y/N] "


@dataclass
class Newcomer:
    """The count of one newcomer, and the prompt at the end."""

    repository: str
    commit: str
    commands: int = 0
    typed: int = 0
    free: int = 0
    answers: int = 0
    seconds: float = 0.0
    lines: list[str] = field(default_factory=list)
    prompt_bytes: int = 0
    prompt_sections: list[str] = field(default_factory=list)
    prompt_head: list[str] = field(default_factory=list)

    @property
    def meets(self) -> bool:
        """Whether the target is met."""
        return self.commands <= MOST_COMMANDS and self.typed <= MOST_TYPED and self.seconds <= MOST_S


def main() -> None:
    """Clone, type, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", required=True, type=Path, help="Repositories to clone.")
    parser.add_argument("--install", help="A checkout or a wheel to install with `uv tool install` first.")
    parser.add_argument("--program", type=Path, default=Path(sys.executable).with_name("vfcc"))
    parser.add_argument("--by-commands", action="store_true", help="Answer no question; type a command for each step.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [_newcomer(each.resolve(), options) for each in options.data]
    if options.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
        return
    print("; ".join(map(str, machine().values())))
    print("\n\n".join("\n".join(_shown(each)) for each in found))


def _newcomer(source: Path, options: argparse.Namespace) -> Newcomer:
    with tempfile.TemporaryDirectory() as scratch:
        home, clone = Path(scratch, "home"), Path(scratch, _name(source))
        home.mkdir()
        subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
        (home / ".gitconfig").write_text("[user]\n\tname = You\n\temail = you@example.org\n", encoding="utf-8")
        commit = subprocess.run(
            ["git", "log", "-1", "--format=%h %cs"], cwd=clone, capture_output=True, text=True, check=True
        ).stdout.strip()
        count = Newcomer(_name(source), commit)
        begin = time.perf_counter()
        program = _installed(options.install, home, count) if options.install else options.program
        for command, answers in _steps(TITLES.get(count.repository, TITLE), by_commands=options.by_commands):
            out = _type(program, command, answers, clone, home, count)
        count.seconds = round(time.perf_counter() - begin, 1)
        out = re.sub(r"\x1b\[[0-9;]*m", "", out)  # at a terminal a prompt is coloured
        count.prompt_bytes = len(out.encode())
        lines = out.splitlines()
        count.prompt_sections = [line for line in lines if line.startswith(("## ", "### "))]
        count.prompt_head = lines[:12]
        return count


def _steps(title: str, *, by_commands: bool) -> Iterator[tuple[str, Mapping[str, str]]]:
    if by_commands:
        yield "vfcc init", {}
        yield "vfcc allow", {"Allow": "y"}
        yield f'vfcc sprint start "{title}"', {}
        yield f'vfcc context show --agent planner --task "{title}"', {}
        return
    yield "vfcc init", {"Allow": "y", "Title": title}
    yield "vfcc context show", {}


def _installed(source: str, home: Path, count: Newcomer) -> Path:
    """Install with one line, whose characters are not among those counted after the install."""
    line = [str(Path(sys.executable).with_name("uv")), "tool", "install", "--quiet", "--python", sys.executable, source]
    cache = os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    places = {"UV_TOOL_DIR": str(home / "tools"), "UV_TOOL_BIN_DIR": str(home / "bin"), "UV_CACHE_DIR": cache}
    begin = time.perf_counter()
    subprocess.run(line, env=os.environ | places | {"HOME": str(home)}, check=True)
    count.commands += 1
    count.lines.append(f"uv tool install SOURCE  # {time.perf_counter() - begin:.1f} s, not counted as typed")
    return home / "bin" / "vfcc"


def _type(program: Path, command: str, answers: Mapping[str, str], clone: Path, home: Path, count: Newcomer) -> str:
    """Run a command at a terminal, answer its questions as they come, count, and return what it wrote to stdout."""
    (keys, their_keys), (out, their_out) = pty.openpty(), pty.openpty()
    env = {
        "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
    }
    words = [str(program), *shlex.split(command)[1:]]
    process = subprocess.Popen(words, cwd=clone, env=env, stdin=their_keys, stdout=their_out, stderr=their_keys)
    os.close(their_keys)
    os.close(their_out)
    count.commands += 1
    count.typed += len(command) + 1
    count.free += sum(len(part) + 2 for part in command.split('"')[1::2])
    count.lines.append(f"$ {command}")
    shown, messages = _converse(keys, out, answers, count)
    if process.wait(PATIENCE_S):
        raise SystemExit(f"{command} failed with {process.returncode}: {messages}")
    return shown


def _converse(keys: int, out: int, answers: Mapping[str, str], count: Newcomer) -> tuple[str, str]:
    """Return what came to stdout, and what came to the terminal with the questions."""
    texts = {keys: b"", out: b""}
    left, answered = {keys, out}, 0
    while left:
        ready = select.select(list(left), [], [], PATIENCE_S)[0]
        if not ready:
            raise SystemExit(f"no answer for {PATIENCE_S} s after: {texts[keys][-300:]!r}")
        for stream in ready:
            try:
                chunk = os.read(stream, 65536)
            except OSError:  # the other side of the terminal is closed
                chunk = b""
            if not chunk:
                left.discard(stream)
                os.close(stream)
            texts[stream] += chunk
        if keys in left and texts[keys][answered:].endswith((QUESTION, YES_NO)):
            question = texts[keys].splitlines()[-1].decode()
            answer = next((each for word, each in answers.items() if word in question), "")
            count.lines.append(f"  {question}{answer or '⏎'}")
            answered = len(texts[keys])
            count.answers += 1
            count.typed += len(answer) + 1
            count.free += len(answer) if " " in answer else 0
            os.write(keys, f"{answer}\n".encode())
    shown, messages = (texts[each].decode("utf-8", "replace").replace("\r\n", "\n") for each in (out, keys))
    return shown, messages


def _shown(count: Newcomer) -> Iterator[str]:
    yield f"{count.repository} ({count.commit})"
    yield from (f"  {line}" for line in count.lines)
    yield (
        f"  {count.commands} commands, {count.typed} typed ({count.free} of them own words, {count.answers} answers), "
        f"{count.seconds} s; target {'met' if count.meets else 'NOT met'}: at most "
        f"{MOST_COMMANDS} commands, {MOST_TYPED} typed, {MOST_S:.0f} s"
    )
    yield f"  prompt: {count.prompt_bytes:,} bytes, {len(count.prompt_sections)} sections; its first lines:"
    yield from (f"    {line}"[:140].rstrip() for line in count.prompt_head)


def _name(source: Path) -> str:
    """Return the repository's name; a bare clone may lie in a folder called `repo` below `owner+name`."""
    name = source.parent.name if source.name in {"repo", ".git"} else source.name
    return name.partition("+")[2] or name.removesuffix(".git")


if __name__ == "__main__":
    main()
