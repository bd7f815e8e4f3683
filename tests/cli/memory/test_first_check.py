"""The first `vfcc check` of a project that has a past: one screen, one line, or only what is new."""

import re
from pathlib import Path

import pytest

from tests.cli.process import by_person, git, on_terminal, vfcc
from tests.traced_project import CONFIG, HIGH, ITEMS, LOW, NEED, item, traced
from tests.trees import write_tree
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.memory.rules.memory_codes import CHECKS as MEMORY_CHECKS

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

TWO = "The gauge shall show the tide and be fast. The gauge shall show the wind."
BROKEN = item("REQ-low", "requirement", "refines NEED-none", verification="review")


def committed(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A project with a dozen kinds of findings, committed on a branch with no other, and no tag."""
    files = {f"tests/{name}/test_{name}.py": f"def test_{name}():\n    pass\n" for name in ("a", "b", "c")}
    files |= {
        f"{ITEMS}/requirement/REQ-{n}.md": item(f"REQ-{n}", "requirement", verification="test", text=TWO)
        for n in range(5)
    }
    facts = {f".memory/project/items/fact/f{n}.md": f"---\nid: f{n}\nstatus: pending\n---\nA fact.\n" for n in "12"}
    root = traced(tmp_path / "old", **{LOW: BROKEN, CONFIG: "format: 2\nworkflow: standard\n", **files, **facts}).root
    write_tree(root, {".gitignore": ".memory/local/\n"})
    git(root, "init", "--quiet", "--initial-branch", "main")
    committed(root, "first")
    return root


def kinds(out: str) -> list[str]:
    """The kinds of findings that a screen shows, in its order."""
    found = re.findall(r"(?m)^(?:\S+:\d+: )?(?:error|warning|note) ([a-z-]+)(?:, [a-z-]+)*(?:: | ×)", out)
    return [each for each in found if each in CHECKS or each in MEMORY_CHECKS]


def test_the_first_check_fits_the_screen_and_shows_what_is_broken_first(old: Path) -> None:
    for columns, rows, most in ((80, 24, 24), (80, 40, 40), (120, 50, 40)):
        done = on_terminal(old, "check", columns=columns, rows=rows)
        lines = done.out.splitlines()
        assert done.code == 1
        assert len(lines) + len(done.err.splitlines()) <= most, (columns, rows)
        assert max(map(len, lines)) <= columns
    piped = vfcc(old, "check").out
    found = kinds(piped)
    assert found[:1] == ["dangling-link"]
    assert 8 <= len(found) <= 10
    assert ": vfcc check --all" in piped
    assert kinds(vfcc(old, "check", "trace").out)[:1] == ["dangling-link"]


def test_all_lists_each_finding_and_quiet_prints_one_line_with_the_same_exit_code(old: Path) -> None:
    whole = vfcc(old, "check", "--all")

    assert whole.out.count(" warning non-atomic: ") == 5
    assert whole.out.count(" note pending: ") == vfcc(old, "check", "memory", "--all").out.count(" note pending: ") == 2
    for words in ((), ("trace",), ("memory",), ("config",), ("workflow",)):
        quiet = vfcc(old, "check", *words, "--quiet")
        assert (quiet.out.count("\n"), quiet.err) == (1, ""), words
        assert quiet.code == vfcc(old, "check", *words).code, words
    assert re.fullmatch(r"check: \d+ errors, \d+ warnings, \d+ notes\n", vfcc(old, "check", "--quiet").out)
    vfcc(old, "check", "--quiet", "--all").refused(2, "--quiet prints one line")
    vfcc(old, "check", "trace", "--quiet", "--json").refused(2, "--quiet prints one line")
    vfcc(old, "check", "--new", "trace").refused(2, "after it")


def test_the_line_of_a_gate_says_whether_it_is_open(old: Path) -> None:
    assert by_person(old, "sprint", "start", "Gauge", "--workflow", "standard").code == 0

    quiet = vfcc(old, "check", "gate", "--quiet")

    assert quiet.code == 4
    assert re.fullmatch(r"gauge/\w+: the gate to leave it is closed \(\d+ of \d+ block\)\n", quiet.out)
    assert ", 1 of 1 gate closed\n" in vfcc(old, "check", "--quiet").out
    assert "note commands" not in vfcc(old, "check").out, "the project had its first sprint"


def test_new_shows_what_the_last_tag_the_target_or_the_sprints_base_did_not_have(old: Path) -> None:
    vfcc(old, "check", "--new").refused(2, "no commit has a tag", "--changed-since")

    git(old, "tag", "v1")
    none = vfcc(old, "check", "--new")
    assert (none.code, kinds(none.out)) == (0, []), none
    assert "old findings left out (v1, the last tag)" in none.out

    git(old, "checkout", "--quiet", "-b", "work")
    (old / NEED).write_text(item("NEED-tide", "need", colour="blue"))
    committed(old, "a field")
    other = f"{ITEMS}/requirement/REQ-other.md"
    write_tree(old, {other: item("REQ-other", "requirement", "refines NEED-gone", verification="review")})
    new = vfcc(old, "check", "--new")
    assert new.code == 1
    assert "REQ-other" in new.out
    assert "unknown-field" in new.out
    assert "NEED-none" not in new.out
    assert ", where this branch left main)" in new.out
    assert set(kinds(vfcc(old, "check", "trace", "--new").out)) == set(kinds(new.out)), "no finding is on the memory"

    committed(old, "a link")
    assert by_person(old, "sprint", "start", "Gauge", "--workflow", "light").code == 0
    (old / "tests/a/test_a.py").write_text("# vfcc: REQ-gone\ndef test_a():\n    pass\n")
    begun = vfcc(old, "check", "trace", "--new")
    assert ", the base of gauge)" in begun.out
    assert "unknown-mark" in begun.out
    assert "REQ-other" not in begun.out


def test_new_shows_what_a_change_elsewhere_broke(tmp_path: Path) -> None:
    root = traced(tmp_path / "p", **{CONFIG: "format: 2\nworkflow: light\n"}).root
    git(root, "init", "--quiet", "--initial-branch", "main")
    committed(root, "first")
    git(root, "tag", "v1")
    (root / HIGH).unlink()

    new = vfcc(root, "check", "trace", "--new")

    assert new.code == 1
    assert "error unknown-mark: " in new.out, "the file with the mark is as it was"


def test_new_findings_of_the_memory_are_those_of_new_items(young: Path) -> None:
    git(young, "init", "--quiet")
    facts = ".memory/project/items/fact"
    write_tree(young, {f"{facts}/a.md": "---\nid: a\nlinks: [{to: b, relation: depends_on}]\n---\nA.\n"})
    committed(young, "first")
    git(young, "tag", "v1")
    write_tree(young, {f"{facts}/c.md": "---\nid: c\nlinks: [{to: d, relation: depends_on}]\n---\nC.\n"})

    new = vfcc(young, "check", "memory", "--new")

    assert (new.code, new.out.count("dangling-link")) == (1, 1)
    assert "c depends_on d" in new.out
    assert "(1 older left out: v1, the last tag)" in new.out
    vfcc(young, "check", "memory", "--new", "--scope", "user").refused(2, "--new")


def test_without_git_nothing_is_older(young: Path) -> None:
    vfcc(young, "check", "--new").refused(2, "git")


def test_a_word_that_is_wider_than_the_screen_counts_as_the_rows_that_it_takes(tmp_path: Path) -> None:
    long = "_".join(["test", *(["long"] * 30)])
    tests = "".join(f"# vfcc: REQ-gone{n}\ndef {long}_{n}():\n    pass\n\n\n" for n in range(8))
    root = traced(tmp_path / "p", **{CONFIG: "format: 2\n", "tests/test_long.py": tests}).root

    lines = on_terminal(root, "check", rows=24).out.splitlines()

    assert sum(-(-max(1, len(line)) // 80) for line in lines) <= 23
