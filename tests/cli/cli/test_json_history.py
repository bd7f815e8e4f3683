"""The shapes of the JSON of `vfcc history …`.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.history.test_history import worked
from tests.cli.process import permitted
from tests.cli.shapes import promised, shape
from tests.history_world import DAY_S, edit, tell
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_sharing import learn_from_session

pytestmark = pytest.mark.vfcc("REQ-JSON")

__all__ = ["worked"]
HISTORIED = {
    "history_show": "show",
    "history_show_file": "show --by file src/login.py",
    "history_show_tool": "show --by tool --days 36500",
    "history_show_task": "show --by task --all",
    "history_show_coedit": "show --by coedit",
    "history_show_pattern": "show --by pattern",
    "history_show_learning": "show --by learning",
    "history_show_session": "show --by session",
    "history_similar": "similar login",
    "history_prune": "prune --older-than 300d --yes",
    "history_sql": 'sql SELECT(tool_name)FROM"tool_executions"',
    "history_export": "export out",
    "history_learn": "learn",
}


def answer(root: Path, line: str) -> str:
    """Return what the command prints with `--json` in the project at `root`."""
    tell(Workspace(root), edit(-400 * DAY_S, "a.py"))
    learn_from_session(Workspace(root), "s1")
    done = permitted(root, "history", *line.split(), "--json")
    assert done.code == 0, done
    return done.out


@pytest.mark.sweep
@pytest.mark.parametrize("name", HISTORIED)
def test_the_shape_is_the_one_that_is_promised(worked: Path, name: str) -> None:
    value = json.loads(answer(worked, HISTORIED[name]))["data"]

    assert shape(value) == promised(name)
