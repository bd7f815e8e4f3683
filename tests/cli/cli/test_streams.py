"""Streams that are closed, full or of another encoding, and surroundings that are not what they should be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import PATIENCE_S, VFCC, Ran, environment, vfcc

PROMPT = ("context", "show", "--agent", "coder")
LINES = ("--version", "--help", "status", "sprint show", "context show --agent coder")


def _shell(folder: Path, line: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        env=environment(folder.parent),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("line", LINES)
def test_a_reader_that_leaves_is_no_failure(example: Path, line: str) -> None:
    """The writer is held back until its reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [VFCC, *line.split()], cwd=example, env=environment(example.parent), stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        _, err = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, err) == (0, b"")


@pytest.mark.sweep
def test_the_first_line_of_a_prompt_is_enough_for_head(example: Path) -> None:
    code, out, err = _shell(example, "vfcc context show --agent coder | head -1")

    assert (code, err) == (0, "")
    assert out == "# Coder\n"


@pytest.mark.sweep
@pytest.mark.parametrize("line", LINES)
def test_a_stdout_that_is_full_is_an_error(example: Path, line: str) -> None:
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full here")

    code, _, err = _shell(example, f"vfcc {line} > /dev/full")

    assert code == 3
    assert err.startswith("error: ")
    assert err.endswith("No space left on device\n")
    assert err.count("\n") == 1


@pytest.mark.sweep
def test_a_stderr_that_is_full_changes_no_exit_code(example: Path) -> None:
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full here")

    for line, expected in (("stage advance", 4), ("stauts", 2), ("context show --agent coder --explain", 0)):
        code, _, _ = _shell(example, f"vfcc {line} 2> /dev/full")
        assert code == expected


@pytest.mark.sweep
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("line", "code"), [("status", 0), ("stage advance", 4)])
def test_a_stream_that_the_caller_closed_changes_no_exit_code(example: Path, line: str, code: int, closed: str) -> None:
    found, _, err = _shell(example, f"vfcc {line} {closed}")

    assert found == code
    assert "Traceback" not in err


@pytest.mark.sweep
def test_with_its_streams_closed_a_move_is_made_whole(example: Path) -> None:
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")

    assert _shell(example, "vfcc stage advance <&- >&- 2>&-")[0] == 0

    shown = vfcc(example, "sprint", "show").out
    assert ">  testing" in shown
    assert "problems" not in shown


@pytest.mark.points(2)
@pytest.mark.parametrize("line", ["status", "context show --agent coder", "init", "sprint start x"])
def test_a_current_folder_that_is_gone(tmp_path: Path, line: str) -> None:
    code, out, err = _shell(tmp_path, f"mkdir gone && cd gone && rmdir ../gone && vfcc {line}")

    assert (code, out) == (3, "")
    assert err == "error: the current folder no longer exists\nhint: cd to a folder that exists\n"


def test_help_and_version_need_no_folder(tmp_path: Path) -> None:
    for line in ("--version", "--help", "sprint start --help"):
        code, out, err = _shell(tmp_path, f"mkdir gone && cd gone && rmdir ../gone && vfcc {line}; cd ..")
        assert (code, err) == (0, "")
        assert out


@pytest.mark.points(2)
@pytest.mark.parametrize("line", ["status", "context show --agent coder", "feedback add New"])
def test_no_variable_of_the_environment_is_needed(example: Path, line: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "verifflowcc", *line.split()], cwd=example, env={}, capture_output=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.sweep
def test_piped_data_is_the_same_bytes_in_every_locale(example: Path, prompt: str) -> None:
    assert not prompt.isascii()

    for env in (
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "xx_XX.nonsense"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii"},
        {"NO_COLOR": "1", "TERM": "dumb"},
        {"FORCE_COLOR": "1", "COLUMNS": "20"},
    ):
        assert vfcc(example, *PROMPT, env=env) == Ran(0, prompt, "")


@pytest.mark.sweep
def test_an_error_in_any_encoding_is_no_failure_of_its_own(young: Path) -> None:
    for env in ({"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C"}):
        vfcc(young, "sprint", "show", "grüße-🎉", env=env).refused(2, "is no sprint id")


@pytest.mark.sweep
def test_nothing_is_coloured(example: Path) -> None:
    for line in ("sprint show", "context show --agent coder --explain", "--help", "stauts"):
        ran = vfcc(example, *line.split(), env={"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"})
        assert "\x1b" not in ran.out + ran.err
