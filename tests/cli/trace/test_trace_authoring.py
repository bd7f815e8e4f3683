"""`vfcc trace add|list|show|link|unlink|retire|baseline` as they are typed, and what slips get."""

import json
import re
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import VFCC, by_person, environment, git, on_terminal, vfcc
from tests.cli.trees import everything, half_written
from tests.made_once import copied

NEED, REQ, SPEC = "NEED-login", "REQ-timeout", "TEST-timeout"


@pytest.fixture
def traced(tmp_path: Path, _young: Path) -> Path:
    """A project with three items, one above the other."""
    return copied(tmp_path, _three, _young)


def _three(folder: Path, young: Path) -> Path:
    root = shutil.copytree(young, folder / "young")
    requirement = ("requirement", "It ends", "--id", REQ, "--text", "It shall end after 5 s.", "--verification", "test")
    for line in (
        ("need", "Users log in", "--id", NEED, "--text", "Somebody with an account gets in."),
        (*requirement, "--parent", NEED, "--relation", "refines"),
        ("test_spec", "Wait", "--id", SPEC, "--text", "Wait 6 s.", "--parent", REQ),
    ):
        assert vfcc(root, "trace", "add", *line).code == 0
    return root


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_an_added_unit_passes_the_schema_of_its_workflow(young: Path) -> None:
    (young / ".memory/config.yaml").write_text("format: 2\nworkflow: standard\n", encoding="utf-8")
    (young / "store.py").write_text("def keep(): ...\n", encoding="utf-8")
    text = "## Contract\n\nIt keeps a session.\n\n## Errors\n\nIt raises KeyError."

    line = ("trace", "add", "unit", "Session store", "--id", "UNIT-store")
    whole = vfcc(young, *line, "--text", text, "--ref", "store.py:keep")
    assert "needs" not in whole.err
    assert "UNIT-store" not in [each["item"] for each in schema_faults(young)]

    bare = vfcc(young, *line[:4], "--id", "UNIT-bare")
    assert "it needs a text below ## Contract and ## Errors in the file" in bare.err + bare.out
    file = young / ".memory/project/items/unit/UNIT-bare.md"
    file.write_text(
        file.read_text(encoding="utf-8")
        .replace("## Contract\n", "## Contract\n\nIt keeps one.\n")
        .replace("## Errors\n", "## Errors\n\nNone.\n"),
        encoding="utf-8",
    )
    assert {each["about"] for each in schema_faults(young)} == {"refs"}


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_ids_are_listed_in_the_order_of_their_numbers(young: Path) -> None:
    for number in (10, 9, 100, 1):
        assert vfcc(young, "trace", "add", "need", f"Need {number}", "--id", f"NEED-{number}").code == 0

    listed = vfcc(young, "trace", "list", "--json").data
    assert [each["id"] for each in listed] == ["NEED-1", "NEED-9", "NEED-10", "NEED-100"]


def schema_faults(root: Path) -> list[dict[str, str]]:
    """Return what `vfcc check trace` says of fields and parts that items lack."""
    findings = vfcc(root, "check", "trace", "--json", "--full").document["data"]["report"]["findings"]
    return [each for each in findings if each["code"] in {"missing-field", "bad-field", "unknown-field"}]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_an_item_is_added_and_its_file_is_named(young: Path) -> None:
    done = vfcc(young, "trace", "add", "need", "Users log in", "--text", "Somebody gets in.")

    found = re.fullmatch(r"(NEED-users-log-in-\w{4}): Users log in\n  in (\S+)\n", done.out)
    assert (done.code, done.err) == (0, "")
    assert found is not None
    assert (young / found[2]).read_text(encoding="utf-8").endswith("\nSomebody gets in.\n")
    assert "actor: agent:program}\ntrust: agent\n" in (young / found[2]).read_text(encoding="utf-8")


@pytest.mark.sweep
def test_the_text_is_read_from_stdin(young: Path) -> None:
    line = [str(VFCC), "trace", "add", "need", "Log in", "--stdin", "--json", "--full"]
    done = subprocess.run(
        line,
        cwd=young,
        env=environment(young.parent),
        input="Größe.\r\n\r\n- a\r\n".encode(),
        capture_output=True,
        check=False,
    )

    added = json.loads(done.stdout)["data"]
    assert added["item"]["text"] == "Größe.\n\n- a"
    assert b"\r" not in (young / added["item"]["path"]).read_bytes()
    bad = subprocess.run(
        line, cwd=young, env=environment(young.parent), input=b"\xff", capture_output=True, check=False
    )
    assert (bad.returncode, json.loads(bad.stdout)["error"]["code"]) == (2, "usage")
    assert b"stdin is not UTF-8" in bad.stderr


