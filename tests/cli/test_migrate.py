"""`vfcc migrate` as a person sees it."""

from pathlib import Path

import pytest

from tests.cli.process import CI, vfcc
from tests.cli.trees import everything
from tests.trees import write_memory

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")


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
        "would do: .memory/config.yaml says format: 1\n"
    )
    assert done.out == planned.out.replace("would do", "done")
    assert vfcc(old, "migrate", env=CI).out == "nothing to migrate: the memory has format 1\n"


def test_a_new_project_has_nothing_to_migrate(young: Path) -> None:
    before = everything(young)
    done = vfcc(young, "migrate", env=CI)

    assert (done.code, done.out, done.err) == (0, "nothing to migrate: the memory has format 1\n", "")
    assert everything(young) == before


def test_a_newer_format_is_refused(young: Path) -> None:
    (young / ".memory/config.yaml").write_text("format: 99\n", encoding="utf-8")

    vfcc(young, "migrate", env=CI).refused(3, "config.yaml:1: format 99 is newer than this vfcc understands")


def test_a_conflict_is_told_once_for_all_and_exits_with_5(old: Path) -> None:
    write_memory(old, {"agent/coder/prompt.md": "Mine.\n"})

    vfcc(old, "migrate", env=CI).refused(5, "are both there: keep one of them", "nothing was changed")


def test_doctor_tells_of_an_older_memory(old: Path) -> None:
    assert "config.yaml names no format" in vfcc(old, "doctor").out
    vfcc(old, "migrate", env=CI)
    assert "config.yaml names no format" not in vfcc(old, "doctor").out
