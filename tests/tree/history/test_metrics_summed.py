"""The log of metrics is summed when it has grown: no count is lost, whoever counts meanwhile, or where that fails."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from verifflowcc.base.files.write import write_atomic
from verifflowcc.memory.rules.metric_lines import count_line, read_metrics
from verifflowcc.memory.store import access_log as log
from verifflowcc.memory.store.access_log import GROWN_BYTES, add_after_reading, add_metrics, read_metrics_log
from verifflowcc.memory.use.statistics import measure

OLD, TODAY = "2026-11-20T10:00:00Z", "2026-11-21"
WRITERS, EACH = 8, 150
WRITER = """
import sys
from pathlib import Path
from verifflowcc.memory.store import access_log as metrics
from verifflowcc.base.errors import ConflictError
from verifflowcc.memory.rules.metric_lines import count_line
metrics.GROWN_BYTES, folder, waits = 2_000, Path(sys.argv[1]), 0
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    line = count_line(f"2026-11-{19 + number % 3}T10:00:00Z", "extraction.calls", 1)
    while True:
        try:
            metrics.add_metrics(folder, folder, line, "2026-11-21")
            break
        except ConflictError:
            waits += 1
"""


def calls(folder: Path) -> int:
    return measure(read_metrics(read_metrics_log(folder))).counters["extraction.calls"]


def grown(folder: Path, times: int) -> Path:
    """Write a log of so many old lines."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.jsonl").write_bytes(count_line(OLD, "extraction.calls", 1) * times)
    return folder / "metrics.jsonl"


def test_a_log_that_passes_a_mebibyte_is_summed_and_then_small(tmp_path: Path) -> None:
    line = count_line(OLD, "extraction.calls", 1)
    times = GROWN_BYTES // len(line)
    path = grown(tmp_path, times)
    add_metrics(tmp_path, tmp_path, count_line(f"{TODAY}T10:00:00Z", "extraction.calls", 1), TODAY)

    assert path.stat().st_size < 200
    assert calls(tmp_path) == times + 1
    assert [each.name for each in tmp_path.iterdir()] == ["metrics.jsonl"]


def test_below_that_nothing_is_summed_and_lines_of_today_never_are(tmp_path: Path) -> None:
    path = grown(tmp_path, 100)
    before = path.read_bytes()
    add_metrics(tmp_path, tmp_path, b"", TODAY)
    assert path.read_bytes() == before

    line = count_line(f"{TODAY}T10:00:00Z", "extraction.calls", 1)
    path.write_bytes(line * (GROWN_BYTES // len(line)))
    inode = path.stat().st_ino
    add_metrics(tmp_path, tmp_path, line, TODAY)
    assert (path.stat().st_ino, path.stat().st_size > GROWN_BYTES) == (inode, True)


@pytest.mark.sweep
def test_processes_that_count_while_others_sum_lose_nothing(tmp_path: Path) -> None:
    grown(tmp_path, 200)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(EACH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(WRITERS)
    ]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in running:
        each.communicate(timeout=60)

    assert [each.returncode for each in running] == [0] * WRITERS
    assert calls(tmp_path) == 200 + WRITERS * EACH
    assert read_metrics(read_metrics_log(tmp_path)).bad == 0
    lines = (tmp_path / "metrics.jsonl").read_bytes().count(b"\n")
    assert lines < WRITERS * EACH // 2, "all but those of today were summed meanwhile"


def test_a_line_goes_to_the_log_that_is_there_when_it_was_summed_between_opening_and_locking_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lock = grown(tmp_path, 3), fcntl.flock
    line = count_line(OLD, "extraction.calls", 1)

    def late(handle: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        write_atomic(path, count_line(OLD, "extraction.calls", 3))
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    add_metrics(tmp_path, tmp_path, line, TODAY)
    assert path.read_bytes() == count_line(OLD, "extraction.calls", 3) + line


def test_what_is_reserved_while_the_log_is_summed_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "GROWN_BYTES", 500)
    grown(tmp_path, 6)
    for _ in range(5):
        add_after_reading(tmp_path, tmp_path, lambda data: count_line(OLD, "extraction.calls", int(bool(data))), TODAY)
        add_metrics(tmp_path, tmp_path, count_line(OLD, "extraction.calls", 1), TODAY)
    assert calls(tmp_path) == 16


def test_where_it_cannot_be_summed_what_was_counted_is_in_the_log_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No space for a second file does not mean that the line was not counted, so nobody is told that."""
    monkeypatch.setattr(log, "GROWN_BYTES", 500)
    path = grown(tmp_path, 7)
    monkeypatch.setattr("verifflowcc.base.files.write._temporary", _full)
    for _ in range(3):
        add_metrics(tmp_path, tmp_path, count_line(OLD, "extraction.calls", 1), TODAY)

    assert path.read_bytes() == count_line(OLD, "extraction.calls", 1) * 10


def _full(_: object) -> Path:
    raise OSError(28, "No space left on device")
