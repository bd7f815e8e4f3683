"""An agent leaves no stage with a gap; a person may, and every screen counts it. One answer names what is owed."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import Ran, by_person, git, vfcc
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-GATES")

AGENTS = [{"VFCC_AGENT": "coder"}, {"CLAUDECODE": "1"}, {"CODEX_SANDBOX": "seatbelt"}, {"CURSOR_AGENT": "1"}, {}]
"""Roles and the markers of clients; without any, a process that has no terminal is no person either."""
OWED = {
    "light": "vfcc stage put plan.md  # or write .memory/stage/login/planning/artifacts/plan.md",
    "standard": "vfcc stage put sprint-plan.md  # or write .memory/stage/login/planning/artifacts/sprint-plan.md",
}


def project(folder: Path, workflow: str = "light") -> Path:
    """A project in git with a sprint just started."""
    root = write_tree(folder / "project", {"shop.py": "PRICE = 1\n", "CLAUDE.md": "# Shop\n"})
    git(root, "init", "--quiet", "--initial-branch", "main")
    assert vfcc(root, "init", "--workflow", workflow).code == 0
    git(root, "config", "user.name", "You")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a shop")
    assert vfcc(root, "sprint", "start", "Login").code == 0
    return root


def stage(root: Path) -> str:
    value = vfcc(root, "sprint", "show", "--json").data
    return str(value["current"])


def artifact(root: Path, name: str) -> None:
    write_tree(root, {f".memory/stage/login/{name}": "# It\n\nIt says something.\n"})


@pytest.mark.points(1)
@pytest.mark.parametrize("workflow", OWED)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda env: next(iter(env), "no terminal"))
def test_a_script_that_only_advances_commits_and_allows_gets_nowhere(
    tmp_path: Path, workflow: str, agent: dict[str, str]
) -> None:
    root = project(tmp_path, workflow)
    for _ in range(3):
        for words in (["allow", "--yes"], ["stage", "advance"], ["stage", "advance", "--sprint", "login", "--commit"]):
            ran = vfcc(root, *words, env=agent)
            if words[0] == "stage":
                ran.refused(4, "login cannot leave planning", f"to do: {OWED[workflow]}", f"hint: {OWED[workflow]}")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--allow-empty", "--message", "login: work")

        assert stage(root) == "planning"


@pytest.mark.sweep
def test_an_agents_marker_outweighs_its_terminal(tmp_path: Path) -> None:
    root = project(tmp_path)
    for agent in (
        {"CLAUDECODE": "1"},
        {"CODEX_THREAD_ID": "x"},
        {"GEMINI_CLI": "1"},
        {"COPILOT_CLI": "1"},
        {"CI": "true"},
    ):
        ran = typed(root, "stage", "advance", env=agent)
        assert ran.code == 4, ran
        assert "only a person at a terminal may leave a gap" in ran.err

    assert typed(root, "stage", "advance").out.startswith("login: planning → design (planning passed with 1 gap)\n")


@pytest.mark.sweep
def test_an_agent_that_meets_every_criterion_advances(tmp_path: Path) -> None:
    root = project(tmp_path)
    agent = {"VFCC_AGENT": "planner"}
    artifact(root, "planning/artifacts/plan.md")
    assert vfcc(root, "next", env=agent).out == "planning owes nothing\nvfcc stage advance\n"
    assert vfcc(root, "stage", "advance", env=agent).out.startswith("login: planning → design\n")
    artifact(root, "design/artifacts/design.md")
    assert vfcc(root, "stage", "advance", env=agent).code == 0
    artifact(root, "coding/artifacts/changes.md")

    vfcc(root, "stage", "advance", env=agent).refused(4, "- changed: no file outside .memory/ changed since", "(soft)")
    write_tree(root, {"shop.py": "PRICE = 2\n"})
    assert vfcc(root, "stage", "advance", env=agent).code == 0


def test_a_person_whom_git_has_no_name_for_leaves_no_gap(tmp_path: Path) -> None:
    root = project(tmp_path)
    git(root, "config", "--unset", "user.name")
    ran = typed(root, "stage", "advance", env={"GIT_CONFIG_GLOBAL": os.devnull})

    assert ran.code == 4, ran
    assert "hint: git config --global user.name" in ran.err


def screens(root: Path) -> dict[str, str]:
    """The next command, as each screen has it."""
    shown = {name: vfcc(root, *name.split()).out.splitlines() for name in ("stage show", "check gate")}
    found = {name: lines[-1].removeprefix("next: ") for name, lines in shown.items()}
    found["next"] = vfcc(root, "next").out.splitlines()[1]
    found["next --json"] = vfcc(root, "next", "--json").data["command"]
    found["stage show --json"] = vfcc(root, "stage", "show", "--json").data["next"]
    found["brief"] = next(line for line in brief_with_gate(root).splitlines() if line.startswith("- next: "))[9:-1]
    return found


def brief_with_gate(root: Path) -> str:
    """Return a brief that has the gate: on a busy machine a hook may run out of time before it asks for that."""
    for _ in range(5):
        ran = hook(root)
        if "- next: " in ran.out:
            return str(json.loads(ran.out)["hookSpecificOutput"]["additionalContext"])
    raise AssertionError(ran)


def hook(root: Path) -> Ran:
    """Begin a session of Claude Code in the project."""
    import subprocess

    from tests.cli.process import VFCC, environment

    said = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup", "cwd": str(root)}
    done = subprocess.run(
        [str(VFCC), "hook", "claude"],
        cwd=root,
        env=environment(root.parent),
        input=json.dumps(said).encode(),
        capture_output=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.points(1)
@pytest.mark.parametrize("workflow", OWED)
def test_every_screen_names_the_same_next_command(tmp_path: Path, workflow: str) -> None:
    root = project(tmp_path, workflow)

    assert set(screens(root).values()) == {OWED[workflow]}
    assert vfcc(root, "status").out.splitlines()[-1] == "  next: vfcc next --sprint login"
    if workflow == "light":
        artifact(root, "planning/artifacts/plan.md")
        assert set(screens(root).values()) == {"vfcc stage advance"}
        assert vfcc(root, "status").out.splitlines()[-1] == "  next: vfcc next --sprint login"


@pytest.mark.sweep
def test_what_is_owed_comes_with_its_file_its_headings_and_who_can_do_it(tmp_path: Path) -> None:
    root = project(tmp_path, "standard")
    folder = ".memory/stage/login/planning/artifacts"
    step = vfcc(root, "next", "--json", "--full").data
    first = step["unmet"][0]

    assert (first["criterion"], first["mode"]) == ("sprint-plan", "hard")
    assert (first["file"], first["headings"]) == (f"{folder}/sprint-plan.md", ["Goals", "Scope"])
    assert step["alternative"] == ""
    for name in ("sprint-plan", "needs", "acceptance-plan", "risks"):
        write_tree(root, {"draft.md": "# It\n\n## Goals\n\nOne.\n\n## Scope\n\nSmall.\n"})
        assert vfcc(root, "stage", "put", name, "--file", "draft.md", env={"VFCC_AGENT": "planner"}).code == 0
    assert vfcc(root, "approve", "--request", env={"VFCC_AGENT": "planner"}).code == 0
    owed = vfcc(root, "next", "--json").data["unmet"]
    assert [(each["criterion"], each["person"]) for each in owed] == [("needs-accepted-by", False), ("approved", True)]
    assert "owed too: approved (by a person)" in vfcc(root, "next").out


@pytest.mark.sweep
def test_a_gap_is_counted_on_every_screen(tmp_path: Path) -> None:
    root = project(tmp_path)
    person = typed(root, "stage", "advance")
    assert person.code == 0, person
    artifact(root, "design/artifacts/design.md")
    assert vfcc(root, "stage", "advance").out.startswith("login: design → coding\n")

    assert "  in coding, 2 of 5 stages passed with 1 gap, as of event " in vfcc(root, "status").out
    assert "passed with 1 gap" in vfcc(root, "stage", "list").out
    assert "(passed with 1 gap; left leg" in vfcc(root, "stage", "show", "planning").out
    assert "2/5 with 1 gap" in vfcc(root, "sprint", "list").out
    assert vfcc(root, "sprint", "show").out.startswith("login: Login (open with 1 gap)\n")
    report = vfcc(root, "sprint", "report").out
    assert "Status: open with 1 gap, in coding." in report
    assert "| passed with 1 gap |" in report
    status = vfcc(root, "status", "--json").data
    assert status["open"][0]["gaps"] == 1
    assert [each["gaps"] for each in vfcc(root, "stage", "list", "--json").data] == [1, 0, 0, 0, 0]
    assert [each["gaps"] for each in vfcc(root, "sprint", "list", "--json").data] == [1]
    close = by_person(root, "sprint", "close", "--unfinished", "enough")
    assert close.out.startswith("login: closed with 1 gap\n")
    assert "2/5 with 1 gap" in vfcc(root, "sprint", "list").out


@pytest.mark.sweep
def test_a_stage_that_is_reopened_or_waived_has_no_gap(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert typed(root, "waive", "plan", "--reason", "none is needed", "--yes").code == 0
    assert vfcc(root, "stage", "advance").out.startswith("login: planning → design\n")
    assert typed(root, "stage", "advance").out.startswith("login: design → coding (design passed with 1 gap)\n")
    assert "with 1 gap" in vfcc(root, "stage", "list").out
    assert vfcc(root, "stage", "reopen", "design", "--reason", "it was empty").code == 0
    assert "gap" not in vfcc(root, "stage", "list").out
