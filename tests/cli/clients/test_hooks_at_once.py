"""Many hooks at once, hooks with no time to answer, and hooks that are killed: each event is in the history, once."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.cli.cli.test_fast import AHEAD
from tests.cli.clients.test_hook import RECORDED
from tests.cli.hooked import events, faults, hook, said
from tests.cli.process import VFCC, environment, git, vfcc
from tests.figures import report

CORES = 4
PATIENCE_S = 600
NO_TIME = """
import sys
from verifflowcc.fast import hook, main
hook.LIMIT_S = hook.LIMIT_AT_END_S = 0.001
sys.argv = ["vfcc", *sys.argv[1:]]
main()
"""
"""`vfcc` with a millisecond for an answer: importing what finds one takes a hundred times as long."""

TRIES = 20
"""A hook on a busy machine may have no time, and leaves what takes long to the next."""
LATE = "the answer took longer than 0.001 s and was left out"
CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}, "prompt": "Do it."}


@pytest.fixture(autouse=True)
def _few_cores() -> Iterator[None]:
    """Keep what a test starts to at most four cores, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:CORES])
    yield
    os.sched_setaffinity(0, cores)


def waited(processes: Sequence[subprocess.Popen[bytes]], began: float) -> list[int]:
    """Wait for all processes at once; return after how many milliseconds each had ended, sorted."""

    def wait(process: subprocess.Popen[bytes]) -> int:
        process.wait(PATIENCE_S)
        return round((time.monotonic() - began) * 1000)

    with ThreadPoolExecutor(len(processes)) as pool:
        return sorted(pool.map(wait, processes))


@contextmanager
def started(folder: Path, count: int, program: Sequence[str] = (str(VFCC),)) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start so many hooks without waiting for any; each reports a call of its own, `t0`, `t1`, …"""
    scratch = folder.parent / "words"
    scratch.mkdir(exist_ok=True)
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(count):
            words = said("PostToolUse", **CALL, tool_use_id=f"t{number}", cwd=str(folder))
            path = scratch / f"{number}.json"
            path.write_text(json.dumps(words), encoding="utf-8")
            with path.open("rb") as given, path.with_suffix(".err").open("wb") as err:
                processes.append(
                    subprocess.Popen(
                        [*program, "hook", "claude"], cwd=folder, env=environment(folder.parent), stdin=given,
                        stdout=err, stderr=err,
                    )
                )  # fmt: skip
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def expect_each_once(folder: Path, count: int, processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Assert that no hook failed or printed anything, that no line is torn, and that each call is there once."""
    assert [process.wait(PATIENCE_S) for process in processes] == [0] * count
    printed = [path.read_text("utf-8") for path in (folder.parent / "words").glob("*.err")]
    assert "".join(printed) == ""
    wanted = sorted(f"t{number}" for number in range(count))
    lines = [each for each in events(folder) if each["kind"] == "tool_execution"]
    assert sorted(each["gen_ai.tool.call.id"] for each in lines) == wanted
    shown = vfcc(folder, "history", "show", "--by", "tool", "--json", "--full")
    assert [(each["tool"], each["executions"]) for each in shown.data] == [("Bash", count)]


@pytest.fixture
def settled(example: Path) -> Path:
    """The worked example in git, with a fresh snapshot for hooks."""
    git(example, "init", "--quiet")
    git(example, "add", "--all")
    git(example, "commit", "--quiet", "--message", "Begin")
    words = json.dumps(said("Notification")).encode()
    command = [sys.executable, "-c", AHEAD, "hook", "claude"]
    snapshot = example / ".memory/local/hook.json"
    for _ in range(TRIES):
        if not snapshot.exists():
            env = environment(example.parent)
            subprocess.run(command, cwd=example, env=env, input=words, check=True, capture_output=True)
    assert snapshot.exists()
    return example


def unplaced(folder: Path) -> None:
    """Take the snapshot away: the next hooks have to find their place, and may run out of time."""
    (folder / ".memory/local/hook.json").unlink()


def feedback(folder: Path, text: str = "It was slow") -> None:
    done = vfcc(folder, "feedback", "add", text)
    assert done.code == 0, done


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_forty_hooks_at_once_without_a_snapshot_lose_no_event_though_no_answer_is_in_time(settled: Path) -> None:
    unplaced(settled)

    with started(settled, 40, (sys.executable, "-c", NO_TIME)) as processes:
        expect_each_once(settled, 40, processes)

    late = [each["error"] for each in faults(settled)]
    # Python ignores what a signal raises inside a finalizer, so an answer may be complete all the same.
    assert set(late) == {LATE}
    assert len(late) > 30


