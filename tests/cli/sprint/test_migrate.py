"""`vfcc migrate` as a person sees it."""

import re
from pathlib import Path

import pytest

from tests.cli.process import CI, vfcc
from tests.cli.trees import everything
from tests.trees import repository, write_memory
from verifflowcc.sprint.store.workflow_load import templates_folder

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")
FIRST = (templates_folder() / "earlier-configs" / "0.1.yaml").read_text(encoding="utf-8")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    files = {"config.yaml": "workflow: light\n", "agent/coder/prompt_template.md": "Be brief.\n"}
    return write_memory(tmp_path / "old", files)


def test_a_dry_run_tells_what_the_run_then_does(old: Path) -> None:
    before = everything(old)
    planned = vfcc(old, "migrate", "--dry-run")
    assert (planned.code, everything(old)) == (0, before)

    done = vfcc(old, "migrate", env=CI)

    assert planned.out == (
        "would do: .memory/agent/coder/prompt_template.md becomes .memory/agent/coder/prompt.md\n"
        "would do: .memory/config.yaml says format: 2\n"
    )
    assert done.out == planned.out.replace("would do", "done")
    assert vfcc(old, "migrate", env=CI).out == "nothing to migrate: the memory has format 2\n"


def test_a_new_project_has_nothing_to_migrate(young: Path) -> None:
    before = everything(young)
    done = vfcc(young, "migrate", env=CI)

    assert (done.code, done.out, done.err) == (0, "nothing to migrate: the memory has format 2\n", "")
    assert everything(young) == before


def test_a_newer_format_is_refused(young: Path) -> None:
    (young / ".memory/config.yaml").write_text("format: 99\n", encoding="utf-8")

    vfcc(young, "migrate", env=CI).refused(3, "config.yaml:1: format 99 is newer than this vfcc understands")


def test_a_conflict_is_told_once_for_all_and_exits_with_5(old: Path) -> None:
    write_memory(old, {"agent/coder/prompt.md": "Mine.\n"})

    vfcc(old, "migrate", env=CI).refused(5, "are both there: keep one of them", "nothing was changed")


def test_doctor_reminds_of_an_older_format_in_one_line(old: Path) -> None:
    for text, words in (("workflow: light\n", "names no format"), (FIRST, "has format 1")):
        (old / ".memory/config.yaml").write_text(text, encoding="utf-8")
        notes = [line for line in vfcc(old, "doctor").out.splitlines() if line.startswith("note     config ")]
        assert [words in note for note in notes] == [True]

        vfcc(old, "migrate", env=CI)

        assert "note     config " not in vfcc(old, "doctor").out


def _in_sprint(folder: Path, workflow: str) -> Path:
    (folder / "plan.txt").write_text("A plan.\n", encoding="utf-8")
    repository(folder)
    assert vfcc(folder, "sprint", "start", "First", "--workflow", workflow).code == 0
    return folder


def _all_of_it(folder: Path) -> dict[str, object]:
    """Return what the project's prompts, gates and settings are, without what is drawn at random."""
    stages = vfcc(folder, "sprint", "show", "first", "--json", "--full").data["stages"]
    roles = sorted({each["stage"]["role"] for each in stages})
    asked: dict[str, tuple[str, ...]] = {
        f"prompt of {role}": ("context", "show", "--agent", role, "--task", "Plan it") for role in roles
    }
    asked |= {"gate": ("check", "gate"), "stage": ("stage", "show"), "next": ("next",), "status": ("status",)}
    settings = vfcc(folder, "config", "show", "--json", "--full").data
    found: dict[str, object] = {
        name: (ran.code, ran.out) for name, ran in ((n, vfcc(folder, *w)) for n, w in asked.items())
    }
    found["settings"] = [(each["name"], each["value"]) for each in settings]
    return {**found, "status": re.sub(r"\b01[0-9A-Z]{24}\b", "ID", str(found["status"]))}


@pytest.mark.points(2)
@pytest.mark.parametrize("workflow", ["light", "agile", "standard", "safety", "aspice"])
def test_a_migrated_project_equals_a_new_one_with_the_same_choices(tmp_path: Path, workflow: str) -> None:
    old, new = tmp_path / "old" / "shop", tmp_path / "new" / "shop"
    for folder in (old, new):
        folder.mkdir(parents=True)
        assert vfcc(folder, "init", "--workflow", workflow).code == 0
    config = FIRST.replace("\nworkflow: light\n", f"\nworkflow: {workflow}\n")
    (old / ".memory/config.yaml").write_text(config, encoding="utf-8")

    assert vfcc(old, "migrate", env=CI).code == 0

    assert _all_of_it(_in_sprint(old, workflow)) == _all_of_it(_in_sprint(new, workflow))


def test_open_sprints_and_tools_without_a_version_are_named(old: Path) -> None:
    assert vfcc(old, "sprint", "start", "First").code == 0
    write_memory(
        old, {"agent/coder/tools.yaml": "tools: []\n", "agent/coder/prompt_template.md": "", "config.yaml": FIRST}
    )

    done = vfcc(old, "migrate", env=CI)

    assert "cannot get version 2 by lines and stay as they are: .memory/agent/coder/tools.yaml" in done.err
    assert "in open sprints (first) a person approves the change" in " ".join(done.err.split())


def test_a_migration_that_cannot_write_leaves_the_file_as_it_was(old: Path) -> None:
    (old / ".memory/config.yaml").write_text(FIRST, encoding="utf-8")
    (old / ".memory/local").write_text("in the way", encoding="utf-8")

    assert vfcc(old, "migrate", env=CI).code == 3
    assert (old / ".memory/config.yaml").read_text(encoding="utf-8") == FIRST


def test_an_agent_may_not_migrate(old: Path) -> None:
    (old / ".memory/config.yaml").write_text(FIRST, encoding="utf-8")

    vfcc(old, "migrate", env={"VFCC_AGENT": "coder"}).refused(3, "needs a person at a terminal or a CI job")
    assert (old / ".memory/config.yaml").read_text(encoding="utf-8") == FIRST
