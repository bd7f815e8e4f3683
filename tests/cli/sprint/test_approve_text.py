"""`vfcc approve` shows the text and what changed in it since the last approval, before it asks."""

import stat
from pathlib import Path

import pytest

from tests.cli.at_terminal import project, typed
from tests.cli.process import vfcc
from tests.people_world import ID, PLAN, commit, put
from tests.secret_samples import TOKEN
from verifflowcc.base.process.pager import pager_command, takes_color
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

QUESTION = "Approve? [y/N]"


def pager(place: Path) -> str:
    """A pager that says that it ran, and prints what it gets."""
    place.write_text("#!/bin/sh\necho PAGED\ncat\n", encoding="utf-8")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return str(place)


def stored(here: Workspace, text: str) -> None:
    """Let an agent store the plan, without a commit."""
    (here.root.parent / "draft.md").write_text(text, encoding="utf-8")
    ran = vfcc(here.root, "stage", "put", "plan.md", "--file", "../draft.md", env={"VFCC_AGENT": "planner"})
    assert ran.code == 0, ran


def test_the_text_is_shown_before_the_question(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "approve", keys="n\n")

    assert ran.err.index(f"=== {PLAN}\n# Plan\n\nA form.\n") < ran.err.index(QUESTION)
    assert show_sprint(here, ID).notes == ()


def test_a_yes_beforehand_prints_names_and_sizes_alone(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "approve", "--yes")

    assert f"- {PLAN} (16 bytes, sha256:" in ran.err
    assert "A form." not in ran.err


def test_what_changed_since_the_last_approval_is_a_diff(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert typed(here.root, "approve", "--yes").code == 0
    put(here, PLAN, "# Plan\n\nA form and a button.\n")
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    ran = typed(here.root, "approve", keys="n\n")

    day = show_sprint(here, ID).notes[0].time[:10]
    assert f"=== {PLAN} (changed since the approval by human:Other on {day})\n" in ran.err
    assert "--- approved\n+++ now\n@@ -1,3 +1,3 @@\n # Plan\n \n-A form.\n+A form and a button.\n" in ran.err
    assert f"risks.md (new since the approval by human:Other on {day})\n" in ran.err
    put(here, PLAN, "# Plan\n\nA form and two buttons.\n")
    commit(here, "You")
    assert "-A form.\n+A form and two buttons.\n" in typed(here.root, "approve", keys="n\n").err


def test_an_approved_text_that_git_does_not_have_is_named_as_such(tmp_path: Path) -> None:
    here = project(tmp_path)
    stored(here, "# Plan\n\nNever committed.\n")
    assert typed(here.root, "approve", "--yes").code == 0
    stored(here, "# Plan\n\nAnother form.\n")
    ran = typed(here.root, "approve", keys="n\n")

    assert "git does not have the text that was approved)\n# Plan\n\nAnother form.\n" in ran.err
    assert "+++ now" not in ran.err


def test_a_long_text_is_cut_and_says_so(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, PLAN, "# Plan\n\n" + "A line of some length.\n" * 8_000)
    commit(here, "You")
    ran = typed(here.root, "approve", "--no-pager", keys="n\n")

    assert ran.err.count("A line of some length.") == 2849
    assert f"… 118,473 more bytes are left out; read all of it in {PLAN}" in ran.err


def test_nothing_in_a_text_steers_the_terminal_and_no_secret_is_shown(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, PLAN, f"# Plan\n\n\x1b[2Jgone \u202e {TOKEN}\n")
    commit(here, "You")
    ran = typed(here.root, "approve", keys="n\n")

    assert "<U+001B>[2Jgone <U+202E> [secret withheld" in ran.err
    assert "\x1b[2J" not in ran.err


@pytest.mark.sweep
def test_a_text_longer_than_the_screen_goes_through_the_persons_pager(tmp_path: Path) -> None:
    here = project(tmp_path)
    mine = pager(tmp_path / "my pager")
    short = typed(here.root, "approve", keys="n\n", env={"PAGER": f"'{mine}'"})
    assert "PAGED" not in short.out
    put(here, PLAN, "# Plan\n\n" + "A line.\n" * 50)
    commit(here, "You")

    ran = typed(here.root, "approve", keys="n\n", env={"PAGER": f"'{mine}'"})
    assert ran.out.startswith("PAGED\n=== ")
    assert ran.out.count("A line.\n") == 50
    assert "A line." not in ran.err
    plain = typed(here.root, "approve", "--no-pager", keys="n\n", env={"PAGER": f"'{mine}'"})
    assert "PAGED" not in plain.out
    assert plain.err.count("A line.\n") == 50


def test_colours_go_to_less_alone_and_where_its_settings_let_them_through(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("less", "more"):
        pager(tmp_path / "bin" / name)
    path = {"PATH": str(tmp_path / "bin")}
    assert takes_color(tmp_path / "p", path)
    assert takes_color(tmp_path / "p", {**path, "LESS": "-R"})
    assert not takes_color(tmp_path / "p", {**path, "LESS": "FX"})
    assert not takes_color(tmp_path / "p", {**path, "PAGER": "more"})


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-COMMANDS")
def test_a_pager_in_the_repository_is_not_started(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, PLAN, "# Plan\n\n" + "A line.\n" * 50)
    commit(here, "You")
    theirs = pager(here.root / "less")
    for env in (
        {"PAGER": theirs},
        {"PAGER": "./less"},
        {"PAGER": "less", "PATH": f".:{here.root}:/usr/bin:/bin"},
    ):
        ran = typed(here.root, "approve", "--criterion", "reviewed", keys="n\n", env={"LESS": "FXE", **env})
        assert "PAGED" not in ran.out + ran.err, env
    for env in ({"PAGER": "less"}, {"PAGER": f"{here.root}/src/../less"}, {}):
        assert theirs not in pager_command(here.root / "src", {"PATH": f"{here.root}:/usr/bin", **env})


def test_of_code_only_what_changed_in_the_sprint_is_shown(tmp_path: Path) -> None:
    from verifflowcc.gates.use.approval_texts import pages, texts_to_approve
    from verifflowcc.gates.use.approvals import what_to_approve

    here = project(tmp_path)
    put(here, "src/form.py", "FORM = 1\n")
    put(here, f".memory/stage/{ID}/build/artifacts/changes.md", "The form.\n")
    what = what_to_approve(here, ID, "build", "reviewed")
    text = pages(texts_to_approve(here, what), what.files)

    assert "changes.md\nThe form.\n" in text
    assert "=== src/form.py\nFORM = 1" in text
    assert "README.md" not in text
    assert "1 more of the approved files did not change in this sprint" in text


def test_a_change_of_the_rules_is_a_diff_since_the_sprint_started(tmp_path: Path) -> None:
    here = project(tmp_path)
    own = here.memory / "workflow.yaml"
    was = own.read_text(encoding="utf-8")
    own.write_text(f"{was}# relaxed\n", encoding="utf-8")
    put(here, ".memory/agent/tester/tools.yaml", "version: 2\ntools: [{name: read}]\n")
    ran = typed(here.root, "approve", "--criterion", "rules", keys="n\n")

    assert "=== .memory/workflow.yaml (changed since the sprint started)\n" in ran.err
    assert "\n+# relaxed\n" in ran.err
    assert was.splitlines()[0] not in ran.err.splitlines()
    assert "\nversion: 2\ntools: [{name: read}]\n" in ran.err
    assert "by agent" not in ran.err
