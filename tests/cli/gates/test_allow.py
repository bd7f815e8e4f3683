"""`vfcc allow`: a person sees what would run and says yes; without a person nothing is allowed by itself."""

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.process import CI, PATIENCE_S, VFCC, Ran, environment, vfcc
from tests.cli.trees import everything

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

CONFIG = """\
format: 1
gates:
  commands:
    test:
      run: [python, -m, pytest, "--junitxml={junit}", "two words", "a\\u001b[2Jb\\u202e'\\n"]
      timeout: 30
    lint:
      run: [ruff, check]
      inputs: ["src/**"]
"""
TABLE = """\
2 commands in ROOT
  lint: ruff check
    at most 600 s
    depends on src/**
  test: python -m pytest --junitxml=.memory/local/reports/test.junit.xml 'two words' $'a\\x1b[2Jb\\u202e\\'\\n'
    at most 30 s; writes .memory/local/reports/test.junit.xml (junit)
"""


@pytest.fixture
def project(young: Path) -> Path:
    """A project with two commands."""
    (young / ".memory" / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return young


def file_of(project: Path) -> Path:
    """Where the tests' machine keeps what it allows."""
    return project.parent / ".local" / "share" / "vfcc" / "allowed.json"


def at_terminal(folder: Path, *arguments: str, types: bytes) -> Ran:
    """Run `vfcc` on one terminal for everything, and type `types` once it asks; all that is seen comes as stdout."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [VFCC, *arguments], cwd=folder, env=environment(folder.parent), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        seen, typed, until = b"", False, time.monotonic() + PATIENCE_S
        while time.monotonic() < until and select.select([ours], [], [], PATIENCE_S)[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # a terminal whose other side is closed says so by an error
                break
            seen += chunk
            if not typed and seen.endswith(b"[y/N] "):
                os.write(ours, types)
                typed = True
        code = process.wait(PATIENCE_S)
    os.close(ours)
    return Ran(code, seen.decode("utf-8").replace("\r\n", "\n"), "")


@pytest.mark.sweep
@pytest.mark.parametrize("answer", ["y", "YES", " yes "])
def test_a_person_sees_what_would_run_is_asked_and_says_yes(project: Path, answer: str) -> None:
    asked = at_terminal(project, "allow", types=f"{answer}\n".encode())

    assert asked.out == (
        TABLE.replace("ROOT", str(project))
        + f"Allow these 2 commands on this machine? [y/N] {answer}\n"
        + f"allowed on this machine, in {file_of(project)}\n"
    )
    assert asked.code == 0
    assert vfcc(project, "allow", "--check").code == 0


@pytest.mark.points(2)
@pytest.mark.parametrize("typed", [b"\n", b"n\n", b"no\n", b"yy\n", b"\x04"])
def test_anything_but_yes_is_no(project: Path, typed: bytes) -> None:
    asked = at_terminal(project, "allow", types=typed)

    assert asked.code == 1
    assert asked.out.endswith("not allowed on this machine\n")
    assert not file_of(project).exists()


def test_an_interrupt_is_no_too(project: Path) -> None:
    asked = subprocess_interrupted(project)

    assert asked.code == 130
    assert asked.out.endswith("interrupted\n")
    assert not file_of(project).exists()


def subprocess_interrupted(project: Path) -> Ran:
    """Run `vfcc allow` in a session of its own, so that what is typed can interrupt it."""
    pid, ours = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a test run in the background inherits that it is ignored
        os.chdir(project)
        os.execve(VFCC, [str(VFCC), "allow"], environment(project.parent))
    seen = b""
    while select.select([ours], [], [], PATIENCE_S)[0]:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        seen += chunk
        if seen.endswith(b"[y/N] "):
            os.write(ours, b"\x03")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(ours)
    return Ran(code, seen.decode("utf-8").replace("\r\n", "\n"), "")


def test_one_command_is_asked_for_as_one(project: Path) -> None:
    config = project / ".memory" / "config.yaml"
    config.write_text(config.read_text(encoding="utf-8").partition("    lint:")[0], encoding="utf-8")

    asked = at_terminal(project, "allow", types=b"y\n")

    assert asked.out.startswith(f"1 command in {project}\n")
    assert "Allow this command on this machine? [y/N] y\n" in asked.out


@pytest.mark.sweep
def test_what_is_allowed_already_is_not_asked_again(project: Path) -> None:
    assert vfcc(project, "allow", "--yes", env=CI).code == 0
    before = file_of(project).read_bytes()

    again = at_terminal(project, "allow", types=b"")

    assert (again.code, "[y/N]" in again.out) == (0, False)
    assert file_of(project).read_bytes() == before


def test_without_a_terminal_nobody_is_asked_and_nothing_allowed(project: Path) -> None:
    vfcc(project, "allow", env=CI).refused(3, "not allowed on this machine: lint, test", "hint: vfcc allow --yes")

    assert not file_of(project).exists()
    assert vfcc(project, "allow", "--yes", env=CI) == Ran(
        0, f"{TABLE}allowed on this machine, in {file_of(project)}\n".replace("ROOT", str(project)), ""
    )


def test_a_changed_command_is_told_and_needs_allowing_again(project: Path) -> None:
    assert vfcc(project, "allow", "--yes", env=CI).code == 0
    config = project / ".memory" / "config.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("ruff", "evil"), encoding="utf-8")

    checked = vfcc(project, "allow", "--check")

    assert (checked.code, checked.err) == (1, "")
    assert checked.out.splitlines()[-2:] == [
        "changed: lint has other words (they were: ruff check)",
        "not allowed on this machine",
    ]


def test_to_check_changes_nothing_in_the_project_nor_beside_it(project: Path) -> None:
    before = everything(project)

    assert vfcc(project, "allow", "--check").code == 1

    assert everything(project) == before
    assert [path.name for path in project.parent.iterdir()] == [project.name]


def test_to_allow_changes_nothing_in_the_project(project: Path) -> None:
    before = everything(project)

    assert vfcc(project, "allow", "--yes", env=CI).code == 0

    assert everything(project) == before


def test_what_was_allowed_can_be_taken_back(project: Path) -> None:
    assert vfcc(project, "allow", "--yes", env=CI).code == 0

    assert vfcc(project, "allow", "--withdraw").out == "nothing of this project is allowed to run any more\n"
    assert vfcc(project, "allow", "--check").code == 1
    assert vfcc(project, "allow", "--withdraw").out == "nothing was allowed\n"


def test_a_copy_of_the_project_is_not_allowed_with_it(project: Path) -> None:
    assert vfcc(project, "allow", "--yes", env=CI).code == 0
    moved = project.rename(project.parent / "elsewhere")

    assert vfcc(moved, "allow", "--check").code == 1


def test_json_has_the_words_apart_and_whether_they_may_run(project: Path) -> None:
    shown = vfcc(project, "allow", "--yes", "--json", env=CI).data

    assert shown["allowed"] is True
    assert shown["file"] == str(file_of(project))
    assert [each["name"] for each in shown["commands"]] == ["lint", "test"]
    assert shown["commands"][1]["argv"][-1] == "a\x1b[2Jb\u202e'\n"
    assert vfcc(project, "allow", "--withdraw", "--json").data == {"withdrawn": True}
    checked = vfcc(project, "allow", "--check", "--json")
    assert (checked.code, checked.data["allowed"]) == (1, False)


def test_no_commands_tells_what_to_write(young: Path) -> None:
    (young / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")

    vfcc(young, "allow", env=CI).refused(
        3, "no command is configured in .memory/config.yaml", "hint: under gates.commands write  test: {run:"
    )


def test_two_wishes_at_once_are_refused(project: Path) -> None:
    vfcc(project, "allow", "--yes", "--withdraw").refused(2, "only one of")


def test_a_project_cannot_allow_itself(project: Path) -> None:
    for options in (("--yes",), ("--check",), ("--withdraw",)):
        refused = vfcc(project, "allow", *options, env={**CI, "XDG_DATA_HOME": str(project / ".memory")})
        refused.refused(3, "lies inside the project", "XDG_DATA_HOME")
    assert not (project / ".memory" / "vfcc").exists()


def test_a_damaged_file_is_told_and_written_anew(project: Path) -> None:
    file_of(project).parent.mkdir(parents=True)
    file_of(project).write_text("{", encoding="utf-8")

    checked = vfcc(project, "allow", "--check")

    assert (checked.code, "is damaged, so nothing is allowed" in checked.err) == (1, True)
    assert vfcc(project, "allow", "--yes", env=CI).code == 0
    assert vfcc(project, "allow", "--check") == Ran(
        0, f"{TABLE}allowed on this machine, in {file_of(project)}\n".replace("ROOT", str(project)), ""
    )