@pytest.mark.points(3)
@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
@pytest.mark.parametrize("event", RECORDED)
def test_an_event_whose_answer_is_late_is_recorded(settled: Path, event: str) -> None:
    unplaced(settled)

    done = subprocess.run(
        [sys.executable, "-c", NO_TIME, "hook", "claude"], cwd=settled, env=environment(settled.parent),
        input=json.dumps(said(event, **CALL, cwd=str(settled))).encode(), capture_output=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    recorded, *places = events(settled)
    assert recorded["unplaced"] is True
    assert "sprint" not in recorded
    # Python ignores what a signal raises inside a finalizer: then the answer is complete, and places the event.
    assert {each["kind"] for each in places} <= {"place"}
    assert places or (done.stdout, [each["error"] for each in faults(settled)]) == (b"", [LATE])


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_a_project_that_records_nothing_records_nothing_before_the_answer_either(settled: Path) -> None:
    config = settled / ".memory/config.yaml"
    config.write_text("format: 1\nhooks: {record: false}\n", encoding="utf-8")

    for _ in range(2):  # by the file, then by the cached configuration
        assert hook(settled, said("PostToolUse", **CALL)).code == 0

    assert events(settled) == []
    config.write_text("format: 1\n", encoding="utf-8")
    assert hook(settled, said("PostToolUse", **CALL)).code == 0
    assert [each["kind"] for each in events(settled)][:1] == ["tool_execution"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_a_later_hook_resolves_the_role_of_events_that_had_no_time(settled: Path) -> None:
    unplaced(settled)
    with started(settled, 3, (sys.executable, "-c", NO_TIME)) as processes:
        expect_each_once(settled, 3, processes)
    # One of them may have had time after all (see above); then its place holds for the others, too.
    assert {each["role"] for each in vfcc(settled, "history", "show", "--json", "--full").data} <= {None, "coder"}

    for _ in range(TRIES):
        if "place" not in {each["kind"] for each in events(settled)}:
            assert hook(settled, said("Stop")).code == 0

    assert {each["kind"] for each in events(settled)} >= {"turn_end", "place"}
    assert {each["role"] for each in vfcc(settled, "history", "show", "--json", "--full").data} == {"coder"}


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_a_hook_that_is_killed_anywhere_costs_no_other_event(settled: Path) -> None:
    long = said("PostToolUse", **{**CALL, "tool_response": {"stdout": "x" * 60_000}}, cwd=str(settled))
    luck = random.Random(5)
    whole = spun(settled, long, None)

    done = [spun(settled, {**long, "tool_use_id": f"k{number}"}, luck.randrange(whole)) for number in range(25)]

    assert len(done) == 25
    last = said("PostToolUse", **CALL, tool_use_id="last")
    assert hook(settled, last).code == 0
    shown = vfcc(settled, "history", "show", "--json", "--full", "--limit", "100")
    assert shown.code == 0, shown
    calls = [each.get("gen_ai.tool.call.id") for each in parsed(settled) if each["kind"] == "tool_execution"]
    assert calls[-1] == "last"
    assert len(calls) == len(set(calls)) == len(shown.data)


def spun(folder: Path, words: Mapping[str, Any], most: int | None) -> int:
    """Run a hook and look `most` times whether it has ended, then kill it; return how often it was looked at."""
    path = folder.parent / "killed.json"
    path.write_text(json.dumps(words), encoding="utf-8")
    with path.open("rb") as given:
        process = subprocess.Popen(
            [VFCC, "hook", "claude"], cwd=folder, env=environment(folder.parent), stdin=given,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    count = 0
    while process.poll() is None and (most is None or count < most):
        count += 1
    process.kill()
    process.wait()
    return count


def parsed(folder: Path) -> list[dict[str, Any]]:
    """Return the events on the lines that are whole."""
    found = []
    for path in sorted((folder / ".git/vfcc/history").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


@contextmanager
def writers(folder: Path, count: int) -> Iterator[list[str]]:
    """Let so many threads run commands that write, one after the other, until the block ends; yield what they wrote."""
    over = Event()
    written: list[str] = []

    def write(number: int) -> list[int]:
        codes: list[int] = []
        while not over.is_set():
            words = ("feedback", "add") if number % 2 else ("memory", "add", "fact")
            text = f"Writer {number} says {len(codes)}"
            codes.append(write_once(folder, *words, text))
            written.append(text)
        return codes

    with ThreadPoolExecutor(count) as pool:
        running = [pool.submit(write, number) for number in range(count)]
        try:
            yield written
        finally:
            over.set()
    assert all(each.result() for each in running), "each has written"
    assert {code for each in running for code in each.result()} == {0}


def write_once(folder: Path, *words: str) -> int:
    return subprocess.run(
        [VFCC, *words], cwd=folder, env=environment(folder.parent), stdin=subprocess.DEVNULL, capture_output=True,
        check=False,
    ).returncode  # fmt: skip


@pytest.mark.sweep
def test_three_hundred_hooks_at_once_lose_no_event(settled: Path) -> None:
    with started(settled, 300) as processes:
        expect_each_once(settled, 300, processes)


@pytest.mark.sweep
def test_three_hundred_hooks_at_once_lose_no_event_before_there_is_a_snapshot(example: Path) -> None:
    with started(example, 300) as processes:
        expect_each_once(example, 300, processes)


@pytest.mark.sweep
def test_three_hundred_hooks_at_once_after_a_feedback_lose_no_event(settled: Path) -> None:
    feedback(settled)

    with started(settled, 300) as processes:
        expect_each_once(settled, 300, processes)


@pytest.mark.sweep
def test_three_hundred_hooks_at_once_beside_sixteen_writers_lose_no_event(settled: Path) -> None:
    with writers(settled, 16), started(settled, 300) as processes:
        expect_each_once(settled, 300, processes)


@pytest.mark.sweep
def test_two_hundred_hooks_mixed_with_thirty_two_writers_lose_nothing(settled: Path) -> None:
    """Nor is any writer refused. The time after which 99 of 100 hooks have ended is reported, not asserted."""
    began = time.monotonic()
    with writers(settled, 32) as written, started(settled, 200) as processes:
        took = waited(processes, began)
        expect_each_once(settled, 200, processes)

    comments = [json.loads(path.read_text("utf-8")) for path in settled.glob(".memory/sprint/*/events/*.json")]
    facts = [path.read_text("utf-8") for path in settled.glob(".memory/project/items/fact/*.md")]
    there = [*(str(each.get("payload", {}).get("text", "")) for each in comments), *facts]
    assert len(written) >= 32
    assert [text for text in written if not any(text in each for each in there)] == []
    report("200 hooks beside 32 writers", p50_ms=took[100], p99_ms=took[198], lost=0, written=len(written))
