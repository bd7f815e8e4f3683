"""The shapes of the JSON of `vfcc history saved`.

As in `test_json.py`, the shape is in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

from pathlib import Path

import pytest

from tests.cli.process import git, vfcc
from tests.cli.shapes import promised, shape
from tests.trees import write_tree
from verifflowcc.base.model.events import Json
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import record

pytestmark = pytest.mark.vfcc("REQ-JSON")
REPLAYED = {"history_saved": "history saved"}


def recorded(root: Path) -> None:
    """Record two sessions that read a file each."""
    write_tree(root, {"notes.md": "Water.\n", "gauge.py": "def level():\n    return 7\n"})
    git(root, "init", "-q")
    for session in ("one", "two"):
        said = {"gen_ai.conversation.id": session, "task": session}
        record(Workspace(root), "prompt", [{**said, "description": "level in gauge.py"}])
        for path in ("notes.md", "gauge.py"):
            read: dict[str, Json] = {
                "gen_ai.tool.name": "Read",
                "gen_ai.tool.call.arguments": {"file_path": f"{root}/{path}"},
                "success": True,
            }
            record(Workspace(root), "tool_execution", [{**said, **read}])


@pytest.mark.parametrize("name", REPLAYED)
def test_the_shape_is_the_one_that_is_promised(young: Path, name: str) -> None:
    recorded(young)

    done = vfcc(young, *REPLAYED[name].split(), "--json")

    assert done.code == 0, done
    assert shape(done.data) == promised(name)
