"""Which files of an attempt are merged: new items of a role that may add them, and no item of somebody else."""

import pytest

from verifflowcc.base.model.events import Json
from verifflowcc.run.rules.run_bounds import bounds_of

pytestmark = pytest.mark.vfcc("REQ-RUN")

NEED = ".memory/project/items/need/NEED-odd.md"
WORKING: dict[str, Json] = {"read": {}, "vfcc": {"classes": ["query", "work", "move"]}}
READING: dict[str, Json] = {"read": {}, "vfcc": {"classes": ["query"]}}


@pytest.mark.parametrize(
    ("path", "how", "tools", "is_merged"),
    [
        (NEED, "A", WORKING, True),
        (NEED, "M", WORKING, False),
        (NEED, "D", WORKING, False),
        (NEED, "A", READING, False),
        (NEED, "A", {"read": {}}, False),
        (".memory/sprint/odd/items/need/NEED-odd.md", "A", WORKING, True),
        (".memory/project/baselines/one.md", "A", WORKING, False),
        ("src/items/need/NEED-odd.md", "A", WORKING, False),
    ],
)
def test_a_role_that_may_add_items_leaves_new_ones(
    path: str, how: str, tools: dict[str, Json], is_merged: bool
) -> None:
    rules: dict[str, Json] = {"role": "planner", "stage": "planning", "tools": tools, "others": {}}

    found = bounds_of([(path, how)], rules, "/home/you/shop", lambda _: None)

    assert found.left_out == ()
    assert (found.outside == ()) is is_merged, found
