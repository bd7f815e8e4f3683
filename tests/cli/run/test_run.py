"""`vfcc run` drives a real sprint in a real repository, with an agent that is a script."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.process import by_person
from tests.cli.shapes import promised, shape
from tests.run_world import FIXED, NEW_TESTS, SPRINT, RunWorld, artifact, honest
from tests.trees import git
from verifflowcc.run.store.run_tree import place_of

pytestmark = pytest.mark.vfcc("REQ-RUN")

RUN = f"{SPRINT}-1"
BRANCH = f"vfcc/{RUN}/integration"


def test_a_run_drives_a_light_sprint_to_its_close_and_leaves_the_checkout_alone(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)
    before = git(world.root, "rev-parse", "HEAD", "--abbrev-ref", "HEAD"), git(world.root, "status", "--porcelain")

    planned = world.drive("--dry-run")
    assert planned.code == 0, planned
    assert "nothing was written" in planned.out
    assert not git(world.root, "branch", "--list", "vfcc/*")

    done = world.drive("--json")

    assert done.code == 0, done
    assert (done.data["status"], done.data["alive"]) == ("done", False)
    assert [each["id"] for each in done.data["attempts"]] == [
        *("planner-1", "designer-1", "coder-1", "tester-1", "stakeholder-1"),
    ]
    now = git(world.root, "rev-parse", "HEAD", "--abbrev-ref", "HEAD"), git(world.root, "status", "--porcelain")
    assert now == before

    kinds = [each["type"] for each in world.events()]
    stage = ["attempt.started", "attempt.ended", "attempt.merged", "gate.evaluated", "stage.passed"]
    assert kinds == ["run.opened", *stage * 5, "run.done"]
    assert [each["seq"] for each in world.events()] == list(range(1, len(kinds) + 1))

    # What the run made is one fast-forward away, with its agents as the authors.
    git(world.root, "merge", "--ff-only", "--quiet", BRANCH)
    assert (world.root / "shop.py").read_text() == FIXED
    log = git(world.root, "log", "--format=%an|%(trailers:key=Vfcc-Actor,valueonly,separator=%x2C)|%s", "--no-merges")
    assert f"vfcc run|agent:coder|{RUN}: coding by coder" in log
    assert shape(world.run("status", "--json").data) == promised("run_status")
    cleaned = world.run("clean", "--json")
    assert cleaned.code == 0, cleaned
    assert shape(cleaned.data) == promised("run_clean")
    assert cleaned.data["kept"] == []
    assert not git(world.root, "branch", "--list", "vfcc/*")


def test_a_gate_that_fails_once_gets_its_blockers_into_the_same_session(tmp_path: Path) -> None:
    script = honest()
    half: dict[str, object] = {"files": {artifact("planning", "notes.txt"): "not the plan\n"}}
    script["planner"] = [half, *script["planner"]]
    world = RunWorld(tmp_path, script)

    done = world.drive("--until", "planning", "--merge", "--json")

    assert done.code == 0, done
    assert git(world.root, "rev-parse", "HEAD") == git(world.root, "rev-parse", BRANCH)
    assert git(world.root, "status", "--porcelain") == ""
    first, second = world.calls("planner")
    assert first["session"] == second["session"]
    assert "The gate of this stage is still closed" in second["prompt"]
    assert "plan.*" in second["prompt"].rpartition("The gate of this stage")[2]
    closed, opened = [each for each in world.events() if each["type"] == "gate.evaluated"]
    assert closed["open"] is False
    assert opened["open"] is True
    assert [each["tree"] for each in done.data["attempts"]] == ["planner-1", "planner-1"]


def test_what_a_role_may_not_change_is_not_merged_and_is_listed(tmp_path: Path) -> None:
    script = honest()
    plan = script["planner"][0]["files"]
    assert isinstance(plan, dict)
    script["planner"] = [{"files": {**plan, "shop.py": "stolen = 1\n"}}, *script["planner"]]
    world = RunWorld(tmp_path, script)

    done = world.drive("--until", "planning", "--json", "--full")

    assert done.code == 0, done
    first, second = done.data["attempts"]
    assert first["outcome"] == "out_of_bounds"
    assert first["merged"] is None
    assert "shop.py" in first["paths"][0]
    assert (second["outcome"], second["fresh"]) == ("done", True)
    assert "stolen" not in git(world.root, "show", f"{BRANCH}:shop.py")
    assert "stolen" in git(world.root, "show", f"vfcc/{RUN}/planner-1:shop.py")
    assert "shop.py" in world.calls("planner")[1]["prompt"].rpartition("The gate of this stage")[2]


def test_an_agent_that_lies_about_the_work_passes_no_gate(tmp_path: Path) -> None:
    script = honest()
    forged = '{"v":1}\n'
    moves = [
        "vfcc stage advance --sprint discounts || true",
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine",
    ]
    script["planner"] = [
        {"lines": [{"type": "result", "text": "all done", "outcome": "done"}]},
        {"files": {f".memory/sprint/{SPRINT}/events/01KABCDEFGHJKMNPQRSTVWXYZ0.json": forged}},
        {"files": {".memory/config.yaml": "format: 1\n"}, "shell": moves},
        {"shell": ["git config core.fsmonitor ./evil"]},
        {"shell": ['rm -rf "$PWD"']},
    ]
    world = RunWorld(tmp_path, script)

    done = world.drive("--max-attempts", "5", "--json", "--full")

    assert done.code == 4, done
    assert done.document["error"]["code"] == "blocked"
    assert [each["outcome"] for each in done.data["attempts"]] == ["no_change", *["out_of_bounds"] * 4]
    assert [each["paths"][0].partition(" (")[0] for each in done.data["attempts"][1:]] == [
        f".memory/sprint/{SPRINT}/events/01KABCDEFGHJKMNPQRSTVWXYZ0.json",
        ".memory/config.yaml",
        ".git/config",
        f"vfcc/{RUN}/planner-5",
    ]
    assert done.data["stage"] == "planning"
    assert done.data["detail"].startswith("5 attempts in planning; ")
    assert done.data["next"] == "vfcc run retry planning"
    assert forged not in git(world.root, "ls-tree", "-r", "--name-only", BRANCH)


def test_a_second_driver_is_refused_while_a_run_is_open(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, {**honest(), "planner": [{}]})
    assert world.drive("--max-attempts", "1", "--until", "planning").code == 4

    world.drive().refused(5, f"{SPRINT} has an open run already: {RUN} (blocked)", f"vfcc run resume {RUN}")

    world.write_script(honest())
    retried = world.run("retry", "planning", "--json")
    assert retried.code == 0, retried


def test_the_script_of_the_person_is_run_and_not_the_one_in_the_worktree(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)
    wrapper = world.root / "agent"
    wrapper.write_text("#!/bin/sh\nexit 1\n")
    wrapper.chmod(0o755)
    world.commit("an agent that fails")
    wrapper.write_text(f"#!/bin/sh\nexec {world.agent}\n")

    done = world.run("--agent", "./agent", "--until", "planning", "--json")

    assert done.code == 0, done
    assert [each["outcome"] for each in done.data["attempts"]] == ["done"]


def test_a_client_that_is_not_installed_starts_no_run(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)

    world.run("--agent", "no-such-agent --fast").refused(2, "no-such-agent is not installed here", "vfcc run --agent")
    assert not git(world.root, "branch", "--list", "vfcc/*")


@pytest.mark.sweep
def test_a_client_for_a_role_that_no_stage_has_starts_no_run(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)

    done = world.drive("--role", "codr=codex", "--dry-run")

    assert done.code == 2
    assert "no stage of discounts has the role codr; did you mean coder?" in done.err


def test_a_client_that_was_removed_since_continues_no_run(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, {**honest(), "planner": [{}]})
    program = tmp_path / "client"
    program.write_text(f"#!/bin/sh\nexec {world.agent}\n")
    program.chmod(0o755)
    assert world.run("--agent", str(program), "--max-attempts", "1", "--until", "planning").code == 4
    program.unlink()

    world.run("resume").refused(2, f"{program} is not installed here", "vfcc run status")
    world.run("retry", "planning").refused(2, f"{program} is not installed here", "vfcc run status")

    assert world.run("status", "--json").data["status"] == "blocked"
    assert len(world.calls("planner")) == 1


def test_a_run_needs_a_committed_sprint(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)
    (world.root / ".memory" / "note.md").write_text("new\n")

    world.drive().refused(2, "starts from the last commit, which lacks .memory/note.md", "git add .memory")


@pytest.mark.sweep
def test_a_limit_ends_the_run_with_7_and_more_of_it_goes_on(tmp_path: Path) -> None:
    script = honest()
    used = {"type": "usage", "input_tokens": 900, "output_tokens": 200}
    script["planner"] = [{**script["planner"][0], "lines": [used]}]
    world = RunWorld(tmp_path, script)

    done = world.drive("--until", "design", "--max-tokens", "1k")
    assert done.code == 7, done
    assert "1,100 of 1,000 tokens" in done.out

    more = world.run("resume", "--max-tokens", "10k", "--json")
    assert more.code == 0, more
    assert more.data["input_tokens"] == 900


def test_tests_that_pass_without_the_change_are_stopped_by_red_first(tmp_path: Path) -> None:
    script = honest()
    weak = NEW_TESTS.replace("assert total([5, 5], 3) == 7", "assert True")
    script["tester"] = [
        {"files": {"tests/test_shop.py": weak, artifact("testing", "results.md"): "# Results\n\nAll pass.\n"}},
        script["tester"][0],
    ]
    world = RunWorld(tmp_path, script)

    done = world.drive("--until", "testing", "--json")

    assert done.code == 0, done
    closed = next(each for each in world.events() if each["type"] == "gate.evaluated" and not each["open"])
    assert [each["criterion"] for each in _blockers(closed)] == ["red-first"]
    assert len(world.calls("tester")) == 2


def test_no_process_of_a_run_outlives_it(tmp_path: Path) -> None:
    script = honest()
    script["planner"] = [{**script["planner"][0], "shell": ["setsid sleep 1000 >/dev/null 2>&1 &"]}]
    world = RunWorld(tmp_path, script)

    assert world.drive("--until", "planning").code == 0

    marker = f"VFCC_RUN={place_of(world.root, RUN).marker}/"
    listed = [each.name for each in Path("/proc").iterdir() if each.name.isdecimal()]
    assert [pid for pid in listed if marker in _environment(pid)] == []


def _environment(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


@pytest.mark.sweep
def test_events_are_the_same_lines_whenever_they_are_read(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)
    assert world.drive("--until", "planning").code == 0

    first = world.run("events")
    again = world.run("events", RUN, "--follow")

    assert first.out == again.out
    assert all(json.loads(line)["v"] == 1 for line in first.out.splitlines())


def _blockers(line: dict[str, object]) -> list[dict[str, object]]:
    found = line["blockers"]
    assert isinstance(found, list)
    return found


REVIEWED = """\
name: own
title: With a review of the plan
gates: hard
stages:
  - id: planning
    title: Planning
    leg: left
    pair: validation
    role: planner
    artifacts: ["plan.*"]
    exit:
      - {id: reviewed, kind: review, title: a person approved the plan}
  - {id: coding, title: Coding, leg: apex, role: coder, artifacts: ["changes.*"], exit: [{id: commits, kind: commit}]}
  - id: validation
    title: Validation
    leg: right
    pair: planning
    role: stakeholder
    artifacts: ["acceptance.*"]
    exit:
      - {id: frozen, kind: baseline, files: ["**"], tagged: true}
