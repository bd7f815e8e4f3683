"""`vfcc memory add` of a trace type and `vfcc trace add` make the same item."""

import shutil
from pathlib import Path

import pytest

from tests.cli.process import git, vfcc

REQUIREMENT = ".memory/project/items/requirement/REQ-DOOR.md"
TEXT = "It shall open the door."


@pytest.fixture
def young(tmp_path: Path) -> Path:
    """A project that was just made."""
    folder = tmp_path / "young"
    folder.mkdir()
    git(folder, "init", "--quiet")
    assert vfcc(folder, "init").code == 0
    return folder


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_both_commands_make_the_same_file_with_the_same_answer(young: Path, tmp_path: Path, form: tuple[str]) -> None:
    other = shutil.copytree(young, tmp_path / "other")

    memory = vfcc(young, "memory", "add", "requirement", TEXT, "--title", "Doors", "--id", "REQ-DOOR", *form)
    trace = vfcc(other, "trace", "add", "requirement", "Doors", "--text", TEXT, "--id", "REQ-DOOR", *form)

    assert (memory.code, memory.out, memory.err) == (trace.code, trace.out, trace.err)
    assert memory.code == 0
    assert (young / REQUIREMENT).read_bytes() == (other / REQUIREMENT).read_bytes()


@pytest.mark.parametrize("option", [["--key", "a"], ["--importance", "1"], ["--source", "inferred"], ["--dry-run"]])
def test_an_option_that_a_trace_item_does_not_have_is_refused(young: Path, option: list[str]) -> None:
    vfcc(young, "memory", "add", "requirement", TEXT, *option).refused(2, "trace type")

    assert not (young / REQUIREMENT).parent.exists()
