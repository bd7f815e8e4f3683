"""`vfcc memory ingest` on what is no sound file: one sentence, a true exit code, and nothing half written."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import VFCC, Ran, environment, vfcc
from tests.cli.trees import everything

SOUND = '{"role": "user", "content": "Always use a debugger.", "session": "s"}\n'
MORE = '{"role": "user", "content": "From now on, always start function names with \'a_\'.", "session": "s"}\n'
LARGEST = 64 * 1_048_576


def run(folder: Path, *arguments: str, **how: object) -> Ran:
    done = subprocess.run(  # type: ignore[call-overload]
        [VFCC, *arguments],
        cwd=folder,
        env=environment(folder.parent),
        capture_output=True,
        check=False,
        timeout=120,
        **how,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def refused(ran: Ran, code: int, *words: str) -> None:
    assert (ran.code, ran.out) == (code, ""), ran
    assert [word for word in words if word not in ran.err] == []
    assert "Traceback" not in ran.err


@pytest.mark.sweep
def test_a_pipe_with_a_name_is_not_waited_for(young: Path) -> None:
    os.mkfifo(young / "pipe")
    before = everything(young)
    refused(run(young, "memory", "ingest", "pipe"), 2, "pipe is a pipe; what comes out of it is read on stdin")
    assert everything(young) == before


@pytest.mark.sweep
def test_a_pipe_that_a_shell_opened_is_read(young: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, SOUND.encode())
    os.close(writing)
    done = run(young, "memory", "ingest", f"/dev/fd/{reading}", pass_fds=(reading,))
    os.close(reading)
    assert (done.code, done.out.splitlines()[-2]) == (0, "1 turn read: 1 proposed"), done


@pytest.mark.sweep
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_what_is_larger_than_any_conversation_is_refused(young: Path, way: str) -> None:
    """A line of 200 MiB, of which no more is read than is allowed."""
    with (young / "large.jsonl").open("wb") as file:
        file.write(b'{"role": "user", "content": "')
        file.truncate(200 * 1_048_576)
    before = everything(young / ".memory/project")
    if way == "file":
        done = run(young, "memory", "ingest", "large.jsonl")
    else:
        with (young / "large.jsonl").open("rb") as file:
            done = run(young, "memory", "ingest", "-", stdin=file)
    refused(done, 2, "larger than 64 MiB", "split")
    assert everything(young / ".memory/project") == before
    assert not (young / ".memory/local/ingested.jsonl").exists()


@pytest.mark.sweep
def test_what_cannot_be_opened_is_told_and_what_was_named_before_it_is_not_read(young: Path) -> None:
    (young / "sound.jsonl").write_text(SOUND, encoding="utf-8")
    (young / "circle").symlink_to("circle")
    before = everything(young)
    refused(run(young, "memory", "ingest", "sound.jsonl", "circle"), 2, "cannot read circle: ")
    refused(run(young, "memory", "ingest", "sound.jsonl", "sound.jsonl/x"), 2, "cannot read sound.jsonl/x: ")
    refused(run(young, "memory", "ingest", "sound.jsonl", "."), 2, ". is a folder")
    assert everything(young) == before


def test_bytes_that_are_no_text_are_told_and_what_stands_before_them_is_kept(young: Path) -> None:
    (young / "x.jsonl").write_bytes(SOUND.encode() + b'{"role": "user", "content": "\xff\xfe"}\n' + MORE.encode())
    done = vfcc(young, "memory", "ingest", "x.jsonl")
    assert done.code == 1
    assert "warning: x.jsonl:2: not UTF-8 at byte 29 of the line" in done.err
    assert done.out.splitlines()[-2] == "2 turns read: 2 proposed"

    (young / "x.bin").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    refused(vfcc(young, "memory", "ingest", "x.bin"), 3, "x.bin:1: this is no text")


@pytest.mark.vfcc("REQ-INGEST")
def test_of_a_transcript_that_is_still_written_each_line_is_read_once_it_is_whole(young: Path) -> None:
    path = young / "running.jsonl"
    seen = []
    for end in (len(SOUND) + 30, len(SOUND + MORE) - 1, len(SOUND + MORE), len(SOUND + MORE)):
        path.write_text((SOUND + MORE)[:end], encoding="utf-8")
        done = vfcc(young, "memory", "ingest", "running.jsonl")
        assert done.code == 0, done
        seen.append((next(line for line in done.out.splitlines() if " read" in line), "not whole yet" in done.err))

    assert seen == [
        ("1 turn read: 1 proposed", True),
        ("2 turns read, 1 of them known: 1 proposed", False),
        ("2 turns read, 2 of them known: nothing new", False),
        ("2 turns read, 2 of them known: nothing new", False),
    ]
    assert vfcc(young, "memory", "inbox").out.count("start-function-names") == 1
