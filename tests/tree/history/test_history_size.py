"""How much room the record of a session takes on disk."""

from pathlib import Path
from typing import Any

import pytest

from verifflowcc.base.model.events import Json
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import line_of, moment
from verifflowcc.history.store.partitions import add_lines
from verifflowcc.history.use.history_reading import open_history, record

EXECUTIONS, TASKS, SNAPSHOTS, FILES = 1_000, 100, 1_000, 10
LARGEST_BYTES = 20_000_000
WINDOW = 100
"""So many items are in each snapshot of a window, and a third of them were taken out."""
_BEGIN_MS = 1_795_300_000_000


def say(root: Path, number: int, said: dict[str, Any]) -> None:
    """Record what a hook is told, as the hook does."""
    about = {"session_id": "642dfb77-c032-40c5-a148-4751e33badec", "prompt_id": f"2fc0c715-bb87-{number % TASKS:012}"}
    at = _BEGIN_MS + number
    line = line_of(
        {**about, **said}, "claude", str(root), at, number.to_bytes(10), {"role": "coder", "stage": "coding"}
    )
    assert line is not None
    add_lines(f"{root}/.memory/local", moment(at)[:10], line)


def part(number: int) -> dict[str, Json]:
    """Return an item of a window."""
    return {"id": f"01JD9Z6Q4M{number:016}", "type": "tool_result", "tokens": 1_200, "relevance": 431}


@pytest.mark.vfcc("REQ-EPISODE-SIZE")
def test_a_long_session_takes_less_than_twenty_megabytes(tmp_path: Path) -> None:
    """1,000 executions, each of ten files and with a long result; 100 tasks; 1,000 snapshots of a window."""
    (tmp_path / ".memory").mkdir()
    files = [f"src/a_package_with_a_name/module_number_{number}.py" for number in range(FILES)]
    for number in range(TASKS):
        asked = f"Fix what the review found in number {number}. " + "It is told at length, with all its reasons. " * 20
        say(tmp_path, number, {"hook_event_name": "UserPromptSubmit", "prompt": asked})
    for number in range(EXECUTIONS):
        given = {"command": f"cat {' '.join(files)}", "description": "Read the modules of the package"}
        answer = {"stdout": "def name(given: int) -> int:\n" * 500, "stderr": ""}
        call = {"tool_name": "Bash", "tool_input": given, "tool_response": answer, "duration_ms": 31}
        say(tmp_path, TASKS + number, {"hook_event_name": "PostToolUse", **call, "tool_use_id": f"toolu_{number:020}"})
    workspace = Workspace(tmp_path)
    items: list[Json] = [part(number) for number in range(WINDOW)]
    pruned: list[Json] = [part(number) for number in range(WINDOW // 3)]
    window: dict[str, Json] = {"items": items, "pruned": pruned, "total_tokens": 120_000, "reason": "pruning"}
    record(workspace, "window_snapshot", (window for _ in range(SNAPSHOTS)))

    size = sum(path.stat().st_size for path in (tmp_path / ".memory" / "local" / "history").iterdir())

    assert size < LARGEST_BYTES
    with open_history(workspace) as history:
        counts = {
            table: history.rows(f"SELECT COUNT(*) FROM {table}")[0][0]
            for table in ("tool_executions", "file_interactions", "prompts", "context_snapshots")
        }
    assert counts == {
        "tool_executions": EXECUTIONS,
        "file_interactions": EXECUTIONS * FILES,
        "prompts": TASKS,
        "context_snapshots": SNAPSHOTS,
    }
    print(f"{size:,} bytes")
