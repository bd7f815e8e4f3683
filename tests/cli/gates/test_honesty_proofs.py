"""Tests that pass, and show nothing of the change: each is made for real, with git and pytest."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.honest_world import refused
from tests.cli.process import vfcc
from tests.shop_world import CHEAT, CHEAT_TESTS, FIX, FIX_TESTS, GREEN, RED_FIRST, TESTS_KEPT, change, shop

pytestmark = pytest.mark.vfcc("REQ-GATES")
AGENT = {"VFCC_AGENT": "planner"}
PLANTED = {"price.py": CHEAT, "tests/test_price.py": CHEAT_TESTS}


def measured(root: Path) -> Path:
    """Run what the gate asks for, as an agent does."""
    assert vfcc(root, "evidence", "run", env=AGENT).code in (0, 1)
    return root


def test_tests_that_pass_without_the_change(tmp_path: Path) -> None:
    refused("tests-that-pass-without-the-change", measured(change(shop(tmp_path), PLANTED)))


def test_weakened_assertion(tmp_path: Path) -> None:
    root = measured(change(shop(tmp_path, TESTS_KEPT), PLANTED))

    refused("weakened-assertion", root)
    assert vfcc(root, "waive", "tests-kept", "--reason", "enough", "--yes", env=AGENT).code == 3


def test_change_without_a_test(tmp_path: Path) -> None:
    refused("change-without-a-test", measured(change(shop(tmp_path, RED_FIRST), {"price.py": CHEAT})))


def test_proof_of_other_content(tmp_path: Path) -> None:
    root = measured(change(shop(tmp_path, RED_FIRST), {"price.py": FIX, "tests/test_price.py": FIX_TESTS}))
    change(root, {"price.py": CHEAT})

    refused("proof-of-other-content", root)


def test_refactoring_stated_by_an_agent(tmp_path: Path) -> None:
    root = change(shop(tmp_path, RED_FIRST), {"price.py": CHEAT})
    words = ("evidence", "run", "red-first", "--refactoring", "behaviour stays")

    ran = vfcc(root, *words, env=AGENT)

    assert ran.code == 3
    assert "needs a person at a terminal" in ran.err
    refused("refactoring-stated-by-an-agent", root, run=words)


def test_planted_case_in_a_workflow_of_soft_gates(tmp_path: Path) -> None:
    root = person(measured(change(shop(tmp_path, GREEN, RED_FIRST, TESTS_KEPT, gates="soft"), PLANTED)), "You")

    refused("planted-case-in-a-workflow-of-soft-gates", root)
    by_agent = vfcc(root, "stage", "advance", env=AGENT)
    assert (by_agent.code, "only a person at a terminal may leave a gap" in by_agent.err) == (4, True)
    passed = typed(root, "stage", "advance")
    assert passed.code == 0, passed
    shown = vfcc(root, "stage", "list").out
    assert "passed with 2 gaps" in shown
    named = vfcc(root, "stage", "show", "plan").out
    assert "red-first" in named
    assert "all 2 tests still pass" in named
