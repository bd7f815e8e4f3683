"""Which files of an attempt are merged: new items of a role that may add them, and no item of somebody else."""

import pytest

from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Item, Source, Status
from verifflowcc.run.rules.role_allowance import bounds_of

pytestmark = pytest.mark.vfcc("REQ-RUN")

NEED = ".memory/project/items/need/NEED-odd.md"
WORKING: dict[str, Json] = {"read": {}, "vfcc": {"classes": ["query", "work", "move"]}}
READING: dict[str, Json] = {"read": {}, "vfcc": {"classes": ["query"]}}


def item(kind: str, status: Status = Status.ACTIVE, actor: str = "agent:planner", **details: str) -> Item:
    pairs = tuple(details.items())
    return Item(kind, kind, kind, NEED, "project", 0, 0, status=status, source=Source(actor=actor), details=pairs)


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
        (".memory/project/conventions/odd.md", "A", WORKING, False),
        ("src/items/need/NEED-odd.md", "A", WORKING, False),
    ],
)
def test_a_role_that_may_add_items_leaves_new_ones(
    path: str, how: str, tools: dict[str, Json], is_merged: bool
) -> None:
    rules: dict[str, Json] = {"role": "planner", "stage": "planning", "tools": tools, "others": {}}

    found = bounds_of([(path, how)], rules, "/home/you/shop", lambda _: None, lambda _: item("need"))

    assert found.left_out == ()
    assert (found.outside == ()) is is_merged, found


@pytest.mark.parametrize(
    ("left", "is_merged"),
    [
        (item("need"), True),
        (item("fact", Status.PENDING), True),
        (item("fact"), True),  # it waits for a person, whatever it says
        (item("fact", promoted_by="human:you"), False),
        (item("fact", Status.PENDING, "human:you"), False),
        (item("need", actor="human:you"), False),
        (None, False),
    ],
)
def test_an_item_that_claims_more_than_an_agent_may_add_is_out_of_bounds(left: Item | None, is_merged: bool) -> None:
    rules: dict[str, Json] = {"role": "planner", "stage": "planning", "tools": WORKING, "others": {}}

    found = bounds_of([(NEED, "A")], rules, "/home/you/shop", lambda _: None, lambda _: left)

    assert (found.outside == ()) is is_merged, found
