"""With two sprints open, commands and hooks act on the one that is meant, or name both, and no rule is lost."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.cli.test_fast import AHEAD, LISTING
from tests.cli.clients.test_hook import hook_with
from tests.cli.hooked import events, faults, forked_hook, said
from tests.cli.process import Ran, by_person, git, permitted, vfcc
from tests.made_once import copied
from verifflowcc.base.model.command_classes import command_of
from verifflowcc.cli.cli.app import app

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

PROBLEM = "several sprints are open: log-in, pay; choose one"
HINT = "export VFCC_SPRINT=log-in  # or: --sprint log-in, or: git switch main"
NEED_A_SPRINT = (
    "next",
    "sprint show",
    "sprint resolve",
    "sprint report",
    "sprint close --unfinished x",
    "stage show",
    "stage list",
    "stage put plan.md --file a.py",
    "stage draft",
    "stage advance",
    "stage skip --reason x",
    "stage reopen planning --reason x",
    "check gate",
    "check --rerun",
    "evidence run",
    "evidence add a.py --criterion tests",
    "evidence list",
    "evidence show x",
    "evidence stale",
    "evidence redact x --reason y",
    "approve plan",
    "waive plan --reason x",
    "run --dry-run",
    "baseline tests",
    "baseline lint",
    "baseline trace",
    "baseline show",
    "feedback add x",
    "feedback list",
    "feedback triage x --done",
    "task start x",
    "context show --agent coder",
    "context diff --agent coder --agent tester",
    "memory add decision x --scope sprint",
    "memory list --scope stage",
)
ACT_ON_OTHERS = {"metrics", "report", "workflow show"}
"""Commands with `--sprint` that have an answer where none is chosen: all sprints, the workflow of new ones."""
PLAN = ".memory/stage/{0}/planning/artifacts/plan.md"


def made(folder: Path) -> Path:
    """Two sprints in planning: `log-in`, started on `main`, and `pay`, started on `feature/pay`."""
    root = folder / "project"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch", "main")
    (root / "a.py").write_text("total = 0\n")
    assert vfcc(root, "init").code == 0
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    for title, branch in (("Log in", "main"), ("Pay", "feature/pay")):
        git(root, "checkout", "--quiet", "-B", branch)
        assert vfcc(root, "sprint", "start", title).code == 0
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", title)
    git(root, "checkout", "--quiet", "-B", "other")
    return root


def with_option(command: object, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the names of the commands that have an option `--sprint`."""
    if any("--sprint" in each.opts for each in getattr(command, "params", ())):
        yield " ".join(path)
    for name, below in getattr(command, "commands", {}).items():
        yield from with_option(below, (*path, name))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two open sprints, and a branch on which none of them was started."""
    return copied(tmp_path, made)


def edit(root: Path, path: str) -> dict[str, Any]:
    given = {"file_path": str(root / path), "old_string": "0", "new_string": "1"}
    return said("PreToolUse", tool_name="Edit", tool_input=given)


def decision(ran: Ran) -> tuple[str, str]:
    """Return the decision of a hook and its reason."""
    assert (ran.code, ran.err) == (0, ""), ran
    answer = json.loads(ran.out)["hookSpecificOutput"] if ran.out else {}
    return answer.get("permissionDecision", ""), answer.get("permissionDecisionReason", "")


def asked(root: Path, path: str, **env: str) -> tuple[str, str]:
    return decision(forked_hook(root, edit(root, path), env=env))


@pytest.mark.points(3)
@pytest.mark.parametrize("line", NEED_A_SPRINT)
def test_a_command_that_needs_a_sprint_names_them_all_and_how_to_choose(two: Path, line: str) -> None:
    ran = permitted(two, *line.split())

    ran.refused(2)
    assert [each for each in ran.err.splitlines() if each][:2] == [f"error: {PROBLEM}", f"hint: {HINT}"]


def test_no_command_that_takes_a_sprint_is_left_out() -> None:
    asked = {command_of(line.split()) for line in NEED_A_SPRINT if "--scope" not in line}

    assert set(with_option(get_command(app))) == asked | ACT_ON_OTHERS


@pytest.mark.points(1)
@pytest.mark.parametrize("line", [line for line in NEED_A_SPRINT if not line.startswith("memory")])
def test_each_of_them_takes_the_sprint_as_an_option_and_by_the_variable(two: Path, line: str) -> None:
    by_option, wrong = vfcc(two, *line.split(), "--sprint", "pay"), permitted(two, *line.split(), "--sprint", "zzz")
    by_variable = vfcc(two, *line.split(), env={"VFCC_SPRINT": "pay"})

    for ran in (by_option, by_variable):
        assert "several sprints" not in ran.err
        assert "no option" not in ran.err, ran
    wrong.refused(2, "zzz")


def test_two_names_of_one_command_must_be_the_same(two: Path) -> None:
    assert vfcc(two, "sprint", "show", "pay", "--sprint", "pay").code == 0
    vfcc(two, "sprint", "show", "pay", "--sprint", "log-in").refused(2, "pay and --sprint log-in name two sprints")


def test_status_and_next_say_what_chose_the_sprint(two: Path) -> None:
    status = vfcc(two, "status")
    assert f"{PROBLEM}\n  choose: {HINT}\n" in status.out

    git(two, "switch", "--quiet", "feature/pay")

    assert "pay (by branch feature/pay): Pay\n" in vfcc(two, "status").out
    assert vfcc(two, "next").out.startswith("sprint pay (by branch feature/pay)\nplanning: plan: nothing matches")
    assert vfcc(two, "next", env={"VFCC_SPRINT": "log-in"}).out.startswith("sprint log-in (by VFCC_SPRINT)\n")
    assert "log-in (by VFCC_SPRINT): Log in\n" in vfcc(two, "status", env={"VFCC_SPRINT": "log-in"}).out
    shown = vfcc(two, "status", "--json", "--full").data
    assert (shown["current"], shown["chosen_by"], shown["problem"]) == ("pay", "by branch feature/pay", "")


def test_a_remembered_status_is_of_this_branch_and_this_variable(two: Path) -> None:
    git(two, "switch", "--quiet", "feature/pay")
    assert vfcc(two, "status", program=(sys.executable, "-c", AHEAD)).code == 0
    fast = vfcc(two, "status", program=(sys.executable, "-c", LISTING))
    assert "pay (by branch feature/pay)" in fast.out
    assert "typer" not in fast.err.split()

    assert "log-in (by VFCC_SPRINT)" in vfcc(two, "status", env={"VFCC_SPRINT": "log-in"}).out
    git(two, "switch", "--quiet", "other")
    assert PROBLEM in vfcc(two, "status").out


def test_a_variable_of_a_closed_sprint_stops_commands_and_not_the_close_itself(two: Path) -> None:
    env = {"VFCC_SPRINT": "pay"}
    assert by_person(two, "sprint", "close", "--unfinished", "x", env=env).code == 0

    vfcc(two, "stage", "show", env=env).refused(
        2, "VFCC_SPRINT names the sprint pay, which is closed", "hint: export VFCC_SPRINT=log-in"
    )
    assert "VFCC_SPRINT names the sprint pay, which is closed" in vfcc(two, "status", env=env).out
    assert vfcc(two, "stage", "show").out.startswith("log-in/planning")


def test_with_two_open_sprints_the_rules_of_both_hold(two: Path) -> None:
    denial, why = asked(two, "src/a.py")

    assert denial == "deny"
    assert "the role planner (stage planning of log-in) may not edit src/a.py" in why
    assert why.endswith(
        f"; {PROBLEM}: start the client with VFCC_SPRINT=log-in, or: git switch main; for one command: --sprint ID"
    )
    assert asked(two, PLAN.format("log-in")) == ("", "")
    assert asked(two, PLAN.format("pay")) == ("", "")
    assert all("sprint" not in each and "stage" not in each for each in events(two))


def test_the_narrower_stage_decides_until_a_sprint_is_chosen(two: Path) -> None:
    for stage in ("plan", "design"):
        assert vfcc(two, "stage", "skip", "--reason", "x", "--sprint", "pay").code == 3, "no person at a terminal"
        (two / PLAN.format("pay")).parent.mkdir(parents=True, exist_ok=True)
        folder = two / f".memory/stage/pay/{'planning' if stage == 'plan' else 'design'}/artifacts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{stage}.md").write_text("# Plan\n\nSum the cart. Decision: whole cents.\n")
        moved = vfcc(two, "stage", "advance", "--sprint", "pay")
        assert moved.code == 0, moved

    assert asked(two, "src/a.py")[0] == "deny"
    assert asked(two, ".memory/stage/pay/coding/artifacts/changes.md") == ("", "")
    assert "may not be edited in stage planning of log-in" in asked(two, "src/a.py", VFCC_AGENT="coder")[1]
    assert asked(two, "src/a.py", VFCC_AGENT="coder", VFCC_SPRINT="log-in")[0] == "deny"
    assert asked(two, "src/a.py", VFCC_AGENT="coder", VFCC_SPRINT="pay") == ("", "")
    assert asked(two, "src/a.py", VFCC_SPRINT="pay") == ("", "")
    assert asked(two, "src/a.py", VFCC_SPRINT="log-in")[0] == "deny"
    git(two, "switch", "--quiet", "feature/pay")
    assert asked(two, "src/a.py") == ("", "")


@pytest.mark.points(1)
@pytest.mark.parametrize("name", ["nope", "../pay", "PAY"])
def test_a_variable_that_names_no_sprint_frees_no_hook(two: Path, name: str) -> None:
    denial, why = asked(two, "src/a.py", VFCC_SPRINT=name)

    assert denial == "deny"
    assert f"VFCC_SPRINT names {name!r}, and there is no such sprint" in why
    assert "VFCC_SPRINT names" in faults(two)[-1]["error"]


def test_a_snapshot_for_hooks_is_of_its_sprint_and_its_branch(two: Path) -> None:
    git(two, "switch", "--quiet", "feature/pay")
    local = two / ".memory/local"
    assert hook_with(two, AHEAD, said("Stop")).code == 0
    assert json.loads((local / "hook.json").read_text())["sprint"] == "pay"
    forked_hook(two, said("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}))
    assert events(two)[-1]["sprint"] == "pay", "placed at once, by the snapshot"

    forked_hook(two, said("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}), env={"VFCC_SPRINT": "log-in"})
    assert {each.get("sprint") for each in events(two) if each["kind"] == "place"} == {"pay", "log-in"}
    git(two, "switch", "--quiet", "other")
    forked_hook(two, said("PostToolUse", tool_name="Bash", tool_input={"command": "pwd"}))
    assert [each.get("sprint") for each in events(two) if each["kind"] == "tool_execution"] == ["pay", None, None]


def test_the_brief_names_the_open_sprints_and_how_to_choose(two: Path) -> None:
    brief = forked_hook(two, said("SessionStart", source="startup")).out

    context = json.loads(brief)["hookSpecificOutput"]["additionalContext"]
    assert PROBLEM in context
    assert "- log-in “Log in”: in stage planning, started on branch main\n" in context
    assert "- pay “Pay”: in stage planning, started on branch feature/pay\n" in context
    assert "Choose: start the client with VFCC_SPRINT=log-in, or: git switch main." in context
