"""The shapes of the JSON of `vfcc task …` and of `vfcc memory maintain`.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.cli.test_json_gates import Asked
from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape
from tests.trees import write_memory

pytestmark = pytest.mark.vfcc("REQ-JSON")
FACT = "---\nid: old\ntype: fact\ncreated: 2020-01-01\n---\nIt was so.\n"
START = "task start Login"
NOTE = "task note Clock --type tool_output --tool date --key now"

TASKED = {
    "task_start": Asked(START),
    "task_note": Asked(NOTE, (START,)),
    "task_finish": Asked("task finish --promote clock --outcome late", (START, "task note Clock", "task note Other")),
    "task_fail": Asked("task fail", (START, NOTE)),
    "task_fail_forget": Asked("task fail --forget", (START, NOTE)),
    "task_list": Asked("task list --all", (START, NOTE, "task finish", START)),
    "task_show": Asked("task show", (START, NOTE)),
    "memory_maintain": Asked("memory maintain --dry-run"),
}


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` in the project at `root`."""
    write_memory(root, {"project/items/fact/old.md": FACT})
    for line in (*asked.before, asked.line):
        words = [*line.split(), "--json"]
        done = vfcc(root, *words)
        assert done.code == 0, done
    return done.out


@pytest.mark.points(2)
@pytest.mark.parametrize("name", TASKED)
def test_the_shape_is_the_one_that_is_promised(young: Path, name: str) -> None:
    value = json.loads(answer(young, TASKED[name]))["data"]

    assert shape(value) == promised(name)
