"""The progress of long work: shown at a terminal while it lasts, gone afterwards, and absent from a pipe."""

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import PATIENCE_S, VFCC, environment, settings_of
from tests.evidence_project import project
from tests.screen import Screen, screen_of
from tests.trees import write_tree
from verifflowcc.base.process.clock import observed, observed_by, program, step, terminal_in_use
from verifflowcc.base.terminal import output as out
from verifflowcc.cli.cli.progress import WORK_NAMES, Display, shown, work_name

WAITS = """\
import pathlib, time
print("a line", "of the log", flush=True)
while not pathlib.Path(".memory/local/go").exists(): time.sleep(0.01)
"""
LAST = {
    "approve", "baseline tests", "check", "check gate", "check memory", "check trace", "code context", "code index",
    "code map", "context show", "context diff", "context tune", "doctor", "evidence run", "history import",
    "init", "memory copy", "memory eval", "memory import", "memory ingest", "memory maintain", "memory search",
    "metrics", "migrate", "prove", "sprint report", "sprint start", "stage advance", "trace coverage", "trace matrix",
}  # fmt: skip
"""Commands that took more than a second on some repository, or start programs."""


class Terminal:
    """`vfcc` with stdin and stderr on a terminal and stdout on a pipe."""

    def __init__(self, folder: Path, *arguments: str, env: Mapping[str, str] = {}) -> None:
        ours, theirs = pty.openpty()
        own = {"GIT_CONFIG_GLOBAL": settings_of("You"), "VFCC_PROGRESS": "auto", "NO_COLOR": "", **env}
        full = environment(folder.parent, **own) | {"XDG_DATA_HOME": os.environ["XDG_DATA_HOME"]}
        self.process = subprocess.Popen(
            [VFCC, *arguments], cwd=folder, env=full, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        self._terminal = ours
        self.written = b""

    def read_until(self, found: Callable[[bytes], bool]) -> bool:
        """Read until something was written; return whether it was before the end."""
        while not found(self.written):
            if not select.select([self._terminal], [], [], PATIENCE_S)[0]:
                return False
            try:
                self.written += os.read(self._terminal, 65536)
            except OSError:  # the end
                return False
        return True

    def end(self) -> tuple[int, str, list[str]]:
        """Wait for the end; return the exit code, what stdout got, and what is left on the screen."""
        self.read_until(lambda _: False)
        os.close(self._terminal)
        got = self.process.communicate(timeout=PATIENCE_S)[0].decode()
        return self.process.returncode, got, screen_of(self.written.decode())


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose build waits for a file."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    return project(tmp_path / "project", build={"run": [sys.executable, "-c", WAITS]}).root


@pytest.mark.vfcc("REQ-EVIDENCE")
def test_a_running_command_is_shown_with_its_last_lines_and_leaves_one_line(waiting: Path) -> None:
    terminal = Terminal(waiting, "evidence", "run", "built")
    assert terminal.read_until(lambda written: b"  a line of the log" in written)
    drawn = screen_of(terminal.written.decode())
    (waiting / ".memory/local/go").touch()
    code, got, left = terminal.end()

    assert code == 0
    assert drawn[-2].endswith(" s · running build")
    assert drawn[-1] == "  a line of the log"
    assert left[-1].startswith("ran build in ")
    assert left[-1].endswith(" s")
    assert "a line of the log" not in "\n".join(left)
    assert "\x1b" not in got
    assert "\x1b[2m" in terminal.written.decode()
    assert "\x1b[?25l" not in terminal.written.decode(), "the cursor is hidden, and a killed process could not show it"


@pytest.mark.vfcc("REQ-EVIDENCE")
def test_an_interrupt_leaves_a_clean_screen(waiting: Path) -> None:
    terminal = Terminal(waiting, "evidence", "run", "built", env={"NO_COLOR": "1"})
    assert terminal.read_until(lambda written: b"  a line of the log" in written)
    terminal.process.send_signal(signal.SIGINT)
    code, _, left = terminal.end()

    assert code == 130
    assert left[-1] == "interrupted"
    assert not [line for line in left if line.endswith(("a line of the log", " s"))]
    assert "\x1b[2m" not in terminal.written.decode(), "NO_COLOR is set"


@pytest.mark.parametrize(
    ("env", "arguments", "is_shown"),
    [
        ({}, ["check", "trace"], True),
        ({"NO_COLOR": "1"}, ["check", "trace"], True),
        ({"CI": "false"}, ["check", "trace"], True),
        ({"TERM": "dumb"}, ["check", "trace"], False),
        ({"TERM": ""}, ["check", "trace"], False),
        ({"CI": "true"}, ["check", "trace"], False),
        ({"VFCC_PROGRESS": "never"}, ["check", "trace"], False),
        ({}, ["hook", "post-tool-use"], False),
    ],
    ids=str,
)
def test_progress_is_for_a_person_at_a_terminal(
    env: Mapping[str, str], arguments: list[str], is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"TERM": "xterm", "CI": "", "NO_COLOR": "", "VFCC_PROGRESS": "", **env}.items():
        monkeypatch.setenv(name, value)
    with shown(arguments):
        assert not out._DRAWINGS, "stderr is no terminal"
    monkeypatch.setattr("sys.stderr", Screen())
    with shown(arguments):
        assert bool(out._DRAWINGS) is is_shown
    assert not out._DRAWINGS


def test_a_pipe_costs_nothing_that_is_for_a_terminal(tmp_path: Path) -> None:
    write_tree(tmp_path / "project", {".memory/config.yaml": "format: 2\n", "a.py": "def a(): ...\n"})
    words = [sys.executable, "-X", "importtime", "-m", "verifflowcc", "code", "index"]
    ran = subprocess.run(
        words, cwd=tmp_path / "project", env=environment(tmp_path), capture_output=True, check=True, text=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "verifflowcc.base.process.clock" in loaded
    assert not {each for each in loaded if each.partition(".")[0] in ("rich", "pygments")}
    assert "verifflowcc.cli.cli.progress" not in loaded


def test_every_command_that_may_last_has_a_name_for_its_work_and_every_name_a_command() -> None:
    from typer.main import get_command

    from verifflowcc.cli.cli.app import app

    assert [name for name in sorted(LAST) if not work_name(name.split())] == []
    assert work_name(["status", "--watch"]) == ""
    for name in WORK_NAMES:
        here: Any = get_command(app)
        for word in name.split():
            here = getattr(here, "commands", {}).get(word)
            assert here is not None, f"there is no command {name}"


def test_the_line_has_the_time_the_steps_with_counts_and_the_tests_so_far() -> None:
    now = [0.0]
    display = Display("checking", lambda: now[0])
    now[0] = 65
    assert display.text() == "1 min 5 s · checking"
    with observed_by(display), step("checking the trace"):
        for number in observed("reading items", range(2_000)):
            if number == 1_234:
                assert display.text() == "1 min 5 s · checking the trace · reading items 1,234 of 2,000"
    with observed_by(display), step("indexing items") as advance:
        advance(2)
        assert display.text() == "1 min 5 s · indexing items 2"
    with observed_by(display), step("running test", past="ran test"), program(["pytest"]) as take:
        now[0] = 74.9
        take(b"tests/test_a.py ..F [ 37%]\n")
        assert display.text() == "9 s · running test · 2 passed, 1 failed, 37 %"
        take(b"\x1b]0;title\x07 password = 'Tr0ub4dor" + b"&3x'\n")
        shown = "\n".join(display.last_lines())
        assert "Tr0ub4dor" not in shown
        assert shown.replace("\n", "").isprintable()
    assert display.last_lines() == []


def test_nothing_is_drawn_while_a_person_is_asked() -> None:
    now = [0.0]
    display = Display("learning", lambda: now[0])
    with out.below(display), observed_by(display):
        now[0] = 10
        assert display._is_due()
        with terminal_in_use():
            display.hide()
            now[0] = 20
            assert not display._is_due()
        assert not display._is_due()
        now[0] = 21
        assert display._is_due()
        display.hide(mid_line=True)
        now[0] = 30
        assert not display._is_due(), "a question without a line end waits for its answer"
        display.hide()
        now[0] = 31
        assert display._is_due()
