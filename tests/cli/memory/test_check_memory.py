"""`vfcc check memory` as a person, a script and a CI server see it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.memory_faults import item
from tests.trees import write_memory, write_tree
from verifflowcc.memory.rules.memory_codes import CHECKS

FACT = ".memory/project/items/fact"
USER = ".local/share/vfcc/user"


@pytest.fixture
def red(young: Path) -> Path:
    """A project with an error, a warning and a note."""
    return write_memory(
        young,
        {
            "project/items/fact/a.md": item("a", "links: [{to: gone, relation: depends_on}]"),
            "project/items/fact/b.md": item("b", "importance: 9"),
            "project/items/fact/c.md": item("c", "status: pending"),
        },
    )


@pytest.mark.sweep
def test_findings_have_a_place_a_sentence_and_a_step_and_make_it_exit_with_1(red: Path) -> None:
    done = vfcc(red, "check", "memory")

    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[:2] == [
        f"{FACT}/a.md:5: error dangling-link: a depends_on gone, which does not exist",
        f"  → correct the link in {FACT}/a.md, or remove it",
    ]
    assert f"{FACT}/b.md:5: warning bad-value: importance" in done.out
    assert f"{FACT}/c.md:5: note pending: c was proposed by human and waits for a person" in done.out
    assert done.out.splitlines()[-1].startswith("memory: 1 error and 1 warning in ")


def test_a_sound_memory_exits_with_0_and_notes_alone_do_too(young: Path) -> None:
    assert vfcc(young, "check", "memory").code == 0
    write_memory(young, {"project/items/fact/c.md": item("c", "status: pending")})
    done = vfcc(young, "check", "memory")

    assert done.code == 0
    assert done.out.splitlines()[-1].endswith(", 1 note")


def test_the_worked_example_is_sound(example: Path) -> None:
    done = vfcc(example, "check", "memory")

    assert (done.code, done.err) == (0, ""), done


def test_without_a_project_it_exits_with_3_but_for_the_persons_own(tmp_path: Path) -> None:
    here = tmp_path / "nowhere"
    here.mkdir()

    vfcc(here, "check", "memory").refused(3, "no .memory/")
    nothing = vfcc(here, "check", "memory", "--scope", "user")
    assert (nothing.code, nothing.out) == (3, "memory of user: NOTHING to read: there is no item\n")
    write_tree(tmp_path / USER, {"items/failure/a.md": item("a", kind="failure")})
    found = vfcc(here, "check", "memory", "--scope", "user")
    assert (found.code, "warning project-type-in-user" in found.out) == (1, True)


def test_all_formats_tell_the_same_findings(red: Path) -> None:
    as_json = vfcc(red, "check", "memory", "--json", "--full")
    found = as_json.data["report"]["findings"]
    sarif = json.loads(vfcc(red, "check", "memory", "--format", "sarif").out)["runs"][0]
    junit = ET.fromstring(vfcc(red, "check", "memory", "--format", "junit").out)
    github = vfcc(red, "check", "memory", "--format", "github").out.splitlines()

    codes = [each["code"] for each in found]
    assert codes == ["dangling-link", "bad-value", "pending"]
    assert [each["ruleId"] for each in sarif["results"]] == codes
    assert [each["id"] for each in sarif["tool"]["driver"]["rules"]] == list(CHECKS)
    assert all(list(CHECKS)[each["ruleIndex"]] == each["ruleId"] for each in sarif["results"])
    assert sarif["tool"]["driver"]["fullName"] == "vfcc check memory"
    assert {case.get("name") for case in junit.iter("testcase")} == set(CHECKS)
    assert {case.get("name") for case in junit.iter("testcase") if case.find("failure") is not None} == set(codes[:2])
    assert [line.split(" ")[0] for line in github] == ["::error", "::warning", "::notice"]
    assert as_json.code == 1


def test_a_file_gets_the_findings_and_stderr_the_verdict(red: Path) -> None:
    done = vfcc(red, "check", "memory", "--format", "sarif", "--output", "memory.sarif")

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("memory: 1 error and 1 warning in ")
    assert json.loads((red / "memory.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert vfcc(red, "check", "memory", "--json", "--full", "--format", "junit").code == 2


def test_one_scope_alone_can_be_asked_for(red: Path) -> None:
    assert vfcc(red, "check", "memory", "--scope", "agent/coder").code == 0
    vfcc(red, "check", "memory", "--scope", "nope").refused(2, "there is no scope nope")


@pytest.mark.vfcc("REQ-TERMINAL")
def test_nothing_in_an_item_can_steer_the_terminal(young: Path) -> None:
    write_memory(young, {"project/items/fact/a.md": item('"x\\e[31m\u202e"', "importance: 9", "tgas: \x1b[2J")})
    done = vfcc(young, "check", "memory")

    assert done.code == 1
    assert not {"\x1b", "\u202e"} & set(done.out)


def test_a_read_only_memory_is_checked_all_the_same(red: Path) -> None:
    (red / ".memory" / "local").rename(red / "gone") if (red / ".memory" / "local").exists() else None
    (red / ".memory" / "local").write_text("no folder", encoding="utf-8")

    done = vfcc(red, "check", "memory")

    assert (done.code, "dangling-link" in done.out) == (1, True)
    assert "nothing is cached" in done.err