"""


def test_a_person_is_asked_the_run_ends_with_6_and_goes_on_once_it_is_answered(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, workflow=REVIEWED)

    asked = world.drive("--json", "--full")

    assert asked.code == 6, asked
    assert asked.document["error"]["code"] == "waiting"
    (ask,) = asked.data["asks"]
    assert ask.startswith("reviewed: ")
    tree = Path(asked.data["tree"])
    assert f"vfcc -C {tree} approve" in ask
    assert asked.data["next"].startswith(f"vfcc -C {tree} approve")
    assert len(world.calls("planner")) == 1  # no attempt is spent on what only a person can do

    again = world.run("resume", "--json")
    assert again.code == 6, again
    assert [each["type"] for each in world.events()][-1] == "person.asked"

    words = shlex.split(asked.data["next"].partition("  # ")[0])
    assert by_person(world.root, *words[1:], "--yes").code == 0
    to_tag = world.run("resume", "--json", "--full")

    # A tag is set by a person as well: no role may, and the driver does not.
    assert to_tag.code == 6, to_tag
    assert to_tag.data["next"] == f"git -C {tree} tag NAME  # then: vfcc run resume"
    again = world.run("resume", "--json")
    assert again.code == 6, again
    git(tree, "tag", "v1")
    resumed = world.run("resume", "--json", "--full")

    assert resumed.code == 0, resumed
    assert [each["role"] for each in resumed.data["attempts"]] == ["planner", "coder", "stakeholder"]
    assert "person.answered" in [each["type"] for each in world.events()]


def test_a_program_never_leaves_a_soft_criterion_open(tmp_path: Path) -> None:
    script = honest()
    script["coder"] = [{"files": {artifact("coding", "changes.md"): "# Changes\n\nNone.\n"}}]
    world = RunWorld(tmp_path, script)

    done = world.drive("--until", "coding", "--max-attempts", "2", "--json")

    assert done.code == 4, done
    assert "changed" in done.data["detail"]
    assert done.data["stage"] == "coding"


MARKED = NEW_TESTS.replace("def test_discount():", "def test_discount():  # vfcc: REQ-less")
TRACED = """\
name: own
title: With a requirement that a test verifies
gates: hard
trace: {types: {requirement: {fields: []}}, severity: {no-parent: off, unreviewed: off, orphan-file: off}}
stages:
  - id: coding
    title: Coding
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: tests, kind: junit, command: test}
      - {id: tested, kind: trace, checks: [not-verified, results], items: [requirement]}
"""


def test_evidence_that_went_stale_is_made_again_also_for_a_criterion_over_the_trace(tmp_path: Path) -> None:
    coded: dict[str, object] = {artifact("coding", "changes.md"): "# Changes\n\nA discount.\n"}
    broken = {"files": {**coded, "shop.py": FIXED.replace("sum(prices) -", "1 +"), "tests/test_shop.py": MARKED}}
    world = RunWorld(tmp_path, {"coder": [broken, {"files": {"shop.py": FIXED}}]}, workflow=TRACED)
    requirement = ("trace", "add", "requirement", "Totals take a discount", "--id", "REQ-less", "--text", "They shall.")
    assert by_person(world.root, *requirement, "--verification", "test").code == 0
    world.commit("a requirement")

    done = world.drive("--json")

    assert done.code == 0, done
    closed, opened = [each for each in world.events() if each["type"] == "gate.evaluated"]
    assert [each["criterion"] for each in _blockers(closed)] == ["tests", "tested"]
    assert opened["open"] is True
