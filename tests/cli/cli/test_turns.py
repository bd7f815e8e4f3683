"""Many short writes at once take turns, a turn is never waited for too long, and nothing but time depends on it."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.process import VFCC, environment, vfcc
from verifflowcc.base.process.short_process import TURNS

ADD = ("memory", "add", "fact")
EVENTS = ".memory/sprint/sprint-02/events"
WAITING = """
import sys
from verifflowcc.base.process.short_process import take_turn
print("asks", flush=True)
take_turn(["memory", "add", "fact"], 50.0)
print("goes on", flush=True)
sys.stdin.read()
"""
MORE_THAN_TURNS = 4096


def turns_of(folder: Path) -> Path:
    """Return where a project's turns are, in a folder that is there."""
    local = folder / ".memory/local"
    local.mkdir(exist_ok=True)
    return local / TURNS


@contextmanager
def all_turns_taken(folder: Path) -> Iterator[int]:
    """Take all turns in this process, and yield the file; closing it gives them back."""
    turns_of(folder).touch()
    handle = os.open(turns_of(folder), os.O_RDWR)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, MORE_THAN_TURNS)
        yield handle
    finally:
        os.close(handle)


def test_twelve_writers_at_once_lose_nothing_and_all_turns_are_free_in_the_end(example: Path) -> None:
    before, turns = len(list((example / EVENTS).iterdir())), turns_of(example)
    started = [
        subprocess.Popen(
            [VFCC, "feedback", "add", f"Writer {number} was here"],
            cwd=example,
            env=environment(example.parent),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for number in range(12)
    ]

    codes = [process.wait(60) for process in started]

    assert codes == [0] * 12
    events = [path.read_text(encoding="utf-8") for path in (example / EVENTS).iterdir()]
    assert len(events) == before + 12
    assert all(any(f"Writer {number} was here" in each for each in events) for number in range(12))
    assert turns.read_bytes() == b""
    with all_turns_taken(example):
        pass


def test_a_write_goes_on_without_a_turn_where_all_are_held(young: Path) -> None:
    with all_turns_taken(young):
        ran = vfcc(young, *ADD, "The tide is measured in metres.", "--json")

    assert ran.code == 0
    assert ran.data["outcome"] == "proposed"
    assert (young / ran.data["item"]["path"]).is_file()


def test_whoever_waits_gets_a_turn_that_comes_free(young: Path) -> None:
    with all_turns_taken(young) as ours:
        waiting = subprocess.Popen(
            [sys.executable, "-c", WAITING],
            cwd=young,
            env=environment(young.parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert waiting.stdin
        assert waiting.stdout
        assert waiting.stdout.readline() == "asks\n"
        fcntl.lockf(ours, fcntl.LOCK_UN)
        assert waiting.stdout.readline() == "goes on\n"

        with pytest.raises(BlockingIOError):
            fcntl.lockf(ours, fcntl.LOCK_EX | fcntl.LOCK_NB, MORE_THAN_TURNS)
        waiting.stdin.close()
        assert waiting.wait(60) == 0
        fcntl.lockf(ours, fcntl.LOCK_EX | fcntl.LOCK_NB, MORE_THAN_TURNS)
    waiting.stdout.close()


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "list"),
        ("memory", "add", "fact", "The tide is high.", "--dry-run"),
        ("memory", "add", "fact", "--stdin"),
        ("memory", "add", "--help"),
        ("hook", "claude"),
        ("status",),
    ],
    ids=" ".join,
)
def test_reading_commands_hooks_and_those_that_wait_for_a_text_take_none(young: Path, words: tuple[str, ...]) -> None:
    assert not turns_of(young).exists()

    vfcc(young, *words)

    assert not turns_of(young).exists()


def test_a_person_at_a_terminal_takes_none(young: Path) -> None:
    assert vfcc(young, *ADD, "The tide is high.", program=(str(VFCC),), person=True).code == 0
    assert not turns_of(young).exists()

    assert vfcc(young, *ADD, "The tide is low.", program=(str(VFCC),)).code == 0
    assert turns_of(young).exists()


def test_a_local_folder_that_is_a_link_gets_no_file_of_turns(young: Path, tmp_path: Path) -> None:
    local, outside = young / ".memory/local", tmp_path / "outside"
    local.rename(outside) if local.exists() else outside.mkdir()
    local.symlink_to(outside)

    vfcc(young, *ADD, "The tide is high.")

    assert not (outside / TURNS).exists()


def test_without_a_project_a_write_is_refused_as_ever(tmp_path: Path) -> None:
    vfcc(tmp_path, "feedback", "add", "Name the unit").refused(3, "no .memory/")
