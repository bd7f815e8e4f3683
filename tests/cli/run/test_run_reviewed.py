"""A review by an agent: it only reads, answers in a form, and counts as its own criterion."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.run_world import FIXED, RunWorld, artifact, honest

pytestmark = pytest.mark.vfcc("REQ-RUN")

WORKFLOW = """\
name: own
title: With a review of the code
gates: hard
stages:
  - id: coding
    title: Coding
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: tests, kind: junit, command: test, title: the tests pass}
      - id: code-review
        kind: metric
        metric: findings
        trust: asserted
        at_most: {value: 0}
        title: a review of the code found nothing
"""
FINDING = {"path": "shop.py", "line": 1, "why": "a discount has no name"}
NAMED = FIXED.replace("discount=0", "discount=0.0")


def answer(*blockers: Mapping[str, object]) -> dict[str, object]:
    """Return a step of an agent that answers in the form of a review."""
    structured = {"verdict": "fail" if blockers else "pass", "blockers": list(blockers)}
    return {"lines": [{"type": "result", "outcome": "done", "structured": structured}]}


def script(*reviews: Mapping[str, object]) -> dict[str, object]:
    """Return a script with a coder that mends what is found, and these reviews."""
    first = honest()["coder"][0]
    return {"coder": [first, {"files": {"shop.py": NAMED}}], "reviewer": list(reviews)}


def blocker_names(line: Mapping[str, object]) -> list[str]:
    """Return the criteria that a gate lacks."""
    found = line["blockers"]
    assert isinstance(found, list)
    return [each["criterion"] for each in found]


def test_a_finding_goes_to_the_role_and_the_criterion_is_met_once_a_review_finds_nothing(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, script(answer(FINDING), answer()), workflow=WORKFLOW)

    done = world.drive("--review", f"code-review={world.agent} fresh", "--json", "--full")

    assert done.code == 0, done
    attempts = done.data["attempts"]
    assert [(each["id"], each["outcome"], each["review"]) for each in attempts] == [
        ("coder-1", "done", ""),
        ("reviewer-1", "done", "code-review"),
        ("coder-2", "done", ""),
        ("reviewer-2", "done", "code-review"),
    ]
    assert attempts[1]["findings"] == ["shop.py:1: a discount has no name"]
    sessions = [each["session"] for each in (*world.calls("coder"), *world.calls("reviewer"))]
    assert len({*sessions}) == 3  # the coder's goes on, each review has its own
    assert "shop.py:1: a discount has no name" in world.calls("coder")[1]["prompt"]
    assert "for the criterion code-review (a review of the code found nothing)" in world.calls("reviewer")[0]["prompt"]
    verdicts = [each for each in world.events() if each["type"] == "gate.evaluated"]
    assert [each["open"] for each in verdicts] == [False, False, False, True]
    assert [blocker_names(each) for each in verdicts] == [*[["code-review"]] * 3, []]


@pytest.mark.sweep
def test_a_review_that_changes_files_or_answers_in_prose_is_no_review(tmp_path: Path) -> None:
    writes = {**answer(), "files": {"shop.py": "stolen = 1\n"}}
    prose = {"lines": [{"type": "result", "outcome": "done", "text": "Looks good to me."}]}
    world = RunWorld(tmp_path, script(writes, prose, prose), workflow=WORKFLOW)

    done = world.drive("--review", f"code-review={world.agent}", "--json", "--full")

    assert done.code == 4, done
    attempts = done.data["attempts"]
    assert [each["outcome"] for each in attempts] == ["done", "out_of_bounds", "schema", "schema"]
    assert attempts[1]["paths"] == ["shop.py (a review changes nothing)"]
    assert all(each["merged"] is None for each in attempts[1:])
    assert done.data["detail"] == "code-review: 3 reviews brought no answer"


def test_no_review_by_an_agent_takes_the_place_of_tests_or_of_a_person(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, script(answer()), workflow=WORKFLOW)

    world.drive("--review", "tests=codex").refused(2, "an agent reviews a criterion of the kind metric", "vfcc help")
    world.drive("--review", "approved=codex").refused(2, "approved is no exit criterion", "vfcc workflow show")
    refused = world.drive("--review", f"code-review={artifact('coding', 'none')}")
    refused.refused(2, "is not installed here", "vfcc run --agent")
