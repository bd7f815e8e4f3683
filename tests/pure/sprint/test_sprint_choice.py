"""Which of several open sprints is the current one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.sprint.rules.sprint_people import choose_sprint

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

IDS = st.sampled_from(["a", "b", "c", "d"])
BRANCH = st.sampled_from([None, "main", "x", "y"])
OPEN = {"log-in": "main", "pay": "feature/pay", "shop": None}


@pytest.mark.parametrize(
    ("variable", "branch", "here", "chosen"),
    [
        ("shop", "main", ("pay",), ("shop", "by VFCC_SPRINT")),
        ("", "main", ("pay",), ("log-in", "by branch main")),
        ("", "other", ("pay",), ("pay", "by worktree")),
        ("", None, ("pay", "closed-one"), ("pay", "by worktree")),
        ("", None, ("pay", "shop"), (None, "")),
        ("", None, (), (None, "")),
        ("closed-one", "main", ("pay",), (None, "")),
    ],
)
def test_the_variable_decides_before_the_branch_and_the_branch_before_the_worktree(
    variable: str, branch: str | None, here: tuple[str, ...], chosen: tuple[str | None, str]
) -> None:
    assert choose_sprint(OPEN, variable=variable, branch=branch, started_here=here) == chosen


def test_a_branch_on_which_two_sprints_were_started_leaves_the_choice_to_the_worktree() -> None:
    both = {"log-in": "main", "pay": "main"}

    assert choose_sprint(both, branch="main") == (None, "")
    assert choose_sprint(both, branch="main", started_here=("pay",)) == ("pay", "by worktree")


def test_the_only_open_sprint_is_current_on_every_branch() -> None:
    assert choose_sprint({"pay": "feature/pay"}, branch="main", started_here=("gone",)) == ("pay", "")


@given(st.dictionaries(IDS, BRANCH), st.sampled_from(["", "a", "b", "z"]), BRANCH, st.sets(IDS))
@settings(max_examples=300, deadline=None)
def test_only_an_open_sprint_is_chosen_and_only_by_a_rule_that_names_it_alone(
    branches: dict[str, str | None], variable: str, branch: str | None, here: set[str]
) -> None:
    chosen, by = choose_sprint(branches, variable=variable, branch=branch, started_here=here)

    if chosen is None:
        assert by == ""
        assert len(branches) != 1 or variable
        return
    assert chosen in branches
    if by.startswith("by branch"):
        assert [name for name, started_on in branches.items() if started_on == branch] == [chosen]
    elif by == "by worktree":
        assert here & set(branches) == {chosen}