def test_what_a_new_item_lacks_is_a_note_and_no_error(young: Path) -> None:
    done = vfcc(young, "trace", "add", "need", "Log in")

    assert done.code == 0
    assert done.err == "note: it has no text yet; write it into the file\n"


def test_below_the_root_the_whole_path_is_named(young: Path) -> None:
    (young / "src").mkdir()

    done = vfcc(young / "src", "trace", "add", "need", "Log in", "--text", "In.")

    assert Path(done.out.splitlines()[1].removeprefix("  in ")).is_file()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_the_items_are_listed_as_a_table_that_fits(traced: Path) -> None:
    piped = vfcc(traced, "trace", "list").out
    shown = on_terminal(traced, "trace", "list", columns=60)

    assert piped.splitlines()[0].split() == ["item", "parents", "below", "review", "title"]
    assert [line.split()[0] for line in piped.splitlines()[1:]] == [NEED, REQ, SPEC]
    assert max(map(len, shown.out.splitlines())) <= 60
    assert [row["id"] for row in vfcc(traced, "trace", "list", "--json", "--full").data] == [NEED, REQ, SPEC]
    assert vfcc(traced, "trace", "list", "--type", "unit").out == "there is no unit\n"
    assert vfcc(traced, "trace", "list", "--status", "retired", "--without", "test").out == (
        "there is no retired item without test\n"
    )


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_an_item_is_shown_with_all_around_it_in_80_columns(traced: Path) -> None:
    (traced / "src.py").write_text("# vfcc: REQ-timeout\nLIMIT_S = 5\n", encoding="utf-8")
    shown = on_terminal(traced, "trace", "show", "req-t")

    assert shown.out == (
        f"{REQ}: It ends\n  requirement, active, verified by test\n  .memory/project/items/requirement/{REQ}.md\n\n"
        "  It shall end after 5 s.\n\n"
        f"traces to\n  refines {NEED}: Users log in  [unreviewed]\n\n"
        f"linked by\n  verifies {SPEC}: Wait  [unreviewed]\n\n"
        "code\n  src.py:1\n\n"
        f"review: not reviewed; vfcc trace review {REQ}\n"
    )
    page = vfcc(traced, "trace", "show", REQ, "--json", "--full").data
    assert (page["item"]["id"], page["links"][0]["id"], page["linked_by"][0]["state"]) == (REQ, NEED, "unreviewed")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_files_that_cannot_be_read_are_told_by_a_list_too(traced: Path) -> None:
    (traced / ".memory/project/items/need/NEED-latin.md").write_bytes(b"caf\xe9\n")

    listed = vfcc(traced, "trace", "list")

    assert (listed.code, len(listed.out.splitlines())) == (0, 4)
    assert listed.err.startswith("warning: .memory/project/items/need/NEED-latin.md:1: not UTF-8")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_links_are_made_and_taken_away(traced: Path) -> None:
    vfcc(traced, "trace", "add", "requirement", "Other", "--id", "REQ-other", "--text", "It shall be.")

    made = vfcc(traced, "trace", "link", SPEC, "REQ-o")
    gone = vfcc(traced, "trace", "unlink", SPEC, "REQ-o")

    assert made.out == f"{SPEC} verifies REQ-other\nnext: vfcc trace review {SPEC}\n"
    assert gone.out == f"{SPEC} verifies REQ-other no more\n"
    vfcc(traced, "trace", "unlink", SPEC, "REQ-o").refused(2, "does not link to REQ-other")


