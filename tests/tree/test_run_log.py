"""The log of runs on disk: whole lines, in the project alone, and small however long it is used."""

from pathlib import Path

import pytest

from verifflowcc.adapters.files import run_log
from verifflowcc.adapters.files.run_log import add_run, read_run_log
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.errors import WorkspaceError
from verifflowcc.formats.run_lines import KEPT, read_runs, run_line

pytestmark = pytest.mark.vfcc("REQ-TUNE")


def line(number: int, agent: str = "coder") -> bytes:
    return run_line(Run("2026-11-21", agent, number, number, (LayerRun(Layer.AGENT, 0, 0, 0, 0, 0),)))


def test_a_log_that_has_grown_keeps_the_last_lines_of_each_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, tmp_path, line(7, "planner"))
    many = b"".join(line(number) for number in range(1, 2 * KEPT))
    add_run(tmp_path, tmp_path, many)
    assert len(read_runs(read_run_log(tmp_path)).runs) == 2 * KEPT, "below a mebibyte nothing goes"

    monkeypatch.setattr(run_log, "GROWN_BYTES", len(many) * 5 // 4)
    add_run(tmp_path, tmp_path, many[: len(many) // 2] + b"\n")
    found = read_runs(read_run_log(tmp_path))
    assert (len(found.runs), found.runs[0].agent, found.bad) == (1 + KEPT, "planner", 1)
    assert [each.name for each in tmp_path.iterdir()] == ["runs.jsonl"]


def test_a_torn_line_is_ended_before_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(line(1) + line(2)[:20])
    add_run(tmp_path, tmp_path, line(3))

    found = read_runs(read_run_log(tmp_path))
    assert ([run.room_tokens for run in found.runs], found.bad) == ([1, 3], 1)


def test_a_log_that_is_no_file_or_leads_out_of_the_project_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/local").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError):
        add_run(tmp_path / "memory/local", tmp_path / "memory", line(1))
    assert list((tmp_path / "elsewhere").iterdir()) == []

    (tmp_path / "runs.jsonl").mkdir()
    with pytest.raises(WorkspaceError):
        add_run(tmp_path, tmp_path, line(1))
