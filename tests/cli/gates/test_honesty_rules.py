"""A change of the rules in a sprint needs a person, and a stray file in the ledger is named with the way on."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.honest_world import (
    ADD,
    CHANGES,
    EVENTS,
    PYTHON,
    SUB_FAILED,
    TESTS,
    commit,
    config,
    done,
    edited,
    project,
    refused,
)
from tests.cli.process import by_person, vfcc
from tests.event_samples import START
from tests.trees import write_tree
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.baseline_rules import baseline_text
from verifflowcc.base.model.baselines import Baseline, BaselineEntry
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import BaselineKind

pytestmark = pytest.mark.vfcc("REQ-STAGE-EXIT")
AGENT = {"VFCC_AGENT": "coder"}


def test_swapped_command_after_a_red_run(tmp_path: Path) -> None:
    root = person(project(tmp_path, TESTS, files={"tests/exit": "1"}), "You")
    assert vfcc(root, "evidence", "run", env=AGENT).code != 0
    passing = [*PYTHON, "-c", "import shutil, sys; shutil.copy('tests/junit.xml', sys.argv[1])", "{junit}"]
    write_tree(root, {".memory/config.yaml": config(test={"run": passing})})
    assert by_person(root, "allow", "--yes").code == 0
    done(root, "evidence", "run", env=AGENT)
    commit(root)

    refused("swapped-command-after-a-red-run", root)
    gate = vfcc(root, "check", "gate").out
    words = " ".join(gate.split())
    assert "pass tests: " in words
    assert "note: test: command changed since the sprint started. Was: " in words
    assert vfcc(root, "approve", "plan", "--criterion", "rules", "--yes", env=AGENT).code == 3
    assert typed(root, "approve", "plan", "--criterion", "rules", "--yes").code == 0
    done(root, "stage", "advance", env=AGENT)


def test_baseline_by_hand(tmp_path: Path) -> None:
    root = project(
        tmp_path, TESTS, files={"tests/exit": "1", "tests/junit.xml": f"<testsuite>{ADD}{SUB_FAILED}</testsuite>"}
    )
    base = vfcc(root, "sprint", "report", "--json", "--full").data["base"]
    entry = BaselineEntry("test", "tests.suite::test_sub")
    made = Baseline(BaselineKind.TESTS, base, "human:You", "old", "2999-12-31", (entry,), 2, {"test": (1,)})
    write_tree(root, {made.kind.path: baseline_text(made)})
    assert vfcc(root, "evidence", "run", env=AGENT).code == 1
    assert vfcc(root, "baseline", "tests", "--reason", "old", "--expires", "2999-12-31", "--yes", env=AGENT).code == 3

    refused("baseline-by-hand", root)


def test_stray_event(tmp_path: Path) -> None:
    root = person(project(tmp_path), "You")
    note = {"stage": None, "text": "planted"}
    made = make_event(EventType.FEEDBACK_ADDED, note, parents=("01M6ZPVCT00000000000000000",), actor="ci", at=START)
    (root / EVENTS / f"{made.id}.json").write_bytes(encode_event(made))

    refused("stray-event", root)
    assert "vfcc doctor --repair" in vfcc(root, "doctor").out
    assert vfcc(root, "doctor", "--repair", "--yes", env=AGENT).code == 3
    assert typed(root, "doctor", "--repair", keys="n\n").code == 130
    assert vfcc(root, "check", "gate").code == 3
    moved = typed(root, "doctor", "--repair", keys="y\n")
    assert (moved.code, moved.out.startswith(f"moved: {EVENTS}/{made.id}.json to .memory/local/quarantine/")) == (
        0,
        True,
    )
    assert "an event, feedback_added, by ci as it says" in moved.err
    done(root, "check", "gate")


def test_rules_edited_and_committed(tmp_path: Path) -> None:
    root = project(tmp_path)
    done(root, "stage", "advance")
    write_tree(root, {CHANGES: "# Changes\n\nA form.\n", ".memory/agent/coder/tools.yaml": "read: always\n"})
    edited(root / ".memory/workflow.yaml", "title: Own", "title: Other")
    commit(root)

    refused("rules-edited-and-committed", root)
    (asked,) = vfcc(root, "next", "--json", "--full").data["unmet"]
    assert (asked["criterion"], asked["person"]) == ("rules", True)
