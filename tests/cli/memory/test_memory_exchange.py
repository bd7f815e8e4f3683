"""`vfcc memory export` and `import`: what is printed, who is asked, and the exit codes."""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc
from tests.memory_faults import item
from tests.trees import write_memory, write_tree

USER = ".local/share/vfcc/user"


@pytest.fixture
def filled(young: Path) -> Path:
    write_tree(young.parent / USER, {"items/preference/p.md": item("p", kind="preference")})
    (young.parent / USER).parent.chmod(0o700)
    return write_memory(young, {"project/items/fact/a.md": item("a", text="Größe \x1b[31m")})


def test_lines_go_to_stdout_and_the_number_to_stderr(filled: Path) -> None:
    done = vfcc(filled, "memory", "export")

    assert done.code == 0
    assert {each["id"] for each in map(json.loads, done.out.splitlines())} >= {"a"}
    assert done.err.startswith("exported: ")
    assert "\x1b" not in done.out


def test_outside_of_a_project_it_is_ones_own(filled: Path) -> None:
    here = filled.parent / "nowhere"
    here.mkdir()

    assert [json.loads(line)["id"] for line in vfcc(here, "memory", "export").out.splitlines()] == ["p"]
    vfcc(here, "memory", "export", "--scope", "project").refused(3, "no .memory/")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PORTABLE")
def test_ones_own_memory_goes_into_a_file_and_comes_back_on_another_machine(filled: Path, tmp_path: Path) -> None:
    file = filled / "mine.jsonl"
    assert vfcc(filled, "memory", "export", "--scope", "user", "-o", str(file)).out == ""
    other = {"HOME": str(tmp_path / "other")}
    (tmp_path / "other").mkdir()

    asked = typed(filled, "memory", "import", str(file), keys="y\n", env=other)
    again = typed(filled, "memory", "import", str(file), env=other)

    assert asked.code == 0
    assert "Remember them?" in asked.err
    assert (tmp_path / "other" / USER / "items/preference/p.md").read_text(encoding="utf-8") == item(
        "p", kind="preference"
    )
    assert (again.code, again.out) == (0, "1 unchanged\n")


def test_a_no_imports_nothing(filled: Path, tmp_path: Path) -> None:
    file = filled / "mine.jsonl"
    vfcc(filled, "memory", "export", "--scope", "user", "-o", str(file))
    (tmp_path / "other").mkdir()

    refused = typed(filled, "memory", "import", str(file), keys="n\n", env={"HOME": str(tmp_path / "other")})

    assert refused.code != 0
    assert not list((tmp_path / "other").rglob("*.md"))


def test_what_no_person_imports_is_told_as_a_proposal(young: Path) -> None:
    (young / "x.jsonl").write_text('{"id": "x", "content": "Said."}\n', encoding="utf-8")
    done = vfcc(young, "memory", "import", "x.jsonl")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "proposed: x (fact, project)",
        "1 proposed",
        "what is proposed waits for a person: vfcc memory promote ID",
    ]


def test_broken_lines_exit_with_3_conflicts_with_5_and_skipped_ones_with_1(young: Path) -> None:
    (young / "x.jsonl").write_text('{"id": "x", "content": "Said."}\n{\n', encoding="utf-8")

    vfcc(young, "memory", "import", "x.jsonl").refused(3, "x.jsonl:2: this is no JSON", "nothing was imported")
    skipped = vfcc(young, "memory", "import", "x.jsonl", "--skip-broken")
    assert (skipped.code, skipped.err.startswith("warning: skipped: x.jsonl:2: ")) == (1, True)
    (young / "x.jsonl").write_text('{"id": "x", "content": "Other."}\n', encoding="utf-8")
    differs = vfcc(young, "memory", "import", "x.jsonl")
    assert (differs.code, differs.out.splitlines()[0].startswith("conflict: x ")) == (5, True)
    vfcc(young, "memory", "import", "nowhere.jsonl").refused(2, "cannot read nowhere.jsonl")


def test_a_folder_of_records_is_imported_as_decisions(young: Path) -> None:
    write_tree(young, {"adr/0001-x.md": "# 1. X\n", "adr/README.md": "# R\n"})
    done = typed(young, "memory", "import", "adr", "--type", "decision")

    assert done.code == 0
    assert "added: 0001-x (decision, project)" in done.out
    assert "left out: adr/README.md: it is about the folder" in done.out
    assert (young / ".memory/project/decisions/0001-x.md").read_text(encoding="utf-8").endswith("---\n# 1. X\n")


@pytest.mark.vfcc("REQ-IMPORT-OLD")
def test_records_are_imported_and_exported_with_what_was_not_understood_listed(young: Path) -> None:
    old = {"id": "m1", "type": "PROJECT_FACT", "content": "MySQL.", "status": "superseded", "supersededById": "m2"}
    new = {"id": "m2", "type": "PROJECT_FACT", "content": "PostgreSQL.", "accessCount": 3, "vector": [1, 2]}
    (young / "x.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in (old, new)), encoding="utf-8")

    done = typed(young, "memory", "import", "x.jsonl")
    assert "not understood, kept under imported: vector (1)" in done.out
    records = vfcc(young, "memory", "export", "--format", "records", "--type", "fact").out.splitlines()
    told = {each["id"]: each for each in map(json.loads, records)}
    assert (told["m1"]["status"], told["m1"]["supersededById"]) == ("superseded", "m2")
    assert (told["m2"]["type"], told["m2"]["accessCount"], told["m2"]["vector"]) == ("PROJECT_FACT", 3, [1, 2])
    listed = json.loads(vfcc(young, "memory", "list", "--status", "superseded", "--json").out)["data"]["rows"]
    assert [each["item"]["id"] for each in listed] == ["m1"]