@pytest.mark.sweep
def test_a_retired_item_is_told_to_those_who_link_to_it(traced: Path) -> None:
    done = vfcc(traced, "trace", "retire", REQ, "--reason", "nobody waits")

    assert done.out == f"{REQ}: retired\n  {SPEC} still links to it: vfcc trace unlink {SPEC} {REQ}\n"
    assert REQ not in vfcc(traced, "trace", "list", "--type", "requirement").out
    assert "requirement, retired" in vfcc(traced, "trace", "show", REQ).out


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-BASELINES")
def test_a_baseline_is_written_listed_and_compared(traced: Path) -> None:
    git(traced, "init", "-q")
    git(traced, "add", "--all")
    git(traced, "commit", "-qm", "first")
    made = by_person(traced, "trace", "baseline", "create", "v1", "--note", "before the audit")
    assert made.out == "v1: 3 items written to .memory/project/baselines/v1.json\n"
    assert vfcc(traced, "trace", "baseline", "diff", "v1").out == "v1 → the present: 3 items, none of them changed\n"
    path = traced / f".memory/project/items/requirement/{REQ}.md"
    path.write_text(path.read_text(encoding="utf-8").replace("5 s", "6 s"), encoding="utf-8")

    drift = vfcc(traced, "trace", "baseline", "diff", "v1", "--exit-code")

    assert (drift.code, drift.out) == (
        1,
        f"v1 → the present: 1 changed, 2 as before\n  changed {REQ} (text): It ends\n",
    )
    assert vfcc(traced, "trace", "baseline", "diff", "v1").code == 0
    assert vfcc(traced, "trace", "baseline", "list").out.splitlines()[1].endswith("before the audit")
    assert vfcc(traced, "trace", "baseline", "diff", "v1", "--json", "--full").data["changed"] == [
        {"fields": ["text"], "item": REQ, "title": "It ends"}
    ]
    by_person(traced, "trace", "baseline", "create", "v1").refused(2, "there is a baseline v1 already")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("add requirment x", 2, "did you mean requirement?"),
        ("add need", 2, "needs TITLE"),
        ("add need x --text y --stdin", 2, "--text or --stdin, not both"),
        ("show REQ-timeuot", 2, f"did you mean {REQ}?"),
        ("show zzz", 2, "there is no item zzz"),
        ("link REQ-timeout NEED-login", 2, "REQ-timeout refines NEED-login already"),
        ("link NEED-login REQ-timeout", 2, "links lead up, the other way round"),
        ("link TEST-timeout REQ-timeout --relation verifys", 2, "did you mean verifies?"),
        ("list --type unti", 2, "did you mean unit?"),
        ("list --status gone", 2, "there is no status gone; there is active, draft, planned, retired"),
        ("baseline diff v1", 2, "there is no baseline yet"),
        ("baseline create V1", 2, "vfcc trace baseline create v1"),
        ("review REQ-timeout", 3, "vfcc trace review needs a person at a terminal, and this is a program"),
        ("review REQ-timeout --to NEED-login --reason x", 3, "needs a person at a terminal"),
        ("verify REQ-timeout --saw x", 3, "needs a person at a terminal"),
    ],
)
def test_slips_are_told_and_nothing_is_written(traced: Path, line: str, code: int, said: str) -> None:
    before = everything(traced)

    run = by_person if line.startswith("baseline create") else vfcc
    run(traced, "trace", *line.split()).refused(code, said, "hint: ")

    assert everything(traced) == before


@pytest.mark.sweep
def test_outside_of_a_project_it_says_so(tmp_path: Path) -> None:
    for line in ("list", "show x", "add need x", "baseline list"):
        vfcc(tmp_path, "trace", *line.split()).refused(3, "no .memory/", "vfcc init")


@pytest.mark.sweep
def test_a_merge_left_open_is_one_clear_error(traced: Path) -> None:
    path = traced / f".memory/project/items/requirement/{REQ}.md"
    conflict = "<<<<<<< HEAD\nIt shall end after 5 s.\n=======\nIt shall end after 6 s.\n>>>>>>> other\n"
    path.write_text(path.read_text(encoding="utf-8").replace("It shall end after 5 s.\n", conflict), encoding="utf-8")
    before = everything(traced)

    for line in (f"show {REQ}", f"retire {REQ}", f"link {SPEC} {REQ}"):
        vfcc(traced, "trace", *line.split()).refused(3, f"{REQ}.md:", "contains merge conflict markers", "by hand")
    by_person(traced, "trace", "baseline", "create", "v1").refused(3, "contains merge conflict markers")
    assert everything(traced) == before


@pytest.mark.sweep
@pytest.mark.parametrize("size_bytes", [0, 40])
def test_a_full_disk_leaves_what_was_there(traced: Path, size_bytes: int) -> None:
    before = everything(traced)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))

    for line in ("add need x --text y", f"retire {SPEC}", f"unlink {SPEC} {REQ}", "baseline create v1"):
        stopped = vfcc(traced, "trace", *line.split(), before=limit, person=True)
        stopped.refused(3, "cannot write", "File too large")
    assert half_written(traced) == []
    assert {path for path, what in everything(traced).items() if what != "folder"} <= before.keys()
    assert {path: everything(traced)[path] for path in before} == before


@pytest.mark.vfcc("REQ-TERMINAL")
def test_what_stands_in_an_item_cannot_steer_the_terminal(traced: Path) -> None:
    path = traced / f".memory/project/items/requirement/{REQ}.md"
    path.write_text(path.read_text(encoding="utf-8").replace("5 s.", "5 s.\x1b[31m\x07"), encoding="utf-8")

    shown = on_terminal(traced, "trace", "show", REQ)

    assert "\x1b" not in shown.out + shown.err
    assert "\x07" not in shown.out + shown.err
