"""The first `vfcc check` of public projects: as they are after `vfcc init`, and with a newcomer's first items.

    python benchmarks/first_check.py REPOSITORY... [--columns 80] [--rows 40] [--vfcc PROGRAM] [--keep FOLDER]

Each repository (a git folder) is cloned into a temporary folder, and vfcc runs there at a terminal of that size, as a
person with no settings of their own. A newcomer writes down seven items and two things to remember, marks two tests,
and starts a sprint; what is written about a project is in `ITEMS`, with the slips of somebody who is new: a requirement
without a method and a parent, a text still to be written, a mark with a typing error. Whether what the screens show is
true and useful is judged by hand: `results/first_check.txt`.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from dataclasses import dataclass
from pathlib import Path

VFCC = Path(sys.executable).parent / "vfcc"
SETTINGS = "[user]\n\tname = You\n\temail = you@example.org\n"


@dataclass(frozen=True)
class Project:
    """A newcomer's words: titles and texts of two needs and five requirements, and the tests that they mark.

    The second mark has a typing error. `fact` and `rule` are remembered.
    """

    needs: tuple[tuple[str, str], tuple[str, str]]
    requirements: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, str], tuple[str, str]]
    fact: str
    rule: str


ITEMS = {
    "click": Project(
        (
            ("Command lines are parsed", "Options and arguments reach the function that the author wrote."),
            ("Errors help the user", "A wrong command line ends with a message that is easy to understand."),
        ),
        (
            ("Options take values", "The parser shall accept --name=value and --name value."),
            ("Usage errors", "A usage error shall exit with 2."),
            ("Prompts", "A prompt shall ask again until the value converts. A prompt shall hide passwords."),
            ("Completion", "TBD"),
            ("Colours", "Colours shall be left out where the output is no terminal."),
        ),
        (("tests/test_options.py", "test_prefixes"), ("tests/test_termui.py", "test_choices_list_in_prompt")),
        "Click supports Python 3.10 and later",
        "Run the tests with tox",
    ),
    "httpx": Project(
        (
            ("Requests over HTTP", "A program sends a request and gets the answer."),
            ("Hanging servers are survived", "A server that does not answer stops no program."),
        ),
        (
            ("Redirects", "Redirects shall not be followed unless follow_redirects is set."),
            ("Timeouts", "A read without an answer shall end with a ReadTimeout after 5 s."),
            ("Cookies", "A client shall store cookies. A client shall send cookies back."),
            ("HTTP/2", "TBD"),
            ("Proxies", "A proxy shall be taken from the environment where trust_env is set."),
        ),
        (("tests/client/test_redirects.py", "test_redirect_301"), ("tests/test_timeouts.py", "test_pool_timeout")),
        "httpx is tested on asyncio and trio",
        "Run scripts/check before a commit",
    ),
    "starlette": Project(
        (
            ("Requests reach their endpoint", "A request is answered by the function that its path names."),
            ("Files are served", "A folder of files is available to browsers."),
        ),
        (
            ("Path parameters", "A path parameter shall be converted to the type in the route."),
            ("Not modified", "A file that did not change shall be answered with 304."),
            ("Sessions", "A session shall be signed. A session shall expire after max_age."),
            ("WebSockets", "TBD"),
            ("Background tasks", "A background task shall run after the response was sent."),
        ),
        (
            ("tests/test_routing.py", "test_router"),
            ("tests/test_staticfiles.py", "test_staticfiles_304_with_etag_match"),
        ),
        "Starlette runs on asyncio and trio by way of anyio",
        "Coverage must be 100 percent",
    ),
    "marshmallow": Project(
        (
            ("Objects become plain data", "An object is turned into a dictionary that can be written as JSON."),
            ("Wrong input is refused", "Whoever sends wrong data learns which field is wrong, and why."),
        ),
        (
            ("Dates in ISO format", "A DateTime field shall be written in ISO 8601 unless a format is set."),
            ("Unknown fields", "A field that the schema does not have shall be refused by default."),
            ("Nested schemas", "A nested schema shall be loaded. A nested schema shall report errors by index."),
            ("Partial loading", "TBD"),
            ("Hooks", "pre_load shall be called before a field is read."),
        ),
        (("tests/test_serialization.py", "test_datetime_field_iso8601"),
         ("tests/test_deserialization.py", "test_unknown_fields_deserialization")),
        "marshmallow has no runtime dependency on Python 3.11 and later",
        "Add yourself to AUTHORS.rst with the first change",
    ),
    "cobra": Project(
        (
            ("Commands are nested", "A program has commands below commands, each with flags of its own."),
            ("Shells complete commands", "A user gets completions in the shell."),
        ),
        (
            ("Aliases", "A command shall be found by each of its aliases."),
            ("Required flags", "A command without a required flag shall end with an error that names it."),
            ("Help", "Each command shall have --help. Each command shall print its usage after an error."),
            ("Zsh", "TBD"),
            ("Suggestions", "An unknown command shall be answered with the nearest names."),
        ),
        (("command_test.go", "TestAliasPrefixMatching"), ("command_test.go", "TestRequiredFlags")),
        "Cobra uses pflag for flags",
        "Run make test before a pull request",
    ),
}  # fmt: skip


def clean_environment(home: Path, program: Path) -> dict[str, str]:
    """Return an environment in which nothing of the caller's is set."""
    (home / ".gitconfig").write_text(SETTINGS, encoding="utf-8")
    path = f"{program.parent}{os.pathsep}/usr/local/bin{os.pathsep}/usr/bin{os.pathsep}/bin"
    return {"PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}


class Terminal:
    """A person at a terminal of a size, in a folder."""

    def __init__(self, program: Path, folder: Path, env: dict[str, str], size: tuple[int, int]) -> None:
        self.program, self.folder, self.env, self.size = program, folder, env, size

    def run(self, *words: str) -> tuple[int, str]:
        """Run vfcc; return its exit code and what the screen shows."""
        child, side = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", self.size[1], self.size[0], 0, 0))
            os.chdir(self.folder)
            os.execve(str(self.program), [str(self.program), *words], self.env)
        shown = b""
        while True:
            try:
                part = os.read(side, 65536)
            except OSError:  # the end of a terminal
                break
            if not part:
                break
            shown += part
        os.close(side)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace").replace("\r\n", "\n")

    def do(self, *words: str) -> None:
        """Run vfcc; it has to succeed."""
        code, shown = self.run(*words)
        if code:
            raise SystemExit(f"vfcc {' '.join(words)}: exit {code}\n{shown}")


def show(terminal: Terminal, title: str) -> None:
    """Print the screen of `vfcc check`, and its size."""
    code, shown = terminal.run("check")
    lines = shown.splitlines()
    print(
        f"\n### {title}: {len(lines)} lines, the widest {max(map(len, lines), default=0)}, exit {code}\n\n{shown}",
        end="",
    )


def write_items(terminal: Terminal, words: Project) -> None:
    """Write down what a newcomer does, with the slips of one."""
    for number, (title, text) in enumerate(words.needs, 1):
        terminal.do("trace", "add", "need", title, "--id", f"NEED-{number}", "--text", text)
    parents = ("NEED-1", "NEED-2", "NEED-1", None, None)
    methods = ("test", "test", "test", None, "test")
    for number, (title, text) in enumerate(words.requirements, 1):
        more = [*(["--parent", parent] if (parent := parents[number - 1]) else [])]
        more += [*(["--verification", method] if (method := methods[number - 1]) else [])]
        terminal.do("trace", "add", "requirement", title, "--id", f"REQ-{number}", "--text", text, *more)
    mark(terminal.folder, *words.marks[0], "REQ-1")
    mark(terminal.folder, *words.marks[1], "REQ-22")
    terminal.do("memory", "add", "fact", words.fact)
    terminal.do("memory", "add", "guideline", words.rule)


def mark(folder: Path, name: str, test: str, item: str) -> None:
    """Write a mark above a test."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    sign = "#" if name.endswith(".py") else "//"
    changed = re.sub(
        rf"(?m)^([ \t]*)((?:async )?(?:def|func) {test}\b)", rf"\1{sign} vfcc: {item}\n\1\2", text, count=1
    )
    if changed == text:
        raise SystemExit(f"{name} has no {test}")
    path.write_text(changed, encoding="utf-8")


def try_project(source: Path, into: Path, asked: argparse.Namespace) -> None:
    """Clone a repository and print its screens."""
    name = next((each for each in (source.name, source.parent.name) if each not in {"repo", ".git"}), source.name)
    name = name.rpartition("+")[2].removesuffix(".git")
    for workflow in ("light", "standard"):
        home = into / f"{name}-{workflow}"
        folder = home / name
        home.mkdir(parents=True)
        subprocess.run(["git", "clone", "--quiet", str(source), str(folder)], check=True)
        env = clean_environment(home, asked.vfcc)
        terminal = Terminal(asked.vfcc, folder, env, (asked.columns, asked.rows))
        terminal.do("init", "--yes", "--workflow", workflow)
        if workflow == "light":
            words = ["git", "-C", str(folder), "log", "-1", "--format=%h of %as"]
            commit = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
            print(f"\n## {name} at {commit}")
            show(terminal, "as it is")
        if name in ITEMS:
            write_items(terminal, ITEMS[name])
            show(terminal, f"{workflow}, with seven items")
            terminal.do("sprint", "start", "First", "--goal", "Try it")
            show(terminal, f"{workflow}, and a sprint")


def main() -> None:
    """Print the screens of each repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--vfcc", type=Path, default=VFCC)
    parser.add_argument("--keep", type=Path, help="a folder for the clones, which stay")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="first-check-") as folder:
        for each in asked.repositories:
            try_project(each.resolve(), asked.keep or Path(folder), asked)


if __name__ == "__main__":
    main()
