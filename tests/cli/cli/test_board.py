"""`vfcc status` at a terminal: a board that fits one screen, and nothing of it in a pipe."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.cli.process import VFCC, environment, on_terminal, terminal, vfcc
from verifflowcc.base.terminal.terminal import around_marks, revealed, with_marks
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.cli.cli.board import memory_stamp, stop_signal

COLORS = {"NO_COLOR": ""}
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def plain(text: str) -> str:
    return STYLE.sub("", text)


def test_the_board_fits_one_screen_and_names_what_blocks(example: Path) -> None:
    assert vfcc(example, "memory", "add", "decision", "Use X", env={"VFCC_AGENT": "coder"}).code == 0

    seen = on_terminal(example, "status", env=COLORS, columns=80, rows=24)

    lines = plain(seen.out).splitlines()
    assert seen.code == 0
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert re.search(r"✓ planning ─+ · validation", plain(seen.out))
    assert "─ ▶ coding ─" in plain(seen.out)
    assert "✗ failed: changes: nothing matches" in plain(seen.out)
    assert "? vfcc check gate also asks: upstream, protected files" in plain(seen.out)
    assert "1 item waits for review: vfcc memory inbox" in plain(seen.out)
    assert "\x1b[32m✓ planning" in seen.out


def test_a_gate_that_was_not_asked_whole_is_not_green(example: Path) -> None:
    file = example / ".memory/stage/sprint-02/coding/artifacts/changes.md"
    file.write_text("# Changes\n\nA calendar.\n", "utf-8")

    seen = on_terminal(example, "status", env=COLORS)

    assert "gate of coding: nothing blocks among 1 check asked here" in plain(seen.out)
    assert "\x1b[32m╭" not in seen.out


def test_several_open_sprints_are_a_line_each_until_one_is_chosen(young: Path) -> None:
    for name in ("one", "two"):
        assert on_terminal(young, "sprint", "start", name, "--id", name, "--workflow", "standard").code == 0

    seen = on_terminal(young, "status", env=COLORS)
    chosen = on_terminal(young, "status", env={**COLORS, "VFCC_SPRINT": "two"}, rows=24)

    assert " open      ▶········ one: 0 of 9 passed, in planning\n" in plain(seen.out)
    assert "choose    export VFCC_SPRINT=one" in plain(seen.out)
    assert "╭─ two: two ──" in plain(chosen.out)
    assert len(chosen.out.splitlines()) < 24


def test_without_color_a_terminal_gets_the_text_of_a_pipe(example: Path) -> None:
    piped = vfcc(example, "status").out

    for env in ({"NO_COLOR": "1"}, {**COLORS, "CI": "1"}, {**COLORS, "TERM": "dumb"}):
        assert on_terminal(example, "status", env=env).out == piped
    assert on_terminal(example, "status", env=COLORS, piped_stdout=True).out == piped


def test_a_console_without_unicode_gets_a_board_in_ascii(example: Path) -> None:
    seen = on_terminal(example, "status", env={**COLORS, "PYTHONIOENCODING": "ascii"})

    latin = on_terminal(example, "sprint", "list", env={**COLORS, "PYTHONIOENCODING": "iso-8859-1"})

    assert plain(latin.out).splitlines()[1].startswith("----")
    assert seen.out.isascii()
    assert re.search(r"\+ planning -+ \. validation", plain(seen.out))
    assert "?" not in plain(seen.out).replace("? vfcc", "")


def test_text_of_a_file_can_neither_style_nor_steer_a_colored_screen(example: Path) -> None:
    file = example / ".memory/project/items/requirement/REQ-OFFLINE.md"
    forged = '"x\\e[2Jy \\uFDD0' + "0" * 16 + ":31\\uFDD1 ghp_" + "Ab3" * 12 + '"'
    file.write_text(re.sub("title: .*", lambda _: f"title: {forged}", file.read_text("utf-8")), "utf-8")

    seen = on_terminal(example, "trace", "list", env=COLORS, columns=200)
    page = on_terminal(example, "trace", "show", "REQ-OFFLINE", env=COLORS, columns=200)

    assert "x<U+001B>[2Jy <U+FDD0>0000000000000000:31<U+FDD1>" in seen.out
    assert "x<U+001B>[2Jy <U+FDD0>0000000000000000:31<U+FDD1>" in page.out
    assert "ghp_" not in seen.out + page.out
    assert "\x1b[1mitem" in seen.out, "it is the colored table"


def test_only_the_program_can_mark_a_style() -> None:
    own, forged = with_marks("\x1b[31mred\x1b[0m"), f"\ufdd0{'0' * 16}:31\ufdd1"

    shown = revealed(around_marks(own + forged, printable))

    assert shown == f"\x1b[31mred\x1b[0m<U+FDD0>{'0' * 16}:31<U+FDD1>"


def test_watch_redraws_when_memory_changes_and_ends_with_the_person(example: Path) -> None:
    ours, theirs = terminal(80, 24)
    env = environment(example.parent, **COLORS)
    with subprocess.Popen([VFCC, "status", "--watch"], cwd=example, env=env, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = _until(ours, b"nothing waits for review")
        assert vfcc(example, "memory", "add", "decision", "Use X", env={"VFCC_AGENT": "coder"}).code == 0
        shown += _until(ours, b"1 item waits for review")
        process.send_signal(signal.SIGINT)
        shown += _until(ours, b"\x1b[?1049l")
    assert process.returncode == 0
    os.close(ours)


def test_what_is_watched_is_what_people_and_agents_write(example: Path) -> None:
    memory = example / ".memory"
    (memory / "local/tasks").mkdir(parents=True, exist_ok=True)
    seen = [memory_stamp(memory)]

    for name in ("local/index.db", "local/snapshot.json"):
        (memory / name).write_text("derived", "utf-8")
        assert memory_stamp(memory) == seen[-1]
    for name in ("local/tasks/one.json", "project/decisions/new.md", "stage/sprint-02/coding/artifacts/changes.md"):
        (memory / name).write_text("written", "utf-8")
        assert memory_stamp(memory) not in seen
        seen.append(memory_stamp(memory))


def _until(handle: int, text: bytes) -> bytes:
    """Read until `text` is among it; the end of the process ends that with an error."""
    read = b""
    while text not in read:
        read += os.read(handle, 65536)
    return read


def test_watch_refuses_a_pipe_in_one_sentence(example: Path) -> None:
    vfcc(example, "status", "--watch").refused(2, "--watch needs a terminal")
    vfcc(example, "status", "--watch", "--json").refused(2, "--watch draws a board")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_waiting(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with stop_signal() as wait:
        assert not wait(0)
        threading.Thread(target=os.kill, args=(os.getpid(), number)).start()
        assert wait(60)
    assert signal.getsignal(number) is before
