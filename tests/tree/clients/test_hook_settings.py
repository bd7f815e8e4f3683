"""What hooks go by: the rules that an earlier hook left are those that reading the tables again would give."""

from pathlib import Path

import pytest

from tests.ledger_samples import ANN, started
from tests.trees import OWN, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.hook_settings import AgentState, agent_state, snapshot_path
from verifflowcc.gates.use.sprints import start_sprint

pytestmark = pytest.mark.vfcc("REQ-EPISODE-HOOKS")

TABLE = "agent/planner/tools.yaml"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An open sprint in a project whose files are trusted by their stamps at once."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    monkeypatch.delenv("VFCC_SPRINT", raising=False)
    workspace = started(tmp_path)
    write_tree(workspace.memory, {TABLE: "version: 2\ntools: [{name: read, paths: ['**']}]\n"})
    return workspace


def ask(here: Workspace, role: str | None = None) -> AgentState:
    return agent_state(Workspace(here.root, here.clock), role)


@pytest.mark.parametrize("role", [None, "planner", "coder"])
@pytest.mark.parametrize("several", [False, True])
def test_rules_that_were_left_are_the_rules_read_again(here: Workspace, role: str | None, several: bool) -> None:
    if several:
        start_sprint(here, "Shop", workflow=OWN, actor=ANN)
    read = ask(here, role)
    assert snapshot_path(here, role).exists()

    left = ask(here, role)

    assert (left.rules, left.closed, left.briefed_on, left.place) == (
        read.rules,
        read.closed,
        read.briefed_on,
        read.place,
    )
    assert read.rules


def test_rules_that_were_left_need_no_table_to_be_read(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    read = ask(here)
    monkeypatch.delattr("verifflowcc.clients.use.hook_rules.read_tools")

    assert ask(here).rules == read.rules


def test_a_table_that_changed_is_read_again(here: Workspace) -> None:
    before = ask(here).rules
    write_tree(here.memory, {TABLE: "version: 2\ntools: [{name: edit, paths: ['src/**']}]\n"})

    assert ask(here).rules != before


def test_a_sprint_that_starts_has_rules_of_its_own(here: Workspace) -> None:
    assert isinstance(ask(here).rules, dict)
    start_sprint(here, "Shop", workflow=OWN, actor=ANN)

    assert isinstance(ask(here).rules, list)
