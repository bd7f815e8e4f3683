"""`vfcc waive`: a person at a real terminal, shown what is waived; expired waivers are told and close the gate."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, project, typed
from tests.cli.process import vfcc
from tests.cli.sprint.test_approve import AGENTS, refused_at_terminal, silent
from tests.people_world import ID, OTHER, PLAN, WORKFLOW, commit, put
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import waive, what_to_waive

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

WORDS = ("--reason", "nobody is there")


def test_a_person_sees_what_is_waived_and_is_asked(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "waive", "reviewed", *WORDS, "--expires", "2999-12-31", keys="y\n")

    assert ran.code == 0, ran
    assert f"{ID}/plan, reviewed: somebody else approved the plan (hard)" in ran.err
    assert "not_evaluable: not approved yet" in ran.err
    assert "Waive? [y/N]" in ran.err
    assert ran.out.startswith(f"{ID}/plan, reviewed: waived by human:Other until 2999-12-31\nto commit: ")
    assert typed(here.root, "waive", "reviewed", *WORDS, keys="n\n").code == 130


@pytest.mark.points(2)
@pytest.mark.parametrize("env", AGENTS, ids=lambda env: next(iter(env)))
def test_an_agent_or_a_job_waives_nothing(tmp_path: Path, env: dict[str, str]) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "waive", "reviewed", *WORDS, "--yes", env=env)

    refused_at_terminal(ran, "vfcc waive needs a person at a terminal")
    vfcc(here.root, "waive", "reviewed", *WORDS, "--yes").refused(3, "vfcc waive needs a person at a terminal")
    assert silent(here)


def test_what_cannot_be_waived_is_refused_in_one_line(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "waive", "frozen", *WORDS, "--yes")

    refused_at_terminal(ran, "plan/frozen cannot be waived: ", "hint: ")
    assert len(ran.err.splitlines()) == 2


def test_slips_are_told(tmp_path: Path) -> None:
    here = project(tmp_path)
    refused_at_terminal(typed(here.root, "waive", "reviwed", *WORDS), "did you mean reviewed?", code=2)
    refused_at_terminal(typed(here.root, "waive", "plan", *WORDS), "is met", code=2)
    refused_at_terminal(typed(here.root, "waive", "reviewed", *WORDS, "--expires", "2020-01-01"), "is over", code=2)
    refused_at_terminal(typed(here.root, "waive", "reviewed"), "vfcc waive needs --reason TEXT", code=2)
    assert silent(here)


def test_an_expired_waiver_is_marked_and_closes_the_gate(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    then = Workspace(here.root, FixedClock(datetime(2020, 1, 2, tzinfo=UTC)))
    waive(then, what_to_waive(then, ID, "reviewed"), "over the holidays", "2020-01-02", actor=OTHER)

    vfcc(here.root, "stage", "advance").refused(4, "reviewed: ")
    told = "waived: plan/reviewed by human:Other until 2020-01-02 (expired): over the holidays\n"
    for command in (("status",), ("sprint", "show")):
        assert told in vfcc(here.root, *command).out


@pytest.mark.sweep
def test_a_snapshot_of_the_status_ends_with_the_first_waiver_in_it(tmp_path: Path) -> None:
    here = project(tmp_path)
    ahead = "import time; now = time.time_ns; time.time_ns = lambda: now() + 60_000_000_000\n"
    main = "import sys\nfrom verifflowcc.fast import main\nsys.argv = ['vfcc', 'status']\nmain()\n"
    assert typed(here.root, "waive", "reviewed", *WORDS, "--expires", "2999-12-31", "--yes").code == 0

    import sys

    assert vfcc(here.root, program=(sys.executable, "-c", ahead + main)).code == 0
    path = here.local / "snapshot.json"
    snapshot = json.loads(path.read_text())
    assert snapshot["until"] == int(datetime(3000, 1, 1, tzinfo=UTC).timestamp() * 1000)
    assert "waived: plan/reviewed" in snapshot["text"]
    for until, answers in ((snapshot["until"], "from the snapshot"), (1, "log-in: "), ("x", "log-in: ")):
        path.write_text(json.dumps({**snapshot, "until": until, "text": "from the snapshot\n"}))
        assert vfcc(here.root, "status").out.startswith(answers)


def test_a_strict_workflow_takes_two_people(tmp_path: Path) -> None:
    here = project(tmp_path, WORKFLOW.replace("title: People", "title: People\nstrict: true", 1))
    refused_at_terminal(typed(here.root, "waive", "reviewed", *WORDS, "--yes"), "say until when", code=2)
    day = ("--expires", "2999-12-31", "--yes")
    first = typed(here.root, "waive", "reviewed", *WORDS, *day)
    assert first.out.splitlines()[1] == "1 of 2: another person must waive it too"
    refused_at_terminal(typed(here.root, "waive", "reviewed", *WORDS, *day), "has waived it already")
    person(here.root, "Third")
    second = typed(here.root, "waive", "reviewed", *WORDS, *day, "--json", "--full")
    assert second.data["assessment"]["verdict"] == "waived"
