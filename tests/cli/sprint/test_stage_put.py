"""`vfcc stage put` and `vfcc stage draft`: text becomes an artifact, with its author on record."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import VFCC, Ran, by_person, environment, git, vfcc
from tests.cli.trees import everything
from tests.secret_samples import TOKEN
from tests.trees import write_tree
from verifflowcc.sprint.store.evidence_store import LARGEST_TEXT_BYTES

FOLDER = ".memory/stage/log-in/plan/artifacts"
PLAN = f"{FOLDER}/plan.md"
WHOLE = "# Plan\n\n## Goals\n\nUsers log in.\n\n## Scope\n\nOne form.\n"
WORKFLOW = """\
name: small
title: Small
stages:
  - id: plan
    title: Plan
    leg: left
    pair: check
    role: planner
    artifacts: ["plan.*", "needs.*"]
    exit:
      - {id: plan, kind: artifact, title: the plan has goals, files: ["plan.*"], requires: [Goals, Scope]}
      - {id: reviewed, kind: review, title: somebody else approved the plan}
  - {id: build, title: Build, leg: apex, role: coder, artifacts: ["changes.*"]}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: ["results.json"]}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project in git with a sprint in its first stage, which asks for plan.* with two headings, and for needs.*."""
    folder = write_tree(tmp_path / "project", {".memory/workflow.yaml": WORKFLOW, "README.md": "# Log in\n"})
    write_tree(folder, {".memory/.gitignore": "local/\nprogress.json\n"})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    assert by_person(folder, "sprint", "start", "Log in", "--workflow", "small").code == 0
    return folder


def put(folder: Path, name: str, text: str | bytes, *arguments: str, agent: str = "planner") -> Ran:
    """Run `vfcc stage put` with a text on stdin, as an agent."""
    done = subprocess.run(
        [VFCC, "stage", "put", name, *arguments],
        cwd=folder,
        env=environment(folder.parent, VFCC_AGENT=agent),
        input=text.encode() if isinstance(text, str) else text,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def puts(folder: Path) -> list[dict[str, object]]:
    events = sorted((folder / ".memory/sprint/log-in/events").glob("*.json"))
    return [one for path in events if (one := json.loads(path.read_bytes()))["type"] == "artifact_put"]


@pytest.mark.sweep
def test_a_text_on_stdin_is_stored_and_the_gates_answer_is_printed(root: Path) -> None:
    done = put(root, "plan", "# Plan\n\n## Goals\n\nUsers log in.\n")

    assert done.code == 0, done
    assert (root / PLAN).read_text() == "# Plan\n\n## Goals\n\nUsers log in.\n"
    assert done.out.splitlines() == [
        f"stored: {PLAN} (32 bytes, by agent:planner)",
        f'  FAIL  plan (hard): {PLAN} has no text under the heading "Scope"',
        f"  FAIL  needs (hard): nothing matches {FOLDER}/needs.*",
        "next: vfcc stage put plan.md",
    ]
    (event,) = puts(root)
    assert event["v"] == 2
    assert event["actor"] == "agent:planner"
    assert event["payload"] == {
        "stage": "plan",
        "path": "plan.md",
        "bytes": 32,
        "digest": put(root, "plan", "# Plan\n\n## Goals\n\nUsers log in.\n", "--json", "--full").data["digest"],
    }


@pytest.mark.sweep
def test_when_all_artifacts_are_there_the_next_command_asks_what_is_next(root: Path) -> None:
    put(root, "plan.md", WHOLE)
    done = put(root, "needs.md", "Users log in.\n", "--file", "-")

    assert done.out.splitlines()[1:] == [
        f"  pass  plan: plan.md ({len(WHOLE)} bytes)",
        "  pass  needs: needs.md (14 bytes)",
        "next: vfcc next",
    ]


@pytest.mark.sweep
def test_the_same_text_by_the_same_actor_writes_nothing(root: Path) -> None:
    put(root, "plan", WHOLE)
    before = everything(root)
    again = put(root, "plan.md", WHOLE.replace("\n", "\r\n"))

    assert again.out.startswith(f"unchanged: {PLAN} ")
    assert everything(root) == before
    assert put(root, "plan", WHOLE, agent="designer").out.startswith("stored: ")
    assert [one["actor"] for one in puts(root)] == ["agent:planner", "agent:designer"]


def test_a_file_may_hold_the_text_and_its_path_in_the_project_may_be_the_name(root: Path) -> None:
    write_tree(root, {"below/draft.md": WHOLE})
    done = put(root / "below", PLAN, "", "--file", "draft.md")

    assert (done.code, (root / PLAN).read_text()) == (0, WHOLE)


@pytest.mark.sweep
def test_another_stage_of_the_sprint_can_be_named_unless_it_is_passed(root: Path) -> None:
    done = put(root, "results", '{"passed": 3}', "--stage", "check")
    assert done.out.splitlines()[0].startswith("stored: .memory/stage/log-in/check/artifacts/results.json ")

    put(root, "plan", WHOLE)
    put(root, "needs", "Users log in.\n")
    person(root, "Other")
    assert typed(root, "approve", "plan", "--yes").code == 0
    assert vfcc(root, "stage", "advance", env={"VFCC_AGENT": "planner"}).code == 0
    put(root, "plan", "Another plan.\n", "--stage", "plan").refused(2, "plan is passed", "vfcc stage reopen plan")
    assert vfcc(root, "stage", "draft", "--stage", "plan").code == 2
    put(root, "changes", "A form.\n")
    assert vfcc(root, "stage", "advance", env={"VFCC_AGENT": "coder"}).code == 0
    assert vfcc(root, "stage", "reopen", "plan", "--reason", "a gap").code == 0
    put(root, "changes", "Another form.\n", "--stage", "build").refused(2, "build is stale", "vfcc next")
    assert put(root, "plan", WHOLE + "More.\n").code == 0
    put(root, "plan", "x", "--stage", "pan").refused(2, "did you mean plan?")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        *((b"", 2, "the text is empty"), (b" \n\t\r\n", 2, "the text is empty"), ("\ufeff\n".encode(), 2, "empty")),
        *((b"caf\xe9\n", 3, "not UTF-8 at byte 3"), (b"a\0b", 3, "NUL"), (f"key {TOKEN}\n".encode(), 2, "secret")),
        (b"a" * (LARGEST_TEXT_BYTES + 1), 2, "larger than 4 MiB"),
    ],
    ids=["nothing", "white space", "byte order mark", "latin 1", "nul", "secret", "too large"],
)
def test_a_text_that_is_no_artifact_is_refused_and_nothing_is_written(
    root: Path, text: bytes, code: int, why: str
) -> None:
    put(root, "plan", WHOLE)
    before = everything(root)

    put(root, "plan", text).refused(code, why, "nothing was")
    assert everything(root) == before


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "name", ["../plan.md", "/tmp/plan.md", ".plan.md", "a/../../../x.md", "~/plan.md", "a" * 90, "x y.md", "plan.md/"]
)
def test_a_name_that_leads_elsewhere_is_refused_with_the_owed_names(root: Path, name: str) -> None:
    before = everything(root)

    put(root, name, WHOLE).refused(2, "hint: vfcc stage put plan.md  # plan asks for plan.md, needs.md")
    assert everything(root) == before


@pytest.mark.sweep
def test_no_link_is_followed_and_no_folder_replaced(root: Path) -> None:
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    (root / PLAN).symlink_to(root / "README.md")
    (root / FOLDER / "out").symlink_to(root)
    (root / FOLDER / "needs.md").mkdir()

    put(root, "plan", WHOLE).refused(2, f"{PLAN} is a link")
    put(root, "out/README.md", WHOLE).refused(2, "is a link")
    put(root, "needs.md", WHOLE).refused(2, "it is a folder")
    vfcc(root, "stage", "draft", "plan.md").refused(2, "is a link")
    assert (root / "README.md").read_text() == "# Log in\n"


@pytest.mark.sweep
def test_at_a_terminal_without_a_text_it_asks_for_one(root: Path) -> None:
    done = typed(root, "stage", "put", "plan")

    assert done.code == 2
    assert "name a file, or pipe the text in" in done.err
    put(root, "plan", "", "--file", "no.md").refused(2, "cannot read no.md")


def test_a_person_who_pipes_the_text_in_is_its_author(root: Path) -> None:
    read, write = os.pipe()
    os.write(write, WHOLE.encode())
    os.close(write)
    ours, theirs = os.openpty()
    person(root, "Pat")
    done = subprocess.run(
        [VFCC, "stage", "put", "plan"],
        cwd=root,
        env=environment(root.parent),
        stdin=read,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        timeout=60,
        check=False,
    )
    for handle in (read, ours, theirs):
        os.close(handle)

    assert done.returncode == 0
    assert [one["actor"] for one in puts(root)] == ["human:Pat"]


@pytest.mark.sweep
def test_a_person_approves_what_an_agent_stored_without_a_request(root: Path) -> None:
    for name, text in (("plan", WHOLE), ("needs", "Users log in.\n")):
        put(root, name, text)
    person(root, "You")

    assert typed(root, "approve", "plan", "--yes").code == 0
    assert "approved by human:You" in vfcc(root, "check", "gate").out


@pytest.mark.points(1)
@pytest.mark.parametrize("marker", ["VFCC_AGENT", "CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"])
def test_an_agent_at_a_terminal_stores_nothing_in_a_persons_name(root: Path, marker: str) -> None:
    write_tree(root, {"draft.md": WHOLE})
    person(root, "Pat")

    assert typed(root, "stage", "put", "plan", "--file", "draft.md", env={marker: "1"}).code == 0
    assert str(puts(root)[0]["actor"]).startswith("agent:")
    assert typed(root, "stage", "put", "plan", "--file", "draft.md").code == 0
    assert puts(root)[1]["actor"] == "human:Pat"


def test_a_draft_has_the_headings_and_passes_nothing(root: Path) -> None:
    done = vfcc(root, "stage", "draft")

    assert done.out.splitlines() == [f"drafted: {PLAN}", f"drafted: {FOLDER}/needs.md", "next: vfcc stage put plan.md"]
    assert (root / PLAN).read_text().count("## ") == 2
    gate = vfcc(root, "check", "gate")
    assert gate.code == 4
    assert "FAIL     plan" in gate.out
    assert "FAIL     needs" in gate.out


@pytest.mark.sweep
def test_a_draft_overwrites_nothing(root: Path) -> None:
    put(root, "plan", WHOLE)
    before = (root / PLAN).read_bytes()

    assert vfcc(root, "stage", "draft").out.splitlines()[0] == f"drafted: {FOLDER}/needs.md"
    vfcc(root, "stage", "draft", "plan").refused(2, f"{PLAN} exists already", "vfcc stage draft plan.md --stdout")
    assert vfcc(root, "stage", "draft").out.splitlines()[0] == "log-in/plan: no artifact is missing"
    assert (root / PLAN).read_bytes() == before


def test_a_draft_on_stdout_writes_nothing(root: Path) -> None:
    before = everything(root)
    done = vfcc(root, "stage", "draft", "plan", "--stdout")

    assert done.out.startswith("# Plan\n\n## Goals\n\n<!--")
    assert json.loads(vfcc(root, "stage", "draft", "results", "--stage", "check", "--stdout").out) == {}
    assert json.loads(vfcc(root, "stage", "draft", "plan.json", "--stdout").out) == {"Goals": "", "Scope": ""}
    assert everything(root) == before


def test_a_closed_sprint_takes_no_artifact(root: Path) -> None:
    assert by_person(root, "sprint", "close", "--unfinished", "enough").code == 0

    put(root, "plan", WHOLE, "--sprint", "log-in").refused(2, "log-in is closed")
